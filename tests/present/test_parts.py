"""The small parts: grade, axis, guarantee, numbers, style."""

from __future__ import annotations

import math
import re
from importlib.resources import files

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candling.present.guarantee import after, examples, sentences
from candling.present.markup import Html, coded, join, tag, text, verbatim
from candling.present.numbers import factor, short, shown, signed, signed_span, span
from candling.present.scale import FIRST, LAST, make_scale, percent_scale
from tests.present.cards import card, full


@given(st.lists(st.floats(0, 1e15), min_size=1, max_size=8))
def test_everything_is_on_the_axis_and_in_order(values: list[float]) -> None:
    scale = make_scale(values)
    places = [scale.at(v) for v in sorted(values)]
    assert places == sorted(places)
    assert all(FIRST <= place <= LAST for place in places)
    assert scale.top >= max(values)
    assert 2 <= len(scale.ticks) <= 7
    assert all(0 <= tick <= scale.top * (1 + 1e-9) for tick in scale.ticks)


@given(st.lists(st.floats(0, 100), min_size=1, max_size=8))
def test_shares_are_on_their_axis(values: list[float]) -> None:
    scale = percent_scale(values)
    assert scale.start <= min(values)
    assert scale.ticks[-1] == 100
    assert 2 <= len(scale.ticks) <= 7


def test_axes_are_linear_where_they_can_be() -> None:
    assert not make_scale([142, 169, 196]).log
    assert make_scale([142, 169, 196]).ticks == (0, 50, 100, 150, 200)
    assert make_scale([3, 60_000]).log
    assert not make_scale([]).log


@given(st.floats(0.001, 0.999), st.floats(0, 800))
def test_odds_move_by_no_more_than_the_factor(prior: float, epsilon: float) -> None:
    low, high = after(prior, epsilon)
    assert 0 <= low <= prior * (1 + 1e-9)
    assert prior * (1 - 1e-9) <= high <= 1


def test_examples_are_rounded_against_us() -> None:
    assert examples(card(full())) == [
        ("1%", "0.3%", "2.7%"),  # 2.67
        ("10%", "3.9%", "23.2%"),
        ("50%", "26.8%", "73.2%"),
    ]


@pytest.mark.parametrize("epsilon", [0.001, 1.0, 5.0, 100.0, 1e9])
def test_the_guarantee_can_be_said_for_any_epsilon(epsilon: float) -> None:
    told = " ".join(sentences(card(full() | {"epsilon": epsilon})))
    assert factor(epsilon) in told
    assert ("leaves little of the protection" in told) == (epsilon >= 5)


def test_numbers() -> None:
    assert [shown(v) for v in (None, 1234, 2.0, 2.5, "x")] == ["–", "1,234", "2", "2.5", "x"]
    assert [signed(v) for v in (None, 0, 3, -2.5)] == ["?", "0", "+3", "−2.5"]
    assert [short(v) for v in (0, 10, 2500, 1e6, 1e9, 1e12)] == [
        "0",
        "10",
        "2.5k",
        "1M",
        "1B",
        "1T",
    ]
    assert short(1e20) == "10²⁰"
    assert span(None, None) == "no bounds"
    assert span(None, 3) == "at most 3"
    assert signed_span(None, 3) == "+3 or less"
    assert signed_span(-1, None) == "−1 or more"
    assert factor(1) == "2.72"
    assert factor(8) == "2,981"
    assert factor(100) == "2.7 × 10⁴³"
    assert factor(math.inf) == "more than 10³⁰⁰"


def test_strings_are_escaped_and_only_markup_is_not() -> None:
    assert tag("p", "<b>", title='"x"') == '<p title="&quot;x&quot;">&lt;b&gt;</p>'
    assert tag("p", Html("<b>"), None, ["&", tag("br")]) == "<p><b>&amp;<br></p>"
    assert tag("p", hidden=True, title=None, class_="x") == '<p hidden class="x"></p>'
    assert text("\x00\ud800\x9f") == "\ufffd" * 3
    assert join("a", ["b", ["c"]]) == "abc"
    assert verbatim("x" * 50, 10) == f'<bdi class="cd-verbatim">{"x" * 9}…</bdi>'
    assert coded("a `b<` c") == "<bdi>a <code>b&lt;</code> c</bdi>"
    assert coded("it`s") == "<bdi>it`s</bdi>"


# The style


def sheet(name: str) -> str:
    css = files("candling.present").joinpath(name).read_text("utf-8")
    return re.sub(r"/\*.*?\*/", "", css, flags=re.DOTALL)


@pytest.mark.parametrize("name", ["theme.css", "page.css"])
def test_no_rule_leaks_out(name: str) -> None:
    """In a notebook the style stands among that of others."""
    selectors = re.findall(
        r"([^{}]+)\{[^{}]*\}", re.sub(r"@(media|container)[^{]*\{", "", sheet(name))
    )
    assert len(selectors) > 20
    for selector in selectors:
        for part in selector.replace("}", "").strip().split(","):
            assert part.strip().startswith((".candling", "html.candling", "@page")), part


def _light(colour: str) -> float:
    digits = colour.lstrip("#")
    digits = digits if len(digits) == 6 else "".join(2 * c for c in digits)
    parts = [int(digits[i : i + 2], 16) / 255 for i in (0, 2, 4)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(first: str, second: str) -> float:
    """As WCAG 2 defines it."""
    high, low = sorted((_light(first), _light(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark", "print"])
def test_colours_stand_out(mode: str) -> None:
    theme = sheet("theme.css")
    light, dark = theme.split("@media (prefers-color-scheme: dark)", 1)
    blocks = {"light": light, "dark": dark, "print": light + sheet("page.css")}
    tokens = dict(re.findall(r"--cd-([\w-]+): (#\w+);", blocks[mode]))
    for ink, paper, least in [
        ("ink", "panel", 7),
        ("ink", "paper", 7),
        ("soft", "panel", 4.5),
        ("soft", "paper", 4.5),
        ("ink", "code", 4.5),
        ("yes-ink", "yes", 4.5),
        ("no-ink", "no", 4.5),
        ("none-ink", "none", 4.5),
        ("ink", "left", 4.5),
        ("bar", "panel", 3),
        ("dot", "panel", 3),
        ("first", "panel", 3),
        ("on", "before", 3),
        *((("on", f"c{i}", 4.5)) for i in range(8)),
    ]:
        assert contrast(tokens[ink], tokens[paper]) >= least, (ink, paper)
