"""`candling explain`: what a code in a message means, or a release and its parts."""

import json
from pathlib import Path
from typing import Annotated

import typer

from candling import codes
from candling.cli import options, output, words
from candling.errors import UsageError


def explain(
    wanted: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CODE|CARD]...",
            help="Codes as they stand in messages, such as D101, or the JSON file of a release.",
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Explain error codes, or what each part of a release cost and means; alone, list the codes.

    [bold]Examples[/bold]

    candling explain D101

    candling release visits.csv rules.txt --epsilon 1 --json > card.json; candling explain card.json
    """
    known = all_codes()
    if not wanted and as_json:
        output.print_json(known)
        return
    if not wanted:
        output.table((code, "", text.split("\n", 1)[0]) for code, text in known.items())
        return
    if wanted[0].endswith(".json"):
        cards = {path: words.in_words(_read(path), path) for path in wanted}
        if as_json:
            output.print_json(cards)
            return
        for card in cards.values():
            words.show(card)
        return
    found = [(code.upper(), _explanation(code, known)) for code in wanted]
    if as_json:
        output.print_json(dict(found))
        return
    for position, (code, text) in enumerate(found):
        if position:
            output.line()
        output.line(code, style="bold")
        output.prose(text)


def _read(path: str) -> dict[str, object]:
    try:
        card = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        card = None
    if not isinstance(card, dict):
        raise UsageError(f"{path!r} is no file with the JSON of a release.", code="U106")
    return card


def all_codes() -> dict[str, str]:
    """Every code with its explanation, whose first line says it in short; sorted by code."""
    from candling.constraints.codes import CODES

    return dict(sorted({**codes.CODES, **CODES}.items()))


def _explanation(code: str, known: dict[str, str]) -> str:
    if code.upper() in known:
        return known[code.upper()]
    same_letter = [k for k in known if k[0] == code[:1].upper()] or list(known)
    raise UsageError(f"There is no code {code!r}. Known are {', '.join(same_letter)}.", code="U105")
