"""A loop that comes no nearer to its end is a bug, and stops as one instead of running for ever."""

from __future__ import annotations

from candling.deadline import check_time


def must_progress(nearer: bool) -> None:
    """Raise if a loop did not do what its argument for ending says it does in every round.

    Not a CandlingError, as no caller can mend it; and nothing of the table is in the words. A time
    limit, where there is one, ends the loop too.
    """
    check_time()
    if not nearer:
        raise AssertionError("a loop made no progress")
