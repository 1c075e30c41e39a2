"""Every number that the paper prints about its experiments, and where it stands there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

NAMES = ("stock", "tax", "hospital", "flight", "adult")  # from sparse to dense, as in the paper


@dataclass(frozen=True, slots=True)
class Printed:
    """A number as printed, what it is said to be, and where."""

    value: float
    what: str
    where: str
    spread: float | None = None  # the printed plus or minus


_INTRO = "Introduction, table of relative errors"
_RESULTS = "Section Results, true vs private estimation"
_DATASETS = "Section Experiments, table of datasets"
_RUN_TIME = "Section Results, runtime and scalability"

# Relative errors of minimal_inconsistent at epsilon 1, by dataset.
INTRO_R2T: Mapping[str, Printed] = {
    "adult": Printed(0.17, "R2T, Adult", _INTRO, 0.01),
    "flight": Printed(0.12, "R2T, Flight", _INTRO, 0.03),
    "stock": Printed(123.19, "R2T, Stock", _INTRO, 276.73),
}
INTRO_PAPER: Mapping[str, Printed] = {
    "adult": Printed(0.10, "this work, Adult", _INTRO, 0.05),
    "flight": Printed(0.10, "this work, Flight", _INTRO, 0.20),
    "stock": Printed(0.07, "this work, Stock", _INTRO, 0.08),
}
INTRO_RANGE = (
    Printed(0.013, "least average error", "Introduction, contributions"),
    Printed(0.679, "largest average error", "Introduction, contributions"),
)

# Relative errors of minimal_inconsistent with RNoise, averaged over iterations, by dataset.
ERRORS: Mapping[str, Printed] = {
    name: Printed(value, f"minimal_inconsistent, {name.capitalize()}", _RESULTS)
    for name, value in zip(NAMES, (0.492, 0.207, 0.209, 0.202, 0.187), strict=True)
}
ERRORS_R2T: Mapping[str, Printed] = {
    name: Printed(value, f"minimal_inconsistent by R2T, {name.capitalize()}", _RESULTS)
    for name, value in zip(NAMES, (137.05, 0.334, 0.386, 0.205, 0.269), strict=True)
}
ERRORS_OVER_ALL: Mapping[str, Printed] = {
    "minimal_inconsistent": Printed(0.25, "minimal_inconsistent, all five", _RESULTS),
    "problematic": Printed(0.46, "problematic, all five", _RESULTS),
    "repair": Printed(0.08, "repair, all five", _RESULTS),
}


@dataclass(frozen=True, slots=True)
class Described:
    """A line of the table of datasets."""

    rows: int
    columns: int
    rules: int
    fds: int
    max_degree: int  # of 10,000 rows with 1% RNoise
    where: str = _DATASETS


DATASETS: Mapping[str, Described] = {
    "stock": Described(122_498, 7, 1, 1, 1),
    "tax": Described(1_000_000, 15, 9, 7, 373),
    "hospital": Described(114_919, 15, 7, 7, 793),
    "flight": Described(500_000, 20, 13, 13, 1_520),
    "adult": Described(32_561, 15, 3, 2, 9_635),
}

# The relative error of repair that is reached at an epsilon, "for Stock" and "for others".
_BUDGETS = "Section Results, varying privacy budget"
REPAIR_REACHES = 0.05
REPAIR_AT: Mapping[str, Printed] = {
    name: Printed(3.0 if name == "stock" else 0.1, "epsilon for an error of 0.05", _BUDGETS)
    for name in NAMES
}

# Seconds.
TAX_PAIRS = Printed(322e6, "pairs, Tax, 1,000,000 rows, 0.5%", _RUN_TIME)
SECONDS_BY_ROWS: Mapping[int, Printed] = {
    100: Printed(1e-3, "seconds, Tax, 100 rows, 0.5%", _RUN_TIME),
    1_000_000: Printed(4_500.0, "seconds, Tax, 1,000,000 rows, 0.5%", _RUN_TIME),
}
PRIVATE_LP = Printed(
    24 * 3_600.0,
    "seconds, repair by a private linear program, 1,000 rows: not finished",
    "Section Inconsistency Measures under DP",
)
NOT_RUN = "1,000,000 rows at 1%, whose graph went over 30 GB"
SECONDS_BY_RULES: Mapping[tuple[str, int], Printed] = {
    (measure, rules): Printed(
        seconds, f"seconds, {measure}, Flight, {rules} rule{'s' if rules > 1 else ''}", _RUN_TIME
    )
    for measure, least, most in (
        ("minimal_inconsistent", 5.0, 25.0),
        ("problematic", 5.0, 25.0),
        ("repair", 1.0, 5.0),
    )
    for rules, seconds in ((1, least), (13, most))
}


# The worked examples: threshold, what it loses, its noise in units of sqrt(2), and its score there.
_QUALITY = "Example, quality function"
QUALITY: Mapping[int, tuple[Printed, Printed, Printed]] = {
    t: (
        Printed(lost, f"bias at {t}", _QUALITY),
        Printed(t * 2**0.5, f"noise at {t}", _QUALITY),
        Printed(-lost - t * 2**0.5, f"score at {t}", _QUALITY),
    )
    for t, lost in ((1, 2.0), (2, 1.0), (3, 0.0))
}
_CHOICE = "Example, parameter selection"
SCORES: Mapping[int, Printed] = {
    t: Printed(q, f"score at {t}", _CHOICE) for t, q in ((1, -3.41), (2, -3.82), (3, -4.24))
}
ONE_CHOICE: Mapping[int, Printed] = {
    t: Printed(p, f"probability of {t}, one choice", _CHOICE)
    for t, p in ((1, 0.35), (2, 0.33), (3, 0.31))
}
SECOND_CHOICE: Mapping[tuple[int, int], Printed] = {
    (first, t): Printed(p, f"probability of {t} after {first} was chosen first", _CHOICE)
    for first, t, p in ((3, 1, 0.51), (3, 2, 0.49), (2, 1, 1.0))
}
_COVER = "Example, vertex cover"
COVERS: tuple[tuple[Printed, Printed], ...] = tuple(
    (
        Printed(without, f"cover without E after edge {i}", _COVER),
        Printed(whole, f"cover with E after edge {i}", _COVER),
    )
    for i, (without, whole) in enumerate(
        ((2, 2), (2, 2), (2, 2), (4, 4), (4, 4), (4, 6), (6, 6)), start=1
    )
)
