"""Run the fuzzers for as long as one likes: `python -m tests.fuzz --help`."""

import sys
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from tests.fuzz.campaign import CAMPAIGNS, outcomes, table


def main(
    campaigns: Annotated[list[str] | None, typer.Argument(help="Which; all by default.")] = None,
    mutants: Annotated[int, typer.Option(help="How many of each campaign.")] = 1000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same mutants.")] = 0,
    keep: Annotated[Path | None, typer.Option(help="Where to leave the mutants.")] = None,
) -> None:
    """Feed mutants to the command line and count how the runs end."""
    ended, faults = [], 0
    with tempfile.TemporaryDirectory() as temporary:
        for name in campaigns or CAMPAIGNS:
            folder = (keep or Path(temporary)) / name
            folder.mkdir(parents=True)
            for outcome in outcomes(name, folder, mutants=mutants, seed=seed):
                ended.append(outcome)
                if outcome.fault:
                    faults += 1
                    typer.echo(f"{outcome.fault}: candling {' '.join(outcome.trial.arguments)}")
                    typer.echo(outcome.err[-2000:])
    typer.echo(table(ended))
    sys.exit(faults > 0)


if __name__ == "__main__":
    typer.run(main)
