"""The page of a release: what it says, and that it can be nothing but a page."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

import candling
from candling.measures import MEASURES
from candling.model.number import CANNOT_TELL
from candling.render.wording import amount, plain
from tests.drawn_cards import noisy
from tests.releases.tables import study
from tests.render.cards import (
    CARDS,
    NASTY,
    charged,
    full,
    hidden,
    public,
    receipt,
    refused,
    signed,
    small,
    stated,
    worst,
)
from tests.render.cards import (
    card as card_in,
)
from tests.render.html.parsed import Page, check_page
from tests.render.shown import card_page


def page_of(content: object) -> str:
    """The page of a card that is given as JSON."""
    return card_page(card_in(content))


SECTIONS = ["grade", "measures", "spent", "person", "method"]
FOLDS = ["The numbers", "How to read them", "What it was spent on", "What this means",
         "The release", "The rules", "The receipt"]  # fmt: skip


@pytest.mark.parametrize("name", CARDS)
def test_a_page_is_one_passive_file_with_every_section(name: str) -> None:
    read = check_page(page_of(CARDS[name]()))
    assert [h for h in read.headings if h not in ("by-rule", "gates")] == SECTIONS
    assert ("gates" in read.headings) == ("gates" in CARDS[name]())
    assert ("by-rule" in read.headings) == ("by_rule" in CARDS[name]())
    assert read.named("table")
    folds = re.findall("<summary>(.*?)</summary>", page_of(CARDS[name]()))
    assert [fold for fold in FOLDS if fold in folds] == folds
    assert len(read.named("details")) == len(folds) >= len(FOLDS) - 1
    assert not [fold for fold in read.named("details") if "open" in fold]


@pytest.mark.parametrize("name", CARDS)
def test_every_number_is_shown_with_its_interval(name: str) -> None:
    card = card_in(CARDS[name]())
    page = page_of(CARDS[name]())
    text = Page(page).text
    assert f"epsilon {amount(card.epsilon)}" in text
    for measure in (*card, *card.by_rule):
        assert measure.value is None or readable(plain(measure.value))[:100] in text or (
            measure.name == "drastic"
        )  # fmt: skip
        if measure.name in MEASURES and not measure.refused:
            assert MEASURES[measure.name].word_interval(measure, card) in text, measure.name
    for measure in card:
        assert readable(measure.note)[:60].replace("`", "") in text
    for rule in card.about.rules:
        assert readable(rule.text)[:60] in text
    for fact in ("candling", "time"):
        assert readable(getattr(card.about, fact))[:10] in text
    if card.receipt is not None:
        for fact in ("head", "dataset", "people", "ledger", "request_id"):
            assert readable(str(getattr(card.receipt, fact)))[:60] in text


def readable(words: str) -> str:
    """Words as a page shows them."""
    signs = re.sub("[\x00-\x08\x0e-\x1f\u202a-\u202e\ud800-\udfff]", "\ufffd", words)
    return " ".join(signs.split())


def test_every_picture_says_its_numbers() -> None:
    labels = [str(svg["aria-label"]) for svg in Page(page_of(charged())).named("svg")
              if svg.get("role") == "img"]  # fmt: skip
    assert labels[0] == "Grade 98.1% to 98.5% (95% confidence)"
    assert "Rows to delete: 160, 156 to 182" in labels
    assert "Rows in conflict: 9,900, at least 9,579" in labels
    assert "Rule 2: 148, 130 to 150" in labels
    assert "Rule 3: at most 10" in labels
    assert labels[-2] == "Budget: before 0.7; this release 2; left 2.3"


def test_the_worst_rule_is_marked() -> None:
    page = page_of(charged())
    assert page.count("chosen as the worst") == 1
    bar = page[: page.index("chosen as the worst")].rsplit("<li>", 1)[1]
    assert "key(Id)" in bar


def test_what_a_user_wrote_is_text() -> None:
    page = page_of(CARDS["extreme"]())
    assert "<script" not in page
    assert "alert(&#39;1&#39;)" in page
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


def test_a_card_without_signature_is_in_its_page_too() -> None:
    page = page_of(charged())
    (inside,) = [m for m in Page(page).named("meta") if m.get("name") == "candling-card"]
    assert json.loads(str(inside["content"])) == charged()


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
    assert "No grade." in Page(card_page(card)).text
    assert card._repr_html_()


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
        "measures": ["repair"],
        "public_rows": None,
        "max_rows": 50,
        "rules": [{"text": "x: a -> b", "rule": "a -> b", "label": "x", "states_type": False}],
        "rule_facts": {"rows": False, "pairs": True, "keys": None},
    }
    assert "77123" not in card_page(card).replace(",", "")


def test_the_time_is_that_of_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    """The time when it was done would tell how long the table took."""
    times = iter(["2026-01-01T00:00:00Z", "2026-01-01T09:00:00Z"])
    monkeypatch.setattr("candling.releases.request._now", lambda: next(times))
    from candling.releases import make_request
    from candling.rules import Rules

    request = make_request(Rules(()), epsilon=1, measures=["rows"])
    assert request.about().time == request.about().time
    assert request == make_request(Rules(()), epsilon=1, measures=["rows"])


def test_public_rows_double_the_factor() -> None:
    text = Page(page_of(stated())).text
    assert "The number of rows is public here" in text
    assert "at most 7.39 times as likely." in text


def test_what_is_spent_and_left() -> None:
    text = Page(page_of(charged())).text
    assert "2.3 of 5 is left in the budget of patients, which visits draws on." in text
    assert "before 0.7" in text
    assert "No ledger was given" in Page(page_of(full())).text


def spent(card: dict[str, Any]) -> tuple[str, list[str], list[list[str]]]:
    """What a page says was spent, the labels of its bars, and the lines of its table."""
    section = page_of(card).split('aria-labelledby="spent"')[1].split("</section>")[0]
    bars = re.findall(r'class="cd-stack" role="img" aria-label="([^"]*)"', section)
    lines = [
        [re.sub("<[^>]*>", "", cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line)]
        for line in re.findall("<tr>(.*?)</tr>", section)
    ]
    return " ".join(re.sub("<[^>]*>", " ", section.split(">", 1)[1]).split()), bars, lines


def test_what_one_draw_costs() -> None:
    text, bars, lines = spent(small())
    assert "Epsilon 1 was spent." in text
    assert "At no cost: Any rule broken?" in text
    assert (bars, lines) == ([], []), "there is nothing to share out"
    assert "epsilon</th>" not in page_of(small())


def test_what_two_draws_and_a_worst_rule_cost() -> None:
    _, bars, lines = spent(worst())
    assert len(bars) == 1
    assert lines[1:] == [
        ["1Rows to delete and Rows", "0.267", "27%"],
        ["2Rows in conflict and Conflicts", "0.533", "53%"],
        ["3Worst rule", "0.2", "20%"],
    ]
    assert '95% interval</th><th scope="col" class="cd-text">what it is' in page_of(worst())


def test_what_was_refused_is_not_among_what_is_free() -> None:
    text, _, _ = spent(refused())
    assert "At no cost: Any rule broken?" in text
    assert "Not released, and nothing spent: Ways to clean" in text


def test_rows_that_are_drawn_are_not_as_stated() -> None:
    assert "as stated<" not in page_of(small())
    assert ">as stated<" in page_of(stated())


def test_thresholds_are_explained() -> None:
    text = Page(page_of(full())).text
    assert "At most 1,024 conflicts of each row were counted." in text
    assert "Each row was allowed to add 64 others." in text


def test_a_number_that_the_noise_hides_is_not_shown() -> None:
    page = page_of(hidden())
    text = Page(page).text
    assert "Cannot tell: the noise hides how many of the rows would remain" in text
    assert "bad rows could hide in the noise." in text
    assert 'cd-pill cd-no"' not in page, "nothing is green"
    assert "cd-dot" not in page.split("</style>")[1], "and no dot stands for a number"
    assert CANNOT_TELL in page


@pytest.mark.parametrize(("epsilon", "warned"), [(1, False), (4.9, False), (5, True), (20, True)])
def test_a_high_epsilon_gets_a_warning(epsilon: float, warned: bool) -> None:
    card = card_in(small(epsilon=Fraction(str(epsilon))))
    for shown in (card_page(card), str(card), card._repr_html_()):
        assert ("protects little" in " ".join(shown.split())) == warned


def test_a_release_of_public_numbers_only() -> None:
    card = public()
    assert "No number here was computed from the rows" in Page(page_of(card)).text


def test_very_many_long_rules_are_cut_and_said_so() -> None:
    rules = [f"r{i}: not({'x' * 9_000})" for i in range(300)]
    by_rule = [noisy(140, 2.0)] * 300
    card = charged(rules=rules, by_rule=by_rule)
    card["receipt"] = receipt(dataset="d" * 10_000)
    page = page_of(card)
    assert len(page.encode()) < 1_000_000
    assert "Cut to fit on this page. SHA-256" in page
    assert "candling-card" not in page, "a card of this size is in its JSON only"
