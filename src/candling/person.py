"""Whose rows the guarantee hides: those of a person, who is named by columns of the table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from candling.errors import UsageError

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")  # patient_id, PatientID, patientId
_PEOPLE = frozenset(
    ("applicant", "beneficiary", "borrower", "citizen", "client", "customer", "donor", "driver",
     "employee", "guest", "individual", "insured", "learner", "lender", "member", "participant",
     "passenger", "patient", "payer", "people", "person", "player", "pupil", "resident",
     "respondent", "student", "subject", "subscriber", "taxpayer", "tenant", "traveller", "user",
     "voter", "worker")
)  # fmt: skip
_IDS = frozenset(
    ("code", "guid", "hash", "id", "identifier", "key", "no", "nr", "num", "number", "pid", "ref",
     "sk", "uid", "uuid")
)  # fmt: skip
_ALONE = frozenset(("email", "mrn", "msisdn", "nino", "passport", "ssn", "userid", "username"))


@dataclass(frozen=True, slots=True)
class Person:
    """What a person is to a release. All of it is public.

    With `columns`, rows that agree on them are of one person, and at most `rows` of them are kept.
    Without, `rows` is what the owner says: that each row is a person's only one, or that nobody
    owns more than so many. Nothing checks that.
    """

    columns: tuple[str, ...] = ()
    rows: int | None = 1  # the most of one person; None until it is chosen
    epsilon: Fraction | None = None  # what it costs to choose that; None if it is stated
    unused: tuple[str, ...] = ()  # columns with the name of a person's id that nobody spoke of

    @property
    def most(self) -> int:
        """The most rows of one person; it must be known by now."""
        if self.rows is None:
            raise AssertionError("how many rows a person keeps is not chosen yet")
        return self.rows

    def to_dict(self) -> dict[str, Any]:
        """What is said of it under the names of the JSON output."""
        content: dict[str, Any] = {"columns": list(self.columns), "rows": self.rows}
        if self.epsilon is not None:
            content["epsilon"] = float(self.epsilon)
        if self.unused:
            content["unused"] = list(self.unused)
        return content


ROW = Person()  # each row is its own person


def columns_of(person: str | Sequence[str] | None) -> tuple[str, ...]:
    """The columns that a caller names for a person."""
    columns = (person,) if isinstance(person, str) else tuple(person or ())
    if person is not None and not all(columns or ("",)):
        raise UsageError(
            "`person` is the name of a column, or a list of names; leave it out if there is none.",
            code="U216",
        )
    if len({*columns}) < len(columns):
        raise UsageError("`person` names a column twice.", code="U216")
    return columns


def looks_like_person(columns: Iterable[str]) -> tuple[str, ...]:
    """The columns that seem to name a person, by their own names and never by what they hold."""
    return tuple(column for column in columns if _is_id(column))


def _is_id(column: str) -> bool:
    words = [word.lower().removesuffix("s") for word in _WORDS.findall(column)]
    if not words:
        return False
    if words[-1] in _IDS and len(words) > 1:
        words = words[:-1]
    elif len(words) > 1 and words[-1] not in _ALONE:
        return False
    joined = re.sub(f"({'|'.join(sorted(_IDS, key=len))})$", "", words[-1])  # patientid
    return words[-1] in _PEOPLE | _ALONE or joined in _PEOPLE
