"""Small studies, and what a release of them draws from."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import cache

import pyarrow as pa

import candling
from candling.privacy import Statistic
from tests.measures.draws import DrawCall, recorded


def study(rules: str, person: str | None = None, **columns: Sequence[int | None]) -> candling.Study:
    """A table of integers under rules."""
    data = pa.table({name: pa.array(cells, pa.int64()) for name, cells in columns.items()})
    return candling.analyze(data, candling.parse_constraints(rules), person=person)


@cache
def drawn_from(
    of: candling.Study, measure: str, epsilon: int = 1, rows_per_person: int | None = None
) -> tuple[Statistic, Fraction]:
    """The only statistic of a release of one measure, and the budget of its draw."""
    with recorded() as calls:
        of.release(epsilon, measures=[measure], rows_per_person=rows_per_person)
    (call,) = calls
    assert isinstance(call, DrawCall)
    (statistic,) = call.statistics
    return statistic, call.draw.epsilon
