"""Grade how inconsistent a table is, by its integrity constraints.

    import candling

    rules = candling.load_constraints("rules.txt")
    candling.release("table.parquet", rules, epsilon=1)  # private: noisy measures
    candling.exact("table.parquet", rules)  # not private: for the owner of the table

Everything below loads on first use, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from candling._version import __version__
from candling.system.progress import track_loading

if TYPE_CHECKING:
    from candling.card import Card, Exact
    from candling.compare_cards import Comparison, compare
    from candling.errors import (
        BudgetError,
        CandlingError,
        ConstraintError,
        DataError,
        LedgerError,
        UsageError,
    )
    from candling.imports import Imported, import_rules
    from candling.ledger import Ledger, Receipt, create_ledger, open_ledger
    from candling.model.gate import GateResult
    from candling.model.number import Grade, Number
    from candling.model.person import Person
    from candling.owner.conflicts import ConflictsFound, RepairFound, conflicts, repair
    from candling.reading import Reading
    from candling.releases import Plan
    from candling.releases.session import Study, analyze, exact, plan, release
    from candling.rules import (
        Constraint,
        ConstraintSet,
        load_constraints,
        parse_constraints,
    )


__all__ = [
    "BudgetError",
    "CandlingError",
    "Card",
    "Comparison",
    "ConflictsFound",
    "Constraint",
    "ConstraintError",
    "ConstraintSet",
    "DataError",
    "Exact",
    "GateResult",
    "Grade",
    "Imported",
    "Ledger",
    "LedgerError",
    "Number",
    "Person",
    "Plan",
    "Reading",
    "Receipt",
    "RepairFound",
    "Study",
    "UsageError",
    "__version__",
    "analyze",
    "compare",
    "conflicts",
    "create_ledger",
    "exact",
    "import_rules",
    "load_constraints",
    "open_ledger",
    "parse_constraints",
    "plan",
    "release",
    "repair",
]

_HOME = {
    "BudgetError": "candling.errors",
    "CandlingError": "candling.errors",
    "Card": "candling.card",
    "Comparison": "candling.compare_cards",
    "ConflictsFound": "candling.owner.conflicts",
    "Constraint": "candling.rules",
    "ConstraintError": "candling.errors",
    "ConstraintSet": "candling.rules",
    "DataError": "candling.errors",
    "Exact": "candling.card",
    "GateResult": "candling.model.gate",
    "Grade": "candling.model.number",
    "Imported": "candling.imports",
    "Ledger": "candling.ledger",
    "LedgerError": "candling.errors",
    "Person": "candling.model.person",
    "Plan": "candling.releases",
    "Reading": "candling.reading",
    "Receipt": "candling.ledger",
    "RepairFound": "candling.owner.conflicts",
    "Number": "candling.model.number",
    "Study": "candling.releases.session",
    "UsageError": "candling.errors",
    "analyze": "candling.releases.session",
    "compare": "candling.compare_cards",
    "conflicts": "candling.owner.conflicts",
    "create_ledger": "candling.ledger",
    "exact": "candling.releases.session",
    "import_rules": "candling.imports",
    "load_constraints": "candling.rules",
    "open_ledger": "candling.ledger",
    "parse_constraints": "candling.rules",
    "plan": "candling.releases.session",
    "release": "candling.releases.session",
    "repair": "candling.owner.conflicts",
}


if not TYPE_CHECKING:  # or a type checker would take any name for a member

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        with track_loading():
            value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value  # the next access does not come here
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
