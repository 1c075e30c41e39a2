"""Where a page may be written: never over something by accident."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

import candling
from candling.render.html import check_target, write_page
from tests.releases.tables import study
from tests.render.cards import card, full
from tests.render.shown import card_page


def refused(path: Path | str, **options: bool) -> str:
    with pytest.raises(candling.UsageError) as error:
        check_target(path, **options)
    assert error.value.code == "U104"
    return str(error.value)


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
    assert "not a report of candling" in refused(target)
    assert "not a report of candling" in refused(target, overwrite=True)
    (tmp_path / "empty.html").touch()
    write_page(tmp_path / "empty.html", "new", overwrite=True)


def test_places_that_cannot_be(tmp_path: Path) -> None:
    assert "is a folder" in refused(tmp_path, overwrite=True)
    assert "folder does not exist" in refused(tmp_path / "no" / "card.html")
    (tmp_path / "file").touch()
    assert "folder does not exist" in refused(tmp_path / "file" / "card.html")
    assert "not an ordinary file" in refused("/dev/null", overwrite=True)


def test_a_folder_that_nobody_may_write_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def deny(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    target = tmp_path / "card.html"
    monkeypatch.setattr("pathlib.Path.mkdir", deny)
    assert "permission denied" in refused(target)


def test_a_link_stays_one(tmp_path: Path) -> None:
    real = tmp_path / "real.html"
    real.write_text(OLD, encoding="utf-8")
    link = tmp_path / "card.html"
    link.symlink_to(real)
    write_page(link, "new", overwrite=True)
    assert link.is_symlink()
    assert real.read_text() == "new"


def test_a_card_writes_itself(tmp_path: Path) -> None:
    made = study("a -> b", a=[1, 1], b=[1, 2]).release(1, measures=["repair"])
    made.to_html(tmp_path / "card.html")
    assert (tmp_path / "card.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")
    with pytest.raises(candling.UsageError, match="overwrite=True"):
        made.to_html(str(tmp_path / "card.html"))
    made.to_html(tmp_path / "card.html", overwrite=True)
