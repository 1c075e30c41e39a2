"""The card as users hold it, the one reader of its JSON, and the exact numbers.

The JSON of a card is described in docs/card.schema.json. `Card.from_dict` takes what `Card.to_dict`
gives, and refuses everything else with one UsageError that names the field that is wrong.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from dataclasses import fields as dataclass_fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from candling.errors import UsageError
from candling.gates import judge, judge_exact, parse_gate
from candling.measures import BY_RULE, MEASURES, Asked, Released, Unit
from candling.measures.measure import NO_BOUNDS, Measure, start_at_zero
from candling.measures.repair import SMALLEST
from candling.model.card import SCHEMA, About, CardData, Noisy
from candling.model.gate import GateResult, Outcome
from candling.model.number import Grade, Number, Share, exact
from candling.model.person import Person
from candling.model.receipt import UNITS, Receipt
from candling.model.results import ExactData
from candling.privacy.statistic import LEVELS, Drawn
from candling.privacy.tails import CardNoise, Rates
from candling.rules import RuleLine
from candling.system.files import UnreadableError, read_text

if TYPE_CHECKING:
    import pandas as pd

_LARGEST = 10**300  # of a number, so that all arithmetic on it stays finite
_MOST_PATTERNS = 100_000  # of signs of numbers, which intervals at other levels look at
_COARSEST = 10**18  # of a sensitivity
_SLOWEST, _FASTEST = 1e-9, 1e4  # of the rates at which noise falls
_FRACTION = re.compile(r"[1-9][0-9]{0,9}(/[1-9][0-9]{0,9})?")
T = TypeVar("T")

_PARTS = ("schema", "epsilon", "person", "grade", "by_rule", "about", "noise", "gates", "receipt",
          "signature")  # fmt: skip


@dataclass(frozen=True, slots=True)
class Card(CardData):
    """The numbers of one release, by name, and as attributes: `card.repair.value`."""

    def __str__(self) -> str:
        from candling.render.text import render_text
        from candling.render.views import view_card

        return render_text(view_card(self))

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
        from candling.render.html import render_page, write_page
        from candling.render.views import view_card

        write_page(path, render_page(view_card(self)), overwrite=overwrite)

    def _repr_html_(self) -> str:
        from candling.render.html import render_cell
        from candling.render.views import view_card

        return render_cell(view_card(self))

    def to_frame(self) -> pd.DataFrame:
        """The grade, the rows of a person and the measures as a pandas frame, one a line by name.

        Those by rule are last. A rule stands in the column `rule`, so that `value` holds numbers.
        """
        from candling.render.csv import card_as_frame

        return card_as_frame(self)


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

    def integer(self, name: str) -> int:
        value: int = self._of(name, int, "a whole number")
        return value if -_LARGEST <= value <= _LARGEST else self.wrong(name, "is out of range")

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
    by_rule = (
        [_rule(rule) for rule in fields.inners("by_rule")]
        if "by_rule" in fields.content and listed
        else []
    )
    if not measures and not by_rule:
        raise _Flaw("it has no measure")
    epsilon = fields.number("epsilon")
    if epsilon < 0:
        fields.wrong("epsilon", "is negative")
    about = _about(fields.inner("about"))
    for name in about.measures:
        if name not in MEASURES:
            raise _Flaw(f"about.measures has {name!r}, which is not a measure")
    person = _person(fields.inner("person"), epsilon)
    draws = _draws(fields.inner("noise")) if "noise" in fields.content else {}
    asked = Asked(about.measures, public_rows=about.public_rows, max_rows=about.max_rows)
    released = Released(asked, draws)
    card = Card(
        exact(epsilon),
        person,
        {name: _with_bounds(number, MEASURES[name], released, measures)
         for name, number in measures.items()},
        tuple(
            _with_bounds(rule, BY_RULE, released, measures, at) for at, rule in enumerate(by_rule)
        ),
        about=about,
        grade=_grade(fields.inner("grade")),
        draws=draws,
        gates=_verdicts(fields, about.rules, person),
        receipt=_receipt(fields.inner("receipt")) if "receipt" in fields.content else None,
        signature=_signature(fields.inner("signature")) if "signature" in fields.content else None,
    )  # fmt: skip
    # What the readers above do not know, or what contradicts itself would be lost: a card is read
    # whole or not at all.
    if card.to_dict() != content:
        raise _Flaw("it has fields that candling does not write, or that contradict each other")
    return card


def _with_bounds(
    number: Number,
    measure: Measure,
    released: Released,
    measures: Mapping[str, Number],
    at: int = 0,
) -> Number:
    """A number with the intervals that follow from the noise of the card."""
    if number.value is None:
        return number
    try:
        bounds = measure.find_bounds(released, at)
    except (AssertionError, LookupError):
        raise _Flaw(f"noise.draws does not have what `{measure.name}` was made from") from None
    return start_at_zero(replace(number, bounds=bounds), measures)


def _draws(fields: _Fields) -> dict[str, tuple[Noisy, ...]]:
    """The noisy values with their noise laws, which must be of a kind that can be computed with."""
    rates = _rates(fields.inner("rates"))
    inner = fields.inner("draws")
    read = {name: [_draw(own) for own in inner.inners(name)] for name in inner.content}
    for name in read:
        if name not in MEASURES:
            inner.wrong(name, "is not a measure")
    together = [sensitivity for own in read.values() for _, sensitivity in own]
    if not together:
        raise _Flaw("noise.draws is empty")
    if math.prod(n + 1 for n in Counter(s for s in together).values()) > _MOST_PATTERNS:
        raise _Flaw("noise.draws has more numbers than one draw can have")
    draws: dict[str, tuple[Noisy, ...]] = {}
    position = 0
    for name, own in read.items():
        noisy = []
        for make, _ in own:
            noisy.append(make(rates, tuple(together[:position] + together[position + 1 :])))
            position += 1
        draws[name] = tuple(noisy)
    return draws


def _rates(fields: _Fields) -> Rates:
    rates = Rates(*(fields.number(field.name) for field in dataclass_fields(Rates)))
    slowest = min(rates.right - rates.rise, rates.left, rates.slow_left)
    if not (
        slowest >= _SLOWEST
        and max(rates.right, rates.left) <= _FASTEST
        and rates.fall >= 0 <= rates.rise
    ):
        raise _Flaw("noise.rates are out of range")
    return rates


def _draw(fields: _Fields) -> tuple[Callable[[Rates, tuple[int, ...]], Noisy], int]:
    """What makes the noisy value once the other numbers are known, and its sensitivity."""
    sensitivity, threshold, level = map(fields.whole, ("sensitivity", "threshold", "level"))
    value = fields.integer("value")
    own, jump = fields.optional(fields.number, "own"), fields.number("jump")
    kind, step = fields.text("kind"), _fraction(fields, "step")
    if not (1 <= sensitivity <= _COARSEST and level < LEVELS):
        fields.wrong("sensitivity", "or its level is out of range")
    if kind not in SMALLEST:
        fields.wrong("kind", f"is not {' or '.join(SMALLEST)}")
    if not (0 <= (own or 0) <= _FASTEST and 0 <= jump <= _FASTEST):
        fields.wrong("own", "or its jump is out of range")

    def make(rates: Rates, others: tuple[int, ...]) -> Noisy:
        law = CardNoise(sensitivity, others, rates, own, jump)
        return Noisy(Drawn(level, value, step, law), threshold, kind)

    return make, sensitivity


def _fraction(fields: _Fields, name: str) -> Fraction:
    match = _FRACTION.fullmatch(fields.text(name))
    if match is None:
        fields.wrong(name, "is not a fraction")
    return Fraction(match[0])


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


def _measure(name: str, fields: _Fields) -> Number:
    if name not in MEASURES:
        raise _Flaw(f"{name!r} is not a measure")
    measure = MEASURES[name]
    value = fields.text if measure.unit is Unit.RULE else fields.number
    if fields.content.get("value") is not None and not fields.content.keys() >= {
        *measure.required_fields
    }:
        missing = next(name for name in measure.required_fields if name not in fields.content)
        fields.wrong(missing, "is missing")
    return _number(name, fields, value)


def _rule(fields: _Fields) -> Number:
    return _number(fields.text("rule"), fields, fields.number)


def _number(name: str, fields: _Fields, read: Callable[[str], float | str]) -> Number:
    low, high = (fields.optional(fields.number, end) for end in ("low", "high"))
    value = fields.optional(read, "value")
    if isinstance(value, int | float) and not (
        (low is None or low <= value) and (high is None or value <= high)
    ):
        fields.wrong("value", "is outside of its interval")
    cost, kind = fields.absent(fields.number, "epsilon"), fields.absent(fields.text, "kind")
    if kind is not None and kind not in SMALLEST:
        fields.wrong("kind", f"is not {' or '.join(SMALLEST)}")
    return Number(
        name,
        value,
        None if cost is None else exact(cost),
        fields.text("note"),
        NO_BOUNDS,
        reason=fields.absent(fields.text, "reason"),
        kind=kind,
        threshold=fields.absent(fields.whole, "threshold"),
        false_alarm=fields.absent(fields.number, "false_alarm"),
        detects_repair_of=fields.absent(fields.whole, "detects_repair_of"),
        unit=fields.absent(fields.text, "unit"),
        per_row=_share(fields.inner("per_row")) if "per_row" in fields.content else None,
        low=low,
        high=high,
    )


def _share(fields: _Fields) -> Share:
    return Share(*(fields.number(end) for end in ("value", "low", "high")))


def _about(fields: _Fields) -> About:
    return About(
        fields.text("candling"),
        fields.text("time"),
        fields.texts("measures"),
        fields.optional(fields.whole, "public_rows"),
        fields.optional(fields.whole, "max_rows"),
        tuple(
            RuleLine(rule.text("text"), rule.text("rule"), rule.optional(rule.text, "label"))
            for rule in fields.inners("rules")
        ),
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


def _verdicts(
    fields: _Fields, rules: tuple[RuleLine, ...], person: Person
) -> tuple[GateResult, ...]:
    if "gates" not in fields.content:
        return ()
    return tuple(_verdict(gate, rules, person) for gate in fields.inners("gates"))


def _verdict(fields: _Fields, rules: tuple[RuleLine, ...], person: Person) -> GateResult:
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


@dataclass(frozen=True, slots=True)
class Exact(ExactData):
    """The true measures of a table. NOT PRIVATE: do not show them to whoever may not see the rows.

    They are attributes: `exact.problematic`. `repair` is the number that a release adds noise to:
    the smallest repair where the rules make it easy, else a number between half of it and all of
    it. `repair_linear` is the linear program's value, a multiple of 1/2 between half of the
    smallest repair and the smallest repair. `repair_exact` is the smallest repair,
    `maximal_consistent_log2` the log2 of the number of maximal consistent subsets; each is None
    where it would take too long. `max_degree` is the most conflicts that one row has with others.
    `by_rule` has the repair numbers of each rule alone, if they were asked for. Where `person` has
    columns, all of it is about the rows that a release would keep.
    """

    def __str__(self) -> str:
        from candling.render.text import render_text
        from candling.render.views import view_exact

        return render_text(view_exact(self))

    def _repr_html_(self) -> str:
        from candling.render.html import render_cell
        from candling.render.views import view_exact

        return render_cell(view_exact(self))

    def check(self, gate: str) -> GateResult:
        """Judge a gate such as "repair/rows > 2%" or "zip-city > 0" by the true numbers.

        It costs no epsilon, and is NOT PRIVATE: for the owner's internal checks. `repair` is the
        smallest repair. A gate on one rule needs the numbers `by_rule`.
        """
        return judge_exact(parse_gate(gate, self.rules), self)
