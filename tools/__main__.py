"""Write docs/reference, docs/pictures, docs/paper.md and the parser's tables again.

`make docs-update` runs it.
"""

from __future__ import annotations

from candling.rules.grammar import TABLES, write_tables
from tools import made_files


def main() -> None:
    """Write every made file."""
    for path, text in made_files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    made = write_tables()  # in another order every time
    if TABLES.read_bytes().partition(b"\n")[0] != made.partition(b"\n")[0]:
        TABLES.write_bytes(made)


if __name__ == "__main__":
    main()
