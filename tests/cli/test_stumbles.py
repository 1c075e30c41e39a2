"""Small things that new users stumbled over, each as it should be."""

from __future__ import annotations

import json
import re
from pathlib import Path

import duckdb
import pytest

import candling
from candling.cli import action
from tests.cli.conftest import Run

pytestmark = pytest.mark.usefixtures("_here")
SEVERAL = [f"({i}, {i % 3}, {i % 3}, {i % 5})" for i in range(60)]


@pytest.fixture
def _here(people: Path, rules: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(people.parent)


# Rules on the command line


def test_rules_on_the_command_line_are_those_of_a_file(run: Run) -> None:
    given = ["--rule", "zip: Zip -> City", "--rule", "key(Id)", "--rule", "not(t1.Age < 0)"]
    of_file = json.loads(run("exact", "people.csv", "rules.txt", "--json").out)
    assert json.loads(run("exact", "people.csv", *given, "--json").out) == of_file
    gate = ["--fail-if", "zip > 0"]
    assert run("exact", "people.csv", *given, *gate).code == 1
    assert "under 3 rules of --rule" in run("owner", "conflicts", "people.csv", *given).out
    assert "under 3 rules of --rule" in run("owner", "types", "people.csv", *given).out
    assert "--rule: 3 rules, all valid" in run("check", *given).out
    assert "Rows to delete" in run("plan", *given, "--epsilon", "1").out
    cleaned = run("owner", "repair", "people.csv", *given, "--out", "cleaned.csv")
    assert "every rule holds" in cleaned.out


def test_a_type_on_the_command_line(run: Run) -> None:
    given = ["--rule", "not(t1.Zip = t2.Zip and t1.Age > t2.Age and t1.Id < t2.Id)"]
    refused = run("check", "people.csv", *given)
    assert "R208" in refused.err
    assert run("check", "people.csv", *given, "--rule", "type Age, Id: number").code == 0


def test_rules_on_the_command_line_replace_those_of_candling_toml(run: Run) -> None:
    Path("candling.toml").write_text('rules = "rules.txt"\n')
    assert "3 rules" in run("exact", "people.csv").out
    assert "under 1 rule of --rule" in run("exact", "people.csv", "--rule=key(Id)").out
    assert run("exact", "people.csv", "rules.txt", "--rule", "key(Id)").code == 2


# The card as JSON, and its page


def test_the_card_is_written_beside_the_output(run: Run) -> None:
    made = run("release", "people.csv", "rules.txt", "--epsilon", "1", "-o", "card.json", "--json")
    assert made.code == 0
    assert "Wrote card.json." in made.err
    assert json.loads(Path("card.json").read_text()) == json.loads(made.out)
    again = ["release", "people.csv", "rules.txt", "--epsilon", "1", "-o", "card.json"]
    assert run(*again).code == 2
    assert json.loads(Path("card.json").read_text()) == json.loads(made.out)
    assert run(*again, "--force").code == 0
    Path("card.json").write_text('{"mine": 1}')
    assert run(*again, "--force").code == 2, "nothing but a card is replaced"


def test_a_card_that_cannot_be_written_costs_nothing(run: Run) -> None:
    run("ledger", "init", "budget.ledger")
    run("ledger", "add", "budget.ledger", "--dataset", "people", "--budget", "1")
    charge = ["--ledger", "budget.ledger", "--dataset", "people"]
    asked = ["release", "people.csv", "rules.txt", "--epsilon", "1", *charge]
    for wrong in ("card.csv", "nowhere/card.json", "people.csv"):
        assert run(*asked, "-o", wrong).code == 2
    assert run(*asked, "--report", "card.pdf").code == 2
    assert run(*asked, "--report", "card.html", "--title", "People").code == 2
    assert not Path("card.html").exists()
    assert run(*asked, "-o", "card.json").code == 0


def test_commands_read_the_page_of_a_card(run: Run) -> None:
    files = ["-o", "card.json", "--report", "card.html", "--title", "People of <Ulm>"]
    assert run("release", "people.csv", "rules.txt", "--epsilon", "1", *files).code == 0
    assert "People of &lt;Ulm&gt;" in Path("card.html").read_text()
    assert candling.Card.load("card.html") == candling.Card.load("card.json")
    of_json, of_page = (run("explain", f"card.{ending}").out for ending in ("json", "html"))
    assert of_json == of_page != ""
    assert run("compare", "card.json", "card.html").code == 0
    Path("card.html").write_text("<!DOCTYPE html><p>mine</p>")
    assert "U106" in run("explain", "card.html").err


# Warnings, hints, next steps


@pytest.mark.parametrize(("budget", "warned"), [("4.9", False), ("5", True), ("100", True)])
def test_a_large_budget_gets_a_warning(run: Run, budget: str, warned: bool) -> None:
    run("ledger", "init", "budget.ledger")
    made = run("ledger", "add", "budget.ledger", "--dataset", "people", "--budget", budget)
    assert made.code == 0
    assert ("protects little" in made.err) == warned


def test_with_nothing_left_no_smaller_epsilon_is_proposed(run: Run) -> None:
    run("ledger", "init", "budget.ledger")
    run("ledger", "add", "budget.ledger", "--dataset", "people", "--budget", "1.5")
    asked = ["release", "people.csv", "rules.txt", "--ledger", "budget.ledger"]
    asked += ["--dataset", "people", "--epsilon"]
    assert "Request an epsilon of at most 1.5, or ask" in run(*asked, "2").err
    assert run(*asked, "1.5").code == 0
    refused = run(*asked, "0.5")
    assert refused.code == 3
    assert "Nothing is left to spend" in refused.err
    assert "smaller epsilon" not in refused.err


def test_init_says_first_that_the_table_is_missing(run: Run) -> None:
    assert Path("rules.txt").exists()
    assert "D101" in run("init", "nothing.csv").err
    assert "U104" in run("init", "people.csv").err


def test_examples_skip_a_column_that_numbers_the_rows(run: Run) -> None:
    Path("t.csv").write_text("index,provider,name\n1,2,3\n")
    text = run("init", "t.csv", "-o", "-").out
    assert "#key(index)" in text
    assert "#provider -> name" in text


def test_the_next_step_of_an_import_names_the_table(run: Run) -> None:
    with duckdb.connect("shop.duckdb") as connection:
        connection.execute("create table orders as select 1 as id, 2 as total")
        connection.execute("create table others as select 1 as id")
    Path("shop.sql").write_text("create table orders (id int primary key, total int not null)")
    where = ["--data", "shop.duckdb", "--data-table", "orders"]
    out = run("import", "shop.sql", *where, "-o", "o.txt").out
    command = next(line for line in out.splitlines() if "candling check" in line)
    assert command.strip() == "candling check o.txt shop.duckdb --table orders"
    assert run(*command.split()[1:]).code == 0


def test_a_name_of_a_file_is_proposed_only_if_it_is_alike(run: Run) -> None:
    Path("bier.csv").write_text("a\n1\n")
    assert "Did you mean" not in run("exact", "./nothere.csv", "rules.txt").err
    assert "Did you mean 'people.csv'?" in run("exact", "./peple.csv", "rules.txt").err


def test_a_key_without_brackets_is_recognised(run: Run) -> None:
    assert "a key is written key(Id)" in run("check", "--rule", "key Id").err


def test_the_owner_is_told_of_rows_without_a_person(run: Run) -> None:
    Path("visits.csv").write_text("patient,zip,city\n1,1,a\n,1,b\n,2,c\n")
    asked = ["exact", "visits.csv", "--rule", "zip -> city", "--person", "patient"]
    assert "Warning: 2 rows name no person (NULL)." in " ".join(run(*asked).out.split())
    for kept in ([], ["--rows-per-person", "2"]):
        assert json.loads(run(*asked, *kept, "--json").out)["rows_without_person"] == 2
    assert "rows_without_person" not in run(*asked[:-2], "--json").out


# Screens


def test_exact_shows_the_smallest_repair_once(run: Run) -> None:
    out = run("exact", "people.csv", "rules.txt").out
    assert out.count("Rows to delete") == 1
    assert "Any rule broken?  " in out
    assert " yes  at least one" in out


def test_conflicts_of_single_rows_are_not_pairs(run: Run) -> None:
    out = " ".join(run("exact", "people.csv", "--rule", "Age > 31").out.split())
    assert "Most conflicts of one row 0 no two rows break a rule together" in out


def test_a_scanner_of_code_gets_the_meaning_of_a_code(run: Run) -> None:
    Path("half.txt").write_text("Zip ->\n")
    report = json.loads(run("check", "half.txt", "--format", "sarif").out)
    (rule,) = report["runs"][0]["tool"]["driver"]["rules"]
    text = "The rule does not follow the grammar."
    assert rule == {"id": "R110", "shortDescription": {"text": text}}


def test_a_proposal_that_is_cut_says_so(run: Run) -> None:
    pytest.importorskip("desbordante")
    Path("t.csv").write_text("\n".join(["a,b,c,d", *(s[1:-1] for s in SEVERAL)]))
    out = run("suggest", "t.csv", "--limit", "1").out
    assert "are listed; --limit shows more." in out
    assert "Functional dependencies" in out


@pytest.mark.parametrize("command", ["release", "exact"])
def test_the_action_always_writes_a_summary(command: str) -> None:
    prefix = action.PREFIX
    wrong = {
        f"{prefix}COMMAND": command,
        f"{prefix}DATA": "people.csv" if command == "release" else "nothing.csv",
        f"{prefix}RULES": "rules.txt",
        f"{prefix}FAIL_IF": "grade < 95%",
        "GITHUB_STEP_SUMMARY": "summary.md",
    }
    assert action.main(wrong) == 2
    text = Path("summary.md").read_text()
    assert ("needs `epsilon`" if command == "release" else "exit code 2") in text.replace("\\", "")


def test_explain_knows_both_names_of_a_measure(run: Run) -> None:
    for words in ("problematic", "rows in conflict"):
        assert run("explain", *words.split()).out.startswith("Rows in conflict (problematic)\n")
    assert run("explain", "max_degree").out.startswith("Most conflicts of one row (max_degree)\n")


def test_a_terminal_breaks_errors_at_words(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TTY_COMPATIBLE", "1")
    monkeypatch.setenv("NO_COLOR", "1")
    Path("column.txt").write_text("Zip -> Citty\n")
    for columns in (44, 60):
        monkeypatch.setenv("COLUMNS", str(columns))
        for wrong in (["none.csv", "rules.txt"], ["people.csv", "column.txt"], ["rules.txt"] * 2):
            err = re.sub(r"\x1b\[[\d;?]*[A-Za-z]", "", run("exact", *wrong).err)
            assert all(len(line) <= columns for line in err.splitlines()), err
            assert "\n           ^\n" in err or "Citty" not in err
