"""Servers that stop answering: without a limit, a call on their connection waits for ever.

Where the machine or the network is gone, TCP finds out, if it is asked to look (`keep_alive`). A
server that is frozen, or whose disk is, keeps its connections open and says nothing: we hang up.
"""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Protocol

# Parameters of libpq: after 30 s of silence TCP asks whether the other side is there, and gives up
# after a minute without an answer.
_KEEPALIVES = {
    "keepalives": 1,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "tcp_user_timeout": 60_000,  # ms
}


class _Connected(Protocol):
    def fileno(self) -> int: ...


def keep_alive(stated: Collection[str]) -> dict[str, Any]:
    """Parameters with which TCP notices a lost server, except those that an address states."""
    return {name: value for name, value in _KEEPALIVES.items() if name not in stated}


@contextmanager
def hang_up(
    connection: _Connected, every: float, is_silent: Callable[[], bool] = lambda: True
) -> Iterator[threading.Event]:
    """Close the socket of a connection from another thread if its server is silent.

    Args:
        connection: what waits for the server; its call then fails as if the connection broke.
        every: seconds between two looks.
        is_silent: whether the server is; by default the first look ends the connection.

    Yields:
        an event that is set when the socket was closed.
    """
    ended, gone = threading.Event(), threading.Event()
    with socket.socket(fileno=os.dup(connection.fileno())) as line:

        def watch() -> None:
            while not ended.wait(every):
                if is_silent() and not ended.is_set():
                    gone.set()
                    with suppress(OSError):
                        line.shutdown(socket.SHUT_RDWR)
                    return

        watcher = threading.Thread(target=watch, name="candling-silence", daemon=True)
        watcher.start()
        try:
            yield gone
        finally:
            ended.set()
            watcher.join()
