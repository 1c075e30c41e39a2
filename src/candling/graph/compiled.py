"""Compiled functions, kept on disk where that is possible."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any


@dataclass(frozen=True)
class Compiled:
    """A function that is compiled when first called.

    Nor is numba loaded before, which takes longer than all else on a table without conflicts.
    """

    function: Callable[..., Any]

    def __call__(self, *arguments: Any) -> Any:
        return self.dispatcher(*arguments)

    @cached_property
    def dispatcher(self) -> Callable[..., Any]:
        """What numba makes of it; the result is kept for later runs if there is room.

        Where neither the package's folder nor the user's cache can be written, as in some
        containers, every run compiles anew; NUMBA_CACHE_DIR names another place.
        """
        from numba import njit

        names = self.function.__globals__
        for name in self.function.__code__.co_names:
            if isinstance(called := names.get(name), Compiled):
                names[name] = called.dispatcher  # numba calls none but its own kind
        # Without the interpreter's lock: `engine.memory` lets pages go while it runs.
        try:
            function: Callable[..., Any] = njit(cache=True, nogil=True)(self.function)
        except RuntimeError:  # numba's word for "no place to keep it"
            function = njit(nogil=True)(self.function)
        return function


def compiled(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, to be compiled on first use."""
    return Compiled(function)
