"""The arguments of Python calls: rules in every form that people have them, and clear mistakes.

Python itself answers a wrong call with a TypeError out of the middle of the code. A function that
is `check_arguments` answers with a UsageError that names the argument and what it should be.
"""

from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from candling.errors import ConstraintError, UsageError, did_you_mean
from candling.rules import Constraint, ConstraintSet, load_constraints, parse_constraints

P = ParamSpec("P")
T = TypeVar("T")
Rules = (
    ConstraintSet | Constraint | str | os.PathLike[str] | Iterable[str]
)  # as a caller gives them

RULES_ENDINGS = (".txt", ".yaml", ".yml", ".rules", ".dc", ".dcs")
TABLE_ENDINGS = (
    *(".csv", ".tsv", ".parquet", ".pq", ".json", ".jsonl", ".ndjson", ".arrow", ".feather"),
    *(".ipc", ".duckdb", ".ddb", ".xlsx", ".xls", ".sqlite", ".sqlite3", ".db"),
)
LIKE_PATH = re.compile(r"[^\s<>=≤≥≠(),'\"]+")  # no rule is without any of these
_NO_RULES = (
    "`rules` is a rule such as 'Zip -> City', a list of rules, the path of a rules file, or what "
    "load_constraints gives"
)


def rules_of(rules: Any) -> ConstraintSet:
    """The rules that a caller means (`Rules`): a text, a list, a path, or parsed ones.

    A text is a path if a file is there or if it ends like a rules file, and rules otherwise.
    """
    if isinstance(rules, ConstraintSet):
        return rules
    if isinstance(rules, Constraint):
        return ConstraintSet((rules,))
    if isinstance(rules, os.PathLike):
        return load_constraints(rules)
    if isinstance(rules, str):
        return _rules_in(rules)
    if not isinstance(rules, list | tuple | Iterator):  # a table, say, which must not be quoted
        raise UsageError(f"{_NO_RULES}; not {_kind(rules)}.", code="U214")
    listed = list(rules)
    if listed and all(isinstance(rule, Constraint) for rule in listed):
        return ConstraintSet(tuple(listed))
    wrong = next((rule for rule in listed if not isinstance(rule, str)), None)
    if wrong is not None:
        raise UsageError(f"{_NO_RULES}; the list has {_kind(wrong)}.", code="U214")
    return parse_constraints("\n".join(map(_one_line, listed)))


def _rules_in(text: str) -> ConstraintSet:
    """The rules of a text that is a path or rules."""
    if "\n" in text:
        return parse_constraints(text)
    path = Path(text)
    if path.suffix.lower() in (*RULES_ENDINGS, *TABLE_ENDINGS) or LIKE_PATH.fullmatch(text):
        return load_constraints(path)
    there = _is_file(path)
    try:
        parsed = parse_constraints(text)
    except ConstraintError:
        if there:
            return load_constraints(path)
        raise
    if there:
        raise UsageError(
            f"{text!r} is a rule, but a file with this name exists, too. Pass pathlib.Path(...) "
            "for the file, or parse_constraints(...) for the rule.",
            code="U214",
        )
    return parsed


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long, or with a null character
        return False


def _one_line(rule: str) -> str:
    return " ".join(rule.splitlines())


# Calls


def check_arguments(
    more: Callable[..., Any] | None = None,
) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A decorator: the function refuses arguments that it does not take by a UsageError.

    What it takes as `**options` are the keyword arguments of `more`.
    """
    return lambda function: _wrap_with_check(function, more)


def _wrap_with_check(function: Callable[P, T], more: Callable[..., Any] | None) -> Callable[P, T]:
    signature = inspect.signature(function)
    further = _keywords(inspect.signature(more)) if more is not None else ()
    known = (*_keywords(signature), *further)

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        # What is checked is checked elsewhere: no frame of an error holds more than the call did.
        problem = _problem(function.__qualname__, signature, known, args, kwargs)
        if problem is not None:
            raise problem
        return function(*args, **kwargs)

    return call


def _problem(
    name: str,
    signature: inspect.Signature,
    known: tuple[str, ...],
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
) -> UsageError | None:
    """What is wrong with a call, if anything is."""
    for word in kwargs:
        if word not in known:
            hint = did_you_mean(word, known) or f" It takes {', '.join(known)}."
            return UsageError(f"`{name}` has no argument {word!r}.{hint}", code="U213")
    try:
        given = dict(signature.bind(*args, **kwargs).arguments)
    except TypeError:
        return UsageError(_misuse(name, signature, args, kwargs), code="U213")
    given |= given.pop("options", {})
    for word, value in given.items():
        if word in _KINDS and value is not None:
            fits, words, code = _KINDS[word]
            if not fits(value):
                message = f"`{word}` of `{name}` must be {words}, not {_kind(value)}."
                return UsageError(message, code=code)
    return None


def _keywords(signature: inspect.Signature) -> tuple[str, ...]:
    return tuple(
        p.name
        for p in signature.parameters.values()
        if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY) and p.name != "self"
    )


def _misuse(
    name: str, signature: inspect.Signature, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> str:
    """What is wrong with arguments whose names are all known."""
    parameters = [p for p in signature.parameters.values() if p.kind is p.POSITIONAL_OR_KEYWORD]
    places = [p.name for p in parameters]
    shown = [place for place in places if place != "self"]
    if len(args) > len(places):
        listed = ", ".join(shown) or "none"
        return f"`{name}` takes only {listed} by position. Pass the others by name."
    twice = [place for place in places[: len(args)] if place in kwargs]
    if twice:
        return f"`{name}` got `{twice[0]}` twice: once by position and once by name."
    missing = [
        p.name for p in parameters[len(args) :] if p.default is p.empty and p.name not in kwargs
    ]
    return f"`{name}` needs {' and '.join(f'`{place}`' for place in missing)}."


def _kind(value: object) -> str:
    """What a value is, in a few words; never the value itself, which may be a row."""
    if value is None:
        return "None"
    article = "an" if type(value).__name__[:1].lower() in "aeiou" else "a"
    return f"{article} {type(value).__name__}"


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_place(value: Any) -> bool:
    return isinstance(value, str | os.PathLike) or hasattr(value, "reserve")


def _is_names(value: Any) -> bool:
    if isinstance(value, str | bytes) or not isinstance(value, Iterable):
        return False
    return not isinstance(value, list | tuple) or all(isinstance(name, str) for name in value)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


# Arguments by name: what fits, what it should be, and the code of the error.
_KINDS: dict[str, tuple[Callable[[Any], bool], str, str]] = {
    "table": (_is_text, "the name of a table", "U213"),
    "memory": (_is_text, 'a text such as "4GB"', "U101"),
    "engine": (_is_text, 'a text such as "spark"', "U107"),
    "time_limit": (_is_number, "a number of seconds", "U102"),
    "by_rule": (lambda value: isinstance(value, bool), "True or False", "U213"),
    "lists_are_public": (lambda value: isinstance(value, bool), "True or False", "U213"),
    "measures": (_is_names, 'a list of names such as ["repair", "rows"]', "U202"),
    "split": (
        lambda value: isinstance(value, Mapping),
        'a mapping such as {"draw": 4, "worst_rule": 1}',
        "U204",
    ),
    "target_errors": (
        lambda value: isinstance(value, Mapping) and all(map(_is_number, value.values())),
        'a mapping such as {"repair": 5}',
        "U205",
    ),
    "ledger": (_is_place, "a path, an address or what open_ledger gives", "U208"),
    "reading": (
        lambda value: hasattr(value, "delimiter"),
        'what candling.Reading(null=["NA"]) gives',
        "U213",
    ),
    "person": (
        lambda value: isinstance(value, str) or _is_names(value),
        'the name of a column, or a list of names such as ["country", "patient"]',
        "U216",
    ),
    "limit": (lambda value: isinstance(value, int), "a whole number", "U213"),
}
