"""Rules of many tables at once: a dbt manifest, a folder of files, a file with several tables."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from candling.errors import UsageError
from candling.imports import ImportedProject, import_project, import_rules
from tests.imports.manifest import manifest

FILES = Path(__file__).parent / "files"


def written(folder: Path, content: dict[str, Any]) -> Path:
    path = folder / "manifest.json"
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def rules_of(project: ImportedProject) -> dict[str | None, list[str]]:
    return {imported.table: [str(rule) for rule in imported.rules] for imported in project.tables}


def test_a_manifest_gives_the_rules_of_every_model_of_the_project(tmp_path: Path) -> None:
    project = import_project(written(tmp_path, manifest()))
    assert rules_of(project) == {
        "orders": [
            "id_unique: key(id)",
            "id_not_null: id is not null",
            "status_accepted_values: status in ('placed', 'shipped') where id > 5",
        ],
        "customers": ["a_b_unique: key(a, b)"],
        "raw.events": [],
    }
    orders = project.tables[0]
    assert {name: str(kind) for name, kind in orders.types.items()} == {"id": "integer"}
    assert [rule.warns for rule in orders.rules] == [False, False, True]
    assert [left.origin.split()[-1] for left in orders.left_out] == ["relationships", "positive"]
    assert all("manifest.json" in rule.origin for rule in orders.rules)


def test_one_model_of_a_manifest(tmp_path: Path) -> None:
    imported = import_rules(written(tmp_path, manifest()), table="customers")
    assert [str(rule) for rule in imported.rules] == ["a_b_unique: key(a, b)"]


@pytest.mark.parametrize("wrong", ["nodes", "metadata", "sources"])
def test_a_damaged_manifest_stops_with_a_code_or_gives_less(wrong: str, tmp_path: Path) -> None:
    path = written(tmp_path, manifest() | {wrong: [1, None]})
    if wrong == "sources":
        assert "raw.events" not in rules_of(import_project(path))
        return
    with pytest.raises(UsageError) as error:
        import_project(path)
    assert error.value.code == "U501"


def test_a_folder_is_read_file_by_file(tmp_path: Path) -> None:
    shutil.copytree(FILES / "odcs", tmp_path / "contracts")
    shutil.copytree(FILES / "dbt", tmp_path / "contracts" / "models")
    (tmp_path / "contracts" / "notes.yml").write_text("- a list\n")
    (tmp_path / "contracts" / "broken.yaml").write_text("a: [1\n")
    (tmp_path / "contracts" / ".hidden").mkdir()
    shutil.copy(FILES / "dbt" / "jaffle.yml", tmp_path / "contracts" / ".hidden")
    project = import_project(tmp_path / "contracts")
    sources = [imported.source for imported in project.tables]
    assert "models/jaffle.yml" in sources
    assert "payments.odcs.yaml" in sources
    assert not any("hidden" in source for source in sources)
    assert [skipped.origin for skipped in project.skipped] == ["broken.yaml"]
    alone = import_rules(FILES / "dbt" / "jaffle.yml", table="orders")
    of_folder = next(x for x in project.tables if x.table == "orders" and "jaffle" in x.source)
    assert [r.rule for r in of_folder.rules] == [r.rule for r in alone.rules]


def test_queries_of_a_dbt_project_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "dbt_project.yml").write_text("name: shop\n")
    (tmp_path / "models").mkdir()
    (tmp_path / "target").mkdir()
    (tmp_path / "models" / "orders.sql").write_text("select {{ x }} from y")
    shutil.copy(FILES / "dbt" / "jaffle.yml", tmp_path / "models" / "schema.yml")
    shutil.copy(FILES / "dbt" / "jaffle.yml", tmp_path / "target" / "compiled.yml")
    project = import_project(tmp_path)
    assert {imported.source for imported in project.tables} == {"models/schema.yml"}
    assert not project.skipped


def test_a_file_with_several_tables() -> None:
    project = import_project(FILES / "sql" / "shop.sql")
    assert set(rules_of(project)) >= {"customers", "orders"}


def test_a_folder_without_any_is_refused(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("a,b\n1,2\n")
    with pytest.raises(UsageError) as error:
        import_project(tmp_path)
    assert error.value.code == "U501"
