"""Change bytes or JSON at random, always the same way for the same generator."""

import json
from random import Random
from typing import Any

# Values at which readers of lengths, offsets and text tend to slip.
ODD = (
    b"\x00",
    b"\xff",
    b"\x00\x00\x00\x00",
    b"\xff\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\x80\x00\x00\x00",
    b"\n",
    b'"',
    b"\r\n",
    b"\xe2\x80\xa8",  # U+2028, a line separator
    b"\xef\xbb\xbf",
    b"\xc3\x28",  # not UTF-8
    b"\x1b[31m",
)

ODD_VALUES: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1e308,
    10**400,
    float("nan"),
    "",
    "\x00",
    "\x1b[31m",
    "\u2028",
    "\ud800",
    "9" * 5000,
    [],
    {},
    [[[[]]]],
    {"": {}},
)


def mutated(data: bytes, random: Random) -> bytes:
    """The same bytes with one to four changes: some flipped, cut, doubled, moved or put in."""
    changed = bytearray(data)
    for _ in range(random.randint(1, 4)):
        if not changed:
            return bytes(changed)
        at = random.randrange(len(changed))
        length = min(len(changed) - at, random.choice((1, 2, 4, 8, 64, 512)))
        match random.randrange(6):
            case 0:
                changed[at] ^= 1 << random.randrange(8)
            case 1:
                del changed[at : at + length]
            case 2:
                changed[at:at] = changed[at : at + length]
            case 3:
                odd = random.choice(ODD)
                changed[at : at + len(odd)] = odd
            case 4:
                changed[at:at] = random.choice(ODD)
            case _:
                del changed[at:]
    return bytes(changed)


def mutated_json(document: Any, random: Random) -> Any:
    """The same document with one value replaced, one field left out or one put in."""
    changed = json.loads(json.dumps(document))
    places = list(_places(changed))
    if not places:
        return random.choice(ODD_VALUES)
    holder, key = random.choice(places)
    match random.randrange(4):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[str(key) + random.choice(("", " ", "x", "\u200b"))] = random.choice(ODD_VALUES)
        case _:
            holder[key] = random.choice(ODD_VALUES)
    return changed


def _places(document: Any) -> Any:
    """Every container with every key or position in it."""
    pairs: Any = ()
    if isinstance(document, dict):
        pairs = list(document.items())
    elif isinstance(document, list):
        pairs = list(enumerate(document))
    for key, value in pairs:
        yield document, key
        yield from _places(value)
