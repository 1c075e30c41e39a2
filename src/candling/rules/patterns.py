"""Regular expressions that mean the same on every engine.

A pattern is read here, and written for an engine from what was read, with nothing left on which
engines differ: classes are spelled out in ASCII, `.` is any character but a line feed, `^` and `$`
are the ends of the text. What cannot be written alike everywhere is refused. Whether a pattern is
found is all that is asked, so groups capture nothing, and lazy repeats are ordinary ones.
"""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import TypeAlias

from candling.records import dataclass

MOST_REPEATS = 255  # PostgreSQL's limit
LONGEST_TEXT = 500  # characters in which a pattern that repeats a group is looked for
_LARGEST = 1000  # of repeats inside of repeats, multiplied: RE2 refuses larger ones
_MOST_PARTS = 5_000  # characters and classes, with their repeats: RE2 has no memory for more
_DEEPEST = 50
_LAST = 0x10FFFF
_SPECIAL = "\\^$.|?*+()[]{}"
_CLASSES = {
    "d": ((0x30, 0x39),),
    "w": ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A)),
    "s": ((0x09, 0x0D), (0x20, 0x20)),
}
_CONTROL = {"t": 0x09, "n": 0x0A, "v": 0x0B, "f": 0x0C, "r": 0x0D}


class PatternError(Exception):
    """What is wrong with a pattern, and where in it (0-based)."""

    def __init__(self, message: str, position: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.position = position
        self.hint = hint


@dataclass(frozen=True, slots=True)
class PatternSyntax:
    """How an engine writes the ends of a text, and any character."""

    start: str
    end: str
    anything: str


@dataclass(frozen=True)
class Pattern:
    """A regular expression as it was written; known to mean the same on every engine."""

    text: str

    @cached_property
    def _read(self) -> _Node:
        return _Reader(self.text).whole()

    def check(self) -> None:
        """Raise PatternError if it cannot be read, or does not mean the same everywhere."""
        self._read  # noqa: B018 - reading it is the check

    @property
    def longest(self) -> int | None:
        """Characters of the longest text that it is looked for in; None if any is.

        Java, which looks for patterns on Spark, needs more stack for each repeat of a group, and
        ends in an error on texts of a thousand characters and more. So that no text can end in an
        error, and all engines agree, whether a longer text matches is unknown.
        """
        return LONGEST_TEXT if _repeats_group(self._read) else None

    def write(self, syntax: PatternSyntax) -> str:
        """The same in the syntax of an engine."""
        return _write_node(self._read, syntax)


def like(text: str) -> Pattern:
    """The pattern of SQL's LIKE, in which `%` is any text and `_` any character."""
    inner = text.strip("%")
    start = "" if text.startswith("%") else "^"
    end = "" if text.endswith("%") and text.strip("%") else "$"
    if text and not inner:
        return Pattern("")
    special = {"%": r"[\s\S]*", "_": r"[\s\S]"}
    middle = "".join(special.get(c) or (f"\\{c}" if c in _SPECIAL else c) for c in inner)
    return Pattern(start + middle + end)


# What a pattern is made of

Ranges: TypeAlias = tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class _Set:
    """One character of these."""

    ranges: Ranges


@dataclass(frozen=True, slots=True)
class _End:
    """The start or the end of the text."""

    start: bool


@dataclass(frozen=True, slots=True)
class _Sequence:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    parts: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Repeat:
    part: _Node
    least: int
    most: int | None
    cost: int = field(default=1, compare=False)


_Node: TypeAlias = _Set | _End | _Sequence | _Choice | _Repeat


def _unite(ranges: Ranges) -> Ranges:
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return tuple(found)


def _others(ranges: Ranges) -> Ranges:
    """All characters that are not in the ranges."""
    found, after = [], 0
    for low, high in _unite(ranges):
        if low > after:
            found.append((after, low - 1))
        after = high + 1
    if after <= _LAST:
        found.append((after, _LAST))
    return tuple(found)


# Reading


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0

    @property
    def next(self) -> str:
        return self.text[self.at : self.at + 1]

    def take(self) -> str:
        character = self.next
        self.at += 1
        return character

    def whole(self) -> _Node:
        if (nul := self.text.find("\0")) >= 0:
            raise PatternError("a pattern cannot hold a NUL character", nul)
        node = self.choice()
        if self.next:
            raise PatternError("this `)` closes nothing", self.at)
        if _size(node) > _MOST_PARTS:
            raise PatternError(f"this pattern has more than {_MOST_PARTS:,} parts", 0)
        return node

    def choice(self) -> _Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise PatternError("there are too many groups inside each other", self.at)
        parts = [self.sequence()]
        while self.next == "|":
            self.at += 1
            parts.append(self.sequence())
        self.depth -= 1
        if all(isinstance(part, _Set) for part in parts):  # one set: engines repeat it at no cost
            return _Set(_unite(tuple(r for p in parts if isinstance(p, _Set) for r in p.ranges)))
        return parts[0] if len(parts) == 1 else _Choice(tuple(parts))

    def sequence(self) -> _Node:
        parts = []
        while self.next not in ("", "|", ")"):
            parts.append(self.repeat(self.atom()))
        return parts[0] if len(parts) == 1 else _Sequence(tuple(parts))

    def atom(self) -> _Node:
        start = self.at
        match character := self.take():
            case "(":
                return self.group(start)
            case "[":
                return self.bracket(start)
            case ".":
                return _Set(_others(((0x0A, 0x0A),)))
            case "^" | "$":
                return _End(character == "^")
            case "\\":
                return _Set(self.escape(start))
            case "*" | "+" | "?":
                raise PatternError(f"there is nothing before `{character}` to repeat", start)
            case "{":
                raise PatternError("a `{` that repeats nothing", start, r"write \{ for the sign")
        return _Set(((ord(character), ord(character)),))

    def group(self, start: int) -> _Node:
        if self.next == "?":
            if self.text[self.at : self.at + 2] != "?:":
                raise PatternError(
                    "engines differ on groups that start with `(?`",
                    start,
                    "lookaround, names and flags such as (?i) are not allowed; (?:...) is",
                )
            self.at += 2
        node = self.choice()
        if self.take() != ")":
            raise PatternError("this `(` is never closed", start)
        return node

    def escape(self, start: int) -> Ranges:
        character = self.take()
        if not character:
            raise PatternError("a `\\` at the end escapes nothing", start)
        if character.lower() in _CLASSES:
            ranges = _CLASSES[character.lower()]
            return ranges if character.islower() else _others(ranges)
        if character in _CONTROL:
            return ((_CONTROL[character], _CONTROL[character]),)
        if character.isascii() and not character.isalnum():
            return ((ord(character), ord(character)),)
        raise PatternError(
            f"engines differ on `\\{character}`",
            start,
            r"allowed are \d \w \s \D \W \S \t \n \r \f \v and \ before a sign such as \.",
        )

    def bracket(self, start: int) -> _Set:
        negated = self.next == "^"
        self.at += negated
        ranges: list[tuple[int, int]] = []
        first = True
        while first or self.next != "]":
            if not self.next:
                raise PatternError("this `[` is never closed", start)
            if first and self.next == "]":
                raise PatternError("engines differ on `[]`", start, r"write [\]] for the sign")
            first = False
            ranges += self.item()
        self.at += 1
        united = _unite(tuple(ranges))
        chosen = _others(united) if negated else united
        if not chosen:
            raise PatternError("this class has no character", start)
        return _Set(chosen)

    def item(self) -> Ranges:
        """A character, a class or a range in brackets."""
        start = self.at
        low = self.member()
        if self.next != "-" or self.text[self.at + 1 : self.at + 2] in ("]", ""):
            return low
        self.at += 1
        high = self.member()
        if len(low) > 1 or len(high) > 1 or low[0][0] != low[0][1] or high[0][0] != high[0][1]:
            raise PatternError("a range is from one character to another", start)
        if low[0][0] > high[0][0]:
            raise PatternError("this range ends before it starts", start)
        return ((low[0][0], high[0][0]),)

    def member(self) -> Ranges:
        start = self.at
        character = self.take()
        if not character:
            raise PatternError("this range has no end", start)
        if character == "\\":
            return self.escape(start)
        if character == "[":
            raise PatternError("engines differ on `[` within [...]", start, r"write \[")
        return ((ord(character), ord(character)),)

    def repeat(self, node: _Node) -> _Node:
        start = self.at
        match self.next:
            case "*":
                least, most = 0, None
            case "+":
                least, most = 1, None
            case "?":
                least, most = 0, 1
            case "{":
                return self.read_count(node, start)
            case _:
                return node
        self.at += 1
        return self.make_repeat(node, least, most, start)

    def read_count(self, node: _Node, start: int) -> _Node:
        close = self.text.find("}", start)
        inside = self.text[start + 1 : close] if close > 0 else ""
        low, comma, high = inside.partition(",")
        if not (low.isascii() and low.isdigit() and (not high or high.isdigit())):
            raise PatternError("a count is written {3}, {3,} or {3,5}", start, r"write \{ for {")
        least = int(low)
        most = None if comma and not high else int(high or low)
        if max(least, most or 0) > MOST_REPEATS:
            raise PatternError(f"{MOST_REPEATS} is the most that engines count to", start)
        if most is not None and most < least:
            raise PatternError("this count ends before it starts", start)
        self.at = close + 1
        return self.make_repeat(node, least, most, start)

    def make_repeat(self, node: _Node, least: int, most: int | None, start: int) -> _Node:
        if isinstance(node, _End):
            raise PatternError("an end of the text cannot be repeated", start)
        if self.next == "?":
            self.at += 1
        if self.next and self.next in "*+?{":
            raise PatternError("engines differ on a repeat of a repeat", self.at)
        if most is None and isinstance(node, _Repeat) and node.most is None:
            raise PatternError(
                "a repeat of nothing but a repeat takes for ever on some texts",
                start,
                "one of the two is enough",
            )
        cost = max(least, most or 0, 1) * _cost(node)
        if cost > _LARGEST:
            raise PatternError(f"nested repeats add up to more than {_LARGEST}", start)
        return _Repeat(node, least, most, cost)


def _cost(node: _Node) -> int:
    match node:
        case _Repeat():
            return node.cost
        case _Sequence() | _Choice():
            return max(map(_cost, node.parts), default=1)
    return 1


def _size(node: _Node) -> int:
    match node:
        case _Repeat():
            return max(node.least, node.most or 0, 1) * _size(node.part)
        case _Sequence() | _Choice():
            return sum(map(_size, node.parts))
    return 1


def _repeats_group(node: _Node) -> bool:
    match node:
        case _Repeat():
            group = not isinstance(node.part, _Set)
            return (group and node.most is None) or _repeats_group(node.part)
        case _Sequence() | _Choice():
            return any(map(_repeats_group, node.parts))
    return False


# Writing


def _write_node(node: _Node, syntax: PatternSyntax) -> str:
    match node:
        case _Set():
            return _set(node.ranges, syntax)
        case _End():
            return syntax.start if node.start else syntax.end
        case _Sequence():
            return "".join(
                f"(?:{_write_node(part, syntax)})" if isinstance(part, _Choice)
                else _write_node(part, syntax)
                for part in node.parts
            )  # fmt: skip
        case _Choice():
            return "|".join(_write_node(part, syntax) for part in node.parts)
        case _Repeat():
            inner = _write_node(node.part, syntax)
            if not isinstance(node.part, _Set):
                inner = f"(?:{inner})"
            return inner + _count(node.least, node.most)


def _count(least: int, most: int | None) -> str:
    if most is None:
        return {0: "*", 1: "+"}.get(least, f"{{{least},}}")
    if (least, most) == (0, 1):
        return "?"
    return f"{{{least}}}" if least == most else f"{{{least},{most}}}"


def _set(ranges: Ranges, syntax: PatternSyntax) -> str:
    if len(ranges) == 1 and ranges[0][0] == ranges[0][1]:
        return _literal(ranges[0][0])
    others = _others(ranges)
    if not others:
        return syntax.anything
    negated = ranges[-1][1] == _LAST and ranges[0][0] == 0  # else NUL would stand in it
    inside = "".join(
        _literal(low) if low == high else f"{_literal(low)}-{_literal(high)}"
        for low, high in (others if negated else ranges)
    )
    return f"[{'^' if negated else ''}{inside}]"


def _literal(code: int) -> str:
    character = chr(code)
    sign = character.isascii() and character.isprintable() and not character.isalnum()
    return f"\\{character}" if sign and character not in " _" else character
