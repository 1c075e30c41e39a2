"""What the expectations of Great Expectations say, and of dbt_expectations, which has them too."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import combinations
from typing import Any

from candling.imports.documents import texts
from candling.imports.draft import NULLS_EQUAL, Draft, UnsupportedRuleError, range_of
from candling.imports.sql_conditions import condition
from candling.imports.sql_conditions import value as value_in_sql
from candling.records import dataclass
from candling.rules.printer import quote_text

_ANY_MISSING = ("any_value_is_missing", "either_value_is_missing")
_ONE_NULL = "in the original, a row with NULL in one of the columns fails; here, it passes"
_MOST_COMPARED = 60  # columns of which each is compared with each other


@dataclass(frozen=True, slots=True)
class Expectation:
    """One expectation about one column, or about several."""

    name: str  # expect_column_values_to_be_in_set
    column: str | None
    arguments: dict[str, Any]
    sql: bool  # of dbt_expectations: texts are fragments of SQL

    def text(self, key: str) -> str:
        """An argument that must be a text."""
        value = self.arguments.get(key)
        if not isinstance(value, str):
            raise UnsupportedRuleError(f"`{key}` is not a text that stands in the file")
        return value

    def values(self, key: str) -> list[Any]:
        """An argument that must be a list."""
        value = self.arguments.get(key)
        if isinstance(value, list):
            return value
        raise UnsupportedRuleError(f"`{key}` is not a list that stands in the file")

    @property
    def about(self) -> str:
        """The column that it is about."""
        if self.column is None:
            raise UnsupportedRuleError("it names no column")
        return self.column


Said = tuple[str, str | None]  # a rule, and where its meaning differs


def rules_of(expectation: Expectation, draft: Draft) -> list[Said]:
    """The rules that say the same; CannotSayError with the reason if none do."""
    name = expectation.name
    if name in _REASONS:
        raise UnsupportedRuleError(_REASONS[name])
    if name not in _KNOWN:
        raise UnsupportedRuleError(_reason_by_name(name))
    return list(_KNOWN[name](expectation, draft))


def row_count_gates(name: str, arguments: dict[str, Any]) -> list[str]:
    """The gates for an expectation about the number of rows; none for every other."""
    gates = []
    if name == "expect_table_row_count_to_equal":
        value = arguments.get("value")
        if isinstance(value, int):
            gates = [f"rows < {value}", f"rows > {value}"]
    elif name == "expect_table_row_count_to_be_between":
        low, high = arguments.get("min_value"), arguments.get("max_value")
        under = "<=" if arguments.get("strict_min") or arguments.get("strictly") else "<"
        over = ">=" if arguments.get("strict_max") or arguments.get("strictly") else ">"
        gates += [f"rows {under} {low}"] if isinstance(low, int) else []
        gates += [f"rows {over} {high}"] if isinstance(high, int) else []
    return gates


# Single columns


def _not_null(e: Expectation, draft: Draft) -> Iterator[Said]:
    yield f"{draft.columns.text(e.about)} is not null", None


def _null(e: Expectation, draft: Draft) -> Iterator[Said]:
    yield f"{draft.columns.text(e.about)} is null", None


def _unique(e: Expectation, draft: Draft) -> Iterator[Said]:
    yield f"key({draft.columns.text(e.about)})", None


def _in_set(e: Expectation, draft: Draft) -> Iterator[Said]:
    yield _in(e, draft, "in"), None


def _not_in_set(e: Expectation, draft: Draft) -> Iterator[Said]:
    yield _in(e, draft, "not in"), None


def _equal_set(e: Expectation, draft: Draft) -> Iterator[Said]:
    yield _in(e, draft, "in"), "the original also requires every value to occur; that "
    "part is dropped"


def _in(e: Expectation, draft: Draft, word: str) -> str:
    values = [value for value in e.values("value_set") if value is not None]
    listed = draft.columns.write_list(values, e.about)
    return f"{draft.columns.text(e.about)} {word} {listed}"


def _between(e: Expectation, draft: Draft) -> Iterator[Said]:
    low, high = (_end(e, draft, key) for key in ("min_value", "max_value"))
    yield range_of(draft.columns.text(e.about), low, high, **_strict(e)), None


def _least(e: Expectation, draft: Draft) -> Iterator[Said]:
    """Of the least value: that it is not too small is a rule about every row."""
    if e.arguments.get("min_value") is None:
        raise UnsupportedRuleError("it is about the minimum of all rows")
    rule = range_of(draft.columns.text(e.about), _end(e, draft, "min_value"), None, **_strict(e))
    more = "the original also limits how large the minimum may be; that part is dropped"
    yield rule, None if e.arguments.get("max_value") is None else more


def _greatest(e: Expectation, draft: Draft) -> Iterator[Said]:
    if e.arguments.get("max_value") is None:
        raise UnsupportedRuleError("it is about the maximum of all rows")
    rule = range_of(draft.columns.text(e.about), None, _end(e, draft, "max_value"), **_strict(e))
    more = "the original also limits how small the maximum may be; that part is dropped"
    yield rule, None if e.arguments.get("min_value") is None else more


def _strict(e: Expectation) -> dict[str, bool]:
    both = bool(e.arguments.get("strictly"))
    return {
        "above": both or bool(e.arguments.get("strict_min")),
        "below": both or bool(e.arguments.get("strict_max")),
    }


def _end(e: Expectation, draft: Draft, key: str) -> str | None:
    value = e.arguments.get(key)
    if value is None:
        return None
    if e.sql and isinstance(value, str):  # SQL: '2020-01-01' in quotes, a column, a number
        return value_in_sql(value, e.about, draft.columns, draft.dialect)
    return draft.columns.literal(value, e.about, ordered=True)


def _regex(e: Expectation, draft: Draft) -> Iterator[Said]:
    yield _matches(e, draft, "matches", e.text("regex")), None


def _not_regex(e: Expectation, draft: Draft) -> Iterator[Said]:
    yield _matches(e, draft, "not matches", e.text("regex")), None


def _regex_list(e: Expectation, draft: Draft) -> Iterator[Said]:
    patterns = texts(e.values("regex_list"))
    joint = " and " if e.arguments.get("match_on") == "all" else " or "
    yield _join_rules(joint, [_matches(e, draft, "matches", p) for p in patterns]), None


def _not_regex_list(e: Expectation, draft: Draft) -> Iterator[Said]:
    patterns = texts(e.values("regex_list"))
    joint = " and " if e.arguments.get("match_on", "any") == "any" else " or "
    yield _join_rules(joint, [_matches(e, draft, "not matches", p) for p in patterns]), None


def _matches(e: Expectation, draft: Draft, word: str, pattern: str) -> str:
    if e.arguments.get("flags"):
        raise UnsupportedRuleError("patterns in rules have no flags")
    return f"{draft.columns.text(e.about)} {word} {quote_text(pattern, chr(39))}"


def _like(e: Expectation, draft: Draft) -> Iterator[Said]:
    yield f"{draft.columns.text(e.about)} like {_pattern(e.text('like_pattern'))}", None


def _not_like(e: Expectation, draft: Draft) -> Iterator[Said]:
    yield f"{draft.columns.text(e.about)} not like {_pattern(e.text('like_pattern'))}", None


def _like_list(e: Expectation, draft: Draft) -> Iterator[Said]:
    name = draft.columns.text(e.about)
    joint = " and " if e.arguments.get("match_on") == "all" else " or "
    parts = [f"{name} like {_pattern(p)}" for p in texts(e.values("like_pattern_list"))]
    yield _join_rules(joint, parts), None


def _not_like_list(e: Expectation, draft: Draft) -> Iterator[Said]:
    name = draft.columns.text(e.about)
    parts = [f"{name} not like {_pattern(p)}" for p in texts(e.values("like_pattern_list"))]
    yield _join_rules(" and ", parts), None


def _pattern(pattern: str) -> str:
    if "\\" in pattern:
        raise UnsupportedRuleError("databases differ on what \\ means in LIKE")
    return quote_text(pattern, "'")


def _length(e: Expectation, draft: Draft) -> Iterator[Said]:
    yield f"length({draft.columns.text(e.about)}) = {_whole(e, 'value')}", None


def _lengths(e: Expectation, draft: Draft) -> Iterator[Said]:
    low, high = (
        None if e.arguments.get(key) is None else _whole(e, key)
        for key in ("min_value", "max_value")
    )
    yield range_of(f"length({draft.columns.text(e.about)})", low, high, **_strict(e)), None


def _whole(e: Expectation, key: str) -> str:
    value = e.arguments.get(key)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        raise UnsupportedRuleError(f"`{key}` is not a number that stands in the file")
    return str(value)


# Several columns


def _listed_columns(e: Expectation) -> list[str]:
    return texts(e.values("column_list"))


def _compound_unique(e: Expectation, draft: Draft) -> Iterator[Said]:
    names = draft.columns.texts(_listed_columns(e))
    as_here = len(names) == 1 or e.arguments.get("ignore_row_if") in _ANY_MISSING
    yield f"key({', '.join(names)})", None if as_here else NULLS_EQUAL


def _within_record(e: Expectation, draft: Draft) -> Iterator[Said]:
    names = draft.columns.texts(_listed_columns(e))
    if len(names) > _MOST_COMPARED:
        raise UnsupportedRuleError(
            f"it compares each of {len(names):,} columns with each other, and {_MOST_COMPARED} is "
            "the most"
        )
    parts = [f"{a} != {b}" for a, b in combinations(names, 2)]
    as_here = e.arguments.get("ignore_row_if") in _ANY_MISSING
    yield _join_rules(" and ", parts), None if as_here else NULLS_EQUAL


def _sum(e: Expectation, draft: Draft) -> Iterator[Said]:
    total = e.arguments.get("sum_total")
    if isinstance(total, bool) or not isinstance(total, int | float):
        raise UnsupportedRuleError("`sum_total` is not a number that stands in the file")
    names = draft.columns.texts(_listed_columns(e))
    if not names:
        raise UnsupportedRuleError("it names no column")
    number = draft.columns.literal(total, _listed_columns(e)[0])
    yield f"check ({' + '.join(names)} = {number})", None


def _pair(e: Expectation, draft: Draft) -> tuple[str, str]:
    return draft.columns.text(e.text("column_A")), draft.columns.text(e.text("column_B"))


def _pair_order(e: Expectation, draft: Draft) -> Iterator[Said]:
    left, right = _pair(e, draft)
    as_here = e.sql or e.arguments.get("ignore_row_if") in _ANY_MISSING
    op = ">=" if e.arguments.get("or_equal") else ">"
    yield f"{left} {op} {right}", None if as_here else _ONE_NULL


def _pair_equal(e: Expectation, draft: Draft) -> Iterator[Said]:
    left, right = _pair(e, draft)
    as_here = e.sql or e.arguments.get("ignore_row_if") in _ANY_MISSING
    yield f"{left} = {right}", None if as_here else _ONE_NULL


def _pair_in_set(e: Expectation, draft: Draft) -> Iterator[Said]:
    left, right = _pair(e, draft)
    names = (e.text("column_A"), e.text("column_B"))
    parts = []
    for pair in e.values("value_pairs_set"):
        if not isinstance(pair, list) or len(pair) != 2:
            raise UnsupportedRuleError("its list has something that is not a pair of values")
        a, b = (draft.columns.literal(v, name) for v, name in zip(pair, names, strict=True))
        parts.append(f"({left} = {a} and {right} = {b})")
    as_here = e.arguments.get("ignore_row_if") in _ANY_MISSING
    rule = _join_rules(" or ", [f"{left} is null", f"{right} is null", *parts])
    yield rule, None if as_here else _ONE_NULL


def _expression(e: Expectation, draft: Draft) -> Iterator[Said]:
    said = condition(e.text("expression"), draft.columns, draft.dialect)
    yield said.rule, said.differs


def _join_rules(joint: str, parts: Iterable[str]) -> str:
    listed = list(parts)
    if not listed:
        raise UnsupportedRuleError("its list is empty")
    return listed[0] if len(listed) == 1 else f"check ({joint.join(listed)})"


_KNOWN: dict[str, Callable[[Expectation, Draft], Iterator[Said]]] = {
    "expect_column_values_to_not_be_null": _not_null,
    "expect_column_values_to_be_null": _null,
    "expect_column_values_to_be_unique": _unique,
    "expect_column_values_to_be_in_set": _in_set,
    "expect_column_values_to_not_be_in_set": _not_in_set,
    "expect_column_distinct_values_to_be_in_set": _in_set,
    "expect_column_distinct_values_to_equal_set": _equal_set,
    "expect_column_values_to_be_between": _between,
    "expect_column_min_to_be_between": _least,
    "expect_column_max_to_be_between": _greatest,
    "expect_column_values_to_match_regex": _regex,
    "expect_column_values_to_not_match_regex": _not_regex,
    "expect_column_values_to_match_regex_list": _regex_list,
    "expect_column_values_to_not_match_regex_list": _not_regex_list,
    "expect_column_values_to_match_like_pattern": _like,
    "expect_column_values_to_not_match_like_pattern": _not_like,
    "expect_column_values_to_match_like_pattern_list": _like_list,
    "expect_column_values_to_not_match_like_pattern_list": _not_like_list,
    "expect_column_value_lengths_to_equal": _length,
    "expect_column_value_lengths_to_be_between": _lengths,
    "expect_compound_columns_to_be_unique": _compound_unique,
    "expect_select_column_values_to_be_unique_within_record": _within_record,
    "expect_multicolumn_values_to_be_unique": _within_record,
    "expect_multicolumn_sum_to_equal": _sum,
    "expect_column_pair_values_A_to_be_greater_than_B": _pair_order,
    "expect_column_pair_values_a_to_be_greater_than_b": _pair_order,
    "expect_column_pair_values_to_be_equal": _pair_equal,
    "expect_column_pair_values_to_be_in_set": _pair_in_set,
    "expression_is_true": _expression,
}
_SCHEMA = "it is about the columns, not about rows: `candling check RULES DATA` looks at them"
_ALL_ROWS = "it is about all rows at once, not about single rows or pairs"
_ORDER = "it is about the order in which rows are stored"
_REASONS = {
    "expect_column_to_exist": _SCHEMA,
    "expect_column_values_to_be_of_type": _SCHEMA,
    "expect_column_values_to_be_in_type_list": _SCHEMA,
    "expect_column_values_to_be_increasing": _ORDER,
    "expect_column_values_to_be_decreasing": _ORDER,
    "expect_column_values_to_match_strftime_format": "dates cannot be written in this format",
    "expect_column_values_to_be_dateutil_parseable": "rules cannot parse dates in other formats",
    "expect_column_values_to_be_json_parseable": "rules cannot parse JSON",
    "expect_column_values_to_match_json_schema": "rules cannot parse JSON",
    "expect_column_values_to_have_consistent_casing": "rules cannot test for upper and lower case",
    "expect_row_values_to_have_recent_data": "rules do not know the current date",
    "expect_row_values_to_have_data_for_every_n_datepart": _ALL_ROWS,
}


_AGGREGATES = ("quantile", "z_scores", "kl_divergence", "distinct_values", "most_common", "_stdev")


def short_name(name: str) -> str:
    """What a label says of an expectation: `in_set` for `expect_column_values_to_be_in_set`."""
    for words in ("expect_", "select_", "compound_columns_", "column_", "multicolumn_", "pair_"):
        name = name.removeprefix(words)
    for words in ("values_", "value_", "to_be_", "to_"):
        name = name.removeprefix(words)
    for old, new in (("_to_be_", "_"), ("not_be_", "not_"), ("combination_of_columns", "")):
        name = name.replace(old, new)
    return name


def _reason_by_name(name: str) -> str:
    if name.startswith(("expect_table_column", "expect_table_columns")):
        return _SCHEMA
    if name.startswith("expect_table_row_count"):
        return "it is about the number of rows of another table, or one that is computed"
    whole = name.startswith(("expect_table_", "expect_column_")) and "_values_to_" not in name
    if whole or any(word in name for word in _AGGREGATES):
        return _ALL_ROWS
    return f"{name} is unknown to candling"
