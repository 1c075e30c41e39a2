"""Gates and rules as reports that pipelines read: JUnit XML and SARIF 2.1.0.

Both say of each case whether it passes, fails or cannot be decided. In JUnit a case that cannot be
decided is an error and not skipped: it stops the pipeline (exit code 4), and what stops a pipeline
must not look green. In SARIF it is a result of the kind `open`, which the standard has for tools
that lack the information to decide. Neither report has a number that the other formats do not show,
and none has a duration, which would tell something about the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from candling._version import __version__
from candling.escaping import for_html, for_json, for_terminal
from candling.explain import load_codes
from candling.model.gate import GateResult, Outcome
from candling.records import dataclass
from candling.rules import ConstraintSet

_TOOL = "candling"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_KINDS = {Outcome.PASS: "pass", Outcome.FAIL: "fail", Outcome.CANNOT_TELL: "open"}


@dataclass(frozen=True, slots=True)
class Case:
    """One thing that was checked."""

    name: str  # the gate, or the rule
    outcome: Outcome
    words: str  # why
    line: int | None = None  # of the rules file
    code: str | None = None  # what kind of problem it is, where the name does not say that
    warning: bool = False  # does not stop a pipeline


@dataclass(frozen=True, slots=True)
class Report:
    """What was checked, of which files."""

    suite: str  # the command
    rules: str  # the path of the rules file
    cases: Sequence[Case]
    facts: Mapping[str, str]  # what else a reader should know, by name


def cases_of(verdicts: Iterable[GateResult], rules: ConstraintSet) -> list[Case]:
    """The cases of gates; one about a rule has the line of the rule."""
    lines = {str(rule.canonical): rule.line for rule in reversed(rules.constraints)}
    first = min((rule.line for rule in rules if rule.line is not None), default=None)
    return [
        Case(
            v.gate.text,
            v.outcome,
            f"{v.statement} ({v.words})",
            lines.get(v.gate.rule or "", first),
        )
        for v in verdicts
    ]


def as_junit(report: Report) -> str:
    """The report as JUnit XML: one suite with one test case for each case."""
    from xml.etree import ElementTree as ET

    cases = [case for case in report.cases if not case.warning]
    outcomes = [case.outcome for case in cases]
    numbers = {
        "tests": len(cases),
        "failures": outcomes.count(Outcome.FAIL),
        "errors": outcomes.count(Outcome.CANNOT_TELL),
        "skipped": 0,
    }
    shown = {name: str(number) for name, number in numbers.items()}
    root = ET.Element("testsuites", {"name": _TOOL, **shown})
    suite = ET.SubElement(root, "testsuite", {"name": f"{_TOOL} {report.suite}", **shown})
    properties = ET.SubElement(suite, "properties")
    for name, value in {"candling": __version__, "rules": report.rules, **report.facts}.items():
        ET.SubElement(properties, "property", {"name": name, "value": for_terminal(value)})
    for case in cases:
        names = {"name": for_terminal(case.name), "classname": f"{_TOOL}.{report.suite}"}
        test = ET.SubElement(suite, "testcase", names)
        words = for_terminal(case.words)
        if case.outcome is Outcome.PASS:
            ET.SubElement(test, "system-out").text = words
            continue
        tag = "failure" if case.outcome is Outcome.FAIL else "error"
        why = ET.SubElement(test, tag, {"message": words, "type": case.code or str(case.outcome)})
        why.text = f"{_place(report, case)}: {for_terminal(case.name)}: {words}"
    ET.indent(root)
    text = ET.tostring(root, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{for_html(text)}\n'


def as_sarif(report: Report) -> str:
    """The report as SARIF 2.1.0: one result for each case, with its line of the rules file."""
    kinds = list(dict.fromkeys(case.code or case.name for case in report.cases))
    run = {
        "tool": {
            "driver": {
                "name": _TOOL,
                "version": __version__,
                "rules": [
                    {"id": kind, "shortDescription": {"text": _describe(kind)}} for kind in kinds
                ],
            }
        },
        "results": [_result(report, case, kinds) for case in report.cases],
        "properties": dict(report.facts),
    }
    return for_json({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _describe(kind: str) -> str:
    """What a code means, in short; a gate and a rule describe themselves."""
    return load_codes().get(kind, kind).partition("\n")[0]


def _result(report: Report, case: Case, kinds: list[str]) -> dict[str, Any]:
    kind = case.code or case.name
    failed = case.outcome is Outcome.FAIL
    place: dict[str, Any] = {"artifactLocation": {"uri": _uri(report.rules)}}
    if case.line is not None:
        place["region"] = {"startLine": case.line}
    return {
        "ruleId": kind,
        "ruleIndex": kinds.index(kind),
        "kind": _KINDS[case.outcome],
        "level": "none" if not failed else "warning" if case.warning else "error",
        "message": {"text": f"{case.name}: {case.words}"},
        "locations": [{"physicalLocation": place}],
    }


def _place(report: Report, case: Case) -> str:
    line = "" if case.line is None else f":{case.line}"
    return f"{for_terminal(report.rules)}{line}"


def _uri(path: str) -> str:
    """A path as SARIF wants it: relative, or with its scheme."""
    return Path(path).as_uri() if Path(path).is_absolute() else quote(Path(path).as_posix())
