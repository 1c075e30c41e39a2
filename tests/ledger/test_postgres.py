"""What only a server can do wrong."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from candling.errors import LedgerError
from candling.ledger import Ledger, Reservation, create_ledger, make_claim, open_ledger
from candling.ledger.postgres import PostgresStore
from tests.ledger.conftest import charge, reserve
from tests.postgres import PASSWORD, Server, running

SECRET = "hush-hush"


def test_without_a_server_the_tests_say_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.postgres.find_spec", lambda _: None)
    with pytest.raises(RuntimeError, match="make install"), running():
        pass


@pytest.fixture
def place(postgres: Server) -> str:
    return postgres.fresh()


def test_no_message_and_no_repr_tells_the_password(postgres: Server) -> None:
    addresses = [
        postgres.url(password=SECRET),
        f"postgresql://u:{SECRET}@127.0.0.1:1/budgets",
        f"postgresql://u@127.0.0.1:1/budgets?password={SECRET}",
        f"postgresql://u:{SECRET}@[::/budgets",
        f"postgresql://u:{SECRET}@h:port/budgets",
        f"postgresql://u@h/budgets?nonsense={SECRET}",
        f"postgresql://u@h/budgets?{SECRET}",
        f"postgres://u:{SECRET}@/nowhere?host=/nowhere",
    ]
    for address in addresses:
        for use in (open_ledger, create_ledger):
            with pytest.raises(LedgerError) as error:
                use(address)
            assert error.value.code == "L114"
            assert SECRET not in f"{error.value} {error.value!r} {PostgresStore(address)!r}"
            assert error.value.__suppress_context__
    assert PASSWORD not in repr(create_ledger(postgres.fresh()))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"password": "wrong"}, "wrong user or password"),
        ({"user": "nobody-at-all"}, "wrong user or password"),
    ],
)
def test_who_is_not_let_in(postgres: Server, change: dict[str, str], words: str) -> None:
    with pytest.raises(LedgerError, match=words):
        open_ledger(postgres.url(**change))


def test_no_such_database(postgres: Server) -> None:
    with pytest.raises(LedgerError, match="no such user or database"):
        open_ledger(postgres.url().replace("/postgres?", "/none?"))


def test_no_server() -> None:
    with pytest.raises(LedgerError, match=r"postgresql://u@127\.0\.0\.1:1/b cannot be reached"):
        open_ledger("postgresql://u:x@127.0.0.1:1/b")


def test_no_driver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(LedgerError, match=r"candling\[postgresql\]") as error:
        open_ledger("postgresql://u@h/b")
    assert error.value.code == "L114"


def test_commits_are_flushed_whatever_the_default(place: str) -> None:
    create_ledger(place)
    for default, wanted in (("off", "on"), ("local", "on"), ("remote_apply", "remote_apply")):
        store = PostgresStore(
            place.replace("options=", f"options=-csynchronous_commit%3D{default}%20")
        )
        with store.writing() as connection:
            assert connection.execute("show synchronous_commit") == [(wanted,)]


def test_a_server_that_does_not_flush_is_refused(
    place: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server's answer is made up: the setting cannot be changed while it runs."""
    ledger = create_ledger(place)
    execute = psycopg.Connection.execute

    def answer(self: Any, query: Any, *values: Any) -> Any:
        asked = query == "select current_setting('fsync')"
        return execute(self, "select 'off'" if asked else query, *values)

    monkeypatch.setattr(psycopg.Connection, "execute", answer)
    with pytest.raises(LedgerError, match="fsync = off"):
        ledger.add("visits", 1)


def test_a_strict_default_isolation_changes_nothing(place: str) -> None:
    create_ledger(place).add("visits", 1)
    strict = place.replace("options=", "options=-cdefault_transaction_isolation%3Dserializable%20")
    charge(open_ledger(strict), "r1")
    with PostgresStore(strict).writing() as connection:
        assert connection.execute("show transaction_isolation") == [("read committed",)]


@contextmanager
def locked(place: str) -> Iterator[None]:
    """Somebody in the middle of a charge, who does not go on."""
    with PostgresStore(place).writing():
        yield


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_lock_that_stays(place: str, when: str) -> None:
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    hasty = Ledger(PostgresStore(place, patience=0.2), ledger.meta)
    held = reserve(hasty, "r1", 1) if when == "after" else None
    with locked(place), pytest.raises(LedgerError, match="Another session has locked") as error:
        _ = hasty.store_result(held, {}, b"table") if held else reserve(hasty, "r1", 1)
    assert error.value.code == "L109"
    (dataset,) = ledger.show().datasets  # looking never waits
    assert len(dataset.without_result) == (0 if held is None else 1)


def test_analysts_need_no_right_to_change_anything(postgres: Server, place: str) -> None:
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    schema = place.rpartition("search_path%3D")[2]
    with psycopg.connect(place) as connection:
        for statement in (
            f"create role analyst_{schema} login password '{PASSWORD}'",
            f"grant usage on schema {schema} to analyst_{schema}",
            f"grant select, insert on candling_entries to analyst_{schema}",
            f"grant select on candling_meta, candling_key to analyst_{schema}",
        ):
            connection.execute(statement.encode())
    address = postgres.url(user=f"analyst_{schema}", schema=schema)
    analyst = open_ledger(address)
    held = analyst.reserve(make_claim("visits", "0.1", {}, by="ada"))
    assert isinstance(held, Reservation)
    analyst.store_result(held, {"value": 1}, b"table")
    analyst.verify()
    for sql in ("update candling_entries set units = 0", "delete from candling_entries"):
        with (
            pytest.raises(LedgerError, match="You lack a permission") as error,
            analyst.place.writing() as connection,
        ):
            connection.execute(sql)
        assert error.value.code == "L104"
    assert ledger.verify().entries == 4


def test_auditors_can_check_everything_and_sign_nothing(postgres: Server, place: str) -> None:
    """The secret is in a table of its own, so that looking needs no right to it."""
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    kept = charge(ledger, "r1")
    card = {**kept.result, "receipt": kept.receipt.to_dict(), "signature": kept.signature}
    schema = place.rpartition("search_path%3D")[2]
    with psycopg.connect(place) as connection:
        for statement in (
            f"create role auditor_{schema} login password '{PASSWORD}'",
            f"grant usage on schema {schema} to auditor_{schema}",
            f"grant select on candling_meta, candling_entries to auditor_{schema}",
        ):
            connection.execute(statement.encode())
    auditor = open_ledger(postgres.url(user=f"auditor_{schema}", schema=schema))
    assert auditor.verify(card).receipts == 1
    auditor.check(card)
    assert auditor.public_key == ledger.public_key
    assert len(list(auditor.export())) == auditor.show().entries == 4
    claim = make_claim("visits", "0.1", {"measures": ["repair"]}, request_id="r1")
    for use in (lambda: auditor.find(claim), lambda: reserve(auditor, "r2")):
        with pytest.raises(LedgerError, match="You lack a permission") as error:
            use()
        assert error.value.code == "L104"
