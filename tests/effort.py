"""How much work the tests do: a part by default, all of it where CANDLING_TESTS is `all`.

`make test` draws fewer examples, mutants and releases than `make test-all`, from the same laws and
with thresholds that follow from the number that was drawn. Tests that are only worth their time
when they run whole are marked `long`, and only `make test-all` runs them.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

ALL = os.environ.get("CANDLING_TESTS") == "all"
EXAMPLES = 100  # of a Hypothesis test that states no number
PART = 4  # the default run draws a quarter of the examples


def reduce(full: int, divisor: int) -> int:
    """Divide a number of rounds by `divisor`, except where everything is run."""
    return full if ALL else max(1, full // divisor)


def examples(full: int) -> int:
    """Scale the `max_examples` of a Hypothesis test."""
    return reduce(full, PART)


def load_profile() -> None:
    """Select the profile of Hypothesis for this run."""
    slow = [HealthCheck.too_slow]  # says that the machine is busy
    for name, count in (("part", EXAMPLES // PART), ("all", EXAMPLES)):
        settings.register_profile(
            name, max_examples=count, deadline=None, suppress_health_check=slow
        )
    settings.load_profile("all" if ALL else "part")
