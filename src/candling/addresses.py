"""The engines by name and address, and what of an address may be shown.

Nothing here loads an engine: the command line lists them in its help.
"""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Registration:
    """How users and Ibis name an engine, and the module that has it as `ENGINE`."""

    name: str  # as in `engine=` and `--engine`
    module: str
    ibis: tuple[str, ...]  # Ibis's names for the backends whose tables it takes
    aliases: tuple[str, ...] = ()
    schemes: tuple[str, ...] = ()  # of the addresses of its servers
    data_schemes: tuple[str, ...] = ()  # with which the address of a table begins
    examples: tuple[str, ...] = ()  # of addresses
    has_databases: bool = False  # an address names a user and a database, which may be shown


REGISTERED = {
    engine.name: engine
    for engine in (
        # Polars and SQLite live in this process too, so handing their rows over moves nothing far.
        Registration("duckdb", "candling.engines.duckdb", ("duckdb", "polars", "sqlite")),
        Registration(
            "spark",
            "candling.engines.spark",
            ("pyspark",),
            schemes=("spark", "sc"),
            data_schemes=("spark",),
            examples=("spark://HOST:PORT", "sc://HOST:PORT"),
        ),
        Registration(
            "postgresql",
            "candling.engines.postgresql",
            ("postgres",),
            aliases=("postgres",),
            schemes=("postgresql", "postgres"),
            data_schemes=("postgresql", "postgres"),
            examples=("postgresql://HOST/DATABASE",),
            has_databases=True,
        ),
    )
}


def engine_spellings() -> tuple[str, ...]:
    """What may be written for an engine: names, and examples of addresses."""
    return tuple(text for e in REGISTERED.values() for text in (e.name, *e.examples))


def registered_for(address: str) -> Registration | None:
    """The engine whose servers have addresses of this scheme; None if no engine's have."""
    kind = scheme(address)
    return next((e for e in REGISTERED.values() if kind in e.schemes), None)


def scheme(text: str) -> str | None:
    """What stands before `://`, in small letters; None if nothing does."""
    before, separator, _ = text.partition("://")
    return before.lower() if separator else None


def shown(text: str) -> str:
    """An address without what may be secret: the password, tokens and other parameters.

    What is no address, such as a path, stays as it is.
    """
    engine, kind = registered_for(text), scheme(text)
    if engine is None:
        return text
    try:
        parts = urlsplit(text)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        return f"{kind}://..."
    if not engine.has_databases:
        return f"{kind}://{parts.netloc.rpartition('@')[2].partition(';')[0]}"
    if "@" in parts.path:  # a slash in a password that was not escaped
        return f"{kind}://..."
    user = f"{parts.username}@" if parts.username else ""
    return f"{kind}://{user}{parts.hostname or ''}{port}{parts.path}"
