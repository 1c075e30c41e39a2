"""The published algorithms, rivals, noise generators and experiments.

Its functions come in two kinds: `release` with a method, which is as private as it says, and things
called `not_private`, which repeat what was published.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from candling_paper.measure_by_measure import release
    from candling_paper.methods import (
        baseline,
        by_name,
        distinct,
        exponential,
        hierarchical,
        projection,
        r2t,
    )

__all__ = [
    "baseline",
    "by_name",
    "distinct",
    "exponential",
    "hierarchical",
    "projection",
    "r2t",
    "release",
]


if not TYPE_CHECKING:  # or a type checker would take any name for a member

    def __getattr__(name: str) -> object:
        """A function, loaded when it is asked for: `candling --help` lists our command without."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        place = "measure_by_measure" if name == "release" else "methods"
        return getattr(import_module(f"candling_paper.{place}"), name)
