"""The weighted conflict graph: which classes of rows break a rule together."""

from candling.graph.blocks import BlockGraph, build_conflicts
from candling.graph.build import build_graph
from candling.graph.explicit import ConflictGraph
from candling.graph.protocol import Graph

__all__ = [
    "BlockGraph",
    "ConflictGraph",
    "Graph",
    "build_conflicts",
    "build_graph",
]
