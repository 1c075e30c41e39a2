"""The process of a command: signals that stop it, and limits that the system sets.

Ctrl-C, SIGTERM and SIGHUP raise an exception in the main thread, so that what is open is closed
and the caller learns whether a charge stays. The main thread may be deep in code that is not
Python's, or in code that swallows exceptions. So a thread waits for the same signals and ends the
process a little later, as SIGKILL would, but without the rows in temporary files. A ledger is safe
from both.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import tempfile
import threading
from contextlib import suppress
from types import FrameType

from candling.errors import UsageError
from candling.system.temporary import remove_all

GRACE = 5.0  # seconds to end in order
LEAST_ADDRESSES = 10**9  # bytes of address space that the libraries take before they read a row
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_received: list[int] = []


class Stopped(KeyboardInterrupt):
    """A signal that stops the process: raised in the main thread, wherever that is."""


def stop_on_signals() -> None:
    """End this process in order when it gets a signal that stops programs.

    What is ignored stays ignored, as SIGHUP is under nohup. Only for the main thread of a process
    that is ours to the end.
    """
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    with suppress(OSError):
        tempfile.gettempdir()  # which tries a folder by a file in it, once
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _SIGNALS)
    usual = (signal.SIG_DFL, signal.default_int_handler)
    ours = [number for number in _SIGNALS if signal.getsignal(number) in usual]
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    threading.Thread(target=_end_late, args=(reader,), daemon=True).start()
    for number in ours:
        signal.signal(number, _stop)


def ignore_signals() -> None:
    """Let nothing disturb the end of this process, which is a matter of milliseconds."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def signal_received() -> int | None:
    """The first signal that should have stopped this process; None before there is one."""
    return _received[0] if _received else None


def _stop(number: int, frame: FrameType | None) -> None:
    """Raise once; a second signal must not disturb the end."""
    del frame
    _received.append(number)
    if len(_received) == 1:
        raise Stopped


def _end_late(reader: int) -> None:
    """End the process some time after the first signal, or at the second."""
    (number,) = os.read(reader, 1)
    select.select([reader], (), (), GRACE)
    remove_all()
    os._exit(128 + number)


def require_address_space() -> None:
    """Refuse a limit of the system (`ulimit -v`) below which the libraries crash as they load."""
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY and most < LEAST_ADDRESSES:
        raise UsageError(
            f"The system limits this process to {most // 10**6:,} MB of addresses (ulimit -v), and "
            f"the engine needs {LEAST_ADDRESSES // 10**6:,} MB: raise that limit, and limit the "
            "memory with --memory.",
            code="U101",
        )
