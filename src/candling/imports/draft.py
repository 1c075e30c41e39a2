"""A file of rules while it is being imported: labels, origins, and what is left out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction

from candling.imports.columns import CannotSayError, Columns
from candling.imports.model import ImportedGate, ImportedRule, LeftOut, list_text
from candling.rules.text import quoted

_LONGEST_LABEL = 60
NULLS_EQUAL = (
    "there, NULL equals NULL; here, rows with NULL in one of the columns agree with no other row"
)
LABEL = "{label}"  # in the text of a gate, before the rule has its label


class Draft:
    """Collects what the readers of the formats find, for one table."""

    def __init__(
        self,
        source: str,
        columns: Columns,
        *,
        public: Mapping[str, str] | None = None,
        dialect: str | None = None,
    ) -> None:
        self.source = source
        self.columns = columns
        self.public = public or {}
        self.dialect = dialect
        self.rules: list[ImportedRule] = []
        self.gates: list[ImportedGate] = []
        self.left_out: list[LeftOut] = []
        self._labels: set[str] = set()

    def origin(self, line: int, *words: str | None) -> str:
        """Where something is written, and what it is called there."""
        place = f"{self.source}:{line}" if line else self.source
        return " ".join([place, *(word for word in words if word)])

    def rule(
        self,
        rule: str,
        origin: str,
        words: Iterable[str],
        *,
        where: str | None = None,
        differs: str | None = None,
        gate: str | None = None,
        warns: bool = False,
    ) -> None:
        """Add a rule; its label is made of `words`. `gate` has LABEL for the label."""
        text = rule if where is None else f"{rule} where {where}"
        for position, other in enumerate(self.rules):
            if other.rule == text and other.warns == warns and not (gate or other.gate):
                self.rules[position] = replace(other, origin=f"{other.origin}; {origin}")
                return
        label = self._label(words)
        gate = None if gate is None else gate.replace(LABEL, label)
        self.rules.append(ImportedRule(label, text, origin, differs, gate, warns))

    def leave(self, origin: str, reason: str) -> None:
        """Add what cannot be said."""
        self.left_out.append(LeftOut(origin, reason))

    def gate(self, gate: str, origin: str) -> None:
        """Add a gate on the whole table."""
        self.gates.append(ImportedGate(gate, origin))

    @contextmanager
    def listing(self, origin: str) -> Iterator[None]:
        """What cannot be said inside of it is listed with the reason."""
        try:
            yield
        except CannotSayError as error:
            self.leave(origin, str(error))

    def key(
        self,
        names: list[str],
        origin: str,
        *,
        word: str = "unique",
        where: str | None = None,
        differs: str | None = None,
        gate: str | None = None,
        warns: bool = False,
    ) -> None:
        """Add a key."""
        if not names:
            raise CannotSayError("it names no column")
        rule = f"key({', '.join(self.columns.texts(names))})"
        words = (*names, word)
        self.rule(rule, origin, words, where=where, differs=differs, gate=gate, warns=warns)

    def not_null(self, name: str, origin: str, *, warns: bool = False) -> None:
        """Add that a column is never NULL."""
        rule = f"{self.columns.text(name)} is not null"
        self.rule(rule, origin, (name, "not_null"), warns=warns)

    def in_public_list(self, column: str, parent: str, field: str) -> str:
        """That a column refers to a list that is public; refused for every other parent."""
        lower = parent.lower()
        path = next((p for name, p in self.public.items() if name.lower() == lower), None)
        if path is None:
            raise CannotSayError(
                f"it refers to another table; if {parent} is public, say --public {parent}=FILE.csv"
            )
        return f"{self.columns.text(column)}{list_text(path)}, {quoted(field, chr(39))})"

    def _label(self, words: Iterable[str]) -> str:
        plain = re.sub(r"[\W_]+", "_", "_".join(words)).strip("_")[:_LONGEST_LABEL].strip("_")
        if not plain or plain[0].isdigit() or not plain.isprintable():
            plain = f"rule_{plain}" if plain.isprintable() else "rule"
        label, number = plain, 1
        while label.lower() in self._labels:
            number += 1
            label = f"{plain}_{number}"
        self._labels.add(label.lower())
        return label


def share_gate(allowed: Fraction) -> str:
    """The gate that fails if more than a share of the rows break a rule."""
    return f"{LABEL}/rows > {percent(allowed)}"


def percent(share: Fraction) -> str:
    """A share in percent, exactly."""
    text = f"{float(share * 100):.6f}".rstrip("0").rstrip(".")
    return f"{text}%"
