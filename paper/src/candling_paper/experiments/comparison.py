"""Every number that the paper prints beside what was measured."""

from __future__ import annotations

from collections.abc import Sequence

from candling_paper.experiments.experiment import Comparison
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Row
from candling_paper.experiments.tables import shown, to_csv, to_markdown

STEM = "published_against_measured"
_COLUMNS = ("number", "where", "printed", "run again (not private)", "made private", "ours", "fact")
_INTRODUCTION = """\
# Published against measured

Made by `candling reproduce` ({mode} mode); see [the page about the paper](../paper.md).
`run again` is the published form, which is not private and spends 1.4 epsilon where it chooses a
threshold; `made private` is the same with sensitivities that hold, at an epsilon of 1; `ours` is
what `candling.release` does at an epsilon of 1. Errors are relative. Those of `repair` are measured
against twice the linear program's value for the first two, as in the paper, and against the
smallest repair for ours. `fact` stands where the number is no estimate. A blank was not measured
in this mode.

{data}
"""


def as_csv(found: Sequence[tuple[str, Comparison]]) -> str:
    """One row for each printed number."""
    rows: list[Row] = [
        {
            "experiment": name,
            "what": c.printed.what,
            "where": c.printed.where,
            "printed": float(c.printed.value),
            "printed_spread": c.printed.spread,
            "run_again_not_private": c.published,
            "made_private": c.sound,
            "ours": c.ours,
            "fact": c.exact,
        }
        for name, c in found
    ]
    return to_csv(rows)


def as_markdown(setup: Setup, found: Sequence[tuple[str, Comparison]]) -> str:
    """The same as a page, by experiment."""
    page = _INTRODUCTION.format(mode=setup.mode.name, data=setup.origins())
    for name in dict.fromkeys(name for name, _ in found):
        here = [c for other, c in found if other == name]
        page += f"\n## {name}\n\n"
        page += to_markdown(_COLUMNS, [_line(c) for c in here])
    return page


def _line(c: Comparison) -> list[str]:
    spread = "" if c.printed.spread is None else f" ± {shown(c.printed.spread, 5)}"
    return [
        c.printed.what,
        c.printed.where,
        shown(c.printed.value, 5) + spread,
        *(shown(value) for value in (c.published, c.sound, c.ours, c.exact)),
    ]
