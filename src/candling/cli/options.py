"""Arguments and options that several commands share."""

import csv
import io
import os
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

import candling
from candling.arguments import RULES_ENDINGS, TABLE_ENDINGS
from candling.errors import CandlingError, UsageError, did_you_mean
from candling.rules import ConstraintSet, load_constraints, parse_constraints
from candling.system.files import engine_spellings, hide_secrets, scheme

Data = Annotated[
    str,
    typer.Argument(
        metavar="DATA",
        help="The table: a CSV, Parquet, JSON, Arrow, Excel, SQLite or DuckDB file, or a table on "
        "--engine. - reads it from standard input.",
        show_default=False,
    ),
]
Rules = Annotated[
    str | None,
    typer.Argument(
        metavar="RULES",
        help="The rules: a text file with one rule per line, or a YAML list. Or leave it out, and "
        "use --rule.",
        show_default=False,
    ),
]
Rule = Annotated[
    list[str] | None,
    typer.Option(
        "--rule",
        metavar="RULE",
        help="A rule such as 'Zip -> City', in place of a rules file. May be repeated.",
        show_default=False,
    ),
]
Gates = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-if",
        metavar="GATE",
        help="Exit with 1 if this condition certainly holds, with 4 if noise hides the answer: "
        "'grade < 95%', 'repair/rows > 2%', or for one rule by its label, 'zip-city > 0'. May be "
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
        help="The output format: table, json, csv or markdown; junit and sarif report the gates.",
        show_default="table",
        autocompletion=lambda incomplete: [f for f in Format if f.startswith(incomplete)],
    ),
]
JsonShort = Annotated[bool, typer.Option("--json", help="The same as --format json.")]
Table = Annotated[
    str | None,
    typer.Option(
        "--table",
        metavar="NAME",
        help="The table in a DuckDB or SQLite file or a database, or the sheet in an Excel file.",
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="ENGINE",
        help="The engine that has the table; DATA is then a path or a table name there: duckdb (in "
        "this process), spark, spark://HOST:PORT, sc://HOST:PORT (Spark Connect) or "
        "postgresql://HOST/DATABASE.",
        show_default="duckdb",
        autocompletion=lambda incomplete: [
            e for e in engine_spellings() if e.startswith(incomplete)
        ],
    ),
]
_PANEL = "How a file is read"
# The options that stand for one parameter `make_reading` of a command.
READING: dict[str, tuple[Any, Any]] = {
    "null": (
        Annotated[
            str | None,
            typer.Option(
                "--null",
                metavar="A,B",
                help="Texts that mean NULL, as an empty cell always does: 'NA,N/A,NULL'. For CSV, "
                "Excel and SQLite.",
                rich_help_panel=_PANEL,
            ),
        ],
        None,
    ),
    "encoding": (
        Annotated[
            str | None,
            typer.Option(
                "--encoding",
                metavar="NAME",
                help="The encoding of a CSV file: latin-1, cp1252, utf-16, ...",
                show_default="utf-8",
                rich_help_panel=_PANEL,
            ),
        ],
        None,
    ),
    "delimiter": (
        Annotated[
            str | None,
            typer.Option(
                "--delimiter",
                metavar="CHARACTER",
                help="The character between the cells of a CSV file; `tab` for tab. By default the "
                "most frequent one in the first line: comma, tab, ; or |.",
                rich_help_panel=_PANEL,
            ),
        ],
        None,
    ),
    "header": (
        Annotated[
            bool | None,
            typer.Option(
                "--header/--no-header",
                help="Whether the first line of a CSV file or a sheet holds the column names. "
                "Without a header they are column0, column1, ...",
                show_default="header",
                rich_help_panel=_PANEL,
            ),
        ],
        None,
    ),
    "type": (
        Annotated[
            list[str] | None,
            typer.Option(
                "--type",
                metavar="COLUMN=TYPE",
                help="The type of a column of text, like a `type` line in the rules: text, "
                "integer, number, \"number(decimal ',')\", 'decimal(10,2)', boolean, date, "
                "'date(%d/%m/%Y)' or timestamp. A cell that does not fit breaks a rule. May be "
                "repeated.",
                rich_help_panel=_PANEL,
            ),
        ],
        None,
    ),
    "decimal": (
        Annotated[
            str | None,
            typer.Option(
                "--decimal",
                metavar="SIGN",
                help="The decimal sign of numbers in columns of text: a comma for 1,5.",
                show_default=".",
                rich_help_panel=_PANEL,
            ),
        ],
        None,
    ),
}
Reading: TypeAlias = "candling.Reading | None"  # made of these options by `add_command`


def make_reading(
    null: str | None,
    encoding: str | None,
    delimiter: str | None,
    header: bool | None,
    type: list[str] | None,  # noqa: A002 - named as its option
    decimal: str | None,
) -> "candling.Reading | None":
    """What the options say; None if they say nothing, and then nothing is loaded."""
    if (null, encoding, delimiter, header, decimal) == (None,) * 5 and not type:
        return None
    types = dict(map(_parse_type, type or ()))
    return candling.Reading(split_list(null), encoding, delimiter, header, types, decimal)


def person(text: str | None) -> tuple[str, ...] | None:
    """The columns that name a person: `country, patient`, with or without the space."""
    return None if text is None else split_list(text, skip_spaces=True)


@contextmanager
def hint_for_person(text: str | None) -> Iterator[None]:
    """A context in which a column for a person that is not there may be half of a name."""
    try:
        yield
    except UsageError as error:
        if "," in (text or "") and "no column" in str(error):
            error.add_note(
                "Commas separate columns. Put a name that contains a comma in double quotes: "
                "--person '\"name, first\"'"
            )
        raise


def split_list(text: str | None, *, skip_spaces: bool = False) -> tuple[str, ...]:
    """`NA,N/A` as texts; one that holds a comma stands in double quotes."""
    try:
        return tuple(next(csv.reader([text or ""], skipinitialspace=skip_spaces), ()))
    except csv.Error:
        raise UsageError(
            f"{text!r} is not a list of texts separated by commas.", code="U110"
        ) from None


def join_list(texts: Sequence[str]) -> str:
    """Texts as `split_list` reads them."""
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(texts)
    return line.getvalue()


def _parse_type(text: str) -> tuple[str, str]:
    column, equals, kind = text.rpartition("=")
    if not equals or not column:
        raise UsageError(f"Write the type of a column as Zip=text, not {text!r}.", code="U110")
    return column, kind


def arguments(how: "candling.Reading | None") -> list[str]:
    """The options that say how a file is read, as words of a command line."""
    if how is None:
        return []
    words = [("--null", join_list(how.null))] if how.null else []
    words += [("--encoding", how.encoding)] if how.encoding is not None else []
    words += [("--delimiter", how.delimiter)] if how.delimiter is not None else []
    words += [("--type", f"{name}={kind}") for name, kind in how.types.items()]
    words += [("--decimal", how.decimal)] if how.decimal is not None else []
    flags = {None: [], True: ["--header"], False: ["--no-header"]}[how.header]
    return [*(word for pair in words for word in pair), *flags]


def place(
    data: str, table: str | None, engine: str | None, reading: "candling.Reading | None"
) -> str:
    """The table as words of a command line."""
    words = [hide_secrets(data)]
    for option, value in (("--table", table), ("--engine", engine)):
        words += [] if value is None else [option, hide_secrets(value)]
    return shlex.join([*words, *arguments(reading)])


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
        help="What to release: repair, rows, drastic (the default); problematic, "
        "minimal_inconsistent (all adds these two); maximal_consistent, by_rule, worst_rule.",
    ),
]
Split = Annotated[
    str | None,
    typer.Option(
        metavar="A=1,B=2",
        help="How to split epsilon if several parts are paid for: draw=1,levels=2 with "
        "--measures all, draw=4,worst_rule=1, or person=1,draw=12,levels=6 with --person.",
    ),
]
Person = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN[,COLUMN]",
        help="The column that identifies the person. The guarantee then protects all rows of a "
        "person, and rows without a person (NULL) are left out. Put a name that contains a comma "
        "in double quotes.",
        show_default="each row is a different person",
    ),
]
RowsPerPerson = Annotated[
    int | None,
    typer.Option(
        metavar="K",
        help="With --person: the grade counts at most K rows of each person. Without it: state "
        "that each person has at most K rows, which candling does not check.",
        show_default="with --person chosen for a part of epsilon, without 1",
    ),
]


ListsArePublic = Annotated[
    bool,
    typer.Option(
        "--lists-are-public",
        help="State that the lists which the rules read from files are public: needed if the table "
        "comes from standard input, which may be one of these files.",
    ),
]
By = Annotated[
    str | None, typer.Option(metavar="NAME", help="Your name, for the entry in the ledger.")
]


Report = Annotated[str | None, typer.Option(metavar="FILE", help="Also write an HTML page.")]
Force = Annotated[bool, typer.Option("--force", help="Overwrite the page.")]


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
        message = f"Unknown format {name!r}.{hint} Known: {', '.join(known)}."
        raise UsageError(message, code="U305")
    return Format(name)


_PACKED = (".gz", ".zst")
_FIRST = 20  # lines of a file that are looked at


def in_order(first: str, second: str) -> tuple[str, str]:
    """The table, then the rules. Endings tell them apart; of two .txt files, what is in them."""
    return (second, first) if _are_swapped(first, second) else (first, second)


def data_and_rules(first: str | None, second: str | None) -> tuple[str | None, str]:
    """The same where the table may be missing: one argument is the rules."""
    if first is not None and second is not None:
        return in_order(first, second)
    rules = second if first is None else first
    if rules is None:
        raise _no_rules()
    return None, rules


def read_arguments(
    data: str, rules: str | None, rule: Sequence[str] | None
) -> tuple[str, ConstraintSet]:
    """The table, and its rules from a file or from --rule."""
    if not rule and rules is not None:
        data, rules = in_order(data, rules)
    return data, read_rules(rules, rule)


def read_rules(rules: str | None, rule: Sequence[str] | None) -> ConstraintSet:
    """The rules in a file, or those that --rule gives, one on a line."""
    if rule and rules is not None:
        raise UsageError("Give the rules in a file or with --rule, but not both.", code="U215")
    if rule:
        lines = (" ".join(text.splitlines()) for text in rule)
        return parse_constraints("\n".join(lines), source="--rule")
    if rules is None:
        raise _no_rules()
    try:
        return load_constraints(rules)
    except UsageError as error:
        if error.code == "R101" and _is_rule(rules):
            error.add_note(f"To give a rule instead of a file: --rule {shlex.quote(rules)}")
        raise


def name_both(data: str, constraints: ConstraintSet) -> str:
    """A table and its rules, for the first line of a result."""
    rules = f"{len(constraints):,} rule{'' if len(constraints) == 1 else 's'}"
    return f"{hide_secrets(data)} under {rules} of {constraints.source}"


def _no_rules() -> UsageError:
    return UsageError(
        "Name a rules file, such as rules.txt, or give a rule: --rule 'Zip -> City'.", code="U215"
    )


def _is_rule(text: str) -> bool:
    """Whether a text can be read as a rule."""
    try:
        parse_constraints(text)
    except CandlingError:
        return False
    return True


def is_rules(name: str) -> bool:
    """Whether a name ends like that of a rules file."""
    return scheme(name) is None and Path(name).suffix.lower() in RULES_ENDINGS


def _is_table(name: str) -> bool:
    path = Path(name)
    ending = path.with_suffix("").suffix if path.suffix.lower() in _PACKED else path.suffix
    return scheme(name) is not None or ending.lower() in TABLE_ENDINGS or name == "-"


def _are_swapped(first: str, second: str) -> bool:
    if is_rules(first) and is_rules(second):
        return first != second and not _holds_rules(second) and _holds_rules(first)
    return (is_rules(first) and not is_rules(second)) or (
        _is_table(second) and not _is_table(first)
    )


def _holds_rules(name: str) -> bool:
    """Whether the first lines of a file are rules; nothing of it is shown."""
    try:
        if not os.path.isfile(name):  # noqa: PTH113 - a pipe would wait for ever
            return False
        with Path(name).open(encoding="utf-8") as file:
            lines = [line for _, line in zip(range(_FIRST), file, strict=False)]
        parse_constraints("".join(lines))
    except (CandlingError, OSError, ValueError):
        return False
    return True
