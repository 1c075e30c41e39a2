"""The card as users hold it, the one reader of its JSON, and the exact numbers.

The JSON of a card is described in docs/card.schema.json. `Card.from_dict` takes what `Card.to_dict`
gives, and refuses everything else with one UsageError that names the field that is wrong.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields as dataclass_fields
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar, get_type_hints

from candling.errors import UsageError
from candling.escaping import quote_path
from candling.gates import judge, judge_exact, parse_gate
from candling.measures import BY_RULE, MEASURES, SAMPLE, Asked, find_draws
from candling.measures.released import Released, show_grade, show_measures, show_rules
from candling.model.card import SCHEMA, About, CardData
from candling.model.gate import GateResult
from candling.model.noisy import SMALLEST, NoiseDraw, Noisy
from candling.model.number import Number, exact
from candling.model.person import Person
from candling.model.receipt import UNITS, Receipt
from candling.model.relations import RuleFacts
from candling.model.results import ExactData
from candling.model.worlds import Evidence
from candling.privacy import LAWS, LEVELS, Drawn, Noise
from candling.records import dataclass
from candling.rules import RuleLine
from candling.rules.compile import join_types
from candling.system.files import UnreadableError, read_text

if TYPE_CHECKING:
    import pandas as pd

_LARGEST = 10**300  # of a number, so that all arithmetic on it stays finite
_LARGEST_DRAWN = 10**40  # of a noisy value
_FRACTION = re.compile(r"[1-9][0-9]{0,9}(/[1-9][0-9]{0,9})?")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Card(CardData):
    """The numbers of one release, by name, and as attributes: `card.repair.value`."""

    def __str__(self) -> str:
        from candling.render.text import render_text
        from candling.render.views import view_card

        return render_text(view_card(self))

    @classmethod
    def of(cls, released: Released, epsilon: Fraction, about: About) -> Card:
        """The card of what was drawn. Nothing private comes here."""
        return cls(
            epsilon,
            released.person,
            show_measures(released),
            show_rules(released),
            about=about,
            grade=show_grade(released),
            evidence=released.evidence,
        )

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
        """The card in a file that `candling release` wrote: its JSON, or its page."""
        from candling.render.html import embedded

        name = os.fspath(path)
        try:
            text = read_text(path)
            if text.lstrip().startswith("<"):
                text = embedded(text) or ""
            return _card(json.loads(text))
        except (UnreadableError, ValueError, RecursionError) as error:
            why = f": {error}" if isinstance(error, _Flaw | UnreadableError) else ""
            raise UsageError(
                f"{quote_path(name)} is not a card, neither the JSON of a release nor its "
                f"page{why}.",
                code="U106",
            ) from None

    def check(self, gate: str) -> GateResult:
        """What a gate such as "repair/rows > 2%" says of this card; it costs no epsilon.

        The result is true only if the gate passes; its `outcome` is "pass", "fail" or "cannot
        tell". A rule is named by its label ("zip-city > 0") or by its text in double quotes, on a
        card with `by_rule`.
        """
        return judge(parse_gate(gate, self.about.rules), self)

    def to_html(
        self, path: str | os.PathLike[str], *, overwrite: bool = False, title: str | None = None
    ) -> None:
        """Write the card as a page: one file, no script, nothing from elsewhere.

        An existing file is left alone unless `overwrite`: it may be the only copy of an older card.
        `title` names the table at the top. Leave it out for a card of a ledger, which shows the
        name of its dataset.
        """
        from candling.render.html import render_page, write_page
        from candling.render.views import view_card

        if title is not None and self.dataset:
            raise UsageError(
                f"The page shows the dataset of the ledger, {self.dataset!r}: leave out `title`.",
                code="U218",
            )
        write_page(path, render_page(view_card(self, title)), overwrite=overwrite)

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

    def scalar(self, name: str) -> float | str:
        value: float | str = self._of(name, int | float | str, "a number or a text")
        return value

    def true_or_false(self, name: str) -> bool:
        return bool(self._of(name, bool, "true or false"))

    def texts(self, name: str) -> tuple[str, ...]:
        listed = self._of(name, list, "a list")
        if not all(isinstance(item, str) for item in listed):
            self.wrong(name, "is not a list of texts")
        return tuple(listed)

    def wholes(self, name: str) -> tuple[int, ...]:
        listed = self._of(name, list, "a list")
        if not all(type(item) is int and 0 <= item <= _LARGEST for item in listed):
            self.wrong(name, "is not a list of whole numbers")
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
    epsilon = fields.number("epsilon")
    if epsilon < 0:
        fields.wrong("epsilon", "is negative")
    about = _about(fields.inner("about"))
    released = _released(fields, about, _person(fields.inner("person"), epsilon))
    costs = [draw.epsilon for draw in released.evidence.draws]
    costs += [cost for _, cost in released.chosen.values()]
    costs += [released.person.epsilon] if released.person.epsilon else []
    if any(cost <= 0 for cost in costs) or not math.isclose(sum(costs), epsilon):
        fields.wrong("epsilon", "is not what the draws cost")
    card = Card.of(released, exact(epsilon), about)
    card = replace(
        card,
        measures={name: _with_words(fields.inner(name), number)
                  for name, number in card.measures.items()},
        by_rule=tuple(map(_with_words, fields.inners("by_rule"), card.by_rule))
        if card.by_rule else (),
        receipt=_receipt(fields.inner("receipt")) if "receipt" in fields.content else None,
        signature=_signature(fields.inner("signature")) if "signature" in fields.content else None,
    )  # fmt: skip
    if "gates" in fields.content:
        card = replace(card, gates=tuple(_verdict(gate, card) for gate in fields.inners("gates")))
    # All numbers follow from the draws: a card that says something else is not one.
    written = card.to_dict()
    for name in {**fields.content, **written}:
        if name not in written:
            fields.wrong(name, "is a field that candling does not write")
        if name not in fields.content or not _is_same(written[name], fields.content[name]):
            fields.wrong(name, "does not follow from the draws in noise, or has other fields")
    return card


def _is_same(one: Any, two: Any) -> bool:
    """Whether two JSON values are equal; 1 and 1.0 are, 1 and true are not."""
    if isinstance(one, Mapping) and isinstance(two, Mapping):
        return one.keys() == two.keys() and all(_is_same(one[name], two[name]) for name in one)
    if isinstance(one, list) and isinstance(two, list):
        return len(one) == len(two) and all(map(_is_same, one, two))
    return isinstance(one, bool) == isinstance(two, bool) and bool(one == two)


def _released(fields: _Fields, about: About, person: Person) -> Released:
    """What was asked for and drawn, from which all numbers follow."""
    refused, chosen = {}, {}
    for name in about.measures:
        if name not in MEASURES:
            raise _Flaw(f"about.measures has {name!r}, which is not a measure")
        if name == BY_RULE.name and isinstance(fields.content.get(name), list):
            continue
        number = fields.inner(name)
        if number.optional(number.scalar, "estimate") is None:
            refused[name] = number.text("reason")
        elif MEASURES[name].chooses and number.content.get("epsilon"):
            chosen[name] = number.text("value"), exact(number.number("epsilon"))
    if not about.measures:
        raise _Flaw("it has no measure")
    texts = join_types(about.rules)
    asked = Asked(
        about.measures, about.public_rows, about.max_rows, refused, len(texts),
        about.rule_facts, bool(person.columns),
    )  # fmt: skip
    draws = _draws(fields.inner("noise")) if "noise" in fields.content else ()
    together, apart = find_draws(asked)
    drawn = [(name, len(own)) for draw in draws for name, own in draw.numbers.items()]
    counts = {BY_RULE.name: len(texts)}
    if sorted(drawn) != sorted((n, counts.get(n, 1)) for n in (*together, *apart)):
        raise _Flaw("noise.draws does not have what the measures were made from")
    evidence = Evidence(
        about.rule_facts, draws, about.public_rows, about.max_rows, bool(person.columns)
    )
    return Released(asked, evidence, texts, person, chosen)


def _with_words(fields: _Fields, number: Number) -> Number:
    """A number with the words that it was written with: they are no part of what was drawn."""
    reason = number.reason if number.reason is None else fields.text("reason")
    return replace(number, note=fields.text("note"), reason=reason)


def _draws(fields: _Fields) -> tuple[NoiseDraw, ...]:
    """The noisy values with their noise laws."""
    return tuple(
        NoiseDraw(
            exact(draw.number("epsilon")),
            {
                name: tuple(_noisy(own, name) for own in draw.inner("numbers").inners(name))
                for name in draw.inner("numbers").content
            },
        )
        for draw in fields.inners("draws")
    )


def _noisy(fields: _Fields, name: str) -> Noisy:
    threshold, level = fields.whole("threshold"), fields.whole("level")
    value, kind = fields.integer("value"), fields.text("kind")
    if name not in {*MEASURES, *SAMPLE}:
        raise _Flaw(f"noise.draws has {name!r}, which is not a measure")
    if not (1 <= threshold < 2**LEVELS and level < LEVELS and abs(value) <= _LARGEST_DRAWN):
        fields.wrong("value", "or its threshold is out of range")
    if kind not in SMALLEST:
        fields.wrong("kind", f"is not {' or '.join(SMALLEST)}")
    drawn = Drawn(level, value, _fraction(fields, "step"), _law(fields.inner("law")))
    return Noisy(drawn, threshold, kind)


def _law(fields: _Fields) -> Noise:
    name = fields.text("name")
    if name not in LAWS:
        fields.wrong("name", f"is not {', '.join(LAWS)}")
    law = LAWS[name]
    read: Mapping[Any, Callable[[str], Any]] = {
        bool: fields.true_or_false,
        int: fields.whole,
        float: fields.number,
        str: fields.text,
        tuple[int, ...]: fields.wholes,
    }
    types = get_type_hints(law)
    values = [read[types[field.name]](field.name) for field in dataclass_fields(law)]
    try:
        noise: Noise = law(*values)
    except ValueError:
        fields.wrong("name", "or another field is out of range")
    return noise


def _fraction(fields: _Fields, name: str) -> Fraction:
    match = _FRACTION.fullmatch(fields.text(name))
    if match is None:
        fields.wrong(name, "is not a fraction")
    return Fraction(match[0])


def _person(fields: _Fields, epsilon: float) -> Person:
    columns, rows = fields.texts("columns"), fields.optional(fields.whole, "rows")
    cost = fields.absent(fields.number, "epsilon")
    unused = fields.absent(fields.texts, "unused") or ()
    if rows is None and not (columns and "epsilon" not in fields.content):
        fields.wrong("rows", "is missing")
    if rows is not None and rows < 1:
        fields.wrong("rows", "is out of range")
    if cost is not None and not (columns and 0 < cost <= epsilon):
        fields.wrong("epsilon", "is out of range" if columns else "is for a person without columns")
    if unused and columns:
        fields.wrong("unused", "is there, and so are columns")
    return Person(columns, rows, None if cost is None else exact(cost), unused)


def _about(fields: _Fields) -> About:
    return About(
        fields.text("candling"),
        fields.text("time"),
        fields.texts("measures"),
        fields.optional(fields.whole, "public_rows"),
        fields.optional(fields.whole, "max_rows"),
        tuple(
            RuleLine(
                rule.text("text"),
                rule.text("rule"),
                rule.optional(rule.text, "label"),
                rule.true_or_false("states_type"),
            )
            for rule in fields.inners("rules")
        ),
        _rule_facts(fields.inner("rule_facts")),
    )


def _rule_facts(fields: _Fields) -> RuleFacts:
    rows, pairs = fields.true_or_false("rows"), fields.true_or_false("pairs")
    keys = fields.optional(fields.whole, "keys")
    if keys is not None and not (pairs and keys):
        fields.wrong("keys", "are no rules on pairs")
    return RuleFacts(rows, pairs, keys)


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


def _verdict(fields: _Fields, card: Card) -> GateResult:
    """A gate, judged again."""
    try:
        return judge(parse_gate(fields.text("gate"), card.about.rules), card)
    except UsageError:
        fields.wrong("gate", "cannot be read")


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
