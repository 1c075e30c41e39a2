"""Numbers and progress lines, as all benchmarks print them."""

from __future__ import annotations

import sys
import time


def number(value: float | None) -> str:
    """Three digits, or all digits of a large whole number; empty if there is no number."""
    if value is None:
        return ""
    return f"{value:.3g}" if abs(value) < 1_000 else f"{value:.0f}"


def progress(what: str) -> None:
    """Say on standard error what is measured now."""
    print(f"{time.strftime('%H:%M:%S')} {what} ...", file=sys.stderr, flush=True)
