"""Compiled functions, kept on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import njit


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function compiled on first use; the result is kept for later runs if there is room.

    Where neither the package's folder nor the user's cache can be written, as in some containers,
    every run compiles anew; NUMBA_CACHE_DIR names another place.
    """
    try:
        kept: Callable[..., Any] = njit(cache=True)(function)
    except RuntimeError:  # numba's word for "no place to keep it"
        kept = njit(function)
    return kept
