"""The estimate that research/cluster.md shows is what the program prints."""

from __future__ import annotations

from pathlib import Path

import pytest

from research import cluster_estimate


def test_the_page_shows_what_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    cluster_estimate.main()
    page = Path(cluster_estimate.__file__).with_name("cluster.md").read_text(encoding="utf-8")
    assert capsys.readouterr().out in page
