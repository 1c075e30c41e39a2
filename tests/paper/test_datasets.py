"""The datasets: files where there are some, look-alikes where there are none."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

import candling
from candling_paper import lookalikes
from candling_paper.datasets import (
    FOLDER_VARIABLE,
    LOOKALIKE,
    Dataset,
    datasets,
    existing_folder,
    folder,
    for_samples,
    named_folder,
)
from candling_paper.experiments.manifest import described
from candling_paper.experiments.published_values import NAMES as FIVE
from candling_paper.experiments.setup import FULL, Setup
from candling_paper.provenance import Digests, Known

NAMES = {
    *("adult", "flight", "flight_joined", "hospital", "hospital_lookalike", "stock", "tax"),
    *("tax_lookalike", "stock_thin"),
}
DATA = existing_folder(None, Path(__file__).parents[2])


def write_csv(table: pa.Table, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    csv.write_csv(table, path)


def known_as(monkeypatch: pytest.MonkeyPatch, path: Path, *, published: bool) -> None:
    """Have the digest of a file known for the Adult table."""
    entry = Known(
        *("adult", "the published Adult table", published, "somewhere", "the same", "nothing"),
        git_blob=Digests.of_file(path).git_blob,
    )
    monkeypatch.setattr("candling_paper.provenance.known_files", lambda: (entry,))


def test_without_a_folder_all_are_lookalikes_of_any_size() -> None:
    found = datasets(None)
    assert set(found) == NAMES
    for name, dataset in found.items():
        assert dataset.name == name
        assert dataset.title
        assert dataset.origin.startswith(LOOKALIKE)
        assert dataset.file is None
        assert dataset.largest == (114_919 if name == "hospital_lookalike" else None)
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
    assert tax.file is not None
    assert tax.origin == f"a file of unknown origin (SHA-256 {tax.file.digests.sha256[:12]}...)"
    assert tax.rules == lookalikes.rules("tax")
    assert {name for name, d in found.items() if d.file is None} == NAMES - {"tax"}
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
    assert existing_folder(None, repository) is None  # or have no dataset
    pq.write_table(lookalikes.tax(10, 0), default / "tax_50k.parquet")
    assert existing_folder(None, repository) == default
    named = tmp_path / "named"
    monkeypatch.setenv(FOLDER_VARIABLE, str(named))
    assert folder(repository) == named
    with pytest.raises(ValueError, match=rf"folder .*named does not exist.*{FOLDER_VARIABLE}"):
        existing_folder(None, repository)
    named.mkdir()
    assert existing_folder(None, repository) == named
    assert existing_folder(default, repository) == default  # an option beats the variable
    with pytest.raises(ValueError, match=r"folder .*nowhere does not exist"):
        existing_folder(tmp_path / "nowhere", repository)
    with pytest.raises(ValueError, match=r"folder .*nowhere does not exist"):
        datasets(tmp_path / "nowhere")


@pytest.mark.parametrize("below", ["", "datasets"])
def test_the_authors_layout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, below: str) -> None:
    people, flights = lookalikes.adult(50, 0), lookalikes.flight(40, 0)
    write_csv(people, tmp_path / below / "Adult" / "inputDB2.csv")
    write_csv(flights, tmp_path / below / "Flight" / "inputDB.csv")
    found = datasets(tmp_path)
    assert {name for name, d in found.items() if d.file is not None} == {"adult", "flight"}
    adult, flight = found["adult"], found["flight"]
    assert adult.file is not None
    assert adult.file.place == f"{below}/Adult/inputDB2.csv".lstrip("/")
    assert adult.largest == 50
    # The types are those of the Parquet files: dates of flights are strings, for example.
    assert adult.sample(50, seed=0).equals(people)
    assert flight.sample(40, seed=0).equals(flights)
    assert "unknown origin" in adult.origin
    known_as(monkeypatch, adult.file.path, published=True)
    again = datasets(tmp_path)
    assert again["adult"].origin == "the published Adult table"
    assert described(again["adult"])["published"] is True
    assert described(again["flight"])["published"] is False
    assert "unknown origin" in again["flight"].origin


def test_the_digest_of_another_table_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_csv(lookalikes.stock(50, 0), tmp_path / "Stock" / "inputDB2.csv")
    known_as(monkeypatch, tmp_path / "Stock" / "inputDB2.csv", published=True)
    assert "unknown origin" in datasets(tmp_path)["stock"].origin


def test_the_authors_file_is_taken_before_ours(tmp_path: Path) -> None:
    write_csv(lookalikes.adult(50, 0), tmp_path / "Adult" / "inputDB2.csv")
    pq.write_table(lookalikes.adult(20, 0), tmp_path / "adult.parquet")
    assert datasets(tmp_path)["adult"].largest == 50


def test_missing_values_and_types_of_the_authors_files(tmp_path: Path) -> None:
    place = tmp_path / "Hospital" / "inputDB2.csv"
    names = lookalikes.hospital(1, 0).column_names
    place.parent.mkdir()
    lines = [",".join(names), *(",".join([first] * len(names)) for first in ("01", "N/A", "NA"))]
    place.write_text("\n".join(lines) + "\n")
    zips = datasets(tmp_path)["hospital"].sample(9, seed=0)["ZipCode"].to_pylist()
    assert zips == ["01", None, "NA"]  # strings as in the rules; NA is a value to the authors
    place = tmp_path / "Adult" / "inputDB2.csv"
    people = lookalikes.adult(3, 0)
    people = people.set_column(4, "EduNum", pa.array([1.5, 2.0, 3.0]))
    write_csv(
        people.rename_columns([n.replace("MoreLess", "More Less") for n in names_of(people)]), place
    )
    found = datasets(tmp_path)["adult"].sample(9, seed=0)
    assert found["EduNum"].to_pylist() == [1.5, 2.0, 3.0]  # a number that no integer can be
    assert found["Gain"].type == pa.int64()
    assert found.column_names[-1] == "More_Less"  # as the authors' code names it


def names_of(table: pa.Table) -> list[str]:
    return list(table.column_names)


def test_a_folder_without_any_dataset_is_named_with_what_it_has(tmp_path: Path) -> None:
    (tmp_path / "Adult").mkdir()
    (tmp_path / "notes.txt").write_text("")
    with pytest.raises(ValueError, match="no dataset") as caught:
        datasets(tmp_path)
    for said in ("Adult/inputDB2.csv", "Flight/inputDB.csv", "tax_50k.parquet", "notes.txt"):
        assert said in str(caught.value)
    assert "found Adult/, notes.txt." in str(caught.value)


def test_a_file_without_the_columns_of_the_rules_is_refused(tmp_path: Path) -> None:
    write_csv(pa.table({"Education": ["a"]}), tmp_path / "Adult" / "inputDB2.csv")
    with pytest.raises(ValueError, match=r"inputDB2\.csv lacks columns .*: EduNum, Gain, Loss"):
        datasets(tmp_path)


def test_a_file_with_too_few_rows_is_replaced_and_kept(tmp_path: Path) -> None:
    small = lookalikes.hospital(150, 0)
    pq.write_table(small, tmp_path / "hospital_10k.parquet")
    found = datasets(tmp_path)
    few = for_samples(found, 100)
    assert few["hospital"].largest == 114_919
    assert (few["hospital"].name, few["hospital"].title) == ("hospital", "Hospital")
    assert few["hospital"].origin == f"{LOOKALIKE}, 114,919 rows"
    assert few["hospital_10k"].sample(999, seed=0).equals(small)
    assert few["hospital_10k"].origin == found["hospital"].origin
    assert "flight_10k" not in few
    enough = for_samples(found, 75)
    assert enough["hospital"] == found["hospital"]
    assert "hospital_10k" not in enough


@pytest.mark.parametrize("where", [None, DATA] if DATA else [None])
@pytest.mark.parametrize("name", FIVE)
def test_ten_samples_are_ten_tables(where: Path | None, name: str) -> None:
    dataset = for_samples(datasets(where), FULL.rows)[name]
    assert FULL.samples == 10
    read = dataset.constraints().columns
    samples = [_cells(dataset, read, seed) for seed in range(FULL.samples)]
    assert all(table.num_rows == FULL.rows for table in samples)
    for i, one in enumerate(samples):
        for other in samples[:i]:
            assert not one.equals(other)


def _cells(dataset: Dataset, columns: tuple[str, ...], seed: int) -> pa.Table:
    """What the rules read of a sample."""
    return dataset.sample(FULL.rows, seed=seed).select(columns)


def test_any_folder_with_rows_and_rules_is_a_dataset(tmp_path: Path) -> None:
    visits = pa.table({"Ward": [1, 1, 2], "Head nurse": ["a", "b", "c"], "Day": [1, 2, 3]})
    write_csv(visits, tmp_path / "Night Visits" / "rows.csv")
    (tmp_path / "Night Visits" / "dcs.txt").write_text(
        "not(t1.Ward=t2.Ward&t1.Head nurse!=t2.Head nurse)\n"
    )
    (tmp_path / "Prices").mkdir()
    pq.write_table(lookalikes.stock(30, 0), tmp_path / "Prices" / "prices.parquet")
    (tmp_path / "Prices" / "dcs.txt").write_text("key(Date, Ticker)\n")
    (tmp_path / "Notes").mkdir()
    (tmp_path / "Notes" / "notes.csv").write_text("a\n1\n")  # without rules
    found = datasets(tmp_path)
    night, prices = found["night_visits"], found["prices"]
    assert set(found) == NAMES | {"night_visits", "prices"}
    assert [str(rule) for rule in night.constraints()] == ["Ward -> Head_nurse"]
    assert night.sample(9, seed=0).column_names == ["Ward", "Head_nurse", "Day"]
    assert night.origin.startswith("a file of the user (SHA-256 ")
    assert prices.sample(99, seed=0).equals(lookalikes.stock(30, 0))
    setup = Setup(FULL, found, 0)
    assert setup.names == (*FIVE, "night_visits", "prices")


def test_the_rules_in_dcs_txt_win_for_the_papers_datasets_too(tmp_path: Path) -> None:
    write_csv(lookalikes.stock(20, 0), tmp_path / "Stock" / "inputDB2.csv")
    (tmp_path / "Stock" / "dcs.txt").write_text("not(t1.Date=t2.Date&t1.Open=t2.Open)")
    assert datasets(tmp_path)["stock"].constraints().columns == ("Date", "Open")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        (("a.csv", "b.csv"), "several files of rows"),
        (("a.csv",), "lacks columns that the rules read: z"),
    ],
)
def test_a_folder_that_is_not_clear(tmp_path: Path, files: tuple[str, ...], said: str) -> None:
    for name in files:
        write_csv(pa.table({"x": [1]}), tmp_path / "Own" / name)
    (tmp_path / "Own" / "dcs.txt").write_text("z -> x")
    with pytest.raises(ValueError, match=said):
        datasets(tmp_path)


def test_no_folder_is_read_that_was_not_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(FOLDER_VARIABLE, raising=False)
    assert named_folder(None) is None
    assert named_folder(tmp_path) == tmp_path
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    assert named_folder(None) == tmp_path
