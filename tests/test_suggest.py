from __future__ import annotations

from candling.errors import did_you_mean, nearest


def test_the_nearest_word_is_suggested() -> None:
    assert nearest("sprak", ["duckdb", "spark"]) == "spark"
    assert nearest("mysql", ["duckdb", "spark"]) is None
    assert nearest("PATIENT", ["PARENT", "patient"]) == "patient"
    assert did_you_mean("sprak", ["duckdb", "spark"]) == " Did you mean 'spark'?"
    assert did_you_mean("mysql", ["duckdb", "spark"]) == ""
