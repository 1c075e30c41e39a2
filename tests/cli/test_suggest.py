from __future__ import annotations

import json
import stat
from datetime import date, timedelta
from pathlib import Path

import duckdb
import pytest

from tests.cli.conftest import Run

pytest.importorskip("desbordante")


@pytest.fixture
def visits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    duckdb.sql(
        """copy (select i as visit, 'Z' || (i % 20) as zip,
            case when i = 7 then 'odd' else 'C' || (i % 20) // 2 end as city
            from range(400) t(i)) to 'visits.csv' (header)"""
    )
    return "visits.csv"


def test_it_says_that_it_is_not_private(run: Run, visits: str) -> None:
    result = run("suggest", visits)
    assert result.code == 0
    assert result.out.startswith("NOT PRIVATE: these rules come from the rows of the table")
    assert "  1 row  zip -> city\n" in result.out
    assert "  holds  key(visit)\n" in result.out
    piped = run("suggest", visits, "--json")
    assert piped.err.startswith("NOT PRIVATE")
    assert {"kind": "key", "rule": "key(visit)", "broken": 0} in json.loads(piped.out)["proposals"]


def test_the_file_is_for_the_owner_alone(run: Run, visits: str) -> None:
    assert run("suggest", visits, "--output", "rules.txt").code == 0
    path = Path("rules.txt")
    assert path.read_text().startswith("# NOT PRIVATE")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert run("check", "rules.txt", visits).code == 0
    refused = run("suggest", visits, "--output", "rules.txt")
    assert refused.code == 2
    assert "U104" in refused.err


def test_without_desbordante_the_command_to_install_it(
    run: Run, visits: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("candling.owner.discovery.find_spec", lambda name: None)
    refused = run("suggest", visits)
    assert refused.code == 2
    assert "pip install 'candling[suggest]'" in refused.err
    assert "U505" in refused.err


def test_a_file_is_read_as_the_options_say(run: Run, visits: str) -> None:
    text = Path(visits).read_text().replace(",", ";").replace("odd", "n/a")
    Path("odd.csv").write_text(text)
    out = run("suggest", "odd.csv", "--delimiter", ";", "--null", "n/a").out
    assert "  holds  zip -> city\n" in out


def test_types_come_with_the_rules(run: Run, tmp_path: Path) -> None:
    """An order of days in a CSV file can be proposed, and the file can be used as it is."""
    table = tmp_path / "stays.csv"
    lines = ["Id,Start,End,Price"]
    for n in range(200):
        start, end = (date(2024, 1, 1) + timedelta(days=3 * n + more) for more in (0, 5))
        lines.append(f'{n},{start:%d.%m.%Y},{end:%d.%m.%Y},"{n % 50},5"')
    table.write_text("\n".join(lines) + "\n")
    to = tmp_path / "rules.txt"
    found = json.loads(run("suggest", table, "--output", to, "--json").out)
    assert found["types"] == {
        "Id": "integer",
        "Start": "date(%d.%m.%Y)",
        "End": "date(%d.%m.%Y)",
        "Price": "number(decimal ',')",
    }
    assert "Start <= End" in [p["rule"] for p in found["proposals"]]
    assert "type Start: date(%d.%m.%Y)\n" in to.read_text()
    assert run("check", to, table).code == 0
    assert json.loads(run("exact", table, to, "--json").out)["repair"] == 0
