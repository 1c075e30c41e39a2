"""The weighted conflict graph: which classes of rows break a rule together."""

from candling.conflicts.blocks import BlockGraph, build_conflicts
from candling.conflicts.build import build_graph
from candling.conflicts.degree_bound import DegreeBound, degree_bound
from candling.conflicts.graph import ConflictGraph

__all__ = [
    "BlockGraph",
    "ConflictGraph",
    "DegreeBound",
    "build_conflicts",
    "build_graph",
    "degree_bound",
]
