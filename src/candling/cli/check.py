"""`candling check`: whether rules can be read, their kinds, and whether they fit a table."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from candling.addresses import shown
from candling.cli import options
from candling.errors import ConstraintError
from candling.present.terminal import output

if TYPE_CHECKING:
    from candling.rules import ConstraintSet


def check(
    rules: options.Rules,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA]", help="A table whose columns the rules must fit.", show_default=False
        ),
    ] = None,
    as_json: options.Json = False,
    table: options.Table = None,
    engine: options.Engine = None,
    reading: options.Reading = None,
) -> None:
    """Validate and classify rules; with DATA, check them against its column names and types.

    No rule is tried on any row: the answer tells nothing about the rows of the table.

    [bold]Examples[/bold]

    candling check rules.txt

    candling check rules.txt visits.parquet

    candling check rules.txt public.visits --engine postgresql://analyst@db.example.org/clinic
    """
    try:
        report = examine(rules, data, table=table, engine=engine, reading=reading)
    except ConstraintError as error:
        if as_json:
            output.print_json(_report(rules, problems=_problems(error)))
        raise
    if as_json:
        output.print_json(report)
        return
    fits = "" if data is None else f", and {shown(data)} has the columns for them"
    number = output.count(len(report["rules"]), "rule")
    output.line(f"{rules}: {number}, all well written{fits}.")
    output.line()
    show(report)


def examine(
    rules: str,
    data: str | None = None,
    *,
    table: str | None = None,
    engine: str | None = None,
    reading: options.Reading = None,
) -> dict[str, Any]:
    """A description of each rule, as plain values; raises if a rule cannot be used."""
    from candling.rules import check_schema, findings, load_constraints

    constraints = load_constraints(rules)
    if data is not None:
        from candling.engines import schema_of

        check_schema(constraints, schema_of(data, table=table, engine=engine, reading=reading))
    described = []
    for rule in constraints:
        form = rule.shape
        described.append(
            {
                "line": rule.line,
                "label": rule.label,
                "rule": str(replace(rule, label=None)),
                "kind": str(form.kind),
                "conditional": bool(form.where),
                "equal": list(form.equal),
            }
        )
    warnings = [
        {"code": f.code, "message": f.message, "line": f.line, "other_line": f.other_line}
        for f in findings(constraints)
    ]
    return _report(rules, rules=described, findings=warnings)


def note_findings(constraints: "ConstraintSet") -> None:
    """Print the warnings about the rules on standard error."""
    from candling.rules import findings

    for f in findings(constraints):
        place = constraints.source if f.line is None else f"{constraints.source}:{f.line}"
        output.note(f"{place}: {f.code} {f.message}")


def show(report: dict[str, Any]) -> None:
    """Print each rule with its kind, and the warnings."""
    output.rules([_row(rule) for rule in report["rules"]])
    if report["findings"]:
        output.line()
    for f in report["findings"]:
        place = report["source"] if f["line"] is None else f"{report['source']}:{f['line']}"
        output.warning(f"{place}: {f['code']} {f['message']}")


def _row(rule: dict[str, Any]) -> tuple[str, str, str, str]:
    kind = f"conditional {rule['kind']}" if rule["conditional"] else rule["kind"]
    text = rule["rule"]
    if rule["equal"] and rule["kind"] in _EQUALITIES_HIDDEN:
        text += f"  [equal on {', '.join(rule['equal'])}]"
    return str(rule["line"] or ""), rule["label"] or "", kind, text


_EQUALITIES_HIDDEN = ("order", "general")  # an FD and a key show theirs


def _report(
    source: str,
    *,
    rules: list[dict[str, Any]] | None = None,
    findings: list[dict[str, Any]] | None = None,
    problems: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    return {
        "source": source,
        "rules": rules or [],
        "findings": findings or [],
        "problems": problems or [],
    }


def _problems(error: ConstraintError) -> list[dict[str, Any]]:
    names = ("code", "message", "line", "column", "hint")
    return [{name: getattr(problem, name) for name in names} for problem in error.problems]
