"""Functions that are compiled when it pays, and kept on disk where that is possible."""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cached_property
from types import FunctionType
from typing import Any

import numpy as np

from candling.records import dataclass
from candling.system.progress import track_loading

SMALL = 20_000  # entries of all arrays up to which a loop is interpreted
PATIENCE = 0.3  # seconds that a process spends on interpreting: loading numba takes longer
_spent = 0.0


@dataclass(frozen=True)
class Compiled:
    """A function on arrays and numbers that is compiled when first called with long ones.

    On short ones Python runs it as it is: loading numba takes longer than all else on a small
    table. It then sees its arrays as `memoryview`, whose entries are integers without an end, so
    that nothing overflows; what it writes is in the array. A function may read and write entries,
    in one or two dimensions, iterate, and ask for `len` or `shape`: both ways do the same.
    """

    function: Callable[..., Any]
    interpretable: bool = True

    def __call__(self, *arguments: Any) -> Any:
        if self._is_small(arguments):
            return self._interpret(arguments)
        return self.dispatcher(*arguments)

    def _is_small(self, arguments: tuple[Any, ...]) -> bool:
        if not self.interpretable or "dispatcher" in self.__dict__ or _spent > PATIENCE:
            return False
        return sum(getattr(a, "size", 0) for a in arguments) <= SMALL

    def _interpret(self, arguments: tuple[Any, ...]) -> Any:
        global _spent  # noqa: PLW0603 - one for the process, as numba is loaded once
        start = time.perf_counter()
        views = (a.data if isinstance(a, np.ndarray) else a for a in arguments)
        try:
            return self.plain(*views)
        finally:
            _spent += time.perf_counter() - start

    @cached_property
    def plain(self) -> Callable[..., Any]:
        """The function as Python runs it."""
        return self._bind_callees(lambda other: other.plain)

    def _bind_callees(self, form: Callable[[Compiled], Callable[..., Any]]) -> Callable[..., Any]:
        """The function with the others that it calls in this form: numba calls none but its own."""
        names = dict(self.function.__globals__)
        for name in self.function.__code__.co_names:
            if isinstance(called := names.get(name), Compiled):
                names[name] = form(called)
        return FunctionType(self.function.__code__, names)

    @cached_property
    def dispatcher(self) -> Callable[..., Any]:
        """What numba makes of it; the result is kept for later runs if there is room.

        Where neither the package's folder nor the user's cache can be written, as in some
        containers, every run compiles anew; NUMBA_CACHE_DIR names another place.
        """
        with track_loading():
            from numba import njit

        function = self._bind_callees(lambda other: other.dispatcher)
        # Without the interpreter's lock: `system.limits` lets pages go while it runs.
        try:
            made: Callable[..., Any] = njit(cache=True, nogil=True)(function)
        except RuntimeError:  # numba's word for "no place to keep it"
            made = njit(nogil=True)(function)
        return made


def compile_on_use(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, to be compiled when it is first called with long arrays."""
    return Compiled(function)


def compile_always(function: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a function that does more with arrays than a `memoryview` can."""
    return Compiled(function, interpretable=False)
