"""Arguments of commands: which one is the table and which one the rules, in either order."""

import os
from pathlib import Path

from candling.addresses import scheme
from candling.calls import RULES_ENDINGS, TABLE_ENDINGS
from candling.errors import CandlingError, UsageError

_PACKED = (".gz", ".zst")
_FIRST = 20  # lines of a file that are looked at


def in_order(first: str, second: str) -> tuple[str, str]:
    """The table, then the rules. Endings tell them apart; of two .txt files, what is in them."""
    return (second, first) if _exchanged(first, second) else (first, second)


def data_and_rules(first: str | None, second: str | None) -> tuple[str | None, str]:
    """The same where the table may be missing: one argument is the rules."""
    if first is not None and second is not None:
        return in_order(first, second)
    rules = second if first is None else first
    if rules is None:
        raise UsageError("Name a rules file: candling check rules.txt", code="U215")
    return None, rules


def is_rules(name: str) -> bool:
    """Whether a name ends like that of a rules file."""
    return scheme(name) is None and Path(name).suffix.lower() in RULES_ENDINGS


def _is_table(name: str) -> bool:
    path = Path(name)
    ending = path.with_suffix("").suffix if path.suffix.lower() in _PACKED else path.suffix
    return scheme(name) is not None or ending.lower() in TABLE_ENDINGS or name == "-"


def _exchanged(first: str, second: str) -> bool:
    if is_rules(first) and is_rules(second):
        return first != second and not _holds_rules(second) and _holds_rules(first)
    return (is_rules(first) and not is_rules(second)) or (
        _is_table(second) and not _is_table(first)
    )


def _holds_rules(name: str) -> bool:
    """Whether the first lines of a file are rules; nothing of it is shown."""
    from candling.rules import parse_constraints

    try:
        if not os.path.isfile(name):  # noqa: PTH113 - a pipe would wait for ever
            return False
        with Path(name).open(encoding="utf-8") as file:
            lines = [line for _, line in zip(range(_FIRST), file, strict=False)]
        parse_constraints("".join(lines))
    except (CandlingError, OSError, ValueError):
        return False
    return True
