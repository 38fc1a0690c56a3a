"""A Valkey (or Redis) server of a test's own, on a free port of this machine, that can be stopped the hard
way. It keeps nothing on disk: what a test stops is empty when it comes back."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def program() -> str | None:
    """The server's program; None if it is not installed. Debian has valkey-server from 13 on."""
    return shutil.which("valkey-server") or shutil.which("redis-server")


MISSING = program() is None and not os.environ.get("CI")
"""Whether tests that need it are left out; CI has to have it."""
WHY = "no Valkey: neither valkey-server nor redis-server is in PATH"

PATIENCE = 20.0
"""Seconds that it may take to start on a busy machine."""


class ValkeyServer:
    """One server, with its port chosen once, so that it comes back where it was."""

    def __init__(self, folder: Path, password: str = "") -> None:
        self._folder = folder
        self._password = password
        self._process: subprocess.Popen[bytes] | None = None
        with socket.create_server(("127.0.0.1", 0)) as listener:
            self.port = int(listener.getsockname()[1])

    @property
    def url(self) -> str:
        """For a configuration."""
        secret = f":{self._password}@" if self._password else ""
        return f"valkey://{secret}127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start, and wait until it answers."""
        found = program()
        assert found is not None, WHY
        options = ["--bind", "127.0.0.1", "--port", str(self.port), "--save", "", "--appendonly", "no"]
        options += ["--dir", str(self._folder), "--daemonize", "no"]
        if self._password:
            options += ["--requirepass", self._password]
        with (self._folder / "log.txt").open("ab") as output:
            self._process = subprocess.Popen(
                [found, *options], stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT
            )
        until = time.monotonic() + PATIENCE
        while not self._answers():
            assert self._process.poll() is None, (self._folder / "log.txt").read_text()
            assert time.monotonic() < until, "it does not answer"
            time.sleep(0.01)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=1) as line:
                line.sendall(b"PING\r\n")
                return line.recv(16).startswith((b"+PONG", b"-NOAUTH"))
        except OSError:
            return False

    def kill(self) -> None:
        """End it at once, as a power failure does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def pause(self) -> None:
        """Let it stand still: its connections stay open, and nothing is answered."""
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def go_on(self) -> None:
        """Let it go on after `pause`."""
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)

    def say(self, *words: bytes) -> bytes:
        """Give one command, and return the first bytes of the answer, as they are."""
        parts = b"".join(b"$%d\r\n%s\r\n" % (len(word), word) for word in words)
        with socket.create_connection(("127.0.0.1", self.port), timeout=5) as line:
            line.sendall(b"*%d\r\n" % len(words) + parts)
            return line.recv(1 << 16)


@contextlib.contextmanager
def running(folder: Path, password: str = "") -> Iterator[ValkeyServer]:
    """A server for as long as that; it is ended by its own process, in whatever state it is."""
    server = ValkeyServer(folder, password)
    server.start()
    try:
        yield server
    finally:
        server.kill()


@pytest.fixture
def valkey(tmp_path: Path) -> Iterator[ValkeyServer]:
    """A server of the test's own."""
    with running(tmp_path) as server:
        yield server
