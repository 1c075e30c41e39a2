"""Import candling once, then fork for each trial that a JSON line on standard input asks for."""

import json
import os
import resource
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numba

from candling import parse_constraints

# Bytes of address space beside what the libraries have reserved. A mutant that asks for more must
# be refused, not served.
MEMORY = 6 << 30
IMPORTED = (
    *("duckdb", "highspy", "ibis.backends.duckdb", "pyarrow.compute", "pyarrow.feather"),
    *(
        "candling.cli.app",
        "candling.releases.run",
        "candling.graph.counting",
        "candling.releases.session",
    ),
)


def serve() -> None:
    """Answer until standard input ends."""
    for name in IMPORTED:
        __import__(name)
    compiled: Any = numba.njit(lambda: 0)
    compiled()  # its compiler takes a second to begin
    parse_constraints("A -> B")  # which reads the grammar
    answers = os.fdopen(os.dup(1), "w")
    for line in sys.stdin:
        answers.write(json.dumps(_tried(json.loads(line))) + "\n")
        answers.flush()


def _tried(asked: dict[str, Any]) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        child = os.fork()
        if child == 0:
            _run(asked, out, err)
        if asked["stop"] is not None:
            number, seconds = asked["stop"]
            time.sleep(seconds)
            os.kill(child, number)  # nobody waited for it yet, so the number is still its own
        code, hung = _wait(child, asked["seconds"])
        texts = [path.read_text(errors="replace") if path.exists() else "" for path in (out, err)]
    return {"code": code, "hung": hung, "out": texts[0], "err": texts[1]}


def _run(asked: dict[str, Any], out: Path, err: Path) -> None:
    """The trial itself, in the child; it never comes back."""
    code = 99
    try:
        os.setsid()
        source = Path(asked["stdin"] or os.devnull)
        for descriptor, path in ((0, source), (1, out), (2, err)):
            mode = os.O_RDONLY if descriptor == 0 else os.O_WRONLY | os.O_CREAT
            os.dup2(os.open(path, mode, 0o600), descriptor)
        most = MEMORY + _reserved()
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        os.chdir(asked["folder"])
        os.environ.update(asked["environment"])
        sys.stdin = os.fdopen(0, closefd=False)
        tempfile.tempdir = None  # asked for again, where the trial says so
        if asked["stop"] is not None:
            _run_whole(asked["arguments"])
        from candling.cli.app import main

        main(asked["arguments"])
    except KeyboardInterrupt:  # before the command began
        code = 128 + signal.SIGINT
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _run_whole(arguments: list[str]) -> None:
    """The command as a process of its own has it, with what handles signals."""
    from candling.cli import main

    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have it ignored
    sys.argv = ["candling", *arguments]
    main()


def _reserved() -> int:
    """The address space of this process, where the system tells."""
    sizes = Path("/proc/self/statm")
    pages = int(sizes.read_text().split()[0]) if sizes.exists() else 0
    return pages * resource.getpagesize()


def _wait(child: int, seconds: float) -> tuple[int, bool]:
    """The exit code, below zero for a signal, and whether the child had to be killed."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return os.waitstatus_to_exitcode(status), False
        time.sleep(0.005)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -signal.SIGKILL, True


if __name__ == "__main__":
    serve()
