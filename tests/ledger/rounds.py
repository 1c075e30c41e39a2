"""Releases that are killed, starved or raced, hundreds of them: `python -m tests.ledger.rounds`.

Runs in a process of its own, with one thread, so that it can fork children cheaply. Each child
makes one charged release and *shows* its value by writing it to a pipe. What was shown, and how
each child ended, is printed as JSON; the tests hold that against the ledger.
"""

from __future__ import annotations

import gc
import itertools
import json
import os
import random
import resource
import secrets
import signal
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from fractions import Fraction
from pathlib import Path
from uuid import uuid4

from candling.card import Card
from candling.errors import CandlingError
from candling.ledger import make_claim, open_ledger
from candling.releases.billing import Account
from candling.system import progress
from tests.drawn_cards import drawn_card, noisy

EPSILON = Fraction(1, 1000)
SEPARATOR = "\n"  # between several names of one ledger; an address has colons
SHOWN = "shown"  # one step more than the product knows: the value has left the process


@dataclass(frozen=True)
class Round:
    """How one child ended."""

    request_id: str
    step: str | None
    shown: int | None
    signal: int  # that ended it, or 0
    code: str | None  # of the error that it met


PEOPLE, DATASETS = "patients", ("visits", "prescriptions")
MOVE = "move"  # begins the request id of a child that moves a dataset instead


def dataset_of(request_id: str) -> str:
    """The dataset that a request is about: one of the two."""
    return DATASETS[sum(request_id.encode()) % 2]


def release(place: str, request_id: str, show: Callable[[int], None]) -> None:
    """A charged release of a secret number, by the code that every release runs through."""

    def make() -> Card:
        return drawn_card(epsilon=EPSILON, rules=(), rows=noisy(secrets.randbits(60)))

    dataset = dataset_of(request_id)
    claim = make_claim(dataset, EPSILON, {"measures": ["rows"]}, request_id=request_id)
    account = Account(open_ledger(place), claim)
    card = account.find() or account.charge(make)
    show(int(str(card.rows.estimate)))


def move(place: str) -> None:
    """Move the first dataset to other people, and the next time back."""
    ledger = open_ledger(place)
    homes = {dataset.name: dataset.budget.people for dataset in ledger.show().datasets}
    away = homes[DATASETS[0]] == PEOPLE
    ledger.move(DATASETS[0], "others" if away else PEOPLE, "to and fro", budget=1)


def run_child(
    place: str, request_id: str, step: str | None = None, prepare: Callable[[], None] = lambda: None
) -> tuple[int, int]:
    """Fork a child that releases, and dies at `step`; its process id and the pipe's end."""
    reader, writer = os.pipe()
    child = os.fork()
    if child:
        os.close(writer)
        return child, reader
    try:
        prepare()
        setattr(progress, "mark_step", lambda at: die() if at == step else None)  # noqa: B010
        try:
            if request_id.startswith(MOVE):
                move(place)
            else:
                release(place, request_id, lambda value: tell(writer, {"shown": value}))
        except CandlingError as error:
            tell(writer, {"code": error.code})
        progress.mark_step(SHOWN)
    finally:
        os._exit(0)


def die() -> None:
    """As by `kill -9`."""
    os.kill(os.getpid(), signal.SIGKILL)


def tell(writer: int, what: dict[str, object]) -> None:
    os.write(writer, json.dumps(what).encode() + b"\n")


def collect(child: int, reader: int, request_id: str, step: str | None) -> Round:
    """Wait for a child, and what it showed before it ended."""
    with os.fdopen(reader, "rb") as pipe:
        told: dict[str, object] = {}
        for line in pipe.read().splitlines():
            told |= json.loads(line)
    _, status = os.waitpid(child, 0)
    ended = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    shown, code = told.get("shown"), told.get("code")
    assert shown is None or isinstance(shown, int)
    return Round(request_id, step, shown, ended, None if code is None else str(code))


def at_every_step(place: str, rounds: int) -> Iterator[Round]:
    """Killed between any two steps, in turn; every seventh or so lives."""
    plan = (*progress.STEPS, SHOWN, None)
    for number in range(rounds):
        step, request_id = plan[number % len(plan)], f"step-{number}"
        yield collect(*run_child(place, request_id, step), request_id, step)


def at_any_time(place: str, rounds: int) -> Iterator[Round]:
    """Killed by the clock, so also in the middle of what SQLite or the server is doing.

    Of several names of one ledger, each in turn.
    """
    names = itertools.cycle(place.split(SEPARATOR))
    yield from _by_the_clock(lambda: next(names), rounds)


def moved_about(place: str, rounds: int) -> Iterator[Round]:
    """The same, and the file is moved between two names, away from the journal of a crash.

    Where a journal stops us, it is moved away, as the message says.
    """
    names = [Path(name) for name in place.split(SEPARATOR)]

    def next_name() -> str:
        if random.random() < 0.5:
            names[0].rename(names[1])
            names.reverse()
        return str(names[0])

    for done in _by_the_clock(next_name, rounds):
        yield done
        if done.code == "L120":
            names[0].with_name(names[0].name + "-journal").unlink()


def with_moves(place: str, rounds: int) -> Iterator[Round]:
    """Killed by the clock, and every third child moves a dataset."""
    yield from _by_the_clock(lambda: place, rounds, moves=3)


def _by_the_clock(
    next_name: Callable[[], str], rounds: int, moves: int | None = None
) -> Iterator[Round]:
    longest = 0.02
    for number in range(rounds):
        kind = MOVE if moves and number % moves == 0 else "time"
        request_id, place = f"{kind}-{number}", next_name()
        started = time.monotonic()
        child, reader = run_child(place, request_id)
        time.sleep(random.uniform(0, longest))
        os.kill(child, signal.SIGKILL)
        done = collect(child, reader, request_id, None)
        if done.shown is not None:  # so long does a whole one take here, at most
            longest = min(longest, time.monotonic() - started)
        else:
            longest = min(longest * 1.1, 0.5)
        yield done


def on_a_full_disk(place: str, rounds: int) -> Iterator[Round]:
    """With no room to speak of, none to grow, or plenty: no file can grow beyond that.

    Request ids have many lengths, so that a page of the file is full at any step of a release.
    """
    for number in range(rounds):
        size = Path(place).stat().st_size
        room = (size * number // rounds, size, size + 2**12, size + 2**13, size + 2**16)[number % 5]

        def prepare(room: int = room) -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))  # a write beyond fails: EFBIG

        request_id = f"full-{number}-{'x' * (37 * number % 150)}"
        yield collect(*run_child(place, request_id, prepare=prepare), request_id, None)


def all_at_once(place: str, rounds: int, moves: int | None = None) -> Iterator[Round]:
    """So many processes, let go at the same moment; of `moves` processes one moves a dataset."""
    start_reader, start_writer = os.pipe()

    def wait() -> None:
        os.close(start_writer)
        os.read(start_reader, 1)  # until the parent closes its end

    kinds = [MOVE if moves and n % moves == 0 else "race" for n in range(rounds)]
    names = [f"{kind}-{uuid4()}" for kind in kinds]
    children = [run_child(place, name, prepare=wait) for name in names]
    os.close(start_writer)
    for (child, reader), name in zip(children, names, strict=True):
        yield collect(child, reader, name, None)


def all_at_once_with_moves(place: str, rounds: int) -> Iterator[Round]:
    """The same, and every fourth process moves a dataset."""
    yield from all_at_once(place, rounds, moves=4)


KINDS = {
    "steps": at_every_step,
    "times": at_any_time,
    "moved": moved_about,
    "full": on_a_full_disk,
    "race": all_at_once,
    "moves": with_moves,
    "moving race": all_at_once_with_moves,
}


if __name__ == "__main__":
    kind, where, number = sys.argv[1:]
    release(
        where.split(SEPARATOR)[0], f"first-{uuid4()}", lambda _: None
    )  # loads what children would load each
    gc.freeze()
    for finished in KINDS[kind](where, int(number)):
        sys.stdout.write(json.dumps(asdict(finished)) + "\n")
