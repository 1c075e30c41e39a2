"""Files named candling.toml that are damaged."""

from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.fuzz.mutate import mutated
from tests.fuzz.trial import Trial

GOOD = b"""\
ledger = "budget.ledger"
rules = "rules.txt"
dataset = "visits"
memory = "1GB"
format = "json"
rows_per_person = 2
"""


def trials(folder: Path, random: Random, mutants: int) -> Iterator[Trial]:
    """A mutant of the configuration beside rules that are sound."""
    (folder / "rules.txt").write_text("Zip -> City\n")
    for _ in range(mutants):
        (folder / "candling.toml").write_bytes(mutated(GOOD, random))
        yield Trial("candling.toml", ("plan", "rules.txt", "--epsilon", "1"), folder)
