"""What executors answer, as a text that holds numbers and nothing that could run here.

An answer is made of whole numbers, fractions, floats, None, lists, tuples and dictionaries by name.
The text is JSON with a name before what JSON lacks; whole numbers of any size and floats come back
as they were. An answer of another shape than the question has is refused.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np

from candling.errors import DataError


def to_text(answer: Any) -> str:
    """An answer as a text."""
    return json.dumps(_tagged(answer), allow_nan=False)


def from_text(text: object, sample: Any) -> Any:
    """The answer behind a text, which has the shape of `sample`; DataError if it has another."""
    try:
        answer = _untagged(json.loads(text if isinstance(text, str) else ""))
        fits = _fits(answer, sample)
    except (ValueError, TypeError, ZeroDivisionError, RecursionError):
        fits = False
    if not fits:
        raise DataError(
            "An executor of Spark gave an answer that is none to our question. Is the same version "
            "of candling installed there?",
            code="D108",
        )
    return answer


def _tagged(value: Any) -> Any:
    if value is None or type(value) in (int, float):
        return value
    if isinstance(value, Fraction):
        return {"fraction": [value.numerator, value.denominator]}
    if isinstance(value, tuple):
        return {"tuple": [_tagged(each) for each in value]}
    if isinstance(value, list):
        return [_tagged(each) for each in value]
    if isinstance(value, dict) and all(isinstance(name, str) for name in value):
        return {"dict": {name: _tagged(each) for name, each in value.items()}}
    if isinstance(value, np.integer | np.floating):
        return value.item()
    raise TypeError(f"an answer cannot hold {type(value).__name__}")


def _untagged(value: Any) -> Any:
    if value is None or type(value) is int or (type(value) is float and math.isfinite(value)):
        return value
    if isinstance(value, list):
        return [_untagged(each) for each in value]
    if isinstance(value, dict) and len(value) == 1:
        ((tag, inside),) = value.items()
        if tag == "tuple" and isinstance(inside, list):
            return tuple(_untagged(each) for each in inside)
        if tag == "dict" and isinstance(inside, dict):
            return {name: _untagged(each) for name, each in inside.items()}
        if tag == "fraction" and isinstance(inside, list) and len(inside) == 2:
            return Fraction(*map(_whole, inside))
    raise ValueError("not an answer")


def _whole(value: object) -> int:
    if type(value) is not int:
        raise ValueError("not an answer")
    return value


def _fits(answer: Any, sample: Any) -> bool:
    """Whether two answers have one shape: numbers may be None, lists of numbers have any length."""
    if isinstance(sample, dict):
        same = isinstance(answer, dict) and answer.keys() == sample.keys()
        return same and all(_fits(answer[name], sample[name]) for name in sample)
    if isinstance(sample, tuple) or any(map(_is_container, _entries(sample))):
        same = type(answer) is type(sample) and len(answer) == len(sample)
        return same and all(map(_fits, answer, sample))
    if isinstance(answer, list):
        return isinstance(sample, list) and not any(map(_is_container, answer))
    return not _is_container(answer)


def _entries(value: Any) -> Iterator[Any]:
    return iter(value if isinstance(value, list) else ())


def _is_container(value: Any) -> bool:
    return isinstance(value, list | tuple | dict)
