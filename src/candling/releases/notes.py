"""What each released number means, in words."""

from __future__ import annotations

ROWS = "Number of rows, with noise; the interval covers the true number in 95 of 100 releases."
STATED_ROWS = (
    "Number of rows as the owner stated it: public, nothing was spent on it. Where it is public, "
    "tables of equal size are to be compared: exchanging a person's rows counts twice epsilon."
)
REPAIR_LP = (
    "The repair number by linear programming, with noise: at least this many rows must go, and at "
    "most twice as many. It lies between half of the smallest repair and the smallest repair; the "
    "interval is for the linear program's value, so low to twice high holds the smallest repair."
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
        "with noise. Each row counts in at most `threshold` pairs, so this estimates a lower "
        "bound of the true number; `low` is below the true number in 95 of 100 releases."
    ),
    "problematic": (
        "Number of rows in some conflict, with noise. Each row vouches for at most `threshold` "
        "others, so this estimates a lower bound of the true number; `low` is below the true "
        "number in 95 of 100 releases."
    ),
}
NO_UPPER_BOUND = (
    "No honest upper bound exists: a single row may add any number of conflicts, and the guarantee "
    "hides single rows. A public bound on the number of rows would give one."
)
MAXIMAL_CONSISTENT = (
    "log2 of the number of maximal consistent subsets, with noise: how many ways there are to "
    "clean the table by leaving out no more than necessary; each unit doubles them."
)
NULLS_LEFT_OUT = (
    "Rows with NULL in {columns} are left out of the count, which makes it a lower bound: no upper "
    "bound is given."
)
RULE = "Rows that must go for this rule alone, with noise; the interval is at 95% for each rule."
WORST_RULE = "The rule that needs about the largest repair, chosen with noise."
REFUSED = "Not released, and nothing spent: the rules do not allow it."
