"""The published algorithms, rivals, noise generators and experiments.

Nothing else in the package needs this room. Its functions come in two kinds: methods for a release,
which are as private as they say, and things called `not_private`, which repeat what was published.
"""

from candling_paper.methods import baseline, exponential, hierarchical, projection, r2t

__all__ = ["baseline", "exponential", "hierarchical", "projection", "r2t"]
