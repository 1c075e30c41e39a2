"""A bound on the largest degree from the rules' equality columns, of small sensitivity.

Two rows that conflict under a rule agree on its equality columns. So no row has more conflicts than
the largest groups of these columns, less itself, add up to; a set of columns that contains another
rule's set adds nothing, because its groups lie inside.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from candling.graph.edges import group_lines
from candling.rules import Constraint
from candling.tables import Classes
from candling_paper.levels import Bound


def equality_sets(constraints: Sequence[Constraint]) -> tuple[frozenset[str], ...]:
    """The inclusion-minimal sets of equality columns of the pair rules."""
    sets = {frozenset(c.shape.equal) for c in constraints if c.rows == 2}
    minimal = (s for s in sets if not any(other < s for other in sets))
    return tuple(sorted(minimal, key=sorted))


def bound_degrees(classes: Classes, rows_per_person: int = 1) -> Bound:
    """Bound the degrees of a table (docs/privacy.md, Theorem 11).

    A rule without equality columns lets all rows meet: its one group is the table.
    """
    total = 0
    sets = equality_sets([rule.constraint for rule in classes.rules])
    columns = {name: index for rule in classes.rules for name, index in rule.names.items()}
    for names in sets:
        total += most_others(classes, [columns[name] for name in sorted(names)])
    return Bound(total, rows_per_person * max(len(sets), 1))


def most_others(classes: Classes, columns: Sequence[int]) -> int:
    """With how many others a row can agree on these columns, without NULL in them."""
    codes = classes.codes[list(columns)]
    present = (codes >= 0).all(axis=0)
    sizes = np.bincount(group_lines(codes[:, present]).label, classes.weights[present])
    return max(int(sizes.max(initial=0)) - 1, 0)
