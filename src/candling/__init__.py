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

if TYPE_CHECKING:
    from candling.constraints import (
        Constraint,
        ConstraintSet,
        load_constraints,
        parse_constraints,
    )
    from candling.errors import CandlingError, ConstraintError, DataError, UsageError
    from candling.measures import Exact
    from candling.releases import Measure, Plan, Scorecard
    from candling.study import Study, analyze, exact, plan, release

__version__ = "0.1.0"

__all__ = [
    "CandlingError",
    "Constraint",
    "ConstraintError",
    "ConstraintSet",
    "DataError",
    "Exact",
    "Measure",
    "Plan",
    "Scorecard",
    "Study",
    "UsageError",
    "__version__",
    "analyze",
    "exact",
    "load_constraints",
    "parse_constraints",
    "plan",
    "release",
]

_HOME = {
    "CandlingError": "candling.errors",
    "Constraint": "candling.constraints",
    "ConstraintError": "candling.errors",
    "ConstraintSet": "candling.constraints",
    "DataError": "candling.errors",
    "Exact": "candling.measures",
    "Measure": "candling.releases",
    "Plan": "candling.releases",
    "Scorecard": "candling.releases",
    "Study": "candling.study",
    "UsageError": "candling.errors",
    "analyze": "candling.study",
    "exact": "candling.study",
    "load_constraints": "candling.constraints",
    "parse_constraints": "candling.constraints",
    "plan": "candling.study",
    "release": "candling.study",
}


if not TYPE_CHECKING:  # or a type checker would take any name for a member

    def __getattr__(name: str) -> object:
        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(_HOME[name]), name)
        globals()[name] = value  # the next access does not come here
        return value


def __dir__() -> list[str]:
    return sorted(__all__)
