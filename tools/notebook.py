"""Runs docs/notebook.ipynb and keeps its outputs. `make gallery` runs it."""

from __future__ import annotations

import nbformat
from nbclient import NotebookClient

from tools import DOCS

NOTEBOOK = DOCS / "notebook.ipynb"


def main() -> None:
    """Run every cell, and write the notebook without the times at which they ran."""
    notebook = nbformat.read(NOTEBOOK, as_version=4)  # type: ignore[no-untyped-call]
    client = NotebookClient(notebook, timeout=300, kernel_name="python3", record_timing=False)
    client.execute()
    nbformat.write(notebook, NOTEBOOK)  # type: ignore[no-untyped-call]


if __name__ == "__main__":
    main()
