"""`candling demo`: the main job on a made-up table, with an explanation of each step."""

import shlex
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import candling
from candling.cli import check, exact, options
from candling.demo import RULES, Planted, hospital, write_csv
from candling.files import refused_with, write_text, write_whole
from candling.render import terminal as output

if TYPE_CHECKING:
    from candling import Exact

PERSON = "Patient"  # the column of the made-up table that says whose visit it is


def demo(
    rows: Annotated[
        int, typer.Option(min=50, help="The number of rows of the made-up table.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(help="The same seed gives the same table.")] = 7,
    keep: Annotated[
        str | None,
        typer.Option(metavar="DIR", help="Keep the table and the rules in this folder."),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Make up a hospital table with planted errors, and grade it.

    [bold]Examples[/bold]

    candling demo

    candling demo --rows 50000 --keep demo
    """
    with ExitStack() as stack:
        if keep is None:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="candling-")))
            shown = Path()
        else:
            folder = shown = Path(keep)
        planted = _write(folder, rows, seed)
        data, rules = str(folder / "hospital.csv"), str(folder / "rules.txt")

        if as_json:
            _print_json(data, rules, planted)
            return
        output.not_private()
        output.heading("A made-up table")
        output.line(
            f"{shown / 'hospital.csv'}: {rows:,} visits to hospitals that do not exist, by "
            "patients who came once to forty times. "
            f"{sum(p.rows for p in planted):,} were made wrong on purpose (seed {seed}):"
        )
        output.items(f"{p.rows:,} with {p.what}" for p in planted)
        output.heading("What should hold")
        output.line(f"{shown / 'rules.txt'}, as candling reads it:")
        output.line()
        check.show(check.examine(rules, data))
        output.heading("How inconsistent it is")
        with output.progress():
            study = candling.analyze(data, rules, person=PERSON)
            result = study.exact()
        output.line("For the owner of the table only:")
        output.line()
        exact.show(result)
        output.line()
        output.line(_in_words(result))
        output.heading("What others may see")
        output.line(
            "The same with noise, so that no patient can be recognised in it, not even one with "
            "forty visits; another run gives other numbers:"
        )
        output.line()
        from candling.render.views import view_card

        output.show(view_card(study.release(1)))
        output.heading("Your turn")
        if keep is None:
            output.commands("candling demo --keep demo")
        else:
            both = shlex.join((data, rules))
            output.commands(
                f"candling exact {both}", f"candling release {both} --epsilon 1 --person {PERSON}"
            )
        output.commands("candling init YOUR-TABLE.csv", "candling --help")


def _print_json(data: str, rules: str, planted: tuple[Planted, ...]) -> None:
    study = candling.analyze(data, rules, person=PERSON)
    output.not_private(stderr=True)
    output.print_json(
        {
            "planted": {p.what: p.rows for p in planted},
            "exact": study.exact().to_dict(),
            "release": study.release(1).to_dict(),
        }
    )


def _write(folder: Path, rows: int, seed: int) -> tuple[Planted, ...]:
    tables = hospital(rows, seed)
    with refused_with("U104", folder):
        folder.mkdir(parents=True, exist_ok=True)
        write_whole(folder / "hospital.csv", lambda draft: write_csv(tables.dirty, draft))
        write_text(folder / "rules.txt", RULES)
    return tables.planted


def _in_words(result: "Exact") -> str:
    if not result.drastic:
        return "None of the planted errors breaks a rule."
    least = result.repair if result.repair_exact is None else result.repair_exact
    conflicts = f"{result.minimal_inconsistent:,} conflicts"
    rows = f"{float(least):,g} rows ({float(least / result.rows):.1%})"
    return (
        f"One wrong row can conflict with many right ones, so {conflicts} sound worse than they "
        f"are: without {rows} every rule would hold. `repair` is the measure that says so."
    )
