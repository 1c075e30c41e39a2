"""What each released number means, in words."""

from __future__ import annotations

ROWS = "Number of rows, with noise; the interval covers the true number in 95 of 100 releases."
STATED_ROWS = (
    "Number of rows as the owner stated it: public, nothing was spent on it. Where it is public, "
    "tables of equal size are to be compared: exchanging a person's rows counts twice epsilon."
)
REPAIR_LOWER_BOUND = (
    "A lower bound of the smallest repair, with noise: at least this many rows must go, and at "
    "most twice as many. The interval covers the smallest number of rows that must go in 95 of "
    "100 releases."
)
REPAIR_EXACT = (
    "The smallest number of rows that must go, with noise; the interval covers the true number in "
    "95 of 100 releases."
)
DRASTIC = (
    "1 if the table is inconsistent, read off the noisy repair number. A consistent table is "
    "called inconsistent with probability 5% at most; one whose repair needs {detects} rows or "
    "more is recognised with probability 95% at least. A 0 does not rule out fewer errors."
)
THRESHOLDED = {
    "minimal_inconsistent": (
        "Rely on the lower end of the interval: there are at least so many conflicts, which are "
        "pairs of rows that break a rule together, and rows that break one alone. The interval "
        "covers the true number in 95 of 100 releases. The value is an estimate from below, with "
        "noise: a row counts in a limited number of conflicts, so that noise can hide it."
    ),
    "problematic": (
        "Rely on the lower end of the interval: at least so many rows take part in a conflict. "
        "The interval covers the true number in 95 of 100 releases. The value is an estimate from "
        "below, with noise: a row brings a limited number of others into the count, so that noise "
        "can hide it."
    ),
}
NO_UPPER_BOUND = (
    "No honest upper bound exists without one on the number of rows: a single row may add as many "
    "conflicts as there are rows, and the guarantee hides single rows. Release `rows` too, or "
    "state a public bound (--max-rows)."
)
MAXIMAL_CONSISTENT = (
    "log2 of the number of maximal consistent subsets, with noise: how many ways there are to "
    "clean the table by leaving out no more than necessary; each unit doubles them."
)
NULLS_LEFT_OUT = (
    "Rows with NULL in {columns} are left out of the count, which makes it a lower bound: no upper "
    "bound is given."
)
RULE = {
    "exact": (
        "The smallest number of rows that must go for this rule alone, with noise; the interval "
        "covers it in 95 of 100 releases."
    ),
    "lower_bound": (
        "At least this many rows must go for this rule alone, and at most twice as many, with "
        "noise; the interval covers the smallest number that must go in 95 of 100 releases."
    ),
}
WORST_RULE = (
    "The rule that needs about the largest repair; among rules that are about equally bad, noise "
    "decides."
)
REFUSED = "Not released, and nothing spent: the rules do not allow it."
