"""A card as text for other programs and places: Markdown, CSV, a pandas frame.

What the terminal shows of cards, plans and exact numbers stands here too, as far as Markdown,
`print` or a notebook show the same.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from candling.errors import UsageError
from candling.escaping import code_for_markdown, for_csv, for_markdown
from candling.measures import MEASURES, Unit
from candling.model.gate import GateResult
from candling.model.grade import LEVEL
from candling.model.number import Number
from candling.present.epsilon import Spending, spending_of
from candling.present.numbers import NOT_PRIVATE, plain
from candling.present.persons import exact_of, guarantee, kind, statements

if TYPE_CHECKING:
    import pandas as pd

    from candling.card import Card
    from candling.measures.measure import ExactWords
    from candling.person import Person
    from candling.releases.plan import Plan, Planned
    from candling.truth import Exact

EXACT_BY_RULE = "Rows to delete for each rule alone"
THRESHOLDS = (
    "A threshold is the number of conflicts in which one row counts at most. The release "
    "chooses it by itself: a small one adds little noise and misses conflicts of rows that have "
    "more, a large one misses few and adds more noise."
)
NUMBER_HEADS = ("value", f"{LEVEL:.0%} interval")  # what stands over the numbers
_SHOWN = 4  # thresholds of a measure in a plan
_SMALLEST = 0.01  # of an error that is shown
ROWS_OF_PERSON = "rows_per_person"  # the line that says how many there are at most
_CSV = ("measure", "rule", "value", "low", "high", "epsilon", "threshold", "kind", "reason")
_NUMBERS = ["value", "low", "high", "epsilon", "threshold"]
_FRAME = (*_NUMBERS, "kind", "reason", "note")


def markdown(card: Card, title: str) -> str:
    """The card for a pull request or a wiki; `title` is Markdown already."""
    grade = card.grade
    words = for_markdown(grade.words)
    graded = words if grade.value is None else f"**Grade {grade.shown}** ({words})"
    lines = [f"### {title}", "", graded, ""]
    rows = [
        (code_for_markdown(name), *map(for_markdown, cells)) for name, *cells in measure_rows(card)
    ]
    lines += _markdown_table(("measure", *NUMBER_HEADS, "what it says"), rows)
    if card.by_rule:
        by_rule = [(code_for_markdown(m.name), *number_cells(m)) for m in card.by_rule]
        heads = ("rows to delete for this rule alone", *NUMBER_HEADS)
        lines += ["", *_markdown_table(heads, by_rule)]
    if "worst_rule" in card.measures:
        rule, how = worst_rule(card.worst_rule)
        lines += ["", f"Worst rule: {code_for_markdown(rule)} ({how})"]
    lines += _markdown_gates(card.gates)
    for paragraph in (budget(card), *statements(card)):
        lines += ["", for_markdown(paragraph)]
    for names, reason in reasons(card):
        lines += ["", f"{code_for_markdown(names)}: {for_markdown(reason)}"]
    return "\n".join(lines) + "\n"


def _markdown_gates(verdicts: Sequence[GateResult]) -> list[str]:
    if not verdicts:
        return []
    judged = [(code_for_markdown(v.gate.text), f"**{v.outcome}**", v.judged_by) for v in verdicts]
    return ["", *_markdown_table(("gate", "outcome", "interval"), judged)]


def _markdown_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield f"| {' | '.join(heads)} |"
    yield f"|{'|'.join('---' for _ in heads)}|"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def as_csv(card: Card) -> str:
    """The grade, the rows of a person and the numbers, one line each."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    grade, person = card.grade, card.person
    cost = float(person.epsilon or 0)
    rows = [
        _CSV,
        ["grade", "", grade.value, grade.low, grade.high, 0.0, None, None, grade.reason],
        [ROWS_OF_PERSON, "", person.most, None, None, cost, None, kind(person), None],
        *(_csv_row(m.name, "", m) for m in card),
        *(_csv_row("by_rule", m.name, m) for m in card.by_rule),
    ]
    table.writerows([for_csv(cell) for cell in row] for row in rows)
    return out.getvalue()


def _csv_row(name: str, rule: str, measure: Number) -> list[Any]:
    low, high = measure.interval()
    epsilon = None if measure.epsilon is None else float(measure.epsilon)
    extra = measure.threshold, measure.kind
    return [name, rule, measure.value, low, high, epsilon, *extra, measure.reason]


def as_frame(card: Card) -> pd.DataFrame:
    """The grade, the rows of a person and the measures, one a line by name, those by rule last."""
    try:
        import pandas as pd
    except ImportError:
        raise UsageError(
            "A frame is made by pandas, which is not installed: pip install pandas", code="U402"
        ) from None
    grade = {**card.grade.to_dict(), "epsilon": 0.0}
    lines = [("grade", grade), (ROWS_OF_PERSON, _frame_person(card.person))]
    lines += [(m.name, _frame_line(None, m)) for m in card]
    lines += [("by_rule", _frame_line(m.name, m)) for m in card.by_rule]
    frame = pd.DataFrame(
        [{name: line.get(name) for name in ("rule", *_FRAME)} for _, line in lines],
        index=pd.Index([name for name, _ in lines], name="measure"),
        columns=["rule", *_FRAME],
    )
    return frame.astype(dict.fromkeys(_NUMBERS, "float64"))


def _frame_person(person: Person) -> dict[str, Any]:
    cost = float(person.epsilon or 0)
    note = guarantee(person)
    return {"value": person.most, "epsilon": cost, "kind": kind(person), "note": note}


def _frame_line(rule: str | None, measure: Number) -> dict[str, Any]:
    """A measure; a value that is a rule stands in the column for rules."""
    content = measure.to_dict()
    if isinstance(measure.value, str):
        rule, content["value"] = measure.value, None
    return {"rule": rule} | content


# What Markdown and the terminal both show


def number_cells(measure: Number) -> tuple[str, str]:
    """The value and its interval."""
    return plain(measure.value), _interval(measure)


def measure_rows(card: Card) -> list[tuple[str, ...]]:
    """Name, numbers and a sentence of each measure that is a number."""
    return [(m.name, *number_cells(m), _sentence(m, card)) for m in card if m.name != "worst_rule"]


def _sentence(measure: Number, card: Card) -> str:
    if measure.value is None:
        return "not released, for the reason below"
    return MEASURES[measure.name].sentence(measure, card)


def threshold_sentence(measure: Number) -> str | None:
    """What the threshold of a measure means, if it has one."""
    threshold = measure.threshold
    if threshold is None or measure.name not in MEASURES:  # a rule has none
        return None
    return MEASURES[measure.name].at_threshold(threshold)


def _interval(measure: Number) -> str:
    low, high = measure.interval()
    if measure.value is None or (low is None and high is None):
        return "-"
    if measure.name == "drastic" and low == high:
        return "beyond noise"
    if stated(measure):
        return "as stated"
    return f"at least {plain(low)}" if high is None else f"{plain(low)} to {plain(high)}"


def stated(measure: Number) -> bool:
    """Whether a number is public, as its owner stated it."""
    low, high = measure.interval()
    return measure.name == "rows" and low == high and measure.epsilon == 0


def worst_rule(measure: Number) -> tuple[str, str]:
    """The rule, and how it was chosen."""
    if measure.value is None:
        return "-", "not released, for the reason below"
    if measure.epsilon:
        return str(measure.value), f"chosen with noise, epsilon {float(measure.epsilon):.3g}"
    return str(measure.value), "the largest value above"


def reasons(card: Card) -> Iterator[tuple[str, str]]:
    """Why numbers or upper bounds are missing, each reason once, with the names of its measures."""
    for reason in dict.fromkeys(m.reason for m in card if m.reason is not None):
        yield ", ".join(m.name for m in card if m.reason == reason), reason


def budget(card: Card) -> str:
    """What was spent, and what is left if a ledger keeps count."""
    on = spending_of(card).words
    spent = f"Epsilon {float(card.epsilon):g} was spent{on}."
    receipt = card.receipt
    if not card.epsilon:
        spent = "Nothing was spent: no number was computed from the rows."
    if receipt is None:
        return f"{spent} No ledger was given: keep count yourself." if card.epsilon else spent
    left = f"{float(receipt.remaining):g} of {float(receipt.limit):g}"
    if receipt.repeated:
        return (
            f"This is the stored result of request {receipt.request_id}: nothing was spent on it "
            f"now. When it was made, {left} was left of {receipt.payer}."
        )
    return f"{spent} Of {receipt.payer}, {left} is left. Request {receipt.request_id}."


# Exact numbers


def exact_rows(numbers: Exact) -> list[tuple[str, str, str]]:
    """Every exact number with its value and what it means."""
    words = {name: words for m in MEASURES.values() for name, words in m.exact_words.items()}
    return [
        (name, _exact_value(value), _exact_meaning(words[name], value, numbers.rows))
        for name, value in numbers.to_dict().items()
        if name in words
    ]


def exact_rule_rows(numbers: Exact) -> list[tuple[str, str]]:
    """Rows to delete for each rule alone, and the rule; where only bounds are known, both."""
    return [(_exact_repair(rule), rule.rule) for rule in numbers.by_rule]


def exact_csv(numbers: Exact) -> str:
    """The exact numbers, one line each, those of single rules last."""
    out = io.StringIO()
    table = csv.writer(out, lineterminator="\n")
    values = [item for item in numbers.to_dict().items() if item[0] not in ("by_rule", "person")]
    if numbers.person.columns:
        values.insert(0, (ROWS_OF_PERSON, numbers.person.rows))
    rows = [
        ("measure", "rule", "value"),
        *((name, "", value) for name, value in values),
        *(("by_rule", rule.rule, rule.repair_exact) for rule in numbers.by_rule),
    ]
    table.writerows([for_csv(cell) for cell in row] for row in rows)
    return out.getvalue()


def exact_markdown(numbers: Exact, verdicts: Sequence[GateResult] = ()) -> str:
    """The exact numbers for a page that only the owner of the table reads."""
    rows = [
        (code_for_markdown(name), value, for_markdown(words))
        for name, value, words in exact_rows(numbers)
    ]
    lines = [f"**{NOT_PRIVATE}**", ""]
    if (kept := exact_of(numbers.person)) is not None:
        lines += [for_markdown(kept), ""]
    lines += _markdown_table(("number", "value", "what it is"), rows)
    if numbers.by_rule:
        by_rule = [(code_for_markdown(rule), rows) for rows, rule in exact_rule_rows(numbers)]
        lines += ["", *_markdown_table(("rows to delete for this rule alone", "value"), by_rule)]
    return "\n".join([*lines, *_markdown_gates(verdicts)]) + "\n"


def _exact_repair(rule: Any) -> str:
    if rule.repair_exact is not None:
        return _exact_value(rule.repair_exact)
    low, high = math.ceil(rule.repair), math.floor(2 * rule.repair_linear)
    return f"{low:,} to {high:,}"


def _exact_value(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.1f}"


def _exact_meaning(words: ExactWords, value: float | None, rows: int) -> str:
    if value is None:
        return words.unknown
    if not value and words.zero is not None:
        return words.zero
    share = f": {value / rows:.1%}" if words.share and rows else ""
    return words.meaning + share


# Plans


def plan_head(plan: Plan) -> str:
    """The epsilon of a plan, what it pays for, and whose rows it protects."""
    return f"{plan_epsilon(plan)} {guarantee(plan.person)}"


def plan_epsilon(plan: Plan) -> str:
    """The epsilon of a plan, and what it pays for."""
    return f"Epsilon {float(plan.epsilon):g}{_planned_spending(plan).words}."


def plan_rows(plan: Plan) -> list[tuple[str, str]]:
    """Each measure, and how far off it will be."""
    return [(planned.name, _error(planned)) for planned in plan.measures.values()]


def has_thresholds(plan: Plan) -> bool:
    """Whether a measure of the plan has thresholds, which need a sentence."""
    return any(planned.by_threshold for planned in plan.measures.values())


def _planned_spending(plan: Plan) -> Spending:
    parts = ((p.name, p.epsilon) for p in plan.measures.values())
    return Spending.of(plan.epsilon, parts, plan.person.epsilon)


def _error(planned: Planned) -> str:
    """How far off a number will be."""
    if planned.reason is not None:
        return f"not released: {planned.reason}"
    if planned.error is not None:
        each = ", each rule" if MEASURES[planned.name].unit is Unit.BY_RULE else ""
        return f"off by {_about(planned.error)} on average{each}"
    if not planned.by_threshold:
        return MEASURES[planned.name].without_error or ""
    thresholds = list(planned.by_threshold)
    first, *others = thresholds[:: max(1, round(len(thresholds) / _SHOWN))][:_SHOWN]
    noise = {t: _about(error) for t, error in planned.by_threshold.items()}
    rest = "".join(f", {noise[t]} at {t:,}" for t in others)
    return f"noise of {noise[first]} on average at threshold {first:,}{rest}"


def _about(error: float) -> str:
    """An error in plain digits: two of them, or whole numbers of up to three."""
    if error < _SMALLEST:
        return f"less than {_SMALLEST}"
    return f"{float(f'{error:.3g}'):,.0f}" if error >= 9.95 else f"{error:.2g}"
