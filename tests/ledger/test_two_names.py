"""A ledger file under two names, moved, replaced, or put back: no charge disappears."""

from __future__ import annotations

import os
import pickle
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest

from candling.errors import LedgerError
from candling.ledger import Ledger, create_ledger, open_ledger
from candling.ledger import place as places
from candling.ledger.sqlite import SqliteStore
from tests.ledger.conftest import charge, in_mount, reserve
from tests.ledger.hot import crash, journal_of

STATES = pytest.mark.parametrize("written", [True, False], ids=["written", "unwritten"])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "a.ledger"
    create_ledger(path).add("visits", 1)
    charge(open_ledger(path), "first", "0.125")
    return path


def code(use: Callable[[], object]) -> str:
    with pytest.raises(LedgerError) as error:
        use()
    return error.value.code


def requests(path: Path) -> set[str]:
    return {entry["request_id"] for entry in open_ledger(path).export()} - {None}


@STATES
def test_without_any_check_a_charge_disappears_and_the_ledger_is_sound(
    path: Path, written: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The attack works on SQLite, so the tests below show what keeps it off."""
    monkeypatch.setattr("candling.ledger.sqlite.check_journal", lambda _: None)
    crash(path, written=written)
    other = path.with_name("b.ledger")
    path.rename(other)
    charge(open_ledger(other), "lost", "0.5")
    other.rename(path)
    assert requests(path) == {"first"}
    open_ledger(path).verify()


@STATES
def test_a_crash_alone_is_undone(path: Path, written: bool) -> None:
    entries = list(open_ledger(path).export())
    crash(path, written=written)
    ledger = open_ledger(path)
    ledger.verify()
    assert list(ledger.export()) == entries
    charge(ledger, "second", "0.125")
    ledger.verify()


# Two names


def test_a_hard_link_is_refused_under_both_names(path: Path) -> None:
    ledger = open_ledger(path)
    held = reserve(ledger, "held")
    other = path.with_name("b.ledger")
    os.link(path, other)
    for name in (path, other):
        assert code(partial(open_ledger, name)) == "L119"
    for use in (
        lambda: reserve(ledger, "new"),
        lambda: ledger.store_result(held, {"value": 1}),
        lambda: ledger.add("staff", 1),
        ledger.show,
        ledger.verify,
        lambda: list(ledger.export()),
    ):
        assert code(use) == "L119"
    other.unlink()
    ledger.store_result(held, {"value": 1})
    assert requests(path) == {"first", "held"}


@STATES
def test_a_crash_under_one_name_and_a_charge_under_the_other(path: Path, written: bool) -> None:
    other = path.with_name("b.ledger")
    crash(path, written=written)
    os.link(path, other)
    assert code(lambda: charge(open_ledger(other), "lost", "0.5")) == "L119"
    assert code(lambda: open_ledger(path).show()) == "L119"
    other.unlink()
    assert requests(path) == {"first"}


def test_a_link_that_is_made_during_a_charge(path: Path) -> None:
    """Looked at under the lock, and once more right before the commit."""
    store = SqliteStore(path)

    def write() -> None:
        with store.open_writer() as connection:
            connection.execute("update candling_meta set created = 'changed'")
            os.link(path, path.with_name("b.ledger"))

    assert code(write) == "L119"
    path.with_name("b.ledger").unlink()
    open_ledger(path).verify()


def test_the_message_names_the_way_out(path: Path) -> None:
    os.link(path, path.with_name("b.ledger"))
    with pytest.raises(LedgerError, match=r"2 names .*find DIRECTORY -samefile"):
        open_ledger(path)


def test_a_symbolic_link_is_the_same_name(path: Path) -> None:
    """The journal lies beside the file itself, wherever the link is."""
    folder = path.with_name("elsewhere")
    folder.mkdir()
    link = folder / "link"
    link.symlink_to(path)
    charge(open_ledger(link), "by-link", "0.125")
    crash(path, written=True)
    charge(open_ledger(link), "after", "0.125")
    assert list(folder.iterdir()) == [link]
    assert requests(path) == requests(link) == {"first", "by-link", "after"}
    open_ledger(path).verify()


def test_a_relative_path_stays_the_same_file(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(path.parent)
    ledger = open_ledger(path.name)
    monkeypatch.chdir("/")
    charge(ledger, "second", "0.125")
    assert requests(path) == {"first", "second"}


def test_links_to_nowhere_and_in_a_circle(tmp_path: Path) -> None:
    (tmp_path / "nowhere").symlink_to(tmp_path / "none")
    (tmp_path / "circle").symlink_to(tmp_path / "circle")
    assert code(lambda: open_ledger(tmp_path / "nowhere")) == "L101"
    assert code(lambda: open_ledger(tmp_path / "circle")) == "L104"
    for name in ("nowhere", "circle"):
        assert code(partial(create_ledger, tmp_path / name)) == "L103"
    assert code(lambda: open_ledger("a\0b")) == "L104"


# Mounts


def test_a_mounted_file_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = open_ledger(path)
    mounts = path.with_name("mountinfo")
    mounts.write_text(f"28 1 254:1 / / rw - ext4 /dev/a rw\n29 28 254:1 /x {path} rw - ext4 a rw\n")
    monkeypatch.setattr(places.is_mount_point, "__defaults__", (mounts,))
    assert code(lambda: open_ledger(path)) == "L119"
    assert code(lambda: reserve(ledger, "new")) == "L119"


def test_a_file_that_is_mounted_while_we_wait_for_the_lock(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ledger = open_ledger(path)
    answers = iter([False, True])
    monkeypatch.setattr(places, "is_mount_point", lambda _: next(answers))
    assert code(lambda: reserve(ledger, "new")) == "L119"


def test_mount_points_with_odd_names(tmp_path: Path) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_bytes(
        b"28 1 254:1 / / rw - ext4 /dev/a rw\n"
        b"29 28 254:1 /x /mnt/with\\040space\\134and\\012more rw shared:3 - ext4 /dev/a rw\n"
        b"30 28 254:1 /x /mnt/k\xc3\xa4se rw - ext4 /dev/a rw\n"
        b"31 28 254:1 /x /mnt/\xff rw - ext4 /dev/a rw\n"
    )
    for name in (b"/mnt/with space\\and\nmore", "/mnt/käse".encode(), b"/mnt/\xff"):
        assert places.is_mount_point(Path(os.fsdecode(name)), mounts)
    for name in (b"/mnt/with", b"/mnt", b"/mnt/k\xc3"):
        assert not places.is_mount_point(Path(os.fsdecode(name)), mounts)


MOUNTED = """
import os, sys
from pathlib import Path
from candling.errors import LedgerError
from candling.ledger import make_claim, open_ledger
for name in sys.argv[1:]:
    try:
        ledger = open_ledger(name)
        ledger.reserve(make_claim("visits", "0.125", {}))
        print("charged")
    except LedgerError as error:
        print(error.code)
"""


def charged_in(source: Path, target: Path, *names: Path) -> list[str]:
    """What becomes of a charge to each of the names, where `target` is mounted."""
    command = in_mount(source, target, [sys.executable, "-c", MOUNTED, *map(str, names)])
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if "unshare:" in done.stderr or "mount:" in done.stderr:
        pytest.skip(f"mounting is not allowed here: {done.stderr.strip()}")
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_file_that_is_really_mounted(path: Path) -> None:
    """The other name is refused; the first one has no other that could be used."""
    other = path.with_name("b.ledger")
    other.touch(0o600)
    crash(path, written=True)
    assert charged_in(path, other, other, path) == ["L119", "charged"]


def test_a_directory_that_is_really_mounted(path: Path) -> None:
    """The journal is found in both places, so nothing can be lost."""
    folder = path.with_name("mounted")
    folder.mkdir()
    crash(path, written=True)
    names = (folder / path.name, path, folder / path.name)
    assert charged_in(path.parent, folder, *names) == ["charged"] * 3
    assert len(requests(path)) == 4
    open_ledger(path).verify()


# Moved and replaced


@STATES
def test_moved_after_a_crash_charged_and_moved_back(path: Path, written: bool) -> None:
    crash(path, written=written)
    other = path.with_name("b.ledger")
    path.rename(other)
    kept = charge(open_ledger(other), "elsewhere", "0.5")
    other.rename(path)
    for use in (open_ledger, lambda p: open_ledger(p).show()):
        with pytest.raises(LedgerError, match="would erase charges") as error:
            use(path)
        assert error.value.code == "L120"
    journal_of(path).rename(path.with_name("aside"))
    assert open_ledger(path).verify(kept.receipt).receipts == 1


def test_one_commit_elsewhere_is_enough(path: Path) -> None:
    crash(path, written=False)
    other = path.with_name("b.ledger")
    path.rename(other)
    held = reserve(open_ledger(other), "elsewhere", "0.5")
    other.rename(path)
    assert code(lambda: open_ledger(path)) == "L120"
    journal_of(path).unlink()
    open_ledger(path).store_result(held, {"value": 1})


@STATES
def test_two_crashes_under_two_names(path: Path, written: bool) -> None:
    """After the first is undone, commits are counted as they were before it."""
    other = path.with_name("b.ledger")
    crash(path, written=written)
    path.rename(other)
    crash(other, written=written)
    other.rename(path)
    if written:
        assert code(lambda: open_ledger(path)) == "L120"
        journal_of(path).unlink()
    charge(open_ledger(path), "kept", "0.125")
    path.rename(other)
    assert code(lambda: open_ledger(other)) == "L120"
    journal_of(other).unlink()
    assert requests(other) == {"first", "kept"}


@pytest.mark.parametrize("age", ["older", "newer"])
def test_a_copy_put_back_beside_the_journal_of_a_crash(path: Path, age: str) -> None:
    copy = path.with_name("copy")
    if age == "older":
        shutil.copy2(path, copy)
        charge(open_ledger(path), "second", "0.125")
        crash(path, written=True)
    else:
        crash(path, written=True)
        shutil.copy2(path, copy)
        charge(open_ledger(copy), "second", "0.125")
    copy.replace(path)
    assert code(lambda: open_ledger(path)) == "L120"


def test_moved_away_during_a_charge(path: Path) -> None:
    def write(change: Callable[[], object]) -> None:
        with SqliteStore(path).open_writer() as connection:
            change()
            connection.execute("update candling_meta set created = 'changed'")

    other = path.with_name("b.ledger")
    assert code(lambda: write(lambda: path.rename(other))) in ("L101", "L115")
    other.rename(path)

    def replace() -> None:
        path.rename(other)
        shutil.copy2(other, path)

    assert code(lambda: write(replace)) == "L115"
    assert requests(path) == requests(other) == {"first"}
    for name in (path, other):
        open_ledger(name).verify()


def test_another_ledger_in_its_place(path: Path) -> None:
    """A connection that is kept never writes to the file that was there before."""
    ledger = open_ledger(path)
    held = reserve(ledger, "held")
    other = path.with_name("b.ledger")
    path.rename(other)
    create_ledger(path).add("visits", 1)
    assert code(lambda: reserve(ledger, "new")) == "L115"
    assert code(lambda: ledger.store_result(held, {"value": 1})) == "L115"
    path.unlink()
    assert code(lambda: reserve(ledger, "new")) == "L101"
    other.rename(path)
    ledger.store_result(held, {"value": 1})
    assert requests(path) == {"first", "held"}


def test_a_copy_written_over_the_file(path: Path) -> None:
    """What a kept connection remembers of the file is not believed."""
    ledger = open_ledger(path)
    old = path.read_bytes()
    charge(ledger, "second", "0.125")
    path.write_bytes(old)
    assert {e["request_id"] for e in ledger.export()} == {None, "first"}
    charge(ledger, "third", "0.125")
    assert requests(path) == {"first", "third"}
    ledger.verify()


def test_a_copy_with_as_many_commits_written_over_the_file(path: Path) -> None:
    """By its counter it cannot be told from what the connection has seen."""
    ledger, other = open_ledger(path), path.with_name("b.ledger")
    shutil.copy2(path, other)
    charge(ledger, "one", "0.125")
    charge(open_ledger(other), "two", "0.125")
    path.write_bytes(other.read_bytes())
    assert {e["request_id"] for e in ledger.export()} == {None, "first", "two"}
    ledger.verify()


# What lies beside the file


def test_a_write_ahead_log_of_another_program(path: Path) -> None:
    """SQLite would read it, and put pages of an older state before those of the file."""
    child = os.fork()
    if not child:
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("pragma journal_mode = wal")
        other.execute("update candling_meta set created = 'changed'")
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(child, 0)
    elsewhere = path.with_name("b.ledger")
    path.rename(elsewhere)
    kept = charge(open_ledger(elsewhere), "elsewhere", "0.5")
    elsewhere.rename(path)
    with pytest.raises(LedgerError, match=r"-wal.*another program") as error:
        open_ledger(path)
    assert error.value.code == "L120"
    path.with_name("a.ledger-wal").unlink()
    assert open_ledger(path).verify(kept.receipt).receipts == 1


@pytest.mark.parametrize("kind", ["link", "hard link", "mode", "directory", "owner"])
def test_a_journal_that_somebody_else_put_there(path: Path, kind: str) -> None:
    journal = journal_of(path)
    aside = path.with_name("aside")
    journal.rename(aside)
    match kind:
        case "link":
            journal.symlink_to(aside)
        case "hard link":
            os.link(aside, journal)
        case "mode":
            aside.rename(journal)
            journal.chmod(0o622)
        case "directory":
            journal.mkdir(0o700)
        case _:
            aside.rename(journal)
            if os.geteuid() != 0:
                pytest.skip("only root can give a file away")
            os.chown(journal, 65534, -1)
    with pytest.raises(LedgerError, match="owner alone") as error:
        open_ledger(path)
    assert error.value.code == "L120"


@pytest.mark.parametrize("ending", ["-journal", "-wal"])
def test_a_new_ledger_beside_the_journal_of_an_old_one(path: Path, ending: str) -> None:
    crash(path, written=True)
    path.unlink()
    if ending == "-wal":
        journal_of(path).rename(path.with_name("a.ledger-wal"))
    with pytest.raises(LedgerError, match="is still there") as error:
        create_ledger(path)
    assert error.value.code == "L120"
    assert not path.exists()


def test_a_new_ledger_beside_a_journal_that_is_done(path: Path) -> None:
    path.unlink()
    create_ledger(path).add("visits", 1)
    open_ledger(path).verify()


def test_a_directory_in_which_all_can_replace_files(path: Path) -> None:
    path.parent.chmod(0o777)
    try:
        assert code(lambda: open_ledger(path).add("staff", 1)) == "L104"
        assert code(lambda: create_ledger(path.with_name("b.ledger"))) == "L104"
        path.parent.chmod(0o1777)  # as /tmp: only owners can
        open_ledger(path).add("staff", 1)
    finally:
        path.parent.chmod(0o700)


# Made at once


def test_a_new_ledger_never_has_two_names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "link")
    create_ledger(tmp_path / "a.ledger").add("visits", 1)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.ledger", "a.ledger-journal"]


@pytest.mark.parametrize("can_rename", [True, False])
def test_of_many_who_make_a_ledger_one_succeeds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, can_rename: bool
) -> None:
    if not can_rename:  # as on other systems
        monkeypatch.setattr("candling.ledger.sqlite.ctypes.CDLL", lambda *_, **__: None)
    barrier = threading.Barrier(8)

    def make(_: int) -> str:
        barrier.wait()
        try:
            return create_ledger(tmp_path / "a.ledger").meta.ledger
        except LedgerError as error:
            return error.code

    with ThreadPoolExecutor(8) as pool:
        made = sorted(pool.map(make, range(8)))
    assert made.count("L103") == 7
    assert open_ledger(tmp_path / "a.ledger").meta.ledger in made
    assert [p.name for p in tmp_path.iterdir()] == ["a.ledger"]


# Kept connections


def test_a_ledger_survives_a_fork(path: Path) -> None:
    ledger = open_ledger(path)
    charge(ledger, "parent", "0.125")
    child = os.fork()
    if not child:
        ended = 1
        try:
            charge(ledger, "child", "0.125")
            ended = 0
        finally:
            os._exit(ended)
    assert os.waitpid(child, 0)[1] == 0
    charge(ledger, "after", "0.125")
    assert requests(path) == {"first", "parent", "child", "after"}
    ledger.verify()


def test_threads_share_a_ledger(path: Path) -> None:
    ledger = open_ledger(path)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda n: charge(ledger, f"r{n}", "0.01"), range(24)))
    assert len(requests(path)) == 25
    ledger.verify()


def test_a_ledger_can_be_sent_to_another_process(path: Path) -> None:
    ledger = open_ledger(path)
    ledger.show()
    copy: Ledger = pickle.loads(pickle.dumps(ledger))
    charge(copy, "second", "0.125")
    assert requests(path) == {"first", "second"}
