"""One more row moves every noise-free statistic by what is stated, through the whole program."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random

import ibis
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import candling
from tests.effort import examples
from tests.neighbours.check import check, shrunk
from tests.neighbours.known import CASES, GAPS
from tests.neighbours.places import Places, duckdb_places, postgres_places, spark_places
from tests.neighbours.queries import queries_once
from tests.neighbours.statistics import outcomes
from tests.neighbours.tables import Case, draw_case

REPOSITORY = Path(__file__).parents[2]
EXAMPLES = {"duckdb": 20, "postgres": 14, "spark": 3}  # groups, within a minute of a busy core
MORE = {"duckdb": 3, "postgres": 3, "spark": 2}  # rows that a group adds to its table
MARKS: dict[str, tuple[pytest.MarkDecorator, ...]] = {
    "duckdb": (),
    "spark": (pytest.mark.spark,),
    "postgres": (pytest.mark.postgres,),
}
# A release of this table never ended; without the last row of `few` it did.
STUCK = """
import candling
few = [
    "000", "000", "001", "030", "032", "040", "100", "101", "102", "110", "141", "201", "202",
    "210", "211", "230", "300", "320", "340", "400", "400", "412", "451", "510", "510", "532",
    "540", "601", "602", "620", "622", "701", "702", "711", "800", "802", "830", "860", "900",
    "910", "910", "970", "971", "a01", "a11", "a41", "b10", "b11", "c00", "c31", "d71", "e10",
    "e10", "e31", "e62", "f00", "f02", "f10", "f10", "f22", "g10", "g40", "k00", "m42", "n00",
    "r70", "t22", "262",
]
rows = [[int(digit, 36) for digit in word] for word in few]
rows += [[number, number, 1000] for number in range(1000, 2100)]
import pyarrow as pa
table = pa.table(dict(zip("ABC", zip(*rows))))
rules = candling.parse_constraints("!(t1.A = t2.A & t1.C <= t2.C)\\nC -> B")
facts = candling.analyze(table, rules)._facts
from candling.measures import BY_RULE, MINIMAL_INCONSISTENT, PROBLEMATIC, REPAIR
[facts.terms(measure) for measure in (REPAIR, PROBLEMATIC, MINIMAL_INCONSISTENT, BY_RULE)]
"""


@pytest.fixture(scope="session", params=[pytest.param(e, marks=m) for e, m in MARKS.items()])
def places(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Places]:
    """Every engine in turn."""
    folder = tmp_path_factory.mktemp("neighbours")
    if request.param == "duckdb":
        context = duckdb_places(folder)
    elif request.param == "postgres":
        context = postgres_places(request.getfixturevalue("postgres"))
    else:
        context = spark_places(request.getfixturevalue("spark"), folder)
    with context as found:
        yield found


def test_a_row_moves_what_it_may(places: Places) -> None:
    @settings(
        max_examples=examples(EXAMPLES[places.engine]),
        phases=(Phase.reuse, Phase.generate),  # what is found is made smaller here
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
    )
    @given(seed=st.integers(0, 2**32))  # a case has more choices than Hypothesis draws in time
    def one(seed: int) -> None:
        case = draw_case(Random(seed), places.engine, more=MORE[places.engine])
        with queries_once():
            verdict = check(case, places)
        if verdict.violations:
            found = shrunk(verdict.violations[0], places)
            pytest.fail(f"{found.kind}, {found.way}: {found.text}\n{found.case}", pytrace=False)

    one()


def _marks(name: str, case: Case) -> tuple[pytest.MarkDecorator, ...]:
    marks = MARKS[case.engine]
    if name in GAPS:
        gap = pytest.mark.xfail(raises=AssertionError, reason=GAPS[name], strict=True)
        return (*marks, gap)
    return marks


@pytest.mark.parametrize(
    ("places", "case"),
    [
        pytest.param(case.engine, case, marks=_marks(name, case), id=name)
        for name, case in CASES.items()
    ],
    indirect=["places"],
)
def test_a_table_that_once_moved_too_much(places: Places, case: Case) -> None:
    found = check(case, places).violations
    assert not found, "\n".join(f"{v.kind}, {v.way}: {v.text}" for v in found)


@pytest.mark.parametrize("number", range(13))
def test_a_table_may_have_any_name(number: int) -> None:
    """Queries have aliases t0, t1, ..., which are not the caller's tables of these names."""
    backend = ibis.duckdb.connect()
    backend.raw_sql(f"create table t{number} as from (values (1, 2), (2, 1), (2, 2)) v(x, y)")
    rules = candling.parse_constraints("not(t1.x < t2.x and t1.y > t2.y)\nx -> y")
    table = backend.table(f"t{number}")
    assert outcomes(table, rules, "large") == outcomes(table, rules, "direct")


def test_a_table_that_never_ended() -> None:
    subprocess.run([sys.executable, "-c", STUCK], cwd=REPOSITORY, timeout=60, check=True)
