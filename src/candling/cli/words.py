"""A release in words: what each part of it cost and means, read back from its JSON."""

import math
from collections.abc import Mapping
from typing import Any

from candling.cli import output
from candling.cli.output import shown
from candling.errors import UsageError
from candling.measures import glossary
from candling.measures.grade import MEANING, Grade
from candling.present.spending import Spending

_WHOLE = "release"
_GUARANTEE = (
    "Whoever sees these numbers can change their mind about any one person by a factor of at most "
    "{factor:.3g}: whether the person's rows are in the table or not, every outcome is about as "
    "likely. Further releases of the same table multiply that factor."
)


def in_words(card: Mapping[str, Any], source: str) -> dict[str, list[str]]:
    """Sentences about the whole release, then about each of its parts by name."""
    try:
        return _in_words(card)
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        raise UsageError(f"{source!r} is not the JSON of a release.", code="U106") from None


def _in_words(card: Mapping[str, Any]) -> dict[str, list[str]]:
    total = float(card["epsilon"])
    rows = output.count(int(card["rows_per_person"]), "row")
    apart = ("grade", "about", "receipt", "signature")
    parts = {n: part for n, part in card.items() if isinstance(part, dict) and n not in apart}
    by_rule = [] if "by_rule" in parts else card.get("by_rule", [])  # refused: a part like others
    paid = [(n, part.get("epsilon")) for n, part in parts.items()]
    paid += [("by_rule", part.get("epsilon")) for part in by_rule]
    spent = f"Epsilon {total:g} was spent{Spending.of(total, paid).words}"
    scope = f"{spent}, for tables in which one person owns at most {rows}."
    found = {_WHOLE: [scope, _GUARANTEE.format(factor=math.exp(total))]}
    if receipt := card.get("receipt"):
        found[_WHOLE].append(_charge(receipt))
    for gate in card.get("gates", ()):
        found[_WHOLE].append(f"The gate '{gate['gate']}': {gate['outcome']}.")
    found["grade"] = _graded(Grade.from_dict(card["grade"]))
    parts |= {str(part["rule"]): part for part in by_rule}
    return found | {name: _part(name, part, total) for name, part in parts.items()}


def _graded(grade: Grade) -> list[str]:
    if grade.value is None:
        return [grade.words]
    free = "It cost nothing: it was derived from the released `repair` and `rows`."
    return [f"Grade {grade.shown} ({grade.words}). {free}", f"It is {MEANING}."]


def _charge(receipt: Mapping[str, Any]) -> str:
    return (
        f"It was charged to the budget of {receipt['dataset']!r}: {receipt['charged']:g}, with "
        f"{receipt['remaining']:g} of {receipt['limit']:g} left afterwards. The ledger has it as "
        f"entry {receipt['sequence']}."
    )


def _part(name: str, part: Mapping[str, Any], total: float) -> list[str]:
    value, low, high = (part[key] for key in ("value", "low", "high"))
    bounds = ""
    if high is not None:
        bounds = f", between {shown(low)} and {shown(high)}"
    elif low is not None:
        bounds = f", at least {shown(low)}"
    sentences = [f"{shown(value)}{bounds}.{_cost(part, total)}", part["note"]]
    if name in glossary.THRESHOLDS and part.get("threshold") is not None:
        sentences.append(glossary.at_threshold(name, part["threshold"]))
    return sentences + ([part["reason"]] if part.get("reason") else [])


def _cost(part: Mapping[str, Any], total: float) -> str:
    """What a part alone cost; nothing is said of one that shares the draw."""
    spent = part.get("epsilon")
    if spent is None:
        return ""
    if part["value"] is None:
        return " Nothing was spent on it."
    if spent:
        return f" It cost epsilon {spent:.3g}, {spent / total:.0%} of the release."
    return " It cost nothing: it was derived from other released numbers, or is public."


def show(words: Mapping[str, list[str]]) -> None:
    """The sentences under the names of their parts."""
    for name, sentences in words.items():
        if name != _WHOLE:
            output.heading(name)
        for sentence in sentences:
            output.line(sentence)
            if name == _WHOLE and sentence is not sentences[-1]:
                output.line()
