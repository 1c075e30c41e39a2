"""What only a server can do wrong."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any
from urllib.parse import quote

import psycopg
import psycopg.sql
import pytest

from candling.errors import LedgerError
from candling.ledger import Ledger, Reservation, create_ledger, make_claim, open_ledger
from candling.ledger.postgres import PostgresConnection, PostgresStore
from tests.ledger.conftest import charge, reserve
from tests.postgres import PASSWORD, Server, frozen, running

pytestmark = pytest.mark.postgres
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
    with pytest.raises(LedgerError, match=r"No server responds at postgresql://u@127\.0\.0\.1:1/b"):
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
        with store.open_writer() as connection:
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
    with PostgresStore(strict).open_writer() as connection:
        assert connection.execute("show transaction_isolation") == [("read committed",)]


@contextmanager
def locked(place: str) -> Iterator[None]:
    """Somebody in the middle of a charge, who does not go on."""
    with PostgresStore(place).open_writer():
        yield


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_lock_that_stays(place: str, when: str) -> None:
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    hasty = Ledger(PostgresStore(place, patience=0.2), ledger.meta)
    held = reserve(hasty, "r1", 1) if when == "after" else None
    with locked(place), pytest.raises(LedgerError, match="Another session has locked") as error:
        _ = hasty.store_result(held, {}) if held else reserve(hasty, "r1", 1)
    assert error.value.code == "L109"
    (dataset,) = ledger.show().datasets  # looking never waits
    assert len(dataset.without_result) == (0 if held is None else 1)


@pytest.mark.parametrize("when", ["statement", "commit", "rollback"])
def test_a_server_that_freezes_is_given_up(place: str, when: str) -> None:
    """It used to wait for ever: neither the limit on locks nor that on connecting ends it."""
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    start = time.monotonic()
    with ExitStack() as until_the_end:

        def freeze() -> None:
            with PostgresStore(place, silence=1).open_writer() as here:
                ((process,),) = here.execute("select pg_backend_pid()")
                until_the_end.enter_context(frozen(int(str(process))))
                if when == "statement":
                    here.execute("select 1")
                elif when == "rollback":
                    raise KeyError

        with pytest.raises(LedgerError if when != "rollback" else KeyError) as error:
            freeze()
    if isinstance(error.value, LedgerError):
        assert error.value.code == "L114"
        assert "did not answer for 1 s" in str(error.value)
        assert PASSWORD not in str(error.value)
    assert time.monotonic() - start < 20
    charge(ledger, "r1", "0.5")  # the lock went with the connection


def test_a_client_that_freezes_holds_no_lock_for_ever(place: str) -> None:
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    with PostgresStore(place, silence=60).open_reader() as connection:
        limits = connection.execute(
            "select name, setting from pg_settings where name in ('statement_timeout', "
            "'lock_timeout', 'idle_in_transaction_session_timeout') order by name"
        )
    assert limits == [
        ("idle_in_transaction_session_timeout", "60000"),
        ("lock_timeout", "30000"),
        ("statement_timeout", "60000"),
    ]
    with psycopg.connect(place) as raw:
        PostgresStore(place, silence=0.3)._find_schema(PostgresConnection(raw))
        raw.execute("lock table only candling_lock in exclusive mode")
        charge(ledger, "r1", "0.5")  # as soon as the server has ended the other transaction
        with pytest.raises(psycopg.Error, match="idle-in-transaction timeout"):
            raw.execute("select 1")


def test_a_statement_that_takes_too_long(place: str) -> None:
    create_ledger(place)
    impatient = PostgresStore(place, silence=0.5)
    with (
        pytest.raises(LedgerError, match="did not answer") as error,
        impatient.open_reader() as here,
    ):
        here.execute("select pg_sleep(20)")
    assert error.value.code == "L114"


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
            f"grant update on candling_lock to analyst_{schema}",
        ):
            connection.execute(statement.encode())
    address = postgres.url(user=f"analyst_{schema}", schema=schema)
    analyst = open_ledger(address)
    held = analyst.reserve(make_claim("visits", "0.1", {}, by="ada"))
    assert isinstance(held, Reservation)
    analyst.store_result(held, {"value": 1})
    analyst.verify()
    for sql in ("update candling_entries set units = 0", "delete from candling_entries"):
        with (
            pytest.raises(LedgerError, match="You lack a permission") as error,
            analyst.place.open_writer() as connection,
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


# Tables that were altered


def run(address: str, *statements: str) -> None:
    with psycopg.connect(address) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def role(postgres: Server, place: str, name: str, *grants: str) -> str:
    """The address for a new role with these permissions in the schema of the ledger."""
    schema = place.rpartition("search_path%3D")[2]
    run(
        place,
        f"create role {name}_{schema} login password '{PASSWORD}'",
        f"grant usage on schema {schema} to {name}_{schema}",
        *(f"grant {grant} to {name}_{schema}" for grant in grants),
    )
    return postgres.url(user=f"{name}_{schema}", schema=schema)


ANALYST = (
    "select, insert on candling_entries",
    "select on candling_meta, candling_key",
    "update on candling_lock",
)
NOTHING = "create function nothing() returns trigger language plpgsql as 'begin return null; end'"
STEALING = {
    "a trigger": (
        NOTHING,
        (
            "create trigger t before insert on candling_entries "
            "for each row execute function nothing()"
        ),
    ),
    "a trigger on the lock": (
        NOTHING,
        "create trigger t after truncate on candling_lock execute function nothing()",
    ),
    "a rule": ("create rule r as on insert to candling_entries do instead nothing",),
    "row-level security": ("alter table candling_entries enable row level security",),
    "a policy": ("create policy p on candling_entries using (seq < 3)",),
    "a child": ("create table more () inherits (candling_entries)",),
    "a parent": ("create table less (kind text)", "alter table candling_entries inherit less"),
    "a view": (
        "alter table candling_meta rename to real_meta",
        "create view candling_meta as select * from real_meta",
    ),
    "not logged": ("alter table candling_entries set unlogged",),
    "no lock": ("drop table candling_lock",),
}
ALTERED = {
    "a default": ("alter table candling_entries alter column units set default 0",),
    "a generated column": (
        (
            "alter table candling_entries "
            "add column twice bigint generated always as (units * 2) stored"
        ),
    ),
    "an identity": (
        "alter table candling_entries alter column seq add generated by default as identity",
    ),
    "another type": ("alter table candling_entries alter column kind type varchar(20)",),
    "another collation": (
        'alter table candling_entries alter column dataset type text collate "C"',
    ),
    "nulls": ("alter table candling_entries alter column hash drop not null",),
    "another column": ("alter table candling_meta add column note text",),
    "a check": ("alter table candling_entries add check (units >= 0)",),
    "no unique index": ("drop index candling_by_request",),
    "another index": ("create index mine on candling_entries (lower(kind))",),
}


@pytest.mark.parametrize("what", STEALING)
def test_nothing_is_charged_where_something_could_drop_or_hide_an_entry(
    place: str, what: str
) -> None:
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    held = reserve(ledger, "held")
    run(place, *STEALING[what])
    for use in (
        lambda: reserve(ledger, "new"),
        lambda: ledger.store_result(held, {"value": 1}),
        lambda: ledger.add("staff", 1),
        ledger.verify,
    ):
        with pytest.raises(LedgerError) as error:
            use()
        expected = ("L110", "L101") if what == "no lock" else ("L110",)
        assert error.value.code in expected, what


@pytest.mark.parametrize("what", ALTERED)
def test_verify_finds_altered_tables(place: str, what: str) -> None:
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    ledger.verify()
    run(place, *ALTERED[what])
    with pytest.raises(LedgerError, match="its tables") as error:
        ledger.verify()
    assert error.value.code == "L110"


def test_a_policy_hides_no_charge_from_an_analyst(postgres: Server, place: str) -> None:
    """The owner sees all rows; the analyst would see a budget that looks unspent."""
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    charge(ledger, "r1", "0.9")
    analyst = open_ledger(role(postgres, place, "analyst", *ANALYST))
    run(
        place,
        "alter table candling_entries enable row level security",
        "create policy p on candling_entries using (seq < 3) with check (true)",
    )
    for use in (lambda: reserve(analyst, "r2", "0.9"), analyst.show, analyst.verify):
        with pytest.raises(LedgerError) as error:
            use()
        assert error.value.code in ("L104", "L110")


def test_a_trigger_cannot_be_added_during_a_charge(place: str) -> None:
    create_ledger(place)
    run(place, NOTHING)
    with PostgresStore(place).open_writer(), pytest.raises(psycopg.errors.LockNotAvailable):
        run(place, "set lock_timeout = '200ms'", STEALING["a trigger"][1])


def test_who_may_only_look_cannot_stop_charges(postgres: Server, place: str) -> None:
    """Not by the lock of charges, nor by any other that a reader can take."""
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    auditor = role(postgres, place, "auditor", "select on all tables in schema " + schema_of(place))
    hasty = Ledger(PostgresStore(place, patience=0.5), ledger.meta)
    for statement in (
        "lock table candling_lock in exclusive mode",
        "lock table candling_lock in row share mode",
        "lock table candling_entries in share mode",
        "select * from candling_meta for update",
        "select * from candling_meta for key share",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            run(auditor, statement)
    with psycopg.connect(auditor) as reader:
        reader.execute("lock table candling_lock, candling_entries in access share mode")
        reader.execute("select pg_advisory_lock(1668247140, n) from generate_series(0, 9) n")
        reader.execute("select * from candling_entries").fetchall()
        charge(hasty, "r1")


def schema_of(place: str) -> str:
    return place.rpartition("search_path%3D")[2]


def test_a_writer_that_holds_the_lock_is_named_as_such(postgres: Server, place: str) -> None:
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    analyst = role(postgres, place, "analyst", *ANALYST)
    hasty = Ledger(PostgresStore(place, patience=0.2), ledger.meta)
    with psycopg.connect(analyst) as writer:
        writer.execute("lock table candling_lock in exclusive mode")
        with pytest.raises(LedgerError, match="pg_locks") as error:
            reserve(hasty, "r1")
        assert error.value.code == "L109"


def test_verify_says_who_else_may_write(postgres: Server, place: str) -> None:
    ledger = create_ledger(place)
    schema = schema_of(place)
    assert ledger.verify().remarks == (
        "Its tables belong to owner, who can change everything in them.",
    )
    analyst = role(postgres, place, "analyst", *ANALYST)
    role(postgres, place, "careless", "update (hash) on candling_entries")
    run(place, "grant delete on candling_meta to public")
    said = open_ledger(analyst).verify().remarks
    assert said[1:] == (
        f"May also add entries: analyst_{schema}.",
        f"May also sign cards: analyst_{schema}.",
        f"May also change or remove entries, and should not: careless_{schema}, everybody.",
    )


# Names


def test_a_ledger_in_an_earlier_schema_is_not_taken_for_it(postgres: Server, place: str) -> None:
    """Somebody who may create a schema could otherwise move all charges elsewhere."""
    schema = schema_of(place)
    both = postgres.url(schema=f"early_{schema},{schema}")
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    charge(open_ledger(both), "r1")
    run(place, f"create schema early_{schema}")
    charge(open_ledger(both), "r2")  # there is one ledger still
    create_ledger(postgres.url(schema=f"early_{schema}")).add("visits", 1)
    with pytest.raises(LedgerError, match="Several schemas") as error:
        open_ledger(both)
    assert error.value.code == "L104"
    charge(open_ledger(place), "r3")


def test_one_table_in_an_earlier_schema_is_enough_to_refuse(postgres: Server, place: str) -> None:
    schema = schema_of(place)
    create_ledger(place).add("visits", 1)
    opened = open_ledger(postgres.url(schema=f"early_{schema},{schema}"))
    run(
        place,
        f"create schema early_{schema}",
        f"create table early_{schema}.candling_entries as select * from candling_entries",
    )
    with pytest.raises(LedgerError, match="Several schemas"):
        reserve(opened, "r1")


def test_a_temporary_table_is_never_meant(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    connect = psycopg.connect

    def with_a_table(*values: Any, **names: Any) -> Any:
        raw = connect(*values, **names)
        raw.execute("create temporary table candling_entries as select * from candling_entries")
        raw.commit()
        return raw

    monkeypatch.setattr(psycopg, "connect", with_a_table)
    charge(ledger, "r1")
    monkeypatch.undo()
    assert ledger.verify().entries == 4


def test_schemas_with_odd_names(postgres: Server) -> None:
    name = 'Odd "name" of; a schema'
    run(postgres.url(), f"create schema {psycopg.sql.Identifier(name).as_string()}")
    address = (
        postgres.url()
        + "&options="
        + quote(f"-csearch_path={psycopg.sql.Identifier(name).as_string()}".replace(" ", "\\ "))
    )
    ledger = create_ledger(address)
    ledger.add("visits", 1)
    charge(ledger, "r1")
    assert ledger.verify().entries == 4


def test_of_many_who_make_a_ledger_one_succeeds(place: str) -> None:
    barrier = threading.Barrier(5)

    def make(_: int) -> str:
        barrier.wait()
        try:
            return create_ledger(place).meta.ledger
        except LedgerError as error:
            return error.code

    with ThreadPoolExecutor(5) as pool:
        made = sorted(pool.map(make, range(5)))
    assert made.count("L103") == 4
    assert open_ledger(place).verify().ledger in made


def test_no_schema_at_all(postgres: Server) -> None:
    with pytest.raises(LedgerError, match="CREATE SCHEMA") as error:
        create_ledger(postgres.url(schema="there_is_none"))
    assert error.value.code == "L104"
    with pytest.raises(LedgerError) as error:
        open_ledger(postgres.url(schema="there_is_none"))
    assert error.value.code == "L101"
