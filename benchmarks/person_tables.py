"""Made-up tables of hospital visits in which a patient has one visit or very many.

The number of visits of a patient has the law P(m) in proportion to m**-1.5 for m up to 40
("skewed") or m**-2 for m up to 1,000 ("heavy"): about 2,000 patients for 10,000 rows in both. The
rules hold before errors are planted. 1.5% of the rows are made wrong: drawn from all rows
("independent"), or four in five rows of a few patients with 16 to 60 visits ("clustered"), or half
of them this way and half of them that way ("mixed").
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

RULES = """\
doctor:   doctor -> hospital
hospital: hospital -> zip, phone
zip:      zip -> city, state
code:     code -> name
patient:  patient -> birth_year
"""
PERSON = "patient"
ROWS = 10_000
WRONG = 0.015  # of the rows

Integers = npt.NDArray[np.int64]
Rng = np.random.Generator


@dataclass(frozen=True, slots=True)
class VisitsLaw:
    """P(m) in proportion to m**-exponent, for 1 to `most` visits of a patient."""

    exponent: float
    most: int


LAWS = {"skewed": VisitsLaw(1.5, 40), "heavy": VisitsLaw(2.0, 1000)}
ERRORS = ("independent", "mixed", "clustered")


def visits_table(law: str, errors: str, rows: int = ROWS, seed: int = 20) -> pd.DataFrame:
    """A table of visits with planted errors; the same arguments give the same table."""
    rng = np.random.default_rng([seed, list(LAWS).index(law), ERRORS.index(errors)])
    patient = np.repeat(*_visits(LAWS[law], rows, rng))
    doctors, hospitals, zips, codes = rows // 15, rows // 50, rows // 100, rows // 50
    # A patient sees one to three doctors.
    own = rng.integers(0, doctors, size=(int(patient.max()) + 1, 3))
    doctor = own[patient, rng.integers(0, 3, size=rows) * rng.integers(0, 2, size=rows)]
    hospital = rng.integers(0, hospitals, size=doctors)[doctor]
    area = rng.integers(0, zips, size=hospitals)[hospital]
    code = rng.integers(0, codes, size=rows)
    table = pd.DataFrame(
        {
            "visit": np.arange(rows),
            "patient": patient,
            "birth_year": rng.integers(1930, 2015, size=int(patient.max()) + 1)[patient],
            "doctor": doctor,
            "hospital": [f"St {h}" for h in hospital],
            "zip": 20_000 + area,
            "phone": 5_550_000 + hospital,
            "city": [f"City {a}" for a in area],
            "state": [f"State {a % 5}" for a in area],
            "code": code,
            "name": [f"Measure {c}" for c in code],
        }
    )
    wrong = _wrong_rows(patient, errors, round(WRONG * rows), rng)
    _plant(table, wrong, 20_000 + np.arange(zips), rng)
    return table.sample(frac=1, random_state=seed).reset_index(drop=True)


def _visits(law: VisitsLaw, rows: int, rng: Rng) -> tuple[Integers, Integers]:
    """The patients, and how many visits each of them has: `rows` in all."""
    values = np.arange(1, law.most + 1)
    weights = values**-law.exponent
    visits = rng.choice(values, size=rows, p=weights / weights.sum())
    visits = visits[: int(np.searchsorted(np.cumsum(visits), rows)) + 1]
    visits[-1] -= int(visits.sum()) - rows
    return np.arange(len(visits)), visits


def _wrong_rows(patient: Integers, errors: str, many: int, rng: Rng) -> Integers:
    """Numbers of rows, without repeats."""
    together = {"independent": 0, "mixed": many // 2, "clustered": many}[errors]
    visits = np.bincount(patient)
    chosen: list[int] = []
    for person in rng.permutation(np.flatnonzero((visits > 15) & (visits <= 60))):
        if len(chosen) >= together:
            break
        own = np.flatnonzero(patient == person)
        chosen += rng.choice(own, round(0.8 * len(own)), replace=False).tolist()
    chosen = chosen[:together]
    others = np.setdiff1d(np.arange(len(patient)), chosen)
    return np.concatenate([chosen, rng.choice(others, many - together, replace=False)]).astype(int)


def _plant(table: pd.DataFrame, wrong: Integers, zips: Integers, rng: Rng) -> None:
    """One error in each of the rows: a misspelling, or the value of something else."""
    for row in wrong:
        match rng.integers(0, 5):
            case 0:
                table.loc[row, "hospital"] += f" {'abc'[rng.integers(0, 3)]}"
            case 1:
                table.loc[row, "zip"] = rng.choice(zips[zips != table.loc[row, "zip"]])
            case 2:
                table.loc[row, "city"] += f" {'abc'[rng.integers(0, 3)]}"
            case 3:
                table.loc[row, "name"] = table.loc[row, "name"].upper()
            case _:
                table.loc[row, "birth_year"] = rng.integers(1900, 1930)
