"""Whatever is changed in a ledger is found."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from candling.errors import LedgerError
from candling.ledger import (
    Ledger,
    Reservation,
    Stored,
    create_ledger,
    make_claim,
    open_ledger,
    store,
)
from candling.ledger.entry import COLUMNS, entry_hash, seal_entry
from candling.ledger.sqlite import SqliteStore
from tests.ledger.conftest import charge, reserve

META = ("format", "ledger", "created", "public_key")


@pytest.fixture
def full(ledger: Ledger) -> Ledger:
    """A ledger with every kind of entry."""
    charge(ledger, "r1", "0.5")
    ledger.add("staff", 2, by="ada")
    reserve(ledger, "lost", "0.25")
    ledger.raise_limit(2, "more", dataset="visits", by="ada")
    charge(ledger, "r2", "0.125")
    charge(ledger, "r3", "0.125", dataset="staff")
    return ledger


@pytest.fixture
def shared(ledger: Ledger) -> Ledger:
    """A ledger with two datasets of the same people, of which one is moved and comes back."""
    ledger.add("scans", 2, people="patients")
    ledger.add("meals", people="patients")
    reserve(ledger, "r1", "0.5", dataset="scans")
    reserve(ledger, "r2", "0.25", dataset="meals")
    ledger.raise_limit(3, "more", people="patients")
    ledger.move("scans", "visits", "others")
    reserve(ledger, "r3", "0.125", dataset="scans")
    ledger.move("scans", "patients", "patients after all")
    ledger.move("meals", "eaters", "others", budget=1)
    return ledger


@contextmanager
def changed(ledger: Ledger, sql: str, *values: object) -> Iterator[None]:
    """A statement that somebody ran on the ledger, and the ledger as it was afterwards."""
    tables = {"candling_meta": META, "candling_key": ("secret",), "candling_entries": COLUMNS}
    with ledger.place.open_reader() as connection:
        kept = {
            name: connection.execute(f"select {', '.join(columns)} from {name}")
            for name, columns in tables.items()
        }
    with ledger.place.open_writer() as connection:
        connection.execute(sql, values)
    try:
        yield
    finally:
        with ledger.place.open_writer() as connection:
            for name, rows in kept.items():
                connection.execute(f"delete from {name}")
                for row in rows:
                    marks = ", ".join("?" * len(row))
                    columns = ", ".join(tables[name])
                    connection.execute(f"insert into {name} ({columns}) values ({marks})", row)


def first_wrong(ledger: Ledger, *receipts: Any) -> tuple[str, int | None]:
    with pytest.raises(LedgerError) as found:
        ledger.verify(*receipts)
    return found.value.code, found.value.sequence


def test_a_sound_ledger(full: Ledger) -> None:
    found = full.verify()
    assert (found.entries, found.datasets) == (11, 2)
    assert found.head == full.show().head


def _another(value: object) -> object:
    """The value with one bit changed."""
    if value is None:
        return "x"
    if isinstance(value, int):
        return value ^ 1
    text = str(value)
    middle = len(text) // 2
    return text[:middle] + chr(ord(text[middle]) ^ 16) + text[middle + 1 :]


@pytest.mark.parametrize("column", COLUMNS)
def test_a_byte_changed_in_any_column_of_any_entry(full: Ledger, column: str) -> None:
    with full.place.open_reader() as connection:
        rows = connection.execute(f"select seq, {column} from candling_entries order by seq")
    if not isinstance(full.place, SqliteStore):
        rows = rows[-4:]  # the same code, and connecting takes long
    for seq, value in rows:
        other = _another(value) if column != "seq" else value + 1000
        with changed(full, f"update candling_entries set {column} = ? where seq = ?", other, seq):
            assert first_wrong(full) == ("L110", seq), (column, seq)
    full.verify()


@pytest.mark.parametrize("column", META[1:])
def test_a_byte_changed_in_any_column_of_what_the_ledger_is(
    place: str, full: Ledger, column: str
) -> None:
    with full.place.open_reader() as connection:
        ((value,),) = connection.execute(f"select {column} from candling_meta")
    with changed(full, f"update candling_meta set {column} = ?", _another(value)):
        try:
            wrong = first_wrong(open_ledger(place))
        except LedgerError as error:  # not a key at all
            wrong = error.code, error.sequence
        assert wrong == ("L110", 1)


@pytest.mark.parametrize("other", ["", "00" * 32, "no secret", None])
def test_another_secret_is_found_and_nothing_charged(full: Ledger, other: str | None) -> None:
    sql = "update candling_key set secret = ?" if other else "delete from candling_key"
    with changed(full, sql, *([other] if other else [])):
        assert first_wrong(full) == ("L110", 1)
        with pytest.raises(LedgerError, match="does not match its public key"):
            reserve(full, "new")
        with pytest.raises(LedgerError, match="does not match its public key"):
            charge(full, "r1", "0.5")
    assert full.verify().entries == 11


def test_two_ledgers_in_one_place_are_none(place: str, full: Ledger) -> None:
    sql = "insert into candling_meta select format, ledger, created, 'ff' from candling_meta"
    with changed(full, sql):
        assert first_wrong(full)[0] == "L110"
        with pytest.raises(LedgerError):
            open_ledger(place)


@pytest.mark.parametrize("seq", range(1, 11))
def test_a_removed_entry(full: Ledger, seq: int) -> None:
    with changed(full, "delete from candling_entries where seq = ?", seq):
        assert first_wrong(full) == ("L110", seq)


def test_a_removed_end_is_found_by_a_receipt_alone(full: Ledger) -> None:
    receipt = charge(full, "r4", "0.01").receipt
    with changed(full, "delete from candling_entries where seq > 11"):
        assert full.verify().entries == 11
        assert first_wrong(full, receipt) == ("L115", 12)
    assert full.verify(receipt).receipts == 1


def test_a_long_ledger(place: str) -> None:
    """Longer than what is read at a time."""
    ledger = create_ledger(place)
    ledger.add("visits", 1)
    with ledger.place.open_writer() as connection:
        newest = store.head(connection)
        for number in range(1200):
            newest = seal_entry(
                seq=newest.seq + 1,
                time=newest.time,
                kind="reserve",
                dataset="visits",
                people="visits",
                request=f"r{number}",
                units=1,
                limit_units=newest.limit_units,
                spent_units=newest.spent_units + 1,
                body=f'{{"requested":"{newest.time}"}}',
                previous=newest.hash,
            )
            store.append(connection, newest)
    assert ledger.verify().entries == len(list(ledger.export())) == 1202
    (dataset,) = ledger.show().datasets
    assert (dataset.budget.spent_units, len(dataset.without_result)) == (1200, 1200)


def test_who_reads_slowly_stops_nobody(full: Ledger) -> None:
    entries = full.export()
    next(entries)
    reserve(full, "meanwhile")
    assert sum(1 for _ in entries) >= 10


def test_no_entry_at_all(full: Ledger) -> None:
    with changed(full, "delete from candling_entries"):
        assert first_wrong(full) == ("L110", 1)


def test_removed_and_numbered_anew(full: Ledger) -> None:
    with full.place.open_writer() as connection:
        connection.execute("delete from candling_entries where seq = 5")
        for seq in range(6, 12):
            connection.execute("update candling_entries set seq = ? where seq = ?", (seq - 1, seq))
    assert first_wrong(full) == ("L110", 5)


def test_two_entries_in_the_other_order(full: Ledger) -> None:
    with full.place.open_writer() as connection:
        for old, new in ((5, 99), (6, 5), (99, 6)):
            connection.execute("update candling_entries set seq = ? where seq = ?", (new, old))
    assert first_wrong(full) == ("L110", 5)


def _forge(ledger: Ledger, first: int, **changes: Any) -> None:
    """Change an entry, and seal it and all that follow as the ledger would have."""
    with ledger.place.open_writer() as connection:
        rows = connection.execute(
            f"select {', '.join(COLUMNS)} from candling_entries where seq >= ? order by seq",
            [first],
        )
        previous = None
        for row in rows:
            values = dict(zip(COLUMNS, row, strict=True))
            if values["seq"] == first:
                values |= changes
            if previous is not None:
                values["previous"] = previous
            values["hash"] = previous = entry_hash(values)
            sets = ", ".join(f"{name} = ?" for name in COLUMNS)
            connection.execute(
                f"update candling_entries set {sets} where seq = ?",
                [*values.values(), values["seq"]],
            )


@pytest.mark.parametrize(
    ("seq", "changes"),
    [
        (1, {"units": 5}),
        (1, {"kind": "add", "dataset": "more"}),
        (2, {"units": 5 * 10**12}),
        (2, {"limit_units": 5 * 10**12}),
        (2, {"spent_units": -(10**12)}),
        (2, {"dataset": None}),
        (2, {"kind": "raise"}),
        (3, {"units": 0}),
        (3, {"units": -1, "spent_units": -1}),
        (3, {"spent_units": 0}),
        (3, {"units": 2 * 10**12, "spent_units": 2 * 10**12}),
        (3, {"dataset": "other"}),
        (3, {"request": None}),
        (3, {"kind": "gift"}),
        (3, {"time": "yesterday"}),
        (3, {"body": "{}"}),
        (3, {"body": '{"requested":"2999-01-01T00:00:00.000000Z"}'}),
        (3, {"body": '{"requested":"0"}'}),
        (4, {"body": '{"reserve": 3}'}),
        (4, {"body": '{"reserve":2}'}),
        (4, {"body": "3"}),
        (4, {"body": "no json"}),
        (4, {"request": "r9"}),
        (4, {"dataset": "staff"}),
        (4, {"units": 1}),
        (4, {"spent_units": 1}),
        (4, {"time": "2026-01-01T00:00:00.000000Z"}),
        (5, {"kind": "init"}),
        (6, {"kind": "result"}),
        (7, {"body": "{}"}),
        (7, {"units": 0, "limit_units": 10**12}),
        (7, {"kind": "add"}),
        (8, {"request": "r5", "dataset": "unknown"}),
    ],
)
def test_a_chain_forged_to_the_end_must_still_add_up(
    full: Ledger, seq: int, changes: dict[str, Any]
) -> None:
    _forge(full, seq, **changes)
    assert first_wrong(full) == ("L110", seq)


BUDGET = 10**12


@pytest.mark.parametrize(
    ("seq", "changes"),
    [
        (1, {"people": "patients"}),
        (2, {"people": None}),
        (3, {"people": "visits"}),  # they have a budget
        (4, {"people": "others"}),  # new ones without a budget
        (4, {"units": 1, "limit_units": 2 * BUDGET + 1}),  # another budget
        (4, {"units": -1, "limit_units": 2 * BUDGET - 1}),
        (4, {"spent_units": 1}),
        (4, {"dataset": "scans"}),
        (4, {"request": "r"}),
        (5, {"people": "visits", "limit_units": BUDGET}),  # charged to others
        (5, {"people": None}),
        (6, {"spent_units": BUDGET // 4}),  # as if each dataset had a budget of its own
        (7, {"dataset": "scans"}),
        (7, {"people": "others"}),
        (7, {"request": "r"}),
        (7, {"body": '{"reason":""}'}),
        (8, {"units": 0, "spent_units": 0}),  # a move that forgets what was spent
        (8, {"units": BUDGET // 4, "spent_units": BUDGET // 4}),
        (8, {"spent_units": 0}),
        (8, {"limit_units": 2 * BUDGET}),  # a move that raises a limit
        (8, {"people": "patients", "limit_units": 3 * BUDGET, "spent_units": 5 * BUDGET // 4}),
        (8, {"people": None}),
        (8, {"dataset": "none"}),
        (8, {"dataset": None}),
        (8, {"request": "r"}),
        (8, {"body": '{"from":"patients","reason":""}'}),
        (8, {"body": '{"from":"visits","reason":"others"}'}),
        (8, {"body": '{"reason":"others"}'}),
        (9, {"people": "patients", "limit_units": 3 * BUDGET, "spent_units": 7 * BUDGET // 8}),
        (10, {"units": 5 * BUDGET // 8, "spent_units": 11 * BUDGET // 8}),  # counted twice
        (10, {"units": 0, "spent_units": 3 * BUDGET // 4}),  # what was spent elsewhere is lost
        (11, {"limit_units": BUDGET // 8}),  # more than its new people have
        (11, {"units": 0, "spent_units": 0}),
    ],
)
def test_forged_budgets_of_people(shared: Ledger, seq: int, changes: dict[str, Any]) -> None:
    shared.verify()
    _forge(shared, seq, **changes)
    assert first_wrong(shared) == ("L110", seq)


def test_a_move_to_people_without_a_budget_is_forged(ledger: Ledger) -> None:
    ledger.move("visits", "others", "others", budget=1)
    _forge(ledger, 3, limit_units=0)
    assert first_wrong(ledger) == ("L110", 3)


def test_a_result_for_other_people_than_those_who_paid_is_forged(shared: Ledger) -> None:
    charge(shared, "r4", "0.125", dataset="scans")
    _forge(shared, 13, people="visits")
    assert first_wrong(shared) == ("L110", 13)
    _forge(shared, 13, people="visits", limit_units=BUDGET, spent_units=5 * BUDGET // 8)
    assert first_wrong(shared) == ("L110", 13)


def test_a_history_forged_consistently_is_found_by_a_receipt_alone(full: Ledger) -> None:
    receipt = charge(full, "r4", "0.01").receipt
    _forge(full, 7, body='{"by":"ada","reason":"another reason"}')
    full.verify()
    assert first_wrong(full, receipt) == ("L115", 13)


def test_no_charge_is_made_on_an_entry_that_was_changed(full: Ledger) -> None:
    """The newest entry of the people decides what is left, so it is looked at every time."""
    for sql in (
        "update candling_entries set spent_units = 0 where seq = 9",
        "update candling_entries set limit_units = 90 where seq = 9",
        "update candling_entries set hash = 'x' where seq = 11",
    ):
        with changed(full, sql):
            with pytest.raises(LedgerError) as error:
                reserve(full, "new")
            assert error.value.code == "L110"
    reserve(full, "new")


def test_a_stored_result_that_was_changed_is_not_shown(full: Ledger) -> None:
    body = '{"reserve":3,"result":{"value":"better"}}'
    with (
        changed(full, "update candling_entries set body = ? where seq = 4", body),
        pytest.raises(LedgerError) as error,
    ):
        charge(full, "r1", "0.5")
    assert error.value.code == "L110"


def test_a_receipt_of_another_ledger(full: Ledger, tmp_path: Path) -> None:
    other = create_ledger(tmp_path / "other.ledger").add("visits", 1)
    assert first_wrong(full, other)[0] == "L115"


@pytest.mark.parametrize("receipt", [{}, {"receipt": None}, {"ledger": 1}, {"receipt": {"a": 1}}])
def test_what_is_no_receipt(full: Ledger, receipt: dict[str, Any]) -> None:
    assert first_wrong(full, receipt)[0] == "L116"


# Receipts and cards


def card_of(stored: Stored) -> dict[str, Any]:
    """The card that is shown of a stored result."""
    return {
        **stored.result,
        "receipt": stored.receipt.to_dict(),
        "signature": dict(stored.signature),
    }


def test_a_card_is_compared_whole(full: Ledger) -> None:
    card = card_of(charge(full, "r4", "0.01"))
    assert full.verify(card, card["receipt"]).receipts == 2
    full.check(card)
    forged: list[tuple[dict[str, Any], str]] = [
        (card | {"value": "r5"}, "'value' was changed"),
        (card | {"more": 1}, "'more' was added"),
        ({name: part for name, part in card.items() if name != "value"}, "'value' is missing"),
        ({"receipt": card["receipt"]}, "'value' is missing"),
        (card | {"receipt": card["receipt"] | {"spent": 0.0}}, "'spent' was changed"),
        (card | {"receipt": card["receipt"] | {"time": "now"}}, "'time' was changed"),
        (card | {"receipt": card["receipt"] | {"repeated": True}}, "signature does not match"),
        (card | {"receipt": card["receipt"] | {"candling": "9"}}, "signature does not match"),
        (card | {"receipt": card["receipt"] | {"more": 1}}, "signature does not match"),
        (card | {"gates": []}, "signature does not match"),
        (card | {"signature": None}, "it has no signature"),
        (card_of(charge(full, "r5", "0.01")) | {"receipt": card["receipt"]}, "'value' was changed"),
    ]
    for told, why in forged:
        with pytest.raises(LedgerError, match=why) as error:
            full.check(told)
        assert (error.value.code, error.value.sequence) == ("L117", 13)
    with pytest.raises(LedgerError, match="'value' was changed"):
        full.verify(card | {"value": "r5"})


def test_numbers_are_compared_as_they_are_written(full: Ledger) -> None:
    kept = full.store_result(reserve(full, "r4"), {"value": 1.0, "low": 0.1 + 0.2})
    card = json.loads(json.dumps(card_of(kept)))
    full.check(card)
    for other in (1, True, "1.0"):
        with pytest.raises(LedgerError, match="'value' was changed"):
            full.check(card | {"value": other})


def test_a_repeated_card_is_signed_as_it_is_shown(full: Ledger) -> None:
    first = card_of(charge(full, "r4", "0.01"))
    claim = make_claim("visits", "0.01", {"measures": ["repair"]}, request_id="r4")
    again = full.find(claim)
    assert again is not None
    repeated = card_of(again)
    assert repeated["receipt"]["repeated"]
    assert repeated["signature"]["value"] != first["signature"]["value"]
    assert full.verify(first, repeated).receipts == 2


def test_gates_are_signed_with_the_card_that_they_were_asked_of(full: Ledger) -> None:
    card = card_of(charge(full, "r4", "0.01"))
    gates = [{"gate": "repair > 2", "outcome": "pass"}]
    judged = card | {"gates": gates, "signature": full.sign(card, gates)}
    full.check(judged)
    with pytest.raises(LedgerError, match="signature does not match"):
        full.check(judged | {"gates": [{"gate": "repair > 2", "outcome": "fail"}]})
    with pytest.raises(LedgerError, match="'value' was changed"):
        full.sign(card | {"value": 0}, [])


def test_a_bare_receipt_is_compared_in_what_it_says(full: Ledger) -> None:
    added = full.raise_limit(3, "more", dataset="staff")
    told = charge(full, "r4", "0.01").receipt.to_dict()
    shown = full.show().to_dict()  # has a ledger, a sequence and a head as well
    assert full.verify(added, told, shown).receipts == 3
    with pytest.raises(LedgerError, match="receipt differs from entry") as error:
        full.verify(told | {"charged": 0.0})
    assert error.value.code == "L117"
    assert first_wrong(full, told | {"head": "0" * 64}) == ("L115", 14)


@pytest.mark.parametrize("sequence", [1, 3, 999, 2**70])
def test_a_card_of_an_entry_that_it_is_not_of(full: Ledger, sequence: int) -> None:
    card = card_of(charge(full, "r4", "0.01"))
    card["receipt"] |= {"sequence": sequence}
    with pytest.raises(LedgerError) as error:
        full.check(card)
    assert error.value.code == "L115"
    assert first_wrong(full, card)[0] == "L115"


def test_a_card_on_an_entry_that_is_not_a_release(full: Ledger) -> None:
    card = card_of(charge(full, "r4", "0.01"))
    receipt = full.raise_limit(3, "more", dataset="staff").to_dict()
    with pytest.raises(LedgerError, match="the entry is not a release"):
        full.check(card | {"receipt": receipt})


def test_a_card_of_another_ledger_with_the_same_numbers(full: Ledger, tmp_path: Path) -> None:
    other = create_ledger(tmp_path / "other.ledger")
    other.add("visits", 1)
    card = card_of(charge(other, "r1", "0.5"))
    other.check(card)
    assert first_wrong(full, card)[0] == "L115"


# Files only


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.ledger"
    ledger = create_ledger(path)
    ledger.add("visits", 1)
    for i in range(3):
        charge(ledger, f"r{i}", "0.125")
    return path


def test_an_old_copy_put_back(path: Path) -> None:
    copy = path.with_name("copy")
    shutil.copy2(path, copy)
    receipt = charge(open_ledger(path), "new", "0.125").receipt
    copy.replace(path)
    rolled_back = open_ledger(path)
    rolled_back.verify()
    assert first_wrong(rolled_back, receipt) == ("L115", 9)
    charge(rolled_back, "newer", "0.125")  # it goes on from there, and is found all the same
    rolled_back.verify()
    assert first_wrong(rolled_back, receipt) == ("L115", 10)


def test_a_trigger_is_found(path: Path) -> None:
    ledger = open_ledger(path)
    with ledger.place.open_writer() as connection:
        connection.execute(
            "create trigger gone after insert on candling_entries "
            "begin delete from candling_entries where seq = new.seq; end"
        )
    assert first_wrong(ledger) == ("L110", None)


def test_any_byte_of_the_file_may_change_and_no_other_history_passes(path: Path) -> None:
    """A flipped byte is found, or lies where it means nothing: the entries stay as they are."""
    whole = path.read_bytes()
    entries = list(open_ledger(path).export())
    found = 0
    for position in {secrets.randbelow(len(whole)) for _ in range(500)}:
        flipped = bytearray(whole)
        flipped[position] ^= 1 << secrets.randbelow(8)
        path.write_bytes(flipped)
        try:
            ledger = open_ledger(path)
            ledger.verify()
        except LedgerError:
            found += 1
        else:
            assert list(ledger.export()) == entries, position
    assert found > 30


# What no ledger writes as a receipt


@pytest.mark.parametrize(
    "change",
    [
        {"sequence": 0, "head": ""},
        {"sequence": 0},
        {"sequence": -1},
        {"sequence": True},
        {"sequence": False, "head": ""},
        {"sequence": 1.0},
        {"sequence": "1"},
        {"sequence": None},
        {"head": ""},
        {"head": "0" * 63},
        {"head": "0" * 65},
        {"head": "G" * 64},
        {"head": "A" * 64},
        {"head": "0" * 64 + "\n"},
        {"head": "٠" * 64},
        {"head": None},
        {"ledger": ""},
        {"ledger": "a ledger"},
        {"ledger": None},
    ],
)
def test_a_receipt_that_no_ledger_writes(full: Ledger, change: dict[str, Any]) -> None:
    receipt = full.raise_limit(3, "more", dataset="staff").to_dict()
    card = card_of(charge(full, "r4", "0.01"))
    assert first_wrong(full, receipt | change) == ("L116", None)
    forged = card | {"receipt": card["receipt"] | change}
    assert first_wrong(full, forged) == ("L116", None)
    with pytest.raises(LedgerError) as error:
        full.check(forged)
    assert error.value.code == "L116"


# Times


def times(ledger: Ledger) -> list[tuple[str, str]]:
    return [(entry["kind"], entry["time"]) for entry in ledger.export()]


def test_a_clock_that_was_set_back_does_not_turn_time_back(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = times(ledger)[-1][1]
    early = "2001-01-01T00:00:00.000000Z"
    monkeypatch.setattr("candling.ledger.ledger.utc_now", lambda: early)
    ledger.add("staff", 1)
    ledger.raise_limit(2, "more", dataset="staff")
    claim = replace(make_claim("visits", "0.1", {}, request_id="r1"), time=early)
    held = ledger.reserve(claim)
    assert isinstance(held, Reservation)
    kept = ledger.store_result(held, {"value": 1})
    assert [time for _, time in times(ledger)[-4:]] == [newest] * 4
    assert kept.receipt.time == early
    ledger.verify(kept.receipt)


def test_who_waits_does_not_turn_time_back(ledger: Ledger) -> None:
    """Requested first, written second; the result has the time of its charge, never a later one."""
    first = make_claim("visits", "0.1", {}, request_id="first")
    second = make_claim("visits", "0.1", {}, request_id="second")
    held = [ledger.reserve(claim) for claim in (second, first)]
    for one in reversed(held):
        assert isinstance(one, Reservation)
        kept = ledger.store_result(one, {"value": 1})
        assert kept.receipt.time == one.claim.time  # its card tells nothing of the other
        ledger.verify(kept.receipt)
    ledger.add("staff", 1)
    ledger.verify()
    assert first.time < second.time
    assert {time for kind, time in times(ledger) if kind in ("reserve", "result")} == {second.time}


def test_a_result_is_as_old_as_its_charge(full: Ledger) -> None:
    """Charges in between are later, and the ledger is sound all the same."""
    held = reserve(full, "slow", "0.01")
    charge(full, "quick", "0.01")
    full.store_result(held, {"value": 1})
    full.verify()


@pytest.mark.parametrize("seq", [2, 5, 7])
def test_time_that_runs_backwards_is_found(full: Ledger, seq: int) -> None:
    _forge(full, seq, time="2001-01-01T00:00:00.000000Z")
    with pytest.raises(LedgerError, match="earlier time than an entry before") as error:
        full.verify()
    assert error.value.sequence == seq


@pytest.mark.parametrize("time", ["2026-02-31T00:00:00.000000Z", "2026-01-01T24:00:00.000000Z"])
def test_a_time_that_never_was(full: Ledger, time: str) -> None:
    _forge(full, 7, time=time)
    assert first_wrong(full) == ("L110", 7)
