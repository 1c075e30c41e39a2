"""A table and its rules, analysed once and asked many times."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

from candling.arguments import Rules, check_arguments, rules_of
from candling.card import Card, Exact
from candling.errors import UsageError, hide_private_errors
from candling.gates import check_gates, parse_gate, warn_of_gates
from candling.ledger import Ledger
from candling.measures.facts import Facts, PersonFacts
from candling.model.gate import Gate
from candling.model.person import Person, columns_of
from candling.model.results import ExactRule
from candling.reading import Reading
from candling.records import dataclass
from candling.releases import Plan, make_plan, make_request, run_release
from candling.releases.billing import Account, judge_gates, open_account
from candling.releases.request import (
    Number,
    Request,
    choose_rows,
    numbers_to_choose_from,
    require_more_than_one_row,
    require_one_machine,
    rows_of_person,
)
from candling.rules import ConstraintSet, check_schema, compile_rules
from candling.rules import Rules as CompiledRules
from candling.system import limits
from candling.system.limits import memory_limit, translate_memory_error
from candling.system.progress import Phase, enter
from candling.tables import (
    Cut,
    OwnedClasses,
    Table,
    count_persons_above,
    count_rows_within,
    open_table,
    read_core,
    read_owned,
    require_person,
)
from candling.tables.conditions_sql import columns_read
from candling.tables.core import require_rows
from candling.tables.lists import require_public_lists

_ALL = 2**60  # more rows than any table has


class Analysis:
    """A table that the rules fit, read when a number is asked for. Private.

    With columns for a `person` it is read for each number of rows of a person, once.
    """

    def __init__(
        self, table: Table, rules: CompiledRules, person: tuple[str, ...], memory: str | None
    ) -> None:
        self.rules = rules
        self.person = person
        self._table = table
        self._memory = memory
        self._known: dict[int | None, Facts] = {}

    def __repr__(self) -> str:
        return f"Analysis(rules={len(self.rules)})"  # nothing true in a repr

    def facts(self, rows: int | None = None) -> Facts:
        """What is true of all rows, or of at most so many rows of each person."""
        return self._read_facts(rows)

    @cached_property
    def _read_facts(self) -> Callable[[int | None], Facts]:
        """Reads facts, once for each number of rows. It does not hold this object, see below."""
        table, rules, person, memory = self._table, self.rules, self.person, self._memory
        known = self._known

        def read_facts(rows: int | None) -> Facts:
            cut = None if rows is None else Cut(person, rows)

            def read() -> Facts:
                enter(Phase.READING)
                not_null = rules.chain.not_null
                core = read_core(table, rules, not_null=not_null, cut=cut, memory=memory)
                return Facts(core, rules=rules)

            if rows not in known:
                known[rows] = hide_private_errors(lambda: translate_memory_error(read))
            return known[rows]

        return read_facts

    @cached_property
    def _person_facts(self) -> PersonFacts:
        """What is true of the whole table, and of samples of the rows of each person.

        Its readers hold the table and not this object: the table goes with the last of its users,
        not when garbage is collected.
        """
        table, rules, person, memory = self._table, self.rules, self.person, self._memory

        def read_rows(levels: Sequence[int]) -> list[int]:
            enter(Phase.READING)
            return count_rows_within(table, person, levels)

        def read() -> OwnedClasses:
            enter(Phase.READING)
            return read_owned(table, rules, person, memory=memory)

        return PersonFacts(rules, self._read_facts, read, read_rows)

    def count_rows_without_person(self) -> int:
        """How many rows have NULL in a column that names the person. Private."""

        def count() -> int:
            (owned,) = count_rows_within(self._table, self.person, [_ALL])
            return self._table.count(_ALL) - owned

        return hide_private_errors(lambda: translate_memory_error(count))

    @property
    def _columns(self) -> dict[str, str]:
        """The columns that the rules read, by the names that the rules have for them."""
        return columns_read(self._table, self.rules)

    def fit(self, request: Request) -> Request:
        """The request for this table; what does not fit it is refused before the charge."""
        require_more_than_one_row(self.rules, request.person, self._columns)
        if self.person and self._table.engine.is_on_cluster(self._table.backend):
            require_one_machine(request)
        return request.with_columns(self._table.schema).with_rules(self.rules)

    def release(self, request: Request) -> Card:
        """The card of a request that fits the table. It costs the epsilon of the request."""
        request = self._with_rows_of_person(request)
        facts = self._person_facts if self.person else self.facts()
        return hide_private_errors(
            lambda: translate_memory_error(lambda: run_release(facts, request))
        )

    def _with_rows_of_person(self, request: Request) -> Request:
        """The request with the most rows of a person: as stated, or chosen for its epsilon."""
        if request.person.rows is not None or request.person.epsilon is None:
            return request
        enter(Phase.READING)
        numbers = numbers_to_choose_from(self.rules, self.person, self._columns)
        above = hide_private_errors(
            lambda: translate_memory_error(
                lambda: count_persons_above(self._table, self.person, numbers)
            )
        )
        return request.with_rows_per_person(
            choose_rows(numbers, above, request.person.epsilon, request.epsilon)
        )


class Study:
    """The conflict graph of one table under one set of rules; made by `analyze`."""

    def __init__(self, rules: ConstraintSet, analysis: Analysis) -> None:
        self.rules = rules
        self._stated = compile_rules(rules)  # what a request is made from, whatever the table
        self._analysis = analysis

    def __repr__(self) -> str:
        return f"Study(rules={len(self.rules)})"  # nothing true in a repr

    @property
    def _facts(self) -> Facts:
        """What is true of all rows."""
        return self._analysis.facts()

    @check_arguments()
    def exact(
        self,
        *,
        by_rule: bool = False,
        rows_per_person: int | None = None,
        time_limit: float | None = None,
    ) -> Exact:
        """The true measures: NOT PRIVATE, for the owner of the table.

        `by_rule` adds the repair numbers of each rule alone. `rows_per_person`, in a study by
        `person`, gives the measures of the rows that a release would keep: what the cut takes away.
        `time_limit` is in seconds. A search for the smallest repair that it ends leaves that number
        out; all else raises DataError. Without one only that search ends, after a minute.
        """
        rows = self._checked_rows(rows_per_person)
        with limits.time_limit(time_limit):
            facts = self._analysis.facts(rows)
            enter(Phase.MEASURING)
            found = hide_private_errors(
                lambda: translate_memory_error(lambda: _exact(facts, by_rule=by_rule))
            )
        if self._analysis.person:
            found = replace(found, without_person=self._analysis.count_rows_without_person())
        return found if rows is None else replace(found, person=Person(self._analysis.person, rows))

    def _checked_rows(self, rows_per_person: int | None) -> int | None:
        if rows_per_person is None:
            return None
        if not self._analysis.person:
            raise UsageError(
                "`rows_per_person` limits the rows of each person. Name the column that identifies "
                "the person with `person` (--person).",
                code="U216",
            )
        return rows_of_person(rows_per_person)

    @check_arguments()
    def release(
        self,
        epsilon: Number,
        *,
        measures: Iterable[str] | None = None,
        split: Mapping[str, Number] | None = None,
        rows_per_person: int | None = None,
        public_rows: int | None = None,
        max_rows: int | None = None,
        gates: Sequence[str] = (),
        ledger: Ledger | str | os.PathLike[str] | None = None,
        dataset: str | None = None,
        request_id: str | None = None,
        by: str | None = None,
    ) -> Card:
        """Noisy measures that are epsilon-differentially private. Every call spends epsilon again.

        `measures` are names (default: repair, rows, drastic). "all" adds problematic and
        minimal_inconsistent, in a second draw with its part of epsilon. `worst_rule` without
        `by_rule` is paid for by itself. `split={"draw": 1, "levels": 2}` changes the parts.

        In a study by `person` the grade counts at most `rows_per_person` rows of each person;
        without it, a twentieth of epsilon chooses that number. In any other study it is how many
        rows one person may own, 1 unless you say so, and nothing checks it. `public_rows` is the
        number of rows if that is public, `max_rows` a public bound on it.

        `gates` are conditions such as "grade < 95%"; their verdicts are in `card.gates`. They cost
        nothing, and are not part of the request that a ledger stores.

        With a `ledger` (a path, `postgresql://...`, or a Ledger) the release is charged to the
        budget of `dataset` there before anything is computed, and BudgetError is raised if too
        little is left. The same `request_id` again gives the stored card at no cost. `by` says who
        asks. Without a ledger nothing keeps count of what is spent.
        """
        analysis = self._analysis
        request = make_request(
            self._stated,
            epsilon=epsilon,
            measures=measures,
            split=split,
            person=analysis.person or None,
            rows_per_person=rows_per_person,
            public_rows=public_rows,
            max_rows=max_rows,
        )
        conditions = read_gates(gates, self._stated, request)
        for warning in warn_of_gates(conditions) if analysis.person else ():
            warnings.warn(warning, stacklevel=3)
        account = open_account(
            ledger, dataset, request, request_id=request_id, by=by, gates=conditions
        )
        request = analysis.fit(request)
        if account is None:
            return judge_gates(analysis.release(request), conditions)
        return account.find() or account.charge(lambda: analysis.release(request))


@check_arguments()
def analyze(
    data: Any,
    rules: Rules,
    *,
    table: str | None = None,
    memory: str | None = None,
    engine: str | None = None,
    reading: Reading | None = None,
    person: str | Sequence[str] | None = None,
    lists_are_public: bool = False,
) -> Study:
    """Read `data` once and build its conflict graph under `rules`.

    `data` is a path (CSV, Parquet, JSON, Arrow; Excel, SQLite or DuckDB with `table`; - is standard
    input), a pandas or polars frame, a pyarrow object or an Ibis table. `rules` is a rule such as
    "Zip -> City", a list of rules, the path of a rules file, or a ConstraintSet. `memory` is a
    limit such as "4GB". `engine` says where a path or the name of a table is looked up: "spark",
    "spark://host:port", "sc://host:port" or "postgresql://..." instead of here.
    `reading` says how a CSV, Excel or SQLite file is read, where that is not to be guessed.

    `person` is the column, or a list of columns, that says whose row it is. Releases then protect
    all rows of one person, and the table is read once for each number of rows that they keep.

    `lists_are_public` says that no list in a file (`Code in file('icd.csv', 'code')`) is a part of
    what is piped to standard input, which cannot be checked. Files are compared with the table's.
    """
    study = _analyze(
        data,
        rules,
        table=table,
        memory=memory,
        engine=engine,
        reading=reading,
        person=person,
        lists_are_public=lists_are_public,
    )
    if person is None:
        _ = study._facts  # noqa: SLF001 - now, so that releases are quick
    return study


def _analyze(
    data: Any,
    rules: Rules,
    *,
    person: str | Sequence[str] | None,
    memory: str | None,
    **place: Any,
) -> Study:
    """The study of a table that is not read yet; `place` is for `open_table`."""
    constraints = rules_of(rules)
    compiled, columns = compile_rules(constraints), columns_of(person)
    return Study(
        constraints, _open_analysis(data, constraints, compiled, columns, memory=memory, **place)
    )


def _open_analysis(
    data: Any,
    rules: ConstraintSet,
    compiled: CompiledRules,
    person: tuple[str, ...],
    *,
    memory: str | None,
    reading: Reading | None = None,
    lists_are_public: bool = False,
    owner: bool = False,
    **place: Any,
) -> Analysis:
    """The table, which the rules fit and which is not too long; no value is looked at yet."""
    enter(Phase.READING)
    memory_limit(memory)  # refused here if it makes no sense, whatever the engine
    public = lists_are_public or owner  # who gets true numbers may know every list
    require_public_lists(rules, data, public=public, memory=memory, **place)
    table = hide_private_errors(
        lambda: open_table(
            data, memory=memory, reading=reading, rules=rules, person=person, owner=owner, **place
        )
    )
    check_schema(rules, table.schema, untyped=table.untyped)
    require_person(table, person)
    compiled = compiled.with_types(table.type_rules)
    hide_private_errors(lambda: require_rows(table, compiled))
    return Analysis(table, compiled, person, memory)


def _exact(facts: Facts, *, by_rule: bool) -> Exact:
    texts = facts.rules.entry_texts
    numbers = facts.exact_by_rule() if by_rule else []
    rules = [ExactRule(text, **own) for text, own in zip(texts, numbers, strict=False)]
    return Exact(facts.exact(), facts.rules.lines, tuple(rules))


@check_arguments()
def exact(
    data: Any,
    rules: Rules,
    *,
    table: str | None = None,
    memory: str | None = None,
    engine: str | None = None,
    reading: Reading | None = None,
    person: str | Sequence[str] | None = None,
    rows_per_person: int | None = None,
    by_rule: bool = False,
    time_limit: float | None = None,
) -> Exact:
    """The true measures of `data` under `rules`: NOT PRIVATE. See `analyze` for the arguments.

    With `person` and `rows_per_person` they are those of the rows that a release would keep.
    `time_limit`, in seconds, is for all of it, reading included; see `Study.exact`.
    """
    with limits.time_limit(time_limit):
        study = _analyze(
            data,
            rules,
            table=table,
            memory=memory,
            engine=engine,
            reading=reading,
            person=person,
            owner=True,
        )
        return study.exact(by_rule=by_rule, rows_per_person=rows_per_person)


@check_arguments(more=Study.release)
def release(
    data: Any,
    rules: Rules,
    epsilon: Number,
    *,
    table: str | None = None,
    memory: str | None = None,
    engine: str | None = None,
    reading: Reading | None = None,
    person: str | Sequence[str] | None = None,
    lists_are_public: bool = False,
    gates: Sequence[str] = (),
    ledger: Ledger | str | os.PathLike[str] | None = None,
    dataset: str | None = None,
    request_id: str | None = None,
    by: str | None = None,
    **options: Any,
) -> Card:
    """Noisy measures of `data` under `rules`, epsilon-differentially private.

    See `analyze` for data, rules, `person` and `lists_are_public`, `Study.release` for the further
    keyword arguments;
    what makes no sense in them is refused before a row is read, and so is what the ledger does not
    allow.
    """
    prepared = prepare_release(rules, epsilon, gates=gates, person=person, **options)
    for warning in prepared.warnings:
        warnings.warn(warning, stacklevel=3)
    account = prepared.open_account(ledger, dataset, request_id=request_id, by=by)
    return run_request(
        prepared,
        account,
        data,
        memory=memory,
        reading=reading,
        table=table,
        engine=engine,
        lists_are_public=lists_are_public,
    )


@dataclass(frozen=True, slots=True)
class Prepared:
    """A release that is allowed as far as rules and arguments tell; nothing is read or charged."""

    constraints: ConstraintSet
    rules: CompiledRules
    request: Request
    gates: tuple[Gate, ...]

    @property
    def warnings(self) -> list[str]:
        """What the caller should know before anything is charged."""
        return warn_of_gates(self.gates) if self.request.asked.persons else []

    def open_account(
        self,
        ledger: Ledger | str | os.PathLike[str] | None,
        dataset: str | None,
        *,
        request_id: str | None = None,
        by: str | None = None,
    ) -> Account | None:
        """The account that pays; None if no ledger was named."""
        return open_account(
            ledger, dataset, self.request, request_id=request_id, by=by, gates=self.gates
        )


def prepare_release(
    rules: Rules, epsilon: Number, *, gates: Sequence[str] = (), **options: Any
) -> Prepared:
    """Compile the rules, make the request and read the gates, each once."""
    constraints = rules_of(rules)
    compiled = compile_rules(constraints)
    request = make_request(compiled, epsilon=epsilon, **options)
    return Prepared(constraints, compiled, request, read_gates(gates, compiled, request))


def run_request(prepared: Prepared, account: Account | None, data: Any, **place: Any) -> Card:
    """The card of a prepared release; `place` says where the table is and how it is read."""
    if account is not None and (found := account.find()) is not None:
        return found
    analysis = _open_analysis(
        data, prepared.constraints, prepared.rules, prepared.request.person.columns, **place
    )
    request = analysis.fit(prepared.request)
    if account is None:
        return judge_gates(analysis.release(request), prepared.gates)
    return account.charge(lambda: analysis.release(request))


def read_gates(texts: Sequence[str], rules: CompiledRules, request: Request) -> tuple[Gate, ...]:
    """The gates, each of which this release can decide; raises UsageError otherwise."""
    gates = tuple(parse_gate(text, rules.lines) for text in texts)
    check_gates(gates, request.measures, request.refused, persons=request.asked.persons)
    return gates


@check_arguments(more=make_plan)
def plan(rules: Rules, *, epsilon: Number | None = None, **options: Any) -> Plan:
    """What a release would spend on what, and how noisy it would be; no data is read.

    Give an `epsilon`, or `target_errors={"repair": 5}` for the epsilon with mean errors that
    small; `rows` is a guess at the size of the table. See `Study.release` for `measures`, `split`
    and `rows_per_person`, and `analyze` for `person`.
    """
    return make_plan(compile_rules(rules_of(rules)), epsilon=epsilon, **options)
