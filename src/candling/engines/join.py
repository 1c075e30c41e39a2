"""The join of a rule's classes with themselves, on embedded DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from candling.engines.coding import to_numpy
from candling.engines.duckdb import connect, duckdb_batches, fetch_duckdb
from candling.engines.memory import new_array

if TYPE_CHECKING:
    from candling.engines.classes import CodedPredicate, CodedRule


def join_classes(
    codes: npt.NDArray[np.int32], rule: CodedRule, *, memory: str | None = None
) -> npt.NDArray[np.int64]:
    """All pairs of lines, equal ones included, that satisfy the rule in some order.

    A pair is written as smaller * lines + larger, and may be there twice. They are counted first,
    and then come bit by bit into an array that may be a file.
    """
    import ibis
    import pyarrow as pa

    columns = {f"c{i}": codes[i] for i in rule.columns}
    lines = pa.table({"line": np.arange(codes.shape[1]), **columns})
    backend = connect(memory)
    table = backend.create_table("classes", ibis.memtable(lines), temp=True)

    def condition(p: CodedPredicate, sides: dict[int, Any]) -> Any:
        right = p.constant if p.right < 0 else sides[p.right_row][f"c{p.right}"]
        return p.op.compare(sides[p.left_row][f"c{p.left}"], right)

    def side(row: int) -> Any:
        """The classes that may stand at this side: no NULL, and its own conditions hold."""
        present = [table[f"c{i}"] >= 0 for i in rule.columns_of(row)]
        own = [p for p in rule.predicates if p.left_row == p.right_row == row]
        return table.filter(*present, *(condition(p, {row: table}) for p in own)).view()

    first, second = sides = side(1), side(2)
    across = [p for p in rule.predicates if p.left_row != p.right_row]
    conditions = [condition(p, dict(enumerate(sides, start=1))) for p in across]
    joined = first.join(second, conditions) if conditions else first.cross_join(second)
    if rule.constraint.shape.differing:  # the same in both orders: one will do
        joined = joined.filter(first.line < second.line)
    one, two = first.line, second.line
    keys = joined.select(key=ibis.least(one, two) * codes.shape[1] + ibis.greatest(one, two))
    count = fetch_duckdb(backend, backend.compile(keys.count().as_table())).column(0)[0].as_py()
    found = new_array(count, np.int64, memory)
    at = 0
    for batch in duckdb_batches(backend, backend.compile(keys)):
        own = to_numpy(batch.column(0))
        found[at : at + len(own)] = own
        at += len(own)
    return found
