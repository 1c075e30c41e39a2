"""How the figures look: the same colours everywhere, and a line that says what the data is."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from candling.errors import UsageError
from candling_paper.experiments.setup import Setup
from candling_paper.experiments.store import Row

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = ("png", "svg")
DPI = 110
_FOOTER_SIZE = 7
_NOTE_SIZE = 6.5
_NOTE_CHARACTERS = 50  # over a panel of a figure with five columns
_CHARACTERS_PER_INCH = 17.5  # of the footer

# Colours that people with any common form of colour blindness tell apart (Okabe and Ito), and more
# that differ in brightness. One colour is one way, in every figure.
BLACK, BLUE, ORANGE, RED, GREEN = "#000000", "#0072B2", "#E69F00", "#D55E00", "#009E73"
SKY, PINK, GREY, VIOLET = "#56B4E9", "#CC79A7", "#8A8A8A", "#5B2A86"
BROWN, NAVY, OLIVE, TEAL = "#8C6D1F", "#14284B", "#9A9A00", "#3F7F7F"
MAGENTA, LIME, DARK = "#C2185B", "#7CB518", "#4D4D4D"

# The paper's order, from top to bottom.
MEASURES = ("problematic", "minimal_inconsistent", "repair")


@dataclass(frozen=True, slots=True)
class Look:
    """A way's label, colour and dashes: solid if private, dashed if not."""

    label: str
    colour: str
    dashes: str = "-"
    marker: str = "o"

    @property
    def line(self) -> dict[str, Any]:
        """Arguments for a plotted line."""
        return {
            "color": self.colour,
            "linestyle": self.dashes,
            "marker": self.marker,
            "markersize": 3,
            "linewidth": 1.4,
            "label": self.label,
        }


TRUTH = Look("true value", BLACK, marker="")
PRINTED = Look("printed in the paper", BLACK, "", "*")
PRINTED_BAR = Look("printed in the paper", BLACK, "--")
LOOKS: Mapping[str, Look] = {
    "ours": Look("ours", BLUE),
    "ours_one_draw": Look("ours, all measures in one draw", NAVY, "-.", "D"),
    "made_private": Look("paper, made private", RED, marker="s"),
    "as_coded": Look("paper, as coded (not private)", ORANGE, "--", "s"),
    "as_printed": Look("paper, as printed (not private)", BROWN, "--", "P"),
    "r2t_made_private": Look("R2T, made private", GREEN, marker="^"),
    "r2t_as_coded": Look("R2T, as coded (not private)", SKY, "--", "^"),
    "r2t_as_printed": Look("R2T, as printed (not private)", TEAL, "--", "<"),
    "opt2": Look("OPT2", OLIVE, marker=">"),
    "sql_counts": Look("one COUNT for each rule", GREY, marker="x"),
    "node_truncation": Look("nodes truncated", VIOLET, marker="v"),
    "distinct": Look("Knop and Steinke", MAGENTA, marker="h"),
    **{
        f"{form}_{name}": Look(f"{label}, {said}", colour, dashes, marker)
        for form, said, dashes in (
            ("made_private", "made private", "-"),
            ("as_coded", "as coded (not private)", "--"),
            ("as_printed", "as printed (not private)", "--"),
        )
        for name, label, colour, marker in (
            ("baseline_1", "Baseline 1", GREY, "x"),
            ("exponential", "one choice", PINK, "D"),
            ("hierarchical", "two choices", VIOLET, "v"),
        )
    },
    "baseline_2": Look("Baseline 2 (not private)", DARK, ":", "+"),
    "graph": Look("finding the conflicts (ours), for all", LIME, "-.", "."),
}
MEASURE_TITLES = {
    "minimal_inconsistent": "minimal_inconsistent (pairs)",
    "problematic": "problematic (rows)",
    "repair": "repair",
}


def require_matplotlib() -> None:
    """Raise UsageError if figures cannot be drawn, before anything is computed."""
    if find_spec("matplotlib") is None:
        raise UsageError(
            "Figures need matplotlib, which is not installed: pip install candling-paper",
            code="U211",
        )


def new_figure(rows: int, columns: int, *, width: float, height: float) -> tuple[Figure, Any]:
    """A figure and its panels, always as rows of columns."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(rows, columns, squeeze=False)


def finish(figure: Figure, title: str, footer: str, *, legend: int) -> Figure:
    """A legend of all panels' lines in `legend` columns under the title, and the footer."""
    width = int(figure.get_figwidth() * _CHARACTERS_PER_INCH)
    lines = textwrap.fill(footer, width)
    figure.supxlabel(lines, fontsize=_FOOTER_SIZE, x=0.01, ha="left", color="#444444")
    found: dict[str, Any] = {}
    for axis in figure.axes:
        for handle, label in zip(*axis.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    figure.legend(
        list(found.values()),
        list(found),
        loc="outside upper center",
        ncols=legend,
        fontsize=8,
        frameon=False,
        title=title,  # a title of the figure would lie on the legend
        title_fontproperties={"weight": "bold", "size": 11},
    )
    return figure


def first_of(rows: Iterable[Row], *ways: str) -> list[str]:
    """The first of these ways that has rows, as a list; an empty one if none has."""
    there = {row["method"] for row in rows}
    return [way for way in ways if way in there][:1]


def line_with_band(
    panel: Any,
    places: Sequence[float],
    middle: Sequence[float],
    bounds: Sequence[tuple[float, float]],
    look: Look,
    *,
    log: bool = False,
) -> None:
    """A line and what lies around it, shaded."""
    panel.plot(places, middle, **look.line)
    low, high = zip(*bounds, strict=True)
    if log:  # where a band may reach down to 0, a tenth of the line is far enough
        low = tuple(max(b, m / 10) for b, m in zip(low, middle, strict=True))
    panel.fill_between(places, low, high, color=look.colour, alpha=0.13, linewidth=0)


def note_above(panel: Any, parts: Sequence[str]) -> None:
    """Small text over a panel, outside of its data, in three lines at most."""
    lines = [""]
    for part in parts:
        joined = f"{lines[-1]}; {part}" if lines[-1] else part
        if len(joined) <= _NOTE_CHARACTERS:
            lines[-1] = joined
        else:
            lines.append(part)
    # As a title: the layout leaves room above for it, and does not make the panel narrower.
    text = "\n".join(lines)
    panel.set_title(text, loc="left", fontsize=_NOTE_SIZE, color="#333333", linespacing=1.2, pad=3)


def column_title(panel: Any, text: str) -> None:
    """The title of a column of panels, over the note of the first."""
    panel.annotate(
        text,
        (0.5, 1),
        (0, 23),
        xycoords="axes fraction",
        textcoords="offset points",
        ha="center",
        va="bottom",
        fontsize=10,
        fontweight="bold",
    )


def rendered(draw: Callable[[], Figure]) -> dict[str, bytes]:
    """The figure as files by format, the same bytes for the same numbers."""
    require_matplotlib()
    from matplotlib import rc_context

    found = {}
    with rc_context(_STYLE):
        figure = draw()
        figure.draw_without_rendering()  # lays the panels out, once for all formats
        figure.set_layout_engine("none")
        for kind in FORMATS:
            written = io.BytesIO()
            metadata: dict[str, Any] = {"Date": None} if kind == "svg" else {"Software": None}
            figure.savefig(written, format=kind, dpi=DPI, metadata=metadata)
            found[kind] = written.getvalue()
    return found


def footer(setup: Setup, names: Sequence[str], *parts: str) -> str:
    """What the data is, how much of it, and how often it was drawn."""
    said = ". ".join(parts)
    return f"{setup.origins(tuple(names))} {said}. {setup.mode.name.capitalize()} mode."


def log_scale(panel: Any, axes: str = "y") -> None:
    """Logarithmic axes, after plotting; ticks between powers of ten only where those are few."""
    from matplotlib.ticker import FuncFormatter, NullLocator

    for name in axes:
        getattr(panel, f"set_{name}scale")("log")
        low, high = getattr(panel, f"get_{name}lim")()
        axis = getattr(panel, f"{name}axis")
        axis.set_major_formatter(FuncFormatter(_short))
        if high >= 20 * low:
            axis.set_minor_locator(NullLocator())
        else:
            axis.set_minor_formatter(FuncFormatter(_short))


def _short(value: float, _: int | None = None) -> str:
    """`0.01`, `10k` or `2M`."""
    for unit, letter in ((1e6, "M"), (1e3, "k")):
        if value >= 10 * unit or value == unit == 1e6:
            return f"{value / unit:g}{letter}"
    return f"{value:g}" if value >= 1e-4 else f"{value:.9f}".rstrip("0")


def short_numbers(axis: Any) -> None:
    """Tick labels as 10k and 2M."""
    from matplotlib.ticker import EngFormatter

    axis.set_major_formatter(EngFormatter(sep=""))


def counted(count: int, thing: str) -> str:
    """`1 sample`, `2 samples`."""
    return f"{count:,} {thing}{'' if count == 1 else 's'}"


def percent(share: float) -> str:
    """`0.5%`."""
    return f"{100 * share:g}%"


@dataclass
class Bars:
    """Groups of bars side by side."""

    axis: Any
    groups: Sequence[str]
    drawn: int = field(default=0)

    def add(
        self,
        look: Look,
        heights: Iterable[float | None],
        of: int,
        *,
        outline: bool = False,
        errors: Sequence[float | None] | None = None,
        **extra: Any,
    ) -> None:
        """One bar in every group, of `of`; hatched if not private, an outline if printed."""
        width = 0.8 / of
        places = [g - 0.4 + (self.drawn + 0.5) * width for g in range(len(self.groups))]
        listed = list(heights)
        known = [(x, h) for x, h in zip(places, listed, strict=True) if h is not None]
        if errors is not None:
            reach = [e or 0.0 for e, h in zip(errors, listed, strict=True) if h is not None]
            # A logarithmic axis has no 0 to reach down to.
            down = [min(e, 0.9 * h) for e, (_, h) in zip(reach, known, strict=True)]
            extra |= {"yerr": [down, reach], "capsize": 2, "error_kw": {"linewidth": 0.8}}
        if known:
            self.axis.bar(
                [x for x, _ in known],
                [h for _, h in known],
                width * 0.92,
                facecolor="white" if outline else look.colour,
                edgecolor=look.colour if outline else "white",
                linewidth=1.5 if outline else 0.5,
                hatch="//" if look.dashes == "--" and not outline else "",
                label=look.label,
                **extra,
            )
        self.drawn += 1
        self.axis.set_xticks(range(len(self.groups)), self.groups)


_STYLE: Any = {
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e6e6e6",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "hatch.linewidth": 0.6,
    "svg.fonttype": "none",
    "svg.hashsalt": "candling",
    "path.simplify": True,
}
