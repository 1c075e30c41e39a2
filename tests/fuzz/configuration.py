"""Files named candling.toml that are damaged: bytes, types, depth, names."""

import json
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.fuzz.mutate import mutated
from tests.fuzz.trial import Trial
from tests.hostile import NAMES

GOOD = {
    "ledger": '"budget.ledger"',
    "rules": '"rules.txt"',
    "dataset": '"visits"',
    "memory": '"1GB"',
    "format": '"json"',
    "engine": '"duckdb"',
    "person": '"Zip"',
    "rows_per_person": "2",
    "max_rows": "1_000",
}
ODD_VALUES = (
    *("true", "-1", "0", "1.5", "inf", "nan", "9" * 400, "9" * 5000, "0x" + "f" * 500, "1e400"),
    *("0x" + "f" * 6000, "0o" + "7" * 9000, "0b" + "1" * 30_000, "-" + "9" * 4000, "1e99999"),
    *(str(2**63 - 1), str(2**63), "1_0" * 900, '"' + "9" * 400 + 'GB"', '"99999999999TB"'),
    *(
        "1979-05-27T07:32:00Z",
        "9999-99-99",
        "[1, 2]",
        "{a = 1}",
        "[" * 900,
        "[" * 5000 + "]" * 5000,
    ),
    *("{a=" * 2000, '""', "''", '"""\n\n"""', '"\\u0000"', '"\\ud800"', '"~nosuchuser/x"'),
    *('"/"', '"."', '"/dev/zero"', '"//server/x"', '"postgresql://\\u2028@/"', '"spark://"'),
)
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("plan", "--epsilon", "1"),
    ("check",),
    ("release", "table.csv", "--epsilon", "1"),
    ("ledger", "show"),
)


def trials(folder: Path, random: Random, mutants: int) -> Iterator[Trial]:
    """Sound settings, then mutants of them, beside sound rules and a sound table."""
    (folder / "rules.txt").write_text("Zip -> City\n")
    (folder / "table.csv").write_text("Zip,City\n1,Ulm\n1,Bonn\n")
    sound = {key: value for key, value in GOOD.items() if key not in ("ledger", "dataset")}
    for command in COMMANDS[:3]:
        yield _trial(folder, _text(sound).encode(), command)
    for _ in range(mutants):
        command = random.choice(COMMANDS)
        content = _text(_changed(random)).encode("utf-8", "surrogatepass")
        yield _trial(
            folder, mutated(content, random) if random.random() < 0.4 else content, command
        )


def _trial(folder: Path, content: bytes, command: tuple[str, ...]) -> Trial:
    path = folder / "candling.toml"
    path.write_bytes(content)
    path.chmod(0o644)
    return Trial(f"{command[0]} with candling.toml", command, folder)


def _changed(random: Random) -> dict[str, str]:
    """Some of the settings, and one or two of them odd."""
    kept = {key: GOOD[key] for key in GOOD if random.random() < 0.6}
    for _ in range(random.randint(0, 2)):
        name = json.dumps(random.choice(NAMES), ensure_ascii=random.random() < 0.7)
        match random.randrange(5):
            case 0:
                kept[random.choice([*GOOD])] = name
            case 1:
                kept[name] = "1"
            case 2:
                kept[".".join(random.choices([*GOOD], k=random.choice((2, 3, 400))))] = "1"
            case 3:
                kept[f"[{random.choice([*GOOD])}]\nx"] = "1"
            case _:
                kept[random.choice([*GOOD])] = random.choice(ODD_VALUES)
    return kept


def _text(settings: dict[str, str]) -> str:
    return "".join(f"{key} = {value}\n" for key, value in settings.items())
