"""A table like the Hospital table of Hospital Compare: how hospitals do on measures of quality."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from candling_paper.lookalikes.pools import Integers, check_rows, drawn, picked, towns

# States with hospitals of the first 10,000 rows of the real table.
_STATES = {"AL": 103, "AK": 13, "AZ": 77, "AR": 74, "CA": 137}
_HOSPITALS = sum(_STATES.values())  # in a table of up to 10,000 rows
_PER_ZIP, _PER_TOWN = 404 / 373, 404 / 293  # hospitals; the more zip codes, the more towns
_CHILDREN_EVERY = 24  # one hospital in so many also reports on children
_CONDITIONS = {
    "Heart Attack": ("AMI", ("1", "2", "3", "4", "5", "7A", "8A")),
    "Heart Failure": ("HF", ("1", "2", "3", "4")),
    "Pneumonia": ("PN", ("2", "3B", "4", "5C", "6", "7")),
    "Surgical Infection Prevention": (
        "SCIP",
        ("CARD-2", "INF-1", "INF-2", "INF-3", "INF-4", "INF-6", "VTE-1", "VTE-2"),
    ),
    "Children's Asthma Care": ("CAC", ("1", "2", "3")),  # last: few hospitals report them
}
_FOR_ALL = 25  # of the 28 measures
_KINDS = ("Acute Care Hospitals", "Critical Access Hospitals", "Childrens")
_OWNERS = ("Voluntary non-profit", "Proprietary", "Government - Local", "Government - Federal")
_NULL_SAMPLES = 0.085


def hospital(rows: int, seed: int) -> pa.Table:
    """`rows` reports of hospitals on measures in 15 columns of strings; the same by seed.

    A hospital has one phone number and one zip code, a zip code one town and state, a measure one
    name and in each state one average. Of about 400 hospitals (of more, if the rows need it), each
    reports on 25 or 28 measures; the rows are drawn from these reports.
    """
    check_rows(rows)
    rng = np.random.default_rng([seed, 2])  # not the stream of RNoise with this seed
    hospitals = max(_HOSPITALS, -(-rows // _FOR_ALL))
    provider, measure = _reports(hospitals, rows, rng)
    # Hospitals are numbered by state, so that a zip code and a town lie in one state.
    shares = np.cumsum(list(_STATES.values())) / _HOSPITALS
    state = np.searchsorted(shares, np.arange(hospitals) / hospitals, side="right")
    code, name, condition = _measures()
    zip_code = _shared(state, _PER_ZIP)
    town = _shared(state, _PER_TOWN)[np.unique(zip_code, return_index=True)[1]][zip_code]
    kind, owner = rng.integers(3, size=hospitals), rng.integers(4, size=hospitals)
    number = np.arange(hospitals)
    names = towns()
    averages = [f"{s}_{c}" for s in _STATES for c in code]
    return pa.table(
        {
            "ProviderNumber": _text(10_001 + number).take(pa.array(provider)),
            "HospitalName": picked([f"HOSPITAL {i + 1}" for i in number], provider),
            "City": picked(names, (town * 7 % len(names))[provider]),
            "State": picked(list(_STATES), state[provider]),
            "ZipCode": _text(35_004 + 5 * zip_code).take(pa.array(provider)),
            "CountyName": picked(names, ((town // 2 * 7 + 3) % len(names))[provider]),
            "PhoneNumber": _text(2_053_258_100 + 7_919 * number).take(pa.array(provider)),
            "HospitalType": picked(_KINDS, kind[provider]),
            "HospitalOwner": picked(_OWNERS, owner[provider]),
            "EmergencyService": picked(("Yes", "No"), (number % 6 == 0).astype(int)[provider]),
            "Condition": picked(condition, measure),
            "MeasureCode": picked(code, measure),
            "MeasureName": picked(name, measure),
            "Sample": _samples(rows, rng),
            "Stateavg": picked(averages, state[provider] * len(code) + measure),
        }
    )


def _reports(hospitals: int, rows: int, rng: np.random.Generator) -> tuple[Integers, Integers]:
    """The hospital and the measure of each row, in order."""
    measures = np.full(hospitals, _FOR_ALL)
    measures[::_CHILDREN_EVERY] += 3
    ends = np.cumsum(measures)
    report = np.sort(rng.choice(int(ends[-1]), size=rows, replace=False))
    provider = np.searchsorted(ends, report, side="right")
    return provider, report - (ends - measures)[provider]


def _measures() -> tuple[list[str], list[str], list[str]]:
    """Code, name and condition of each measure."""
    found = [
        (f"{prefix}-{part}", f"share of patients treated as {prefix}-{part} asks", condition)
        for condition, (prefix, parts) in _CONDITIONS.items()
        for part in parts
    ]
    code, name, condition = (list(column) for column in zip(*found, strict=True))
    return code, name, condition


def _shared(state: Integers, per_place: float) -> Integers:
    """For each hospital a place, which it shares with others of its state only."""
    place = (np.arange(len(state)) / per_place).astype(np.int64)
    new = np.diff(place, prepend=-1) + np.diff(state, prepend=0) > 0
    return np.cumsum(new) - 1


def _samples(rows: int, rng: np.random.Generator) -> pa.Array:
    """Numbers of patients in words, some of them not known."""
    known = pa.array([f"{i} patients" for i in range(700)], pa.large_string())
    unknown = rng.random(rows) < _NULL_SAMPLES
    return known.take(pa.array(drawn(1 / np.arange(1.0, 701), rows, rng), mask=unknown))


def _text(numbers: Integers) -> pa.Array:
    return pa.array(numbers).cast(pa.large_string())
