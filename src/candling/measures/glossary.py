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
    "repair": """\
How few rows would have to go until every rule holds.

This is the measure to judge a table by: it grows by at most one with each wrong row. Where the
rules allow (its kind is `exact`) it is the smallest number of rows. Otherwise
(its kind is `lower_bound`) at least this many rows must go, and at most twice as many. `low` and
`high` are for the smallest number of rows in both cases. The grade of a table is 1 - repair/rows.
""",
    "rows": """\
How many rows the table has.

Released with noise, like everything else: the size of a table can tell whether somebody is in it.
If it is public anyway, say so with --public-rows; then it gets no noise, and the others get less.
""",
    "problematic": """\
How many rows take part in some conflict.

Rely on `low`: at least so many rows take part, in 95 of 100 releases. The right rows that a wrong
one conflicts with count as well. Noise must hide a row with all that it conflicts with, so a row
brings `threshold` others into the count at most, and the value is an estimate from below. `high` is
the upper end of `rows`; without any bound on the rows there is none.
""",
    "minimal_inconsistent": """\
How many conflicts there are: pairs of rows, or single rows, that break a rule.

Rely on `low`: there are at least so many conflicts, in 95 of 100 releases. One wrong row can
conflict with thousands of right ones, so this number says more about the rules than about the work
that cleaning takes; `repair` is about that. Noise must hide a row with all its conflicts, so a row
counts in `threshold` conflicts at most, and the value is an estimate from below. Every conflict has
a row of the smallest repair in it, so `high` follows from the upper ends of `repair` and `rows`;
without any bound on the rows there is none.
""",
    "drastic": """\
1 if any rule is broken, else 0.

It is read off the noisy repair number and costs nothing beside it. A consistent table is called
inconsistent in 5 of 100 releases at most. A 0 does not rule out a few errors: the card says how
many would have been noticed.
""",
    "maximal_consistent": """\
How many ways there are to clean the table: log2 of the number of its maximal consistent parts.

A part is maximal if no row can be put back without breaking a rule. Each unit doubles the number of
ways. It is released if you ask for it, and makes the other numbers a little noisier. It can be
counted only if all rules are dependencies and keys whose left sides form a chain; for other rules
it is refused and costs nothing.
""",
    "by_rule": """\
The repair number of each rule alone.

It shows which rules hold and which do not. Each rule is one more number in the draw, and makes all
numbers a little noisier.
""",
    "worst_rule": """\
The rule that needs about the largest repair.

Beside `by_rule` it is the rule with the largest number there, and costs nothing. Without `by_rule`
it is chosen with noise, for a fifth of the epsilon if there are other numbers (--split
draw=9,worst_rule=1 makes it a tenth). Among rules that are about equally bad, any may be named.
""",
}

THRESHOLDS = {
    "minimal_inconsistent": "Here a row counts in {threshold:,} {conflicts} at most.",
    "problematic": "Here a row brings {threshold:,} {others} into the count at most.",
}


def at_threshold(measure: str, threshold: int) -> str:
    """What the threshold of a released measure means, in a sentence."""
    one = threshold == 1
    return THRESHOLDS[measure].format(
        threshold=threshold,
        conflicts="conflict" if one else "conflicts",
        others="other" if one else "others",
    )
