"""The measures of a conflict graph. Knows nothing of noise."""

from candling.measures.exact import Exact, exact_measures
from candling.measures.repair import fractional_repair

__all__ = ["Exact", "exact_measures", "fractional_repair"]
