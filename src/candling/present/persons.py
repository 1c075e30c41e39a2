"""Whose rows a release protects, in words: one wording for every output."""

from __future__ import annotations

from candling.person import Person
from candling.present.numbers import count


def named(person: Person) -> str:
    """The columns that name a person."""
    return ", ".join(person.columns)


def protects(person: Person) -> str:
    """Whose rows the guarantee is for: the end of a sentence about epsilon."""
    if person.columns:
        rows = "one row" if person.rows is None else count(person.most, "row")
        return f"it protects all rows of a person ({named(person)}), of whom {rows} at most is kept"
    if person.most == 1:
        return "it protects each row by itself: that no person owns two is what its owner says"
    return (
        f"it protects whoever owns {count(person.most, 'row')} at most: that nobody owns more is "
        "what the owner says"
    )


def kept(person: Person) -> str | None:
    """What the numbers are about, where that is not the whole table."""
    if not person.columns:
        return None
    rows = count(person.most, "row")
    return f"All numbers are of the rows that were kept: {rows} at most of each person."


def unused(person: Person) -> str | None:
    """A word about columns that look like a person's, and that nobody spoke of."""
    if not person.unused:
        return None
    return (
        f"By its name, {', '.join(person.unused)} tells whose row it is, and the release protects "
        "rows, not persons. To protect all rows of a person, name the column with --person."
    )
