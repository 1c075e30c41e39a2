"""What is known of the data: digests, and the figures with 1% RNoise that were recorded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import pytest

import candling
import candling_paper
from candling_paper.datasets import (
    FOLDER_VARIABLE,
    Dataset,
    datasets,
    existing_folder,
    for_samples,
)
from candling_paper.provenance import Digests, known_files

DATA = existing_folder(None, Path(__file__).parents[2])
ROWS = 10_000
ALPHA = 0.01
SEEDS = (0, 1)


@dataclass(frozen=True)
class Recorded:
    """Figures of PROVENANCE.md: the mean over its two seeds, and how far ours may lie from it."""

    rows: int
    pairs: float
    problematic: float
    max_degree: float


RECORDED = {
    "adult": Recorded(10_000, 2_025_000, 10_000, 9_798),
    "flight": Recorded(9_746, 417_500, 9_746, 1_492),
    "hospital": Recorded(10_000, 236_500, 10_000, 830),
    "tax": Recorded(10_000, 67_000, 9_984, 389),
}


def real(name: str) -> Dataset:
    """The dataset, unless it is only a look-alike: then the test is skipped."""
    dataset = datasets(DATA)[name]
    if dataset.file is None:
        pytest.skip(f"no file of {name} here: set {FOLDER_VARIABLE} to the folder that has it")
    return dataset


def figures(name: str, seed: int) -> candling.Exact:
    dataset = real(name)
    noisy = dataset.noisy(ROWS, alpha=ALPHA, seed=seed)
    return candling.exact(noisy, dataset.constraints())


@pytest.mark.parametrize("name", sorted(RECORDED))
def test_dense_datasets_are_near_the_recorded_figures(name: str) -> None:
    recorded = RECORDED[name]
    ours = [figures(name, seed) for seed in SEEDS]
    assert {f.rows for f in ours} == {recorded.rows}
    assert {f.drastic for f in ours} == {1}
    assert mean(f.minimal_inconsistent for f in ours) == pytest.approx(recorded.pairs, rel=0.15)
    assert mean(f.problematic for f in ours) == pytest.approx(recorded.problematic, rel=0.01)
    assert mean(f.max_degree for f in ours) == pytest.approx(recorded.max_degree, rel=0.15)


@pytest.mark.parametrize("seed", SEEDS)
def test_stock_has_a_few_isolated_pairs(seed: int) -> None:
    ours = figures("stock", seed)
    assert ours.rows == ROWS
    assert 10 <= ours.minimal_inconsistent <= 45
    assert ours.max_degree in (1, 2)


@pytest.mark.parametrize("name", ["adult", "flight", "flight_joined", "hospital", "stock", "tax"])
def test_the_rules_hold_on_the_clean_rows(name: str) -> None:
    dataset = real(name)
    clean = candling.exact(dataset.sample(ROWS, seed=0), dataset.constraints())
    assert clean.minimal_inconsistent == 0
    assert clean.drastic == 0


def test_the_git_blob_id_and_the_sha_256_of_known_bytes(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"what is up, doc?")
    # Both are known: the first from the book on git's objects.
    assert Digests.of_file(path).git_blob == "bd9dbf5aae1a3862dd1526723246b20206e5fc37"
    path.write_bytes(b"")
    assert Digests.of_file(path).git_blob == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert Digests.of_file(path).sha256.startswith("e3b0c44298fc1c149afbf4c8996fb924")
    assert Digests.of_file(path).known is None


def test_the_page_and_the_table_of_known_files_say_the_same() -> None:
    page = Path(str(candling_paper.__file__)).with_name("PROVENANCE.md").read_text("utf-8")
    assert len(known_files()) == 11
    for known in known_files():
        digests = [d for d in (known.sha256, known.git_blob) if d]
        assert digests
        assert all(d in page for d in digests)
        assert known.source.partition(":")[0] in page
    # Nothing is called published but the authors' five files, and the copy of the one at hand.
    published = [known for known in known_files() if known.published]
    assert len(published) == 6
    assert {known.source.partition("/")[0] for known in published} == {"mshubhankar"}
    for known in known_files():
        assert ("published" in known.origin) == known.published


@pytest.mark.parametrize("name", ["adult", "flight", "flight_joined", "hospital", "stock", "tax"])
def test_the_files_here_are_known(name: str) -> None:
    file = real(name).file
    assert file is not None
    known = file.digests.known
    assert known is not None, f"{file.place} has changed"
    assert known.origin == real(name).origin


def test_the_hospital_lookalike_is_as_inconsistent_as_the_real_rows() -> None:
    dataset = for_samples(datasets(None), ROWS)["hospital"]
    rules = dataset.constraints()
    tables = [dataset.noisy(ROWS, alpha=ALPHA, seed=seed) for seed in SEEDS]
    found = [candling.exact(table, rules) for table in tables]
    recorded = RECORDED["hospital"]
    assert mean(f.minimal_inconsistent for f in found) == pytest.approx(recorded.pairs, rel=0.1)
    assert mean(f.max_degree for f in found) == pytest.approx(recorded.max_degree, rel=0.1)
