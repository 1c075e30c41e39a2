"""`candling start`: questions about a first release; the answer is the commands for it.

It looks at the names and types of columns, never at rows, and runs none of the commands.
"""

import os
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeVar

import typer

import candling
from candling.arguments import LIKE_PATH
from candling.cli import options
from candling.cli.check import examine
from candling.errors import CandlingError, UsageError
from candling.model.person import looks_like_person
from candling.records import dataclass
from candling.render import terminal as output
from candling.render.views import view_plan
from candling.render.wording import list_words, names
from candling.rules.types import NO_RULES
from candling.system.files import hide_secrets, scheme

if TYPE_CHECKING:
    from candling.rules import ConstraintSet

T = TypeVar("T")
_RULES_FILE = "rules.txt"  # which `candling init` writes
_LEDGER = "budget.ledger"
_NONE = "none"
_TIMES = 3  # releases that a proposed budget allows


def start(
    data: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATA]",
            help="The table. Without it, that is the first question.",
            show_default=False,
        ),
    ] = None,
    table: options.Table = None,
    engine: options.Engine = None,
    reading: options.Reading = None,
    as_json: options.Json = False,
) -> None:
    """Answer a few questions, and get the commands for a first release.

    It asks for the table, the rules, who is a person, the epsilon and the ledger, and shows what
    the release will cost and how noisy it will be. It reads no rows, runs nothing and spends
    nothing. Answers can also be piped, one on a line; an empty line takes the proposed answer.

    [bold]Examples[/bold]

    candling start

    candling start visits.csv

    candling start visits.csv < answers.txt
    """
    questions = _Questions(shown=not as_json)
    where = _Where(table, engine, reading)
    data, columns = _ask_table(questions, data, where)
    rules = _ask_rules(questions, data, where)
    person, most = _ask_person(questions, data, where, rules, columns)
    epsilon = _ask_epsilon(questions, rules, person, most)
    account = _ask_account(questions, data, epsilon)
    steps = _steps(data, where, rules, person, most, epsilon, account)
    if as_json:
        output.print_json({"steps": [{"why": why, "commands": list(c)} for why, c in steps]})
        return
    output.heading("The commands")
    output.line("Nothing has been run or spent yet. Run these in this order:")
    for why, listed in steps:
        output.line()
        output.line(why)
        output.commands(*listed)


# Questions


class _Questions:
    """Questions on a terminal, or answered by lines of standard input."""

    def __init__(self, *, shown: bool) -> None:
        self.shown = shown
        self._terminal = sys.stdin is not None and sys.stdin.isatty()
        self._asked = 0

    def ask(self, question: str, proposed: str, read: Callable[[str], T]) -> T:
        """What an answer means; on a terminal, a wrong one is asked for again."""
        while True:
            answer = self._answer(question, proposed)
            try:
                return read(answer)
            except CandlingError as error:
                if not self._terminal:
                    raise
                output.error(error)

    def tell(self, text: str) -> None:
        """A title between questions."""
        if self.shown:
            output.heading(text)

    def _answer(self, question: str, proposed: str) -> str:
        self._asked += 1
        words = f"{question} [{proposed}]" if proposed else question
        if self.shown:
            output.line(words)
        else:
            output.remark(words)
        if self._terminal:
            output.prompt()
        try:
            line = sys.stdin.readline() if sys.stdin is not None else ""
        except (OSError, ValueError):  # closed, or not text
            line = ""
        if not line:
            raise UsageError(
                f"No answer to question {self._asked}: {question} `candling start` needs a "
                "terminal, or one line of standard input for each answer.",
                code="U219",
            )
        answer = line.strip() or proposed
        if not self._terminal and self.shown:
            output.line(answer, head="> ", head_style="")
        return answer


@dataclass(frozen=True, slots=True)
class _Where:
    """How the table is found and read."""

    table: str | None
    engine: str | None
    reading: options.Reading


@dataclass(frozen=True, slots=True)
class _Rules:
    """The rules as words of a command line; none yet, where a file is still to be written."""

    words: tuple[str, ...]
    constraints: "ConstraintSet | None"


@dataclass(frozen=True, slots=True)
class _Account:
    """The ledger that will be charged, and what must be done for it first."""

    ledger: str
    dataset: str
    budget: str | None  # None: the dataset is there
    new: bool


# What is asked


def _ask_table(questions: _Questions, data: str | None, where: _Where) -> tuple[str, Sequence[str]]:
    from candling.tables import open_table

    def read(answer: str) -> tuple[str, Sequence[str]]:
        if not answer:
            raise UsageError("Name the table, such as visits.csv.", code="U219")
        if answer == "-":
            raise UsageError(
                "The answers come from standard input, so the table cannot: name a file.",
                code="U219",
            )
        opened = open_table(answer, table=where.table, engine=where.engine, reading=where.reading)
        return answer, list(opened.schema)

    if data is not None:
        return read(data)
    questions.tell("The table")
    return questions.ask("Which table? A file such as visits.csv, or an address.", "", read)


def _ask_rules(questions: _Questions, data: str, where: _Where) -> _Rules:
    questions.tell("The rules")
    there = _RULES_FILE if Path(_RULES_FILE).is_file() else ""
    given: list[str] = []

    def read(answer: str) -> _Rules:
        if not answer:
            words = [word for rule in given for word in ("--rule", rule)]
            rules = candling.parse_constraints("\n".join(given)) if given else None
            return _Rules(tuple(words) or (_RULES_FILE,), rules)
        path = not given and (LIKE_PATH.fullmatch(answer) or Path(answer).is_file())
        lines = [*given, " ".join(answer.split())]
        constraints = options.read_rules(answer, None) if path else options.read_rules(None, lines)
        examine(constraints, data, table=where.table, engine=where.engine, reading=where.reading)
        if path:
            return _Rules((answer,), constraints)
        given.append(lines[-1])
        return questions.ask("Another rule? An empty line ends the list.", "", read)

    return questions.ask(
        "Which rules should hold? A rules file, or one rule such as Zip -> City. An empty line if "
        "you have none yet.",
        there,
        read,
    )


def _ask_person(
    questions: _Questions, data: str, where: _Where, rules: _Rules, columns: Sequence[str]
) -> tuple[tuple[str, ...], int | None]:
    from candling.tables import open_table
    from candling.tables.persons import require_person

    def read(answer: str) -> tuple[str, ...]:
        person = () if answer.lower() in ("", _NONE) else options.person(answer) or ()
        if person:
            opened = open_table(
                data,
                table=where.table,
                engine=where.engine,
                reading=where.reading,
                person=person,
                rules=NO_RULES if rules.constraints is None else rules.constraints,
            )
            require_person(opened, person)
        return person

    questions.tell("The persons")
    found = looks_like_person(columns)
    proposed = options.join_list(found[:1]) if found else _NONE
    if found:
        output.remark(f"{list_words([names([c]) for c in found[:3]])} may identify a person.")
    person = questions.ask(
        "Which column says whose row it is? All rows of a person are then protected. Answer "
        f"{_NONE} if each row is about a different person, or about no person.",
        proposed,
        read,
    )
    if not person:
        return (), questions.ask("How many rows can one person have at most?", "1", _count)
    return person, questions.ask(
        "How many rows of each person does the grade count at most? An empty line lets the release "
        "choose, for a part of epsilon.",
        "",
        lambda answer: _count(answer) if answer else None,
    )


def _count(answer: str) -> int:
    if not answer.isascii() or not answer.isdigit() or not int(answer):
        raise UsageError(f"Answer with a whole number of 1 or more, not {answer!r}.", code="U219")
    return int(answer)


def _ask_epsilon(
    questions: _Questions, rules: _Rules, person: tuple[str, ...], most: int | None
) -> str:
    def read(answer: str) -> str:
        from candling.privacy.budget import exact_epsilon

        exact_epsilon(answer)
        return answer

    questions.tell("The cost")
    epsilon = questions.ask(
        "Which epsilon? 0.5 protects more and is noisier, 1 is usual, above 5 protects little.",
        "1",
        read,
    )
    while rules.constraints is not None:
        plan = candling.plan(
            rules.constraints,
            epsilon=epsilon,
            person=person or None,
            rows_per_person=most,
        )
        if questions.shown:
            output.line()
            output.show(view_plan(plan))
            output.line()
        other = questions.ask(
            f"Spend epsilon {epsilon}? An empty line means yes; or answer with another epsilon.",
            "",
            lambda answer: read(answer) if answer else "",
        )
        if not other:
            break
        epsilon = other
    return epsilon


def _ask_account(questions: _Questions, data: str, epsilon: str) -> _Account | None:
    questions.tell("The budget")
    known = os.environ.get("CANDLING_LEDGER") or _LEDGER

    def read(answer: str) -> tuple[str, set[str]] | None:
        if answer.lower() == _NONE:
            return None
        there = scheme(answer) is not None or os.path.lexists(answer)
        datasets = candling.open_ledger(answer).show().datasets if there else ()
        return answer, {dataset.name for dataset in datasets}

    found = questions.ask(
        "Which ledger keeps count of what is spent? A file; a new one is made. Answer "
        f"{_NONE} to keep count yourself.",
        known,
        read,
    )
    if found is None:
        return None
    ledger, datasets = found
    dataset = questions.ask("What is the dataset called there?", _name(data), lambda answer: answer)
    new = scheme(ledger) is None and not os.path.lexists(ledger)
    if dataset in datasets:
        return _Account(ledger, dataset, None, new)
    budget = questions.ask(
        "How much epsilon may all releases about these people spend together?",
        f"{_TIMES * float(epsilon):g}",
        _budget,
    )
    return _Account(ledger, dataset, budget, new)


def _budget(answer: str) -> str:
    from candling.ledger.entry import budget_units

    budget_units(answer)
    return answer


def _name(data: str) -> str:
    """A name for the dataset: that of the file."""
    return Path(hide_secrets(data).rstrip("/")).name.partition(".")[0] or "table"


# The commands


def _steps(
    data: str,
    where: _Where,
    rules: _Rules,
    person: tuple[str, ...],
    most: int | None,
    epsilon: str,
    account: _Account | None,
) -> list[tuple[str, list[str]]]:
    """What to run, in order: why, and the commands."""
    shown = options.place(data, where.table, where.engine, where.reading)
    both = f"{shown} {shlex.join(rules.words)}"
    steps = []
    if rules.constraints is None:
        why = "Write a rules file, and choose from its examples the rules that should hold:"
        steps.append((why, [f"candling init {shown}"]))
    steps += [
        ("Check that the rules fit the table:", [f"candling check {both}"]),
        (
            "See the exact numbers. They are NOT PRIVATE: for the owner of the table only.",
            [f"candling exact {both}"],
        ),
    ]
    release = ["candling", "release", "--epsilon", epsilon]
    if person:
        release += ["--person", options.join_list(person)]
    if most is not None and (person or most > 1):
        release += ["--rows-per-person", str(most)]
    if account is not None:
        ledger = hide_secrets(account.ledger)
        first = [["candling", "ledger", "init", ledger]] if account.new else []
        if account.budget is not None:
            add = ["candling", "ledger", "add", ledger, "--dataset", account.dataset]
            first.append([*add, "--budget", account.budget])
        if first:
            why = "Make the budget, once. Datasets about the same people share one: see --people."
            steps.append((why, [shlex.join(words) for words in first]))
        release += ["--ledger", ledger, "--dataset", account.dataset]
    release += ["-o", "card.json", "--report", "card.html"]
    command, rest = shlex.join(release[:2]), shlex.join(release[2:])
    steps.append(
        (f"Release the card. This spends epsilon {epsilon}:", [f"{command} {both} {rest}"])
    )
    return steps
