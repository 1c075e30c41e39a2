from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from candling.errors import LedgerError
from candling.ledger import create_ledger, open_ledger
from candling.ledger import place as places

MOUNTS = r"""22 28 0:21 / /sys rw,nosuid shared:7 - sysfs sysfs rw
28 1 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw
40 28 0:35 / /home/me/nfs rw shared:20 - nfs4 server:/export rw,vers=4.2
41 40 0:36 / /home/me/nfs/local rw shared:20 - xfs /dev/vdb rw
42 28 0:37 / /mnt/with\040space rw - cifs //server/share rw
43 28 0:38 / /mnt/remote rw - fuse.sshfs me@host: rw
44 28 0:39 / /mnt/hidden rw - nfs server:/ rw
45 28 0:40 / /mnt/hidden rw - ext4 /dev/vdc rw
not a mount
"""


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/budget.ledger", "ext4"),
        ("/home/me/budget.ledger", "ext4"),
        ("/home/me/nfs/budget.ledger", "nfs4"),
        ("/home/me/nfsish/budget.ledger", "ext4"),
        ("/home/me/nfs/local/budget.ledger", "xfs"),
        ("/mnt/with space/budget.ledger", "cifs"),
        ("/mnt/remote/a/b", "fuse.sshfs"),
        ("/mnt/hidden/b", "ext4"),
    ],
)
def test_the_file_system_of_a_path(tmp_path: Path, path: str, kind: str) -> None:
    mounts = tmp_path / "mountinfo"
    mounts.write_text(MOUNTS)
    assert places.file_system(Path(path), mounts) == kind


def test_where_the_system_does_not_tell(tmp_path: Path) -> None:
    assert places.file_system(tmp_path, tmp_path / "none") is None


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "lustre"])
def test_network_file_systems_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    create_ledger(tmp_path / "a.ledger")
    mounts = tmp_path / "mountinfo"
    mounts.write_text(f"28 1 254:1 / / rw - {kind} server:/ rw\n")
    monkeypatch.setattr(places.file_system, "__defaults__", (mounts,))
    for use in (create_ledger, open_ledger):
        path = tmp_path / ("a.ledger" if use is open_ledger else "b.ledger")
        with pytest.raises(LedgerError, match=rf"network file system \({kind}\)") as refused:
            use(path)
        assert refused.value.code == "L104"
    assert not (tmp_path / "b.ledger").exists()


@pytest.mark.parametrize("umask", [0o000, 0o022, 0o277, 0o777])
def test_only_the_owner_may_read_or_write(tmp_path: Path, umask: int) -> None:
    before = os.umask(umask)
    try:
        ledger = create_ledger(tmp_path / "a.ledger")
        ledger.add("visits", 1)
    finally:
        os.umask(before)
    modes = {stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    assert modes == {0o600}  # the journal's too


def test_a_new_ledger_leaves_nothing_else_behind(tmp_path: Path) -> None:
    create_ledger(tmp_path / "a.ledger")
    assert [p.name for p in tmp_path.iterdir()] == ["a.ledger"]


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660, 0o666, 0o602])
def test_a_ledger_that_others_can_get_at_is_refused(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.ledger"
    create_ledger(path)
    path.chmod(mode)
    with pytest.raises(LedgerError, match="chmod 600") as refused:
        open_ledger(path)
    assert refused.value.code == "L104"


def test_a_missing_directory(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="does not exist") as refused:
        create_ledger(tmp_path / "none" / "a.ledger")
    assert refused.value.code == "L104"


def test_a_directory_that_may_not_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system's answer is made up: root may write nearly everywhere."""
    path = tmp_path / "a.ledger"
    ledger = create_ledger(path)
    access = os.access
    monkeypatch.setattr(os, "access", lambda p, m: not m & os.W_OK and access(p, m))
    for use in (lambda: create_ledger(tmp_path / "b.ledger"), lambda: ledger.add("visits", 1)):
        with pytest.raises(LedgerError, match="read-only") as refused:
            use()
        assert refused.value.code == "L104"
    assert open_ledger(path).show().datasets == ()  # looking is possible


def test_a_place_that_no_one_can_write_to() -> None:
    with pytest.raises(LedgerError) as refused:
        create_ledger("/proc/self/a.ledger")
    assert refused.value.code in ("L104", "L113")


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\x00" + bytes(100), b"hello" * 1000])
def test_another_file_is_no_ledger_and_stays_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.ledger"
    path.write_bytes(content)
    path.chmod(0o600)
    with pytest.raises(LedgerError) as refused:
        open_ledger(path)
    assert refused.value.code == "L102"
    with pytest.raises(LedgerError) as there:
        create_ledger(path)
    assert there.value.code == "L103"
    assert path.read_bytes() == content


def test_a_directory_is_no_ledger(tmp_path: Path) -> None:
    with pytest.raises(LedgerError) as refused:
        open_ledger(tmp_path)
    assert refused.value.code == "L102"


def test_names_with_odd_characters(tmp_path: Path) -> None:
    path = tmp_path / "50% of? #1 & käse.ledger"
    create_ledger(path).add("visits", 1)
    assert path.exists()
    assert len(open_ledger(path).show().datasets) == 1


# Memory


@pytest.fixture
def in_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that the system says is on tmpfs."""
    mounts = tmp_path / "mountinfo"
    mounts.write_text("28 1 254:1 / / rw - tmpfs tmpfs rw\n")
    monkeypatch.setattr(places.file_system, "__defaults__", (mounts,))
    return tmp_path


def test_memory_is_refused_and_the_message_names_both_ways_out(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    create_ledger(tmp_path / "a.ledger")
    folder = request.getfixturevalue("in_memory")
    for use, name in ((create_ledger, "b.ledger"), (open_ledger, "a.ledger")):
        with pytest.raises(LedgerError, match=r"in memory \(tmpfs\).* disk.*--trial") as refused:
            use(folder / name)
        assert refused.value.code == "L104"
    assert not (folder / "b.ledger").exists()


def test_a_trial_may_be_in_memory_and_says_so_for_ever(in_memory: Path) -> None:
    path = in_memory / "a.ledger"
    create_ledger(path, trial=True).add("visits", 1)
    ledger = open_ledger(path)
    assert ledger.show().trial
    assert ledger.verify().trial
    assert next(ledger.export())["trial"]


def test_other_ledgers_do_not_say_that_they_are_trials(tmp_path: Path) -> None:
    ledger = create_ledger(tmp_path / "a.ledger")
    assert not ledger.show().trial
    assert not ledger.verify().trial
    assert "trial" not in next(ledger.export())


@pytest.mark.parametrize("name", ["a" * 300, "no\0name"])
def test_a_name_that_no_file_can_have(tmp_path: Path, name: str) -> None:
    for make in (create_ledger, open_ledger):
        with pytest.raises(LedgerError) as refused:
            make(tmp_path / name)
        assert refused.value.code in ("L104", "L113")
