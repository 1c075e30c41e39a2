"""What a PostgreSQL server says about the tables of a ledger: whether anybody altered them.

A trigger or a rule can drop an entry or change it, a policy can hide charges from those who look, a
view or an inherited table can show other rows, and an unlogged table is empty after a crash. The
owner of the tables can do all that, so nobody else should be the owner.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from candling.ledger.store import SCHEMA, Connection

LOCK = "create table candling_lock (held boolean)"  # is empty; who may update it may charge
TABLES = ("candling_entries", "candling_key", "candling_lock", "candling_meta")

FIND_SCHEMAS = """
select distinct n.nspname from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where c.relname = any(?) and n.nspname = any(pg_catalog.current_schemas(false))
"""
_OURS = (  # in the schema that names mean since the transaction began
    "c.relname = any(?) and c.relnamespace = (select n.oid from pg_catalog.pg_namespace n "
    "where n.nspname = pg_catalog.current_schema())"
)
_ATTACHED = f"""
select c.relname, c.relkind <> 'r', c.relpersistence <> 'p',
  exists (select 1 from pg_catalog.pg_trigger t where t.tgrelid = c.oid),
  exists (select 1 from pg_catalog.pg_rewrite r where r.ev_class = c.oid),
  c.relrowsecurity or c.relforcerowsecurity
    or exists (select 1 from pg_catalog.pg_policy p where p.polrelid = c.oid),
  exists (select 1 from pg_catalog.pg_inherits i where c.oid in (i.inhrelid, i.inhparent))
from pg_catalog.pg_class c where {_OURS} order by c.relname
"""  # noqa: S608 - our own names
_WHAT = (
    "is not an ordinary table",
    "is not logged, so a crash of the server empties it",
    "has a trigger",
    "has a rule",
    "has row-level security",
    "inherits rows or passes them on",
)
_COLUMNS = f"""
select c.relname, a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), a.attnotnull,
  a.atthasdef or a.attidentity <> '' or a.attgenerated <> '' or a.attcollation <> t.typcollation
from pg_catalog.pg_attribute a join pg_catalog.pg_class c on c.oid = a.attrelid
join pg_catalog.pg_type t on t.oid = a.atttypid
where {_OURS} and a.attnum > 0 and not a.attisdropped order by c.relname, a.attnum
"""  # noqa: S608
_INDEXES = f"""
select i.indisunique, i.indisvalid, i.indexprs is not null, i.indpred is not null,
  array(select a.attname::text from pg_catalog.unnest(i.indkey) with ordinality k(number, place)
    join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum = k.number order by k.place)
from pg_catalog.pg_index i join pg_catalog.pg_class c on c.oid = i.indrelid where {_OURS}
"""  # noqa: S608
_CONSTRAINTS = f"""
select c.relname from pg_catalog.pg_constraint n join pg_catalog.pg_class c on c.oid = n.conrelid
where {_OURS} and n.contype not in ('p', 'n')
"""  # noqa: S608
_OWNERS = f"""
select distinct pg_catalog.pg_get_userbyid(c.relowner)::text from pg_catalog.pg_class c
where {_OURS}
"""  # noqa: S608
_GRANTS = f"""
select distinct c.relname::text, x.privilege_type,
  case x.grantee when 0 then 'everybody' else pg_catalog.pg_get_userbyid(x.grantee)::text end
from pg_catalog.pg_class c
cross join lateral (
  select g.grantee, g.privilege_type from pg_catalog.aclexplode(c.relacl) g
  union select g.grantee, g.privilege_type
  from pg_catalog.pg_attribute a, pg_catalog.aclexplode(a.attacl) g where a.attrelid = c.oid
) x where {_OURS} and x.grantee <> c.relowner
"""  # noqa: S608


def attached(connection: Connection) -> str | None:
    """What could change or hide entries; None if nothing can. Cheap: every charge asks for it."""
    rows = connection.execute(_ATTACHED, (list(TABLES),))
    missing = sorted(set(TABLES) - {str(row[0]) for row in rows})
    if missing:
        return f"the table {missing[0]} is missing"
    for table, *flags in rows:
        for flag, what in zip(flags, _WHAT, strict=True):
            if flag:
                return f"the table {table} {what}"
    return None


def altered(connection: Connection) -> str | None:
    """How the tables differ from those that candling makes; None if they do not."""
    if why := attached(connection):
        return why
    ours = (list(TABLES),)
    columns = [tuple(row) for row in connection.execute(_COLUMNS, ours)]
    if columns != _expected_columns():
        return "the columns of its tables are not those that candling made"
    if _sorted(connection.execute(_INDEXES, ours)) != _sorted(_expected_indexes()):
        return "the indexes of its tables are not those that candling made"
    if connection.execute(_CONSTRAINTS, ours):
        return "its tables have constraints that candling did not make"
    return None


def remarks(connection: Connection) -> tuple[str, ...]:
    """Who owns the tables, and who else may do what with them."""
    ours = (list(TABLES),)
    owners = _listed(name for (name,) in connection.execute(_OWNERS, ours))
    grants = connection.execute(_GRANTS, ours)

    def holders(privileges: tuple[str, ...], tables: tuple[str, ...] = TABLES) -> str:
        return _listed(who for table, what, who in grants if what in privileges and table in tables)

    said = [f"Its tables belong to {owners}, who can change everything in them."]
    entries, secret = ("candling_entries",), ("candling_key",)
    if who := holders(("INSERT",), entries):
        said.append(f"May also add entries: {who}.")
    if who := holders(("SELECT",), secret):
        said.append(f"May also sign cards: {who}.")
    kept = tuple(table for table in TABLES if table != "candling_lock")
    harmful = ("UPDATE", "DELETE", "TRUNCATE", "TRIGGER", "REFERENCES")
    if who := holders(harmful, kept):
        said.append(f"May also change or remove entries, and should not: {who}.")
    return tuple(said)


def _expected_columns() -> list[tuple[object, ...]]:
    tables = {}
    for statement in (*SCHEMA, LOCK):
        if made := re.fullmatch(r"create table (\w+) \((.*)\)", statement):
            tables[made[1]] = [_expected_column(text) for text in made[2].split(", ")]
    return [(table, *column) for table in sorted(tables) for column in tables[table]]


def _expected_column(text: str) -> tuple[object, ...]:
    name, kind, *rest = text.split(" ")
    return name, kind, bool(rest), False


def _expected_indexes() -> Iterable[tuple[object, ...]]:
    yield True, True, False, False, ["seq"]
    for statement in SCHEMA:
        pattern = r"create (unique )?index \w+ on \w+ \((.*?)\)( where .*)?"
        if made := re.fullmatch(pattern, statement):
            yield bool(made[1]), True, False, bool(made[3]), made[2].split(", ")


def _sorted(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted((tuple(row) for row in rows), key=repr)


def _listed(names: Iterable[str]) -> str:
    return ", ".join(sorted(set(names)))
