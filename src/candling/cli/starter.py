"""The rules file that `candling init` writes, from the names and types of columns alone."""

from collections.abc import Iterator, Mapping

from candling.escaping import for_terminal
from candling.person import looks_like_person
from candling.render.persons import look_like, option
from candling.rules import ColumnType
from candling.rules.text import name_text

_LISTED = 40  # columns named in the file; a table may have a thousand
_MOMENTS = (ColumnType.DATE, ColumnType.TIMESTAMP)
_CONSTANTS = {  # the language has no constants of other types
    ColumnType.NUMBER: "0",
    ColumnType.STRING: "'a value'",
    ColumnType.BOOLEAN: "true",
    ColumnType.DATE: "2024-01-31",
    ColumnType.TIMESTAMP: "2024-01-31",
}


def rules_for(data: str, schema: Mapping[str, ColumnType]) -> str:
    """The text of a rules file for a table with these columns; every rule is commented out.

    Prose starts with `# `; a rule starts with `#` alone and is valid once that is taken off.
    """
    lines = [
        f"# Rules for {for_terminal(data)}, from the names and types of its columns alone.",
        "#",
        "# Lines that start with # are comments. The examples below use your columns; whether they",
        "# should hold is your decision: remove the # of those that should, edit them, add others.",
        "# Then run `candling check` on this file.",
        "#",
        "# Columns:",
        *_columns(schema),
        *_person(schema),
    ]
    for explanation, rules in _examples(schema):
        lines += ["", f"# {explanation}", *(f"#{rule}" for rule in rules)]
    return "\n".join(lines) + "\n"


def _columns(schema: Mapping[str, ColumnType]) -> Iterator[str]:
    listed = [(name_text(name), kind) for name, kind in list(schema.items())[:_LISTED]]
    width = max((len(name) for name, _ in listed), default=0)
    for name, kind in listed:
        unfit = " (no rule can use it)" if kind is ColumnType.OTHER else ""
        yield f"#     {name:<{width}}  {kind}{unfit}"
    if len(schema) > _LISTED:
        yield f"#     and {len(schema) - _LISTED} more"


def _person(schema: Mapping[str, ColumnType]) -> Iterator[str]:
    if columns := looks_like_person(schema):
        yield "#"
        yield f"# {for_terminal(look_like(columns))}: `candling release` with"
        yield f"# {option(columns)} protects all rows of a person, and not single rows."


def _examples(schema: Mapping[str, ColumnType]) -> Iterator[tuple[str, list[str]]]:
    """What a kind of rule says, and examples of it, for the kinds that the columns allow."""
    kinds = {name_text(n): kind for n, kind in schema.items() if kind is not ColumnType.OTHER}
    names = list(kinds)
    if not names:
        yield "No column can be compared, so there are no rules to write for this table.", []
        return
    yield "A key: no two rows agree on all of these columns.", [f"key({', '.join(names[:2])})"]
    conditions = [f"{n} = {_CONSTANTS[kinds[n]]}" for n in names if kinds[n] in _CONSTANTS]
    if len(names) > 1:
        dependency = f"{names[0]} -> {names[1]}"
        yield (
            "A functional dependency: rows that agree on the left agree on the right.",
            [dependency],
        )
        if conditions:
            yield (
                "The same, but only between rows that meet a condition.",
                [f"{dependency} where {conditions[-1]}"],
            )
    if pair := _comparable(kinds):
        x, y = pair
        yield (
            "An order between rows: more of the one never goes with less of the other.",
            [f"not(t1.{x} > t2.{x} and t1.{y} < t2.{y})"],
        )
    yield "Rules on single rows: what every row must be.", list(_on_rows(kinds))


def _on_rows(kinds: Mapping[str, ColumnType]) -> Iterator[str]:
    yield f"{next(iter(kinds))} is not null"
    if pair := _comparable(kinds):
        yield f"{pair[0]} <= {pair[1]}"
    for name, kind in kinds.items():
        if kind is ColumnType.NUMBER:
            yield f"{name} between 0 and 100"
            break
    for name, kind in kinds.items():
        if kind is ColumnType.STRING:
            yield f"{name} in ('a', 'b')"
            yield f"length({name}) <= 20"
            break


def _comparable(kinds: Mapping[str, ColumnType]) -> tuple[str, str] | None:
    """Two columns that compare with each other: moments if there are two, else numbers."""
    for family in (_MOMENTS, (ColumnType.NUMBER,)):
        members = [name for name, kind in kinds.items() if kind in family]
        if len(members) > 1:
            return members[0], members[1]
    return None
