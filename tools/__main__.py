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
    TABLES.write_bytes(write_tables())


if __name__ == "__main__":
    main()
