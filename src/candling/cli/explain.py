"""`candling explain`: what a code in a message means and what to do about it."""

from typing import Annotated

import typer

from candling import codes
from candling.cli import output
from candling.errors import UsageError


def explain(
    wanted: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CODE]...", help="Codes as they stand in messages, such as D101."),
    ] = None,
) -> None:
    """Explain the codes that stand in error messages; without one, list them all.

    [bold]Examples[/bold]

    candling explain D101

    candling explain
    """
    known = all_codes()
    if not wanted:
        output.table((code, "", text.split("\n", 1)[0]) for code, text in known.items())
        return
    found = [(code.upper(), _explanation(code, known)) for code in wanted]
    for position, (code, text) in enumerate(found):
        if position:
            output.line()
        output.line(code, style="bold")
        output.prose(text)


def all_codes() -> dict[str, str]:
    """Every code with its explanation, whose first line says it in short; sorted by code."""
    from candling.constraints.codes import CODES

    return dict(sorted({**codes.CODES, **CODES}.items()))


def _explanation(code: str, known: dict[str, str]) -> str:
    if code.upper() in known:
        return known[code.upper()]
    same_letter = [k for k in known if k[0] == code[:1].upper()] or list(known)
    raise UsageError(f"There is no code {code!r}. Known are {', '.join(same_letter)}.", code="U105")
