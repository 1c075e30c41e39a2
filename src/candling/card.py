"""What a release gives back: a scorecard of noisy measures with honest intervals."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from candling.errors import UsageError
from candling.measures.grade import NOT_GRADED, Grade
from candling.measures.shown import Shown

if TYPE_CHECKING:
    import pandas as pd

    from candling.ledger import Receipt

_NO_MEASURE = ("grade", "about", "receipt", "signature")  # objects of a card's JSON


@dataclass(frozen=True, slots=True)
class About:
    """How a release was made, so that a reader of its card can tell, years later."""

    candling: str  # the version
    time: str  # UTC; when it was asked for: the time when it was done would tell how long it took
    method: str
    measures: tuple[str, ...]  # as asked for
    public_rows: int | None  # as stated
    max_rows: int | None  # as stated
    rules: tuple[str, ...]  # those that can be broken, each once

    def to_dict(self) -> dict[str, Any]:
        """The record under the names of the JSON output."""
        return {
            "candling": self.candling,
            "time": self.time,
            "method": self.method,
            "measures": list(self.measures),
            "public_rows": self.public_rows,
            "max_rows": self.max_rows,
            "rules": list(self.rules),
        }

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> About:
        """A record from what `to_dict` gave."""
        return cls(
            told["candling"],
            told["time"],
            told["method"],
            tuple(told["measures"]),
            told["public_rows"],
            told["max_rows"],
            tuple(told["rules"]),
        )


@dataclass(frozen=True, slots=True)
class Scorecard:
    """The measures of one release, by name, and as attributes: `card.repair.value`."""

    epsilon: Fraction  # charged in all
    rows_per_person: int
    measures: Mapping[str, Shown]
    by_rule: tuple[Shown, ...] = ()
    receipt: Receipt | None = None  # of the ledger that it was charged to
    about: About | None = None  # how it was made; None for cards from before it was kept
    signature: Mapping[str, str] | None = None  # of that ledger, over all the rest
    grade: Grade = NOT_GRADED  # 1 - repair/rows, as every output shows it

    def __getattr__(self, name: str) -> Shown:
        try:
            return self.measures[name]
        except KeyError:
            released = ", ".join(self.measures)
            raise AttributeError(f"{name!r} was not released; this card has {released}") from None

    def __iter__(self) -> Iterator[Shown]:
        return iter(self.measures.values())

    def to_dict(self) -> dict[str, Any]:
        """The card as `candling release --json` prints it."""
        found: dict[str, Any] = {
            "epsilon": float(self.epsilon),
            "rows_per_person": self.rows_per_person,
            "grade": self.grade.to_dict(),
        }
        found |= {name: measure.to_dict() for name, measure in self.measures.items()}
        if self.by_rule:
            found["by_rule"] = [{"rule": m.name, **m.to_dict()} for m in self.by_rule]
        if self.about is not None:
            found["about"] = self.about.to_dict()
        if self.receipt is not None:
            found["receipt"] = self.receipt.to_dict()
        if self.signature is not None:
            found["signature"] = dict(self.signature)
        return found

    def to_html(self, path: str | os.PathLike[str], *, overwrite: bool = False) -> None:
        """Write the card as a page: one file, no script, nothing from elsewhere.

        An existing file is left alone unless `overwrite`: it may be the only copy of an older card.
        """
        from candling.present import card_page, write_page

        write_page(path, card_page(self.to_dict()), overwrite=overwrite)

    def _repr_html_(self) -> str:
        from candling.present import card_cell

        return card_cell(self.to_dict())

    def to_frame(self) -> pd.DataFrame:
        """The grade and the measures as a pandas frame, one a line by name, those by rule last.

        A rule stands in the column `rule`, so that `value` holds numbers only.
        """
        try:
            import pandas as pd
        except ImportError:
            raise UsageError(
                "A frame is made by pandas, which is not installed: pip install pandas", code="U402"
            ) from None
        lines = [(m.name, None, m) for m in self] + [("by_rule", m.name, m) for m in self.by_rule]
        columns = ("value", "low", "high", "epsilon", "threshold", "kind", "reason", "note")
        graded = {name: self.grade.to_dict().get(name) for name in columns} | {"epsilon": 0.0}
        frame = pd.DataFrame(
            [graded, *(_line(rule, measure, columns) for _, rule, measure in lines)],
            index=pd.Index(["grade", *(name for name, *_ in lines)], name="measure"),
            columns=["rule", *columns],
        )
        numbers = ["value", "low", "high", "epsilon", "threshold"]
        return frame.astype(dict.fromkeys(numbers, "float64"))

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> Scorecard:
        """A card from what `to_dict` gave, with the intervals that it had then."""
        measures = {
            name: Shown.from_dict(name, part)
            for name, part in told.items()
            if isinstance(part, Mapping) and name not in _NO_MEASURE
        }
        by_rule = []
        rules = told.get("by_rule", ())
        for part in () if isinstance(rules, Mapping) else rules:  # a measure where it was refused
            rest = {key: value for key, value in part.items() if key != "rule"}
            by_rule.append(Shown.from_dict(part["rule"], rest))
        about, receipt = told.get("about"), told.get("receipt")
        return cls(
            Fraction(str(told["epsilon"])),
            told["rows_per_person"],
            measures,
            tuple(by_rule),
            None if receipt is None else _receipt(receipt),
            None if about is None else About.from_dict(about),
            # one over a card with gates would not hold for the card alone
            signature=None if "gates" in told else told.get("signature"),
            grade=Grade.from_dict(told["grade"]),
        )


def _receipt(told: Mapping[str, Any]) -> Receipt:
    from candling.ledger.receipt import Receipt

    return Receipt.from_dict(told)


def _line(rule: str | None, measure: Shown, columns: tuple[str, ...]) -> dict[str, Any]:
    """A measure as a line of a frame."""
    told = measure.to_dict()
    if isinstance(told["value"], str):
        rule, told["value"] = told["value"], None
    return {"rule": rule} | {name: told.get(name) for name in columns}
