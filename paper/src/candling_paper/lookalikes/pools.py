"""Parts that the look-alikes share: made-up names, and columns drawn from a pool of values."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Integers = npt.NDArray[np.int64]

_BEFORE = (
    *("", "NEW ", "OLD ", "NORTH ", "SOUTH ", "EAST ", "WEST ", "LAKE ", "FORT ", "MOUNT "),
    *("LITTLE ", "GREAT ", "PORT ", "SAINT ", "UPPER ", "LOWER ", "GLEN ", "CAPE ", "BIG ", "LA "),
)
_STEMS = (
    *("ASH", "BEL", "BRAD", "CAR", "CLAY", "DAL", "EDGE", "ELM", "FAIR", "FRANK", "GARD", "GREEN"),
    *("HAM", "HART", "HOLLY", "JACK", "KEN", "KING", "LIN", "MAR", "MILL", "NEW", "NOR", "OAK"),
    *("PARK", "PEM", "QUIN", "RED", "ROCK", "SAND", "SHEL", "STAN", "SUM", "TAL", "UNION", "VER"),
    *("WAL", "WASH", "WIN", "YORK"),
)
_ENDINGS = (
    *("BURG", "BURY", "DALE", "FIELD", "FORD", "HAVEN", "HURST", "LAND", "LEY", "MONT", "MOUTH"),
    *("PORT", "RIDGE", "STEAD", "STON", "TON", "VIEW", "VILLE", "WELL", "WOOD"),
)
_SYLLABLES = tuple(a + b for a, b in product("BDFGKLMNRSTVZ", ("a", "e", "i", "o", "u", "ai")))
_FAMILY = ("ber", "chi", "den", "hart", "kov", "lin", "man", "mer", "ner", "ova", "rick", "sen")


def towns() -> pa.Array:
    """16,000 names of towns, in capitals; neighbours in the list do not look alike."""
    names = [before + stem + end for end, before, stem in product(_ENDINGS, _BEFORE, _STEMS)]
    return pa.array(names, pa.large_string())


def first_names(size: int) -> pa.Array:
    """`size` distinct given names, at most 6,084 * 78."""
    return _people(size, tuple(s.lower() for s in _SYLLABLES))


def last_names(size: int) -> pa.Array:
    """`size` distinct family names, at most 6,084 * 12."""
    return _people(size, _FAMILY)


def _people(size: int, endings: Sequence[str]) -> pa.Array:
    middles = [s.lower() for s in _SYLLABLES]
    names = [a + b + c for c, b, a in product(endings, middles, _SYLLABLES)]
    return pa.array(names[:size], pa.large_string())


def picked(pool: pa.Array | Sequence[str], indices: Integers) -> pa.Array:
    """The values of `pool` at `indices`; strings become large ones, as in the files."""
    values = pool if isinstance(pool, pa.Array) else pa.array(pool, pa.large_string())
    return values.take(pa.array(indices))


def drawn(shares: npt.ArrayLike, rows: int, rng: np.random.Generator) -> Integers:
    """`rows` positions in `shares`, each drawn in proportion to its share."""
    weights = np.asarray(shares, dtype=np.float64)
    return rng.choice(len(weights), size=rows, p=weights / weights.sum())


def check_rows(rows: int) -> None:
    """Raise if `rows` is no number of rows."""
    if rows < 0:
        raise ValueError(f"expected a number of rows from 0, got {rows}")
