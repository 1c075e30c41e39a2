"""A headless Chromium, driven through two pipes: no port, no driver, no library.

`--remote-debugging-pipe` makes it read commands from descriptor 3 and answer on 4, as JSON that
ends in a zero byte.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
PATIENCE = 60.0  # seconds for one answer, on a machine that has other things to do
PHONE = (390, 844)
DESKTOP = (1100, 1400)
MISSING = (
    "No Chromium was found: `make system` installs it on Debian, or name it in CANDLING_CHROMIUM."
)


def find_chromium() -> str | None:
    """Where the browser is: CANDLING_CHROMIUM, or under one of its names."""
    named = os.environ.get("CANDLING_CHROMIUM")
    return named or next(filter(None, map(shutil.which, NAMES)), None)


def need_chromium() -> str:
    """Where the browser is; without one the test is skipped, or fails where CI is set."""
    program = find_chromium()
    if program is not None:
        return program
    if os.environ.get("CI"):
        pytest.fail(MISSING)
    pytest.skip(MISSING)


@dataclass
class Browser:
    """One page of a running browser."""

    commands: int
    answers: int
    session: str = ""
    events: list[dict[str, Any]] = field(default_factory=list)
    _count: int = 0
    _buffer: bytes = b""

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command and wait for its answer; events on the way are kept."""
        self._count += 1
        message = {"id": self._count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.commands, json.dumps(message).encode() + b"\0")
        while True:
            found = self._read(time.monotonic() + PATIENCE)
            if found.get("id") == self._count:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error']}")
                result: dict[str, Any] = found["result"]
                return result
            self.events.append(found)

    def open(self, path: Path, *, dark: bool = False, size: tuple[int, int] = DESKTOP) -> None:
        """Load a file and wait until it is there."""
        width, height = size
        phone = size == PHONE
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if phone else 1,
            mobile=phone,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])
        self.events.clear()
        self.call("Page.navigate", url=path.resolve().as_uri())
        until = time.monotonic() + PATIENCE
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self._read(until))

    def evaluate(self, expression: str) -> Any:
        """The value of a JavaScript expression."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return answer["result"].get("value")

    def screenshot(self, path: Path, *, whole: bool = True) -> None:
        """A picture of the page, or of what is seen of it first."""
        shot = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        path.write_bytes(base64.b64decode(shot["data"]))

    def pdf(self) -> bytes:
        """The page as it is printed."""
        return base64.b64decode(self.call("Page.printToPDF", preferCSSPageSize=True)["data"])

    def complaints(self) -> list[str]:
        """What the browser logged, warned of or threw since the page was opened."""
        told = {"Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown"}
        return [json.dumps(e["params"]) for e in self.events if e.get("method") in told]

    def requests(self) -> list[str]:
        """Every address that was asked for since the page was opened."""
        asked = (e for e in self.events if e.get("method") == "Network.requestWillBeSent")
        return [e["params"]["request"]["url"] for e in asked]

    def _read(self, until: float) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self.answers], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise TimeoutError("the browser does not answer")
            chunk = os.read(self.answers, 1 << 20)
            if not chunk:
                raise ConnectionError("the browser is gone")
            self._buffer += chunk
        message, _, self._buffer = self._buffer.partition(b"\0")
        found: dict[str, Any] = json.loads(message)
        return found


@contextmanager
def browser(program: str) -> Iterator[Browser]:
    """A browser with a profile of its own that cannot look up any address."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        pid, commands, answers = _start(program, profile)
        try:
            page = Browser(commands, answers)
            target = page.call("Target.createTarget", url="about:blank")["targetId"]
            attached = page.call("Target.attachToTarget", targetId=target, flatten=True)
            page.session = attached["sessionId"]
            for domain in ("Page", "Runtime", "Log", "Network"):
                page.call(f"{domain}.enable")
            yield page
        finally:
            os.close(commands)  # it leaves when nobody commands it any more
            _wait(pid)
            os.close(answers)


def _start(program: str, profile: str) -> tuple[int, int, int]:
    theirs_in, commands = os.pipe()
    answers, theirs_out = os.pipe()
    # above the numbers that they are moved to, or one would close the other
    moved = [fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 16) for fd in (theirs_in, theirs_out)]
    os.close(theirs_in)
    os.close(theirs_out)
    options = [
        "--headless=new",
        "--remote-debugging-pipe",
        f"--user-data-dir={profile}",
        "--no-first-run",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--disable-background-networking",
        "--disable-component-update",
        "--hide-scrollbars",
        "--force-color-profile=srgb",
        "--font-render-hinting=none",
        "--host-resolver-rules=MAP * ~NOTFOUND",
        *(["--no-sandbox"] if os.geteuid() == 0 else []),
    ]
    pid = os.posix_spawn(
        program,
        [program, *options],
        {**os.environ, "HOME": profile},
        file_actions=[
            (os.POSIX_SPAWN_DUP2, moved[0], 3),
            (os.POSIX_SPAWN_DUP2, moved[1], 4),
            (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
            (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
        ],
        setpgroup=0,
    )
    for fd in moved:
        os.close(fd)
    return pid, commands, answers


def _wait(pid: int) -> None:
    until = time.monotonic() + 10
    while time.monotonic() < until:
        if os.waitpid(pid, os.WNOHANG)[0]:
            return
        time.sleep(0.05)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
