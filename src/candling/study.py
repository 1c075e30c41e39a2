"""A table and its rules, analysed once and asked many times."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

from candling import deadline
from candling.calls import Rules, checked, rules_of
from candling.card import Card
from candling.charged import open_account
from candling.engines import Table, content_digest, open_table, read_core
from candling.engines.reading import read_all, require_rows
from candling.errors import DataError
from candling.failures import on_rows
from candling.ledger import Ledger
from candling.measures import Method
from candling.measures.facts import Facts
from candling.memory import memory_limit, one_clear_error
from candling.phases import Phase, enter
from candling.reading import Reading
from candling.releases import Plan, make_plan, make_request, run_release
from candling.releases.request import Number, Request
from candling.rules import ConstraintSet, check_schema, compile_rules
from candling.rules import Rules as CompiledRules
from candling.rules.lists import require_public_lists
from candling.truth import Exact, ExactRule


class Study:
    """The conflict graph of one table under one set of rules; made by `analyze`."""

    def __init__(
        self,
        rules: ConstraintSet,
        facts: Facts,
        content: Callable[[], bytes | None] = lambda: None,
    ) -> None:
        self.rules = rules
        self._facts = facts
        self._content = cache(content)

    def __repr__(self) -> str:
        return f"Study(rules={len(self.rules)})"  # nothing true in a repr

    @checked()
    def exact(self, *, by_rule: bool = False, time_limit: float | None = None) -> Exact:
        """The true measures: NOT PRIVATE, for the owner of the table.

        `by_rule` adds the repair numbers of each rule alone. `time_limit` is in seconds. A search
        for the smallest repair that it ends leaves that number out; all else raises DataError.
        Without one only that search ends, after a minute.
        """
        enter(Phase.MEASURING)
        with deadline.time_limit(time_limit):
            return on_rows(lambda: one_clear_error(lambda: self._exact(by_rule=by_rule)))

    def _exact(self, *, by_rule: bool) -> Exact:
        facts = self._facts
        texts = facts.rules.texts
        numbers = facts.exact_by_rule() if by_rule else []
        rules = [ExactRule(text, **own) for text, own in zip(texts, numbers, strict=False)]
        return Exact(facts.exact(), texts, tuple(rules))

    @checked()
    def release(
        self,
        epsilon: Number,
        *,
        measures: Iterable[str] | None = None,
        split: Mapping[str, Number] | None = None,
        rows_per_person: int = 1,
        public_rows: int | None = None,
        max_rows: int | None = None,
        method: Method | None = None,
        ledger: Ledger | str | os.PathLike[str] | None = None,
        dataset: str | None = None,
        request_id: str | None = None,
        by: str | None = None,
    ) -> Card:
        """Noisy measures that are epsilon-differentially private. Every call spends epsilon anew.

        `measures` are names (default: repair, rows, problematic, minimal_inconsistent, drastic).
        All share the epsilon in one draw; `worst_rule` without `by_rule` is paid for by itself, and
        `split={"draw": 4, "worst_rule": 1}` says how. `rows_per_person` is how many rows one person
        may own; `public_rows` the number of rows if that is no secret, `max_rows` a public bound on
        it; `method` a published method to compare with, which pays for each measure by itself.

        With a `ledger` (a path, `postgresql://...`, or a Ledger) the release is charged to the
        budget of `dataset` there before anything is computed, and BudgetError is raised if too
        little is left. The same `request_id` again gives the stored card at no cost. `by` says who
        asks. Without a ledger nothing keeps count of what is spent.
        """
        request = make_request(
            self._facts.rules,
            epsilon=epsilon,
            measures=measures,
            split=split,
            rows_per_person=rows_per_person,
            public_rows=public_rows,
            max_rows=max_rows,
            method=method,
        )
        account = open_account(ledger, dataset, request, request_id=request_id, by=by)
        if account is None:
            return _released(self._facts, request)
        return account.stored() or account.charge(
            lambda: (_released(self._facts, request), self._content())
        )


@checked()
def analyze(
    data: Any,
    rules: Rules,
    *,
    table: str | None = None,
    memory: str | None = None,
    engine: str | None = None,
    reading: Reading | None = None,
) -> Study:
    """Read `data` once and build its conflict graph under `rules`.

    `data` is a path (CSV, Parquet, JSON, Arrow; Excel, SQLite or DuckDB with `table`; - is standard
    input), a pandas or polars frame, a pyarrow object or an Ibis table. `rules` is a rule such as
    "Zip -> City", a list of rules, the path of a rules file, or a ConstraintSet. `memory` is a
    limit such as "4GB". `engine` says where a path or the name of a table is looked up: "spark",
    "spark://host:port", "sc://host:port" or "postgresql://..." instead of here.
    `reading` says how a CSV, Excel or SQLite file is read, where that is not to be guessed.
    """
    return _analyzed(data, rules, table=table, memory=memory, engine=engine, reading=reading)


def _analyzed(data: Any, rules: Rules, *, memory: str | None, **place: Any) -> Study:
    """The study of a table; `place` is for `open_table`."""
    constraints = rules_of(rules)
    compiled = compile_rules(constraints)
    source = _opened(data, constraints, compiled, memory=memory, **place)
    return Study(constraints, _facts(source, compiled, memory), lambda: _content(source))


def _opened(
    data: Any,
    rules: ConstraintSet,
    compiled: CompiledRules,
    *,
    memory: str | None,
    **place: Any,
) -> Table:
    """The table, which the rules fit and which is not too long; no value is looked at yet."""
    enter(Phase.READING)
    memory_limit(memory)  # refused here if it makes no sense, whatever the engine
    require_public_lists(rules, data)
    source = on_rows(lambda: open_table(data, memory=memory, **place))
    check_schema(rules, source.schema)
    on_rows(lambda: require_rows(source, compiled))
    return source


def _facts(source: Table, rules: CompiledRules, memory: str | None) -> Facts:
    def read() -> Facts:
        enter(Phase.READING)
        classes = read_core(source, rules, not_null=rules.chain.not_null, memory=memory)
        return Facts(classes, None, lambda: read_all(source, rules, memory=memory), rules)

    return on_rows(lambda: one_clear_error(read))


def _released(facts: Facts, request: Request) -> Card:
    return on_rows(lambda: one_clear_error(lambda: run_release(facts, request)))


def _content(source: Table) -> bytes | None:
    """What the ledger recognises the table by; that it cannot be told must not cost a release."""
    try:
        return on_rows(lambda: content_digest(source))
    except DataError:
        return None


@checked()
def exact(
    data: Any,
    rules: Rules,
    *,
    table: str | None = None,
    memory: str | None = None,
    engine: str | None = None,
    reading: Reading | None = None,
    by_rule: bool = False,
    time_limit: float | None = None,
) -> Exact:
    """The true measures of `data` under `rules`: NOT PRIVATE. See `analyze` for the arguments.

    `time_limit`, in seconds, is for all of it, reading included; see `Study.exact`.
    """
    with deadline.time_limit(time_limit):
        study = _analyzed(
            data, rules, table=table, memory=memory, engine=engine, reading=reading, owner=True
        )
        return study.exact(by_rule=by_rule)


@checked(more=Study.release)
def release(
    data: Any,
    rules: Rules,
    epsilon: Number,
    *,
    table: str | None = None,
    memory: str | None = None,
    engine: str | None = None,
    reading: Reading | None = None,
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    request_id: str | None = None,
    by: str | None = None,
    **options: Any,
) -> Card:
    """Noisy measures of `data` under `rules`, epsilon-differentially private.

    See `analyze` for data and rules, `Study.release` for the further keyword arguments; what makes
    no sense in them is refused before a row is read, and so is what the ledger does not allow.
    """
    constraints = rules_of(rules)
    compiled = compile_rules(constraints)
    request = make_request(compiled, epsilon=epsilon, **options)
    account = open_account(ledger, dataset, request, request_id=request_id, by=by)
    if account is not None and (card := account.stored()) is not None:
        return card
    source = _opened(
        data, constraints, compiled, table=table, memory=memory, engine=engine, reading=reading
    )
    if account is None:
        return _released(_facts(source, compiled, memory), request)
    return account.charge(
        lambda: (_released(_facts(source, compiled, memory), request), _content(source))
    )


@checked(more=make_plan)
def plan(rules: Rules, *, epsilon: Number | None = None, **options: Any) -> Plan:
    """What a release would spend on what, and how noisy it would be; no data is read.

    Give an `epsilon`, or `target_errors={"repair": 5}` for the epsilon with mean errors that
    small; `rows` is a guess at the size of the table. See `Study.release` for `measures`, `split`,
    `rows_per_person` and `method`.
    """
    return make_plan(compile_rules(rules_of(rules)), epsilon=epsilon, **options)
