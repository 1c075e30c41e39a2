"""Write docs/reference, docs/pictures and docs/paper.md again; `make docs-update` runs it."""

from __future__ import annotations

from tools import made_files


def main() -> None:
    """Write every made file."""
    for path, text in made_files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
