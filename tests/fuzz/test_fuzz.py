"""A few mutants of every kind; `python -m tests.fuzz` runs thousands."""

from pathlib import Path
from random import Random

import pytest

from tests.effort import reduce
from tests.fuzz.campaign import CAMPAIGNS, outcomes
from tests.fuzz.rules import read_all

MUTANTS = reduce(60, 4)


@pytest.mark.parametrize("name", CAMPAIGNS)
def test_every_mutant_is_answered_or_refused(name: str, tmp_path: Path) -> None:
    ended = list(outcomes(name, tmp_path, mutants=MUTANTS, seed=1))
    faults = [(outcome.fault, outcome.trial.arguments, outcome.err) for outcome in ended]
    assert [fault for fault in faults if fault[0]] == []
    assert len(ended) >= MUTANTS


def test_every_mutant_of_rules_is_read_or_refused() -> None:
    ended = list(read_all(Random("rules 1"), 600))
    assert [fault for fault in ended if fault[2] is not None] == []
    assert sum(end.startswith("read") for _, end, _ in ended) > 60  # not all refused
