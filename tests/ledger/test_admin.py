"""A server's administrator changes a ledger by hand: what `verify` finds, and what receipts find.

Everything that leaves the chain of hashes broken is found by `verify` alone. A history that was
written again, or an older one, is sound in itself: receipts that others hold show the difference.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from candling.errors import LedgerError
from candling.ledger import Stored, create_ledger, open_ledger
from candling.ledger.entry import COLUMNS, entry_hash, genesis_hash
from candling.ledger.signing import flaw, new_secret
from tests.ledger.conftest import charge, reserve
from tests.postgres import Server

pytestmark = pytest.mark.postgres

Row = dict[str, Any]
BUDGET = 10**12
SWAP = "case dataset when 'visits' then 'staff' when 'staff' then 'visits' end"
COPY = "insert into candling_entries select {} from candling_entries where seq = 7"
MORE = ", ".join(COLUMNS)
ENTRIES = 9


@pytest.fixture
def place(postgres: Server) -> str:
    return postgres.fresh()


@pytest.fixture
def card(place: str) -> dict[str, Any]:
    """The newest card of a ledger with two datasets, which the administrator does not hold."""
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    ledger.add("staff", 1)
    charge(ledger, "r1", "0.5")
    charge(ledger, "r2", "0.25", dataset="staff")
    kept = charge(ledger, "r3", "0.25")
    return card_of(kept)


def card_of(kept: Stored) -> dict[str, Any]:
    return {
        **kept.result,
        "receipt": kept.receipt.to_dict(),
        "signature": dict(kept.signature),
    }


def run(place: str, *statements: str) -> None:
    with psycopg.connect(place) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def dump(place: str) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    with psycopg.connect(place) as connection:
        return {
            name: connection.execute(f"select * from {name}".encode()).fetchall()
            for name in ("candling_meta", "candling_key", "candling_entries")
        }


def restore(place: str, tables: dict[str, list[tuple[Any, ...]]]) -> None:
    """Put rows in the place of those that are there."""
    with psycopg.connect(place) as connection:
        for name, rows in tables.items():
            connection.execute(f"delete from {name}".encode())
            for row in rows:
                marks = ", ".join(["%s"] * len(row))
                connection.execute(f"insert into {name} values ({marks})".encode(), row)


def rewrite(place: str, change: Callable[[Row], object]) -> None:
    """Change entries, and compute every hash again from the first one on."""
    tables = dump(place)
    (meta,) = tables["candling_meta"]
    rows = [dict(zip(COLUMNS, row, strict=True)) for row in tables["candling_entries"]]
    rows.sort(key=lambda row: row["seq"])
    previous = genesis_hash(*meta)
    for row in rows:
        change(row)
        row["previous"] = previous
        row["hash"] = previous = entry_hash(row)
    restore(place, {"candling_entries": [tuple(row.values()) for row in rows]})


def wrong(place: str, *receipts: Any) -> tuple[str, int | None]:
    with pytest.raises(LedgerError) as found:
        open_ledger(place).verify(*receipts)
    return found.value.code, found.value.sequence


@pytest.mark.parametrize(
    ("statements", "sequence"),
    [
        (["delete from candling_entries where seq = 4"], 4),
        (["delete from candling_entries where seq <= 6"], 1),
        (["truncate candling_entries"], 1),
        (["update candling_entries set units = 0, spent_units = 0 where seq = 4"], 4),
        (["update candling_entries set limit_units = limit_units * 2 where people = 'visits'"], 2),
        (["update candling_entries set body = replace(body, 'r1', 'r2') where seq = 5"], 5),
        ([f"update candling_entries set dataset = {SWAP}, people = {SWAP} where seq > 1"], 2),
        ([f"update candling_entries set dataset = {SWAP}, people = {SWAP} where seq in (4, 6)"], 4),
        (
            [
                "update candling_entries set seq = -seq where seq in (4, 6)",
                "update candling_entries set seq = 10 + seq where seq < 0",
            ],
            4,
        ),
        (["drop index candling_by_request", COPY.format(MORE.replace("seq", "10", 1))], None),
        (["alter table candling_entries drop constraint candling_entries_pkey"], None),
        (
            [
                "alter table candling_entries drop constraint candling_entries_pkey",
                "drop index candling_by_request",
                COPY.format(MORE),
            ],
            None,
        ),
        (["alter table candling_entries alter column hash drop not null"], None),
        (
            [
                "create table copy as select * from candling_entries where seq < 6",
                "drop table candling_entries",
                "alter table copy rename to candling_entries",
            ],
            None,
        ),
        (["delete from candling_meta"], None),
        (["insert into candling_meta select * from candling_meta"], None),
        (["insert into candling_key select * from candling_key"], None),
        (["update candling_meta set ledger = reverse(ledger)"], 1),
    ],
)
def test_verify_finds_what_was_changed_by_hand(
    place: str, card: dict[str, Any], statements: list[str], sequence: int | None
) -> None:
    assert open_ledger(place).verify(card).entries == ENTRIES
    run(place, *statements)
    with pytest.raises(LedgerError) as found:
        open_ledger(place).verify()
    assert found.value.code == "L110"
    if sequence is not None:
        assert found.value.sequence == sequence


def test_a_duplicate_cannot_be_added_while_the_constraints_are_there(
    place: str, card: dict[str, Any]
) -> None:
    for row in (MORE, MORE.replace("seq", "10", 1)):
        with pytest.raises(psycopg.errors.UniqueViolation):
            run(place, COPY.format(row))
    assert open_ledger(place).verify(card).entries == ENTRIES


def test_another_pair_of_keys_is_found(place: str, card: dict[str, Any]) -> None:
    """The key is in the hash with which the chain begins; old cards have the old key."""
    old, secret = open_ledger(place).public_key, new_secret()
    run(
        place,
        f"update candling_meta set public_key = '{secret.public_key}'",
        f"update candling_key set secret = '{secret.text}'",
    )
    assert wrong(place) == ("L110", 1)
    rewrite(place, lambda _: None)
    ledger = open_ledger(place)
    ledger.verify()  # a ledger of the administrator's own
    assert wrong(place, card) == ("L115", 9)
    forged = card_of(charge(ledger, "r4", "0.125"))
    assert flaw(card, old) is None
    assert flaw(forged, old) is not None


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row.update(body=row["body"].replace("r1", "r7")),  # another result
        lambda row: row.update(  # other people's budget
            {
                name: {"visits": "staff", "staff": "visits"}.get(row[name])
                for name in ("dataset", "people")
            }
        ),
        lambda row: row.update(  # a larger budget from the start
            limit_units=row["limit_units"] + BUDGET * (row["people"] == "visits"),
            units=row["units"] + BUDGET * (row["seq"] == 2),
        ),
    ],
    ids=["result", "swap", "limit"],
)
def test_a_history_that_was_written_again_is_found_by_a_receipt_alone(
    place: str, card: dict[str, Any], change: Callable[[Row], object]
) -> None:
    rewrite(place, lambda _: None)
    assert open_ledger(place).verify(card).receipts == 1  # the hashes are those of the ledger
    rewrite(place, change)
    assert open_ledger(place).verify().entries == ENTRIES
    assert wrong(place, card) == ("L115", 9)
    assert wrong(place, card["receipt"]) == ("L115", 9)
    with pytest.raises(LedgerError) as found:
        open_ledger(place).check(card)
    assert found.value.code == "L115"


@pytest.mark.parametrize("kept", [4, 5, 7, 8])
def test_entries_that_were_rolled_back_are_found_by_a_receipt_alone(
    place: str, card: dict[str, Any], kept: int
) -> None:
    run(place, f"delete from candling_entries where seq > {kept}")
    ledger = open_ledger(place)
    assert ledger.verify().entries == kept
    assert wrong(place, card) == ("L115", kept + 1)
    for number in range(3):  # it goes on, and is found all the same
        charge(ledger, f"later{number}", "0.0625")
    ledger.verify()
    assert wrong(place, card)[0] == "L115"


def test_an_old_dump_is_found_by_a_receipt_from_after_it_alone(
    place: str, card: dict[str, Any]
) -> None:
    old = dump(place)
    ledger = open_ledger(place)
    later = charge(ledger, "r4", "0.125").receipt
    restore(place, old)
    assert open_ledger(place).verify(card).entries == ENTRIES  # a receipt from before finds nothing
    assert wrong(place, later) == ("L115", 10)
    charge(open_ledger(place), "r4", "0.125")  # the very same request has other noise, and hash
    assert open_ledger(place).verify(card).entries == ENTRIES + 2
    assert wrong(place, later)[0] == "L115"


def test_a_result_that_was_removed_is_not_drawn_again(place: str, card: dict[str, Any]) -> None:
    run(place, "delete from candling_entries where seq = 9")
    ledger = open_ledger(place)
    with pytest.raises(LedgerError) as found:
        reserve(ledger, "r3", "0.25")
    assert found.value.code == "L112"
    assert wrong(place, card) == ("L115", 9)


@pytest.mark.parametrize("tables", [("candling_entries",), ("candling_meta", "candling_entries")])
def test_parts_of_another_ledger_are_found(
    postgres: Server, place: str, card: dict[str, Any], tables: tuple[str, ...]
) -> None:
    del card
    other = dump(make_other(postgres))
    restore(place, {name: other[name] for name in tables})
    assert wrong(place) == ("L110", 1)


def test_a_whole_other_ledger_is_found_by_a_receipt_alone(
    postgres: Server, place: str, card: dict[str, Any]
) -> None:
    restore(place, dump(make_other(postgres)))
    open_ledger(place).verify()
    assert wrong(place, card)[0] == "L115"


def make_other(postgres: Server) -> str:
    place = postgres.fresh()
    other = create_ledger(place)
    other.add("visits", 5)
    return place
