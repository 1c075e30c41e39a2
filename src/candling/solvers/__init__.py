"""The measures of a conflict graph. Knows nothing of noise."""

from candling.solvers.repair import fractional_repair

__all__ = ["fractional_repair"]
