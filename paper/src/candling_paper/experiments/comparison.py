"""Every number that the paper prints beside what was measured, and whether the two agree.

A number is an experiment's, an example's or a fact about a dataset. Each is there once, whoever
measured it. A reason for a difference is given only where it was tested and holds: the test is part
of `mark`, and its numbers are columns of the CSV file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace

from candling_paper.experiments.experiment import Comparison
from candling_paper.experiments.published_values import Printed
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Row
from candling_paper.experiments.tables import Estimate, shown, to_csv, to_markdown

STEM = "published_against_measured"
RUNS = 10  # over which the paper averages; a printed spread is taken for one of these runs
FACTOR = 3.0  # by which seconds on two machines may differ
AGREES, OPEN, NOT_MEASURED = "agrees", "open", "not measured"
NOISY = "too noisy to tell"
TITLES: Mapping[str, str] = {
    "as_run": "as run",
    "as_run_one": "as run, one choice",
    "other_rows": "as run, other rows",
    "as_coded": "as coded",
    "as_printed": "as printed",
    "made_private": "made private",
    "ours": "ours",
    "ours_one_draw": "ours, one draw",
    "fact": "fact",
}
# What a printed number is held against.
_REPEATED = ("as_run", "as_run_one", "as_coded", "as_printed", "fact")
KINDS: Mapping[str, str] = {"examples": "example", "datasets": "fact"}  # of the others: experiment
EXPERIMENT_KIND = "experiment"
_INTRODUCTION = """\
# Published against measured

Made by `candling reproduce` ({mode} mode); see [the page about the paper](../paper.md), which says
what each form is. All but *made private* and *ours* are not private.

- **as run**: as the published numbers say that the algorithms were run. *One choice*: `problematic`
  chosen once. *Other rows*: the same where Stock is a look-alike with half the conflicts and
  Hospital the first 10,000 rows of the real table.
- **as coded**: one public version of the authors' code.
- **as printed**: the algorithms as the paper prints them.
- **made private**: with what privacy at an epsilon of 1 needs.
- **ours**: `candling.release` of this measure alone; **one draw**: of all measures, for one
  epsilon.
- **fact**: a number that is about the data or an example, not an estimate.

Errors are relative. Those of `repair` are measured against twice the linear program's value, as in
the paper, and ours against the smallest repair. After ± stands the standard error: of the means of
the samples where there are several, else (marked *d*) of the draws alone. A blank was not measured.

The last column compares the printed number with the forms as run, as coded and as printed, or with
the fact. They agree if they differ by no more than two standard errors, of ours and, where the
paper prints a spread, of that (taken for the standard deviation of {runs} runs), and half a unit of
the last printed digit; a fact may differ by one unit. Where two standard errors are more than a
third of the printed number, an agreement would mean nothing: *too noisy to tell*. Otherwise the
column names a [reason](#reasons) that was tested and holds, or says *open*.

{data}

{counts}
"""

# Each with its test, which `mark` makes on the columns of the same line.
REASONS: Mapping[str, str] = {
    "one-sample": "The authors' code draws one sample of rows, ours are means over several. The "
    "printed number is within two standard deviations of what single samples give (columns "
    "`..._spread`).",
    "other-rows": "The rows are not the authors'. With other rows of the same kind, the number "
    "agrees or is what a single sample gives (column `other_rows`).",
    "another-file": "It counts rows or columns of the authors' file, and the file here is another "
    "(datasets.csv names it).",
    "another-machine": "Seconds on another machine: those of a loop over a graph of dicts, as in "
    f"the authors' code, differ by less than a factor of {FACTOR:g} (column `as_coded`).",
}


def merged(found: Iterable[tuple[str, Comparison]]) -> list[tuple[str, Comparison]]:
    """The same with each printed number once: what several experiments measured in one line.

    It stays where it is first named, and an earlier experiment's column is kept.
    """
    lines: dict[tuple[str, str], tuple[str, Comparison]] = {}
    for name, c in found:
        key = c.printed.what, c.printed.where
        first, known = lines.get(key, (name, c))
        empty = {f.name: getattr(c, f.name) for f in fields(c) if getattr(known, f.name) is None}
        lines[key] = first, replace(known, **empty)
    return list(lines.values())


def kind(experiment: str) -> str:
    """What the printed numbers of an experiment are."""
    return KINDS.get(experiment, EXPERIMENT_KIND)


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
    """What the last column says: that the numbers agree, the key of a reason, or `open`."""
    there = [name for name in _REPEATED if getattr(c, name) is not None]
    if not there:
        return NOT_MEASURED
    agree = agreeing(c)
    telling = [name for name in agree if not _noisy(c.printed, getattr(c, name))]
    if agree and not telling:
        return NOISY
    if agree:
        which = "" if len(telling) == len(there) else f" ({_titles(telling)})"
        return AGREES + which
    return next((key for key, holds in _TESTS.items() if holds(c)), OPEN)


def _titles(columns: Sequence[str]) -> str:
    return "; ".join(TITLES[name] for name in columns)


def _like_one_sample(printed: Printed, measured: Estimate | None) -> bool:
    """Whether a single sample may well give the printed number, and not just any number."""
    if measured is None or measured.spread is None:
        return False
    single = replace(measured, se=math.hypot(measured.spread, measured.se or 0.0))
    return _agrees(printed, single) and not _noisy(printed, single)


def _one_sample(c: Comparison) -> bool:
    return any(_like_one_sample(c.printed, getattr(c, name)) for name in _REPEATED)


def _other_rows(c: Comparison) -> bool:
    other = c.other_rows
    if other is None:
        return False
    agrees = _agrees(c.printed, other) and not _noisy(c.printed, other)
    return agrees or _like_one_sample(c.printed, other)


def _another_machine(c: Comparison) -> bool:
    if not c.printed.what.startswith("seconds") or c.as_coded is None or c.as_coded.value <= 0:
        return False
    return 1 / FACTOR < c.printed.value / c.as_coded.value < FACTOR


_TESTS: Mapping[str, Callable[[Comparison], bool]] = {
    "one-sample": _one_sample,
    "other-rows": _other_rows,
    "another-file": lambda c: c.printed.another_file,
    "another-machine": _another_machine,
}


def as_csv(found: Sequence[tuple[str, Comparison]]) -> str:
    """One row for each printed number."""
    rows: list[Row] = []
    for name, c in found:
        row: Row = {
            "experiment": name,
            "kind": kind(name),
            "what": c.printed.what,
            "where": c.printed.where,
            "relation": c.printed.relation,
            "printed": float(c.printed.value),
            "printed_spread": c.printed.spread,
        }
        over: dict[str, None] = {}
        for column in TITLES:
            measured: Estimate | None = getattr(c, column)
            row[column] = None if measured is None else measured.value
            row[f"{column}_se"] = None if measured is None else measured.se
            row[f"{column}_spread"] = None if measured is None else measured.spread
            if measured is not None and measured.over is not None:
                over[measured.over] = None
        rows.append({**row, "se_over": ", ".join(over) or None, "mark": mark(c)})
    return to_csv(rows)


def as_markdown(setup: Setup, found: Sequence[tuple[str, Comparison]]) -> str:
    """The same as a page, by experiment; only columns that hold something."""
    text = _INTRODUCTION.format(
        mode=setup.mode.name,
        data=setup.origins(),
        runs=RUNS,
        counts=to_markdown(*counts(found)),
    )
    for name in dict.fromkeys(name for name, _ in found):
        here = [c for other, c in found if other == name]
        columns = [key for key in TITLES if any(getattr(c, key) is not None for c in here)]
        titles = ("number", "where", "printed", *(TITLES[key] for key in columns), "difference")
        text += f"\n## {name}\n\n"
        text += to_markdown(titles, [_line(c, columns) for c in here])
    return text + "\n".join(["", "## Reasons", "", *_reasons(found), ""])


def counts(found: Sequence[tuple[str, Comparison]]) -> tuple[list[str], list[list[str]]]:
    """How many numbers of each kind agree, differ for a reason, and so on: titles and lines."""
    marks = [(kind(name), outcome(mark(c))) for name, c in found]
    lines = []
    for each in (EXPERIMENT_KIND, *KINDS.values()):
        here = [said for of, said in marks if of == each]
        lines.append([f"{each}s", *(str(here.count(said)) for said in OUTCOMES), str(len(here))])
    total = [said for _, said in marks]
    lines.append(["all", *(str(total.count(said)) for said in OUTCOMES), str(len(total))])
    return ["numbers", *OUTCOMES, "in all"], lines


OUTCOMES = ("agree", "differ for a tested reason", NOISY, OPEN, NOT_MEASURED)


def outcome(said: str) -> str:
    """Which of the outcomes a mark is."""
    if said.startswith(AGREES):
        return OUTCOMES[0]
    return OUTCOMES[1] if said in REASONS else said


def _reasons(found: Sequence[tuple[str, Comparison]]) -> Iterator[str]:
    used = {mark(c) for _, c in found}
    for key, why in REASONS.items():
        if key in used:
            yield f"- **{key}**: {why}"
    if not used & set(REASONS):
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
