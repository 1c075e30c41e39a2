"""The card: what one release gives, as plain data.

`to_dict` is the one writer of its JSON (docs/card.schema.json); `candling.card` has the reader and
what users call on a card.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, field
from dataclasses import fields as dataclass_fields
from fractions import Fraction
from typing import Any

from candling.model.gate import GateResult
from candling.model.noisy import NoiseDraw, Noisy
from candling.model.number import LEVEL, NOT_GRADED, Grade, Number
from candling.model.person import Person
from candling.model.person_worlds import PersonWorlds
from candling.model.receipt import Receipt
from candling.model.relations import RuleFacts
from candling.model.worlds import Evidence, Worlds
from candling.privacy import LAWS, Noise
from candling.records import dataclass
from candling.rules import RuleLine

SCHEMA = 5  # of the JSON; a card of another schema is refused


@dataclass(frozen=True, slots=True)
class About:
    """How a release was made, so that a reader of its card knows it years later."""

    candling: str  # the version
    time: str  # UTC; when it was asked for: the time when it was done would tell how long it took
    measures: tuple[str, ...]  # as asked for
    public_rows: int | None  # as stated
    max_rows: int | None  # as stated
    rules: tuple[RuleLine, ...]  # those that can be broken, each once
    rule_facts: RuleFacts  # what they say of all tables

    def to_dict(self) -> dict[str, Any]:
        """The record under the names of the JSON output."""
        return {
            "candling": self.candling,
            "time": self.time,
            "measures": list(self.measures),
            "public_rows": self.public_rows,
            "max_rows": self.max_rows,
            "rules": [rule.to_dict() for rule in self.rules],
            "rule_facts": asdict(self.rule_facts),
        }


@dataclass(frozen=True, slots=True)
class CardData:
    """The numbers of one release, by name, and as attributes: `card.repair.value`."""

    epsilon: Fraction  # charged in all
    person: Person  # whose rows the guarantee hides
    measures: Mapping[str, Number]
    by_rule: tuple[Number, ...] = ()
    about: About = field(kw_only=True)
    grade: Grade = NOT_GRADED  # 1 - repair/rows, as every output shows it
    evidence: Evidence = field(kw_only=True)  # all numbers follow from it
    gates: tuple[GateResult, ...] = ()  # the verdicts of the gates that were asked for
    receipt: Receipt | None = None  # of the ledger that it was charged to
    signature: Mapping[str, str] | None = None  # of that ledger, over everything else

    def __getattr__(self, name: str) -> Number:
        try:
            return self.measures[name]
        except KeyError:
            released = ", ".join(self.measures)
            raise AttributeError(f"{name!r} was not released; this card has {released}") from None

    def __iter__(self) -> Iterator[Number]:
        return iter(self.measures.values())

    def worlds(self, level: float = LEVEL) -> Worlds | PersonWorlds:
        """All tables that fit this card; the true one is among them at this probability."""
        return self.evidence.worlds(level)

    @property
    def dataset(self) -> str | None:
        """The name of the table in the ledger."""
        return None if self.receipt is None else self.receipt.dataset

    def to_dict(self) -> dict[str, Any]:
        """The card as `candling release --json` prints it."""
        content: dict[str, Any] = {
            "schema": SCHEMA,
            "epsilon": float(self.epsilon),
            "person": self.person.to_dict(),
            "grade": self.grade.to_dict(),
        }
        content |= {name: number.to_dict() for name, number in self.measures.items()}
        if self.by_rule:
            content["by_rule"] = [{"rule": rule.name, **rule.to_dict()} for rule in self.by_rule]
        content["about"] = self.about.to_dict()
        if self.evidence.draws:
            content["noise"] = {"draws": list(map(_draw_to_dict, self.evidence.draws))}
        if self.gates:
            content["gates"] = [verdict.to_dict() for verdict in self.gates]
        if self.receipt is not None:
            content["receipt"] = self.receipt.to_dict()
        if self.signature is not None:
            content["signature"] = dict(self.signature)
        return content


def _draw_to_dict(draw: NoiseDraw) -> dict[str, Any]:
    """The noisy values before anything was done to them, and the law of their noise.

    Both are public: the values are the release, and the law is made of sensitivities at the drawn
    levels and of rates (docs/privacy.md, Theorem 9).
    """
    return {
        "epsilon": float(draw.epsilon),
        "numbers": {name: list(map(_noisy_to_dict, own)) for name, own in draw.numbers.items()},
    }


def _noisy_to_dict(noisy: Noisy) -> dict[str, Any]:
    drawn = noisy.draw
    return {
        "value": drawn.value,
        "step": str(drawn.step),
        "level": drawn.level,
        "threshold": noisy.threshold,
        "kind": noisy.kind,
        "law": _law_to_dict(drawn.noise),
    }


def _law_to_dict(noise: Noise) -> dict[str, Any]:
    name = next(name for name, law in LAWS.items() if isinstance(noise, law))
    fields = {field.name: getattr(noise, field.name) for field in dataclass_fields(LAWS[name])}
    listed = {key: list(value) for key, value in fields.items() if isinstance(value, tuple)}
    return {"name": name, **fields, **listed}
