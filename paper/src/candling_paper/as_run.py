"""The algorithms as the published numbers say they were run: NOT PRIVATE, for experiments.

No public version of the authors' code made the published numbers. This form follows the text where
it speaks, the public versions (mshubhankar/DPMeasures, 4200044 and later) where it is silent, and
the numbers where these differ:

- the text states the budgets (0.4 to choose, 0.6 for the noise) and two choices for both measures.
  The public code computes 0.6 and does not use it; a second form keeps its one choice for
  `problematic`;
- the authors' order of rows and pairs, with one noisy bound for all releases of a table:
  `as_coded`;
- a sample comes in a random order, which is the order of the rows;
- the query for conflicts leaves out every row that has a NULL in any column; the row still counts;
- R2T counts ordered pairs (`ordered_results`), and its negative answers are 0;
- a table without conflicts counts as one with an error of 0.

RNoise here changes distinct cells; theirs may change a cell again, and to the value that it has.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from candling.rules import ConstraintSet
from candling_paper.as_coded import Form, NotPrivateTable

TWO_CHOICES = Form(noise=0.6, twice=True)
ONE_CHOICE = Form(noise=0.6, twice=False)
CHANGES = 10  # between two tables that are looked at


def shuffle(table: pa.Table, seed: int) -> pa.Table:
    """The rows in a random order."""
    rng = np.random.default_rng([seed, 4])  # not the stream of the sample or of the noise
    return table.take(pa.array(rng.permutation(table.num_rows)))


def without_nulls(table: pa.Table) -> pa.Table:
    """The rows with a value in every column: those among which conflicts are looked for."""
    whole = np.ones(table.num_rows, bool)
    for column in table.columns:
        whole &= ~pc.is_null(column, nan_is_null=True).to_numpy()
    return table.filter(pa.array(whole))


def not_private(table: pa.Table, rules: ConstraintSet, first: pa.Table) -> NotPrivateTable:
    """The table as the authors' code sees it; `first` is the one before noise."""
    return NotPrivateTable.of(table, rules, first, joined=without_nulls(table))
