"""One run of the command line on something odd, and how it ended."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

CELL = "Quillfeather-93117"  # stands in every fuzzed table; on no stream is it ever to be seen
SECONDS = 60  # a run that takes longer hangs


@dataclass(frozen=True)
class Stop:
    """A signal for the run, and the folder in which nothing may be left after it."""

    number: int
    seconds: float  # after the start
    empty: Path


@dataclass(frozen=True)
class Trial:
    """What to run: `candling ARGUMENTS` in a folder."""

    kind: str  # the row of the table of outcomes: "Parquet"
    arguments: tuple[str, ...]
    folder: Path
    allowed: frozenset[int] = frozenset({0, 2})
    environment: Mapping[str, str] = field(default_factory=dict)
    secrets: tuple[str, ...] = (CELL,)
    stop: Stop | None = None
    stdin: Path | None = None


@dataclass(frozen=True)
class Outcome:
    """How a trial ended."""

    trial: Trial
    code: int  # the exit code; below zero the signal that ended it
    hung: bool
    out: str
    err: str
    left: bool = False  # a file that should be gone

    @property
    def leaked(self) -> bool:
        """Whether a cell was shown."""
        return any(secret in self.out or secret in self.err for secret in self.trial.secrets)

    @property
    def fault(self) -> str | None:
        """What is wrong with it; None if nothing is."""
        if self.hung:
            return "hangs"
        if self.code < 0 and self.code not in self.trial.allowed:
            return f"ends by signal {-self.code}"
        if self.code not in self.trial.allowed:
            return f"exit {self.code}"
        if not (self.out + self.err).replace("\n", "").isprintable():
            return "sends control characters to the terminal"
        if self.left:
            return "leaves a file"
        return "shows a cell" if self.leaked else None


@dataclass(frozen=True)
class Runner:
    """A process that has candling imported and forks for each trial, so that a crash ends one."""

    server: subprocess.Popen[str]

    def run(self, trial: Trial, seconds: float = SECONDS) -> Outcome:
        """The outcome of a trial."""
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        asked = {
            "arguments": trial.arguments,
            "folder": str(trial.folder),
            "environment": dict(trial.environment),
            "seconds": seconds,
            "stop": None if trial.stop is None else [trial.stop.number, trial.stop.seconds],
            "stdin": None if trial.stdin is None else str(trial.stdin),
        }
        self.server.stdin.write(json.dumps(asked) + "\n")
        self.server.stdin.flush()
        told = json.loads(self.server.stdout.readline())
        left = trial.stop is not None and (
            any(trial.stop.empty.iterdir()) or any(trial.folder.glob(".candling-*"))
        )
        return Outcome(trial, told["code"], told["hung"], told["out"], told["err"], left)


@contextmanager
def runner() -> Iterator[Runner]:
    """A runner, for as long as the block lasts."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.fuzz.server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as server:
        try:
            yield Runner(server)
        finally:
            server.kill()
