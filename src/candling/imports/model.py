"""What an import gives: rules with where they came from, gates, and what cannot be said."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from candling.escaping import for_terminal
from candling.rules.text import label_text, quoted

if TYPE_CHECKING:
    from candling.rules import ConstraintSet


@dataclass(frozen=True, slots=True)
class ImportedRule:
    """One rule, and the test or constraint that it was."""

    label: str
    rule: str
    origin: str  # "schema.yml:14 orders.status accepted_values"
    differs: str | None = None  # where its meaning is not exactly that of the original
    gate: str | None = None  # `LABEL/rows > 5%`, where the original lets some rows break it
    warns: bool = False  # the original only warns

    def __str__(self) -> str:
        return f"{label_text(self.label)}: {self.rule}"


@dataclass(frozen=True, slots=True)
class ImportedGate:
    """A condition on the whole table, such as its number of rows."""

    gate: str
    origin: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """What the rules cannot say, and why."""

    origin: str
    reason: str


@dataclass(frozen=True, slots=True)
class Imported:
    """The rules of one table, read from a file or an object of another tool.

    `print` shows the text of the rules file; `constraints` are the rules themselves.
    """

    source: str
    table: str | None
    rules: tuple[ImportedRule, ...]
    gates: tuple[ImportedGate, ...]
    left_out: tuple[LeftOut, ...]
    _lists: tuple[tuple[str, str], ...] = field(default=(), repr=False)  # as written, and from here

    def __str__(self) -> str:
        return self.text

    @property
    def text(self) -> str:
        """A rules file: every rule below its origin, then the gates and what was left out."""
        return "\n".join(self._lines()) + "\n"

    @property
    def constraints(self) -> ConstraintSet:
        """The rules, ready for `candling.release` and `candling.exact`."""
        from candling.rules import parse_constraints

        return parse_constraints(seen_from_here(self.text, self._lists), source=self.source)

    @property
    def fail_if(self) -> tuple[str, ...]:
        """Every gate, as --fail-if takes it."""
        of_rules = (rule.gate for rule in self.rules if rule.gate is not None)
        return (*(gate.gate for gate in self.gates), *of_rules)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain values."""
        return {
            "source": self.source,
            "table": self.table,
            "rules": [
                {
                    "label": r.label,
                    "rule": r.rule,
                    "origin": r.origin,
                    "differs": r.differs,
                    "gate": r.gate,
                    "warns": r.warns,
                }
                for r in self.rules
            ],
            "gates": [{"gate": g.gate, "origin": g.origin} for g in self.gates],
            "left_out": [{"origin": x.origin, "reason": x.reason} for x in self.left_out],
        }

    def _lines(self) -> Iterator[str]:
        of = "" if self.table is None else f" of {_said(self.table)}"
        yield f"# Rules{of}, imported from {_said(self.source)}"
        for rule in self.rules:
            yield ""
            yield f"# {_said(rule.origin)}"
            if rule.differs is not None:
                yield f"#   differs: {_said(rule.differs)}"
            if rule.gate is not None:
                yield f"#   gate: --fail-if {_said(quoted_gate(rule.gate))}"
            if rule.warns:
                yield "#   the original only warns: leave it out of your gates"
            yield str(rule)
        if self.gates:
            yield ""
            yield "# Gates on the whole table:"
            for gate in self.gates:
                yield f"#   --fail-if {_said(quoted_gate(gate.gate))}  ({_said(gate.origin)})"
        if self.left_out:
            yield ""
            yield "# Cannot be said:"
            for left in self.left_out:
                yield f"#   {_said(left.origin)}: {_said(left.reason)}"


def seen_from_here(text: str, lists: Iterable[tuple[str, str]]) -> str:
    """Rules whose public lists are named from the working directory, not from the rules file."""
    for written, path in lists:
        text = text.replace(list_text(written), list_text(path))
    return text


def list_text(path: str) -> str:
    """How a rule begins to name a public list."""
    return f" in file({quoted(path, chr(39))}"


def quoted_gate(gate: str) -> str:
    """A gate as it is written on a command line."""
    return f'"{gate}"'


def _said(text: str) -> str:
    """Text of somebody else's on one line of a comment."""
    return for_terminal(" ".join(text.split()))
