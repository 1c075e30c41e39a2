"""A card as a frame; what it says as CSV and Markdown is in tests/cli."""

from __future__ import annotations

import re
import sys

import pytest

import candling
from tests.releases.tables import study


def test_a_frame_has_a_line_for_each_number() -> None:
    asked = ["rows", "drastic", "maximal_consistent", "problematic", "worst_rule", "by_rule"]
    rules = "a -> b\nnot(t1.a < t2.a and t1.b > t2.b)"
    card = study(rules, a=[1, 1, 2], b=[1, 2, 3]).release(2, measures=asked)
    frame = card.to_frame()
    assert list(frame.index) == ["grade", "rows_per_person", *asked, "by_rule"]
    assert frame.index.name == "measure"
    assert list(frame.columns[:5]) == ["rule", "value", "estimate", "low", "high"]
    assert frame["value"].dtype == "float64"
    assert frame.loc["rows", "estimate"] == card.rows.estimate
    assert frame.loc["worst_rule", "rule"] == card.worst_rule.value
    assert list(frame.loc["by_rule", "rule"]) == [m.name for m in card.by_rule]
    nameless = ["grade", "maximal_consistent", "worst_rule"]  # no repair; refused; a rule
    assert frame.loc[nameless, ["value", "estimate"]].isna().all(axis=None)
    assert frame["estimate"].isna().sum() == len(nameless) + 1  # what a person has is no estimate
    assert "`repair` was not released" in frame.loc["grade", "reason"]
    shared = ["rows", "drastic", "problematic"]
    assert frame.loc[shared, "epsilon"].isna().all()
    assert (frame.loc[["grade", "maximal_consistent"], "epsilon"] == 0).all()
    again = candling.Card.from_dict(card.to_dict()).to_frame()
    assert again.equals(frame)


def test_without_pandas_it_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    card = study("a -> b", a=[1], b=[1]).release(1, measures=["rows"])
    with pytest.raises(candling.UsageError, match="pip install pandas") as error:
        card.to_frame()
    assert error.value.code == "U402"
    assert re.search("rows", card._repr_html_())
