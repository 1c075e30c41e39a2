"""The `candling` command: one file per subcommand, and nothing heavy until one of them runs."""

import atexit
import gc
import os
import signal
import sys
import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["main"]

GC_THRESHOLDS = 500_000, 50, 50  # modules are no garbage, and a command makes little


def main(args: "Sequence[str] | None" = None) -> None:
    """Run the command line and exit; see `candling.cli.app.main`.

    While modules are loaded, Ctrl-C ends the process at once, as it ends most programs: an
    exception would come out of the middle of a module, as a traceback or as an ImportError of a
    library that then tries another way.
    """
    gc.set_threshold(*GC_THRESHOLDS)
    if args is None:  # else the process is not ours
        # numba loads SciPy for its linear algebra wherever it is installed, which takes longer than
        # a small table and serves no loop of ours.
        sys.modules.setdefault("scipy", None)  # type: ignore[arg-type]
        # NumPy's threads for linear algebra would start, wait, and have nothing to do.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    usual = signal.getsignal(signal.SIGINT)
    ours = usual is signal.default_int_handler  # or else somebody decided otherwise, nohup say
    try:
        if ours:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    except ValueError:  # only the main thread may, and gets signals
        ours = False
    from candling.cli import app

    if args is None and threading.current_thread() is threading.main_thread():
        code = _run_stoppable(app.main)
        if not sys.gettrace() and not sys.getprofile():
            _end(code)
        raise SystemExit(code)
    if ours:
        signal.signal(signal.SIGINT, usual)
    app.main(args)


def _run_stoppable(run: "Callable[[], None]") -> object:
    """Run a command that has the process for itself; its exit code, also if a signal stops it."""
    from candling.system.process import ignore_signals, signal_received, stop_on_signals

    code: object = 0
    try:
        try:
            stop_on_signals()
            run()
        except SystemExit as end:
            code = end.code
        ignore_signals()
    except KeyboardInterrupt:  # it came a moment before the command began, or after it ended
        code = code or INTERRUPTED
    number = signal_received()
    return 128 + number if number is not None and code == INTERRUPTED else code  # Typer's is 130


def _end(code: object) -> None:
    """End the process at once, if nothing can be lost by it.

    Taking every module apart takes a tenth of the time of a small release. What must be done at
    the end is done first: directories with rows of a table are removed, connections are closed.
    """
    if not isinstance(code, int | None):
        return  # Python prints it
    atexit._run_exitfuncs()  # noqa: SLF001 - it has no public name
    try:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:  # the caller closed it
                stream.flush()
    except (OSError, ValueError):
        return  # Python's own end says so
    os._exit(code or 0)


GATE_FAILED = 1
NOT_GENUINE = 1
CALLERS_MISTAKE = 2
BUDGET_REFUSED = 3
CANNOT_TELL = 4
OUR_BUG = 70  # EX_SOFTWARE: nobody takes it for a result
NOT_WRITTEN = 74  # EX_IOERR
INTERRUPTED = 130  # by Ctrl-C; other signals end with 128 and their number, too
PIPE_CLOSED = 141
