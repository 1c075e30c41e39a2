"""Names in SQL."""


def quoted(name: str, mark: str = '"') -> str:
    """A name in quotes: it is data, never SQL."""
    return mark + name.replace(mark, 2 * mark) + mark
