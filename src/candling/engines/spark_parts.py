"""A core that is too large for the driver, in parts that stay on the executors of Spark.

Rows that conflict under a rule agree on its equality columns, so they share a key: the rule with
the values of these columns. Rows that are linked by shared keys make a component, and no conflict
leaves one. Keys are hashes: where two collide, components become one, which changes nothing. The
driver holds two numbers for each link; the rows of a part are only ever together on one executor.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from candling.engines.answers import from_text, to_text
from candling.engines.classes import Classes, CoreColumns
from candling.engines.coding import to_numpy
from candling.engines.forms import Table
from candling.engines.spark import active_session, asked, fetched
from candling.memory import memory_limit
from candling.rules import Constraint

if TYPE_CHECKING:
    import ibis.expr.types as ir

T = TypeVar("T")
Integers = npt.NDArray[np.int64]

BYTES = 2048  # that one line of a core takes when its conflicts are found and measured
PART = 250_000  # lines of a part, unless a component has more


@dataclass(frozen=True, slots=True, weakref_slot=True, eq=False)
class SparkParts:
    """The parts of a core, with no conflict between two of them."""

    rows: int = field(repr=False)  # of the whole table
    columns: CoreColumns
    parts: Any = field(repr=False)  # Spark's frame: a core's columns, and `part`

    @property
    def constraints(self) -> tuple[Constraint, ...]:
        """The rules under which the rows may be in conflict."""
        return self.columns.constraints

    @property
    def whole(self) -> None:
        """The rows are never all in one place."""

    def ask(self, question: Callable[[Classes], T]) -> list[T]:
        """The answer of each part, by executors that have candling installed.

        The question goes there as code, which Spark packs with pickle. What comes back is Arrow
        with texts of numbers: nothing that an executor sends is run here.
        """
        columns = self.columns

        def answer(part: pa.Table) -> pa.Table:
            classes = columns.coded(part.drop_columns(["part"]))
            return pa.table({"answer": pa.array([to_text(question(classes))], pa.string())})

        asking = self.parts.groupBy("part").applyInArrow(answer, "answer string")
        answers = fetched(asking).column("answer")
        sample = question(columns.coded(fetched(self.parts.drop("part").limit(0))))
        return [from_text(text.as_py(), sample) for text in answers]


def read_parts(
    table: Table, query: ir.Table, columns: CoreColumns, memory: str | None
) -> Classes | SparkParts:
    """What a query for a core gives: all of it if it fits into the memory, else in parts."""
    sql = table.sql(query, columns.names)
    session = table.backend._session  # noqa: SLF001 - Ibis has no public name for it
    core = asked(lambda: _fewer(session.sql(sql)).persist())
    try:
        if asked(core.count) * BYTES > memory_limit(memory):
            return asked(lambda: _in_parts(core, columns))
        rows = fetched(core)
    finally:
        asked(core.unpersist)
    return columns.coded(rows, memory=memory)


def _fewer(frame: Any) -> Any:
    """The frame in a few pieces for each core: what is kept is not cut anew by its size."""
    context = getattr(frame.sparkSession, "sparkContext", None)
    return frame if context is None else frame.coalesce(4 * context.defaultParallelism)


def _in_parts(core: Any, columns: CoreColumns) -> SparkParts:
    from pyspark.sql import functions as sql

    place = {name: f"c{number}" for number, name in enumerate(columns.names)}
    pairs = [c for c in columns.constraints if c.rows == 2]
    keys = [_key(core, number, c, place) for number, c in enumerate(pairs)]
    several = sql.array(*keys) if keys else sql.array().cast("array<bigint>")
    keyed = core.withColumn("keys", sql.array_distinct(sql.array_compact(several)))
    keyed = keyed.withColumn("first", sql.get("keys", sql.lit(0))).persist()
    try:
        linked = keyed.select("first", sql.explode("keys").alias("other"))
        counted = linked.groupBy("first", "other").agg(sql.count("*").alias("lines"))
        links = fetched(counted)
        first, other, lines = (to_numpy(links.column(name)) for name in links.column_names)
        chosen, part = _parts(first, other, lines)
        table = pa.table({"first": chosen, "part": part})
        with active_session():
            known = keyed.sparkSession.createDataFrame(table)
        # A row without a key breaks a rule alone, or none: it may be anywhere.
        count = 1 + int(part.max(initial=0))
        anywhere = -1 - sql.pmod(sql.xxhash64(*core.columns), sql.lit(count))
        parts = (
            keyed.join(known, "first", "left")
            .withColumn("part", sql.coalesce("part", anywhere))
            .drop("first", "keys")
            .persist()
        )
        # All of it is made now, so that nothing else is needed.
        (rows,) = fetched(parts.agg(sql.sum("n").cast("bigint").alias("rows"))).column("rows")
    finally:
        keyed.unpersist()
    spark_parts = SparkParts(rows.as_py() or 0, columns, parts)
    weakref.finalize(spark_parts, parts.unpersist)  # it holds cells, in a session of the user's
    return spark_parts


def _key(core: Any, number: int, constraint: Constraint, place: dict[str, str]) -> Any:
    """The rule with the values on which rows must agree to break it; NULL for those that cannot."""
    from pyspark.sql import functions as sql

    form = constraint.shape
    values = [core[place[name]] for name in form.equal]
    fits = sql.lit(False)
    for row in (1, 2):
        side = sql.lit(True)
        for name in constraint.columns_of(row):
            side &= core[place[name]].isNotNull()
        fits |= side
    return sql.when(fits, sql.xxhash64(sql.lit(number), *values))


def _parts(first: Integers, other: Integers, lines: Integers) -> tuple[Integers, Integers]:
    """The part in which each key that comes first lies: small components share one."""
    known, ends = np.unique(np.concatenate([first, other]), return_inverse=True)
    one, two = np.split(ends, 2)
    component = _components(len(known), one, two)
    own = one == two  # every line is counted here once
    size = np.bincount(component[one[own]], lines[own], minlength=component.max(initial=-1) + 1)
    large = size > PART
    number = np.where(large, 0, np.cumsum(np.where(large, 0, size)) // PART).astype(np.int64)
    number[large] = number.max(initial=0) + 1 + np.arange(large.sum())
    return known[one[own]], number[component[one[own]]]


def _components(nodes: int, one: Integers, two: Integers) -> Integers:
    """The number of the component of each node, from the ends of all links.

    Every round hangs each tree below the lowest one that it is linked to. A tree without a lower
    one has a neighbour that moves, so after two rounds each has met another: few rounds suffice.
    """
    root = np.arange(nodes)
    while not np.array_equal(root[one], root[two]):
        lower, higher = np.sort([root[one], root[two]], axis=0)
        np.minimum.at(root, higher, lower)
        while not np.array_equal(root, above := root[root]):
            root = above
    return np.unique(root, return_inverse=True)[1]
