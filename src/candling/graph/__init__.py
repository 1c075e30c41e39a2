"""The weighted conflict graph of a table, and the hard numbers of it. Knows nothing of noise."""

from candling.graph.blocks import BlockGraph, build_conflicts
from candling.graph.build import build_graph
from candling.graph.conflict_graph import ConflictGraph, Graph
from candling.graph.repair import fractional_repair

__all__ = [
    "BlockGraph",
    "ConflictGraph",
    "Graph",
    "build_conflicts",
    "build_graph",
    "fractional_repair",
]
