"""Every command stopped at a random time: how it ends, what is left on disk, what was charged."""

from __future__ import annotations

import shutil
import signal
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from random import Random

import openpyxl  # type: ignore[import-untyped]

from candling.ledger import open_ledger
from candling.model.receipt import epsilon_of
from tests.fuzz.trial import CELL, Stop, Trial

ROWS = 4000
RULES = "Zip -> City\nnot(t1.Zip = t2.Zip and t1.City < t2.City and t1.Id > t2.Id)\n"
SIGNALS = (signal.SIGTERM, signal.SIGHUP, signal.SIGINT)
LEDGER = "budget.ledger"
EPSILON = "0.01"
COMMANDS: tuple[tuple[str, ...], ...] = (
    ("exact", "t.csv", "rules.txt"),
    ("exact", "wide.csv", "rules.txt", "--json"),
    ("exact", "t.xlsx", "rules.txt"),
    ("exact", "-", "rules.txt", "--memory", "64MB"),
    ("release", "t.csv", "rules.txt", "--epsilon", "1", "--report", "card.html"),
    *(
        ("release", name, "rules.txt", "--epsilon", EPSILON, "--ledger", LEDGER, "--dataset", "v")
        for name in ("t.csv", "-", "wide.csv")
    ),
    ("plan", "rules.txt", "--epsilon", "1", "--measures", "all"),
    ("check", "rules.txt", "wide.csv"),
    ("init", "t.csv", "--output", "made.txt"),
    ("owner", "repair", "wide.csv", "rules.txt", "--out", "clean.csv"),
    ("owner", "conflicts", "t.csv", "rules.txt", "--html", "rows.html"),
    ("owner", "types", "t.csv", "rules.txt", "--type", "Zip=integer"),
    ("ledger", "show", LEDGER),
    ("ledger", "verify", LEDGER),
    ("ledger", "init", "new.ledger"),
    ("demo", "--rows", "2000"),
    ("explain", "D103"),
)
MADE = ("card.html", "made.txt", "clean.csv", "rows.html", "new.ledger")


def trials(folder: Path, random: Random, mutants: int) -> Iterator[Trial]:
    """Each command in turn, stopped after up to a second; the ledger is looked at after each."""
    _write(folder)
    temporary = folder / "temporary"
    temporary.mkdir()
    ledger = str(folder / LEDGER)
    for words in (f"init {LEDGER} --trial", f"add {LEDGER} --dataset v --budget 90"):
        command = ("ledger", *words.split())
        yield Trial("ledger, whole", command, folder, allowed=frozenset({0}))
    charged = 0
    for _ in range(mutants):
        command, number = random.choice(COMMANDS), random.choice(SIGNALS)
        yield Trial(
            f"{signal.Signals(number).name}, {command[0]}",
            command,
            folder,
            allowed=frozenset({0, 128 + number, -number}),  # before it has loaded, at once
            environment={"TMPDIR": str(temporary)},
            secrets=() if command[:2] == ("owner", "conflicts") else (CELL,),
            stop=Stop(number, 2 * random.random() ** 2, temporary),
            stdin=folder / "t.csv",
        )
        shutil.rmtree(temporary)  # what was left counts once
        temporary.mkdir()
        for name in MADE:
            (folder / name).unlink(missing_ok=True)
        (dataset,) = open_ledger(ledger).show().datasets
        charges = dataset.results + len(dataset.without_result)
        assert dataset.charged_units == dataset.budget.spent_units
        assert epsilon_of(dataset.charged_units) == charges * Fraction(EPSILON)
        assert charges - charged in (0, 1)
        charged = charges
    yield Trial("ledger, whole", ("ledger", "verify", LEDGER), folder, allowed=frozenset({0}))
    shutil.rmtree(temporary)


def _write(folder: Path) -> None:
    rows = [("Id", "Zip", "City", "Ward")]
    rows += [(str(i), str(i % 997), f"City {i % 50}", CELL) for i in range(ROWS)]
    text = "\n".join(map(",".join, rows))
    (folder / "rules.txt").write_text("type Id: integer\ntype City: text\n" + RULES)
    (folder / "t.csv").write_text(text)
    (folder / "wide.csv").write_text(text, encoding="utf-16")
    book = openpyxl.Workbook(write_only=True)
    sheet = book.create_sheet("t")
    for row in rows:
        sheet.append(row)
    book.save(folder / "t.xlsx")
