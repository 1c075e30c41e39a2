"""What commands have for pipelines: gates, reports of them, and request ids that repeat."""

import hashlib
import os
import subprocess
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

from candling.cli import CANNOT_TELL, GATE_FAILED
from candling.cli.options import Format
from candling.errors import UsageError
from candling.gates import summary
from candling.model.gate import GateResult, Outcome
from candling.render import terminal as output
from candling.render.ci import Report, as_junit, as_sarif
from candling.system.canonical_json import canonical_json

AUTO = "auto"
REPORTS = (Format.junit, Format.sarif)
# What the services for pipelines call the commit that they run for.
_COMMITS = (
    *("GITHUB_SHA", "CI_COMMIT_SHA", "BUILD_SOURCEVERSION", "BITBUCKET_COMMIT", "CIRCLE_SHA1"),
    *("BUILDKITE_COMMIT", "GIT_COMMIT"),
)
_LONGEST_VERSION = 120  # characters

TableVersion = Annotated[
    str | None,
    typer.Option(
        metavar="V",
        help="With --request-id auto: a public name for this version of the table: a date, the "
        "number of a load, a Delta or Iceberg version. The card shows it, so do not derive it from "
        "the rows.",
    ),
]


def show_report(chosen: Format, report: Report) -> None:
    """Print a report in one of its formats."""
    output.raw(as_junit(report) if chosen is Format.junit else as_sarif(report))


def need_gates(chosen: Format, gates: Sequence[str] | None) -> None:
    """Raise if a report would have nothing to say; before anything is read or charged."""
    if chosen in REPORTS and not gates:
        raise UsageError(
            f"--format {chosen} reports gates. Add one, for example --fail-if 'grade < 95%'.",
            code="U308",
        )


def exit_by(verdicts: Sequence[GateResult]) -> None:
    """End with the exit code of the verdicts."""
    outcome = summary(verdicts)
    if outcome is not Outcome.PASS:
        raise typer.Exit(GATE_FAILED if outcome is Outcome.FAIL else CANNOT_TELL)


def request_id(
    wanted: str | None, version: str | None, parameters: Mapping[str, Any], dataset: str | None
) -> str | None:
    """The request id; `auto` is made from the commit, the table's version and the request.

    A run that is repeated asks the same, so the ledger gives it the stored card, at no cost. All
    that the id is made from is public: the commit, what the caller calls the version of the table,
    and what is asked. A digest of the rows would let everybody who sees a card test a guess at
    them, so the table itself is never looked at.
    """
    if wanted != AUTO:
        if version is not None:
            raise UsageError(
                "--table-version goes into a request id that is made for you: add --request-id "
                "auto, or leave it out.",
                code="U309",
            )
        return wanted
    if version is None or not version.strip():
        raise UsageError(
            "--request-id auto needs --table-version: without it, a new load of the table would "
            "get the card of the old one. Give a public name, such as a date or the number of the "
            "load.",
            code="U309",
        )
    version = version.strip()
    if len(version) > _LONGEST_VERSION:
        raise UsageError(f"--table-version has at most {_LONGEST_VERSION} characters.", code="U309")
    asked = canonical_json({"dataset": dataset, **parameters})
    digest = hashlib.sha256(asked.encode("utf-8", "surrogatepass")).hexdigest()
    return f"{_commit()[:12]}/{version}/{digest[:8]}"


def _commit() -> str:
    """The commit that the pipeline runs for, or that is checked out here."""
    for name in _COMMITS:
        if commit := os.environ.get(name, "").strip():
            return commit
    try:
        done = subprocess.run(
            ["git", "rev-parse", "HEAD"],  # noqa: S607 - the git that the user has
            capture_output=True,
            text=True,
            check=True,
            timeout=10,
        )
    except (OSError, subprocess.SubprocessError):
        raise UsageError(
            f"--request-id auto found no commit: set {_COMMITS[0]} or {_COMMITS[1]}, or run it in "
            "a git repository.",
            code="U309",
        ) from None
    return done.stdout.strip()
