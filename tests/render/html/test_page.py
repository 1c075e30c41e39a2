"""The frame of a page: what is escaped, what a page carries, and its style."""

from __future__ import annotations

import re
from importlib.resources import files
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder
from jinja2 import UndefinedError

from candling.render.html import _environment, embedded, made_by


def made(template: str, **values: object) -> str:
    return _environment().from_string(template).render(values)


def test_values_are_escaped_and_what_cannot_be_shown_is_replaced() -> None:
    assert made('<p title="{{ x }}">{{ x }}</p>', x='<b>"&') == (
        '<p title="&lt;b&gt;&#34;&amp;">&lt;b&gt;&#34;&amp;</p>'
    )
    assert made("{{ x }}", x="\x00\ud800\x9f") == "\ufffd" * 3
    parts = "{% import 'blocks.html.jinja' as parts %}"
    verbatim = parts + "{{ parts.verbatim(x, 10) }}"
    assert made(verbatim, x="x" * 50) == f'<bdi class="cd-verbatim">{"x" * 9}…</bdi>'
    coded = parts + "{{ parts.coded(x) }}"
    assert made(coded, x="a `b<` c") == "<bdi>a <code>b&lt;</code> c</bdi>"
    assert made(coded, x="it`s") == "<bdi>it`s</bdi>"
    assert made(parts + "{{ parts.name_code(x) }}", x="by_<b>") == "<code>by_<wbr>&lt;b&gt;</code>"


def test_a_value_that_is_missing_is_an_error_and_not_an_empty_text() -> None:
    with pytest.raises(UndefinedError):
        made("{{ missing }}")


def test_the_wheel_has_all_that_pages_are_made_of() -> None:
    root = Path(__file__).parents[3]
    packed = {f.distribution_path for f in WheelBuilder(str(root)).recurse_included_files()}
    here = root / "src" / "candling" / "render" / "html"
    needed = [*here.glob("*.css"), *here.glob("templates/*.jinja")]
    assert len(needed) == 5
    assert {str(path.relative_to(root / "src")) for path in needed} <= packed


def test_what_a_page_carries() -> None:
    assert embedded("<p>no card</p>") is None
    assert embedded('<meta name="candling-card" content="{&#34;a&#34;:1}">') == '{"a":1}'
    assert made_by('<!DOCTYPE html>\n<meta name="generator" content="candling 1.2">') == "1.2"
    assert made_by('<meta name="generator" content="candling 1.2">') is None


# The style


def sheet(name: str) -> str:
    css = files("candling.render.html").joinpath(name).read_text("utf-8")
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
