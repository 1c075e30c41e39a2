"""A line for each measure: its name, its value, and a picture where one makes sense."""

from __future__ import annotations

from typing import TYPE_CHECKING

from candling.present import pictures
from candling.present.markup import Child, Html, tag, verbatim
from candling.present.names import MEANINGS, name_of
from candling.present.numbers import number, shown, span
from candling.present.pictures import Mark
from candling.present.scale import Scale, make_scale

if TYPE_CHECKING:
    from candling.measures.shown import Shown

LONGEST_NAME = 160  # characters of a rule beside its picture; all of it is in the list of rules
LISTED = 400  # rules that are drawn
_APART = {"drastic", "worst_rule", "maximal_consistent"}  # not on the axis of the counts


def measure_lines(readings: list[Shown]) -> Html:
    """All measures: counts on one axis, what has another unit below, what is no number last."""
    counts = [r for r in readings if r.name not in _APART and number(r) is not None]
    logs = [r for r in readings if r.name == "maximal_consistent" and number(r) is not None]
    rest = [r for r in readings if r not in counts and r not in logs]
    lines: list[Child] = []
    pairs = any(r.name == "minimal_inconsistent" for r in counts)
    for group, unit in ((counts, "rows or pairs" if pairs else "rows"), (logs, "log₂")):
        if group:
            scale = make_scale(v for r in group for v in (number(r), *r.interval()))
            lines += [*(_drawn(r, scale) for r in group), axis_line(scale, unit)]
    lines += [_plain(r) for r in rest]
    return tag("div", *lines, class_="cd-lines")


def legend(readings: list[Shown]) -> Html:
    """What the shapes mean; only those that are there."""
    drawn = [r for r in readings if number(r) is not None and r.name != "drastic"]
    entries = [("dot", "value"), ("bar", "95% interval")] if drawn else []
    if any(low is not None and high is None for low, high in (r.interval() for r in drawn)):
        entries.append(("open", "no upper bound"))
    items = (tag("li", pictures.key(kind), words) for kind, words in entries)
    return tag("ul", items, class_="cd-legend")


def stated(reading: Shown) -> bool:
    """Whether a number is public."""
    low, high = reading.interval()
    return reading.name == "rows" and low == high and reading.epsilon == 0


def _drawn(reading: Shown, scale: Scale) -> Html:
    words = "as stated" if stated(reading) else span(*reading.interval())
    label = f"{name_of(reading.name)}: {shown(reading.value)}, {words}"
    mark = Mark(number(reading), *reading.interval())
    value = tag("span", shown(reading.value), class_="cd-value")
    return line(reading.name, value, pictures.marks([mark], scale, label), words)


def _plain(reading: Shown) -> Html:
    """A measure that is no number: yes or no, a rule, or refused."""
    if reading.value is None:
        words = "The rules do not allow it; nothing was spent."
        return worded(reading.name, pill("none", "not released"), words)
    if reading.name == "drastic" and reading.value:
        return worded(reading.name, pill("yes", "▲ yes"), "beyond what noise explains")
    if reading.name == "drastic":
        return worded(reading.name, pill("no", "○ no sign"), "nothing beyond what noise explains")
    rule = tag("code", verbatim(shown(reading.value), LONGEST_NAME))
    return worded(reading.name, pill("yes", "▲ worst"), rule)


# The pieces


def line(measure: str, value: Child, picture: Child, words: Child) -> Html:
    """A line with a picture."""
    return tag(
        "div",
        _name(measure),
        value,
        tag("div", picture, class_="cd-picture"),
        tag("span", words, class_="cd-words"),
        class_="cd-line",
    )


def worded(measure: str, value: Child, words: Child) -> Html:
    """A line with words where others have a picture."""
    return tag("div", _name(measure), value, tag("div", words, class_="cd-wide"), class_="cd-line")


def axis_line(scale: Scale, unit: str) -> Html:
    """The axis below lines."""
    words = tag("span", _unit(scale, unit))
    return tag("div", words, pictures.axis(scale), class_="cd-scale")


def axis_item(scale: Scale, unit: str) -> Html:
    """The axis below a list of rules."""
    words = tag("span", _unit(scale, unit), class_="cd-unit")
    return tag("li", words, pictures.axis(scale), aria_hidden="true")


def pill(kind: str, words: str) -> Html:
    """A short word that stands out; the sign in it tells the kind, not only the colour."""
    return tag("span", words, class_=f"cd-pill cd-{kind}")


def _name(measure: str) -> Html:
    meaning = tag("small", MEANINGS[measure]) if measure in MEANINGS else None
    return tag("span", tag("b", name_of(measure)), meaning, class_="cd-name")


def _unit(scale: Scale, unit: str) -> str:
    return f"{unit}, log scale" if scale.log else unit
