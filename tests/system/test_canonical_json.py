"""One text for one value, and one value for one text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from candling.system.canonical_json import (
    RewrittenError,
    canonical_json,
    compact_json,
    parse_canonical,
)

texts = st.text(st.characters(exclude_categories=()), max_size=8)
numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=12,
)


def test_canonical_text_does_not_depend_on_order_and_the_written_one_keeps_it() -> None:
    assert (
        canonical_json({"b": 1, "a": "é"})
        == canonical_json({"a": "é", "b": 1})
        == r'{"a":"\u00e9","b":1}'
    )
    assert compact_json({"b": 1, "a": 2}) == '{"b":1,"a":2}'
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(float("nan"))


@given(values, st.sampled_from([None, 2]))
def test_what_json_writes_is_read_back_exactly(value: Any, indent: int | None) -> None:
    for text in (compact_json(value), canonical_json(value), json.dumps(value, indent=indent)):
        assert canonical_json(parse_canonical(text)) == canonical_json(value)
        assert json.dumps(parse_canonical(text), sort_keys=True) == json.dumps(
            value, sort_keys=True
        )


@pytest.mark.parametrize(
    "text",
    [
        *("1.00", "1.50", "1e5", "1E5", "0.1e1", "10.0e-1", "-0", "1e999", "0.10"),
        *(r'"\/"', r'"\u0061"', r'"\u00E9"', r'"\u000a"', r'{"\u0061": 1}'),
        *('{"a": 1, "a": 1}', '[{"a": 1, "b": 2, "a": 3}]', r'{"a": 1, "\u0061": 2}'),
    ],
)
def test_what_is_written_in_another_way_is_refused(text: str) -> None:
    json.loads(text)
    with pytest.raises(RewrittenError):
        parse_canonical(text)


@pytest.mark.parametrize(
    "text",
    ["", "NaN", "[Infinity]", "-Infinity", "{} {}", "{}x", "01", "\ufeff{}", "'a'", "9" * 5000],
)
def test_what_is_not_json_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"\w") as error:
        parse_canonical(text)
    assert not isinstance(error.value, RewrittenError)


def test_spaces_and_the_order_of_keys_mean_nothing() -> None:
    value = parse_canonical(' {\n"b":\t[ 1 , 2.5 ],\r"a": "\u00e9" } ')
    assert canonical_json(value) == canonical_json(parse_canonical(r'{"a":"\u00e9","b":[1,2.5]}'))
