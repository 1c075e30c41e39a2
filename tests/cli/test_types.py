"""One table as Europeans and as Americans write it: the same numbers, once its types are stated."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from pathlib import Path

import pytest
from openpyxl import Workbook  # type: ignore[import-untyped]

from tests.cli.conftest import Run

ROWS = 400
RULES = """\
key(Visit)
Admission <= Discharge
Charge between 0 and 999.5
order: not(t1.Ward = t2.Ward and t1.Nights > t2.Nights and t1.Charge < t2.Charge)
"""
ISO = "type Admission, Discharge: date\ntype Charge, Nights: number\n"
EUROPEAN = "type Admission, Discharge: date(%d/%m/%Y)\ntype Charge, Nights: number(decimal ',')\n"
AMERICAN = "type Admission, Discharge: date(%m/%d/%Y)\ntype Charge, Nights: number\n"
HEADER = ("Visit", "Ward", "Admission", "Discharge", "Nights", "Charge")
Row = tuple[int, str, date, date, int, float]


def _rows() -> list[Row]:
    """Visits, of which every tenth ends before it begins and every seventh costs too much."""
    chance = random.Random(7)
    rows: list[Row] = []
    for visit in range(ROWS):
        nights = chance.randrange(1, 30)
        admission = date(2024, 1, 1) + timedelta(days=chance.randrange(300))
        discharge = admission + timedelta(days=-nights if visit % 10 == 0 else nights)
        charge = 1000.25 if visit % 7 == 0 else nights * 30 + 0.5
        rows.append((visit, f"w{visit % 3}", admission, discharge, nights, charge))
    return rows


def _write(path: Path, day: Callable[[date], str], number: Callable[[float], str]) -> Path:
    lines = [";".join(HEADER)]
    lines += [
        ";".join((str(visit), ward, day(start), day(end), str(nights), number(charge)))
        for visit, ward, start, end, nights, charge in _rows()
    ]
    path.write_text("\n".join(lines) + "\n")
    return path


def european(path: Path) -> Path:
    return _write(path, lambda d: d.strftime("%d/%m/%Y"), lambda x: str(x).replace(".", ","))


def american(path: Path) -> Path:
    return _write(path, lambda d: d.strftime("%m/%d/%Y"), str)


def _exact(run: Run, data: Path, rules: str, *more: str) -> dict[str, object]:
    path = data.with_name("rules.txt")
    path.write_text(rules + RULES)
    result = run("exact", data, path, "--json", *more)
    assert result.code == 0, result.err
    found: dict[str, object] = json.loads(result.out)
    return found


@pytest.fixture
def expected(run: Run, tmp_path: Path) -> dict[str, object]:
    """What is true of the table, from its ISO version."""
    iso = _write(tmp_path / "iso.csv", str, str)
    found = _exact(run, iso, ISO)
    assert 40 < int(str(found["repair_exact"])) < 200
    return found


def test_the_same_numbers(run: Run, tmp_path: Path, expected: dict[str, object]) -> None:
    """By lines in the rules, by options, and by both."""
    table = european(tmp_path / "european.csv")
    assert _exact(run, table, EUROPEAN) == expected
    days = ("--type", "Admission=date(%d/%m/%Y)", "--type", "Discharge=date(%d/%m/%Y)")
    assert _exact(run, table, "type Charge, Nights: number\n", *days, "--decimal", ",") == expected
    table = american(tmp_path / "american.csv")
    assert _exact(run, table, AMERICAN) == expected
    assert _exact(run, table, AMERICAN, "--decimal", ".") == expected


def test_candling_toml(run: Run, tmp_path: Path, expected: dict[str, object]) -> None:
    table = european(tmp_path / "european.csv")
    settings = tmp_path / "candling.toml"
    settings.write_text(
        'decimal = ","\n[type]\nAdmission = "date(%d/%m/%Y)"\nDischarge = "date(%d/%m/%Y)"\n'
    )
    settings.chmod(0o644)
    stated = "type Nights, Charge: number\n"
    assert _exact(run, table, stated, "--config", str(settings)) == expected


def test_a_sheet(run: Run, tmp_path: Path, expected: dict[str, object]) -> None:
    """Texts, numbers and dates in one column: each cell as the stated type writes it."""
    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(HEADER)
    for number, (visit, ward, start, end, nights, charge) in enumerate(_rows()):
        midnight = datetime.combine(end, time())  # as pandas writes days
        if number % 2:
            sheet.append([visit, ward, start, midnight, nights, charge])
        else:
            first, last = (d.strftime("%d/%m/%Y") for d in (start, end))
            sheet.append([visit, ward, first, last, nights, str(charge).replace(".", ",")])
    book.save(tmp_path / "t.xlsx")
    assert _exact(run, tmp_path / "t.xlsx", EUROPEAN) == expected
    for row in sheet.iter_rows(min_row=2):
        for cell in row[2:4]:
            if isinstance(cell.value, str):
                cell.value = datetime.strptime(cell.value, "%d/%m/%Y")  # noqa: DTZ007 - a day
    book.save(tmp_path / "t.xlsx")
    iso = EUROPEAN.replace("(%d/%m/%Y)", "")
    assert _exact(run, tmp_path / "t.xlsx", iso) == expected


def test_a_wrong_statement_is_a_bad_grade(run: Run, tmp_path: Path) -> None:
    """It does not hide as NULLs: cells with a comma are no numbers, unless that is said."""
    table = european(tmp_path / "european.csv")
    right = _exact(run, table, EUROPEAN)
    wrong = _exact(run, table, EUROPEAN.replace("(decimal ',')", ""))
    assert wrong["repair_exact"] == ROWS  # every charge has a comma
    assert right["repair_exact"] != ROWS
    swapped = _exact(run, table, EUROPEAN.replace("%d/%m", "%m/%d"))
    assert int(str(swapped["repair_exact"])) > 200  # days beyond the twelfth are no months
    rules = tmp_path / "rules.txt"
    rules.write_text(EUROPEAN.replace("(decimal ',')", "") + RULES)
    card = json.loads(
        run("release", table, rules, "--epsilon", "9", "--measures", "repair,rows", "--json").out
    )
    assert card["grade"]["high"] < 0.1
    counted = json.loads(run("owner", "types", table, rules, "--json").out)["columns"]
    assert {c["column"]: c["misfits"] for c in counted}["Charge"] == ROWS


def test_init_proposes_what_is_true(run: Run, tmp_path: Path, expected: dict[str, object]) -> None:
    """The proposed lines give the same numbers for every version, without a change."""
    for write in (european, american):
        table = write(tmp_path / f"{write.__name__}.csv")
        lines = run("init", table, "--output", "-").out.splitlines()
        types = "".join(f"{line}\n" for line in lines if line.startswith("type "))
        assert _exact(run, table, types) == expected


def test_both_readings_of_days_up_to_the_twelfth(run: Run, tmp_path: Path) -> None:
    """Nothing is chosen for the owner: without a choice the order is refused, with the line."""
    table = tmp_path / "t.csv"
    table.write_text("Admission,Discharge\n" + "01/05/2024,02/03/2024\n" * 50)
    lines = run("init", table, "--output", "-").out.splitlines()
    found = [line.partition("  #")[0] for line in lines if "fit" in line and "day or" in line]
    assert found == [
        "#type Admission: date(%d/%m/%Y)",
        "#type Admission: date(%m/%d/%Y)",
        "#type Discharge: date(%d/%m/%Y)",
        "#type Discharge: date(%m/%d/%Y)",
    ]
    rules = tmp_path / "rules.txt"
    rules.write_text("Admission <= Discharge\n")
    result = run("exact", table, rules)
    assert result.code == 2
    assert "type Admission, Discharge: date" in " ".join(result.err.split())
    broken = {}
    for written in ("%d/%m/%Y", "%m/%d/%Y"):
        rules.write_text(f"type Admission, Discharge: date({written})\nAdmission <= Discharge\n")
        broken[written] = json.loads(run("exact", table, rules, "--json").out)["repair"]
    assert broken == {"%d/%m/%Y": 50, "%m/%d/%Y": 0}


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--decimal", ";"), "write --decimal ,"),
        (("--type", "Charge=number(decimal ';')"), "Types are"),
        (("--type", "Admission=date(%Q)"), "%Y"),
    ],
)
def test_mistakes(run: Run, tmp_path: Path, more: tuple[str, str], words: str) -> None:
    table = european(tmp_path / "european.csv")
    rules = tmp_path / "rules.txt"
    rules.write_text("key(Visit)\n")
    result = run("exact", table, rules, *more)
    assert result.code == 2
    assert words in " ".join(result.err.split())
