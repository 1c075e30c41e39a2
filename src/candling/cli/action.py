"""`python -m candling.cli.action`: what the GitHub Action runs (action.yml).

Its inputs come as variables of the environment, so that no input is ever a part of a script. It
runs one command once, keeps its JUnit report, and writes the outcome of each gate into the summary
of the job.
"""

import os
import secrets
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree as ET

from candling.cli import BUDGET_REFUSED, CALLERS_MISTAKE, CANNOT_TELL, GATE_FAILED
from candling.errors import CandlingError, UsageError, did_you_mean
from candling.escaping import code_for_markdown, for_markdown
from candling.render import terminal as output
from candling.render.wording import NOT_PRIVATE

COMMANDS = ("exact", "release", "check")
PREFIX = "CANDLING_ACTION_"
_SUMMARY = "GITHUB_STEP_SUMMARY"  # names the file of the job's page
# Inputs that are options of the command by the same name.
OPTIONS = ("epsilon", "measures", "person", "rows-per-person", "ledger", "dataset", "request-id",
           "table-version", "engine")  # fmt: skip
OF_RELEASE = OPTIONS[:-1]
_OUTCOMES = {
    0: "pass",
    GATE_FAILED: "fail",
    CANNOT_TELL: "cannot tell",
    BUDGET_REFUSED: "refused",
}
_SIGNS = {"failure": "❌ fail", "error": "❔ cannot tell", "system-out": "✅ pass"}


def main(environment: Mapping[str, str]) -> int:
    """Run the command that the inputs ask for; gives the exit code of the step."""
    inputs = {
        name.removeprefix(PREFIX).lower().replace("_", "-"): value.strip()
        for name, value in environment.items()
        if name.startswith(PREFIX)
    }
    try:
        command = arguments(inputs)
    except CandlingError as error:
        output.error(error)
        _append(environment.get(_SUMMARY), f"### candling\n\n{for_markdown(str(error))}\n")
        return CALLERS_MISTAKE
    done = subprocess.run(  # noqa: S603 - our own command, and arguments that no shell sees
        [sys.executable, "-m", "candling", *command], stdout=subprocess.PIPE, text=True, check=False
    )
    report = Path(inputs.get("report") or "candling.xml")
    outcome = _OUTCOMES.get(done.returncode, "error")
    if done.stdout.startswith("<?xml"):
        report.write_text(done.stdout, encoding="utf-8")
        _append(environment.get(_SUMMARY), summary(done.stdout, command[0]))
        _append(environment.get("GITHUB_OUTPUT"), set_output("report", str(report)))
    else:
        why = f"{outcome} (exit code {done.returncode}): the log of this step has the message."
        _append(environment.get(_SUMMARY), f"### candling {command[0]}\n\n{why}\n")
    _append(environment.get("GITHUB_OUTPUT"), set_output("outcome", outcome))
    if done.returncode == CANNOT_TELL and inputs.get("cannot-tell") == "pass":
        return 0
    return done.returncode


def arguments(inputs: Mapping[str, str]) -> list[str]:
    """The arguments of the command that the inputs ask for."""
    command = inputs.get("command") or COMMANDS[0]
    if command not in COMMANDS:
        hint = did_you_mean(command, COMMANDS)
        message = f"Unknown command {command!r}.{hint} Known: {', '.join(COMMANDS)}."
        raise UsageError(message, code="U310")
    missing = [name for name in ("data", "rules") if not inputs.get(name)]
    if "rules" in missing or (missing and command != "check"):
        needed = " and ".join(f"`{name}`" for name in missing)
        raise UsageError(f"The action needs {needed} for `{command}`.", code="U310")
    if command == "release" and not inputs.get("epsilon"):
        raise UsageError("The action needs `epsilon` for `release`.", code="U310")
    gates = [gate.strip() for gate in inputs.get("fail-if", "").splitlines() if gate.strip()]
    if command == "check" and gates:
        message = "`check` reads no rows, so it has no gates: leave out `fail-if`."
        raise UsageError(message, code="U310")
    spending = [name for name in OF_RELEASE if inputs.get(name)]
    if command != "release" and spending:
        message = f"`{spending[0]}` is an input of `release` only, and the command is `{command}`."
        raise UsageError(message, code="U310")
    words = [command, "--format", "junit"]
    for name in OPTIONS:
        if inputs.get(name):
            words += [f"--{name}", inputs[name]]
    for gate in gates:
        words += ["--fail-if", gate]
    return [*words, "--", *(inputs[name] for name in ("data", "rules") if inputs.get(name))]


def summary(report: str, command: str) -> str:
    """A JUnit report of ours as Markdown, for the page of the job."""
    lines = [f"### candling {command}", ""]
    if command == "exact":
        lines += [f"**{NOT_PRIVATE}**", ""]
    lines += ["| gate | outcome | why |", "|---|---|---|"]
    for case in ET.fromstring(report).iter("testcase"):  # noqa: S314 - the same
        for why in case:
            words = why.get("message") or why.text or ""
            name = code_for_markdown(case.get("name") or "")
            lines.append(f"| {name} | {_SIGNS[why.tag]} | {for_markdown(words)} |")
    return "\n".join(lines) + "\n"


def set_output(name: str, value: str) -> str:
    """What sets an output of the step, whatever the value is.

    A line `name=value` would set other outputs too, where the value has line ends.
    """
    end = f"candling-{secrets.token_hex(16)}"
    return f"{name}<<{end}\n{value}\n{end}\n"


def _append(path: str | None, text: str) -> None:
    if path:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    sys.exit(main(os.environ))
