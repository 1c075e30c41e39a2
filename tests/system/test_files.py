"""Reading files with care, and writing them whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

import candling
from candling.system import files
from candling.system.files import refused_with, try_folder, write_bytes, write_text, write_whole


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_is_written_with_the_permissions_of_new_files(tmp_path: Path) -> None:
    target = tmp_path / "card.html"
    write_text(target, "ü🥚\r\n")
    assert target.read_bytes() == "ü🥚\r\n".encode()
    umask = os.umask(0)
    os.umask(umask)
    assert mode(target) == 0o666 & ~umask
    assert list(tmp_path.iterdir()) == [target]


def test_a_private_file_is_for_its_owner_only_then_and_later(tmp_path: Path) -> None:
    target = tmp_path / "rows.csv"

    def write(draft: Path) -> None:
        draft.write_text("rows")
        assert mode(draft.parent) == 0o700

    write_whole(target, write, private=True)
    assert (mode(target), target.read_text()) == (0o600, "rows")


def test_an_old_file_is_replaced_and_a_link_stays_one(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)
    write_bytes(link, b"new")
    assert link.is_symlink()
    assert real.read_bytes() == b"new"
    assert sorted(tmp_path.iterdir()) == [link, real]


@pytest.mark.parametrize("step", ["write", "os.fsync", "pathlib.Path.replace"])
@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left"), KeyboardInterrupt()])
def test_what_fails_half_way_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    target = tmp_path / "card.html"
    target.write_text("old")

    def fail(*_: object) -> None:
        raise error

    def write(draft: Path) -> None:
        draft.write_text("half")
        if step == "write":
            fail()

    if step != "write":
        monkeypatch.setattr(step, fail)
    with pytest.raises(type(error)), refused_with("U104", target, full_disk=False):
        write_whole(target, write)
    monkeypatch.undo()
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_device_is_not_replaced_by_a_file() -> None:
    with pytest.raises(candling.UsageError, match="not an ordinary file"), refused_with("U104", ""):
        write_text("/dev/null", "text")
    assert not Path("/dev/null").is_file()


def test_errors_of_the_system_are_ours_and_a_full_disk_if_it_should_be(tmp_path: Path) -> None:
    for path in (tmp_path / "none" / "card.html", tmp_path):
        with (
            pytest.raises(candling.UsageError, match="cannot be written: ") as error,
            refused_with("U304", path),
        ):
            write_text(path, "text")
        assert error.value.code == "U304"
    with pytest.raises(FileNotFoundError):
        try_folder(tmp_path / "none" / "card.html")
    try_folder(tmp_path / "card.html")
    assert list(tmp_path.iterdir()) == []
    full = OSError(errno.ENOSPC, "No space left")
    with pytest.raises(candling.UsageError, match="no space"), refused_with("U304", "rows.csv"):
        raise full
    with pytest.raises(OSError, match="No space"), refused_with("U104", "x", full_disk=False):
        raise full


# Reading


def unreadable(path: str | Path, *, most: int = 100) -> str:
    with pytest.raises(files.UnreadableError) as error:
        files.read_text(path, most=most)
    return str(error.value)


def test_only_ordinary_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes("a\r\nä".encode())
    (tmp_path / "link").symlink_to("text")
    assert files.read_text(tmp_path / "link") == "a\r\nä"
    os.mkfifo(tmp_path / "pipe")  # reading it would wait for ever
    (tmp_path / "loop").symlink_to("loop")
    assert unreadable(tmp_path / "pipe").startswith("it is not an ordinary file")
    assert unreadable("/dev/zero").startswith("it is not an ordinary file")
    assert unreadable(tmp_path) == "it is a directory"
    assert unreadable(tmp_path / "loop") == "too many levels of symbolic links"
    assert unreadable(tmp_path / "none") == "no such file or directory"
    assert unreadable(tmp_path / "text" / "below") == "not a directory"
    assert unreadable(tmp_path / ("x" * 300)) == "file name too long"
    assert unreadable("nul\0byte") == "no file can have this name"
    assert unreadable("half \ud800") == "no file can have this name"
    assert unreadable("~nosuchuser/x") == "no such file or directory"
    assert unreadable("/proc/self/mem").startswith(("input/output error", "permission denied"))


def test_only_text_is_text(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes(b"a\nb\n\xff")
    with pytest.raises(files.NotTextError) as error:
        files.read_text(path)
    assert error.value.line == 3
    path.write_bytes("ab".encode("utf-16-le"))
    assert "NUL" in unreadable(path)
    path.write_bytes(b"x" * 101)
    assert unreadable(path) == "it is larger than 100 bytes"
    with path.open("wb") as file:
        file.truncate(1 << 40)  # a terabyte of nothing
    assert "larger" in unreadable(path)


def test_names_that_no_file_can_have(tmp_path: Path) -> None:
    for name in ("nul\0byte", "\ud800", "x" * 300, "none/x", "~nosuchuser/x"):
        with pytest.raises(candling.UsageError), files.refused_with("U104", name):
            files.write_text(tmp_path / name, "text")
