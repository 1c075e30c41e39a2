"""Functions that run in C: compiled with the package, else by numba when it pays.

A wheel brings its kernels as a library (`c_source`). Where there is none, because the package was
built without a C compiler, Python interprets short loops, and numba compiles the others on their
first use and keeps the result.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Sequence
from functools import cache, cached_property
from pathlib import Path
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np

from candling.graph.c_source import KINDS, SEVERAL, library_name, symbol
from candling.records import dataclass
from candling.system.progress import track_loading

SMALL = 20_000  # entries of all arrays up to which a loop is interpreted
PATIENCE = 0.3  # seconds that a process spends on interpreting: loading numba takes longer
_spent = 0.0

# What the parameters of a kernel are: a whole number, or an array of one type (see `KINDS`).
Number: TypeAlias = Any
Bools: TypeAlias = Any
Bytes: TypeAlias = Any
Int8s: TypeAlias = Any
Int32s: TypeAlias = Any
Int64s: TypeAlias = Any
Float64s: TypeAlias = Any
Grid32: TypeAlias = Any
Amounts: TypeAlias = Any
Grid: TypeAlias = Any

_DIMENSIONS = {kind: (np.dtype(name or "int64"), axes) for kind, (_, name, axes) in KINDS.items()}


@cache
def load_library() -> ctypes.CDLL | None:
    """The compiled kernels, if the package was built with a C compiler."""
    folder = Path(__file__).parent
    path = folder / library_name(folder)
    try:
        return ctypes.CDLL(str(path)) if path.exists() else None
    except OSError:  # made for another machine
        return None


@dataclass(frozen=True)
class Compiled:
    """A function on arrays and numbers that runs in C.

    Without the library it is compiled when first called with long arrays. On short ones Python
    runs it as it is: loading numba takes longer than all else on a small table. It then sees its
    arrays as `memoryview`, whose entries are integers without an end, so that nothing overflows;
    what it writes is in the array. A function may read and write entries, in one or two
    dimensions, iterate, and ask for `len` or `shape`: all ways do the same.
    """

    function: Callable[..., Any]
    interpretable: bool = True

    def __call__(self, *arguments: Any) -> Any:
        compiled = self._find_compiled(arguments)
        if compiled is not None:
            return self._call_library(compiled, arguments)
        if self._is_small(arguments):
            return self._interpret(arguments)
        return self.dispatcher(*arguments)

    @cached_property
    def _kinds(self) -> tuple[str, ...]:
        """The kinds of the parameters; none of a kernel that is not for C."""
        kinds = self.function.__annotations__
        names = [kinds.get(name) for name in self._parameters]
        return tuple(kind for kind in names if kind in KINDS or kind in SEVERAL)

    @property
    def _parameters(self) -> tuple[str, ...]:
        code = self.function.__code__
        return code.co_varnames[: code.co_argcount]

    @cached_property
    def _found(self) -> dict[tuple[str, ...], Any]:
        """The functions of the library, by what its kinds of several types are."""
        return {}

    def _find_compiled(self, arguments: Sequence[Any]) -> Any:
        """The function of the library for arguments of these types, or None."""
        library = load_library()
        if library is None or len(self._kinds) != len(arguments):
            return None
        types: dict[str, str] = {}
        for kind, argument in zip(self._kinds, arguments, strict=True):
            if not isinstance(argument, np.ndarray):
                if kind != "Number" or not isinstance(argument, int | np.integer | np.bool_):
                    return None
                continue
            if not argument.flags.c_contiguous:
                return None
            for own in SEVERAL.get(kind, (kind,)):
                if (argument.dtype, argument.ndim) == _DIMENSIONS[own]:
                    break
            else:
                return None
            if kind in SEVERAL and types.setdefault(kind, own) != own:
                return None
        chosen = tuple(types[kind] for kind in sorted(types))
        if chosen not in self._found:
            module = self.function.__module__.rpartition(".")[2]
            name = f"x_{symbol(module, self.function.__name__, chosen)}"
            self._found[chosen] = made = getattr(library, name, None)
            if made is not None:
                made.restype = ctypes.c_int64
        return self._found[chosen]

    @staticmethod
    def _call_library(compiled: Any, arguments: Sequence[Any]) -> int:
        passed: list[Any] = []
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                passed.append(ctypes.c_void_p(argument.__array_interface__["data"][0]))
                passed += map(ctypes.c_int64, argument.shape)
            else:
                passed.append(ctypes.c_int64(int(argument)))
        result: int = compiled(*passed)
        return result

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
