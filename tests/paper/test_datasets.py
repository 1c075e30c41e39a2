"""The datasets: files where there are some, look-alikes where there are none."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import candling
from candling_paper import lookalikes
from candling_paper.datasets import (
    FOLDER_VARIABLE,
    LOOKALIKE,
    datasets,
    existing_folder,
    folder,
)

NAMES = {"adult", "flight", "flight_joined", "hospital", "stock", "tax", "tax_lookalike"}


def test_without_a_folder_all_are_lookalikes_of_any_size() -> None:
    found = datasets(None)
    assert set(found) == NAMES
    for name, dataset in found.items():
        assert dataset.name == name
        assert dataset.title
        assert dataset.origin == LOOKALIKE
        assert dataset.largest is None
        clean = dataset.sample(300, seed=1)
        assert clean.num_rows == 300
        assert candling.exact(clean, dataset.constraints()).drastic == 0
        noisy = dataset.noisy(300, alpha=0.02, seed=1)
        assert noisy.schema == clean.schema
        assert not noisy.equals(clean)
        assert noisy.equals(dataset.noisy(300, alpha=0.02, seed=1))


def test_a_file_is_read_and_what_is_missing_is_made(tmp_path: Path) -> None:
    table = lookalikes.tax(200, 0).append_column("Line", pa.array(range(200)))
    pq.write_table(table, tmp_path / "tax_50k.parquet")
    found = datasets(tmp_path)
    tax = found["tax"]
    assert tax.largest == 200
    assert "published" in tax.origin
    assert tax.rules == lookalikes.rules("tax")
    assert {name for name, d in found.items() if d.largest is None} == NAMES - {"tax"}
    assert tax.sample(1_000, seed=0).equals(table)
    sample = tax.sample(50, seed=0)
    lines = sample["Line"].to_pylist()
    assert lines == sorted(set(lines))
    assert len(lines) == 50
    assert sample.equals(tax.sample(50, seed=0))
    assert not sample.equals(tax.sample(50, seed=1))


def test_the_rules_beside_a_file_win(tmp_path: Path) -> None:
    pq.write_table(lookalikes.tax(10, 0), tmp_path / "tax_50k.parquet")
    (tmp_path / "tax.constraints.txt").write_text("Zip -> City\n")
    found = datasets(tmp_path)
    assert len(found["tax"].constraints()) == 1
    assert len(found["tax_lookalike"].constraints()) == 9


def test_the_folder_is_named_or_stands_beside_the_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    repository = tmp_path / "repository"
    default = tmp_path / "shared" / "data"
    assert folder(repository) == default
    assert existing_folder(None, repository) is None  # only the default may be missing
    default.mkdir(parents=True)
    assert existing_folder(None, repository) == default
    named = tmp_path / "named"
    monkeypatch.setenv(FOLDER_VARIABLE, str(named))
    assert folder(repository) == named
    with pytest.raises(ValueError, match=rf"no folder .*named.*{FOLDER_VARIABLE}.*look-alikes"):
        existing_folder(None, repository)
    named.mkdir()
    assert existing_folder(None, repository) == named
    assert existing_folder(default, repository) == default  # an option beats the variable
    with pytest.raises(ValueError, match=r"no folder .*nowhere"):
        existing_folder(tmp_path / "nowhere", repository)
    with pytest.raises(ValueError, match=r"no folder .*nowhere"):
        datasets(tmp_path / "nowhere")
