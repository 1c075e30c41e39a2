"""Random constraints: strange ones to print, small ones to decide by trying all rows."""

from __future__ import annotations

from decimal import Decimal
from itertools import product
from typing import Any

from hypothesis import strategies as st

from candling.rules import Column, Constant, Constraint, Op, Predicate, RowNumber, Value

ROWS: tuple[RowNumber, ...] = (1, 2)

NAMES = """A zip-code key not AND where True eq U t1 a.b 1st " '' a'b # -> é 名前 हिन्दी \\ a-"""
strange_names = st.one_of(
    st.sampled_from([*NAMES.split(), "", " ", "a b", "a\nb", "\u2028", "a\u061cb"]),
    st.text(max_size=6),
)
numbers = st.one_of(
    st.integers(-(10**20), 10**20),
    st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9),
    st.sampled_from([Decimal("1E+30"), Decimal("-0.0"), Decimal("2.50"), Decimal("1E-300")]),
)
values: st.SearchStrategy[Value] = st.one_of(
    st.booleans(),
    numbers,
    st.text(max_size=6),
    st.sampled_from(["O'Hara", "true", "2020-01-31", "5", "a\r\nb", "# no comment", "\\000A"]),
    st.dates(),
    st.datetimes(),
)


def predicates(
    columns: st.SearchStrategy[Column],
    constants: st.SearchStrategy[Constant],
) -> st.SearchStrategy[Predicate]:
    return st.builds(Predicate, columns, st.sampled_from(Op), st.one_of(columns, constants))


strange_columns = st.builds(Column, st.sampled_from(ROWS), strange_names)
strange_predicates = st.one_of(
    predicates(strange_columns, st.builds(Constant, values)),
    st.builds(
        lambda name, op: Predicate(Column(1, name), op, Column(2, name)),
        strange_names,
        st.sampled_from(Op),
    ),
)


@st.composite
def strange_constraints(draw: st.DrawFn) -> Constraint:
    """Anything that can be written down, often an FD or a key with conditions."""
    parts = draw(st.lists(strange_predicates, min_size=1, max_size=5))
    if draw(st.booleans()):  # the same conditions on both rows
        here = draw(
            st.lists(
                predicates(
                    st.builds(Column, st.just(1), strange_names), st.builds(Constant, values)
                ),
                max_size=2,
            )
        )
        here = [p for p in here if all(c.row == 1 for c in p.columns)]
        parts = [p for p in parts if len({c.row for c in p.columns}) == 2] + here
        parts += [on_row_2(p) for p in here]
        parts = parts or [draw(strange_predicates)]
    return Constraint(tuple(parts), label=draw(st.none() | strange_names))


def on_row_2(predicate: Predicate) -> Predicate:
    right = predicate.right
    return Predicate(
        Column(2, predicate.left.name),
        predicate.op,
        Column(2, right.name) if isinstance(right, Column) else right,
    )


def small_constraints(
    names: str = "AB", constants: tuple[Value, ...] = (0, 1), rows: tuple[RowNumber, ...] = ROWS
) -> st.SearchStrategy[Constraint]:
    """Constraints over few columns and constants of one type."""
    columns = st.builds(Column, st.sampled_from(rows), st.sampled_from(names))
    one = predicates(columns, st.builds(Constant, st.sampled_from(constants)))
    return st.builds(lambda ps: Constraint(tuple(ps)), st.lists(one, min_size=1, max_size=5))


def all_rows(names: str, domain: tuple[Any, ...]) -> list[dict[str, Any]]:
    return [dict(zip(names, cells, strict=True)) for cells in product(domain, repeat=len(names))]
