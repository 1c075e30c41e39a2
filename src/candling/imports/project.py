"""Many tables at once: a folder of files of other tools, or one file with several tables."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from candling.errors import UsageError
from candling.escaping import quote_path
from candling.imports import sql
from candling.imports.draft import Imported, LeftOut
from candling.imports.read import (
    SQL_ENDINGS,
    UnknownKindError,
    check_choices,
    import_part,
    open_source,
)
from candling.records import dataclass

_ENDINGS = (".yml", ".yaml", ".json", *SQL_ENDINGS)
_PROJECT = "dbt_project.yml"  # its .sql files are queries
_MADE = ("target", "dbt_packages", "dbt_modules", "logs", "node_modules")  # by tools, not by people
_MOST_FILES = 10_000


@dataclass(frozen=True, slots=True)
class ImportedProject:
    """The rules of many tables, one `Imported` for each; and files that could not be read."""

    tables: tuple[Imported, ...]
    skipped: tuple[LeftOut, ...]


def import_project(
    source: str | os.PathLike[str],
    *,
    format: str | None = None,  # noqa: A002 - the word of the command line
    dialect: str | None = None,
    public: Mapping[str, str | os.PathLike[str]] | None = None,
    beside: str | os.PathLike[str] | None = None,
) -> ImportedProject:
    """The rules that a folder, a dbt manifest or a file with several tables states, by table.

    In a folder every file of a known format is read, also in folders below; other files are passed
    over. See `import_rules` for the arguments. A table that two files describe is there twice.

    Args:
        source: The folder, or the file.
        format: "dbt", "sql", "odcs", "gx" or "pandera", where it cannot be seen.
        dialect: The dialect of SQL.
        public: Public lists by the name of the table that they stand for.
        beside: The folder that the rules are written to, from which lists are named.
    """
    check_choices(format, dialect)
    path = Path(source)
    if not path.is_dir():
        name, parts, module = open_source(path, format, dialect)
        tables = [
            import_part(name, table, part, module, dialect=dialect, public=public, beside=beside)
            for table, part in parts.items()
        ]
        return ImportedProject(tuple(tables), ())
    tables, skipped = [], []
    for file in _find_files(path):
        name = file.relative_to(path).as_posix()
        try:
            _, parts, module = open_source(file, format, dialect)
        except UnknownKindError:
            continue
        except UsageError as error:
            skipped.append(LeftOut(name, str(error)))
            continue
        if not parts and module is sql:
            skipped.append(LeftOut(name, "it describes no table; perhaps it needs --dialect"))
        tables += [
            import_part(name, table, part, module, dialect=dialect, public=public, beside=beside)
            for table, part in parts.items()
        ]
    if not tables:
        raise UsageError(
            f"The folder {quote_path(path)} has no dbt schema, data contract, SQL with CREATE "
            "TABLE, Great Expectations suite or pandera schema.",
            code="U501",
        )
    return ImportedProject(tuple(tables), tuple(skipped))


def _find_files(folder: Path) -> Iterator[Path]:
    """The files that may be of another tool, sorted; hidden folders and what tools made are not."""
    project = (folder / _PROJECT).is_file()
    found = 0
    for place, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _MADE)
        for file in sorted(files):
            path = Path(place, file)
            ending = path.suffix.lower()
            if ending not in _ENDINGS or (project and ending in SQL_ENDINGS):
                continue
            found += 1
            if found > _MOST_FILES:
                raise UsageError(
                    f"{quote_path(folder)} has more than {_MOST_FILES:,} files: name a folder in "
                    "it.",
                    code="U501",
                )
            yield path
