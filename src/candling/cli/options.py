"""Arguments and options that several commands share."""

from typing import Annotated

import typer

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="The table: CSV, Parquet, JSON, Arrow or a DuckDB file.",
        show_default=False,
    ),
]
Rules = Annotated[
    str,
    typer.Argument(
        metavar="RULES",
        help="The rules: a text file with one rule a line, or a YAML list.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of text.")]
Table = Annotated[
    str | None,
    typer.Option("--table", metavar="NAME", help="Which table of a DuckDB file."),
]
