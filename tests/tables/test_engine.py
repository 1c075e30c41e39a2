"""An engine is a module and a line in the registry: nothing else knows its name."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import ibis
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import candling
from candling.system.files import REGISTERED, Registration, engine_spellings, hide_secrets
from candling.tables import open_table
from tests.tables import toy

TABLE = pa.table({"zip": [1, 1, 2], "city": ["a", "b", "c"]})
TOY = Registration(
    "toy", "tests.tables.toy", ("toy",), schemes=("toy",), examples=("toy://FOLDER",)
)


@pytest.fixture
def folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    monkeypatch.setitem(REGISTERED, "toy", TOY)
    pq.write_table(TABLE, tmp_path / "visits.parquet")
    return f"toy://{tmp_path}"


def test_a_new_engine_is_measured(folder: str) -> None:
    rules = candling.parse_constraints("zip -> city")
    before = toy.ENGINE.answers
    exact = candling.exact("visits", rules, engine=folder)
    assert exact == candling.exact(TABLE, rules)
    assert toy.ENGINE.answers > before
    assert open_table("visits", engine=folder).engine is toy.ENGINE


def test_a_new_engine_takes_its_tables_of_ibis(
    folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(REGISTERED, "duckdb", replace(REGISTERED["duckdb"], ibis=()))
    monkeypatch.setitem(REGISTERED, "toy", replace(TOY, ibis=("duckdb",)))
    assert (
        open_table(ibis.duckdb.connect().create_table("t", ibis.memtable(TABLE))).engine
        is toy.ENGINE
    )


def test_a_new_engine_is_listed(folder: str) -> None:
    assert engine_spellings()[-2:] == ("toy", "toy://FOLDER")
    assert hide_secrets("toy://ann:secret@host") == "toy://host"
    with pytest.raises(candling.UsageError, match="Did you mean 'toy'"):
        open_table("visits", engine="toyy")


@pytest.mark.parametrize("name", REGISTERED)
def test_every_engine_has_the_same_names(name: str) -> None:
    from candling.tables.open import load

    engine = load(REGISTERED[name])
    assert engine.name == name
    assert engine.quote('a"`') != 'a"`'
    assert engine.digest.text
