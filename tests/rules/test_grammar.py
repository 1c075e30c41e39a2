"""The stored tables of the parser are those of the grammar."""

from __future__ import annotations

from candling.rules.grammar import TABLES, load_parser, make_parser, write_tables

RULES = (
    "Zip -> City, State",
    "key(Id)",
    "not(t1.City = t2.City and t1.Salary > t2.Salary and t1.Tax < t2.Tax)",
    "Age between 0 and 120",
    "State in ('MD', 'NY')",
    "Email matches '[a-z]+@[a-z]+'",
    "check (A + B <= C)",
)


def test_the_tables_are_up_to_date() -> None:
    stored, _, _ = TABLES.read_bytes().partition(b"\n")
    made, _, _ = write_tables().partition(b"\n")
    assert stored == made, "run `make docs-update`"


def test_both_parsers_read_the_same() -> None:
    for rule in RULES:
        assert load_parser().parse(rule, start="start") == make_parser().parse(rule, start="start")
    assert load_parser() is load_parser()


def test_tables_of_another_grammar_are_not_used(monkeypatch, tmp_path) -> None:  # type: ignore[no-untyped-def]
    stale = tmp_path / "grammar.tables"
    stale.write_bytes(b"0.0 another\nnothing")
    monkeypatch.setattr("candling.rules.grammar.TABLES", stale)
    load_parser.cache_clear()
    assert load_parser().parse("Zip -> City", start="start").children
    load_parser.cache_clear()
