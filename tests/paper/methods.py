"""The methods that the paper's package adds, as the command line finds them."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import entry_points

from candling.measures import Method

METHODS: dict[str, Callable[[], Method]] = {
    point.name: point.load() for point in sorted(entry_points(group="candling.methods"))
}
