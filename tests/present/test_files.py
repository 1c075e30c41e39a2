"""Writing a page: whole or not at all, and never over something by accident."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

import pytest

import candling
from candling.present.files import check_target, write_page
from candling.present.html import card_page
from tests.present.cards import card, full
from tests.releases.tables import study


def refused(path: Path | str, **options: bool) -> str:
    with pytest.raises(candling.UsageError) as error:
        check_target(path, **options)
    assert error.value.code == "U104"
    return str(error.value)


def test_a_page_is_written(tmp_path: Path) -> None:
    target = tmp_path / "card.html"
    write_page(target, "ü🥚\n")
    assert target.read_bytes() == "ü🥚\n".encode()
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE(target.stat().st_mode) == 0o666 & ~umask
    assert list(tmp_path.iterdir()) == [target]


OLD = card_page(card(full()))


def test_an_older_report_is_replaced_if_that_is_said(tmp_path: Path) -> None:
    target = tmp_path / "card.html"
    target.write_text(OLD, encoding="utf-8")
    assert "only copy" in refused(target)
    assert target.read_text(encoding="utf-8") == OLD
    write_page(target, "new", overwrite=True)
    assert target.read_text() == "new"


def test_nothing_but_a_report_is_ever_replaced(tmp_path: Path) -> None:
    target = tmp_path / "table.csv"
    target.write_text("Zip,City\n10,Ulm\n")
    assert "no report of candling" in refused(target)
    assert "no report of candling" in refused(target, overwrite=True)
    (tmp_path / "empty.html").touch()
    write_page(tmp_path / "empty.html", "new", overwrite=True)


def test_places_that_cannot_be(tmp_path: Path) -> None:
    assert "is a folder" in refused(tmp_path, overwrite=True)
    assert "folder does not exist" in refused(tmp_path / "no" / "card.html")
    (tmp_path / "file").touch()
    assert "folder does not exist" in refused(tmp_path / "file" / "card.html")
    assert "no ordinary file" in refused("/dev/null", overwrite=True)


def test_a_folder_that_nobody_may_write_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("candling.present.files.os.open", deny)
    assert "permission denied" in refused(tmp_path / "card.html")


def test_a_link_stays_one(tmp_path: Path) -> None:
    real = tmp_path / "real.html"
    real.write_text(OLD, encoding="utf-8")
    link = tmp_path / "card.html"
    link.symlink_to(real)
    write_page(link, "new", overwrite=True)
    assert link.is_symlink()
    assert real.read_text() == "new"


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_what_fails_half_way_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    target = tmp_path / "card.html"
    target.write_text(OLD, encoding="utf-8")
    check_target(target, overwrite=True)

    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    place = (
        "candling.present.files.Path.replace"
        if step == "replace"
        else "candling.present.files.os.fsync"
    )
    monkeypatch.setattr(place, no_room)
    with pytest.raises(OSError, match="No space"):
        write_page(target, "new", overwrite=True)
    assert target.read_text(encoding="utf-8") == OLD
    assert list(tmp_path.iterdir()) == [target]


def test_a_card_writes_itself(tmp_path: Path) -> None:
    made = study("a -> b", a=[1, 1], b=[1, 2]).release(1, measures=["repair"])
    made.to_html(tmp_path / "card.html")
    assert (tmp_path / "card.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(candling.UsageError, match="overwrite=True"):
        made.to_html(str(tmp_path / "card.html"))
    made.to_html(tmp_path / "card.html", overwrite=True)
