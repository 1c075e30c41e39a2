"""Between any two steps of a charged release, a place where the process may end.

The tests end it there; everywhere else this does nothing. In order: `found` (the request is new),
`reserving` (written, not yet committed), `reserved`, `computed` (noise is added), `storing`
(written, not yet committed), `stored`. Only then may anything be shown.
"""

from __future__ import annotations

STEPS = ("found", "reserving", "reserved", "computed", "storing", "stored")


def reached(step: str) -> None:
    """Called when `step` was taken."""
