"""The budgets of a ledger at one moment, as `candling ledger show` prints them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from candling.model.receipt import epsilon_of


@dataclass(frozen=True, slots=True)
class OpenCharge:
    """A charge without a result: its process is still running, or it failed."""

    request_id: str
    units: int
    time: str
    by: str | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "request_id": self.request_id,
            "epsilon": float(epsilon_of(self.units)),
            "time": self.time,
            "by": self.by,
        }


@dataclass(frozen=True, slots=True)
class BudgetState:
    """The budget of people."""

    people: str
    limit_units: int
    spent_units: int  # on their datasets, and on those that were theirs

    @property
    def remaining(self) -> Fraction:
        return epsilon_of(self.limit_units - self.spent_units)

    def to_dict(self) -> dict[str, Any]:
        return {
            "limit": float(epsilon_of(self.limit_units)),
            "spent": float(epsilon_of(self.spent_units)),
            "remaining": float(self.remaining),
        }


@dataclass(frozen=True, slots=True)
class DatasetState:
    """One dataset, and the people whose budget it draws on."""

    name: str
    budget: BudgetState
    charged_units: int  # for all its releases, whoever its people were
    results: int
    without_result: tuple[OpenCharge, ...]

    @property
    def remaining(self) -> Fraction:
        """What is left for it and all other datasets of its people."""
        return self.budget.remaining

    def to_dict(self) -> dict[str, Any]:
        return {
            "people": self.budget.people,
            "charged": float(epsilon_of(self.charged_units)),
            "remaining": float(self.remaining),
            "results": self.results,
            "without_result": [charge.to_dict() for charge in self.without_result],
        }


@dataclass(frozen=True, slots=True)
class LedgerState:
    """All budgets of a ledger, and its head."""

    ledger: str
    place: str
    created: str
    entries: int
    head: str
    budgets: tuple[BudgetState, ...]
    datasets: tuple[DatasetState, ...]
    trial: bool = False

    def to_dict(self) -> dict[str, Any]:
        """The state as `candling ledger show --json` prints it."""
        return {
            "ledger": self.ledger,
            "place": self.place,
            "created": self.created,
            "trial": self.trial,
            "sequence": self.entries,
            "head": self.head,
            "budgets": {b.people: b.to_dict() for b in self.budgets},
            "datasets": {d.name: d.to_dict() for d in self.datasets},
        }

    def datasets_of(self, budget: BudgetState) -> tuple[DatasetState, ...]:
        """The datasets that draw on a budget."""
        return tuple(dataset for dataset in self.datasets if dataset.budget == budget)
