"""Arguments and options that several commands share."""

from collections.abc import Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from candling.addresses import engine_spellings
from candling.errors import UsageError
from candling.suggest import did_you_mean

if TYPE_CHECKING:
    from candling.measures.method import Method as ReleaseMethod

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="The table: CSV, Parquet, JSON, Arrow or a DuckDB file, or a table of --engine.",
        show_default=False,
    ),
]
Rules = Annotated[
    str,
    typer.Argument(
        metavar="RULES",
        help="The rules: a text file with one rule per line, or a YAML list.",
        show_default=False,
    ),
]
Gates = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if",
        metavar="GATE",
        help="Exit with 1 if this holds of the true value for sure, with 4 if that cannot be told: "
        "'grade < 95%', 'repair/rows > 2%', or of one rule by its label, 'zip-city > 0'. May be "
        "repeated.",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]


class Format(StrEnum):
    """How a result is printed."""

    table = "table"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    junit = "junit"
    sarif = "sarif"


FormatOption = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        help="How to print it: table, json, csv or markdown; junit or sarif report the gates. The "
        "exit code is the same.",
        show_default="table",
        autocompletion=lambda incomplete: [f for f in Format if f.startswith(incomplete)],
    ),
]
JsonShort = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
Table = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="The table in a DuckDB file or a database."),
]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="ENGINE",
        help="Where DATA is, a path or the name of a table: duckdb (in this process), spark, "
        "spark://HOST:PORT, sc://HOST:PORT (Spark Connect) or postgresql://HOST/DATABASE.",
        show_default="duckdb",
        autocompletion=lambda incomplete: [
            e for e in engine_spellings() if e.startswith(incomplete)
        ],
    ),
]
Memory = Annotated[
    str | None, typer.Option(metavar="SIZE", help="Memory limit of the engine, such as 4GB.")
]
Epsilon = Annotated[
    str,
    typer.Option(
        metavar="E",
        help="The privacy budget to spend: 1 is usual, smaller is more private and noisier.",
        show_default=False,
    ),
]
Measures = Annotated[
    str | None,
    typer.Option(
        metavar="A,B",
        help="What to release: repair, rows, problematic, minimal_inconsistent, drastic (the "
        "default), maximal_consistent, by_rule, worst_rule.",
    ),
]
Split = Annotated[
    str | None,
    typer.Option(
        metavar="A=1,B=2",
        help="Shares of epsilon, where more than one part is paid for: draw=4,worst_rule=1; with "
        "a method of the paper, one share for each measure.",
    ),
]
RowsPerPerson = Annotated[
    int, typer.Option(metavar="K", help="The most rows that one person may own.")
]


By = Annotated[
    str | None, typer.Option(metavar="NAME", help="Your name, for the entry in the ledger.")
]


Report = Annotated[str | None, typer.Option(metavar="FILE", help="Also write an HTML page.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the page.")]


ONE_DRAW = "one-draw"
METHODS = "candling.methods"  # entry points of packages that add a method


def methods() -> list[str]:
    """The names of all methods that are installed, the default first."""
    from importlib.metadata import entry_points  # takes a while to load

    return [ONE_DRAW, *sorted(entry_points(group=METHODS).names)]


Method = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="How noise is added: one-draw for all numbers at once. The package candling-paper "
        "adds the published methods, measure by measure, to compare.",
        autocompletion=lambda incomplete: [m for m in methods() if m.startswith(incomplete)],
    ),
]


def names(text: str | None) -> list[str] | None:
    """`a, b` as a list."""
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def shares(text: str | None) -> dict[str, str] | None:
    """`a=1,b=2` as a mapping; the numbers are checked where they are used."""
    listed = names(text)
    if listed is None:
        return None
    if not all("=" in item for item in listed):
        raise UsageError(f"Write the split as draw=4,worst_rule=1, not {text!r}.", code="U204")
    return {k.strip(): v.strip() for k, _, v in (item.partition("=") for item in listed)}


def chosen_format(
    name: str | None, *, as_json: bool, known: Sequence[Format] = tuple(Format)
) -> Format:
    """The format that --format and --json ask for, of those that a command knows."""
    if as_json:
        return Format.json
    if name is None:
        return Format.table
    if name not in [f.value for f in known]:
        hint = did_you_mean(name, known)
        message = f"There is no format {name!r} here.{hint} Known: {', '.join(known)}."
        raise UsageError(message, code="U305")
    return Format(name)


def method(name: str) -> "ReleaseMethod | None":
    """The method with a name; None for the default."""
    if name == ONE_DRAW:
        return None
    from importlib.metadata import entry_points

    for point in entry_points(group=METHODS, name=name):
        release_method: ReleaseMethod = point.load()()
        return release_method
    known = methods()
    hint = did_you_mean(name, known)
    more = "" if len(known) > 1 else " Those of the paper: pip install candling-paper."
    raise UsageError(
        f"There is no method {name!r}.{hint} Known: {', '.join(known)}.{more}", code="U212"
    )
