"""`candling explain`: what a code, a measure or a word means, or a release and its parts."""

from collections.abc import Mapping, Sequence
from typing import Annotated

import typer

import candling
from candling.cli import options
from candling.errors import UsageError, nearest
from candling.explain import find_docs, load_aliases, load_codes, load_words
from candling.measures import MEASURES, title
from candling.model import number
from candling.render import terminal as output
from candling.render.views.explanation import explain_card


def _complete_word(incomplete: str) -> list[str]:
    return [name for name in all_words() if name.startswith(incomplete)]


def explain(
    wanted: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CODE|WORD|CARD]...",
            help="Codes as messages show them, such as D101, measures and other words on the "
            "screen, such as repair or epsilon, or the JSON or the page of a release.",
            autocompletion=_complete_word,
        ),
    ] = None,
    as_json: options.Json = False,
) -> None:
    """Explain codes, words, or what each part of a release cost and means; alone, list them.

    [bold]Examples[/bold]

    candling explain D101

    candling explain repair epsilon threshold

    candling release visits.csv rules.txt --epsilon 1 --json > card.json; candling explain card.json
    """
    known = all_words()
    if not wanted and as_json:
        output.print_json(known)
        return
    if not wanted:
        output.table((_head(code), "", text.split("\n", 1)[0]) for code, text in known.items())
        return
    if wanted[0].lower().endswith((".json", ".html", ".htm")):
        cards = {path: explain_card(candling.Card.load(path)) for path in wanted}
        if as_json:
            output.print_json(cards)
            return
        for card in cards.values():
            print_explanation(card)
        return
    explanations = _explanations(wanted, known)
    if as_json:
        output.print_json(dict(explanations))
        return
    for position, (code, text) in enumerate(explanations):
        if position:
            output.line()
        output.line(_head(code), style="bold")
        output.prose(text)
    folder = find_docs()
    if folder is not None and any("docs/" in text for _, text in explanations):
        output.note(f"The pages in docs/ are here: {folder}")


def print_explanation(sentences: Mapping[str, Sequence[str]]) -> None:
    """Print the sentences about a card, under the names of its parts; the first has no title."""
    for position, (name, listed) in enumerate(sentences.items()):
        if position:
            output.heading(title(name))
        for at, sentence in enumerate(listed):
            if not position and at:
                output.line()
            output.line(sentence)


def _head(word: str) -> str:
    """A code or a word; a measure by its name for people, too."""
    name = title(word) if word in MEASURES else _exact_titles().get(word)
    return word if name is None else f"{name} ({word})"


def all_words() -> dict[str, str]:
    """Every code, then every measure, then every other word, with its explanation."""
    return {**load_codes(), **all_measures(), **load_words()}


def all_measures() -> dict[str, str]:
    """The grade, then every measure, with its explanation."""
    return {"grade": number.EXPLANATION} | {m.name: m.explanation for m in MEASURES.values()}


def _titles() -> dict[str, str]:
    """The measures by their titles, such as `rows_in_conflict`."""
    titles = _exact_titles()
    titles |= {m.name: m.title for m in MEASURES.values()}
    return {words.lower().replace(" ", "_").removesuffix("?"): n for n, words in titles.items()}


def _exact_titles() -> dict[str, str]:
    """The titles of numbers that only `candling exact` has."""
    return {
        name: words.title
        for measure in MEASURES.values()
        for name, words in measure.exact_words.items()
        if name not in MEASURES
    }


def _explanations(wanted: list[str], known: dict[str, str]) -> list[tuple[str, str]]:
    """Each word explained; several that are one term, such as `cannot tell`, as that one."""
    together = _look_up_word("_".join(wanted), known)
    return [together] if together is not None else [_explanation(word, known) for word in wanted]


def _look_up_word(word: str, known: dict[str, str]) -> tuple[str, str] | None:
    aliases = {**load_aliases(), **_titles()}
    name = word.strip().lower().replace(" ", "_").replace("-", "_").removesuffix("?")
    for key in (word.upper(), name, aliases.get(name), aliases.get(word.lower())):
        if key in known:
            return key, known[key]
    return None


def _explanation(word: str, known: dict[str, str]) -> tuple[str, str]:
    found = _look_up_word(word, known)
    if found is not None:
        return found
    codes = load_codes()
    codes_of_letter = [k for k in codes if k[0] == word[:1].upper()]
    near = nearest(word.lower(), [*(k for k in known if k not in codes), *load_aliases()])
    if near:
        hint = f"Did you mean {near!r}?"
    elif word[1:].isdigit() and codes_of_letter:
        hint = f"Known are {', '.join(codes_of_letter)}."
    else:
        hint = "`candling explain` lists all."
    raise UsageError(f"Unknown code or word {word!r}. {hint}", code="U105")
