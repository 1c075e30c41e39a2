"""What the pictures of a page show, and where; templates/blocks.html.jinja draws them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

from candling.measures import MEASURES, Unit
from candling.model.number import Grade, percent
from candling.records import dataclass
from candling.render.wording import short

FIRST, LAST = 2.0, 96.0  # percent of the width: room for dots and arrows at both ends
_MOST_TICKS = 6
_AXES = ((Unit.ROWS, Unit.CONFLICTS), (Unit.LOG2,))  # units that share an axis


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis from `start` to `top`; on a log scale 0 has a place too, as log(1 + x) has."""

    top: float
    log: bool
    ticks: tuple[float, ...]
    start: float = 0.0  # above 0 on linear axes for shares only

    def at(self, value: float) -> float:
        """The place of a value, in percent of the width."""
        inside = min(max(value, self.start), self.top) - self.start
        width = self.top - self.start
        share = math.log1p(inside) / math.log1p(width) if self.log else inside / width
        return round(FIRST + (LAST - FIRST) * share, 2)

    @property
    def labels(self) -> list[tuple[float, str]]:
        """The ticks with what stands below them."""
        return [(tick, short(tick)) for tick in self.ticks]


def make_scale(values: Iterable[float | None], *, wide: float = 20) -> Scale:
    """The axis for these values; by logarithm if the largest is `wide` times the smallest."""
    listed = [float(v) for v in values if v is not None and v > 0]
    largest = max(0.001, max(listed, default=1.0))  # no axis is shorter
    if largest > 100 and largest > wide * min(listed):
        return _logarithmic(largest)
    return _linear(largest)


def percent_scale(values: Iterable[float | None]) -> Scale:
    """The axis for percentages, up to 100 and no further down than they need."""
    lowest = min((v for v in values if v is not None), default=0.0)
    step = next((s for s in (1, 2, 5, 10) if 100 - 5 * s <= lowest), 20)
    start = max(0, min(100 - step, math.floor(lowest / step) * step)) if step < 20 else 0
    ticks = tuple(float(t) for t in range(start, 101, step))
    return Scale(100.0, log=False, ticks=ticks, start=float(start))


def _linear(largest: float) -> Scale:
    rough = largest / (_MOST_TICKS - 2)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(power * k for k in (1, 2, 2.5, 5, 10) if power * k >= rough * (1 - 1e-9))
    count = math.ceil(largest / step - 1e-9)
    ticks = tuple(round(i * step, 12) for i in range(count + 1))
    return Scale(ticks[-1], log=False, ticks=ticks)


def _logarithmic(largest: float) -> Scale:
    powers = math.ceil(math.log10(largest) - 1e-9)
    stride = math.ceil(powers / (_MOST_TICKS - 1))
    ticks = (0.0, *(10.0**p for p in range(stride, powers + 1, stride)))
    return Scale(max(largest * 1.05, ticks[-1] if len(ticks) > 1 else 0), log=True, ticks=ticks)


@dataclass(frozen=True, slots=True)
class Mark:
    """A value with its interval, one line of a picture."""

    value: float | None
    low: float | None
    high: float | None
    hollow: bool = False  # a ring instead of a dot: the first of two


@dataclass(frozen=True, slots=True)
class Pill:
    """A short word that stands out; the sign in it tells the kind, not only the colour."""

    kind: str
    words: str


@dataclass(frozen=True, slots=True)
class Line:
    """One measure or rule: its name, its value, and a picture or words."""

    title: str
    value: str | Pill
    marks: tuple[Mark, ...] = ()
    label: str = ""  # of the picture, for who listens to the page
    words: tuple[str, ...] = ()
    rule: str | None = None  # in the place of words
    meaning: str | None = None  # below the title
    number: int | None = None  # in the list of rules
    pill: Pill | None = None  # beside the title


@dataclass(frozen=True, slots=True)
class Group:
    """Lines on one axis, or lines without one."""

    lines: tuple[Line, ...]
    scale: Scale | None = None
    unit: str = ""


def group_by_axis(names: Sequence[str]) -> Iterator[tuple[list[str], str]]:
    """Measures that share an axis, and what it counts; measures without an axis are left out."""
    for units in _AXES:
        own = [name for name in names if MEASURES[name].unit in units]
        counted = {MEASURES[name].unit for name in own}
        if own:
            yield own, "rows or pairs" if Unit.CONFLICTS in counted else str(counted.pop())


@dataclass(frozen=True, slots=True)
class Arc:
    """A part of the shell of the gauge."""

    kind: str
    length: str
    offset: str


def arcs(grade: Grade) -> list[Arc]:
    """The shell up to the lower bound, up to the upper one, and a needle at the value."""
    if grade.low is None or grade.high is None:
        return []
    shell = [_arc("cd-unsure", grade.low, grade.high), _arc("cd-sure", 0.0, grade.low)]
    if grade.value is None:
        return shell
    ends = max(0.0, grade.value - 0.004), min(1.0, grade.value + 0.004)
    return [*shell, _arc("cd-needle", *ends)]


def words_in_egg(grade: Grade) -> list[str]:
    """The grade in lines of a few characters."""
    if grade.value is not None:
        return [percent(grade.value)]
    low, high = grade.ends_shown
    if low is None and high is None:
        return ["?"]
    if low is None or high is None:
        return ["at least" if high is None else "at most", low or high or ""]
    return [low, "to", high]


def _arc(kind: str, first: float, last: float) -> Arc:
    length = max(0.0, round(100 * (last - first), 3))
    return Arc(kind, f"{length:g}", f"{-round(100 * first, 3):g}")


@dataclass(frozen=True, slots=True)
class Share:
    """A part of a whole, with its place in percent of the width."""

    name: str
    amount: float
    start: float
    width: float
    colour: str


def shares(parts: Sequence[tuple[str, float, str]]) -> list[Share]:
    """Parts with a name, an amount and a colour, in a row."""
    total = sum(amount for _, amount, _ in parts) or 1.0
    placed, start = [], 0.0
    for name, amount, colour in parts:
        width = 100 * amount / total
        placed.append(Share(name, amount, start, width, colour))
        start += width
    return placed
