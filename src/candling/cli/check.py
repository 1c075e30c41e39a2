"""`candling check`: whether rules can be read, their kinds, and whether they fit a table."""

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from candling.cli import options, pipelines
from candling.cli.options import Format, data_and_rules, is_rules
from candling.errors import ConstraintError
from candling.render import terminal as output
from candling.render.wording import type_source
from candling.system.files import hide_secrets

if TYPE_CHECKING:
    from candling.render.ci import Report
    from candling.rules import ConstraintSet


def check(
    context: typer.Context,
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA]", help="A table whose columns the rules must fit.", show_default=False
        ),
    ] = None,
    rules: Annotated[
        str | None,
        typer.Argument(
            metavar="RULES",
            help="The rules: a text file with one rule per line, or a YAML list. Table and rules "
            "can come in either order: their endings show which is which. Or leave it out, and use "
            "--rule.",
            show_default=False,
        ),
    ] = None,
    rule: options.Rule = None,
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            metavar="NAME",
            help="The output format: table or json; junit and sarif report what is wrong, by line.",
            show_default="table",
        ),
    ] = None,
    as_json: options.JsonShort = False,
    table: options.Table = None,
    engine: options.Engine = None,
    reading: options.Reading = None,
) -> None:
    """Validate and classify rules; with DATA, check them against its column names and types.

    With DATA it also prints every column that the rules read, its type, and where the type comes
    from: the table's schema, a `type` line or --type, or a rule that compares the column with a
    constant. It does not read rows, so the output reveals nothing about them.

    [bold]Examples[/bold]

    candling check rules.txt

    candling check visits.parquet rules.txt

    candling check rules.txt --format sarif

    candling check public.visits rules.txt --engine postgresql://analyst@db.example.org/clinic
    """
    known = (Format.table, Format.json, *pipelines.REPORTS)
    chosen = options.chosen_format(form, as_json=as_json, known=known)
    if not rule:
        data, rules = _split_arguments(context, data, rules)
    try:
        constraints = options.read_rules(rules, rule)
        report = examine(constraints, data, table=table, engine=engine, reading=reading)
    except ConstraintError as error:
        if chosen is not Format.table:
            wrong = _report(error.source, problems=_problems(error))
            if chosen is Format.json:
                output.print_json(wrong)
            else:
                pipelines.show_report(chosen, _cases(wrong, chosen))
        raise
    if chosen is Format.json:
        output.print_json(report)
        return
    if chosen is not Format.table:
        pipelines.show_report(chosen, _cases(report, chosen))
        return
    fits = "" if data is None else f", and {hide_secrets(data)} has the columns for them"
    number = output.count(len(report["rules"]), "rule")
    if report["types"]:
        number += f" and {output.count(len(report['types']), 'type')}"
    output.line(f"{report['source']}: {number}, all valid{fits}.")
    output.line()
    show(report)


def _split_arguments(
    context: typer.Context, data: str | None, rules: str | None
) -> tuple[str | None, str]:
    """The table, if there is one, and the rules; a default from candling.toml gives way."""
    source = context.get_parameter_source("rules")
    if source is not None and source.name == "DEFAULT_MAP" and data is not None and is_rules(data):
        return None, data
    return data_and_rules(data, rules)


def _cases(report: dict[str, Any], chosen: Format) -> "Report":
    """What was found as a report for pipelines: a case for each rule, problem and warning."""
    from candling.model.gate import Outcome
    from candling.render.ci import Case, Report

    rules = [
        Case(rule["label"] or rule["rule"], Outcome.PASS, rule["rule"], rule["line"])
        for rule in report["rules"]
    ]
    problems = [
        Case(f["code"], Outcome.FAIL, f["message"], f["line"], f["code"])
        for f in report["problems"]
    ]
    warnings = [
        Case(f["code"], Outcome.FAIL, f["message"], f["line"], f["code"], warning=True)
        for f in report["findings"]
    ]
    found = [*problems, *warnings]
    # A scanner of code shows every result as something to look at: rules that are fine are none.
    return Report("check", report["source"], found if chosen is Format.sarif else found + rules, {})


def examine(
    constraints: "ConstraintSet",
    data: str | None = None,
    *,
    table: str | None = None,
    engine: str | None = None,
    reading: options.Reading = None,
) -> dict[str, Any]:
    """A description of each rule, as plain values; raises if a rule cannot be used."""
    from candling.rules import check_schema, findings

    columns = []
    if data is not None:
        from candling.tables import open_table
        from candling.tables.columns import describe_columns

        opened = open_table(data, rules=constraints, table=table, engine=engine, reading=reading)
        check_schema(constraints, opened.schema, untyped=opened.untyped)
        columns = [column.to_dict() for column in describe_columns(opened, constraints)]
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
    return _report(
        constraints.source,
        types=[
            {"line": t.line, "column": t.column, "type": str(t.type)} for t in constraints.types
        ],
        rules=described,
        columns=columns,
        findings=warnings,
    )


def note_findings(constraints: "ConstraintSet") -> None:
    """Print the warnings about the rules on standard error."""
    from candling.rules import findings

    for f in findings(constraints):
        place = constraints.source if f.line is None else f"{constraints.source}:{f.line}"
        output.note(f"{place}: {f.code} {f.message}")


def show(report: dict[str, Any]) -> None:
    """Print each rule with its kind, the columns with their types, and the warnings."""
    output.rules([_row(rule) for rule in report["rules"]])
    if columns := report["columns"]:
        output.line()
        output.line("Columns that the rules read:")
        output.columns(
            [(c["column"], c["type"], type_source(c["origin"], c["by"])) for c in columns]
        )
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
    types: list[dict[str, Any]] | None = None,
    rules: list[dict[str, Any]] | None = None,
    columns: list[dict[str, Any]] | None = None,
    findings: list[dict[str, Any]] | None = None,
    problems: list[dict[str, Any]] | None = None,
) -> dict[str, Any]:
    return {
        "source": source,
        "types": types or [],
        "rules": rules or [],
        "columns": columns or [],
        "findings": findings or [],
        "problems": problems or [],
    }


def _problems(error: ConstraintError) -> list[dict[str, Any]]:
    names = ("code", "message", "line", "column", "hint")
    return [{name: getattr(problem, name) for name in names} for problem in error.problems]
