"""`python -m candling.cli.hook FILE...`: `candling check` of each file, for pre-commit."""

import sys
from collections.abc import Sequence

from candling.cli import CALLERS_MISTAKE
from candling.cli.check import examine, note_findings
from candling.errors import CandlingError
from candling.render import terminal as output
from candling.rules import load_constraints


def main(files: Sequence[str]) -> int:
    """Check every file, so that one commit shows all mistakes; gives the exit code."""
    code = 0
    for file in files:
        try:
            constraints = load_constraints(file)
            examine(constraints)
            note_findings(constraints)
        except CandlingError as error:
            output.error(error)
            code = CALLERS_MISTAKE
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
