"""The published algorithms, rivals, noise generators and experiments.

Nothing else in the package needs this room. Its functions come in two kinds: methods for a release,
which are as private as they say, and things called `not_private`, which repeat what was published.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from candling_paper.methods import baseline, exponential, hierarchical, projection, r2t

__all__ = ["baseline", "exponential", "hierarchical", "projection", "r2t"]


if not TYPE_CHECKING:  # or a type checker would take any name for a member

    def __getattr__(name: str) -> object:
        """A method, loaded when it is asked for: `candling --help` lists our command without it."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from candling_paper import methods

        return getattr(methods, name)
