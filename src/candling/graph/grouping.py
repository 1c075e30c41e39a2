"""Equal columns of a code matrix, found by sorting."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from candling.graph.kernels import label_runs, sort_digits

SMALL = 30_000  # keys that NumPy sorts sooner than a compiled loop is loaded
DIGITS = 2**11  # values of a digit: as many counters stay near


@dataclass(frozen=True, slots=True)
class Grouping:
    """Entries with equal codes share a label; labels follow the order of the codes."""

    label: npt.NDArray[np.int32]  # per entry
    first: npt.NDArray[np.int64]  # per label, one entry that has it

    @property
    def count(self) -> int:
        return len(self.first)


def group_lines(codes: npt.NDArray[np.signedinteger[Any]]) -> Grouping:
    """Group the columns of the matrix `codes` (one line per attribute); none: one group."""
    size = codes.shape[1]
    if size == 0:
        return Grouping(np.empty(0, np.int32), np.empty(0, np.int64))
    key = np.zeros(size, np.int64)
    bound = 1  # every key is below it
    for line in codes:
        low, high = int(line.min()), int(line.max())
        if bound * (high - low + 1) >= 2**62:
            key, bound = _dense(key)
        key *= high - low + 1
        key += line
        key -= low
        bound *= high - low + 1
    if size > SMALL:
        return _by_digits(key, bound)
    order = np.argsort(key, kind="stable")
    ordered = key[order]
    new = np.ones(size, bool)
    np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
    label = np.empty(size, np.int32)
    label[order] = np.cumsum(new, dtype=np.int32) - 1
    return Grouping(label, order[new])


def _by_digits(key: npt.NDArray[np.int64], bound: int) -> Grouping:
    """The groups of many keys below `bound`, in time that grows with their number alone."""
    one, two, label = (np.empty(len(key), np.int32) for _ in range(3))
    counts = np.empty(DIGITS + 1, np.int64)
    order = two if sort_digits(key, (bound - 1).bit_length(), one, two, counts) else one
    first = np.empty(len(key), np.int64)
    count = label_runs(key, order, label, first)
    return Grouping(label, first[:count].copy())


def sum_by(
    label: npt.NDArray[np.signedinteger[Any]], weights: npt.NDArray[np.int64], count: int
) -> npt.NDArray[np.int64]:
    """The sum of the weights of each label. At most 2**31 rows: the sums of floats are exact."""
    return np.bincount(label, weights, minlength=count).astype(np.int64)


def _dense(key: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], int]:
    values, inverse = np.unique(key, return_inverse=True)
    return inverse.astype(np.int64), len(values)
