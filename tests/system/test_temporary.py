"""Temporary folders: gone with their process, whatever ended it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from candling.system import temporary

MAKE = """
import os, signal, sys
from candling.system.temporary import make_folder, write_unnamed
folder = make_folder()
write_unnamed(folder / "rows.csv", lambda file: file.write(b"Quillfeather"))
assert (folder / "rows.csv").read_bytes() == b"Quillfeather"
(folder / "named.db").write_bytes(b"Quillfeather")
print(folder, flush=True)
sys.stdin.read()
"""


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary files."""
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    return tmp_path


def start() -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", MAKE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    process.stdout.readline()
    return process


def test_only_the_user_can_look_into_a_folder(place: Path) -> None:
    with temporary.temporary_folder() as folder:
        assert folder.parent.parent == place
        assert folder.parent.stat().st_mode & 0o777 == 0o700
    assert not folder.exists()
    temporary.remove_all()
    assert list(place.iterdir()) == []


def test_a_file_without_a_name_leaves_no_row_after_a_crash(place: Path) -> None:
    with start() as process:
        process.kill()
    (link,) = place.rglob("rows.csv")
    assert link.is_symlink()  # to what this process has open, if anything


def test_a_dead_process_leaves_its_folder_to_the_next_one(place: Path) -> None:
    alive = start()
    with start() as dead:
        dead.kill()
    other = place / "candling-of-the-user"
    other.mkdir()
    (other / "visits.csv").touch()
    assert len(list(place.rglob("named.db"))) == 2
    with temporary.temporary_folder():
        assert len(list(place.rglob("named.db"))) == 1  # that of the living
        assert (other / "visits.csv").exists()
    alive.communicate("")
    temporary.remove_all()
    assert list(place.iterdir()) == [other]


def test_a_child_leaves_the_folders_of_its_parent_alone(place: Path) -> None:
    with temporary.temporary_folder() as folder:
        child = os.fork()
        if child == 0:
            temporary.remove_folder(folder)
            temporary.remove_all()
            os._exit(0)
        os.waitpid(child, 0)
        assert folder.exists()
    temporary.remove_all()
    assert list(place.iterdir()) == []


def test_a_draft_that_a_crash_left_is_removed_by_the_next_file(tmp_path: Path) -> None:
    code = """
import os, signal, sys
from candling.system.files import write_whole
write_whole(sys.argv[1], lambda draft: (draft.write_text("rows"), os.kill(os.getpid(), 9)))
"""
    target = tmp_path / "copy.csv"
    done = subprocess.run([sys.executable, "-c", code, str(target)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert len(list(tmp_path.rglob("copy.csv"))) == 1
    with temporary.folder_beside(target):
        assert list(tmp_path.rglob("copy.csv")) == []
    assert list(tmp_path.iterdir()) == []
