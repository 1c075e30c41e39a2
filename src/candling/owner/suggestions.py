"""Rules that nearly hold in a table, for its owner to choose from. NOT PRIVATE.

What is proposed, and how many rows break it, is read from the rows themselves. Dependencies and
keys are found by Desbordante; everything is counted here, with the meaning that NULL has in rules.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import field
from itertools import combinations, permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from candling.errors import UsageError
from candling.owner.discovery import require_desbordante, search
from candling.owner.proposed_types import propose_types
from candling.reading import NO_READING, TEXT, Reading
from candling.records import dataclass
from candling.rules import ColumnType, ConstraintSet, TypeLine
from candling.rules.printer import name_text, quote_text
from candling.rules.types import NO_RULES, Statements
from candling.system.limits import check_time_limit
from candling.system.progress import Phase, enter
from candling.tables import open_source

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from candling.tables.values import Form, Table

MOST_COLUMNS = 40  # that are searched; the lattice of their sets grows fast
_ORDERED = 12  # columns whose order is compared in pairs
_ORDERED_ROWS = 20_000  # rows that the order of two columns is looked at in
_FEWEST_ROWS = 20  # in fewer, too much holds by chance
_MOST_VALUES = 12  # of a column that has a small set of values
_EXPLAINED = 0.8  # share of what differs that a dependency must explain
_OF_THE_TIME = 0.7  # is for Desbordante
_EVIDENCE = 0.05  # share of the rows that must be able to break a rule, and do not
KINDS = ("key", "dependency", "order", "comparison", "values", "not null")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A rule that nearly holds."""

    kind: str  # one of KINDS
    rule: str
    broken: int = field(repr=False)  # rows that break it: the fewest to remove


@dataclass(frozen=True, slots=True)
class Suggested:
    """Proposals, by kind and then from the best evidence down. NOT PRIVATE."""

    rows: int = field(repr=False)  # that were looked at
    sampled: bool  # whether the table has more
    columns: int
    types: tuple[TypeLine, ...] = field(repr=False)  # of columns whose format has none
    proposals: tuple[Proposal, ...] = field(repr=False)
    notes: tuple[str, ...]  # what was not searched, and why

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "rows": self.rows,
            "sampled": self.sampled,
            "columns": self.columns,
            "types": {line.column: str(line.type) for line in self.types},
            "proposals": [
                {"kind": p.kind, "rule": p.rule, "broken": p.broken} for p in self.proposals
            ],
            "notes": list(self.notes),
        }

    @property
    def text(self) -> str:
        """A rules file, every rule beside the number of rows that break it."""
        lines = [
            "# NOT PRIVATE: proposed from the rows of the table itself, for its owner only.",
            "# Keep the rules that should hold, and remove the numbers before you share the file.",
        ]
        if self.types:
            lines += ["", "# Types", *map(str, self.types)]
        for kind in KINDS:
            found = [p for p in self.proposals if p.kind == kind]
            if found:
                lines += ["", f"# {HEADS[kind]}"]
                lines += [f"{p.rule}  # {_count_breaks(p.broken)}" for p in found]
        return "\n".join(lines) + "\n"


HEADS = {
    "key": "Keys",
    "dependency": "Functional dependencies",
    "order": "One column never falls while the other rises",
    "comparison": "Comparisons within a row",
    "values": "Small sets of values",
    "not null": "Never missing",
}


def _count_breaks(broken: int) -> str:
    return "holds" if not broken else f"{broken:,} row{'' if broken == 1 else 's'} break it"


def suggest_rules(
    data: Any,
    *,
    table: str | None = None,
    memory: str | None = None,
    reading: Reading | None = None,
    rows: int = 100_000,
    share: float = 0.05,
    limit: int = 10,
    time_limit: float = 60.0,
) -> Suggested:
    """Rules that all but a share of the rows keep. NOT PRIVATE: for the owner of the table.

    `data` is a file, a frame or a table of DuckDB, `reading` how a file is read (see
    `candling.analyze`). At most `rows` of its
    rows are looked at, a random sample where it has more; `limit` proposals of each kind are given.
    `time_limit` is in seconds, for the search.
    """
    if not 0 <= share < 1:
        raise UsageError("The share of rows that may break a rule must be below 1.", code="U204")
    check_time_limit(time_limit)
    require_desbordante()
    enter(Phase.READING)
    source = open_source(data, table=table, memory=memory, reading=reading)
    types = _propose_types(source.canonical(Statements(NO_RULES, reading or NO_READING)))
    stated = Statements(ConstraintSet((), types=types), reading or NO_READING)
    view = _read(source.canonical(stated), rows)
    enter(Phase.MEASURING)
    found = _Search(view, share, time.monotonic() + time_limit)
    proposals: list[Proposal] = []
    if view.size >= _FEWEST_ROWS and view.names:
        for kind in KINDS:
            ranked = sorted(found.of(kind), key=lambda pair: -pair[0])
            proposals += [proposal for _, proposal in ranked[:limit]]
            if len(ranked) > limit:
                found.notes.append(
                    f"{HEADS[kind]}: {limit:,} of {len(ranked):,} are listed; --limit shows more."
                )
    else:
        found.notes.append(f"At least {_FEWEST_ROWS} rows are needed.")
    return Suggested(
        view.size,
        view.sampled,
        len(view.names),
        types,
        tuple(proposals),
        tuple(found.notes),
    )


def _propose_types(table: Table) -> tuple[TypeLine, ...]:
    """Types that nearly all cells of a column without a type fit."""
    names = [name for name in table.schema if name in table.untyped]
    proposed = propose_types(table, names).columns if names else ()
    return tuple(TypeLine(p.column, p.type) for p in proposed if p.type != TEXT)


@dataclass(frozen=True, slots=True)
class _View:
    """Some rows of a table, as codes and as they are."""

    names: list[str]
    forms: list[Form]
    values: Any  # pyarrow.Table
    codes: NDArray[np.int64]  # -1 for NULL
    sampled: bool
    left_out: int  # columns that are not looked at

    @property
    def size(self) -> int:
        return len(self.codes)


def _read(owned: Table, rows: int) -> _View:
    usable = [name for name, kind in owned.schema.items() if kind is not ColumnType.OTHER]
    names = usable[:MOST_COLUMNS]
    types = owned.types(names)
    total = owned.count(rows + 1)
    select = owned.select(names)
    sample = f"select * from ({select}) candling_rows"  # noqa: S608 - quoted
    if total > rows:
        sample += f" using sample reservoir({rows} rows) repeatable (7)"
    values: Any = owned.fetch(sample, types) if names else None
    size = values.num_rows if names else 0
    codes = np.full((size, len(names)), -1, np.int64)
    for position in range(len(names)):
        codes[:, position] = _codes(values.column(position))
    forms = [owned.forms[name] for name in names]
    return _View(names, forms, values, codes, total > rows, len(owned.schema) - len(names))


def _codes(column: Any) -> NDArray[np.int64]:
    encoded = column.combine_chunks().dictionary_encode()
    if hasattr(encoded, "combine_chunks"):
        encoded = encoded.combine_chunks()
    indices = encoded.indices.fill_null(-1)
    return np.asarray(indices.to_numpy(zero_copy_only=False), np.int64)


Ranked = tuple[float, Proposal]  # how much speaks for it


class _Search:
    """One search; what it finds of one kind keeps others from being proposed."""

    def __init__(self, view: _View, share: float, until: float) -> None:
        self.view = view
        self.most = int(share * view.size)
        self.until = until
        self.notes: list[str] = []
        if view.left_out:
            self.notes.append(
                f"{view.left_out} column{' was' if view.left_out == 1 else 's were'} not looked at."
            )
        self._texts = [name_text(name) for name in view.names]
        self._keys: list[tuple[int, ...]] = []
        self._dependencies: list[tuple[tuple[int, ...], int]] = []
        if view.size >= _FEWEST_ROWS and view.names:
            self._discover(share)

    def of(self, kind: str) -> Iterator[Ranked]:
        """The proposals of a kind, each with how much speaks for it."""
        searches = {
            "key": self._key_rules,
            "dependency": self._dependency_rules,
            "order": self._order_rules,
            "comparison": self._comparison_rules,
            "values": self._value_rules,
            "not null": self._not_null_rules,
        }
        return searches[kind]()

    def _discover(self, share: float) -> None:
        codes = self.view.codes.copy()
        missing = codes < 0  # a missing value agrees with no other row: each gets its own code
        codes[missing] = codes.max() + 1 + np.arange(missing.sum())
        left = self.until - time.monotonic()
        found = search(codes, min(1.5 * share, 0.9), max(left * _OF_THE_TIME, 1.0))
        for what, listed in (("keys", found.keys), ("dependencies", found.dependencies)):
            if listed is None:
                self.notes.append(
                    f"The search for {what} was stopped: give it more time (--time-limit) or fewer "
                    "rows (--rows)."
                )
        self._dependencies = found.dependencies or []
        self._dependencies += self._search_nulls()
        self._keys = [key for key in found.keys or [] if self._broken_key(key) <= self.most]

    # Keys and dependencies

    def _search_nulls(self) -> Iterator[tuple[tuple[int, ...], int]]:
        """Single columns that may determine one with NULLs, which the search takes for breaks."""
        missing = (self.view.codes < 0).any(axis=0)
        for right in np.flatnonzero(missing).tolist():
            for left in range(len(self.view.names)):
                if time.monotonic() > self.until:
                    return
                if left != right and ((left,), right) not in self._dependencies:
                    yield (left,), right

    def _groups(self, columns: tuple[int, ...]) -> tuple[NDArray[np.bool_], NDArray[np.int64]]:
        """Which rows have all of the columns, and the number of the group of each of those."""
        part = self.view.codes[:, list(columns)]
        full = np.asarray((part >= 0).all(axis=1), np.bool_)
        _, groups = np.unique(part[full], axis=0, return_inverse=True)
        return full, groups.reshape(-1).astype(np.int64)

    def _broken_key(self, columns: tuple[int, ...]) -> int:
        _, groups = self._groups(columns)
        return len(groups) - (int(groups.max()) + 1 if len(groups) else 0)

    def _key_rules(self) -> Iterator[Ranked]:
        minimal = [k for k in self._keys if not any(set(o) < set(k) for o in self._keys)]
        for key in minimal:
            full, groups = self._groups(key)
            measured = any(self.view.forms[c].bits is not None for c in key)
            if measured or len(groups) < self.view.size / 2:
                continue  # a measurement is unique by chance, and one that is missing says little
            rule = f"key({', '.join(self._texts[c] for c in key)})"
            broken = self._broken_key(key)
            evidence = float(full.mean()) / len(key) - broken / self.view.size
            yield evidence - 0.001 * min(key), Proposal("key", rule, broken)

    def _dependency_rules(self) -> Iterator[Ranked]:
        kept: list[tuple[frozenset[int], int]] = []
        for left, right in sorted(self._dependencies, key=lambda d: len(d[0])):
            if not left or any(set(key) <= set(left) for key in self._keys):
                continue
            if any(right == other and smaller < set(left) for smaller, other in kept):
                continue
            counted = self._broken_dependency(left, right)
            if counted is None:
                continue
            broken, evidence = counted
            kept.append((frozenset(left), right))
            names = ", ".join(self._texts[c] for c in left)
            rule = f"{names} -> {self._texts[right]}"
            yield evidence / len(left), Proposal("dependency", rule, broken)

    def _broken_dependency(self, left: tuple[int, ...], right: int) -> tuple[int, float] | None:
        """Rows to remove, and the share of rows that could break it; None if it says little."""
        full, _ = self._groups((*left, right))
        part = self.view.codes[full]
        if not len(part):
            return None
        _, groups = np.unique(part[:, list(left)], axis=0, return_inverse=True)
        groups = groups.reshape(-1)
        pairs = np.stack([groups, part[:, right]], axis=1)
        together, counts = np.unique(pairs, axis=0, return_counts=True)
        largest = np.zeros(groups.max() + 1, np.int64)
        np.maximum.at(largest, together[:, 0], counts)
        broken = len(part) - int(largest.sum())
        sizes = np.bincount(groups)
        evidence = float(sizes[sizes > 1].sum()) / self.view.size
        varied = len(part) - int(np.bincount(part[:, right]).max())
        if broken > self.most or evidence < _EVIDENCE or broken >= (1 - _EXPLAINED) * varied:
            return None
        return broken, evidence * (1 - len(sizes) / len(part))

    # Order

    def _numbers(self, kinds: tuple[ColumnType, ...]) -> list[int]:
        """The first columns of some types that have enough different values to be ordered by."""
        found = [
            position
            for position, form in enumerate(self.view.forms)
            if form.kind in kinds and len(np.unique(self.view.codes[:, position])) > 10
        ]
        return found[:_ORDERED]

    def _floats(self, position: int) -> NDArray[np.float64]:
        import pyarrow as pa

        column = self.view.values.column(position).combine_chunks()
        numbers = column.cast(pa.float64(), safe=False)
        return np.asarray(numbers.to_numpy(zero_copy_only=False), np.float64)

    def _order_rules(self) -> Iterator[Ranked]:
        moments = (ColumnType.NUMBER, ColumnType.DATE, ColumnType.TIMESTAMP)
        for a, b in combinations(self._numbers(moments), 2):
            if time.monotonic() > self.until:
                self.notes.append("The search for order between rows was stopped by --time-limit.")
                return
            x, y = self._floats(a)[:_ORDERED_ROWS], self._floats(b)[:_ORDERED_ROWS]
            full = ~(np.isnan(x) | np.isnan(y))
            size = int(full.sum())
            if size < _FEWEST_ROWS:
                continue
            for sign, (more, less) in ((1, (">", "<")), (-1, (">", ">"))):
                broken = size - _longest_rise(x[full], sign * y[full])
                scaled = round(broken * self.view.size / len(x))
                if scaled <= self.most:
                    p, q = self._texts[a], self._texts[b]
                    rule = f"not(t1.{p} {more} t2.{p} and t1.{q} {less} t2.{q})"
                    yield size / len(x) - broken / size, Proposal("order", rule, scaled)

    def _comparison_rules(self) -> Iterator[Ranked]:
        for kinds in ((ColumnType.DATE,), (ColumnType.TIMESTAMP,), (ColumnType.NUMBER,)):
            for a, b in permutations(self._numbers(kinds), 2):
                if time.monotonic() > self.until:
                    self.notes.append("The search for comparisons was stopped by --time-limit.")
                    return
                x, y = self._floats(a), self._floats(b)
                full = ~(np.isnan(x) | np.isnan(y))
                size = int(full.sum())
                if size < _FEWEST_ROWS:
                    continue
                broken = int((x[full] > y[full]).sum())
                # What would break it if rows had nothing to do with each other.
                ranks = np.searchsorted(np.sort(y[full]), x[full], side="left")
                by_chance = float(ranks.mean()) / size
                rare = broken / size < by_chance / 4
                if broken <= self.most and by_chance > _EVIDENCE and rare:
                    rule = f"{self._texts[a]} <= {self._texts[b]}"
                    yield by_chance, Proposal("comparison", rule, broken)

    # Single columns

    def _value_rules(self) -> Iterator[Ranked]:
        for position, form in enumerate(self.view.forms):
            if form.kind is not ColumnType.STRING:
                continue
            codes = self.view.codes[:, position]
            present, first, counts = np.unique(
                codes[codes >= 0], return_index=True, return_counts=True
            )
            common = counts >= max(3, self.view.size // 1000)
            broken = int(counts[~common].sum())
            few = 0 < common.sum() <= _MOST_VALUES
            if not few or broken > self.most or len(present) > 10 * _MOST_VALUES:
                continue
            rows = np.flatnonzero(codes >= 0)[first[common]]
            column = self.view.values.column(position)
            values = sorted(column[int(row)].as_py() for row in rows)
            listed = ", ".join(quote_text(value, "'") for value in values)
            rule = f"{self._texts[position]} in ({listed})"
            yield -len(values), Proposal("values", rule, broken)

    def _not_null_rules(self) -> Iterator[Ranked]:
        for position, name in enumerate(self._texts):
            broken = int((self.view.codes[:, position] < 0).sum())
            if broken <= self.most:
                yield (
                    broken / 1e9 - position / 1e12,
                    Proposal("not null", f"{name} is not null", broken),
                )


def _longest_rise(x: NDArray[np.float64], y: NDArray[np.float64]) -> int:
    """How many rows can stay so that y never falls where x rises."""
    ends: list[float] = []
    for value in y[np.lexsort((y, x))].tolist():
        at = bisect_right(ends, value)
        if at == len(ends):
            ends.append(value)
        else:
            ends[at] = value
    return len(ends)
