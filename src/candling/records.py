"""Data classes that cost next to nothing until they are used.

`dataclasses.dataclass` writes and compiles up to six functions for every class when its module is
loaded. With the two hundred classes of a release that took a sixth of grading a small table. Here
the library still reads the fields, and nothing is compiled but `__init__`, when the first instance
is made. Type checkers take it for the library's.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError
from operator import attrgetter
from reprlib import recursive_repr
from typing import TYPE_CHECKING, Any

__all__ = ["dataclass"]


if TYPE_CHECKING:
    from dataclasses import dataclass
else:

    def dataclass(
        cls=None,
        /,
        *,
        frozen=False,
        slots=False,
        eq=True,
        repr=True,  # noqa: A002 - as the library calls it
        kw_only=False,
        weakref_slot=False,
    ):
        """Make a data class, as the library does with the same arguments."""

        def make(cls):
            own = frozenset(cls.__dict__)
            made = dataclasses.dataclass(
                init=False, repr=False, eq=False, slots=slots, kw_only=kw_only,
                weakref_slot=weakref_slot,
            )(cls)  # fmt: skip
            fields = dataclasses.fields(made)
            methods = {"__init__": _write_later(made, fields, frozen=frozen)}
            if repr:
                methods["__repr__"] = _show([f.name for f in fields if f.repr])
            if eq:
                values = _getter([f.name for f in fields if f.compare])
                methods["__eq__"] = _compare(values)
                methods["__hash__"] = _hash(values) if frozen else None
            if frozen:
                methods |= {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
                if slots:
                    methods["__setstate__"] = _set_state
            for name, method in methods.items():
                if name not in own:
                    setattr(made, name, method)
            return made

        return make if cls is None else make(cls)


def _write_later(cls: Any, fields: tuple[Field[Any], ...], *, frozen: bool) -> Callable[..., None]:
    """Make the `__init__` of the first instance, which writes that of all others."""

    def write_and_call(self: Any, /, *arguments: Any, **named: Any) -> None:
        written = _write_init(cls, fields, frozen=frozen)
        if cls.__init__ is write_and_call:
            cls.__init__ = written
        written(self, *arguments, **named)

    return write_and_call


def _write_init(cls: Any, fields: tuple[Field[Any], ...], *, frozen: bool) -> Callable[..., None]:
    names: dict[str, Any] = {"_absent": object(), "_set": object.__setattr__}
    positional: list[str] = []
    keywords: list[str] = []
    body: list[str] = []
    for field in fields:
        name, default, make = field.name, field.default, field.default_factory
        value = name
        if not field.init:
            if make is MISSING and default is MISSING:
                continue
            value = f"_make_{name}()" if make is not MISSING else f"_default_{name}"
        else:
            parameter = name
            if make is not MISSING:
                parameter += "=_absent"
                value = f"_make_{name}() if {name} is _absent else {name}"
            elif default is not MISSING:
                parameter += f"=_default_{name}"
            (keywords if field.kw_only else positional).append(parameter)
        names |= {f"_make_{name}": make, f"_default_{name}": default}
        body.append(f"_set(_self, {name!r}, {value})" if frozen else f"_self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("_self.__post_init__()")
    parameters = ", ".join(["_self", *positional, *(["*", *keywords] if keywords else [])])
    lines = "\n ".join(body or ["pass"])
    exec(f"def __init__({parameters}):\n {lines}", names)  # noqa: S102 - as the library does
    written: Callable[..., None] = names["__init__"]
    written.__qualname__, written.__module__ = f"{cls.__qualname__}.__init__", cls.__module__
    return written


def _getter(names: list[str]) -> Callable[[Any], tuple[Any, ...]]:
    """What gives the values of these fields as a tuple."""
    if len(names) > 1:
        return attrgetter(*names)
    return lambda record: tuple(getattr(record, name) for name in names)


def _show(names: list[str]) -> Callable[[Any], str]:
    @recursive_repr()
    def show(self: Any) -> str:
        shown = ", ".join(f"{name}={getattr(self, name)!r}" for name in names)
        return f"{self.__class__.__qualname__}({shown})"

    return show


def _compare(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any, Any], Any]:
    def equals(self: Any, other: Any) -> Any:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return values(self) == values(other)

    return equals


def _hash(values: Callable[[Any], tuple[Any, ...]]) -> Callable[[Any], int]:
    def hashed(self: Any) -> int:
        return hash(values(self))

    return hashed


def _refuse_to_set(self: Any, name: str, value: object) -> None:
    del self, value
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(self: Any, name: str) -> None:
    del self
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _set_state(self: Any, state: tuple[dict[str, Any] | None, dict[str, Any]]) -> None:
    """Read an instance that was packed by `pickle` or `copy`."""
    for values in filter(None, state):
        for name, value in values.items():
            object.__setattr__(self, name, value)
