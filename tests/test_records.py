"""`records.dataclass` does what the library's does."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from dataclasses import FrozenInstanceError, field, replace
from functools import cached_property
from typing import Any

import pytest

from candling import records

MAKERS = pytest.mark.parametrize("make", [dataclasses.dataclass, records.dataclass])


def classes(make: Any) -> tuple[Any, ...]:
    @make(frozen=True, slots=True)
    class Point:
        """A frozen one with slots."""

        x: int
        y: int = 2
        names: list[str] = field(default_factory=list, compare=False)
        hidden: str = field(default="h", repr=False)
        fixed: int = field(default=7, init=False)

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError("below 0")

    @make(frozen=True, slots=True)
    class Space(Point):
        """One that inherits, and has a field that must be named."""

        z: int = field(default=0, kw_only=True)

    @make(frozen=True)
    class Open:
        """A frozen one without slots."""

        x: int

        @cached_property
        def double(self) -> int:
            return 2 * self.x

        def __repr__(self) -> str:
            return "Open"

    @make
    class Loose:
        """One that can change."""

        x: int
        y: str = "a"

    @make(frozen=True, slots=True, eq=False)
    class Same:
        """One that is equal to itself alone."""

        x: int

    return Point, Space, Open, Loose, Same


@MAKERS
def test_instances_are_made_shown_and_compared_alike(make: Any) -> None:
    Point, Space, Open, Loose, Same = classes(make)
    one = Point(1)
    assert (one.x, one.y, one.names, one.hidden, one.fixed) == (1, 2, [], "h", 7)
    assert repr(one).endswith("Point(x=1, y=2, names=[], fixed=7)")
    assert one == Point(1, names=["other"]) != Point(1, 3)
    assert one != Space(1)
    assert hash(one) == hash(Point(1, names=["other"]))
    assert Point(1).names is not one.names
    assert Space(1, z=4) == Space(1, 2, z=4) != Space(1)
    with pytest.raises(TypeError):
        Space(1, 2, [], "h", 4)
    with pytest.raises(TypeError, match="missing"):
        Point()
    with pytest.raises(ValueError, match="below"):
        Point(-1)
    assert replace(one, y=5) == Point(1, 5)
    assert dataclasses.asdict(Loose(3)) == {"x": 3, "y": "a"}
    assert [f.name for f in dataclasses.fields(Space)] == [
        *("x", "y", "names", "hidden", "fixed", "z")
    ]
    assert repr(Open(1)) == "Open"
    assert Open(4).double == 8
    assert Same(1) != Same(1)
    match one:
        case Point(1, y):
            assert y == 2


@MAKERS
def test_a_frozen_instance_does_not_change(make: Any) -> None:
    Point, Space, Open, Loose, _ = classes(make)
    for frozen in (Point(1), Space(1), Open(1)):
        with pytest.raises(FrozenInstanceError, match="cannot assign to field 'x'"):
            frozen.x = 2
        with pytest.raises(FrozenInstanceError, match="cannot delete field 'x'"):
            del frozen.x
    loose = Loose(1)
    loose.x = 5
    assert loose == Loose(5)
    with pytest.raises(TypeError, match="unhashable"):
        hash(loose)
    with pytest.raises(AttributeError):
        Point(1).__dict__  # noqa: B018


@records.dataclass(frozen=True, slots=True)
class Packed:
    """At the top of a module, where `pickle` finds it."""

    x: int
    names: tuple[str, ...] = ()


def test_instances_are_packed_and_copied() -> None:
    one = Packed(1, ("a",))
    assert pickle.loads(pickle.dumps(one)) == one
    assert copy.deepcopy(one) == one
