"""--engine on the command line: the same answers, and no password anywhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tests.cli.conftest import Run
from tests.postgres import Server


@pytest.fixture
def clinic(postgres: Server, people: Path) -> str:
    """The address of a database that has the five people."""
    address = postgres.fresh()
    with psycopg.connect(address) as connection, connection.cursor() as cursor:
        cursor.execute('create table people ("Id" int, "Zip" int, "City" text, "Age" int)')
        with cursor.copy("copy people from stdin (format csv, header)") as copy:
            copy.write(people.read_bytes())
    return address


def quiet(result: Any) -> Any:
    """The result, which tells no password."""
    assert "correct" not in result.out + result.err
    assert "horse" not in result.out + result.err
    return result


@pytest.mark.postgres
def test_exact_is_the_same(run: Run, clinic: str, people: Path, rules: Path) -> None:
    here = json.loads(run("exact", people, rules, "--json").out)
    for asked in (["people", rules, "--engine", clinic], [clinic, rules, "--table", "people"]):
        assert json.loads(quiet(run("exact", *asked, "--json")).out) == here
        shown = quiet(run("exact", *asked))
        assert shown.code == 0
        assert "under 3 rules" in shown.out


@pytest.mark.postgres
def test_a_charged_release_tells_no_password(
    run: Run, clinic: str, rules: Path, tmp_path: Path
) -> None:
    ledger, page = tmp_path / "budget.ledger", tmp_path / "card.html"
    run("ledger", "init", ledger)
    run("ledger", "add", ledger, "--dataset", "people", "--budget", "9")
    for form in ("table", "json", "csv", "markdown"):
        asked = ("release", clinic, rules, "--table", "people", "--epsilon", "1")
        charged = ("--ledger", ledger, "--dataset", "people", "--report", page, "--force")
        assert quiet(run(*asked, *charged, "--format", form)).code == 0
    quiet(run("ledger", "show", ledger))
    quiet(run("ledger", "export", ledger))
    for path in (ledger, page):
        assert b"correct" not in path.read_bytes()


@pytest.mark.postgres
def test_check_and_init(run: Run, clinic: str, rules: Path, tmp_path: Path) -> None:
    assert quiet(run("check", rules, "people", "--engine", clinic)).code == 0
    assert quiet(run("check", rules, clinic, "--table", "people")).code == 0
    written = tmp_path / "new.txt"
    told = quiet(run("init", clinic, "--table", "people", "--output", written))
    assert told.code == 0
    assert "--table people" in told.out
    assert "Zip" in written.read_text()
    assert "correct" not in written.read_text()


@pytest.mark.postgres
def test_the_engine_can_stand_in_the_file(
    run: Run, clinic: str, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("candling.toml").write_text(f'engine = "{clinic}"\nrules = "rules.txt"\n')
    assert quiet(run("exact", "people")).code == 0
    assert run("exact", "people.csv", "--engine", "duckdb").code == 0
    missing = quiet(run("exact", "poeple"))
    assert missing.code == 2
    assert "D110" in missing.err


@pytest.mark.postgres
def test_rows_of_a_server_have_no_numbers(run: Run, clinic: str, rules: Path) -> None:
    result = quiet(run("owner", "conflicts", clinic, rules, "--table", "people"))
    assert result.code == 2
    assert "U107" in result.err


@pytest.mark.spark
def test_spark(run: Run, spark: Any, people: Path, rules: Path) -> None:
    here = json.loads(run("exact", people, rules, "--json").out)
    assert json.loads(run("exact", people, rules, "--engine", "spark", "--json").out) == here
    card = run("release", people, rules, "--engine", "spark", "--epsilon", "1", "--json")
    assert card.code == 0
    assert json.loads(card.out)["epsilon"] == 1


@pytest.mark.postgres
def test_a_lost_connection_is_charged_once(
    run: Run, clinic: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with psycopg.connect(clinic) as connection:
        # Stable, as it says, so that it is called only for its value: not to count rows.
        connection.execute(
            "create function die() returns text language plpgsql stable as $$ begin "
            "perform pg_terminate_backend(pg_backend_pid()); return 'a'; end $$"
        )
        connection.execute('create view dying as select die() as "a"')
    monkeypatch.chdir(tmp_path)
    Path("key.txt").write_text("key(a)")
    run("ledger", "init", "budget.ledger")
    run("ledger", "add", "budget.ledger", "--dataset", "d", "--budget", "9")
    asked = ("release", "dying", "key.txt", "--engine", clinic, "--epsilon", "1")
    charged = ("--ledger", "budget.ledger", "--dataset", "d", "--request-id", "once")
    for code in ("D108", "L112"):
        result = quiet(run(*asked, *charged))
        assert result.code == 2
        assert code in result.err
        told = json.loads(run("ledger", "show", "budget.ledger", "--json").out)
        assert told["datasets"]["d"]["charged"] == 1
