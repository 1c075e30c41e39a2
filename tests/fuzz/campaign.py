"""A campaign: a source of trials by name. Each lives in a file of its own with `trials`."""

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random

from tests.fuzz import cards, configuration, files, imports, ledgers, rules, signals
from tests.fuzz.trial import Outcome, Trial, runner

Trials = Callable[[Path, Random, int], Iterator[Trial]]  # folder, generator, how many

CAMPAIGNS: dict[str, Trials] = {
    "cards": cards.trials,
    "configuration": configuration.trials,
    "files": files.trials,
    "imports": imports.trials,
    "ledgers": ledgers.trials,
    "packed": files.packed_trials,
    "rules": rules.trials,
    "signals": signals.trials,
}


def outcomes(name: str, folder: Path, *, mutants: int, seed: int) -> Iterator[Outcome]:
    """Run a campaign; the same seed gives the same mutants."""
    with runner() as running:
        for trial in CAMPAIGNS[name](folder, Random(f"{name} {seed}"), mutants):
            yield running.run(trial)


def table(ended: list[Outcome]) -> str:
    """How many trials of each kind ended how."""
    counted = Counter((outcome.trial.kind, _ending(outcome)) for outcome in ended)
    kinds = sorted({kind for kind, _ in counted})
    endings = sorted({ending for _, ending in counted})
    rows = [
        ["", *endings],
        *([kind, *(str(counted[kind, end]) for end in endings)] for kind in kinds),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if place else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def _ending(outcome: Outcome) -> str:
    return outcome.fault or f"exit {outcome.code}"
