"""Persons on the command line: what is said of them, and mistakes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tests.cli.conftest import Run, check_golden

PERSONS = 'Rows with the same "patient" belong to one person, and rows without a person are'
ROWS = "Each row is treated as a different person; use --person if that is wrong."
DOUBT = 'Warning: The column "patient" looks like the id of a person, but it is not used.'


@pytest.fixture(autouse=True)
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten visits each of five patients, one of nobody, and two rules."""
    monkeypatch.chdir(tmp_path)
    rows = [(f"p{i % 5}", i % 7, i % 3) for i in range(50)] + [("", 0, 9)]
    with Path("visits.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("patient", "zip", "city"), *rows])
    Path("rules.txt").write_text("zip -> city\npatient -> city\n", encoding="utf-8")


def words(text: str) -> str:
    return " ".join(text.split())


RELEASE = ("release", "visits.csv", "rules.txt", "--epsilon", "1")
PLAN = ("plan", "rules.txt", "--epsilon", "1")
EXACT = ("exact", "visits.csv", "rules.txt")
STATED = ("--person", "patient", "--rows-per-person", "3")


@pytest.mark.usefixtures("without_noise")
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_a_release_of_persons(run: Run, monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    result = run(*RELEASE, *STATED)
    check_golden("release-person", result.out, columns=columns)
    out = words(result.out)
    assert (result.code, result.err) == (0, "")
    assert f"{PERSONS} left out. Counts are lower bounds for the whole table." in out
    assert "The grade counts at most 3 rows of each person (as stated). Suppose a reader" in out
    assert "No upper bound, because one person can have any number of rows." in out


@pytest.mark.usefixtures("without_noise")
def test_the_notes_say_which_rows_a_number_is_about(run: Run) -> None:
    card = json.loads(run(*RELEASE, *STATED, "--json").out)
    assert card["rows"]["estimate"] == 50
    assert card["person"] == {"columns": ["patient"], "rows": 3}
    assert "in the whole table" in card["repair"]["note"]
    assert "with a limit for each person" in card["rows"]["note"]
    assert "never 0 (no)" in card["drastic"]["note"]
    worst = json.loads(run(*RELEASE, *STATED, "--measures", "worst_rule", "--json").out)
    assert worst["worst_rule"]["note"].endswith(
        "It is about a sample with at most 3 rows of each person: in the whole table, another "
        "rule can be the worst."
    )
    by_rule = json.loads(run(*RELEASE, *STATED, "--measures", "by_rule,rows", "--json").out)
    assert all("in the whole table" in rule["note"] for rule in by_rule["by_rule"])
    assert "each person" not in run(*RELEASE, "--rows-per-person", "3", "--json").out


def test_choosing_is_paid_for_and_said(run: Run) -> None:
    result = run(*RELEASE, "--person", "patient", "--json")
    card = json.loads(result.out)
    assert card["epsilon"] == 1
    assert card["person"]["epsilon"] == 0.05
    assert " for Rows, 0.05 to choose how many rows of each person the grade" in result.err
    assert f"at most {card['person']['rows']} rows of each person" in result.err
    split = run(
        *RELEASE, "--person", "patient", "--split", "person=1,draw=2,levels=1", "--json"
    ).out
    assert json.loads(split)["person"]["epsilon"] == 0.25


@pytest.mark.parametrize("form", ["csv", "json"])
@pytest.mark.parametrize(("options", "said"), [((), ROWS), (STATED, PERSONS)])
def test_formats_for_programs_say_it_beside(
    run: Run, form: str, options: tuple[str, ...], said: str
) -> None:
    result = run(*RELEASE, *options, "--format", form)
    assert said in result.err
    assert said not in result.out
    assert said not in run(*RELEASE, *options, "--format", form, "--quiet").err


@pytest.mark.parametrize(("options", "said"), [((), ROWS), (STATED, PERSONS)])
def test_reports_of_pipelines_say_it(run: Run, options: tuple[str, ...], said: str) -> None:
    asked = (*RELEASE, *options, "--fail-if", "grade < 1%", "--format")
    junit = ET.fromstring(run(*asked, "junit").out)
    properties = {p.get("name"): p.get("value") for p in junit.iter("property")}
    assert (properties["person"] or "").startswith(said)
    (sarif,) = json.loads(run(*asked, "sarif").out)["runs"]
    assert sarif["properties"]["person"].startswith(said)


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown", "junit", "sarif"])
def test_a_column_that_looks_like_a_person_is_named(run: Run, form: str) -> None:
    asked = (*RELEASE, "--fail-if", "grade < 1%", "--format", form, "--quiet")
    assert run(*asked).err.count(DOUBT) == 1
    assert "release with --person patient, which" in run(*asked).err
    assert "can have more than 4 rows" in run(*asked, "--rows-per-person", "4").err
    assert "Warning" not in run(*asked, *STATED).err
    assert "Warning" not in run(*asked, "--person", "zip").err
    public = ("--measures", "rows", "--public-rows", "51", "--fail-if", "rows < 1")
    assert "Warning" not in run(*RELEASE, *public, "--format", form).err


def test_the_doubt_stays_on_the_card_and_the_page(run: Run) -> None:
    card = json.loads(run(*RELEASE, "--json", "--report", "card.html").out)
    assert card["person"]["unused"] == ["patient"]
    page = Path("card.html").read_text(encoding="utf-8")
    assert "looks like the id of a person, but it is not used" in page
    Path("card.json").write_text(json.dumps(card), encoding="utf-8")
    assert DOUBT.removeprefix("Warning: ") in words(run("explain", "card.json").out)


@pytest.mark.parametrize("form", ["table", "json", "junit"])
def test_a_gate_that_cannot_pass_is_named_before_anything_is_charged(run: Run, form: str) -> None:
    result = run(*RELEASE, *STATED, "--fail-if", "repair > 900", "--format", form)
    assert result.code == 4
    assert "Warning: The gate 'repair > 900' can fail but never pass" in words(result.err)
    fine = run(*RELEASE, *STATED, "--fail-if", "repair/rows > 99%", "--format", form)
    assert "Warning" not in fine.err


# Mistakes


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--person", "patent"), "no column 'patent' for a person. Did you mean 'patient'?"),
        (("--person", "PATIENT"), "Did you mean 'patient'?"),
        (("--person", ""), "`person` is the name of a column"),
        (("--person", "patient,"), "`person` is the name of a column"),
        (("--person", "patient,patient"), "`person` names a column twice"),
        (("--person", "patient", "--public-rows", "51"), "Say `max_rows` (--max-rows) instead"),
    ],
)
def test_mistakes_name_the_fix(run: Run, options: tuple[str, ...], said: str) -> None:
    result = run(*RELEASE, *options)
    assert result.code == 2
    assert "error U216" in result.err
    assert said in words(result.err)
    assert "double quotes" not in result.err
    assert "--max-rows" in run("explain", "U216").out


def test_a_name_with_a_comma_is_quoted(run: Run) -> None:
    table = Path("visits.csv").read_text(encoding="utf-8")
    Path("visits.csv").write_text(table.replace("patient,", '"patient, id",', 1), encoding="utf-8")
    Path("rules.txt").write_text("zip -> city\n", encoding="utf-8")
    for command in (RELEASE, EXACT):
        result = run(*command, "--person", "patient, id", "--rows-per-person", "2")
        assert result.code == 2
        assert "--person '\"name, first\"'" in result.err
        assert run(*command, "--person", '"patient, id"', "--rows-per-person", "2").code == 0


def test_several_columns(run: Run) -> None:
    for named in ("zip,patient", "zip, patient"):
        card = json.loads(run(*RELEASE, "--person", named, "--rows-per-person", "1", "--json").out)
        assert card["person"]["columns"] == ["zip", "patient"]


# Plans, exact numbers, settings


def test_a_plan_of_persons(run: Run) -> None:
    plan = words(run(*PLAN, "--person", "patient").out)
    assert " for Rows, 0.05 to choose how many rows of each person the grade counts" in plan
    assert "The release chooses how many rows of each person the grade counts" in plan
    assert "twice as many rows about double it." in plan
    plan = words(run(*PLAN, *STATED).out)
    assert "The grade counts at most 3 rows of each person (as stated)." in plan
    assert "double" not in plan
    assert ROWS in words(run(*PLAN).out)
    chosen = json.loads(run(*PLAN, "--person", "patient", "--json").out)["person"]
    assert chosen == {"columns": ["patient"], "rows": None, "epsilon": 0.05, "rows_planned": 2}


@pytest.mark.parametrize("form", ["table", "markdown", "json", "csv", "junit", "sarif"])
def test_exact_numbers_of_the_kept_rows(run: Run, form: str) -> None:
    asked = (*EXACT, "--fail-if", "rows < 1", "--format", form)
    said = {"json": '"rows": 3', "csv": "rows_per_person,,3"}.get(
        form, "the grade of a release counts: at"
    )
    assert said in words(run(*asked, *STATED).out)
    assert said not in words(run(*asked).out)
    assert said not in words(run(*asked, "--person", "patient").out)


def test_exact_numbers_need_a_person_for_its_rows(run: Run) -> None:
    result = run(*EXACT, "--rows-per-person", "3")
    assert (result.code, result.out) == (2, "")
    assert "Name the column that identifies the person with `person` (--person)" in result.err


def test_settings(run: Run) -> None:
    settings = Path("candling.toml")
    settings.write_text('person = "zip,patient"\nrows_per_person = 2\n', encoding="utf-8")
    card = json.loads(run(*RELEASE, "--json").out)
    assert card["person"] == {"columns": ["zip", "patient"], "rows": 2}
    assert json.loads(run(*RELEASE, "--json", "--person", "zip").out)["person"]["columns"] == [
        "zip"
    ]
    settings.write_text("person = 3\n", encoding="utf-8")
    assert "'person' must be a string in quotes" in run(*RELEASE).err


@pytest.mark.parametrize("person", ["", 'person = "patient"\n'])
def test_settings_leave_no_rows_out_of_exact_numbers(run: Run, person: str) -> None:
    Path("candling.toml").write_text(f"{person}rows_per_person = 2\n", encoding="utf-8")
    assert json.loads(run(*EXACT, "--json").out)["rows"] == 51
    asked = ("--person", "patient", "--rows-per-person", "2")
    assert json.loads(run(*EXACT, "--json", *asked).out)["rows"] == 10


def test_init_names_the_column(run: Run) -> None:
    text = run("init", "visits.csv", "--output", "-").out
    assert '# The column "patient" looks like the id of a person: `candling release` with' in text
    assert "# --person patient protects all rows of a person" in text
    Path("zips.csv").write_text("zip,city\n1,2\n", encoding="utf-8")
    assert "person" not in run("init", "zips.csv", "--output", "-").out


@pytest.mark.parametrize("word", ["person", "rows_per_person", "unused", "chosen", "promised"])
def test_words_are_explained(run: Run, word: str) -> None:
    assert "--person" in run("explain", word).out
