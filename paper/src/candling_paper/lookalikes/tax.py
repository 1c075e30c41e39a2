"""A table like the synthetic Tax table: people, where they live, what they earn and pay."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from candling_paper.lookalikes.pools import (
    Integers,
    check_rows,
    first_names,
    last_names,
    picked,
    towns,
)
from candling_paper.lookalikes.states import STATES

_SALARIES = np.arange(5_000, 100_001, 5_000)
_NAMES = 10_000  # of each kind
_FIRST_AREA_CODE, _AREA_CODES = 201, 789  # 201 to 989, of which a third is in use
_AREA_STEP = 301  # has no factor with 789, so that the codes of a state are scattered
_FIRST_ZIP, _ZIP_GAP = 600, 2.35  # 600 to 99,200 or so, of which two in five are in use
_TOWN_STEP = 7_499  # a prime: each state's stretch of names overlaps with others', as in life
_FIRST_PHONE, _LAST_PHONE = 1_000_000, 9_999_999


def tax(rows: int, seed: int) -> pa.Table:
    """`rows` people in 15 columns; the same seed gives the same table.

    States, salaries, marital status and children are uniform. A zip code belongs to a town and a
    state, an area code to a state, a phone number is unique within its area code, the rate grows
    with the salary as the state decides, and exemptions depend on the state and the family.
    """
    check_rows(rows)
    rng = np.random.default_rng([seed, 2])  # not the stream of RNoise with this seed
    state = rng.integers(len(STATES), size=rows)
    salary = rng.integers(len(_SALARIES), size=rows)
    married, child = rng.integers(2, size=rows), rng.integers(2, size=rows)
    area = _of_state([s.area_codes for s in STATES], state, rng)
    zip_code = _of_state([s.zips for s in STATES], state, rng)
    return pa.table(
        {
            "FName": picked(first_names(_NAMES), rng.integers(_NAMES, size=rows)),
            "LName": picked(last_names(_NAMES), rng.integers(_NAMES, size=rows)),
            "Gender": picked(("F", "M"), rng.integers(2, size=rows)),
            "AreaCode": _FIRST_AREA_CODE + area * _AREA_STEP % _AREA_CODES,
            "Phone": _phones(area, rng),
            "City": picked(towns(), _towns_of_zips()[zip_code]),
            "State": picked([s.code for s in STATES], state),
            "Zip": _FIRST_ZIP + (zip_code * _ZIP_GAP).astype(np.int64),
            "MaritalStatus": picked(("S", "M"), married),
            "HasChild": picked(("N", "Y"), child),
            "Salary": _SALARIES[salary],
            "Rate": _rates()[state, salary],
            "SingleExemp": (1 - married) * _per_state([s.single_exemption for s in STATES], state),
            "MarriedExemp": married * _per_state([s.married_exemption for s in STATES], state),
            "ChildExemp": child * _per_state([s.child_exemption for s in STATES], state),
        }
    )


def _per_state(values: list[int], state: Integers) -> Integers:
    of_state: Integers = np.array(values)[state]
    return of_state


def _of_state(sizes: list[int], state: Integers, rng: np.random.Generator) -> Integers:
    """For each row one of its state's things, numbered through all states, uniformly."""
    ends = np.cumsum(np.array(sizes))
    starts = ends - np.array(sizes)
    return rng.integers(starts[state], ends[state])


def _towns_of_zips() -> Integers:
    """For each zip code of the country the number of its town's name."""
    known = len(towns())
    parts = [
        (number * _TOWN_STEP + np.arange(s.zips) * s.towns // s.zips) % known
        for number, s in enumerate(STATES)
    ]
    return np.concatenate(parts)


def _rates() -> npt.NDArray[np.float64]:
    """Rate by state and salary, never falling with the salary."""
    low, high, flat, rises = (
        np.array(values)[:, None]
        for values in zip(
            *((s.low_rate, s.high_rate, s.flat, s.rises) for s in STATES), strict=True
        )
    )
    step = np.arange(1, len(_SALARIES) + 1)
    share = np.clip((step - flat) / np.maximum(rises, 1), 0, 1)
    rates: npt.NDArray[np.float64] = np.round(low + (high - low) * share, 7)
    return rates


def _phones(area: Integers, rng: np.random.Generator) -> pa.Array:
    """Phone numbers such as 555-0199, none of them twice in an area."""
    number = rng.integers(_FIRST_PHONE, _LAST_PHONE + 1, size=len(area))
    while True:
        _, first = np.unique(area * (_LAST_PHONE + 1) + number, return_index=True)
        if len(first) == len(area):
            break
        again = np.ones(len(area), dtype=bool)
        again[first] = False
        number[again] = rng.integers(_FIRST_PHONE, _LAST_PHONE + 1, size=again.sum())
    digits = number[:, None] // 10 ** np.arange(6, -1, -1) % 10 + ord("0")
    text = np.insert(digits, 3, ord("-"), axis=1).astype(np.uint8)
    ends = np.arange(len(text) + 1) * text.shape[1]
    return pa.LargeStringArray.from_buffers(len(text), pa.py_buffer(ends), pa.py_buffer(text))
