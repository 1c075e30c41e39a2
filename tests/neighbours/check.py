"""Whether one more row moves what it may, on every path and in every form, and what is true."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import combinations

from tests.neighbours.places import Places
from tests.neighbours.statistics import (
    Failure,
    Outcome,
    Statistics,
    differences,
    mistakes,
    moves,
    outcomes,
)
from tests.neighbours.tables import Case

Way = tuple[str, str]  # a path and a form of the graph
Found = dict[Way, Outcome]


@dataclass(frozen=True)
class Violation:
    """What is wrong with a case.

    `kind` is "raw" (an error that is not ours), "error" (one that the schema does not explain),
    "paths" (two ways to the same table differ), "truth" (not what the oracle says), "move" (a row
    moves a statistic by more than it may), "form" (a type without a form was not refused) or
    "stuck" (no end within the time limit).
    """

    kind: str
    way: str
    text: str
    case: Case

    @property
    def name(self) -> str:
        """Violations of one name have probably one cause."""
        what = self.text if self.kind in ("raw", "error") else ""  # else any of the numbers
        kinds = "+".join(self.case.kinds)
        return " | ".join(filter(None, (self.kind, self.case.source, self.way, kinds, what)))


@dataclass(frozen=True)
class Verdict:
    """The violations of a case, and whether its schema was refused."""

    violations: tuple[Violation, ...]
    refused: bool = False


def check(case: Case, places: Places) -> Verdict:
    """Compare the table and its neighbours, on every path and in every form."""
    tables = case.tables
    found = {added: _found(replace(case, rows=rows), places) for added, rows in tables.items()}
    outcomes = [outcome for table in found.values() for outcome in table.values()]
    first = outcomes[0]
    if isinstance(first, Failure) and first.code and all(other == first for other in outcomes):
        empty = _found(replace(case, rows=()), places)
        if empty == found[frozenset()] and case.refusable:
            return Verdict((), refused=True)
    return Verdict(tuple(_violations(case, found)))


def _found(case: Case, places: Places) -> Found:
    data, place = places.put[case.source](case.columns, case.rows)
    found: Found = {}
    for path in places.paths:
        for form, outcome in outcomes(data, case.rules, path, **place).items():
            found[path, form] = outcome
    return found


def _violations(case: Case, found: dict[frozenset[int], Found]) -> Iterator[Violation]:
    """At most one of each kind and way for every table and every two neighbours."""
    for added, rows in case.tables.items():
        alone = replace(case, rows=rows, more=())
        yield from _failures(alone, found[added])
        yield from _mistakes(alone, found[added])
        yield from _differences(alone, found[added])
        if case.refused:
            yield Violation("form", "schema", "a rule reads a type without a form", alone)
    for added, number in case.neighbours:
        pair = case.neighbour(added, number)
        yield from _moves(pair, found[added], found[added | {number}])


def _failures(case: Case, table: Found) -> Iterator[Violation]:
    for (path, form), outcome in table.items():
        if isinstance(outcome, Failure) and (
            form == "explicit" or table[path, "explicit"] != outcome
        ):
            kind = "error" if outcome.code else "raw"
            yield Violation(kind, f"{path}/{form}", str(outcome), case)


def _mistakes(case: Case, table: Found) -> Iterator[Violation]:
    if not case.judged:
        return
    wrong: dict[Statistics, str | None] = {}  # mostly all ways give the same
    for way, outcome in table.items():
        if isinstance(outcome, Failure):
            continue
        if outcome not in wrong:
            wrong[outcome] = next(mistakes(outcome, case), None)
        if (text := wrong[outcome]) is not None:
            yield Violation("truth", "/".join(way), text, case)


def _differences(case: Case, table: Found) -> Iterator[Violation]:
    for (one, a), (two, b) in combinations(table.items(), 2):
        if isinstance(a, Statistics) and isinstance(b, Statistics):
            text = next(differences(a, b), None)
            if text is not None:
                yield Violation("paths", f"{'/'.join(one)} and {'/'.join(two)}", text, case)


def _moves(case: Case, small: Found, large: Found) -> Iterator[Violation]:
    for way, after in large.items():
        before = small[way]
        if isinstance(before, Statistics) and isinstance(after, Statistics):
            text = next(moves(before, after), None)
            if text is not None:
                yield Violation("move", "/".join(way), text, case)


def shrunk(violation: Violation, places: Places, tries: int = 40) -> Violation:
    """A smaller case with a violation of the same kind, within some tries."""
    smaller = True
    while smaller:
        smaller = False
        for case in _smaller(violation.case):
            if tries == 0:
                return violation
            if not case.implies_types:
                continue
            tries -= 1
            verdict = check(case, places)
            same = [v for v in verdict.violations if v.kind == violation.kind]
            if same:
                violation, smaller = same[0], True
                break
    return violation


def _smaller(case: Case) -> Iterator[Case]:
    """The case with less: without a rule, a row, a comparison."""
    rules = case.rules.constraints
    for i in range(len(rules)):
        if len(rules) > 1:
            yield replace(case, rules=replace(case.rules, constraints=rules[:i] + rules[i + 1 :]))
    for size in (len(case.rows) // 2, 1):
        for i in range(0, len(case.rows), max(size, 1)):
            rows = case.rows[:i] + case.rows[i + max(size, 1) :]
            more = tuple((min(at, len(rows)), row) for at, row in case.more)
            yield replace(case, rows=rows, more=more)
    for i, rule in enumerate(rules):
        for k in range(len(rule.predicates)):
            rest = rule.predicates[:k] + rule.predicates[k + 1 :]
            if rest:
                fewer = (*rules[:i], replace(rule, predicates=rest), *rules[i + 1 :])
                yield replace(case, rules=replace(case.rules, constraints=fewer))
