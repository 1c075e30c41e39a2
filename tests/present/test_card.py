"""The page of a release: what it says, and that it can be nothing but a page."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import candling
from candling.present import card_page
from tests.paper.methods import METHODS
from tests.present.cards import (
    CARDS,
    NASTY,
    about,
    charged,
    full,
    paper,
    receipt,
    refused,
    signed,
    stated,
    worst,
)
from tests.present.cards import (
    card as card_in,
)
from tests.releases.tables import study

GOLDEN = Path(__file__).parent / "golden"
VOID = {"br", "hr", "meta", "wbr"}


class Page(HTMLParser):
    """The elements and the text of a page; fails on markup that does not nest."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] != "style":
            self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join("".join(self.words).split())

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.elements if name == tag]


def page_of(content: object) -> str:
    """The page of a card that is given as JSON."""
    return card_page(card_in(content))


def normal(page: str) -> str:
    """A page without its style, which is a file of its own, and without the version."""
    page = re.sub(r"<style>.*?</style>", "<style></style>", page, flags=re.DOTALL)
    page = page.replace(candling.__version__, "VERSION")
    return re.sub(r"(?<=>)(?=<(?:section|div|tr|li|dt|h\d|p|svg|line|text|circle))", "\n", page)


@pytest.mark.parametrize("name", ["full", "charged", "one", "stated"])
def test_the_pages_are_those_on_file(name: str) -> None:
    """CANDLING_UPDATE_GOLDEN=1 writes the files again; look at the difference before you commit."""
    page = normal(page_of(CARDS[name]()))
    golden = GOLDEN / f"card-{name}.html"
    if os.environ.get("CANDLING_UPDATE_GOLDEN"):
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(page, encoding="utf-8")
    assert page == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CARDS)
def test_a_page_is_one_small_file_without_scripts_and_addresses(name: str) -> None:
    page = page_of(CARDS[name]())
    assert len(page.encode()) < 1_000_000
    read = Page(page)
    names = {tag for tag, _ in read.elements}
    assert not names & {"a", "base", "embed", "form", "iframe", "img", "link", "object", "script"}
    for _, attributes in read.elements:
        assert not [key for key in attributes if key.startswith("on") or key in {"href", "src"}]
    style = "".join(re.findall(r"<style>(.*?)</style>", page, re.DOTALL))
    assert style
    assert not re.search(r"@import|url\(|https?:", style)
    assert "http" not in page.replace("http-equiv", "")


@pytest.mark.parametrize("name", CARDS)
def test_headings_are_in_order_and_pictures_have_words(name: str) -> None:
    read = Page(page_of(CARDS[name]()))
    levels = [int(tag[1]) for tag, _ in read.elements if re.fullmatch(r"h\d", tag)]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for picture in read.named("svg"):
        if picture.get("class") != "cd-place" and picture.get("overflow") is None:
            assert picture.get("aria-label") or picture.get("aria-hidden") == "true", picture
    ids = [str(attributes["id"]) for _, attributes in read.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert len(read.named("table")) >= 1
    assert read.named("html")[0]["lang"] == "en"


def test_what_a_user_wrote_is_text() -> None:
    page = page_of(CARDS["extreme"]())
    assert "<script" not in page
    assert "alert(&#x27;1&#x27;)" in page
    assert "\x00" not in page
    assert "\x07" not in page
    page.encode()  # no half of a pair is left
    assert NASTY.split("\u202e")[0].strip() in Page(page).text


def test_a_signed_card_is_in_its_page_and_not_shown() -> None:
    card = signed()
    page = page_of(card)
    (inside,) = [m for m in Page(page).named("meta") if m.get("name") == "candling-card"]
    assert json.loads(str(inside["content"])) == card
    assert card["signature"]["value"] not in Page(page).text
    assert card["signature"]["key"] in Page(page).text
    assert "candling-card" not in page_of(charged())


def test_a_stored_card_gives_the_page_of_the_fresh_one() -> None:
    card = study("a -> b\na -> c", a=[1, 1, 2], b=[1, 2, 3], c=[1, 1, 1]).release(
        1, measures=["rows", "repair", "problematic", "by_rule", "worst_rule", "drastic"]
    )
    stored = json.loads(json.dumps(card.to_dict()))
    again = candling.Card.from_dict(stored)
    assert again.about == card.about
    assert card_page(again) == card_page(card) == page_of(stored)


@pytest.mark.parametrize("name", ["by_rule", "worst_rule", "drastic", "maximal_consistent", "rows"])
def test_any_measure_alone_has_a_page(name: str) -> None:
    rules = "a -> b\nnot(t1.a < t2.a and t1.b > t2.b)"
    card = study(rules, a=[1, 1, 2], b=[1, 2, 3]).release(1, measures=[name])
    assert "It cannot be given." in Page(card_page(card)).text
    assert card._repr_html_()


@pytest.mark.parametrize("method", METHODS)
def test_every_method_has_a_page(method: str) -> None:
    of = study("a -> b", a=[1, 1, 2], b=[1, 2, 3])
    card = of.release(1, method=METHODS[method](), max_rows=10)
    assert method in Page(card_page(card)).text


def test_a_card_with_a_receipt_comes_back_whole(tmp_path: Path) -> None:
    ledger = candling.create_ledger(tmp_path / "budget.ledger")
    ledger.add("visits", 3)
    of = study("a -> b", a=[1, 1], b=[1, 2])
    card = of.release("1/3", ledger=ledger, dataset="visits", request_id="r")
    again = candling.Card.from_dict(json.loads(json.dumps(card.to_dict())))
    assert again.receipt == card.receipt
    assert again.to_dict() == card.to_dict()
    repeated = of.release("1/3", ledger=ledger, dataset="visits", request_id="r")
    assert repeated.about == card.about
    assert "shown again at no cost" in card_page(repeated)


def test_how_it_was_made_is_told_and_holds_nothing_of_the_table() -> None:
    of = study("x: a -> b", a=[1, 1, 77_123], b=[1, 2, 77_123])
    card = of.release(1, measures=["repair"], max_rows=50)
    assert card.about is not None
    told = card.about.to_dict()
    assert told.pop("time")
    assert told == {
        "candling": candling.__version__,
        "method": "one draw",
        "measures": ["repair"],
        "public_rows": None,
        "max_rows": 50,
        "rules": ["x: a -> b"],
    }
    assert "77123" not in card_page(card).replace(",", "")


def test_the_time_is_that_of_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time when it was done would tell how long the table took."""
    times = iter(["2026-01-01T00:00:00Z", "2026-01-01T09:00:00Z"])
    monkeypatch.setattr("candling.releases.request._now", lambda: next(times))
    from candling.releases import make_request

    request = make_request((), epsilon=1, measures=["rows"])
    assert request.about(()).time == request.about(()).time
    assert request == make_request((), epsilon=1, measures=["rows"])


def test_public_rows_double_the_factor() -> None:
    text = Page(page_of(stated())).text
    assert "stated as public" in text
    assert "a factor of 7.39" in text


@pytest.mark.parametrize(("rows", "owns"), [(1, "at most one row"), (3, "at most 3 rows")])
def test_rows_per_person_are_told(rows: int, owns: str) -> None:
    assert owns in Page(page_of(full() | {"rows_per_person": rows})).text


def test_what_is_spent_and_left() -> None:
    text = Page(page_of(charged())).text
    assert "2.3 of 5 was left afterwards of the budget of visits" in text
    assert "before 0.7" in text
    assert "No ledger was given" in Page(page_of(full())).text


def spent(card: dict[str, Any]) -> tuple[str, list[str], list[list[str]]]:
    """What a page says was spent, the labels of its bars, and the lines of its table."""
    section = page_of(card).split('aria-labelledby="spent"')[1].split("</section>")[0]
    bars = re.findall(r'class="cd-stack" role="img" aria-label="([^"]*)"', section)
    lines = [
        [re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line)]
        for line in re.findall("<tr>(.*?)</tr>", section.split("What is left")[0])
    ]
    return " ".join(re.sub("<[^>]*>", " ", section.split(">", 1)[1]).split()), bars, lines


def test_what_one_draw_costs() -> None:
    text, bars, lines = spent(full())
    assert "Epsilon 1 , on all numbers in one draw." in text
    assert "At no cost: drastic ." in text
    assert (bars, lines) == ([], []), "there is nothing to share out"
    assert "Epsilon</th>" not in page_of(full())


def test_what_a_worst_rule_beside_the_draw_costs() -> None:
    text, bars, lines = spent(worst())
    assert "0.8 of it on all numbers in one draw and 0.2 on worst_rule." in text
    assert len(bars) == 1
    drawn = "One draw: Rows to delete, Rows, Rows in conflict, Conflicts"
    assert lines[1:] == [[f"1{drawn}", "0.8", "80%"], ["2Worst rule", "0.2", "20%"]]
    assert "95% interval</th></tr>" in page_of(worst()).replace("\n", "")


def test_what_each_measure_costs() -> None:
    text, bars, lines = spent(paper())
    assert "measure by measure." in text
    assert "drawn together" not in text
    assert len(bars) == 1
    assert [line[1] for line in lines[1:]] == ["0.1", "0.1", "0.3", "0.4", "0.1"]
    assert lines[-1] == ["5Rows to delete, by rule", "0.1", "10%"]
    assert "Epsilon</th>" in page_of(paper())


def test_what_was_refused_is_not_among_what_is_free() -> None:
    text, _, _ = spent(refused())
    assert "At no cost: drastic ." in text
    assert "Not released, and nothing spent: maximal_consistent ." in text


def test_rows_that_share_the_draw_are_not_as_stated() -> None:
    """Also where their interval is a single number, as with a large epsilon."""
    card = full() | {"rows": full()["rows"] | {"low": 10011, "high": 10011}}
    assert ">as stated<" not in page_of(card)
    assert ">as stated<" in page_of(stated())


def test_thresholds_are_explained() -> None:
    text = Page(page_of(full())).text
    assert "Here a row counts in 1,024 conflicts at most." in text
    assert "Here a row brings 128 others into the count at most." in text
    one = full() | {"problematic": full()["problematic"] | {"threshold": 1}}
    assert "Here a row brings 1 other into the count at most." in Page(page_of(one)).text


def test_a_release_of_public_numbers_only() -> None:
    card = stated()
    card = {key: card[key] for key in ("schema", "rows_per_person", "grade", "rows", "about")} | {
        "epsilon": 0.0
    }
    assert "holds public numbers only" in Page(page_of(card)).text


def test_very_many_long_rules_are_cut_and_said_so() -> None:
    rules = [f"r{i}: not({'x' * 9_000})" for i in range(300)]
    card = charged()
    part = card["by_rule"][0]
    card["by_rule"] = [part | {"rule": rule} for rule in rules]
    card["about"] = about(rules=rules)
    card["receipt"] = receipt(dataset="d" * 10_000)
    page = page_of(card)
    assert len(page.encode()) < 1_000_000
    assert "Cut to fit on this page. SHA-256" in page
