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
        "Number of pairs of rows that break a rule together, and of rows that break one alone, "
        "with noise. Each row counts in at most `threshold` pairs, so the value estimates a lower "
        "bound; the interval covers the true number in 95 of 100 releases."
    ),
    "problematic": (
        "Number of rows in some conflict, with noise. Each row vouches for at most `threshold` "
        "others, so the value estimates a lower bound; the interval covers the true number in 95 "
        "of 100 releases."
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
WORST_RULE = "The rule that needs about the largest repair, chosen with noise."
REFUSED = "Not released, and nothing spent: the rules do not allow it."
