"""Nothing of a table hangs on an exception that leaves candling, in any attribute.

Every kind of source is spoiled so that whoever reads it fails on a cell and quotes it. Then all is
searched that can be reached from what is raised: its words, notes and attributes, other exceptions,
and what the frames of its traceback hold below the caller's own.
"""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import ipc

import candling
from candling.errors import InternalError, hide_private_errors, translate_failure
from candling.tables import open_source, open_table
from tests.backends import Tables
from tests.postgres import Server

CELL = "Quillfeather-93117"
RULES = candling.parse_constraints("Zip -> City")
SOUND = pa.table({"Zip": [1, 1, 2], "City": ["x", "y", CELL]})


def reachable(error: BaseException) -> Iterator[str]:
    """Whatever a debugger, a test runner or a collector of errors can show of an exception."""
    waiting: list[Any] = [error]
    seen: set[int] = set()
    while waiting:
        thing = waiting.pop()
        if id(thing) in seen:
            continue
        seen.add(id(thing))
        if isinstance(thing, BaseException):
            yield f"{thing!r} {thing}"
            waiting += [thing.args, vars(thing), thing.__context__, thing.__cause__]
            frame = thing.__traceback__
            while frame is not None:
                if "candling" in frame.tb_frame.f_globals.get("__name__", "").split("."):
                    names = frame.tb_frame.f_locals.items()
                    waiting += [value for name, value in names if name not in ("data", "args")]
                frame = frame.tb_next
        elif isinstance(thing, dict):
            waiting += [*thing.keys(), *thing.values()]
        elif isinstance(thing, list | tuple | set):
            waiting += thing
        elif type(thing).__module__.partition(".")[0] != "ibis":
            yield repr(thing)


def leaks(error: BaseException) -> list[str]:
    return [text for text in reachable(error) if "quillfeather" in text.lower()]


def test_the_search_finds_what_is_hidden() -> None:
    def fail() -> None:
        try:
            int(CELL)
        except ValueError:
            raise candling.DataError("no word of it", code="D103") from None

    with pytest.raises(candling.DataError) as caught:
        fail()
    assert leaks(caught.value)
    noted = ValueError("no word of it")
    noted.add_note(CELL)
    assert leaks(noted)
    assert not leaks(ValueError("no word of it"))


# Frames and Arrow


class Odd:
    """An object that quotes itself wherever it is asked."""

    def __str__(self) -> str:
        raise RuntimeError(CELL)

    __repr__ = __float__ = __int__ = __len__ = __iter__ = __hash__ = __str__  # type: ignore[assignment]


class Stream:
    """A table of somebody else's that fails half way."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        def batches() -> Iterator[pa.RecordBatch]:
            yield SOUND.to_batches()[0]
            raise ValueError(CELL)

        reader = pa.RecordBatchReader.from_batches(SOUND.schema, batches())
        return reader.__arrow_c_stream__(requested_schema)


def _mixed(*values: object) -> pd.DataFrame:
    return pd.DataFrame({"Zip": [1] * len(values), "City": pd.Series(list(values), dtype=object)})


def _wrong() -> pa.Array:
    far = pa.array([0, 1, 2**30], pa.int32())
    return pa.DictionaryArray.from_arrays(far, pa.array([CELL, "x"]), safe=False)


OBJECTS: dict[str, Callable[[], Any]] = {
    "polars, objects": lambda: pl.DataFrame(
        {"Zip": [1, 2], "City": pl.Series([Odd(), CELL], dtype=pl.Object)}
    ),
    "polars, lazy": lambda: pl.LazyFrame({"Zip": [1], "City": [CELL]}).with_columns(
        pl.col("City").cast(pl.Int64)
    ),
    "arrow": lambda: pa.table({"Zip": [1, 1, 2], "City": _wrong()}),
    "arrow, a batch": lambda: pa.record_batch({"Zip": pa.array([1, 1, 2]), "City": _wrong()}),
    "a stream": Stream,
    "ibis, in memory": lambda: ibis.memtable(SOUND).mutate(City=ibis._.City.cast("int64")),
    "no table": lambda: {"City": [CELL]},
}


# Files


def _csv(text: str) -> Callable[[Path], Path]:
    def write(folder: Path) -> Path:
        (folder / "t.csv").write_bytes(text.encode("latin-1"))
        return folder / "t.csv"

    return write


def _parquet(folder: Path) -> Path:
    rows = pa.table({"Zip": list(range(5000)), "City": [f"{CELL} {i}" for i in range(5000)]})
    pq.write_table(rows, folder / "t.parquet", compression="none", use_dictionary=False)
    content = (folder / "t.parquet").read_bytes()
    (folder / "t.parquet").write_bytes(content.replace(CELL.encode(), b"\xff" * len(CELL), 900))
    return folder / "t.parquet"


def _json(folder: Path) -> Path:
    rows = [{"Zip": 1, "City": CELL}] * 3
    (folder / "t.json").write_text(json.dumps(rows)[:-9], encoding="utf-8")
    return folder / "t.json"


def _arrow(folder: Path) -> Path:
    table = pa.table({"Zip": [1, 1, 2], "City": _wrong()})
    with ipc.new_file(folder / "t.arrow", table.schema) as out:
        out.write_table(table)
    return folder / "t.arrow"


def _database(folder: Path) -> Path:
    with duckdb.connect(str(folder / "t.duckdb")) as connection:
        connection.execute(f"create table t as select 1 as Zip, '{CELL}' as City from range(9)")
    content = bytearray((folder / "t.duckdb").read_bytes())
    at = content.index(CELL.encode())
    content[at + len(CELL)] ^= 255
    (folder / "t.duckdb").write_bytes(content)
    return folder / "t.duckdb"


FILES: dict[str, Callable[[Path], Path]] = {
    "csv, bad bytes": _csv(f"Zip,City\n1,{CELL}\xff\n1,x\n"),
    "csv, ragged": _csv(f"Zip,City\n1,{CELL},3,4\n1,x\n"),
    "csv, a quote": _csv(f'Zip,City\n1,"{CELL}\n1,x\n'),
    "json": _json,
    "arrow": _arrow,
    "duckdb": _database,
}
CALLS: dict[str, Callable[[Any], object]] = {
    "analyze": lambda data: candling.analyze(data, RULES),
    "exact": lambda data: candling.exact(data, RULES),
    "release": lambda data: candling.release(data, RULES, 1),
    "open_table": lambda data: _read(open_table(data)),
    "open_source": lambda data: _read(open_source(data).canonical()),
}


def _read(table: Any) -> object:
    return table.collect(table.rows(["City"]))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", OBJECTS)
def test_frames_and_arrow(kind: str, call: str) -> None:
    _raises_nothing_private(lambda: CALLS[call](OBJECTS[kind]()))


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize(
    "cells", [(1, CELL, 2.5), (Odd(), Odd()), (CELL, Odd(), 3)], ids=["mixed", "odd", "both"]
)
def test_objects_of_pandas_are_texts(
    cells: tuple[object, ...], call: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A cell decides about itself: none is a reason for an error, whatever object it is."""
    CALLS[call](_mixed(*cells))
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("call", CALLS)
def test_bytes_that_are_not_text_have_a_form(
    call: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """No cell of a Parquet file decides whether there is a release."""
    CALLS[call](_parquet(tmp_path))
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("kind", FILES)
def test_files(kind: str, call: str, tmp_path: Path) -> None:
    path = FILES[kind](tmp_path)
    _raises_nothing_private(lambda: CALLS[call](path))


def _raises_nothing_private(work: Callable[[], object]) -> None:
    with pytest.raises(candling.CandlingError) as caught:
        work()
    assert leaks(caught.value) == []
    assert caught.value.__context__ is None
    assert CELL.encode() not in pickle.dumps(str(caught.value))


# Tables on engines: a view that fails on a cell when it is read


@pytest.mark.parametrize("call", ["analyze", "exact", "release"])
def test_engines(engine_table: Tables, call: str) -> None:
    spoiled = engine_table(SOUND)
    number = spoiled.City.cast("int64")
    data = spoiled.mutate(City=number)
    if engine_table.engine == "spark":
        engine_table.backend._session.conf.set("spark.sql.ansi.enabled", "true")
    _raises_nothing_private(lambda: CALLS[call](data))


@pytest.mark.postgres
def test_a_view_of_postgresql_by_its_address(postgres: Server) -> None:
    address = postgres.fresh()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute('create table t ("Zip" int, "City" text)')
        connection.execute("insert into t values (1, %s)", (CELL,))
        connection.execute('create view v as select "Zip", "City"::int as "City" from t')
    _raises_nothing_private(lambda: candling.exact(address, RULES, table="v"))


def test_a_view_of_a_duckdb_file(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.execute(f"create table t as select 1 as Zip, '{CELL}' as City")
        connection.execute("create view v as select Zip, City::int as City from t")
    _raises_nothing_private(
        lambda: candling.release(tmp_path / "t.duckdb", RULES, 1, table="view:v")
    )


# Our own bugs


@pytest.mark.parametrize(
    "where", ["candling.releases.session.read_core", "candling.releases.session.run_release"]
)
def test_a_bug_that_quotes_a_cell(where: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        cells = {CELL: 1}
        raise KeyError(CELL, cells)

    monkeypatch.setattr(where, fail)
    place = r"KeyError in candling/releases/session\.py:\d+"
    with pytest.raises(InternalError, match=place) as caught:
        candling.release(SOUND, RULES, 1)
    assert leaks(caught.value) == []


def test_the_memory_that_numpy_lacks(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        np.zeros(2**58 + 93117)

    monkeypatch.setattr("candling.releases.session.read_core", fail)
    with pytest.raises(candling.DataError) as caught:
        candling.release(SOUND, RULES, 1)
    assert caught.value.code == "D107"
    assert not any("93117" in text for text in reachable(caught.value))


def test_an_error_of_ours_loses_what_hangs_on_it() -> None:
    def fail() -> None:
        cell = CELL
        try:
            int(cell)
        except ValueError:
            raise candling.DataError("no word of it", code="D103") from None

    guards: list[Callable[[], None]] = [
        lambda: hide_private_errors(fail),
        lambda: translate_failure(fail, _never),
    ]
    for work in guards:
        with pytest.raises(candling.DataError, match="no word of it") as caught:
            work()
        assert leaks(caught.value) == []
        assert "fail" not in [entry.name for entry in caught.traceback]


def _never(_: Exception) -> candling.DataError:
    raise AssertionError("it is ours already")


def test_what_is_raised_below_stays_so_where_somebody_looks_for_bugs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("CANDLING_DEBUG", "1")

    def fail() -> None:
        raise KeyError(CELL)

    with pytest.raises(KeyError):
        hide_private_errors(fail)
    with pytest.raises(candling.DataError) as caught:
        translate_failure(fail, lambda _: candling.DataError("no word of it", code="D103"))
    assert isinstance(caught.value.__cause__, KeyError)


def test_what_the_system_says_keeps_its_number() -> None:
    def fail() -> None:
        raise BrokenPipeError(32, "Broken pipe")

    with pytest.raises(BrokenPipeError):
        hide_private_errors(fail)
