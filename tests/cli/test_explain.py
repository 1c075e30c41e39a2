from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hatchling.builders.wheel import WheelBuilder

from candling.cli.explain import all_measures, all_words
from candling.explain import find_docs, load_codes, load_words
from candling.measures import MEASURES, title
from candling.model.gate import Outcome
from candling.model.results import Verdict
from candling.rules import Kind
from tests.cli.conftest import Run


@pytest.mark.parametrize("code", load_codes())
def test_explains(run: Run, code: str) -> None:
    result = run("explain", code.lower())
    assert result.code == 0
    assert result.out.startswith(f"{code}\n")


def test_the_pages_that_it_cites_are_installed_and_it_says_where(run: Run) -> None:
    root = Path(__file__).parents[2]
    packed = {f.distribution_path for f in WheelBuilder(str(root)).recurse_included_files()}
    cited = set(re.findall(r"docs/[\w/]+\.md", " ".join(all_words().values())))
    assert len(cited) > 3
    assert {f"candling/{page}" for page in cited} <= packed
    assert find_docs() == root / "docs"
    assert "The pages in docs/" in run("explain", "epsilon", "ledger").err
    assert not run("explain", "D101").err


def test_several_at_once(run: Run) -> None:
    out = run("explain", "D101", "U101").out
    assert "\n\nU101\n" in out


def test_lists_all(run: Run) -> None:
    heads = [line[2:].split("  ")[0] for line in run("explain").out.splitlines() if line[2] != " "]
    listed = [head.rpartition("(")[2].removesuffix(")") for head in heads]
    assert listed == [*load_codes(), "grade", *MEASURES, *load_words()]


def test_unknown(run: Run) -> None:
    result = run("explain", "D999")
    assert result.code == 2
    assert "D101, D102" in result.err


def test_every_measure_is_explained(run: Run) -> None:
    assert set(all_measures()) == {"grade", *MEASURES}
    for name, text in all_measures().items():
        result = run("explain", name.upper())
        head = name if name == "grade" else f"{title(name)} ({name})"
        assert (result.code, result.out.split("\n")[0]) == (0, head)
        assert text.split("\n")[1] == ""


def words_of(value: Any) -> Iterator[str]:
    """The keys of a JSON document; thresholds, and names that others chose, are not words."""
    if isinstance(value, dict):
        for key, inner in value.items():
            if not key.isdigit() and key not in ("clinic", "Zip", "City", "Id", "Age"):
                yield key
            yield from words_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from words_of(inner)


def heads_of(text: str) -> Iterator[str]:
    """What stands over the columns and before the numbers of a printed card."""
    for line in text.splitlines():
        if line.startswith("  ") and line[2:3] != " ":
            yield re.split(r" {2,}", line.strip())[0]
        if re.match(r" {2}measure ", line):
            yield from re.split(r" {2,}", line.strip())


def test_every_word_on_the_screen_is_explained(
    run: Run, people: Path, rules: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ledger = tmp_path / "b.ledger"
    run("ledger", "init", ledger, "--trial")
    run("ledger", "add", ledger, "--dataset", "clinic", "--budget", "9")
    every = ",".join(MEASURES)
    charged = ["--ledger", ledger, "--dataset", "clinic", "--measures", every]
    gate = ["--fail-if", "grade < 1%"]
    card = run("release", people, rules, "--epsilon", "1", *charged, *gate, "--json").out
    Path("card.json").write_text(card)
    documents = [
        card,
        run("exact", people, rules, "--json", "--by-rule", *gate).out,
        run("plan", rules, "--epsilon", "1", "--json").out,
        run("compare", "card.json", "card.json", "--json").out,
        run("check", people, rules, "--json").out,
        run("ledger", "show", ledger, "--json").out,
        run("verify", "card.json", "--ledger", ledger, "--json").out,
        run("owner", "conflicts", people, rules, "--json").out,
        run("owner", "repair", people, rules, "--json").out,
        run("owner", "types", people, rules, "--json").out,
    ]
    words = {word for document in documents for word in words_of(json.loads(document))}
    words |= {*Outcome, *Verdict, *Kind}
    shown = run("release", people, rules, "--epsilon", "1").out
    words |= {word for word in heads_of(shown) if word.isidentifier() or "interval" in word}
    assert len(words) > 80
    for word in sorted(words):
        assert run("explain", word).code == 0, word


def test_words_that_are_one_term(run: Run) -> None:
    for words in (["cannot", "tell"], ["cannot tell"], ["cannot-tell"], ["CANNOT_TELL"]):
        assert run("explain", *words).out.startswith("cannot_tell\n")
    assert run("explain", "low").out.startswith("interval\n")


def test_a_word_that_is_almost_one(run: Run) -> None:
    assert "Did you mean 'threshold'?" in run("explain", "treshold").err
    assert "lists all" in run("explain", "xyzzy").err


def test_a_measure_that_is_almost_one(run: Run) -> None:
    result = run("explain", "repar")
    assert result.code == 2
    assert "Did you mean 'repair'?" in result.err
