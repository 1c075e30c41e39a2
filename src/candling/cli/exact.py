"""`candling exact`: the exact measures, for the owner of the table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

import candling
from candling.cli import options, pipelines
from candling.cli.check import note_findings
from candling.cli.options import Format
from candling.gates import judge_exact, parse_gate
from candling.model.gate import Gate, GateResult
from candling.render import terminal as output
from candling.render.ci import Report, cases_of
from candling.render.csv import exact_as_csv
from candling.render.text import render_markdown
from candling.render.views import view_exact
from candling.render.wording import NOT_PRIVATE, exact_of
from candling.rules import ConstraintSet, compile_rules
from candling.system.files import hide_secrets

if TYPE_CHECKING:
    from candling import Exact


def exact(
    data: options.Data,
    rules: options.Rules = None,
    rule: options.Rule = None,
    fail_if: options.Gates = None,
    by_rule: Annotated[
        bool, typer.Option("--by-rule", help="Also show the repair number of each rule alone.")
    ] = False,
    person: options.Person = None,
    rows_per_person: Annotated[
        int | None,
        typer.Option(
            metavar="K",
            help="With --person: only the rows that a release would keep, at most K of each "
            "person. Without it, all rows. candling.toml does not set it here.",
            show_default="all rows",
        ),
    ] = None,
    form: options.FormatOption = None,
    as_json: options.JsonShort = False,
    table: options.Table = None,
    engine: options.Engine = None,
    memory: options.Memory = None,
    reading: options.Reading = None,
    time_limit: Annotated[
        float | None,
        typer.Option(
            metavar="SECONDS",
            help="The time limit for everything. Without it, only the search for the exact repair "
            "is limited, to one minute.",
        ),
    ] = None,
) -> None:
    """Compute the exact measures. [bold]Not private[/bold]: for the owner of the table only.

    A gate (--fail-if) compares the true values and spends no epsilon. In it, `repair` is the
    smallest repair, and a label names one rule.

    Exit codes: 0 fine, 1 a gate failed, 2 the caller's mistake, 4 a gate cannot tell, because a
    number could not be computed.

    [bold]Examples[/bold]

    candling exact visits.csv rules.txt

    candling exact visits.csv rules.txt --fail-if "repair/rows > 2%" --fail-if "zip-city > 0"

    candling exact visits.csv rules.txt --fail-if "grade < 95%" --format junit > candling.xml

    candling exact visits.csv rules.txt --person patient --rows-per-person 8

    candling exact clinic.duckdb rules.txt --table visits --json

    candling exact hospital.public.visits rules.txt --engine spark

    candling exact public.visits rules.txt --engine postgresql://analyst@db.example.org/clinic
    """
    chosen = options.chosen_format(form, as_json=as_json)
    pipelines.need_gates(chosen, fail_if)
    data, constraints = options.read_arguments(data, rules, rule)
    note_findings(constraints)
    gates = _parse_gates(fail_if, constraints)
    with output.progress(), options.hint_for_person(person):
        result = candling.exact(
            data,
            constraints,
            table=table,
            memory=memory,
            engine=engine,
            reading=reading,
            person=options.person(person),
            rows_per_person=rows_per_person,
            by_rule=by_rule or any(gate.rule is not None for gate in gates),
            time_limit=time_limit,
        )
    verdicts = _judge_gates(gates, result)
    output.not_private(stderr=chosen is not Format.table)
    if chosen in pipelines.REPORTS:
        pipelines.show_report(chosen, _report(result, verdicts, constraints, data))
    elif chosen is Format.table:
        output.line(options.name_both(data, constraints))
        output.line()
        show(result, verdicts)
    else:
        _print(result, verdicts, chosen)
    if gates:
        pipelines.exit_by(verdicts)


def show(result: "Exact", verdicts: Sequence[GateResult] = ()) -> None:
    """Every measure with its value and what it means, and the gates."""
    output.show(view_exact(result, verdicts))


def _print(result: "Exact", verdicts: Sequence[GateResult], chosen: Format) -> None:
    """Print the numbers for another program."""
    if chosen is Format.json:
        gates = {"gates": [v.to_dict() for v in verdicts]} if verdicts else {}
        output.print_json(result.to_dict() | gates)
        return
    if chosen is Format.markdown:
        output.raw(render_markdown(view_exact(result, verdicts)))
        return
    output.raw(exact_as_csv(result))
    for verdict in verdicts:
        output.remark(f"{verdict.outcome}: {verdict.gate.text}")


def _parse_gates(texts: list[str] | None, constraints: ConstraintSet) -> list[Gate]:
    if not texts:
        return []
    rules = compile_rules(constraints).lines
    return [parse_gate(text, rules) for text in texts]


def _judge_gates(gates: Sequence[Gate], result: "Exact") -> list[GateResult]:
    return [judge_exact(gate, result) for gate in gates]


def _report(
    result: "Exact", verdicts: Sequence[GateResult], constraints: ConstraintSet, data: str
) -> Report:
    facts = {"table": hide_secrets(data), "private": NOT_PRIVATE}
    if (kept := exact_of(result.person)) is not None:
        facts["person"] = kept
    return Report("exact", constraints.source, cases_of(verdicts, constraints), facts)
