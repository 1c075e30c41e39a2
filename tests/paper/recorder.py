"""A generator that draws nothing, and writes down what it was asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Recorder:
    """In place of a generator: no noise, the first order, and choices that are written down."""

    takes: int | None = None  # what is chosen if it can be, else the last
    choices: list[dict[int, float]] = field(default_factory=list)
    scales: list[float] = field(default_factory=list)

    def integers(self, _: int) -> int:
        return 0

    def choice(self, candidates: Sequence[int], p: Sequence[float]) -> int:
        self.choices.append(dict(zip(candidates, p, strict=True)))
        if self.takes is not None and self.takes in candidates:
            return self.takes
        return candidates[-1]

    def laplace(self, *, scale: float, size: int | None = None) -> Any:
        self.scales.append(scale)
        return 0.0 if size is None else np.zeros(size)
