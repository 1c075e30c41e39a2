"""Every number that the paper prints beside what was measured, and whether the two agree."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from candling_paper.experiments.experiment import Comparison
from candling_paper.experiments.published_values import Printed
from candling_paper.experiments.setup import FULL, Setup
from candling_paper.experiments.store import Row
from candling_paper.experiments.tables import Estimate, shown, to_csv, to_markdown

STEM = "published_against_measured"
RUNS = 10  # over which the paper averages; a printed spread is taken for one of these runs
AGREES, OPEN, NOT_MEASURED = "agrees", "open", "not measured"
NOISY = "too noisy to tell"
_TITLES: Mapping[str, str] = {
    "as_coded": "as coded",
    "as_printed": "as printed, again",
    "made_private": "made private",
    "ours": "ours",
    "ours_one_draw": "ours, one draw",
    "fact": "fact",
}
_REPEATED = ("as_coded", "as_printed", "fact")  # what a printed number is held against
_INTRODUCTION = """\
# Published against measured

Made by `candling reproduce` ({mode} mode); see [the page about the paper]({page}).

- **as coded**: what the authors' public code does, which is not private and spends 1.4 epsilon
  where it chooses a threshold; of R2T, its public code.
- **as printed, again**: the algorithms as the paper prints them, which are not private either. R2T
  races over powers of two.
- **made private**: the same but for what privacy at an epsilon of 1 needs, such as sensitivities
  that hold and a public bound instead of the number of rows.
- **ours**: `candling.release` of this measure alone, at an epsilon of 1.
- **ours, one draw**: the same measure's number in a release of all measures, for a total
  epsilon of 1.
- **fact**: a number that is about the data or an example, not an estimate.

Errors are relative. Those of `repair` are measured against twice the linear program's value for the
first three, as in the paper, and against the smallest repair for ours. Behind ± stands the standard
error: of the means of the samples where there are several, else (marked *d*) of the draws alone,
which leaves out the choice of rows. Draws as coded share a bound and a few orders of rows on each
table, as in the authors' code, so for them *d* is too small. A blank was not measured in this mode.

The last column holds the printed number against the first two columns, or against the fact. It
says that they agree if they differ by no more than two standard errors, of ours and, where the
paper prints a spread, of that (taken for the standard deviation of {runs} runs), and half a unit of
the last printed digit; a fact may differ by one unit. Where two standard errors are more than a
third of the printed number, an agreement would mean nothing: *too noisy to tell*. Otherwise it
names an explanation from the [list below](#explanations), each of which was tried, or says *open*.

{data}

{counts}
"""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why printed numbers differ from ours, what was tried to find out, and which numbers."""

    why: str
    numbers: tuple[str, ...]  # patterns for `what`


EXPLANATIONS: Mapping[str, Explanation] = {
    "second-choice": Explanation(
        "The example chooses the second threshold among those strictly below the first; Algorithm "
        "4 keeps the first as a candidate. Computed both ways: without it the printed "
        "probabilities come out, with it these.",
        ("* which stays a candidate as in Algorithm 4",),
    ),
    "other-rows": Explanation(
        "The file here does not have the rows of the published one: it is a part of it, a cleaned "
        "form or a stand-in, as the line on the data says, and the paper's samples and their noise "
        "are not published. Tried: several samples, each with its own noise; of Flight also a "
        "second stand-in, which differs from the first by as much as the first from the paper.",
        ("rows, *", "columns, Flight", "largest degree, *", "pairs, Tax, *", "R2T, Flight"),
    ),
    "luck-of-r2t": Explanation(
        "On Stock R2T answers 0 most of the time and thousands in a few draws of a hundred, so a "
        "mean of ten runs says little. Tried: its forms here, on one sample and on several; their "
        "means differ by several times.",
        ("R2T, Stock*", "minimal_inconsistent by R2T, Stock*"),
    ),
    "steps": Explanation(
        "The text does not say over which steps it averages, and the first ones decide: with few "
        "pairs, the noise is larger than the number. Tried: many steps (`fine_steps`), which gives "
        "larger means than few steps do. And the authors' code has one sample of rows, so "
        "that what varies between samples is in a printed number: several times the standard error "
        "of our mean over ten samples.",
        (
            "minimal_inconsistent, *",
            "minimal_inconsistent by R2T, Adult*",
            "minimal_inconsistent by R2T, Flight*",
        ),
    ),
    "another-machine": Explanation(
        "Another machine, and a loop over lists of pairs instead of a graph of dicts; the text "
        "does not always say which measure a time is of. Tried: the plain loop, one compiled pass "
        "over all thresholds, and flows.",
        ("seconds, *",),
    ),
    "strategies": Explanation(
        "The text reads magnitudes off a figure with a logarithmic axis. Ours are those of the "
        "errors averaged over the steps, of both measures. Tried: as printed and made private.",
        ("*orders of magnitude behind the paper's",),
    ),
}


def _combined(printed: Printed, measured: Estimate) -> float:
    """The standard error of the difference between the two numbers."""
    return math.hypot(measured.se or 0.0, (printed.spread or 0.0) / math.sqrt(RUNS))


def agreeing(c: Comparison) -> list[str]:
    """The columns that agree with the printed number."""
    return [
        name for name in _REPEATED if (e := getattr(c, name)) is not None and _agrees(c.printed, e)
    ]


def _agrees(printed: Printed, measured: Estimate) -> bool:
    if measured.se is None and measured.limits is None:
        slack = printed.unit
    else:
        slack = 2 * (_combined(printed, measured) - (measured.se or 0.0)) + printed.unit / 2
    low, high = measured.ends
    slack += 1e-9 * abs(printed.value)
    above = printed.relation != ">=" and low - slack > printed.value
    below = printed.relation != "<=" and high + slack < printed.value
    return not (above or below)


def _noisy(printed: Printed, measured: Estimate) -> bool:
    return printed.relation == "=" and 6 * _combined(printed, measured) > abs(printed.value) > 0


def mark(c: Comparison) -> str:
    """What the last column says: that the numbers agree, the key of an explanation, or `open`."""
    there = [name for name in _REPEATED if getattr(c, name) is not None]
    if not there:
        return NOT_MEASURED
    agree = agreeing(c)
    telling = [name for name in agree if not _noisy(c.printed, getattr(c, name))]
    if agree and not telling:
        return NOISY
    if agree:
        which = "" if len(telling) == len(there) else _bracketed(telling)
        return AGREES + which
    return explained(c.printed.what) or OPEN


def _bracketed(columns: Sequence[str]) -> str:
    return f" ({', '.join(_TITLES[name] for name in columns)})"


def explained(what: str) -> str | None:
    """The key of the explanation for a number, the most particular one; None if there is none."""
    keys = {
        pattern: key
        for key, explanation in EXPLANATIONS.items()
        for pattern in explanation.numbers
        if fnmatchcase(what, pattern)
    }
    return keys[max(keys, key=len)] if keys else None


def as_csv(found: Sequence[tuple[str, Comparison]]) -> str:
    """One row for each printed number."""
    rows: list[Row] = []
    for name, c in found:
        row: Row = {
            "experiment": name,
            "what": c.printed.what,
            "where": c.printed.where,
            "relation": c.printed.relation,
            "printed": float(c.printed.value),
            "printed_spread": c.printed.spread,
        }
        over: dict[str, None] = {}
        for column in _TITLES:
            measured: Estimate | None = getattr(c, column)
            row[column] = None if measured is None else measured.value
            row[f"{column}_se"] = None if measured is None else measured.se
            if measured is not None and measured.over is not None:
                over[measured.over] = None
        rows.append({**row, "se_over": ", ".join(over) or None, "mark": mark(c)})
    return to_csv(rows)


def as_markdown(setup: Setup, found: Sequence[tuple[str, Comparison]]) -> str:
    """The same as a page, by experiment; only columns that hold something."""
    text = _INTRODUCTION.format(
        mode=setup.mode.name,
        # The full results lie one folder deeper, in docs/paper/full.
        page="../../paper.md" if setup.mode.name == FULL.name else "../paper.md",
        data=setup.origins(),
        runs=RUNS,
        counts=_counts([c for _, c in found]),
    )
    for name in dict.fromkeys(name for name, _ in found):
        here = [c for other, c in found if other == name]
        columns = [key for key in _TITLES if any(getattr(c, key) is not None for c in here)]
        titles = ("number", "where", "printed", *(_TITLES[key] for key in columns), "difference")
        text += f"\n## {name}\n\n"
        text += to_markdown(titles, [_line(c, columns) for c in here])
    return text + "\n".join(["", "## Explanations", "", *_explanations(found), ""])


def _counts(found: Sequence[Comparison]) -> str:
    """How many numbers agree, are explained, are open or were not measured."""
    marks = [mark(c) for c in found]
    agree = sum(m.startswith(AGREES) for m in marks)
    explained_marks = sum(m in EXPLANATIONS for m in marks)
    return (
        f"Numbers: {len(marks)}. {agree} agree, {explained_marks} differ for a reason in the list, "
        f"{marks.count(NOISY)} are too noisy to tell, {marks.count(OPEN)} are open, "
        f"{marks.count(NOT_MEASURED)} were not measured."
    )


def _explanations(found: Sequence[tuple[str, Comparison]]) -> Iterator[str]:
    used = {mark(c) for _, c in found}
    for key, explanation in EXPLANATIONS.items():
        if key in used:
            yield f"- **{key}**: {explanation.why}"
    if not used & set(EXPLANATIONS):
        yield "None is needed."


def _line(c: Comparison, columns: Sequence[str]) -> list[str]:
    spread = "" if c.printed.spread is None else f" ± {shown(c.printed.spread, 5)}"
    limit = {"=": "", "<=": "at most ", ">=": "at least "}[c.printed.relation]
    return [
        c.printed.what,
        c.printed.where,
        limit + shown(c.printed.value, 5) + spread,
        *(with_error(getattr(c, key)) for key in columns),
        mark(c),
    ]


def with_error(measured: Estimate | None) -> str:
    """`0.44 ± 0.03`; a *d* where the standard error is of the draws alone."""
    if measured is None:
        return ""
    if not measured.se:
        return shown(measured.value)
    of = " *d*" if measured.over == "draws" else ""
    return f"{shown(measured.value)} ± {shown(measured.se, 2)}{of}"
