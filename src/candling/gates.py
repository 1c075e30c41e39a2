"""Gates: conditions on a table's numbers at which a pipeline should stop.

A gate is `NUMBER [/ rows] COMPARISON LIMIT`, as in "grade < 95%", "repair/rows > 2%" or
"zip-city > 0": the number is the grade, a measure, or the repair number of one rule, named by its
label or, in double quotes, by its text. There are three answers: a gate fails if the condition
holds for sure, passes if it does not hold for sure, and cannot tell otherwise.

Of a release only the possible tables are known. A gate fails if its condition holds in all of them,
passes if it holds in none, and cannot decide otherwise. It reads the possible tables of the card,
at 95%, and nothing else: a stored card is judged as the fresh one was, and it costs no budget.
Exact numbers are points, so a gate on them always decides, unless a number could not be computed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from candling.errors import CandlingError, UsageError, nearest
from candling.measures import BY_RULE, MEASURES, ROWS, Measure
from candling.model.card import CardData
from candling.model.gate import GRADE, Gate, GateResult, Outcome
from candling.model.noisy import Key
from candling.model.number import LEVEL
from candling.model.results import ExactData
from candling.privacy.budget import DIGITS
from candling.rules import Op, RuleLine, parse_constraints
from candling.rules.diagnose import Mistake, unquote

_OPS = {">": Op.GT, ">=": Op.GE, "≥": Op.GE, "<": Op.LT, "<=": Op.LE, "≤": Op.LE}
_NUMBER = r"\d{1,3}(?:[,_]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
_QUOTED = r'(?:U&)?"(?:[^"]|"")*"'
_TOKEN = re.compile(
    rf"\s*(?:(?P<name>(?!U&\")[^\W\d]\w*(?:[.-]\w+)*)|(?P<number>{_NUMBER})"
    rf"|(?P<op>[<>]=?|[≤≥]|[=!]=?)|(?P<quoted>{_QUOTED})"
    r"|(?P<sign>[/%])|(?P<end>$)|(?P<other>\S))"
)
_MOST_NAMES = 12  # that a message lists
EXACT_ONLY = tuple(
    name for m in MEASURES.values() for name in m.exact_words if name not in MEASURES
)
EXAMPLE = "Write it as 'grade < 95%', 'repair/rows > 2%', 'rows < 10,000' or 'zip-city > 0'."


# Reading


def parse_gate(text: str, rules: Iterable[RuleLine] = ()) -> Gate:
    """The gate that `text` writes down; raises UsageError with a caret under what is wrong.

    `rules` are the rules that it may name, as a card writes them.
    """
    if not isinstance(text, str):
        raise UsageError(f"A gate is a text. {EXAMPLE}", code="U302")
    tokens = _Tokens(text)
    measure, rule = _subject(tokens, tuple(rules))
    per_row = tokens.take_if("sign", "/")
    if per_row:
        if tokens.take("name", "only `/ rows` can come after a measure") != ROWS.name:
            raise tokens.wrong("a measure is divided by `rows` only")
        if measure == GRADE:
            raise tokens.wrong("`grade` is a share of the rows already")
        if not _divisible(measure):
            raise tokens.wrong(f"`{measure}` is not a row count, so it cannot be divided by rows")
    op = tokens.take("op", "expected one of > >= < <=")
    if op not in _OPS:
        raise tokens.wrong("noisy numbers are never exactly equal: use > >= < <=")
    digits = tokens.take("number", "expected a number, such as 2%, 0.5 or 10,000")
    if len(digits) > DIGITS:
        raise tokens.wrong(f"a number has up to {DIGITS} digits")
    number = Fraction(re.sub("[,_]", "", digits))
    percent_sign = tokens.take_if("sign", "%")
    if percent_sign:
        if not per_row and measure != GRADE:
            raise tokens.wrong(f"a percentage of what? Write {tokens.first}/rows")
        number /= 100
    tokens.take("end", "expected the end of the gate")
    if number > 1 and (measure == GRADE or (per_row and _never_above_all(measure))):
        meant = "" if percent_sign else f"; did you mean {digits}%?"
        shown = GRADE if measure == GRADE else f"{tokens.first}/rows"
        raise tokens.wrong(f"`{shown}` is never above 100%{meant}")
    return Gate(
        " ".join(text.split()),
        measure,
        per_row,
        _OPS[op],
        number,
        rule,
        subject=f"{tokens.first}/{ROWS.name}" if per_row else tokens.first,
        limit=f"{digits}%" if percent_sign else digits,
    )


def _divisible(measure: str) -> bool:
    return measure in MEASURES and MEASURES[measure].per_row


def _never_above_all(measure: str) -> bool:
    return MEASURES[measure].most_per_row == 1


def _subject(tokens: _Tokens, rules: tuple[RuleLine, ...]) -> tuple[str, str | None]:
    """What a gate compares: the grade, a measure, an exact number, or `by_rule` and a rule."""
    if tokens.kind == "quoted":
        try:
            name = unquote(tokens.take("quoted", ""))
        except Mistake as mistake:
            raise tokens.wrong(str(mistake)) from None
        return BY_RULE.name, _find_rule(tokens, _one_line(name), rules)
    name = tokens.take("name", "expected the name of a measure or a rule")
    if name == GRADE or name in EXACT_ONLY or (name in MEASURES and MEASURES[name].can_gate):
        return name, None
    return BY_RULE.name, _find_rule(tokens, name, rules)


def _find_rule(tokens: _Tokens, name: str, rules: tuple[RuleLine, ...]) -> str:
    """The rule with a label or a text; raises if there is none, or if there are two."""
    named = [
        line
        for line in rules
        if name in (_one_line(line.label or ""), _one_line(line.rule), _one_line(line.text))
    ]
    if not named:
        canonical = _canonical(name)
        named = [line for line in rules if line.rule == canonical]
    if len(named) == 1:
        return named[0].text
    if named:
        raise tokens.wrong(f"two rules are called `{name}`: put the text of one in double quotes")
    known = [line.label for line in rules if line.label is not None]
    parts = [label for label in known if label.startswith(f"{name}.")]
    if parts:
        raise tokens.wrong(f"`{name}` is several rules: name one of {_list_names(parts)}")
    numbers = [GRADE, *(m.name for m in MEASURES.values() if m.can_gate)]
    near = nearest(name, [*numbers, *known, *(line.rule for line in rules)])
    hint = f"did you mean `{near}`?" if near else f"known are {_list_names([*numbers, *known])}"
    what = "number or rule" if rules else "number"
    raise tokens.wrong(f"unknown {what} `{name}`; {hint}")


def _canonical(text: str) -> str | None:
    """A rule in the one form in which cards write it; None if it is none."""
    try:
        (rule,) = parse_constraints(text)
    except (CandlingError, ValueError):
        return None
    return str(replace(rule.canonical, label=None))


def _list_names(names: list[str]) -> str:
    more = f" and {len(names) - _MOST_NAMES:,} more" if len(names) > _MOST_NAMES else ""
    return ", ".join(names[:_MOST_NAMES]) + more


def _one_line(name: str) -> str:
    return " ".join(name.split())


def check_gates(
    gates: Iterable[Gate],
    measures: Collection[str],
    refused: Mapping[str, str],
    *,
    persons: bool = False,
) -> None:
    """Raise UsageError if a gate needs what the release will not have; reads no data.

    `measures` are the names that are asked for, `refused` says why the rules do not allow some.
    """
    for gate in gates:
        if persons and gate.per_row and gate.measure != _measure_of_grade().name:
            raise _unknown_name_error(
                gate,
                "a share of the rows, and with `person` the grade is the only one. Write "
                "'grade < 95%' or 'repair/rows > 5%'.",
            )
        for name in _find_needs(gate):
            if name in EXACT_ONLY:
                raise _unknown_name_error(
                    gate, f"`{name}`, which is known to `candling exact` only."
                )
            if name not in measures:
                wanted = f"`{name}`, which is not released here. Add it to the measures."
                raise _unknown_name_error(gate, wanted)
            if name in refused:
                raise _unknown_name_error(
                    gate, f"`{name}`, which these rules do not allow. {refused[name]}"
                )


def warn_of_gates(gates: Iterable[Gate]) -> list[str]:
    """What a gate on a count cannot say, where counts are known from below only: of persons."""
    warnings = []
    for gate in gates:
        if gate.share or MEASURES[gate.measure].of_sample:
            continue
        can, never = ("fail", "pass") if gate.op in (Op.GT, Op.GE) else ("pass", "fail")
        warnings.append(
            f"The gate '{gate.text}' can {can} but never {never}, because counts have no upper "
            "bound with --person. A gate on the grade can do both."
        )
    return warnings


def _find_needs(gate: Gate) -> tuple[str, ...]:
    """The measures that a release must have for a gate."""
    measure = _measure_of_grade().name if gate.measure == GRADE else gate.measure
    return (measure, ROWS.name) if gate.share else (measure,)


def _measure_of_grade() -> Measure:
    return next(measure for measure in MEASURES.values() if measure.makes_grade)


def _unknown_name_error(gate: Gate, what: str) -> UsageError:
    return UsageError(f"The gate '{gate.text}' needs {what}", code="U303")


# Judging


def judge(gate: Gate, card: CardData) -> GateResult:
    """What a gate says of a card. In 95 of 100 releases or more all gates are right at once."""
    person, of_sample = card.person, gate.share or MEASURES[gate.measure].of_sample
    sample = person.rows if person.columns and of_sample else None
    return _judge_interval(gate, *_interval(gate, card), LEVEL, sample)


def judge_exact(gate: Gate, numbers: ExactData) -> GateResult:
    """What a gate says of exact numbers; `repair` is the smallest repair. NOT PRIVATE."""
    low, high = _bounds(gate, numbers)
    if gate.share:
        rows = numbers.rows or 1  # an empty table has nothing to delete
        low, high = low / rows, None if high is None else high / rows
    if gate.measure == GRADE:
        low, high = 1 - min(low if high is None else high, Fraction(1)), 1 - low
    sample = numbers.person.rows if numbers.person.columns else None
    return _judge_interval(gate, low, high, 1.0, sample)


def summary(verdicts: Iterable[GateResult]) -> Outcome:
    """Of several gates: fail if any does, else cannot tell if any cannot, else pass."""
    outcomes = {verdict.outcome for verdict in verdicts}
    for outcome in (Outcome.FAIL, Outcome.CANNOT_TELL):
        if outcome in outcomes:
            return outcome
    return Outcome.PASS


def _judge_interval(
    gate: Gate, low: Fraction, high: Fraction | None, level: float, sample: int | None
) -> GateResult:
    holds = gate.op.compare
    upwards = gate.op in (Op.GT, Op.GE)
    # The end at which the condition holds last if it holds everywhere, and the other one.
    last, first = (low, high) if upwards else (high, low)
    if _holds(holds, last, gate.number, unbounded=False):
        outcome = Outcome.FAIL
    elif not _holds(holds, first, gate.number, unbounded=upwards):
        outcome = Outcome.PASS
    else:
        outcome = Outcome.CANNOT_TELL
    return GateResult(gate, outcome, low, high, level, sample)


def _interval(gate: Gate, card: CardData) -> tuple[Fraction, Fraction | None]:
    """What is possible of the true value; no high end: no upper bound."""
    worlds = card.worlds()
    if gate.measure == GRADE or (gate.per_row and gate.measure == _measure_of_grade().name):
        if card.grade.reason is not None:
            raise UsageError(f"The gate '{gate.text}': {card.grade}", code="U303")
        low, high = worlds.grade
        return (low, high) if gate.measure == GRADE else (1 - high, 1 - low)
    key: Key | None = gate.measure
    if gate.measure == BY_RULE.name:
        places = {rule.name: place for place, rule in enumerate(card.by_rule)}
        key = places.get(gate.rule or "")
    elif gate.measure not in card.measures or card.measures[gate.measure].refused:
        key = None
    if key is None or (gate.per_row and ROWS.name not in card.measures):
        names = " and ".join(f"`{name}`" for name in _find_needs(gate))
        raise _unknown_name_error(gate, f"{names}, and the card does not have them.")
    if gate.per_row:
        return worlds.per_row(key)
    reading = worlds.read(key)
    return Fraction(reading.low), None if reading.high is None else Fraction(reading.high)


def _bounds(gate: Gate, numbers: ExactData) -> tuple[Fraction, Fraction | None]:
    """What is known of the number that a gate compares, before it is divided by the rows."""
    if gate.measure == BY_RULE.name:
        rule = next((rule for rule in numbers.by_rule if rule.rule == gate.rule), None)
        if rule is None:
            raise _unknown_name_error(
                gate, "the number of each rule, which was not computed: ask for it by --by-rule "
                "(in Python: by_rule=True)."
            )  # fmt: skip
        return rule.smallest
    if gate.measure in EXACT_ONLY:
        value = numbers.values.get(gate.measure)
        return (Fraction(0), None) if value is None else (Fraction(value), Fraction(value))
    measure = _measure_of_grade() if gate.measure == GRADE else MEASURES[gate.measure]
    return measure.find_exact_bounds(numbers.values)


def _holds(compare: Any, end: Fraction | None, number: Fraction, *, unbounded: bool) -> bool:
    """Whether the condition holds at an end of the interval; `unbounded`: at infinity."""
    return unbounded if end is None else bool(compare(end, number))


class _Tokens:
    """The words of a gate, taken one by one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._left: Iterator[re.Match[str]] = _TOKEN.finditer(text)
        self._next = next(self._left)
        self._at = self._next.start(str(self._next.lastgroup))
        self.first = self._next[0].strip()  # as it is written

    @property
    def kind(self) -> str | None:
        """The kind of the next word."""
        return self._next.lastgroup

    def take(self, kind: str, complaint: str) -> str:
        """The next word, which must be of a kind."""
        token = self._next
        self._at = token.start(str(token.lastgroup))
        if token.lastgroup != kind:
            raise self.wrong(complaint)
        if kind != "end":
            self._next = next(self._left)
        return token[kind]

    def take_if(self, kind: str, wanted: str) -> bool:
        """Whether the next word is this one; it is taken then."""
        token = self._next
        if token.lastgroup != kind or token[kind] != wanted:
            return False
        self.take(kind, "")
        return True

    def wrong(self, complaint: str) -> UsageError:
        """The error for the word that was looked at last."""
        shown = "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in self.text)
        stop = "" if complaint.endswith("?") else "."
        place = f"    {shown}\n    {' ' * self._at}^"
        return UsageError(
            f"The gate cannot be read: {complaint}{stop}\n{place}\n{EXAMPLE}", code="U302"
        )
