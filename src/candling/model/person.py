"""Whose rows the guarantee hides: those of a person, who is named by columns of the table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

from candling.errors import UsageError
from candling.records import dataclass

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+")  # patient_id, PatientID, patientId
# Ids by themselves, also behind other words: customer_email.
_ALONE = frozenset(
    ("aadhaar", "bsn", "cpf", "curp", "dni", "email", "iban", "mrn", "msisdn", "nif", "nino", "npi",
     "passport", "pesel", "pseudonym", "ssn", "subjid", "userid", "username", "usubjid")
)  # fmt: skip
_TWO_WORDS = frozenset(("email", "emailaddress", "username"))  # e_mail, user_name
_PEOPLE = frozenset(
    ("applicant", "beneficiary", "borrower", "buyer", "candidate", "cardholder", "citizen",
     "claimant", "client", "consumer", "customer", "donor", "driver", "employee", "guest",
     "individual", "learner", "member", "participant", "passenger", "patient", "person", "player",
     "policyholder", "pupil", "respondent", "rider", "shopper", "student", "subscriber", "taxpayer",
     "traveler", "traveller", "user", "visitor", "voter", "worker")
)  # fmt: skip
# The same in German, Dutch, French, Spanish, Portuguese and Italian.
_PEOPLE |= frozenset(
    ("abonné", "alumno", "alumna", "aluno", "asegurado", "assuré", "benutzer", "bürger",
     "cittadino", "ciudadano", "cliente", "dipendente", "élève", "empleado", "employé",
     "estudiante", "étudiant", "funcionario", "gebruiker", "klant", "klient", "kunde", "kundin",
     "medewerker", "mitarbeiter", "mitglied", "nutzer", "paciente", "patienten", "patiënt",
     "paziente", "persona",
     "personne", "pessoa", "salarié", "schüler", "socio", "studente", "studierende", "usager",
     "usuario", "usuária", "usuário", "utente", "utilisateur", "versicherter", "versicherte")
)  # fmt: skip
# Short forms, and words that mean something else where no id follows: is the guest insured?
_WITH_ID = _PEOPLE | _ALONE | frozenset(
    ("account", "acct", "bene", "compte", "conta", "conto", "cuenta", "cust", "emp", "insured",
     "klanten", "konto", "kunden", "medicaid", "medicare", "mitglieds", "national", "nhs", "pat",
     "people", "pers", "personal", "personen", "resident", "steuer", "subj", "subject", "usr",
     "versicherten", "versicherungs")
)  # fmt: skip
_IDS = frozenset(
    ("code", "guid", "hash", "id", "identifier", "key", "md", "no", "nr", "num", "number", "numero",
     "nummer", "número", "numéro", "pid", "ref", "sha", "sk", "uid", "uuid")
)  # fmt: skip
_BEFORE = frozenset(("fk", "id", "nr", "num", "numero", "número", "numéro", "pk", "sk"))
_JOINING = frozenset(("de", "del", "della", "di", "do", "du", "of"))  # numéro de client
_SHORT_ID = re.compile(f"({'|'.join(sorted(_IDS, key=len, reverse=True))})$")  # of patientid


@dataclass(frozen=True, slots=True)
class Person:
    """What a person is to a release. All of it is public.

    With `columns`, rows that agree on them are of one person, and the grade counts at most `rows`
    of them; None if nothing is about such a sample. Without, `rows` is what the owner states: the
    most rows that one person has. candling does not check it.
    """

    columns: tuple[str, ...] = ()
    rows: int | None = 1  # the most of one person; None until it is chosen, or if it is not needed
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
            "`person` is the name of a column, or a list of names; leave it out if you name none.",
            code="U216",
        )
    if len({*columns}) < len(columns):
        raise UsageError("`person` names a column twice.", code="U216")
    return columns


def looks_like_person(columns: Iterable[str]) -> tuple[str, ...]:
    """The columns that seem to name a person, by their own names and never by what they hold."""
    return tuple(column for column in columns if _is_id(column))


def _is_id(column: str) -> bool:
    words = [word.lower() for word in _WORDS.findall(column)]
    words = [word for word in words if word not in _JOINING]
    if not words or "by" in words[:-1]:  # created_by_user_id is of the staff
        return False
    if words[-1] in _ALONE or "".join(words[-2:]) in _TWO_WORDS:
        return True
    if len(words) == 1:
        whose = _SHORT_ID.sub("", words[0])
        return words[0] in _PEOPLE or (whose != words[0] and whose in _WITH_ID)
    if words[0] in _BEFORE and len(words) == 2:
        return words[1] in _PEOPLE
    whose = words[-2]
    return words[-1] in _IDS and (
        bool({whose, whose.removesuffix("s")} & _WITH_ID) or words[-3:-1] == ["social", "security"]
    )
