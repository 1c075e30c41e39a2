"""docs/paper.md: its numbers come from the CSV files of docs/paper, never from hand.

The text is `paper.md.jinja`, the claims and their verdicts are `claims.py`. The files of docs/paper
are those of full runs of the experiments (`tools.results`). `make docs-update` writes the page
again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import jinja2

from candling_paper.experiments import FULL, QUICK, Mode
from candling_paper.experiments.comparison import (
    KINDS,
    OUTCOMES,
    REASONS,
    STEM,
    TITLES,
    outcome,
    with_error,
)
from candling_paper.experiments.figures import MEASURES
from candling_paper.experiments.published_values import NAMES, SECONDS_BY_ROWS, SUMMARY
from candling_paper.experiments.rivals import WAYS as RIVALS
from candling_paper.experiments.store import Row, Value
from candling_paper.experiments.tables import (
    Estimate,
    distinct,
    estimate,
    from_csv,
    mean,
    number,
    pooled,
    shown,
    where,
)
from tools.claims import CLAIMS, PLURALS

HERE = Path(__file__).parent
TEMPLATE = HERE / "paper.md.jinja"
ONCE = HERE / "measured_once.json"  # numbers that no run repeats
WAYS: Mapping[str, str] = {
    "as_run": "as run",
    "as_run_one": "as run, one choice",
    "as_coded": "as coded",
    "as_printed": "as printed",
    "made_private": "made private",
    "ours": "ours",
    "ours_one_draw": "ours, one draw",
    "r2t_as_run": "R2T as run",
    "r2t_as_coded": "R2T as coded",
    "r2t_as_printed": "R2T as printed",
    "r2t_made_private": "R2T made private",
    "sql_counts": "one COUNT for each rule",
    "node_truncation": "nodes truncated",
    "opt2": "OPT2",
    "distinct": "Knop and Steinke",
}


def page(results: Path) -> str:
    """The page, from the results in this folder."""
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,  # noqa: S701 - Markdown from our own numbers
    )
    template = environment.from_string(TEMPLATE.read_text(encoding="utf-8"))
    return template.render(r=Results(results), summary=SUMMARY, reasons=REASONS)


@dataclass(frozen=True)
class Results:
    """The tables of a folder of results, and what the template asks of them."""

    folder: Path
    again = (
        "as_coded"  # of the re-runs with every way beside it, the one nearest to the published runs
    )

    @cached_property
    def _tables(self) -> dict[str, list[Row]]:
        """The rows of each table, by stem."""
        return {
            path.stem: from_csv(path.read_text(encoding="utf-8"))
            for path in sorted(self.folder.glob("*.csv"))
        }

    def rows(self, stem: str, /, **wanted: Value) -> list[Row]:
        """The rows of a table with these values."""
        return where(self._tables[stem], **wanted)

    def source(self, *stems: str) -> str:
        """The sentence that says where the numbers of a section are."""
        return f"*Numbers: {', '.join(f'[{s}.csv](paper/{s}.csv)' for s in stems)}.*"

    def figure(self, stem: str, words: str) -> str:
        """A picture."""
        return f"![{words}](paper/{stem}.svg)"

    def link(self, path: str) -> str:
        """A file of the repository: a link where it is there, else its name."""
        there = (self.folder.parents[1] / path).is_file()
        return f"[{path}](../{path})" if there else f"`{path}`"

    # ------------------------------------------------------------------------------- numbers

    def has(self, way: str, stem: str = "true_vs_private_rnoise_means") -> bool:
        """Whether a way was measured."""
        return bool(self.rows(stem, method=way))

    def as_run(
        self, dataset: str, measure: str, way: str = "as_run", *, column: str = "error"
    ) -> float:
        """A number of the published runs as we repeat them."""
        (row,) = self.rows("as_run_means", dataset=dataset, measure=measure, method=way)
        return number(row, column)

    def strategy(self, form: str, strategy: str, dataset: str, measure: str) -> float:
        """The error of a strategy in one form; "" is bound and two choices."""
        if form == "as_run":
            return self.as_run(dataset, measure, f"{form}{strategy}")
        (row,) = self.rows(
            "strategies_means", dataset=dataset, measure=measure, method=f"{form}{strategy}"
        )
        return number(row, "error")

    def rival(
        self,
        dataset: str,
        way: str,
        measure: str,
        noise: str = "RNoise",
        column: str = "error",
    ) -> float | None:
        """The mean error of a private way, or the median of its draws."""
        rows = self.rows("rivals_means", dataset=dataset, measure=measure, method=way, noise=noise)
        return mean(rows, column)

    def rival_ratio(
        self, over: str, under: str, measure: str, noise: str, column: str = "error"
    ) -> list[Estimate | None]:
        """The error of one private way, divided by that of another, by dataset."""
        ways = over, under
        found = ([self.rival(n, way, measure, noise, column) for way in ways] for n in NAMES)
        return [Estimate(a / b) if a is not None and b else None for a, b in found]

    def error(
        self, stem: str, way: str, measure: str, dataset: str | None = None
    ) -> Estimate | None:
        """A mean error, of one dataset or over all; of repair as the paper measures it."""
        twice = measure == "repair" and not way.startswith("ours")
        return self._mean(stem, way, measure, dataset, "error_as_published" if twice else "error")

    def true_error(
        self, stem: str, way: str, measure: str, dataset: str | None = None
    ) -> Estimate | None:
        """The same, of repair against the smallest repair."""
        return self._mean(stem, way, measure, dataset, "error")

    def _mean(
        self, stem: str, way: str, measure: str, dataset: str | None, column: str
    ) -> Estimate | None:
        names = NAMES if dataset is None else (dataset,)
        rows = self.rows(stem, measure=measure, method=way)
        return pooled(_read(row, column) for row in rows if row["dataset"] in names)

    def intro(self, way: str, dataset: str) -> Estimate | None:
        """An error of the introduction's table."""
        return estimate(self.rows("introduction", method=way, dataset=dataset))

    def say(self, value: Estimate | float | None, digits: int = 2) -> str:
        """A number for prose; `not measured` if there is none."""
        if isinstance(value, Estimate):
            value = value.value
        return "not measured" if value is None else shown(value, digits)

    def both(self, value: Estimate | None) -> str:
        """A number with its standard error."""
        return with_error(value) or "not measured"

    def ratio(self, over: Estimate | None, under: Estimate | None) -> str:
        """`0.23 times`."""
        if over is None or under is None or not under.value:
            return "an unknown multiple of"
        return f"{shown(over.value / under.value, 2)} times"

    def ends(self, values: Iterable[Estimate | None], digits: int = 2) -> str:
        """`0.02 to 0.3`."""
        known = [v.value for v in values if v is not None]
        if not known:
            return "not measured"
        low, high = shown(min(known), digits), shown(max(known), digits)
        return low if low == high else f"{low} to {high}"

    def over(self, function: Callable[..., Estimate | None], *args: str) -> list[Estimate | None]:
        """A number of every dataset."""
        return [function(*args, name) for name in NAMES]

    def worst(self, stem: str, way: str, measure: str) -> str:
        """The dataset with the largest error."""
        errors = {n: e for n in NAMES if (e := self.error(stem, way, measure, n)) is not None}
        return max(errors, key=lambda n: errors[n].value).capitalize() if errors else "none"

    def once(self, name: str) -> str:
        """A number that was measured once, apart."""
        value = json.loads(ONCE.read_text(encoding="utf-8"))[name]["value"]
        return shown(value, 3)

    # ---------------------------------------------------------------------------- comparison

    def counts_table(self) -> str:
        """How the printed numbers compare, by kind."""
        lines = []
        kinds = ("experiment", *KINDS.values())
        for kind in (*kinds, None):
            rows = self.rows(STEM) if kind is None else self.rows(STEM, kind=kind)
            found = [outcome(str(row["mark"])) for row in rows]
            title = "all" if kind is None else f"{kind}s"
            lines.append([title, *(str(found.count(o)) for o in OUTCOMES), str(len(found))])
        return _table(["printed numbers", *OUTCOMES, "in all"], lines)

    def count(self, wanted: str, kind: str | None = None) -> int:
        """How many printed numbers have an outcome: the first word of one of `OUTCOMES`."""
        rows = self.rows(STEM) if kind is None else self.rows(STEM, kind=kind)
        return sum(outcome(str(row["mark"])).startswith(wanted) for row in rows)

    def agreeing_table(self) -> str:
        """With how many printed numbers of experiments each form agrees by itself."""
        rows = self.rows(STEM, kind="experiment")
        lines = []
        for column in ("as_run", "as_run_one", "as_coded", "as_printed"):
            there = [row for row in rows if row.get(column) is not None]
            agree = sum(_agrees_in(row, column) for row in there)
            lines.append([TITLES[column], str(agree), str(len(there))])
        return _table(["form", "agrees with", "of"], lines)

    def numbers_table(self, *marks: str) -> str:
        """The printed numbers of experiments with these marks, or that are open."""
        columns = ("as_run", "as_run_one", "other_rows", "as_coded", "as_printed")
        rows = [r for r in self.rows(STEM) if str(r["mark"]) in marks]
        used = [c for c in columns if any(r.get(c) is not None for r in rows)]
        lines = [
            [
                str(r["what"]),
                _printed(r),
                *(self.both(_read(r, c)) if r.get(c) is not None else "" for c in used),
                str(r["mark"]),
            ]
            for r in rows
        ]
        return _table(["number", "printed", *(TITLES[c] for c in used), "difference"], lines)

    def mark(self, what: str) -> str:
        """The mark of one printed number."""
        (row,) = self.rows(STEM, what=what)
        return str(row["mark"])

    def claims_table(self) -> str:
        """The claims of the paper's text, and our verdicts."""
        lines = []
        for claim in CLAIMS:
            verdict, evidence = claim.judge(self)
            lines.append([claim.says, claim.where, verdict, evidence])
        return _words(["the paper says", "section", "verdict", "what we measured"], lines)

    def claims(self) -> str:
        """How many claims hold."""
        found = [claim.judge(self)[0] for claim in CLAIMS]
        counts = (f"{found.count(v)} {PLURALS[v]}" for v in PLURALS if v in found)
        return f"of {len(found)} claims {', '.join(counts)}"

    def run_table(self, measure: str) -> str:
        """The published runs again, beside what is printed."""
        ways = [
            w
            for w in ("as_run", "as_run_one", "r2t_as_run")
            if self.rows("as_run_means", method=w, measure=measure)
        ]
        datasets = [str(d) for d in distinct(self.rows("as_run_means"), "dataset")]
        printed = {str(r["what"]): r for r in self.rows(STEM)}
        lines = []
        for name in datasets:
            row = printed.get(f"{measure}, {name.capitalize()}")
            rival = printed.get(f"{measure} by R2T, {name.capitalize()}")
            cells = [_printed(row) if row else ""]
            for way in ways:
                found = self.rows("as_run_means", dataset=name, measure=measure, method=way)
                cells.append(self.both(_read(found[0], "error")) if found else "")
                if way == "r2t_as_run":
                    cells.insert(len(cells) - 1, _printed(rival) if rival else "")
            lines.append([_title(name), *cells])
        row = printed[f"{measure}, all five"]
        cells = [
            _printed(row),
            *(self.both(_read(row, w)) if w in row and row[w] is not None else "" for w in ways),
        ]
        if "r2t_as_run" in ways:
            cells.insert(-1, "")
        lines.append(["the paper's five", *cells])
        titles = [
            t for w in ways for t in (["R2T, printed"] if w == "r2t_as_run" else []) + [WAYS[w]]
        ]
        return _table([measure, "printed", *titles], lines)

    def compared(self, what: str, column: str) -> Estimate | None:
        """A number of the comparison: `printed`, `fact` or a way."""
        (row,) = self.rows(STEM, what=what)
        return None if row[column] is None else Estimate(number(row, column))

    # -------------------------------------------------------------------------------- tables

    def introduction_table(self) -> str:
        """The introduction's table: every way that was measured."""
        names = ("adult", "flight", "stock")
        ways = [way for way in WAYS if self.has(way, "introduction")]
        lines = []
        for printed, label in (("R2T", "R2T, printed"), ("this work", "the paper's way, printed")):
            values = [self.rows(STEM, what=f"{printed}, {n.capitalize()}")[0] for n in names]
            lines.append([label, *(_printed(v) for v in values)])
        for printed, label, column in (
            ("R2T", "R2T as run", "as_run"),
            ("this work", "as run", "as_run"),
        ):
            values = [self.rows(STEM, what=f"{printed}, {n.capitalize()}")[0] for n in names]
            lines.append([label, *(self.both(_read(v, column)) for v in values)])
        lines += [[WAYS[way], *(self.both(self.intro(way, n)) for n in names)] for way in ways]
        return _table(["", *(n.capitalize() for n in names)], lines)

    def errors_table(self, stem: str, measure: str) -> str:
        """Mean errors over the steps by dataset: as printed, and of every way."""
        ways = [w for w in WAYS if self.rows(stem, method=w, measure=measure)]
        lines = []
        for name in (*NAMES, None):
            values = [self.error(stem, way, measure, name) for way in ways]
            title = "all five" if name is None else name.capitalize()
            lines.append([title, *(self.both(v) for v in values)])
        titles = [WAYS[way] for way in ways]
        return _table([measure, *titles], lines)

    def settings_table(self) -> str:
        """What the paper sets, and our two modes."""
        lines = [
            [
                "samples of rows, each with its noise",
                "1 in the code",
                *(str(m.samples) for m in MODES),
            ],
            ["draws on each sample", "10", *(str(m.draws) for m in MODES)],
            ["rows of a sample", "10,000", *(f"{m.rows:,}" for m in MODES)],
            [
                "steps on the way to all noise",
                "every tenth change, in a figure script",
                *(str(m.steps) for m in MODES),
            ],
            ["the published runs again: samples", "1 in the code", *(_samples(m) for m in MODES)],
            ["their draws on each table", "10", *(str(m.run_draws) for m in MODES)],
            ["level of RNoise", "1%", *(f"{100 * m.alpha:g}%" for m in MODES)],
            ["iterations of CONoise", "200", *(str(m.iterations) for m in MODES)],
            ["epsilons", "0.1 to 5", *(f"{m.epsilons[0]:g} to {m.epsilons[-1]:g}" for m in MODES)],
        ]
        return _table(["", "the paper", *(m.name for m in MODES)], lines)

    def strategies_table(self, measure: str) -> str:
        """Errors of every strategy, of the authors' code where it was run, and made private."""
        stem = "strategies_means"
        forms = [f for f in (self.again, "made_private") if self.has(f, stem)]
        ways = {
            f"{form}{end}": f"{name}, {WAYS[form]}"
            for form in forms
            for end, name in (
                ("_baseline_1", "Baseline 1"),
                ("_exponential", "one choice"),
                ("_hierarchical", "two choices"),
                ("", "bound and two choices"),
            )
        } | {"baseline_2": "Baseline 2", "ours": "ours"}
        lines = [
            [label, *(self.say(self.error(stem, way, measure, name)) for name in NAMES)]
            for way, label in ways.items()
            if self.has(way, stem)
        ]
        return _table([f"`{measure}`", *(name.capitalize() for name in NAMES)], lines)

    def on_stock(self, ends: Iterable[str]) -> list[Estimate | None]:
        """Errors of strategies made private on Stock, of both measures."""
        return [
            self.error("strategies_means", f"made_private{end}", measure, "stock")
            for end in ends
            for measure in MEASURES
        ]

    def over_baseline_1(self, form: str) -> list[Estimate | None]:
        """The full strategy's error of pairs, divided by Baseline 1's, on the densest datasets."""
        stem, measure = "strategies_means", "minimal_inconsistent"
        return [
            _divided(
                self.error(stem, form, measure, name),
                self.error(stem, f"{form}_baseline_1", measure, name),
            )
            for name in ("flight", "adult")
        ]

    def over_baseline_2(self) -> list[Estimate | None]:
        """Our error of problematic, divided by that of Baseline 2, on the densest datasets."""
        stem = "strategies_means"
        return [
            _divided(
                self.error(stem, "ours", "problematic", name),
                self.error(stem, "baseline_2", "problematic", name),
            )
            for name in ("hospital", "flight", "adult")
        ]

    def budgets_table(self) -> str:
        """The epsilon for an error of repair of 0.05."""
        found = [r for r in self.rows(STEM) if str(r["what"]).startswith("epsilon for an error")]
        ways = [w for w in TITLES if any(row.get(w) is not None for row in found)]
        lines = [
            [
                str(row["what"]).rpartition(" ")[2],
                _printed(row),
                *(_cell(row, w) for w in ways),
                str(row["mark"]),
            ]
            for row in found
        ]
        return _table(["", "printed", *(TITLES[way] for way in ways), "difference"], lines)

    def rival_draws(self) -> str:
        """How many draws on how many samples."""
        samples = "one sample" if FULL.rival_samples == 1 else f"{FULL.rival_samples} samples"
        return f"{FULL.rival_draws} draws on each table of {samples} of rows"

    def rivals_table(self, measure: str, noise: str) -> str:
        """Mean errors of the private ways, by dataset."""
        lines = []
        for way in RIVALS[measure]:
            cells = []
            for name in NAMES:
                rows = self.rows(
                    "rivals_means", dataset=name, method=way, measure=measure, noise=noise
                )
                cells.append(self.both(_read(rows[0], "error")) if rows else "")
            lines.append([WAYS[way], *cells])
        return _table([f"`{measure}`, {noise}", *(n.capitalize() for n in NAMES)], lines)

    def at_five(self) -> list[Estimate | None]:
        """The error made private, divided by ours, of pairs at an epsilon of 5."""
        measure = "minimal_inconsistent"
        return [
            _divided(
                self.at_epsilon("made_private", measure, name, 5),
                self.at_epsilon("ours", measure, name, 5),
            )
            for name in NAMES
        ]

    def origins(self) -> list[tuple[str, str]]:
        """What stood in for each dataset."""
        rows = self.rows("datasets")
        found = {str(r["dataset"]).capitalize(): str(r["data"]) for r in rows}
        return sorted(found.items())

    def degrees(self) -> str:
        """Our largest degrees as shares of the printed ones."""
        found = []
        for name in NAMES:
            rows = self.rows("datasets", dataset=name)
            ours, printed = mean(rows, "max_degree"), mean(rows, "printed_max_degree")
            found.append(None if not ours or not printed else Estimate(100 * ours / printed))
        return f"{self.ends(found, 3)}%"

    def choices(self, column: str) -> str:
        """The probabilities of the example of two choices: printed, or with the first kept."""
        kept = "" if column == "printed" else ", which stays a candidate as in Algorithm 4"
        numbers = [
            mean(
                self.rows("examples", what=f"probability of {t} after {f} was chosen first{kept}"),
                column,
            )
            for f, t in ((3, 1), (3, 2), (2, 1))
        ]
        first, second, third = (self.say(n) for n in numbers)
        return f"{first}, {second} and {third}"

    # ------------------------------------------------------------------------------ run time

    def time_table(self) -> str:
        """Seconds over the rows of Tax at 0.5% noise, of pairs."""
        sizes = sorted(number({"x": n}, "x") for n in distinct(self.rows("run_time_rows"), "rows"))
        ways = ("graph", *(w for w in WAYS if self.has(w, "run_time_rows")))
        lines = []
        for way in ways:
            label = "finding the conflicts" if way == "graph" else WAYS[way]
            seconds = (
                self.seconds("run_time_rows", way, "minimal_inconsistent", rows=int(n), alpha=0.005)
                for n in sizes
            )
            lines.append([label, *(self.say(s) for s in seconds)])
        lines.insert(0, ["printed", *(_printed_seconds(int(n)) for n in sizes)])
        return _table(
            ["seconds, Tax, `minimal_inconsistent`", *(f"{n:,.0f} rows" for n in sizes)], lines
        )

    def seconds(self, stem: str, way: str, measure: str, /, **wanted: Value) -> float | None:
        """CPU seconds; of finding the conflicts if the way is `graph`."""
        name = "all" if way == "graph" else measure
        return mean(self.rows(stem, method=way, measure=name, **wanted), "seconds")

    def pairs(self, rows: int, alpha: float) -> float | None:
        """Pairs of the Tax look-alike."""
        return mean(self.rows("run_time_rows", rows=rows, alpha=alpha, method="graph"), "pairs")

    def falls(self, way: str, measure: str, *, growing: bool) -> str:
        """The numbers of rules at which the time is less than at the one before.

        With 0.5% of noise for each rule, or with 0.5% in all.
        """
        rows = self.rows("run_time_rules", method=way, measure=measure)
        times = sorted(
            (number(r, "rules"), number(r, "seconds"))
            for r in rows
            if r["seconds"] is not None
            and abs(number(r, "alpha") - 0.005 * (number(r, "rules") if growing else 1)) < 1e-9
        )
        pairs = pairwise(times)
        dips = [f"{int(rules)}" for (_, before), (rules, after) in pairs if after < before]
        return ", ".join(dips) or "none"

    # ------------------------------------------------------------------------------- budgets

    def at_epsilon(self, way: str, measure: str, dataset: str, epsilon: float) -> Estimate | None:
        """The error at an epsilon, against the true measure."""
        (row,) = self.rows(
            "budgets_means", method=way, measure=measure, dataset=dataset, epsilon=epsilon
        )
        return _read(row, "error")

    # ------------------------------------------------------------------------------- utility

    def bound_over_error(self) -> list[Estimate]:
        """How many times the error the published bound is, over beta, in the paper's example."""
        rows = self.rows("utility", case="example", method="as_printed")
        return [Estimate(number(r, "bound") / number(r, "error_quantile")) for r in rows]

    def bound_fails(self, case: str) -> str:
        """At how many of the betas tried the bound fails."""
        rows = self.rows("utility", case=case, method="as_printed")
        return f"{sum(r['holds'] == 'False' for r in rows)} of {len(rows)}"

    def first_steps(self, way: str, measure: str) -> list[Estimate | None]:
        """Errors at the first step of CONoise, on the four denser datasets."""
        stem = "true_vs_private_conoise_means"
        rows = [self.rows(stem, method=way, measure=measure, dataset=n) for n in NAMES[1:]]
        return [Estimate(number(row, "first_error")) for (row,) in rows]

    def first_iterations(self) -> str:
        """The first step of CONoise."""
        return self.say(mean(self.rows("true_vs_private_conoise_means"), "first_iterations"))

    def loop_seconds(self, measure: str, rules: int) -> str:
        """Of the loop over a graph of dicts, on Flight."""
        rows = self.rows("run_time_loop", dataset="flight", measure=measure, rules=rules)
        return self.say(mean(rows, "seconds"))

    @property
    def measures(self) -> tuple[str, ...]:
        """In the paper's order."""
        return MEASURES


MODES = (QUICK, FULL)


def _read(row: Row, column: str) -> Estimate | None:
    if row[column] is None:
        return None
    error = row.get(f"{column}_se")
    over = row.get("se_over")
    spread = row.get(f"{column}_spread")
    return Estimate(
        number(row, column),
        None if error is None else float(error),
        None if over is None else str(over),
        spread=None if spread is None else float(spread),
    )


def _agrees_in(row: Row, column: str) -> bool:
    """Whether a printed number agrees with one form."""
    said = str(row["mark"])
    return said == "agrees" or (
        said.startswith("agrees (") and TITLES[column] in said[8:-1].split("; ")
    )


def _samples(mode: Mode) -> str:
    return f"{mode.run_samples} ({mode.run_sparse_samples} of Stock)"


def _title(name: str) -> str:
    """A dataset's name for a table."""
    return name.replace("_10k", ", 10k").replace("_thin", ", thinner").capitalize()


def _divided(over: Estimate | None, under: Estimate | None) -> Estimate | None:
    if over is None or under is None or not under.value:
        return None
    return Estimate(over.value / under.value)


def _cell(row: Row, column: str) -> str:
    return "" if row.get(column) is None else shown(number(row, column))


def _printed_seconds(rows: int) -> str:
    printed = SECONDS_BY_ROWS.get(rows)
    return "" if printed is None else shown(printed.value)


def _printed(row: Row) -> str:
    spread = row["printed_spread"]
    value = shown(number(row, "printed"), 5)
    return value if spread is None else f"{value} ± {shown(float(spread), 5)}"


def _words(titles: list[str], lines: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(c)} |" for c in (titles, ["---"] * len(titles), *lines))


def _table(titles: list[str], lines: list[list[str]]) -> str:
    rule = ["---", *("---:" for _ in titles[1:])]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in (titles, rule, *lines))


def made(docs: Path) -> dict[Path, str]:
    """The page by its path."""
    return {docs / "paper.md": page(docs / "paper")}
