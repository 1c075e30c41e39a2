"""The view of a plan."""

from __future__ import annotations

from candling.measures import MEASURES, Unit
from candling.model.plan import PlanData, Planned
from candling.render.epsilon import planned_spending
from candling.render.persons import guarantee
from candling.render.view import Block, Paragraph, Section, Table, View

_THRESHOLDS = (
    "A threshold is the number of conflicts in which one row counts at most. The release "
    "chooses it by itself: a small one adds little noise and misses conflicts of rows that have "
    "more, a large one misses few and adds more noise."
)
_SHOWN = 4  # thresholds of a measure
_SMALLEST = 0.01  # of an error that is shown


def view_plan(plan: PlanData) -> View:
    """What epsilon pays for, whose rows it protects, and how noisy each number will be."""
    spending = planned_spending(plan)
    head = f"Epsilon {float(plan.epsilon):g}{spending.words}. {guarantee(plan.person)}"
    blocks: list[Block] = [Paragraph(head), _measures(plan)]
    if any(planned.by_threshold for planned in plan.measures.values()):
        blocks.append(Paragraph(_THRESHOLDS))
    return View([Section("plan", "Plan", blocks)], "Plan of a release")


def _measures(plan: PlanData) -> Table:
    rows = [(planned.name, _error(planned)) for planned in plan.measures.values()]
    return Table(("measure", "how noisy"), rows, fills=1, heads_in_text=False)


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
