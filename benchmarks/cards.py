"""How accurate a card is: the default one, and one with all measures.

python -m benchmarks.cards [--data DIR] [--cards N] [--json F]

10,000 rows of each dataset (9,746 of Flight), made dirty by RNoise at 0.1%, 0.3% and 1%, at a total
epsilon of 1. Errors are those of the estimates: of rows and of the repair number (the smallest
repair, or the bound that gets noise) in rows, of rows in conflict and conflicts relative to the
truth. Then how often `drastic` sees ten broken pairs among 10,000 rows, and none.
"""

from __future__ import annotations

import argparse
import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

import candling
from benchmarks.laws import laws_kept
from benchmarks.printing import number, progress
from benchmarks.tables import ALPHAS, NAMES, REPOSITORY, ROWS
from candling.card import Card
from candling.measures import MINIMAL_INCONSISTENT, PROBLEMATIC, REPAIR
from candling.measures.facts import Facts
from candling.releases import make_request, run_release
from candling_paper.datasets import FOLDER_VARIABLE, datasets, existing_folder

CARDS = 200
DEFAULT, ALL = "default", "all"
RELATIVE = ("problematic", "minimal_inconsistent")
PAIRS = 10  # that are broken
MEASURES = {DEFAULT: ("repair", "rows"), ALL: ("repair", "rows", *RELATIVE)}


@dataclass(frozen=True, slots=True)
class Bar:
    """A promise and what was measured."""

    promise: str
    limit: float
    measured: float
    doubt: float = 0.0
    at_least: bool = False  # the limit is one from below

    @property
    def verdict(self) -> str:
        """Whether it is kept."""
        sign = -1 if self.at_least else 1
        over = sign * (self.measured - self.limit)
        if over > 0:
            return "NOT MET"
        return "met" if over + 2 * self.doubt <= 0 else "met, within the doubt"


@dataclass(frozen=True, slots=True)
class Errors:
    """The mean error of a measure on cards of one table, and where its interval ends."""

    table: str
    asked: str
    measure: str
    truth: float
    mean: float
    doubt: float  # the standard error of the mean
    low: float  # median
    high: float
    shown: float  # the share of cards with a value


def draw_cards(facts: Facts, count: int, measures: Sequence[str] | None) -> Iterator[Card]:
    """Cards of one table at epsilon 1."""
    request = make_request(facts.rules, epsilon=1, measures=measures)
    with laws_kept():
        for _ in range(count):
            yield run_release(facts, request)


def find_truth(facts: Facts) -> dict[str, float]:
    """What the estimates are compared with."""
    repair = REPAIR.number(facts)
    return {
        "repair": float(repair.value * repair.step),
        "rows": float(facts.rows),
        "problematic": float(PROBLEMATIC.levels(facts)[-1]),
        "minimal_inconsistent": MINIMAL_INCONSISTENT.levels(facts)[-1] / 2,
    }


def measure_table(table: str, facts: Facts, count: int) -> Iterator[Errors]:
    """The errors of both cards."""
    truth = find_truth(facts)
    for asked, measures in ((DEFAULT, None), (ALL, ["all"])):
        cards = list(draw_cards(facts, count, measures))
        for name in MEASURES[asked]:
            numbers = [card.measures[name] for card in cards]
            estimates = np.array([float(n.estimate or 0) for n in numbers])
            off = np.abs(estimates - truth[name]) / (truth[name] if name in RELATIVE else 1)
            low, high = (
                float(np.median([getattr(n, end) for n in numbers])) for end in ("low", "high")
            )
            yield Errors(
                table,
                asked,
                name,
                truth[name],
                float(off.mean()),
                float(off.std(ddof=1) / count**0.5),
                low,
                high,
                statistics.mean(n.value is not None for n in numbers),
            )


def measure_all(data: Path | None, count: int) -> list[Errors]:
    """Of all tables of the datasets."""
    known, found = datasets(data), list[Errors]()
    for name in NAMES:
        for alpha in ALPHAS:
            table = f"{name} {alpha:.1%}"
            progress(table)
            dirty = known[name].noisy(ROWS, alpha=alpha, seed=0)
            study = candling.analyze(dirty, known[name].constraints())
            found += measure_table(table, study._facts, count)  # noqa: SLF001 - true, for us only
    return found


def measure_drastic(pairs: int, count: int) -> float:
    """How often a card says yes where so many pairs of 10,000 rows are broken."""
    rows = np.arange(ROWS)
    table = pa.table({"a": rows // 2, "b": np.where(rows < 2 * pairs, rows % 2, 0)})
    facts = candling.analyze(table, "a -> b")._facts  # noqa: SLF001
    cards = draw_cards(facts, count, None)
    return statistics.mean(card.drastic.value == 1 for card in cards)


def find_bars(found: Sequence[Errors], power: float, alarms: float, count: int) -> Iterator[Bar]:
    """What is promised, and what was measured, over all tables."""
    limits = {
        (DEFAULT, "repair"): 1.2,
        (ALL, "repair"): 3.0,
        (ALL, "problematic"): 0.12,
        (ALL, "minimal_inconsistent"): 0.18,
    }
    for (asked, name), limit in limits.items():
        own = [e for e in found if (e.asked, e.measure) == (asked, name)]
        doubt = sum(e.doubt**2 for e in own) ** 0.5 / len(own)
        promise = f"{asked}: error of {name}"
        yield Bar(promise, limit, statistics.mean(e.mean for e in own), doubt)
    yield Bar(
        f"{DEFAULT}: {PAIRS} broken pairs are seen", 0.99, power,
        (power * (1 - power) / count) ** 0.5, at_least=True,
    )  # fmt: skip
    yield Bar(f"{DEFAULT}: false alarms", 0.05, alarms, (alarms * (1 - alarms) / count) ** 0.5)


def error_tables(found: Sequence[Errors]) -> Iterator[Table]:
    """A table for each card, with a line for each dirty table."""
    for asked, names in MEASURES.items():
        printed = Table("table", *(f"{name}: error, median ends" for name in names), title=asked)
        by_table: dict[str, dict[str, Errors]] = {}
        for e in found:
            if e.asked == asked:
                by_table.setdefault(e.table, {})[e.measure] = e
        for table, own in by_table.items():
            cells = (
                f"{number(own[n].mean)}, {number(own[n].low)} to {number(own[n].high)} "
                f"of {number(own[n].truth)}"
                for n in names
            )
            printed.add_row(table, *cells)
        yield printed


def bar_table(bars: Sequence[Bar]) -> Table:
    """What is promised and what was measured."""
    printed = Table("promise", "limit", "measured", "standard error", "verdict", title="Bars")
    for bar in bars:
        figures = (number(bar.limit), number(bar.measured), number(bar.doubt))
        printed.add_row(bar.promise, *figures, bar.verdict)
    return printed


def report(out: Console, data: Path | None, count: int) -> Mapping[str, object]:
    """Print everything, and give it as data."""
    found = measure_all(data, count)
    progress("drastic")
    power, alarms = (measure_drastic(pairs, 20 * count) for pairs in (PAIRS, 0))
    bars = list(find_bars(found, power, alarms, 20 * count))
    for table in (*error_tables(found), bar_table(bars)):
        out.print(table)
    return {"errors": list(map(asdict, found)), "bars": list(map(asdict, bars))}


def main() -> None:
    """Print both tables and the bars."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, help=f"the datasets; or set {FOLDER_VARIABLE}")
    parser.add_argument("--cards", type=int, default=CARDS, help="of each table")
    parser.add_argument("--json", type=Path, help="a file for all figures")
    asked = parser.parse_args()
    where = existing_folder(asked.data, REPOSITORY)
    told = report(Console(width=140), where, asked.cards)
    if asked.json is not None:
        asked.json.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
