"""The pictures: inline SVG that needs no script and takes its colours from the style sheet.

Widths are in percent, so that a picture fills whatever room it has and its text stays readable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from candling.measures.grade import Grade
from candling.present.markup import Child, Html, tag
from candling.present.numbers import short
from candling.present.scale import Scale

_EGG = "M50 6C74 6 92 46 92 74C92 99 73 114 50 114C27 114 8 99 8 74C8 46 26 6 50 6Z"
_ARROW = "M-9 -5L0 0L-9 5"


@dataclass(frozen=True, slots=True)
class Mark:
    """A value with its interval, one line of a picture."""

    value: float | None
    low: float | None
    high: float | None
    hollow: bool = False  # a ring instead of a dot: the first of two


def egg() -> Html:
    """The mark of the house."""
    return _svg(
        tag("path", d=_EGG, class_="cd-shell"),
        tag("path", d="M37 84C30 74 36 56 46 46", class_="cd-shine"),
        viewBox="0 0 100 120",
        class_="cd-logo",
        aria_hidden="true",
    )


def gauge(grade: Grade) -> Html:
    """An egg whose shell is drawn as far round as rows can stay; thin where that is unsure."""
    value, low, high = grade.value, grade.low, grade.high
    label = "Grade: cannot be given"
    parts: list[Child] = [tag("path", d=_EGG, class_="cd-glow")]
    parts.append(tag("path", d=_EGG, class_="cd-track"))
    if value is not None and low is not None and high is not None:
        label = f"Grade {grade.shown}, {grade.words}"
        parts += [_arc("cd-unsure", low, high), _arc("cd-sure", 0.0, low)]
        parts.append(_arc("cd-needle", max(0.0, value - 0.004), min(1.0, value + 0.004)))
    shown = "?" if value is None else grade.shown
    parts.append(tag("text", shown, x=50, y=78, class_="cd-percent"))
    return _svg(*parts, viewBox="0 0 100 120", class_="cd-gauge", role="img", aria_label=label)


def _arc(kind: str, first: float, last: float) -> Html:
    length = max(0.0, round(100 * (last - first), 3))
    return tag(
        "path",
        d=_EGG,
        class_=kind,
        pathLength=100,
        stroke_dasharray=f"{length:g} 200",
        stroke_dashoffset=f"{-round(100 * first, 3):g}",
    )


def marks(lines: Sequence[Mark], scale: Scale, label: str) -> Html:
    """Values as dots and intervals as bars, above each other on one axis; as high as its place."""
    height = 14 + 18 * len(lines)
    middle = (len(lines) - 1) / 2
    parts: list[Child] = [_grid(scale)]
    for position, mark in enumerate(lines):
        y = round(18 * (position - middle))
        shape = tag("svg", *_mark(mark, scale), x=0, y=y, width="100%", overflow="visible")
        parts.append(_placed("0", "50%", shape))
    return _svg(
        *parts, width="100%", height=height, class_="cd-marks", role="img", aria_label=label
    )


def _grid(scale: Scale) -> list[Child]:
    return [
        tag("line", x1=_at(scale.at(t)), x2=_at(scale.at(t)), y1=0, y2="100%", class_="cd-grid")
        for t in scale.ticks
    ]


def _mark(mark: Mark, scale: Scale) -> list[Child]:
    """The parts of a mark, around y = 0."""
    parts: list[Child] = []
    kind = "cd-bar cd-first" if mark.hollow else "cd-bar"
    left = _at(scale.at(mark.low or 0.0))
    ends: tuple[str, ...] = () if mark.low is None else (left,)
    if mark.high is not None:
        right = _at(scale.at(mark.high))
        parts.append(tag("line", x1=left, x2=right, y1=0, y2=0, class_=kind))
        ends += (right,)
    elif mark.low is not None:
        turn = _at(max(scale.at(mark.low), scale.at(mark.value or 0.0)))
        first = " cd-first" if mark.hollow else ""
        parts += [
            tag("line", x1=left, x2=turn, y1=0, y2=0, class_=kind),
            tag("line", x1=turn, x2="99%", y1=0, y2=0, class_=f"cd-open{first}"),
            _placed("99.5%", "0", tag("path", d=_ARROW, class_=f"cd-arrow{first}")),
        ]
    parts += [tag("line", x1=x, x2=x, y1=-8, y2=8, class_="cd-end") for x in ends]
    if mark.value is not None:
        dot = "cd-dot cd-ring" if mark.hollow else "cd-dot"
        parts.append(tag("circle", cx=_at(scale.at(mark.value)), cy=0, r=5, class_=dot))
    return parts


def axis(scale: Scale) -> Html:
    """The numbers below the lines of a picture; what they are is said in words elsewhere."""
    labels = [
        tag("text", short(t), x=_at(scale.at(t)), y=14, class_="cd-tick") for t in scale.ticks
    ]
    return _svg(*labels, width="100%", height=20, class_="cd-axis", aria_hidden="true")


def bar(mark: Mark, scale: Scale, label: str) -> Html:
    """A value as a bar from 0, its interval as a thin line across the end."""
    y = 11
    zero = scale.at(0)
    width = _at(max(0.4, scale.at(mark.value or 0.0) - zero))
    parts: list[Child] = [_grid(scale)]
    parts.append(tag("rect", x=_at(zero), y=4, width=width, height=14, rx=3, class_="cd-block"))
    low, high = scale.at(mark.low or 0.0), scale.at(mark.high if mark.high is not None else 1e99)
    parts.append(tag("line", x1=_at(low), x2=_at(high), y1=y, y2=y, class_="cd-whisker"))
    parts += [
        tag("line", x1=_at(x), x2=_at(x), y1=y - 5, y2=y + 5, class_="cd-whisker")
        for x in (low, high)
    ]
    return _svg(*parts, width="100%", height=22, class_="cd-marks", role="img", aria_label=label)


def stack(shares: Sequence[tuple[float, str]], label: str) -> Html:
    """Parts of a whole in a row, numbered from 1; each share comes with the class of its colour."""
    total = sum(share for share, _ in shares) or 1.0
    parts: list[Child] = []
    start = 0.0
    for position, (share, kind) in enumerate(shares, 1):
        width = 100 * share / total
        parts.append(
            tag(
                "rect", x=_at(start), y=0, width=_at(width), height="100%", class_=f"cd-part {kind}"
            )
        )
        if width >= 4:
            middle = _at(start + width / 2)
            parts.append(tag("text", str(position), x=middle, y=19, class_=f"cd-number {kind}"))
        start += width
    return _svg(*parts, width="100%", height=28, class_="cd-stack", role="img", aria_label=label)


def key(kind: str) -> Html:
    """A small sample for a legend: dot, ring, bar, open."""
    shapes: dict[str, list[Child]] = {
        "dot": [tag("circle", cx=15, cy=8, r=5.5, class_="cd-dot")],
        "ring": [tag("circle", cx=15, cy=8, r=5.5, class_="cd-dot cd-ring")],
        "bar": [
            tag("line", x1=3, x2=27, y1=8, y2=8, class_="cd-bar"),
            tag("line", x1=3, x2=3, y1=2, y2=14, class_="cd-end"),
            tag("line", x1=27, x2=27, y1=2, y2=14, class_="cd-end"),
        ],
        "open": [
            tag("line", x1=2, x2=26, y1=8, y2=8, class_="cd-open"),
            _placed("28", "8", tag("path", d=_ARROW, class_="cd-arrow")),
        ],
    }
    return _svg(*shapes[kind], width=30, height=16, class_="cd-key", aria_hidden="true")


def _placed(x: str, y: str, shape: Html) -> Html:
    """A shape of fixed size at a place that is a percentage."""
    return _svg(shape, x=x, y=y, width="100%", overflow="visible", class_="cd-place")


def _svg(*children: Child, **attributes: str | float | bool | None) -> Html:
    return tag("svg", *children, **attributes)


def _at(place: float) -> str:
    return f"{round(place, 2):g}%"
