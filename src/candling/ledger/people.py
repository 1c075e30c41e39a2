"""Budgets of people: which people a dataset is about, how it joins them, and what a move carries.

What is known of a person adds up over all datasets with rows of that person, so a budget belongs to
people, and every dataset about them draws on it. Spent by people is the sum of all charges to their
datasets: each made while a dataset was theirs, or before it became theirs. A charge counts once for
the same people, and it never stops counting, so no move gives anything back.
"""

from __future__ import annotations

from dataclasses import dataclass

from candling.errors import BudgetError, LedgerError, UsageError
from candling.ledger import store
from candling.ledger.entry import Entry, budget_units, epsilon_text
from candling.ledger.names import checked_new, look_alikes
from candling.model.receipt import epsilon_of
from candling.suggest import did_you_mean


@dataclass(frozen=True, slots=True)
class Budget:
    """The budget that a dataset draws on once it has joined people."""

    limit_units: int
    spent_units: int
    opened: bool  # by this dataset: its people are new

    @property
    def remaining_units(self) -> int:
        return self.limit_units - self.spent_units


@dataclass(frozen=True, slots=True)
class People:
    """The people in a ledger, inside of a transaction."""

    connection: store.Connection
    shown: str  # the place of the ledger, as messages show it

    def of_dataset(self, dataset: str) -> str:
        """The people whom a dataset is about."""
        joining = store.joining(self.connection, dataset)
        if joining is None:
            hint = _hint(dataset, store.datasets(self.connection))
            raise LedgerError(
                f"{self.shown} has no dataset {dataset!r}.{hint} The owner adds it with "
                "`candling ledger add`.",
                code="L105",
            )
        return str(joining.people)

    def newest_entry(self, people: str) -> Entry:
        """The newest entry of people, which has their limit and what is spent."""
        newest = store.budget_of(self.connection, people)
        if newest is None:
            raise LedgerError(
                f"{self.shown} has no people {people!r}.{self._hint_for(people)}", code="L105"
            )
        return newest

    def named(self, dataset: str | None, people: str | None) -> str:
        """The people that a caller names, or those of the dataset that the caller names."""
        if (dataset is None) == (people is None):
            raise UsageError(
                "Say whose budget it is: `people`, or a `dataset` of theirs, and not both.",
                code="U209",
            )
        return self.of_dataset(dataset) if dataset is not None else str(people)

    def check_unused(self, dataset: str, people: str | None, *, look_alike: bool) -> None:
        """Refuse a new dataset whose name is taken, looks like another, or would join by chance."""
        if store.joining(self.connection, dataset) is not None:
            raise LedgerError(
                f"{self.shown} already has a dataset {dataset!r}. To change its budget, use "
                "`candling ledger raise`; to change its people, `candling ledger move`.",
                code="L106",
            )
        if people is None and store.budget_of(self.connection, dataset) is not None:
            raise LedgerError(
                f"{self.shown} already has people {dataset!r}, who have a budget. If the dataset "
                f"is about them, add it with --people {dataset}; if not, give it another name.",
                code="L122",
            )
        self._check_looks(dataset, {people or dataset}, look_alike=look_alike)

    def joined(
        self, dataset: str, people: str, budget: object, *, look_alike: bool = False
    ) -> Budget:
        """The budget of the people whom a dataset joins; new people need one."""
        newest = store.budget_of(self.connection, people)
        if newest is None:
            return self._opened(dataset, checked_new("people", people), budget, look_alike)
        limit = newest.limit_units
        if budget is not None and budget_units(budget) != limit:
            raise LedgerError(
                f"The people {people!r} have a budget of {epsilon_text(limit)}, on which all their "
                f"datasets draw. Leave --budget out to join them; to change it from "
                f"{epsilon_text(limit)}, use `candling ledger raise`.",
                code="L107",
            )
        return Budget(limit, newest.spent_units, opened=False)

    def carried(self, dataset: str, people: str, budget: Budget) -> int:
        """The units that people must carry once a dataset is moved to them.

        All that was ever charged to the dataset, but for what they carry already: it may have been
        theirs before. Raises BudgetError if their budget does not allow it.
        """
        entries = store.spent_on(self.connection, dataset)
        charged = sum(entry.units for entry in entries if entry.kind == "reserve")
        units = charged - sum(entry.units for entry in entries if entry.people == people)
        if units > budget.remaining_units:
            remaining = epsilon_text(budget.remaining_units)
            missing = units - budget.remaining_units
            fix = "Raise it with `candling ledger raise` first, to"
            if budget.opened:
                fix = "Give them a budget of"
            raise BudgetError(
                f"The budget of {people!r} does not allow moving {dataset!r} to them: they must "
                "carry what was spent on it.\n"
                f"  spent on it {epsilon_text(units)}\n"
                f"  remaining   {remaining} of {epsilon_text(budget.limit_units)}\n"
                f"  difference  {epsilon_text(missing)}\n"
                f"Nothing was changed. {fix} {epsilon_text(budget.limit_units + missing)} or more.",
                code="L202",
                dataset=dataset,
                people=people,
                requested=epsilon_of(units),
                remaining=epsilon_of(budget.remaining_units),
            )
        return units

    def _opened(self, dataset: str, people: str, budget: object, look_alike: bool) -> Budget:
        """The budget of new people."""
        if people != dataset and (other := store.joining(self.connection, people)) is not None:
            raise LedgerError(
                f"{people!r} is a dataset of the people {other.people!r}. If {dataset!r} is about "
                f"them, say --people {other.people}; if not, give its people another name.",
                code="L122",
            )
        if budget is None:
            if people == dataset:
                why = (
                    f"{dataset!r} needs a budget: --budget B, or --people P if it is about people "
                    "who have one."
                )
            else:
                why = (
                    f"The people {people!r} are new in {self.shown}, so they need a budget: "
                    f"--budget B.{self._hint_for(people)}"
                )
            raise LedgerError(why, code="L107")
        self._check_looks(people, {people, dataset}, look_alike=look_alike)
        return Budget(budget_units(budget), 0, opened=True)

    def _check_looks(self, name: str, own: set[str], *, look_alike: bool) -> None:
        """Refuse a name that people could take for one of other datasets or people."""
        taken = store.datasets(self.connection) | store.all_people(self.connection)
        others = look_alikes(name, taken - own)
        if others and not look_alike:
            raise LedgerError(
                f"{name!r} looks like {', '.join(map(repr, others))}, which {self.shown} has "
                "already. A second name for the same people is a second budget for them. If it "
                "means something else, add it with --look-alike.",
                code="L121",
            )

    def _hint_for(self, people: str) -> str:
        return _hint(people, store.all_people(self.connection))


def _hint(name: str, known: set[str]) -> str:
    """The name that somebody may have meant; empty if there is none."""
    others = look_alikes(name, known)
    if others:
        return f" It has {', '.join(map(repr, others))}, spelled with other characters."
    return did_you_mean(name, sorted(known))
