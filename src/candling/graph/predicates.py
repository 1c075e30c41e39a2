"""Predicates on coded columns, for one row at a time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from candling.engines import CodedPredicate


def satisfied(predicate: CodedPredicate, codes: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
    """Per line of the table, whether a one-row predicate holds; NULL satisfies nothing."""
    left = codes[predicate.left]
    right = codes[predicate.right] if predicate.right >= 0 else np.int32(predicate.constant)
    result: npt.NDArray[np.bool_] = predicate.op.compare(left, right) & (left >= 0) & (right >= 0)
    return result
