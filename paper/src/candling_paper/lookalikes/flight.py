"""A table like the Flight table of the Bureau of Transportation Statistics: a month of flights."""

from __future__ import annotations

from dataclasses import dataclass
from string import ascii_uppercase

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from candling_paper.lookalikes.pools import Integers, check_rows, drawn, picked, towns

# Abbreviation, name, flights from the state among 9,746, and from its busiest airport, airports.
_STATES = (
    ("TX", "Texas", 1256, 487, 23),
    ("CA", "California", 1248, 408, 24),
    ("FL", "Florida", 801, 192, 16),
    ("GA", "Georgia", 653, 629, 6),
    ("IL", "Illinois", 599, 431, 7),
    ("CO", "Colorado", 443, 386, 9),
    ("NY", "New York", 411, 166, 9),
    ("AZ", "Arizona", 287, 239, 4),
    ("NC", "North Carolina", 284, 179, 7),
    ("VA", "Virginia", 244, 120, 7),
    ("NV", "Nevada", 241, 218, 3),
    ("NJ", "New Jersey", 203, 201, 2),
    ("UT", "Utah", 200, 193, 3),
    ("MN", "Minnesota", 187, 176, 7),
    ("WA", "Washington", 186, 173, 4),
    ("MI", "Michigan", 182, 145, 10),
    ("MA", "Massachusetts", 181, 180, 2),
    ("PA", "Pennsylvania", 180, 120, 5),
    ("MO", "Missouri", 177, 90, 5),
    ("HI", "Hawaii", 155, 80, 5),
    ("OH", "Ohio", 155, 70, 5),
    ("MD", "Maryland", 144, 144, 1),
    ("TN", "Tennessee", 138, 80, 5),
    ("OR", "Oregon", 112, 90, 5),
    ("AK", "Alaska", 102, 45, 13),
    ("LA", "Louisiana", 100, 60, 7),
    ("WI", "Wisconsin", 79, 50, 7),
    ("OK", "Oklahoma", 73, 40, 3),
    ("IN", "Indiana", 63, 45, 4),
    ("KY", "Kentucky", 62, 30, 4),
    ("PR", "Puerto Rico", 54, 48, 3),
    ("AL", "Alabama", 53, 25, 5),
    ("SC", "South Carolina", 50, 20, 4),
    ("NE", "Nebraska", 50, 50, 1),
    ("NM", "New Mexico", 45, 40, 4),
    ("AR", "Arkansas", 37, 20, 4),
    ("MT", "Montana", 33, 10, 7),
    ("IA", "Iowa", 31, 15, 3),
    ("CT", "Connecticut", 31, 31, 1),
    ("ID", "Idaho", 30, 20, 6),
    ("KS", "Kansas", 26, 18, 4),
    ("SD", "South Dakota", 26, 12, 3),
    ("ND", "North Dakota", 23, 8, 5),
    ("MS", "Mississippi", 23, 12, 3),
    ("NH", "New Hampshire", 17, 17, 1),
    ("RI", "Rhode Island", 17, 17, 1),
    ("WY", "Wyoming", 17, 7, 6),
    ("ME", "Maine", 12, 8, 2),
    ("VI", "U.S. Virgin Islands", 10, 7, 2),
    ("WV", "West Virginia", 7, 7, 1),
    ("VT", "Vermont", 6, 6, 1),
    ("TT", "U.S. Pacific Trust Territories and Possessions", 1, 1, 1),
    ("DE", "Delaware", 1, 1, 1),
)
_CARRIERS = {
    "WN": 2008,
    "EV": 1195,
    "OO": 1159,
    "DL": 1131,
    "AA": 905,
    "UA": 724,
    "MQ": 698,
    "US": 671,
    "B6": 437,
    "AS": 303,
    "FL": 201,
    "HA": 115,
    "F9": 105,
    "VX": 94,
}
_DAYS = 31
_FIRST_WEEKDAY = 3  # 1 January 2014 was a Wednesday
_TAILS = 4_500
_FIRST_AIRPORT, _AIRPORT_STEP = 10_135, 21
_WIDTH, _HEIGHT = 2_600, 1_300  # of the country, in miles


@dataclass(frozen=True, slots=True)
class _Airports:
    """All airports, by number."""

    state: Integers
    code: list[str]
    share: npt.NDArray[np.float64]
    place: npt.NDArray[np.float64]  # miles east and north


def flight(rows: int, seed: int) -> pa.Table:
    """`rows` flights of January 2014 in 20 columns; the same seed gives the same table.

    A day has one day of the week, an airport one number, city and state, and two airports one
    distance.
    """
    check_rows(rows)
    rng = np.random.default_rng([seed, 2])  # not the stream of RNoise with this seed
    airports = _airports()
    day = rng.integers(_DAYS, size=rows)
    origin = drawn(airports.share, rows, rng)
    dest = _destinations(airports, origin, rng)
    miles = np.hypot(*(airports.place[origin] - airports.place[dest]).T).astype(np.int64) + 31
    minutes = 30 + miles // 8
    departure = rng.integers(5 * 60, 23 * 60, size=rows)
    return pa.table(
        {
            "FL_DATE": picked([f"2014-01-{i + 1:02}" for i in range(_DAYS)], day),
            "DAY_OF_WEEK": (day + _FIRST_WEEKDAY - 1) % 7 + 1,
            "DAY_OF_MONTH": day + 1,
            "CARRIER": picked(list(_CARRIERS), drawn(list(_CARRIERS.values()), rows, rng)),
            "TAIL_NUM": picked(
                [f"N{i + 1000}" for i in range(_TAILS)], rng.integers(_TAILS, size=rows)
            ),
            "FL_NUM": rng.integers(1, 6_000, size=rows),
            **_place("ORIGIN", airports, origin),
            **_place("DEST", airports, dest),
            "CRS_DEP_TIME": _clock(departure),
            "CRS_ARR_TIME": _clock(departure + minutes),
            "CRS_ELAPSED_TIME": minutes,
            "DISTANCE": miles,
        }
    )


def _airports() -> _Airports:
    """The airports of all states: the busiest has its own share, the others the rest by rank."""
    state: list[int] = []
    code: list[str] = []
    share: list[float] = []
    for number, (short, _, flights, busiest, size) in enumerate(_STATES):
        rest = 1 / np.arange(1.0, size)
        state += [number] * size
        code += [short + letter for letter in ascii_uppercase[:size]]
        share += [busiest, *(rest / rest.sum() * (flights - busiest) if size > 1 else ())]
    where = np.random.default_rng(0).random((len(code), 2)) * (_WIDTH, _HEIGHT)
    return _Airports(np.array(state), code, np.array(share), where)


def _destinations(airports: _Airports, origin: Integers, rng: np.random.Generator) -> Integers:
    """For each flight an airport other than its origin, by the share of flights."""
    dest = drawn(airports.share, len(origin), rng)
    while (same := dest == origin).any():
        dest[same] = drawn(airports.share, int(same.sum()), rng)
    return dest


def _place(prefix: str, airports: _Airports, number: Integers) -> dict[str, pa.Array]:
    """The five columns that say where a flight starts or ends."""
    short = [row[0] for row in _STATES]
    names = towns().to_pylist()
    cities = [f"{names[41 * i].title()}, {short[s]}" for i, s in enumerate(airports.state)]
    state = airports.state[number]
    return {
        f"{prefix}_AIRPORT_ID": pa.array(_FIRST_AIRPORT + _AIRPORT_STEP * number),
        prefix: picked(airports.code, number),
        f"{prefix}_CITY_NAME": picked(cities, number),
        f"{prefix}_STATE_ABR": picked(short, state),
        f"{prefix}_STATE_NM": picked([row[1] for row in _STATES], state),
    }


def _clock(minutes: Integers) -> Integers:
    """Minutes since midnight as hours and minutes in one number: 545 is 9:05, or 905."""
    hours, rest = np.divmod(minutes % (24 * 60), 60)
    return hours * 100 + rest
