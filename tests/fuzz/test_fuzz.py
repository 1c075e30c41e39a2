"""A few mutants of every kind; `python -m tests.fuzz` runs thousands."""

from pathlib import Path

import pytest

from tests.fuzz.campaign import CAMPAIGNS, outcomes

MUTANTS = 60


@pytest.mark.slow
@pytest.mark.parametrize("name", CAMPAIGNS)
def test_every_mutant_is_answered_or_refused(name: str, tmp_path: Path) -> None:
    ended = list(outcomes(name, tmp_path, mutants=MUTANTS, seed=1))
    faults = [(outcome.fault, outcome.trial.arguments, outcome.err) for outcome in ended]
    assert [fault for fault in faults if fault[0]] == []
    assert len(ended) >= MUTANTS
