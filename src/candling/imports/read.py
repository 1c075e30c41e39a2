"""Reading a file or an object of another tool: its format, its table, its rules."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from candling.errors import ConstraintError, UsageError, did_you_mean
from candling.imports import dbt, gx, odcs, pandera, sql
from candling.imports.documents import LARGEST, LARGEST_MANIFEST, MANIFEST, parse, read_file
from candling.imports.draft import (
    NULLS_EQUAL,
    Columns,
    Draft,
    Imported,
    ImportedRule,
    LeftOut,
    rebase_lists,
)

if TYPE_CHECKING:
    from candling.rules import ColumnType
    from candling.tables import Table

FORMATS = ("dbt", "sql", "odcs", "gx", "pandera")
DIALECTS = (
    *("bigquery", "clickhouse", "databricks", "duckdb", "mysql", "oracle", "postgres", "redshift"),
    *("snowflake", "spark", "sqlite", "trino", "tsql"),
)
_DOCUMENTS = {module.NAME: module for module in (dbt, odcs, gx, pandera)}
SQL_ENDINGS = (".sql", ".ddl")
_SHOWN = 12  # names of tables in a message
_NAME = re.compile(r'"(?:[^"]|"")*"|[^,\s]+')


class UnknownKindError(UsageError):
    """A file that can be read, and that is not of a format that rules come from."""


def import_rules(
    source: Any,
    *,
    table: str | None = None,
    format: str | None = None,  # noqa: A002 - the word of the command line
    dialect: str | None = None,
    public: Mapping[str, str | os.PathLike[str]] | None = None,
    data: Any = None,
    columns: Mapping[str, ColumnType | None] | None = None,
    beside: str | os.PathLike[str] | None = None,
) -> Imported:
    """The rules that a file or an object of another tool states for one table.

    `source` is the path of a dbt schema file, SQL with CREATE TABLE, a data contract (ODCS), a
    Great Expectations suite or a pandera schema, or a pandera object. `table` names the model or
    table where there are several, `format` one of "dbt", "sql", "odcs", "gx" and "pandera" where
    it cannot be seen, `dialect` that of the SQL in it. `public` has public lists by the name of the
    table that they stand for: {"countries": "countries.csv"}; `beside` is the folder that the rules
    are written to, from which lists are named. `data` is the table (see `candling.analyze`), or
    `columns` the names and types of its columns (None where its format has no types): names are
    spelled as there, and literals get their types. No row is read. The types that the source states
    become `type` lines, for columns to which the table gives none.
    """
    check_choices(format, dialect)
    name, parts, module = open_source(source, format, dialect)
    chosen = _choose_table(parts, table, name)
    if data is not None:
        from candling.tables import open_table

        columns = types_of(open_table(data))
    return import_part(
        name,
        chosen,
        parts[chosen],
        module,
        dialect=dialect,
        public=public,
        columns=columns,
        beside=beside,
    )


def check_choices(format: str | None, dialect: str | None) -> None:  # noqa: A002 - as above
    """Raise for a format or a dialect that is not known."""
    _check(format, FORMATS, "format")
    _check(dialect, DIALECTS, "dialect")


def import_part(
    name: str,
    table: str,
    part: Any,
    module: Any,
    *,
    dialect: str | None,
    public: Mapping[str, str | os.PathLike[str]] | None,
    columns: Mapping[str, ColumnType | None] | None = None,
    beside: str | os.PathLike[str] | None,
) -> Imported:
    """The rules of one table of a source, which `module` reads."""
    named = {key: Path(path).as_posix() for key, path in (public or {}).items()}
    if beside is not None:
        named = {k: Path(os.path.relpath(path, beside)).as_posix() for k, path in named.items()}
    lists = tuple((named[key], Path(path).as_posix()) for key, path in (public or {}).items())
    types = Columns(module.types(part), columns)
    draft = Draft(name, types, public=named, dialect=dialect)
    module.read(part, draft)
    rules, refused = _readable(draft.rules, lists)
    left_out = (*draft.left_out, *refused)
    return Imported(
        name,
        table,
        types.stated,
        tuple(_drop_null_remarks(rules)),
        tuple(draft.gates),
        left_out,
        lists,
    )


def types_of(table: Table) -> dict[str, ColumnType | None]:
    """The columns of a table with their types; None where its format has none."""
    return {name: None if name in table.untyped else kind for name, kind in table.schema.items()}


def _check(value: str | None, known: tuple[str, ...], what: str) -> None:
    if value is not None and value not in known:
        hint = did_you_mean(str(value), known)
        raise UsageError(
            f"Unknown {what} {value!r}.{hint} Known: {', '.join(known)}.",
            code="U502",
        )


def open_source(source: Any, chosen: str | None, dialect: str | None) -> tuple[str, Any, Any]:
    """The name of the source, its tables, and the module that reads them."""
    if not isinstance(source, str | os.PathLike):
        if not pandera.is_schema(source):
            raise UsageError(
                f"Rules cannot be imported from a {type(source).__name__}: give the path of a file "
                "or a pandera schema.",
                code="U501",
            )
        return "pandera", pandera.tables(pandera.document_of(source)), pandera
    path = Path(source)
    text = read_file(path, most=LARGEST_MANIFEST if path.name == MANIFEST else LARGEST)
    if chosen == sql.NAME or (chosen is None and path.suffix.lower() in SQL_ENDINGS):
        return path.name, sql.tables(sql.statements(text, dialect, path.name)), sql
    document = parse(text, path.name)
    for module in _DOCUMENTS.values():
        if chosen == module.NAME or (chosen is None and module.recognises(document)):
            if not module.recognises(document):
                raise UsageError(
                    f"{path.name!r} is not a file of the format {chosen!r}.", code="U501"
                )
            return path.name, module.tables(document), module
    raise UnknownKindError(
        f"{path.name!r} is not a dbt schema, a data contract, a Great Expectations suite or a "
        "pandera schema. SQL needs a name that ends in .sql, or --format sql.",
        code="U501",
    )


def _choose_table(parts: Mapping[str, Any], wanted: str | None, source: str) -> str:
    """The table that is meant: the only one, or the one with the name."""
    if not parts:
        raise UsageError(f"{source!r} describes no table.", code="U503")
    shown = ", ".join(list(parts)[:_SHOWN]) + (", ..." if len(parts) > _SHOWN else "")
    if wanted is None:
        if len(parts) > 1:
            raise UsageError(
                f"{source!r} describes several tables: {shown}. Choose one with --table.",
                code="U503",
            )
        return next(iter(parts))
    lower = wanted.lower()
    for known in parts:
        if lower in (known.lower(), known.lower().rpartition(".")[2]):
            return known
    hint = did_you_mean(wanted, parts)
    raise UsageError(
        f"{source!r} does not describe {wanted!r}.{hint} It has: {shown}.", code="U503"
    )


def _readable(
    rules: list[ImportedRule], lists: tuple[tuple[str, str], ...]
) -> tuple[list[ImportedRule], list[LeftOut]]:
    """Rules that can be read, and what was refused: patterns that engines disagree on, say."""
    from candling.rules import parse_constraints

    good, refused = [], []
    for rule in rules:
        try:
            parse_constraints(rebase_lists(str(rule), lists))
        except ConstraintError as error:
            refused.append(LeftOut(rule.origin, error.problems[0].message))
        else:
            good.append(rule)
    return good, refused


def _drop_null_remarks(rules: list[ImportedRule]) -> Iterator[ImportedRule]:
    """Rules without the remark about NULL where the columns of a key are never NULL."""
    full = {
        rule.rule.removesuffix(" is not null")
        for rule in rules
        if rule.rule.endswith(" is not null") and rule.gate is None and not rule.warns
    }
    for rule in rules:
        names = _NAME.findall(rule.rule[4:-1]) if rule.rule.startswith("key(") else []
        settled = rule.differs == NULLS_EQUAL and names and full.issuperset(names)
        yield replace(rule, differs=None) if settled else rule
