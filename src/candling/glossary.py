"""What each measure means, for `candling explain repair`; the first line says it in short."""

from __future__ import annotations

MEASURES: dict[str, str] = {
    "grade": """\
The share of the rows that can stay: 1 - repair/rows.

It is in every card with `repair` and `rows`, and costs nothing beside them. Its interval is for the
true share, with as few rows deleted as possible, at 95%: it allows for the noise of both numbers,
and for a repair number that is only a bound. All outputs show the same digits. A table without rows
has a grade of 100%. `--fail-if "grade < 95%"` makes it a gate.
""",
    "rows": """\
How many rows the table has.

Released with noise, like everything else: the size of a table can tell whether somebody is in it.
If it is public anyway, say so with --public-rows; then it costs nothing.
""",
    "drastic": """\
1 if any rule is broken, else 0.

It is read off the noisy repair number and costs nothing beside it. A consistent table is called
inconsistent in 5 of 100 releases at most. A 0 does not rule out a few errors: the card says how
many would have been noticed.
""",
    "minimal_inconsistent": """\
How many conflicts there are: pairs of rows, or single rows, that break a rule.

One wrong row can conflict with thousands of right ones, so this number says more about the rules
than about the work that cleaning takes; `repair` is about that. One row can also change it without
limit, so each row counts in no more than `threshold` conflicts, and the value estimates a lower
bound. Every conflict has a row of the smallest repair in it, so `high` follows from the upper ends
of `repair` and `rows`; without any bound on the rows there is none.
""",
    "problematic": """\
How many rows take part in some conflict.

The right rows that a wrong one conflicts with count as well. One row can change it without limit,
so each row vouches for no more than `threshold` others, and the value estimates a lower bound.
`high` is the upper end of `rows`; without any bound on the rows there is none.
""",
    "repair": """\
How few rows would have to go until every rule holds.

This is the measure to judge a table by: it grows by at most one with each wrong row. Where the
rules allow (its kind is `exact`) it is the smallest number of rows. Otherwise
(its kind is `lower_bound`) at least this many rows must go, and at most twice as many. `low` and
`high` are for the smallest number of rows in both cases. The grade of a table is 1 - repair/rows.
""",
    "maximal_consistent": """\
How many ways there are to clean the table: log2 of the number of its maximal consistent parts.

A part is maximal if no row can be put back without breaking a rule. Each unit doubles the number of
ways. It can be counted only if all rules are dependencies and keys whose left sides form a chain;
for other rules it is refused and costs nothing.
""",
    "by_rule": """\
The repair number of each rule alone.

It shows which rules hold and which do not. The rules share its part of the budget.
""",
    "worst_rule": """\
The rule that needs about the largest repair.

It is chosen with noise: among rules that are about equally bad, any may be named.
""",
}
