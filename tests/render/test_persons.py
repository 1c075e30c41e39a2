"""Whose rows a release protects: the same words in every output."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from contextlib import redirect_stdout
from fractions import Fraction
from typing import Any

import pytest

import candling
from candling.card import Exact
from candling.cli.explain import print_explanation
from candling.compare_cards import compare
from candling.escaping import for_markdown
from candling.model.person import ROW, Person
from candling.render.csv import card_as_csv, exact_as_csv
from candling.render.epsilon import spending_of
from candling.render.text import render_markdown
from candling.render.views import view_exact
from candling.render.views.explanation import explain_card
from candling.render.wording import exact_of, facts, find_unused_id, guarantee, names, statements
from tests.render.cards import PERSONS, card, of_person, person, public, row, small, worst
from tests.render.html.parsed import Page
from tests.render.shown import card_cell, card_markdown, card_page, comparison_page, show_card

GUARANTEES = {
    "row": "Each row is treated as a different person; use --person if that is wrong.",
    "promise": (
        "Each person is assumed to have at most 4 rows, which is not checked; use --person if that "
        "may be wrong."
    ),
    "stated": (
        'Rows with the same "patient" belong to one person, and rows without a person are left '
        "out. Counts are lower bounds for the whole table. The grade counts at most 4 rows of each "
        "person (as stated)."
    ),
    "chosen": (
        'Rows with the same "country" and "patient" belong to one person, and rows without a '
        "person are left out. Counts are lower bounds for the whole table. The grade counts at "
        "most 2 rows of each person (chosen with noise, for epsilon 0.1)."
    ),
}
RISK = (
    "Suppose a reader suspects that you are in this table: the numbers can make that, or the "
    "opposite, at most 2.72 times as likely."
)
GUARANTEES["unused"] = GUARANTEES["row"]
UNUSED = (
    'The column "patient_id" looks like the id of a person, but it is not used. If a person can '
    "have more than one row, release with --person patient_id, which protects all rows of a person."
)


def of(kind: str) -> candling.Card:
    return card(of_person(small(), PERSONS[kind]))


def on_terminal(show: Callable[[], None]) -> str:
    with redirect_stdout(io.StringIO()) as out:
        show()
    return " ".join(out.getvalue().split())


def plain(shown: str) -> str:
    return " ".join(shown.split())


OUTPUTS: dict[str, Callable[[candling.Card], str]] = {
    "print": lambda c: plain(str(c)),
    "page": lambda c: Page(card_page(c)).text,
    "cell": lambda c: Page(card_cell(c)).text,
    "explain": lambda c: on_terminal(lambda: print_explanation(explain_card(c))),
    "terminal": lambda c: on_terminal(lambda: show_card(c)),
    "markdown": lambda c: card_markdown(c, "visits"),
}


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("kind", PERSONS)
@pytest.mark.parametrize("columns", ["60", "120"])
def test_every_output_says_whose_guarantee_it_is(
    kind: str, output: str, columns: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    shown = OUTPUTS[output](of(kind))
    written = for_markdown if output == "markdown" else str
    # A page says who it treats as a person once more, among the settings of the release.
    assert shown.count(written(GUARANTEES[kind])) in ((1, 2) if output == "page" else (1,))
    assert shown.count(written(RISK)) == 1
    assert "Epsilon 1 was spent" in shown
    if kind == "chosen" and output != "page":
        assert "0.1 to choose how many rows of each person the grade counts." in shown
    if output != "terminal":  # there the command says it on standard error
        assert shown.count(written(UNUSED)) == (kind == "unused")
    others = {words for words in GUARANTEES.values() if words != GUARANTEES[kind]}
    assert not any(written(words) in shown for words in others)


@pytest.mark.parametrize("output", OUTPUTS)
def test_nothing_is_guaranteed_where_no_row_was_looked_at(output: str) -> None:
    named = [row(), row(unused=["patient_id"])]
    for whose in named:
        shown = OUTPUTS[output](card(public() | {"person": whose}))
        assert not any(words in shown for words in GUARANTEES.values()) or output == "page"
        assert "Suppose a reader" not in shown
        assert "looks like" not in shown


@pytest.mark.parametrize(
    ("kind", "rows", "cost", "word"),
    [
        ("row", 1, 0, "promised"),
        ("promise", 4, 0, "promised"),
        ("stated", 4, 0, "stated"),
        ("chosen", 2, 0.1, "chosen"),
        ("unused", 1, 0, "promised"),
    ],
)
def test_csv_and_frame_have_a_line_for_it(kind: str, rows: int, cost: float, word: str) -> None:
    shown = of(kind)
    line = list(csv.DictReader(io.StringIO(card_as_csv(shown))))[1]
    assert (line["measure"], line["kind"]) == ("rows_per_person", word)
    assert (int(line["value"]), float(line["epsilon"])) == (rows, cost)
    of_frame = shown.to_frame().loc["rows_per_person"]
    assert (of_frame["value"], of_frame["epsilon"], of_frame["kind"]) == (rows, cost, word)
    assert of_frame["note"] == GUARANTEES[kind]


@pytest.mark.parametrize("kind", PERSONS)
def test_json_has_all_of_it(kind: str) -> None:
    assert of(kind).to_dict()["person"] == PERSONS[kind]


# The page


@pytest.mark.parametrize(
    ("kind", "you", "differ"),
    [
        (
            "row",
            "at most one row in the table, which is not checked. With 2 rows, the factor is 7.39.",
            "differ in one row",
        ),
        ("promise", "With 8 rows, the factor is 7.39.", "differ in at most 4 rows"),
        (
            "stated",
            'how many rows you have. Your rows are those with your "patient", and what all of',
            "differ in all rows of one person",
        ),
        (
            "chosen",
            'with your "country" and "patient", and what all of them together add to a number',
            "differ in all rows of one person",
        ),
    ],
)
def test_the_page_speaks_to_who_is_in_the_table(kind: str, you: str, differ: str) -> None:
    shown = Page(card_page(of(kind))).text
    assert you in shown
    assert f"epsilon-differential privacy (pure), for tables that {differ}" in shown
    assert all(f"{name}{fact}" in shown for name, fact in facts(of(kind).person).items())


def test_the_page_says_what_is_graded() -> None:
    shown = Page(card_page(of("stated"))).text
    assert "after the smallest clean-up, if each person counts with at most 4 rows" in shown
    assert "except for Rows. Counts are lower bounds for the whole table." in shown
    assert "No upper bound, because one person can have any number of rows." in shown
    assert "if each person" not in Page(card_page(of("promise"))).text
    graded = " ".join(explain_card(of("stated"))["grade"])
    assert "It counts at most 4 rows of each person, so the share of the whole table" in graded
    assert "whole table" not in " ".join(explain_card(of("row"))["grade"])


def test_the_page_draws_what_choosing_cost() -> None:
    shown = Page(card_page(of("chosen"))).text
    assert "To choose how many rows of each person the grade counts0.1" in shown
    assert "To choose" not in Page(card_page(of("stated"))).text


# Two releases compared


def test_two_releases_of_the_same_persons() -> None:
    found = compare(of("stated"), of("stated"))
    said = 'Both grades are about a sample: at most 4 rows of each person ("patient").'
    assert said in found.warnings
    assert said in Page(comparison_page(found)).text
    assert not any("sample" in words for words in compare(of("row"), of("row")).warnings)


@pytest.mark.parametrize(
    ("a", "b", "words"),
    [
        (
            "row",
            "promise",
            "a different person. B: each person is assumed to have at most 4 rows. Use",
        ),
        ("row", "stated", 'A: all rows. B: at most 4 rows of each person ("patient"). Use --any'),
        ("chosen", "stated", 'rows of each person ("country" and "patient"). B: at most 4 rows'),
    ],
)
def test_releases_of_other_persons_are_refused(a: str, b: str, words: str) -> None:
    with pytest.raises(candling.UsageError) as error:
        compare(of(a), of(b))
    assert words in str(error.value)
    assert words.removesuffix(" Use").removesuffix(" Use --any") in " ".join(
        compare(of(a), of(b), anyway=True).warnings
    )


def test_a_number_that_was_chosen_is_to_be_stated() -> None:
    other = card(of_person(small(), person(rows=8, epsilon=0.1)))
    with pytest.raises(candling.UsageError, match="State --rows-per-person, so that releases"):
        compare(of("stated"), other)


# What it was spent on


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (small(), ", 0.6 for Rows, 0.1 to choose"),
        (worst(), " for Rows, Rows in conflict and Conflicts, 0.2 for Worst rule, 0.1 to choose"),
    ],
)
def test_the_draw_does_not_pay_for_choosing(content: dict[str, Any], words: str) -> None:
    spending = spending_of(card(of_person(content, PERSONS["chosen"])))
    assert spending.choosing == 0.1
    assert spending.words.endswith(f"{words} how many rows of each person the grade counts")


# Single sentences


def test_before_the_rows_of_a_person_are_chosen() -> None:
    words = guarantee(Person(("patient",), None, Fraction(1, 10)))
    assert "the error of the grade is for the smallest number" in words


def test_one_row_of_each() -> None:
    assert "The grade counts at most 1 row of each person (as stated)." in guarantee(
        Person(("a",), 1)
    )


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        (("a",), '"a"'),
        (("a", "b"), '"a" and "b"'),
        (("a", "b", "c"), '"a", "b" and "c"'),
        (("a", "b", "c", "d", "e"), '"a", "b", "c" and 2 more'),
        (("x" * 61,), f'"{"x" * 59}…"'),
    ],
)
def test_names_of_columns(columns: tuple[str, ...], words: str) -> None:
    assert names(columns) == words


@pytest.mark.parametrize(
    ("columns", "starts", "option"),
    [
        (("user",), 'The column "user" looks like the id', "with --person user, which"),
        (("user", "email"), 'The columns "user" and "email" look like ids', "with --person, which"),
        (("user id",), 'The column "user id" looks', "with --person, which"),
        (("-user",), 'The column "-user" looks', "with --person, which"),
        (("a,user",), 'The column "a,user" looks', "with --person, which"),
    ],
)
def test_columns_that_nobody_uses(columns: tuple[str, ...], starts: str, option: str) -> None:
    words = find_unused_id(Person(rows=4, unused=columns))
    assert words is not None
    assert words.startswith(starts)
    assert option in words
    assert "can have more than 4 rows" in words
    assert find_unused_id(ROW) is None


def test_statements() -> None:
    assert statements(of("stated")) == [f"{GUARANTEES['stated']} {RISK}"]
    assert statements(of("unused")) == [f"{GUARANTEES['unused']} {RISK}", UNUSED]


# Exact numbers


def test_exact_numbers_of_the_kept_rows() -> None:
    values = {"rows": 3, "repair": Fraction(1)}
    of_all, of_kept = Exact(values), Exact(values, person=Person(("patient",), 4))
    words = (
        "Only the rows that the grade of a release counts: at most 4 rows of each person "
        '("patient"), and only rows with a person.'
    )
    assert exact_of(of_kept.person) == words
    assert exact_of(of_all.person) is None
    for show in (
        str,
        lambda e: render_markdown(view_exact(e)),
        lambda e: Page(e._repr_html_()).text,
    ):
        assert plain(words) in plain(show(of_kept)).replace("&#34;", '"')
        assert "release counts" not in show(of_all)
    assert of_kept.to_dict()["person"] == {"columns": ["patient"], "rows": 4}
    assert "person" not in of_all.to_dict()
    assert exact_as_csv(of_kept).splitlines()[1] == "rows_per_person,,4"
    assert "person" not in exact_as_csv(of_all)
