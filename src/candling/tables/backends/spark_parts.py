"""A core that is too large for the driver, in parts that stay on Spark's executors.

An answer is made of whole numbers, fractions, floats, None, lists, tuples and dictionaries by name.
The text is JSON with a name before what JSON lacks; whole numbers of any size and floats come back
as they were. An answer of another shape than the question has is refused.

Rows that conflict under a rule agree on its equality columns, so they share a key: the rule with
the values of these columns. Rows that are linked by shared keys make a component, and no conflict
leaves one. Keys are hashes: where two collide, components become one, which changes nothing. The
driver holds two numbers for each link; the rows of a part are only ever together on one executor.
"""

from __future__ import annotations

import json
import math
import weakref
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import field
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from candling.errors import DataError
from candling.records import dataclass
from candling.rules import Constraint
from candling.system.limits import memory_limit
from candling.tables.arrow_coding import to_numpy
from candling.tables.backends.spark import active_session, call_spark, fetch_arrow
from candling.tables.classes import Classes, CoreColumns
from candling.tables.queries import Relation
from candling.tables.values import Table

with suppress(ImportError):  # who has no Spark has no parts of it
    from pyspark.sql import functions as sql


def to_text(answer: Any) -> str:
    """An answer as a text."""
    return json.dumps(_add_tag(answer), allow_nan=False)


def from_text(text: object, sample: Any) -> Any:
    """The answer behind a text, which has the shape of `sample`; DataError if it has another."""
    try:
        answer = _remove_tag(json.loads(text if isinstance(text, str) else ""))
        fits = _fits(answer, sample)
    except (ValueError, TypeError, ZeroDivisionError, RecursionError):
        fits = False
    if not fits:
        raise DataError(
            "A Spark executor returned an unexpected result. Is the same version of candling "
            "installed there?",
            code="D108",
        )
    return answer


def _add_tag(value: Any) -> Any:
    if value is None or type(value) in (int, float):
        return value
    if isinstance(value, Fraction):
        return {"fraction": [value.numerator, value.denominator]}
    if isinstance(value, tuple):
        return {"tuple": [_add_tag(each) for each in value]}
    if isinstance(value, list):
        return [_add_tag(each) for each in value]
    if isinstance(value, dict) and all(isinstance(name, str) for name in value):
        return {"dict": {name: _add_tag(each) for name, each in value.items()}}
    if isinstance(value, np.integer | np.floating):
        return value.item()
    raise TypeError(f"an answer cannot hold {type(value).__name__}")


def _remove_tag(value: Any) -> Any:
    if value is None or type(value) is int or (type(value) is float and math.isfinite(value)):
        return value
    if isinstance(value, list):
        return [_remove_tag(each) for each in value]
    if isinstance(value, dict) and len(value) == 1:
        ((tag, inside),) = value.items()
        if tag == "tuple" and isinstance(inside, list):
            return tuple(_remove_tag(each) for each in inside)
        if tag == "dict" and isinstance(inside, dict):
            return {name: _remove_tag(each) for name, each in inside.items()}
        if tag == "fraction" and isinstance(inside, list) and len(inside) == 2:
            return Fraction(*map(_whole, inside))
    raise ValueError("not an answer")


def _whole(value: object) -> int:
    if type(value) is not int:
        raise ValueError("not an answer")
    return value


def _fits(answer: Any, sample: Any) -> bool:
    """Whether two answers have one shape: numbers may be None, lists of numbers have any length."""
    if isinstance(sample, dict):
        same = isinstance(answer, dict) and answer.keys() == sample.keys()
        return same and all(_fits(answer[name], sample[name]) for name in sample)
    if isinstance(sample, tuple) or any(map(_is_container, _entries(sample))):
        same = type(answer) is type(sample) and len(answer) == len(sample)
        return same and all(map(_fits, answer, sample))
    if isinstance(answer, list):
        return isinstance(sample, list) and not any(map(_is_container, answer))
    return not _is_container(answer)


def _entries(value: Any) -> Iterator[Any]:
    return iter(value if isinstance(value, list) else ())


def _is_container(value: Any) -> bool:
    return isinstance(value, list | tuple | dict)


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
            classes = columns.encode(part.drop_columns(["part"]))
            return pa.table({"answer": pa.array([to_text(question(classes))], pa.string())})

        asking = self.parts.groupBy("part").applyInArrow(answer, "answer string")
        answers = fetch_arrow(asking).column("answer")
        sample = question(columns.encode(fetch_arrow(self.parts.drop("part").limit(0))))
        return [from_text(text.as_py(), sample) for text in answers]


def read_parts(
    table: Table, query: Relation, columns: CoreColumns, memory: str | None
) -> Classes | SparkParts:
    """What a query for a core gives: all of it if it fits into the memory, else in parts."""
    session = table.backend._session  # noqa: SLF001 - Ibis has no public name for it
    core = call_spark(lambda: _fewer(session.sql(query.sql())).persist())
    try:
        if call_spark(core.count) * BYTES > memory_limit(memory):
            return call_spark(lambda: _in_parts(core, columns))
        rows = fetch_arrow(core)
    finally:
        call_spark(core.unpersist)
    return columns.encode(rows, memory=memory)


def _fewer(frame: Any) -> Any:
    """The frame in a few pieces for each core: what is kept is not cut anew by its size."""
    context = getattr(frame.sparkSession, "sparkContext", None)
    return frame if context is None else frame.coalesce(4 * context.defaultParallelism)


def _in_parts(core: Any, columns: CoreColumns) -> SparkParts:
    place = {name: f"c{number}" for number, name in enumerate(columns.names)}
    pairs = [c for c in columns.constraints if c.rows == 2]
    keys = [_key(core, number, c, place) for number, c in enumerate(pairs)]
    several = sql.array(*keys) if keys else sql.array().cast("array<bigint>")
    keyed = core.withColumn("keys", sql.array_distinct(sql.array_compact(several)))
    keyed = keyed.withColumn("first", sql.get("keys", sql.lit(0))).persist()
    try:
        linked = keyed.select("first", sql.explode("keys").alias("other"))
        counted = linked.groupBy("first", "other").agg(sql.count("*").alias("lines"))
        links = fetch_arrow(counted)
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
        (rows,) = fetch_arrow(parts.agg(sql.sum("n").cast("bigint").alias("rows"))).column("rows")
    finally:
        keyed.unpersist()
    spark_parts = SparkParts(rows.as_py() or 0, columns, parts)
    weakref.finalize(spark_parts, parts.unpersist)  # it holds cells, in a session of the user's
    return spark_parts


def _key(core: Any, number: int, constraint: Constraint, place: dict[str, str]) -> Any:
    """The rule with the values on which rows must agree to break it; NULL for those that cannot."""
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
