"""Rules in every form that callers have them, and calls that cannot work."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import candling
from candling.arguments import rules_of

FRAME = pd.DataFrame({"Zip": [1, 1, 2], "City": ["a", "b", "c"]})
RULE = "Zip -> City"
ours: Any = candling  # whose signatures forbid what is called here


def test_a_rule_a_list_a_path_and_parsed_rules_are_the_same(tmp_path: Path) -> None:
    path = tmp_path / "rules.txt"
    path.write_text(f"{RULE}\nkey(Zip)\n")
    bare = tmp_path / "bare"
    bare.write_text(path.read_text())
    parsed = candling.parse_constraints(path.read_text())
    forms: list[Any] = [
        *(f"{RULE}\nkey(Zip)", [RULE, "key(Zip)"], (RULE, "key(Zip)"), iter([RULE, "key(Zip)"])),
        *(path, str(path), bare, str(bare), parsed, list(parsed)),
    ]
    for form in forms:
        assert rules_of(form) == parsed
    assert rules_of(RULE) == rules_of(next(iter(parsed))) == candling.parse_constraints(RULE)


def test_a_release_takes_a_rule(tmp_path: Path) -> None:
    assert candling.exact(FRAME, RULE).repair == 1
    assert candling.exact(FRAME, [RULE, "key(City)"]).repair == 1
    card = candling.release(FRAME, RULE, 1, measures=["repair"])
    assert [line.text for line in card.about.rules] == [RULE]
    assert candling.plan(RULE, epsilon=1).epsilon == 1


@pytest.mark.parametrize(
    ("rules", "code", "words"),
    [
        (None, "U214", "not None"),
        (5, "U214", "not an int"),
        (b"a -> b", "U214", "not a bytes"),
        ({"a": "b"}, "U214", "not a dict"),
        ([RULE, 5], "U214", "the list has an int"),
        ("rules.txt", "R101", "rules.txt"),
        ("rulez", "R101", "rulez"),
        ("hospital.csv", "R104", "looks like a table"),
        ("the hospital.csv", "R104", "looks like a table"),
        ("rules/of.mine", "R101", "rules/of.mine"),
        ("Zip -> -> City", "R107", "Zip -> -> City"),
        ([RULE, "Zip ->"], "R107", "rules:2"),
        ([], "R103", "no rule"),
        ("", "R103", "no rule"),
    ],
)
def test_what_are_no_rules(
    rules: Any, code: str, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(candling.CandlingError) as error:
        rules_of(rules)
    assert words in str(error.value)
    assert error.value.code[:2] == code[:2]


def test_a_file_that_is_called_like_a_rule(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path(RULE).write_text("key(Zip)\n")
    with pytest.raises(candling.UsageError, match=r"a file with this name exists") as error:
        rules_of(RULE)
    assert error.value.code == "U214"
    assert str(rules_of(Path(RULE))) == "key(Zip)"


@pytest.mark.parametrize(
    ("call", "code", "words"),
    [
        (lambda: ours.release(FRAME, RULE, epsilonn=1), "U213", "Did you mean 'epsilon'?"),
        (lambda: ours.release(FRAME, RULE), "U213", "needs `epsilon`"),
        (lambda: ours.release(FRAME), "U213", "needs `rules` and `epsilon`"),
        (lambda: ours.release(FRAME, RULE, 1, ["rows"]), "U213", "data, rules, epsilon"),
        (lambda: ours.release(FRAME, RULE, 1, epsilon=1), "U213", "`epsilon` twice"),
        (lambda: ours.release(FRAME, RULE, 1, measure=["rows"]), "U213", "'measures'?"),
        (lambda: ours.release(FRAME, RULE, 1, measures="rows"), "U202", "a list of names"),
        (lambda: ours.release(FRAME, RULE, 1, measures=5), "U202", "a list of names"),
        (lambda: ours.release(FRAME, RULE, 1, measures=[5]), "U202", "a list of names"),
        (lambda: ours.release(FRAME, RULE, 1, measures=["row"]), "U202", "'rows'?"),
        (lambda: ours.release(FRAME, RULE, "much"), "U201", "'much'"),
        (lambda: ours.release(FRAME, RULE, None), "U201", "None"),
        (lambda: ours.release(FRAME, RULE, [1]), "U201", "[1]"),
        (lambda: ours.release(FRAME, RULE, 1, split=5), "U204", "a mapping"),
        (lambda: ours.release(FRAME, RULE, 1, ledger=5), "U208", "`ledger`"),
        (lambda: ours.release(FRAME, RULE, 1, rows_per_person="x"), "U203", "'x'"),
        (lambda: ours.release(FRAME, RULE, 1, memory=5), "U101", "memory"),
        (lambda: ours.release(FRAME, RULE, 1, engine=5), "U107", "engine"),
        (lambda: ours.release(FRAME, RULE, 1, table=5), "U213", "table"),
        (lambda: ours.exact(FRAME, RULE, time_limit="x"), "U102", "a number of seconds"),
        (lambda: ours.exact(FRAME, RULE, by_rule="x"), "U213", "True or False"),
        (lambda: ours.exact(FRAME, RULE, epsilon=1), "U213", "no argument 'epsilon'"),
        (lambda: ours.exact(FRAME, RULE, reading={"null": "NA"}), "U213", "candling.Reading"),
        (lambda: ours.exact(5, RULE), "D106", "int"),
        (lambda: ours.analyze(FRAME, RULE).release(1, measurs=[]), "U213", "'measures'?"),
        (lambda: ours.analyze(FRAME, RULE).exact(5), "U213", "Study.exact"),
        (lambda: ours.plan(RULE, epsilon=1, row=5), "U213", "'rows'?"),
        (lambda: ours.plan(RULE, target_errors={"repair": "x"}), "U205", "a mapping"),
        (lambda: ours.conflicts(FRAME, RULE, limits=5), "U213", "'limit'?"),
        (lambda: ours.repair(FRAME, RULE, out="x.csv"), "U304", "given by its path"),
        (lambda: ours.compare(5, 6), "U401", "two cards"),
    ],
)
def test_a_call_that_cannot_work(call: Any, code: str, words: str) -> None:
    with pytest.raises(candling.CandlingError) as error:
        call()
    assert error.value.code == code
    assert words in str(error.value)


def test_no_message_shows_a_row() -> None:
    secret = pd.DataFrame({"Zip": ["geheim"]})
    with pytest.raises(candling.UsageError) as error:
        ours.release(secret, secret, 1)
    assert "geheim" not in str(error.value)
