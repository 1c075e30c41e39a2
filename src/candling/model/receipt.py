"""A receipt: what a caller keeps of an entry in a ledger."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from candling._version import __version__
from candling.escaping import for_terminal
from candling.records import dataclass

UNITS = 10**12  # in an epsilon of 1


def epsilon_of(units: int) -> Fraction:
    """Units of a ledger as an epsilon."""
    return Fraction(units, UNITS)


@dataclass(frozen=True, slots=True)
class Receipt:
    """An entry of a ledger and the budget after it. `head` is the hash of all entries up to it."""

    ledger: str  # its id
    sequence: int
    head: str
    time: str  # UTC; for a release, the time of the request
    kind: str
    dataset: str | None  # None if the limit of people was raised
    people: str  # whose budget it is
    request_id: str | None
    charged_units: int
    limit_units: int
    spent_units: int
    repeated: bool = False  # a stored result, shown again at no cost
    candling: str = __version__  # the version that showed it

    def __str__(self) -> str:
        charged, remaining, limit = map(float, (self.charged, self.remaining, self.limit))
        request = "" if self.request_id is None else f", for request {self.request_id}"
        return for_terminal(
            f"Entry {self.sequence} of ledger {self.ledger}: {charged:g} charged to "
            f"{self.payer}{request}; {remaining:g} of {limit:g} left."
        )

    @property
    def payer(self) -> str:
        """The dataset, and its people if they have another name, as sentences quote them."""
        return quote_dataset(self.dataset, self.people)

    @property
    def charged(self) -> Fraction:
        return epsilon_of(self.charged_units)

    @property
    def limit(self) -> Fraction:
        return epsilon_of(self.limit_units)

    @property
    def spent(self) -> Fraction:
        return epsilon_of(self.spent_units)

    @property
    def remaining(self) -> Fraction:
        return epsilon_of(self.limit_units - self.spent_units)

    def to_dict(self) -> dict[str, Any]:
        """The receipt under the names of the JSON output."""
        return {
            "ledger": self.ledger,
            "sequence": self.sequence,
            "head": self.head,
            "time": self.time,
            "kind": self.kind,
            "dataset": self.dataset,
            "people": self.people,
            "request_id": self.request_id,
            "charged": float(self.charged),
            "limit": float(self.limit),
            "spent": float(self.spent),
            "remaining": float(self.remaining),
            "repeated": self.repeated,
            "candling": self.candling,
        }


def quote_dataset(dataset: str | None, people: str) -> str:
    """A dataset, and its people if they have another name, as sentences quote them."""
    if dataset is None or dataset == people:
        return repr(people)
    return f"{dataset!r} (people {people!r})"
