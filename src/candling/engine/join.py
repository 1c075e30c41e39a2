"""The join of a rule's classes with themselves, on embedded DuckDB."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from candling.engine.coding import to_numpy
from candling.engine.duckdb import connect, fetch_duckdb

if TYPE_CHECKING:
    from candling.engine.classes import CodedPredicate, CodedRule


def join_classes(
    codes: npt.NDArray[np.int32], rule: CodedRule, *, memory: str | None = None
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """All (first, second), equal ones included, that satisfy the rule in this order."""
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
    pairs = joined.select(first=first.line, second=second.line)
    found = fetch_duckdb(backend, backend.compile(pairs))
    return to_numpy(found.column("first")), to_numpy(found.column("second"))
