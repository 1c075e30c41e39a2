"""Rules files that are damaged: every dialect, as text and as YAML.

`python -m tests.fuzz rules` runs each through the command line. `python -m tests.fuzz.rules` reads
them in one process, which is a hundred times as fast.
"""

import re
import signal
import sys
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import NoReturn

from candling.errors import ConstraintError
from candling.rules import compile_rules, findings, parse_constraints
from tests.fuzz.mutate import mutated
from tests.fuzz.trial import Trial

RULES = (
    "Zip -> City",
    "zip-city: Zip, Street -> City, State",
    "key(Id)",
    "\"a label\": key(Ward, Bed) where Floor > 2 and Kind = 'ICU'",
    "A -> B where C = 'x' and D > 5",
    "not(t1.Pay > t2.Pay and t1.Tax < t2.Tax)",
    "not(t1.Age < 0)",
    "not(t1.Born > 2020-01-31 and t1.Seen <= 2020-01-31T12:00:00.5)",
    "not(t1.A=t2.A&t1.B!=t2.B)",
    "t1&t2&EQ(t1.A,t2.A)&IQ(t1.B,t2.B)",
    't1&EQ(t1.City,"Ulm")&LTE(t1.Age,-1.5e3)',
    "!(s.A == t.A and s.B != t.B)",
    "¬(t0.A = t1.A ∧ t0.B ≠ t1.B)",
    "not{t1.Flag = true, (t1.N >= 1)}",
    'U&"d\\00E9j\\00E0" -> "date of birth"  # a comment',
    "not(t1.Name = 'O''Hara' and t2.Name = U&'\\+01F600')",
    "Score is not null where State in ('MD', 'NY') or not (Age between 0 and 120)",
    "check (Net + Tax * 1.5 - abs(Total) / 2 >= length(Name) % 3)",
    r"Email matches '^[^@ ]+@(?:[a-z]+\.)*[a-z]{2,5}$' and Name not like 'A%_'",
    "!(s.0 == t.0 and s.2 == Texas)",
    "¬{ t0.Zip(String) = t1.Zip(String) ∧ t0.B(Integer) ≠ t1.B(Integer) }",
    "primary key(A, B) where Code not in file('nothing.csv', 'code')",
    "Почтовый-индекс → Город",
    "邮编 -> 城市, 州",
)
WRITTEN = ("- {}", "- '{}'", '- "{}"', "- >-\n  {}", "- {{label: x, rule: {}}}", "- x: {}")
ODD = (
    *(
        "(",
        ")",
        "'",
        '"',
        "U&'",
        "\\",
        "\u2028",
        "\x85",
        "\x00",
        "\ufeff",
        "->",
        "not(",
        " is null ",
        " or ",
        " in (",
        "{2,",
        "[^",
        "(?:",
        " * ",
        "t3.",
        "&a",
    ),
    *(
        "*a",
        "- ",
        "? ",
        "[",
        "{",
        "!!python/object:os.system ",
        "---",
        ": ",
        "#",
        "%",
        "\t",
        "\x1b[31m",
    ),
    *("9" * 5000, "1e999999", "0000-00-00", "ж" * 60, "A" * 25_000, "(" * 3000, "\ud800", "\u202e"),
)
WORDS = (
    *("A", "B", "t1", "t2", "Zip", "5", "-1.5", "'x'", '"a b"', "2020-01-31", "true", "Ж", "key"),
    *("''", '""', '"\u202e"', "'\x1b'", "U&'\\0041'", "a-b", "1e3", "'`|<b>'", '"x""y"', "न\u0941"),
)
SECONDS = 30  # after which reading hangs
TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


def trials(folder: Path, random: Random, mutants: int) -> Iterator[Trial]:
    """The rules as they are, then mutants; now and then the rules are planned with, too."""
    yield _trial(folder, "\n".join(RULES), "txt", "check")
    yield _trial(folder, "\n".join(f"- >-\n  {rule}" for rule in RULES), "yaml", "check")
    for _ in range(mutants):
        command = "plan" if random.random() < 0.05 else "check"
        yield _trial(folder, *_mutant(random), command)


def read_all(random: Random, mutants: int) -> Iterator[tuple[str, str, str | None]]:
    """Read mutants here: of each the kind, how it ended, and the text if that is a fault."""
    signal.signal(signal.SIGALRM, _too_late)
    for _ in range(mutants):
        text, ending = _mutant(random)
        signal.alarm(SECONDS)
        try:
            rules = parse_constraints(text)
            printed = [warning.message for warning in findings(rules)]
            again = parse_constraints("\n".join(map(str, rules)))
            assert [rule.canonical for rule in again] == [rule.canonical for rule in rules]
            assert compile_rules(rules).easy_parts is not None
            end = "read, with warnings" if printed else "read"
        except ConstraintError as error:
            end = error.code if str(error).replace("\n", "").isprintable() else "raw characters"
        except Exception:  # noqa: BLE001 - that is what is looked for
            end = traceback.format_exc(limit=-1)
        finally:
            signal.alarm(0)
        yield ending, end, None if end.startswith(("R1", "read")) else text


def _too_late(*_: object) -> NoReturn:
    raise TimeoutError


def _mutant(random: Random) -> tuple[str, str]:
    """Some rules with one to three changes, and how the name of their file ends."""
    chosen = random.choices(RULES, k=random.choice((1, 1, 2, 5)))
    if random.random() < 0.6:
        return _mutated("\n".join(chosen), random), "txt"
    text = "\n".join(random.choice(WRITTEN).format(rule) for rule in chosen)
    return _mutated(text, random), "yaml"


def _trial(folder: Path, text: str, ending: str, command: str) -> Trial:
    path = folder / f"rules.{ending}"
    path.write_bytes(text.encode("utf-8", "surrogatepass"))
    options = ("--epsilon", "1") if command == "plan" else ()
    return Trial(f"{command} rules.{ending}", (command, path.name, *options), folder)


def _mutated(text: str, random: Random) -> str:
    """The text with one to three changes: of its tokens, or of its bytes."""
    if random.random() < 0.2:
        return mutated(text.encode(), random).decode("utf-8", "replace")
    tokens = TOKEN.findall(text)
    for _ in range(random.choice((1, 1, 1, 2, 3))):
        at = random.randrange(len(tokens) + 1)
        match random.randrange(8):
            case 5 | 6 | 7:  # another word where one was: often a rule again
                words = [i for i, token in enumerate(tokens) if token[0].isalnum()] or [0]
                tokens[random.choice(words)] = random.choice(WORDS)
            case 0:
                del tokens[at : at + random.choice((1, 1, 3))]
            case 1:
                tokens[at:at] = tokens[at : at + 5] * random.choice((1, 1, 2, 500))
            case 2:
                tokens.insert(at, random.choice(ODD))
            case 3 if tokens:
                other = random.randrange(len(tokens))
                tokens[at : at + 1] = [tokens[other]]
            case _:
                tokens[at:at] = TOKEN.findall(random.choice(RULES))
    return "".join(tokens)


if __name__ == "__main__":
    seed, number = (int(argument) for argument in (*sys.argv[1:], "0", "10000")[:2])
    ended: Counter[tuple[str, str]] = Counter()
    for kind, end, fault in read_all(Random(f"rules {seed}"), number):
        ended[kind, end] += 1
        if fault is not None:
            sys.stdout.write(f"{end}\n{fault!r:.2000}\n")
    for (kind, end), times in sorted(ended.items()):
        sys.stdout.write(f"{kind:5} {end:20} {times}\n")
