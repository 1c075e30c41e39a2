"""A table with all of its distinct rows in this process, as the published algorithms need it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from candling.arguments import Rules, rules_of
from candling.errors import UsageError
from candling.measures.facts import Facts
from candling.rules import Rules as CompiledRules
from candling.rules import check_schema, compile_rules
from candling.tables import Classes, open_table
from candling.tables.classes import read_classes
from candling.tables.core import require_rows
from candling.tables.lists import require_public_lists
from candling_paper.ordered import OrderedPairs, ordered_pairs


@dataclass(frozen=True)
class AllRows:
    """All distinct rows of a table under some rules. Private."""

    classes: Classes
    rules: CompiledRules

    def __repr__(self) -> str:
        return "AllRows()"  # nothing true in a repr

    @cached_property
    def facts(self) -> Facts:
        """What is true of the rows: the measures of candling, and their thresholds."""
        return Facts(self.classes, rules=self.rules)

    @cached_property
    def pairs(self) -> OrderedPairs:
        """The pairs that conflict, in the stable order."""
        return ordered_pairs(self.classes)


def read_all_rows(data: Any, rules: Rules, *, memory: str | None = None) -> AllRows:
    """Read all rows of a table.

    Args:
        data: As for `candling.analyze`, but the table is not on a server.
        rules: As for `candling.analyze`.
        memory: A limit such as "4GB".

    Raises:
        UsageError: The table is on a server, where its rows stay.
        ConstraintError: The rules do not fit the table.
    """
    constraints = rules_of(rules)
    require_public_lists(constraints, data, memory=memory)
    table = open_table(data, memory=memory)
    check_schema(constraints, table.schema)
    if not table.engine.in_process:
        raise UsageError(
            "This method looks at all rows in one place, and those of a table on a server stay "
            "there. Take candling.release, or export the table to Parquet and name the file.",
            code="U108",
        )
    compiled = compile_rules(constraints)
    require_rows(table, compiled)
    return AllRows(read_classes(table, compiled, memory=memory), compiled)
