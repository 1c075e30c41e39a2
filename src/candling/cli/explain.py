"""`candling explain`: what a code in a message or a measure means, or a release and its parts."""

from typing import Annotated

import typer

from candling import codes
from candling.cli import options
from candling.errors import UsageError
from candling.present.terminal import output
from candling.suggest import nearest


def _completed(incomplete: str) -> list[str]:
    return [name for name in all_words() if name.startswith(incomplete)]


def explain(
    wanted: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CODE|MEASURE|CARD]...",
            help="Codes as they stand in messages, such as D101, measures such as repair, or the "
            "JSON file of a release.",
            autocompletion=_completed,
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Explain codes, measures, or what each part of a release cost and means; alone, list them.

    [bold]Examples[/bold]

    candling explain D101

    candling explain repair

    candling release visits.csv rules.txt --epsilon 1 --json > card.json; candling explain card.json
    """
    known = all_words()
    if not wanted and as_json:
        output.print_json(known)
        return
    if not wanted:
        output.table((code, "", text.split("\n", 1)[0]) for code, text in known.items())
        return
    if wanted[0].endswith(".json"):
        from candling.card import Card
        from candling.present.terminal.cards import explanation, show_explanation

        cards = {path: explanation(Card.load(path)) for path in wanted}
        if as_json:
            output.print_json(cards)
            return
        for card in cards.values():
            show_explanation(card)
        return
    explanations = [_explanation(word, known) for word in wanted]
    if as_json:
        output.print_json(dict(explanations))
        return
    for position, (code, text) in enumerate(explanations):
        if position:
            output.line()
        output.line(code, style="bold")
        output.prose(text)


def all_codes() -> dict[str, str]:
    """Every code with its explanation, whose first line says it in short; sorted by code."""
    from candling.rules.codes import CODES

    return dict(sorted({**codes.CODES, **CODES}.items()))


def all_words() -> dict[str, str]:
    """Every code, then every measure, with its explanation."""
    return all_codes() | all_measures()


def all_measures() -> dict[str, str]:
    """The grade, then every measure, with its explanation."""
    from candling.measures import MEASURES, grade

    return {"grade": grade.EXPLANATION} | {m.name: m.explanation for m in MEASURES.values()}


def _explanation(word: str, known: dict[str, str]) -> tuple[str, str]:
    for name in (word.upper(), word.lower()):
        if name in known:
            return name, known[name]
    near = nearest(word.lower(), all_measures())
    same_letter = [k for k in all_codes() if k[0] == word[:1].upper()] or list(all_measures())
    hint = f"Did you mean {near!r}?" if near else f"Known are {', '.join(same_letter)}."
    raise UsageError(f"There is no code or measure {word!r}. {hint}", code="U105")
