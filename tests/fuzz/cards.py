"""Cards that are damaged: their JSON and their pages, through every command that reads cards."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from candling.card import Card
from tests.fuzz.mutate import ODD, mutated, mutated_json
from tests.fuzz.trial import Trial
from tests.hostile import NAMES
from tests.render.cards import CARDS, signed
from tests.render.shown import card_page

COMMANDS = (
    ("explain", "card.json"),
    ("explain", "card.json", "--json"),
    ("compare", "good.json", "card.json"),
    ("compare", "card.json", "good.json", "--anyway"),
    ("compare", "card.json", "card.json", "--report", "change.html", "--force"),
    ("compare", "card.json", "card.json", "--json"),
    ("verify", "card.json"),
    ("verify", "card.json", "--report", "again.html", "--force"),
)
PAGE = ("verify", "card.html")


def trials(folder: Path, random: Random, mutants: int) -> Iterator[Trial]:
    """Every card as it is through every command, then mutants."""
    seeds = {name: json.loads(json.dumps(make())) for name, make in CARDS.items()}
    page = card_page(Card.from_dict(signed())).encode()
    (folder / "good.json").write_text(json.dumps(seeds["charged"]))
    for command in COMMANDS:
        yield _of_json(folder, json.dumps(seeds["charged"]).encode(), command)
    yield _of_page(folder, page)
    for _ in range(mutants):
        if random.random() < 0.1:
            yield _of_page(folder, mutated(page, random))
        else:
            yield _of_json(folder, _mutated(random.choice([*seeds.values()]), random), _any(random))


def _any(random: Random) -> tuple[str, ...]:
    return random.choice(COMMANDS)


def _of_json(folder: Path, content: bytes, command: tuple[str, ...]) -> Trial:
    (folder / "card.json").write_bytes(content)
    allowed = frozenset({0, 1, 2}) if command[0] == "verify" else frozenset({0, 2})
    return Trial(f"{command[0]} card.json", command, folder, allowed)


def _of_page(folder: Path, content: bytes) -> Trial:
    (folder / "card.html").write_bytes(content)
    return Trial("verify card.html", PAGE, folder, frozenset({0, 1, 2}))


def _mutated(card: Any, random: Random) -> bytes:
    """Texts changed alone are read again; other values and bytes mostly are not."""
    match random.randrange(4):
        case 0:
            return mutated(json.dumps(card).encode(), random)
        case 1:
            return json.dumps(_with_names(card, random)).encode()
        case 2:
            text = json.dumps(card, ensure_ascii=False).encode("utf-8", "surrogatepass")
            at = random.randrange(len(text))
            return text[:at] + random.choice(ODD) + text[at:]
        case _:
            for _ in range(random.randint(1, 3)):
                card = mutated_json(card, random)
            return json.dumps(card).encode()


def _with_names(value: Any, random: Random) -> Any:
    """The same document with hostile names in the place of some texts and numbers of some."""
    if isinstance(value, dict):
        return {key: _with_names(inner, random) for key, inner in value.items()}
    if isinstance(value, list):
        return [_with_names(inner, random) for inner in value]
    if isinstance(value, str) and random.random() < 0.2:
        return random.choice(NAMES)
    return value
