"""Where a table is: on which engine, at which address, under which name."""

from __future__ import annotations

import difflib
from dataclasses import dataclass, field
from enum import StrEnum

from candling.addresses import ENGINES, POSTGRESQL, scheme, shown
from candling.errors import UsageError


class Engine(StrEnum):
    """What does the work on rows."""

    DUCKDB = "duckdb"
    SPARK = "spark"
    POSTGRESQL = "postgresql"


@dataclass(frozen=True, slots=True)
class Place:
    """A table on an engine."""

    engine: Engine
    name: str | None  # a path or the name of a table, as the engine knows it
    address: str | None = field(default=None, repr=False)  # may hold a password
    is_table: bool = False  # the name is certainly not a path

    @property
    def shown(self) -> str:
        """The engine in words, without secrets."""
        if self.engine is Engine.SPARK:
            return "Spark" if self.address is None else f"Spark at {shown(self.address)}"
        return shown(self.address or self.engine)


def is_remote(data: object) -> bool:
    """Whether the data itself names an engine that is not embedded."""
    return isinstance(data, str) and scheme(data) in ("spark", *POSTGRESQL)


def locate(data: str, engine: str | None, table: str | None) -> Place | None:
    """The place of a table that is not on the embedded engine; None if it is there."""
    kind, address = _chosen(engine)
    own = scheme(data)
    if own in POSTGRESQL:
        _agree(data, engine, kind, Engine.POSTGRESQL)
        if engine is not None and address != data:
            raise UsageError(
                "The table and the engine are two addresses of PostgreSQL; give one of them and "
                "the name of the table.",
                code="U107",
            )
        return Place(Engine.POSTGRESQL, table, data, is_table=True)
    if own == "spark":
        _agree(data, engine, kind, Engine.SPARK)
    if kind is Engine.DUCKDB and own != "spark":
        return None
    if table is not None:
        raise UsageError(
            "Name the table once: either as DATA or by --table with the address of a database.",
            code="U103",
        )
    if own == "spark":
        return Place(Engine.SPARK, data.partition("://")[2], address, is_table=True)
    return Place(kind, data, address, is_table=kind is Engine.POSTGRESQL)


def _chosen(engine: str | None) -> tuple[Engine, str | None]:
    """The engine behind a name or an address, and the address."""
    if engine is None or engine == Engine.DUCKDB:
        return Engine.DUCKDB, None
    if engine == Engine.SPARK:
        return Engine.SPARK, None
    if engine in POSTGRESQL:
        return Engine.POSTGRESQL, "postgresql://"  # libpq's environment says the rest
    kind, rest = scheme(engine), engine.partition("://")[2]
    if kind in POSTGRESQL:
        return Engine.POSTGRESQL, engine
    if kind in ("spark", "sc") and rest:
        return Engine.SPARK, engine
    raise _unknown(engine)


def _agree(data: str, engine: str | None, kind: Engine, needed: Engine) -> None:
    if engine is not None and kind is not needed:
        raise UsageError(
            f"{shown(data)} is on {needed}, and the engine that was asked for is {shown(engine)}; "
            "leave one of them out.",
            code="U107",
        )


def _unknown(engine: str) -> UsageError:
    name = engine.partition(":")[0]
    near = difflib.get_close_matches(name.lower(), [*map(str, Engine), *POSTGRESQL], n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    # Only its first word: the rest may hold a password.
    return UsageError(
        f"There is no engine {name!r}.{hint} Known are {', '.join(ENGINES)}.", code="U107"
    )
