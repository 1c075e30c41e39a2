"""The measures of a conflict graph. Knows nothing of noise."""

from candling.measures.exact import Exact
from candling.measures.repair import fractional_repair

__all__ = ["Exact", "fractional_repair"]
