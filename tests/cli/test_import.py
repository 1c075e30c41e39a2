from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Run, check_golden

FILES = Path(__file__).parents[1] / "imports" / "files"
MARTS = FILES / "dbt" / "marts.yml"


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("columns", [60, 100])
def test_the_report(run: Run, columns: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    result = run("import", MARTS)
    assert (result.code, result.err) == (0, "")
    check_golden("import", result.out, columns=columns)
    assert Path("rules.txt").read_text().startswith("# Rules of fct_payments, imported from marts")


def test_the_file_can_be_checked(run: Run) -> None:
    assert run("import", MARTS, "--output", "r.txt").code == 0
    assert run("check", "r.txt").code == 0


def test_a_file_is_not_overwritten_unless_asked(run: Run) -> None:
    Path("rules.txt").write_text("mine")
    refused = run("import", MARTS)
    assert refused.code == 2
    assert "U104" in refused.err
    assert Path("rules.txt").read_text() == "mine"
    assert run("import", MARTS, "--force").code == 0
    assert Path("rules.txt").read_text() != "mine"


def test_to_standard_output_and_as_json(run: Run) -> None:
    text = run("import", MARTS, "--output", "-").out
    assert "payment_id_unique: key(payment_id)" in text
    plain = json.loads(run("import", MARTS, "--output", "-", "--json").out)
    written = json.loads(run("import", MARTS, "--json").out)
    assert written == {"output": "rules.txt", **plain}
    assert plain["table"] == "fct_payments"
    assert {"gate": "rows < 100", "origin": plain["gates"][0]["origin"]} in plain["gates"]
    assert not Path("-").exists()


def test_the_table_is_looked_at_for_names_and_types_only(run: Run) -> None:
    ddl = FILES / "sql" / "spark.sql"
    Path("visits.csv").write_text(
        "Visit_ID,PATIENT,Admitted,Discharged\n1,P1,2020-01-01,2020-01-02\n"
    )
    found = run("import", ddl, "--dialect", "spark", "--data", "visits.csv", "--output", "-").out
    assert "order_of_dates: Discharged >= Admitted" in found
    Path("visits.csv").write_text(
        "Visit_ID,PATIENT,Admitted,Discharged\n9,x,2010-01-01,2009-01-02\n"
    )
    again = run("import", ddl, "--dialect", "spark", "--data", "visits.csv", "--output", "-").out
    assert again == found


def test_a_public_list_is_named_from_where_the_rules_are(run: Run) -> None:
    Path("lists").mkdir()
    Path("rules").mkdir()
    Path("lists/currencies.csv").write_text("code\nEUR\n")
    public = ("--public", "currencies=lists/currencies.csv")
    assert run("import", MARTS, *public, "--output", "rules/r.txt").code == 0
    rule = "currency in file('../lists/currencies.csv', 'code')"
    assert rule in Path("rules/r.txt").read_text()
    assert run("check", "rules/r.txt").code == 0
    for wrong in ("currencies", "=x.csv", "currencies=none.csv"):
        refused = run("import", MARTS, "--public", wrong, "--output", "-")
        assert refused.code == 2
        assert "U504" in refused.err


def test_mistakes_have_codes(run: Run) -> None:
    for code, arguments in (
        ("U501", ["missing.yml"]),
        ("U502", [MARTS, "--format", "excel"]),
        ("U503", [FILES / "dbt" / "jaffle.yml"]),
    ):
        refused = run("import", *arguments)
        assert refused.code == 2
        assert code in refused.err
        assert not Path("rules.txt").exists()


def test_the_format_of_the_project_is_another(run: Run) -> None:
    Path("candling.toml").write_text('format = "json"\n')
    Path("candling.toml").chmod(0o644)
    assert run("import", MARTS).code == 0


def test_names_of_others_are_harmless(run: Run) -> None:
    result = run("import", FILES / "dbt" / "hostile_names.yml")
    assert result.code == 0
    assert "\x1b" not in result.out + Path("rules.txt").read_text()
