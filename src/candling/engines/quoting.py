"""Names and texts in SQL: they are data, never SQL."""


def quoted(name: str, mark: str = '"') -> str:
    """A name in quotes."""
    return mark + name.replace(mark, 2 * mark) + mark


def literal(text: str) -> str:
    """A text in quotes."""
    return quoted(text, "'")
