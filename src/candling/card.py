"""The card: what one release gives, and the one place where its JSON is written and read.

The JSON of a card is described in docs/card.schema.json. `Card.from_dict` takes what `Card.to_dict`
gives, and refuses everything else with one UsageError that names the field that is wrong.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from candling.errors import UsageError
from candling.files import UnreadableError, read_text
from candling.ledger.entry import UNITS
from candling.ledger.receipt import Receipt
from candling.measures import MEASURES, Shown, Unit
from candling.measures.bounds import StoredBounds
from candling.measures.grade import NOT_GRADED, Grade, exact
from candling.measures.repair import SMALLEST
from candling.person import Person
from candling.present.gates import GateResult, Outcome, judge, parse_gate

if TYPE_CHECKING:
    import pandas as pd

SCHEMA = 2  # of the JSON; a card of another schema is refused
_LARGEST = 10**300  # of a number, so that all arithmetic on it stays finite
T = TypeVar("T")

_PARTS = ("schema", "epsilon", "person", "grade", "by_rule", "about", "gates", "receipt",
          "signature")  # fmt: skip
_NUMBER = ("value", "low", "high", "epsilon", "reason", "note")  # every other field is extra


@dataclass(frozen=True, slots=True)
class About:
    """How a release was made, so that a reader of its card knows it years later."""

    candling: str  # the version
    time: str  # UTC; when it was asked for: the time when it was done would tell how long it took
    method: str
    measures: tuple[str, ...]  # as asked for
    public_rows: int | None  # as stated
    max_rows: int | None  # as stated
    rules: tuple[str, ...]  # those that can be broken, each once

    def to_dict(self) -> dict[str, Any]:
        """The record under the names of the JSON output."""
        return {
            "candling": self.candling,
            "time": self.time,
            "method": self.method,
            "measures": list(self.measures),
            "public_rows": self.public_rows,
            "max_rows": self.max_rows,
            "rules": list(self.rules),
        }


@dataclass(frozen=True, slots=True)
class Card:
    """The measures of one release, by name, and as attributes: `card.repair.value`."""

    epsilon: Fraction  # charged in all
    person: Person  # whose rows the guarantee hides
    measures: Mapping[str, Shown]
    by_rule: tuple[Shown, ...] = ()
    about: About = field(kw_only=True)
    grade: Grade = NOT_GRADED  # 1 - repair/rows, as every output shows it
    gates: tuple[GateResult, ...] = ()  # what gates said of it
    receipt: Receipt | None = None  # of the ledger that it was charged to
    signature: Mapping[str, str] | None = None  # of that ledger, over all the rest

    def __getattr__(self, name: str) -> Shown:
        try:
            return self.measures[name]
        except KeyError:
            released = ", ".join(self.measures)
            raise AttributeError(f"{name!r} was not released; this card has {released}") from None

    def __iter__(self) -> Iterator[Shown]:
        return iter(self.measures.values())

    @property
    def dataset(self) -> str | None:
        """The name of the table in the ledger."""
        return None if self.receipt is None else self.receipt.dataset

    def __str__(self) -> str:
        from candling.present.plain import card_text

        return card_text(self)

    def to_dict(self) -> dict[str, Any]:
        """The card as `candling release --json` prints it."""
        content: dict[str, Any] = {
            "schema": SCHEMA,
            "epsilon": float(self.epsilon),
            "person": self.person.to_dict(),
            "grade": self.grade.to_dict(),
        }
        content |= {name: measure.to_dict() for name, measure in self.measures.items()}
        if self.by_rule:
            content["by_rule"] = [{"rule": rule.name, **rule.to_dict()} for rule in self.by_rule]
        content["about"] = self.about.to_dict()
        if self.receipt is not None:
            content["receipt"] = self.receipt.to_dict()
        if self.gates:
            content["gates"] = [verdict.to_dict() for verdict in self.gates]
        if self.signature is not None:
            content["signature"] = dict(self.signature)
        return content

    @classmethod
    def from_dict(cls, content: object) -> Card:
        """The card in a JSON object, with the intervals that it had when it was written.

        Raises UsageError for everything that `to_dict` would not have written.
        """
        try:
            return _card(content)
        except _Flaw as flaw:
            raise UsageError(f"This is not the JSON of a release: {flaw}.", code="U106") from None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Card:
        """The card in a file that `candling release --json` wrote."""
        name = os.fspath(path)
        try:
            return _card(json.loads(read_text(path)))
        except (UnreadableError, ValueError, RecursionError) as error:
            why = f": {error}" if isinstance(error, _Flaw | UnreadableError) else ""
            message = f"{name!r} is not a file with the JSON of a release{why}."
            raise UsageError(message, code="U106") from None

    def check(self, gate: str) -> GateResult:
        """What a gate such as "repair/rows > 2%" says of this card; it costs no epsilon.

        The result is true only if the gate passes; its `outcome` is "pass", "fail" or "cannot
        tell". A rule is named by its label ("zip-city > 0") or by its text in double quotes, on a
        card with `by_rule`.
        """
        return judge(parse_gate(gate, self.about.rules), self)

    def to_html(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the card as a page: one file, no script, nothing from elsewhere.

        An existing file is left alone unless `overwrite`: it may be the only copy of an older card.
        """
        from candling.present.html import card_page
        from candling.present.html.files import write_page

        write_page(path, card_page(self), overwrite=overwrite)

    def _repr_html_(self) -> str:
        from candling.present.html import card_cell

        return card_cell(self)

    def to_frame(self) -> pd.DataFrame:
        """The grade, the rows of a person and the measures as a pandas frame, one a line by name.

        Those by rule are last. A rule stands in the column `rule`, so that `value` holds numbers.
        """
        from candling.present.text import as_frame

        return as_frame(self)


# Reading


class _Flaw(ValueError):  # noqa: N818 - it never leaves this module
    """What is wrong with the JSON of a card."""


class _Fields:
    """A JSON object whose fields are read one by one, each with the type that it must have."""

    def __init__(self, value: object, place: str = "") -> None:
        if not isinstance(value, Mapping) or not all(isinstance(name, str) for name in value):
            raise _Flaw(f"{place or 'it'} is not an object")
        self.content: Mapping[str, Any] = value
        self._place = f"{place}." if place else ""

    def text(self, name: str) -> str:
        return str(self._of(name, str, "a text"))

    def whole(self, name: str) -> int:
        value: int = self._of(name, int, "a whole number")
        return value if 0 <= value <= _LARGEST else self.wrong(name, "is out of range")

    def number(self, name: str) -> float:
        value: float = self._of(name, int | float, "a number")
        return value if -_LARGEST <= value <= _LARGEST else self.wrong(name, "is out of range")

    def true_or_false(self, name: str) -> bool:
        return bool(self._of(name, bool, "true or false"))

    def texts(self, name: str) -> tuple[str, ...]:
        listed = self._of(name, list, "a list")
        if not all(isinstance(item, str) for item in listed):
            self.wrong(name, "is not a list of texts")
        return tuple(listed)

    def inner(self, name: str) -> _Fields:
        if name not in self.content:
            self.wrong(name, "is missing")
        return _Fields(self.content[name], f"{self._place}{name}")

    def inners(self, name: str) -> Iterator[_Fields]:
        for position, item in enumerate(self._of(name, list, "a list")):
            yield _Fields(item, f"{self._place}{name}[{position}]")

    def optional(self, read: Callable[[str], T], name: str) -> T | None:
        """A field that may be null."""
        return read(name) if self.content.get(name, ...) is not None else None

    def absent(self, read: Callable[[str], T], name: str) -> T | None:
        """A field that may be absent, but not null."""
        return read(name) if name in self.content else None

    def wrong(self, name: str, why: str) -> NoReturn:
        raise _Flaw(f"{self._place}{name} {why}")

    def _of(self, name: str, kind: Any, words: str) -> Any:
        if name not in self.content:
            self.wrong(name, "is missing")
        value = self.content[name]
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.wrong(name, f"is not {words}")
        return value


def _card(content: object) -> Card:
    fields = _Fields(content)
    schema = fields.whole("schema")
    if schema != SCHEMA:
        raise _Flaw(f"its schema is {schema}, and this version of candling reads schema {SCHEMA}")
    listed = isinstance(fields.content.get("by_rule", ()), list)  # else a measure that was refused
    names = [n for n in fields.content if n not in _PARTS or (n == "by_rule" and not listed)]
    measures = {name: _measure(name, fields.inner(name)) for name in names}
    by_rule = [_rule(rule) for rule in fields.inners("by_rule")] if listed else []
    if not measures and not by_rule:
        raise _Flaw("it has no measure")
    epsilon = fields.number("epsilon")
    if epsilon < 0:
        fields.wrong("epsilon", "is negative")
    about = _about(fields.inner("about"))
    person = _person(fields.inner("person"), epsilon)
    card = Card(
        exact(epsilon),
        person,
        measures,
        tuple(by_rule),
        about=about,
        grade=_grade(fields.inner("grade")),
        gates=_verdicts(fields, about.rules, person),
        receipt=_receipt(fields.inner("receipt")) if "receipt" in fields.content else None,
        signature=_signature(fields.inner("signature")) if "signature" in fields.content else None,
    )
    # What the readers above do not know, or what contradicts itself, such as a value outside of
    # its interval, would be lost: a card is read whole or not at all.
    if card.to_dict() != content:
        raise _Flaw("it has fields that candling does not write, or that contradict each other")
    return card


def _person(fields: _Fields, epsilon: float) -> Person:
    columns, rows = fields.texts("columns"), fields.whole("rows")
    cost = fields.absent(fields.number, "epsilon")
    unused = fields.absent(fields.texts, "unused") or ()
    if rows < 1:
        fields.wrong("rows", "is out of range")
    if cost is not None and not (columns and 0 < cost <= epsilon):
        fields.wrong("epsilon", "is out of range" if columns else "is for a person without columns")
    if unused and columns:
        fields.wrong("unused", "is there, and so are columns")
    return Person(columns, rows, None if cost is None else exact(cost), unused)


def _grade(fields: _Fields) -> Grade:
    value, low, high = (fields.optional(fields.number, n) for n in ("value", "low", "high"))
    if value is None or low is None or high is None:
        if (value, low, high) != (None, None, None):
            fields.wrong("value", "or an end of its interval is missing")
    elif not low <= value <= high:
        fields.wrong("value", "is outside of its interval")
    reason = fields.absent(fields.text, "reason")
    return Grade(value, low, high, fields.number("level"), reason)


def _measure(name: str, fields: _Fields) -> Shown:
    if name not in MEASURES:
        raise _Flaw(f"{name!r} is not a measure")
    measure = MEASURES[name]
    number = fields.text if measure.unit is Unit.RULE else fields.number
    if fields.content.get("value") is not None and not fields.content.keys() >= {*measure.says}:
        missing = next(name for name in measure.says if name not in fields.content)
        fields.wrong(missing, "is missing")
    return _shown(name, fields, number, _NUMBER)


def _rule(fields: _Fields) -> Shown:
    return _shown(fields.text("rule"), fields, fields.number, (*_NUMBER, "rule"))


def _shown(
    name: str, fields: _Fields, value: Callable[[str], float | str], known: tuple[str, ...]
) -> Shown:
    low, high = (fields.optional(fields.number, end) for end in ("low", "high"))
    cost = fields.absent(fields.number, "epsilon")
    return Shown(
        name,
        fields.optional(value, "value"),
        None if cost is None else exact(cost),
        fields.text("note"),
        StoredBounds(low, high),
        fields.absent(fields.text, "reason"),
        {key: _extra(key, fields) for key in fields.content if key not in known},
    )


def _extra(name: str, fields: _Fields) -> Any:
    """What is said beside a number: of a type that its readers can rely on."""
    if name in ("threshold", "detects_repair_of"):
        return fields.whole(name)
    if name == "kind":
        kind = fields.text(name)
        return kind if kind in SMALLEST else fields.wrong(name, f"is not {' or '.join(SMALLEST)}")
    if name == "per_row":
        per_row = fields.inner(name)
        return {end: per_row.number(end) for end in ("value", "low", "high")}
    value = fields.content[name]
    return fields.number(name) if isinstance(value, int | float) else fields.text(name)


def _about(fields: _Fields) -> About:
    return About(
        fields.text("candling"),
        fields.text("time"),
        fields.text("method"),
        fields.texts("measures"),
        fields.optional(fields.whole, "public_rows"),
        fields.optional(fields.whole, "max_rows"),
        fields.texts("rules"),
    )


def _receipt(fields: _Fields) -> Receipt:
    charged, limit, spent = (
        round(exact(fields.number(name)) * UNITS) for name in ("charged", "limit", "spent")
    )
    return Receipt(
        fields.text("ledger"),
        fields.whole("sequence"),
        fields.text("head"),
        fields.text("time"),
        fields.text("kind"),
        fields.text("dataset"),
        fields.text("people"),
        fields.optional(fields.text, "request_id"),
        charged,
        limit,
        spent,
        fields.true_or_false("repeated"),
        fields.text("candling"),
    )


def _signature(fields: _Fields) -> dict[str, str]:
    return {name: fields.text(name) for name in ("algorithm", "key", "value")}


def _verdicts(fields: _Fields, rules: tuple[str, ...], person: Person) -> tuple[GateResult, ...]:
    if "gates" not in fields.content:
        return ()
    return tuple(_verdict(gate, rules, person) for gate in fields.inners("gates"))


def _verdict(fields: _Fields, rules: tuple[str, ...], person: Person) -> GateResult:
    low, high = fields.number("low"), fields.optional(fields.number, "high")
    text, outcome, level = fields.text("gate"), fields.text("outcome"), fields.number("level")
    if outcome not in set(Outcome):
        fields.wrong("outcome", f"is not {' or '.join(Outcome)}")
    try:
        gate = parse_gate(text, rules)
    except UsageError:
        fields.wrong("gate", "cannot be read")
    ends = exact(low), None if high is None else exact(high)
    return GateResult(gate, Outcome(outcome), *ends, level, bool(person.columns))
