"""The grade of a card as each output shows it, read back from what a person or program gets."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from fractions import Fraction
from html import unescape
from unittest import mock

import candling
from candling.cli.explain import print_explanation
from candling.compare_cards import compare
from candling.gates import judge, parse_gate
from candling.model.number import percent
from candling.render.csv import card_as_csv
from candling.render.views.explanation import explain_card
from tests.render.shown import card_markdown, card_page, comparison_page, show_card, show_comparison

_REMAIN = r"of the (?:kept )?rows would remain after the smallest clean-up"
_SENTENCE = re.compile(
    rf"(?:(Between [\d.]+% and [\d.]+%|At least [\d.]+%|At most [\d.]+%|[\d.]+%) {_REMAIN}\."
    rf"|About ([\d.]+)% {_REMAIN} \(([^)]*)\)\."
    rf"|(Cannot tell): the noise hides how many {_REMAIN}\.)"
)
_SHORT = re.compile(r"Grade (?:about ([\d.]+)% \(([^)]*), |([^(]+) \()95% confidence\)")


@dataclass(frozen=True)
class Number:
    """Value and interval, in percent, with the digits that are shown."""

    value: str | None  # None: the output has the interval alone
    low: str
    high: str

    def holds(self, grade: Fraction) -> bool:
        """Whether a grade is inside the interval, as it is shown."""
        return Fraction(self.low) / 100 <= grade <= Fraction(self.high) / 100


def _numbers(value: float | None, low: float, high: float) -> Number:
    """Of an output with numbers for programs, what a person would be shown."""
    ends = (percent(low), percent(high)) if low == high else (
        percent(low, up=False), percent(high, up=True)
    )  # fmt: skip
    shown = None if value is None or low == high else percent(value).removesuffix("%")
    return Number(shown, *(end.removesuffix("%") for end in ends))


def _ends(words: str) -> tuple[str, str]:
    """The ends of an interval in words, in percent."""
    words = words.lower()
    if words == "cannot tell":
        return "0", "100"
    found = re.findall(r"([\d.]+)%", words)
    if "at least" in words:
        return found[0], "100"
    if "at most" in words:
        return "0", found[0]
    return found[0], found[-1]


def _in_text(text: str, pattern: re.Pattern[str] = _SENTENCE) -> Number:
    found = {
        tuple(filter(None, match.groups())) for match in pattern.finditer(" ".join(text.split()))
    }
    assert len(found) == 1, f"one grade, not {found} in {text}"
    *value, words = found.pop()
    return Number(value[0] if value else None, *_ends(words))


def _plain(html: str) -> str:
    """The words of a page, without its style sheet; attributes are kept apart."""
    page = re.sub(r"<style>.*?</style>", "", html, flags=re.DOTALL)
    return unescape(re.sub(r"<[^>]+>", "", page))


def _printed(show: Callable[[], None], columns: int) -> str:
    with (
        mock.patch.dict(os.environ, {"COLUMNS": str(columns)}),
        redirect_stdout(io.StringIO()) as out,
        redirect_stderr(io.StringIO()),
    ):
        show()
    return out.getvalue()


def _stored(card: candling.Card) -> candling.Card:
    """The card, from its JSON."""
    return candling.Card.from_dict(json.loads(json.dumps(card.to_dict())))


def terminal(card: candling.Card, columns: int) -> Number:
    """`candling release`."""
    return _in_text(_printed(lambda: show_card(card), columns))


def markdown(card: candling.Card) -> Number:
    """`candling release --format markdown`."""
    return _in_text(card_markdown(card, "title").replace("*", ""))


def as_csv(card: candling.Card) -> Number:
    """`candling release --format csv`."""
    lines = {line["measure"]: line for line in csv.DictReader(card_as_csv(card).splitlines())}
    value, low, high = (lines["grade"][name] for name in ("value", "low", "high"))
    return _numbers(float(value) if value else None, float(low), float(high))


def as_json(card: candling.Card) -> Number:
    """`candling release --json`."""
    told = json.loads(json.dumps(card.to_dict()))["grade"]
    return _numbers(told["value"], told["low"], told["high"])


def python(card: candling.Card) -> Number:
    """`card.grade`."""
    grade = card.grade
    assert grade.low is not None
    assert grade.high is not None
    return _numbers(grade.value, grade.low, grade.high)


def frame(card: candling.Card) -> Number:
    """`card.to_frame()`."""
    line = card.to_frame().loc["grade"]
    value = None if line["value"] != line["value"] else float(line["value"])
    return _numbers(value, float(line["low"]), float(line["high"]))


def page(card: candling.Card) -> Number:
    """`--report card.html`: in the text, and for who listens to it."""
    html = card_page(card)
    told = re.search(r'aria-label="(Grade [^"]+)"', html)
    assert told is not None
    shown = _in_text(_plain(html))
    assert _in_text(told[1], _SHORT) == shown
    return shown


def cell(card: candling.Card) -> Number:
    """In a notebook."""
    return _in_text(_plain(card._repr_html_()))


def explained(card: candling.Card) -> Number:
    """`candling explain card.json`."""
    sentences = explain_card(_stored(card))
    return _in_text(_printed(lambda: print_explanation(sentences), 80))


def compared(card: candling.Card) -> Number:
    """`candling compare card.json card.json`, and its page."""
    found = compare(_stored(card), _stored(card))
    shown = _in_text(_printed(lambda: show_comparison(found), 80), _SHORT)
    assert _in_text(_plain(comparison_page(found))) == shown
    told = found.to_dict()["measures"]["grade"]["a"]
    assert _numbers(told["value"], told["low"], told["high"]) == shown
    return shown


def gate(card: candling.Card) -> Number:
    """`--fail-if "grade < 50%"`: the interval that it was judged by."""
    verdict = judge(parse_gate("grade < 50%"), card)
    printed = " ".join(_printed(lambda: show_card(replace(card, gates=(verdict,))), 80).split())
    found = re.search(r"grade is (?:not )?below 50% \(([^)]*)\)", printed)
    assert found is not None
    return Number(None, *_ends(found[1]))


def repair_gate(card: candling.Card) -> Number:
    """`--fail-if "repair/rows > 50%"`: what is left of 100%."""
    verdict = judge(parse_gate("repair/rows > 50%"), card)
    printed = " ".join(_printed(lambda: show_card(replace(card, gates=(verdict,))), 80).split())
    found = re.search(r"repair/rows is (?:not )?above 50% \(([^)]*)\)", printed)
    assert found is not None
    low, high = _ends(found[1])
    return Number(None, *(_rest(end) for end in (high, low)))


def _rest(shown: str) -> str:
    """100% less this, with as many digits."""
    digits = len(shown.partition(".")[2])
    rest = 100 - Fraction(shown)
    return str(rest) if rest in (0, 100) else f"{float(rest):.{digits}f}"


def replayed(card: candling.Card) -> Number:
    """A stored card, shown again."""
    return terminal(_stored(card), 80)


OUTPUTS: dict[str, Callable[[candling.Card], Number]] = {
    "terminal": lambda card: terminal(card, 120),
    "terminal, narrow": lambda card: terminal(card, 60),
    "Markdown": markdown,
    "CSV": as_csv,
    "JSON": as_json,
    "Python": python,
    "frame": frame,
    "page": page,
    "notebook": cell,
    "explain": explained,
    "compare": compared,
    "gate on the grade": gate,
    "gate on repair/rows": repair_gate,
    "stored": replayed,
}
