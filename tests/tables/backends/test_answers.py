from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import candling
from candling.tables.backends.spark_parts import from_text, to_text

numbers = st.one_of(
    st.none(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.fractions()
)
answers = st.recursive(
    numbers,
    lambda inner: st.one_of(
        st.lists(inner), st.lists(inner).map(tuple), st.dictionaries(st.text(), inner)
    ),
)


@given(answers)
def test_an_answer_comes_back_as_it_was(answer: Any) -> None:
    same = from_text(to_text(answer), answer)
    assert repr(same) == repr(answer)  # also its types, and the sign of zero


def test_whole_numbers_of_any_size_and_numbers_of_numpy() -> None:
    assert from_text(to_text(10**4000), 0) == 10**4000
    assert from_text(to_text([np.int64(2**62), np.float64(0.1)]), []) == [2**62, 0.1]


@pytest.mark.parametrize("answer", [object(), "text", b"bytes", True, {1: 2}, float("nan")])
def test_what_no_answer_holds_is_not_sent(answer: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        to_text(answer)


SAMPLE: dict[str, Any] = {
    "repair": ((0, 0), Fraction(0), 0),
    "logs": [],
    "by_rule": [(0,), (0,)],
    "rows": None,
}
GOOD = SAMPLE | {"repair": ((1, 2), Fraction(1, 2), None), "logs": [0.5], "by_rule": [(1,), (2,)]}


def test_an_answer_of_the_right_shape() -> None:
    assert from_text(to_text(GOOD), SAMPLE) == GOOD
    assert from_text(to_text(GOOD | {"logs": None}), SAMPLE)["logs"] is None


@pytest.mark.parametrize(
    "text",
    [
        *(None, b"[]", "", "[", "true", "NaN", "-Infinity", "1e999", '"text"', "9" * 5000),
        *('{"fraction": [1, 0]}', '{"fraction": [1.5, 2]}', '{"tuple": 3}', '{"set": []}', "{}"),
        *("[" * 10**6, '{"dict": [1]}', '{"dict": {}}', "[1]", "7", "null"),
        to_text(GOOD | {"more": 1}),
        to_text(GOOD | {"repair": (1, 2)}),
        to_text(GOOD | {"repair": ((1, 2, 3), 0, 0)}),
        to_text(GOOD | {"repair": [(1, 2), 0, 0]}),
        to_text(GOOD | {"logs": [[1]]}),
        to_text(GOOD | {"logs": {"a": 1}}),
        to_text(GOOD | {"by_rule": [(1,)]}),
        to_text(GOOD | {"by_rule": [1, 2]}),
        to_text(GOOD | {"rows": [1]}),
    ],
)
def test_answers_that_are_refused(text: object) -> None:
    with pytest.raises(candling.DataError) as caught:
        from_text(text, SAMPLE)
    assert caught.value.code == "D108"
