"""A process that has imported the server beforehand and becomes one whenever it is asked.

To start Python and to import everything takes a server more time than all that it does until its doors are
open, and the tests start more than a hundred. So there is one process for each that runs tests,

    python -m tests.kit.template FD

which forks at every request that comes in through the socket FD. The child is what `python -m PROGRAM ...`
would be after its imports: a process with its own pid, signals, files and exit code. What a game prepares
for its process (the keys of Lineage II) it has from its template, too, and so it has what follows from data/
alone: a server reads all of that as ever, and where it says what it said, goes on with the records from which
the games' files and looks were made. A new database file is a copy of one that the template has migrated
(`tests.kit.quick.Upgrades`).

The socket carries JSON, one object a line: requests to the template (`Order`), and from there
`{"started": pid}` at once and `{"ended": pid, "code": code}` when it is over. When it is closed, whatever
runs is killed.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

from protocol.games import GAMES
from server.content.families import build_families
from server.content.loading import load as load_content
from world import renewal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.content import Content

ROOT: Final = Path(__file__).resolve().parents[2]

READY_SECONDS: Final = 120.0
"""Within so many the template has imported everything, even on a busy machine."""


class Order(TypedDict):
    """What to run, and the files that are its standard input, output and errors."""

    program: str
    args: Sequence[str]
    files: Sequence[str]


# In the tests


class Child:
    """A process that the template made, with what `subprocess.Popen` has for one of our own."""

    def __init__(self, template: Template, pid: int) -> None:
        self._template = template
        self.pid = pid

    def poll(self) -> int | None:
        """Its exit code, negative if it was a signal; None while it runs."""
        return self._template.code(self.pid)

    def wait(self, timeout: float = 60.0) -> int:
        """The same when it has ended. Raises subprocess.TimeoutExpired."""
        deadline = time.monotonic() + timeout
        while (code := self._template.code(self.pid, within=0.05)) is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(f"process {self.pid}", timeout)
        return code

    def send_signal(self, number: int) -> None:
        """Nothing if it has ended."""
        if self.poll() is None:
            os.kill(self.pid, number)

    def terminate(self) -> None:
        """Ask it to stop."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """kill -9."""
        self.send_signal(signal.SIGKILL)


class Template:
    """The template process of this one."""

    def __init__(self) -> None:
        self._socket, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.kit.template", str(theirs.fileno())],
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )
        self._lock = threading.Lock()
        self._rest = b""
        self._started: list[int] = []
        self._codes: dict[int, int] = {}

    def spawn(self, order: Order) -> Child:
        """A new process."""
        with self._lock:
            self._socket.sendall(json.dumps(order).encode() + b"\n")
            deadline = time.monotonic() + READY_SECONDS
            while not self._started:
                if time.monotonic() > deadline:
                    # Its answer would be taken for that to the next order.
                    self._process.kill()
                    template.cache_clear()
                    raise AssertionError("the template does not answer")
                self._hear(1.0)
            return Child(self, self._started.pop())

    def code(self, pid: int, within: float = 0.0) -> int | None:
        """The exit code of a child, or None if it has not ended within so many seconds."""
        with self._lock:
            if pid not in self._codes:
                self._hear(within)
            return self._codes.get(pid)

    def _hear(self, seconds: float) -> None:
        """Take in what the template says until then."""
        if not select.select([self._socket], [], [], seconds)[0]:
            return
        said = self._socket.recv(65536)
        assert said, f"the template has ended with {self._process.wait(10)}"
        *lines, self._rest = (self._rest + said).split(b"\n")
        for line in lines:
            told: dict[str, int] = json.loads(line)
            if "started" in told:
                self._started.append(told["started"])
                self._codes.pop(told["started"], None)  # of one that had this number before
            else:
                self._codes[told["ended"]] = told["code"]

    def close(self) -> None:
        """End it, and all that it has made."""
        self._socket.close()
        self._process.wait(10)


@cache
def template() -> Template:
    """The one of this process, which lives as long."""
    made = Template()
    atexit.register(made.close)
    return made


# In the template


def serve(control: socket.socket) -> None:
    """Fork until the socket is closed; returns in the children only, when they have become what they are."""
    woken, wakes = socket.socketpair()
    wakes.setblocking(False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(wakes.fileno())
    running: set[int] = set()
    rest = b""

    def tell(**what: int) -> None:
        with contextlib.suppress(OSError):  # nobody listens any more
            control.sendall(json.dumps(what).encode() + b"\n")

    while True:
        ready, _, _ = select.select([control, woken], [], [])
        if woken in ready:
            woken.recv(4096)
            for pid in sorted(running):
                ended, status = os.waitpid(pid, os.WNOHANG)
                if ended:
                    running.discard(pid)
                    tell(ended=pid, code=os.waitstatus_to_exitcode(status))
        if control in ready:
            data = control.recv(65536)
            if not data:
                break
            *orders, rest = (rest + data).split(b"\n")
            for order in orders:
                pid = os.fork()
                if not pid:
                    signal.set_wakeup_fd(-1)
                    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
                    for end in (control, woken, wakes):
                        end.close()
                    become(json.loads(order))
                    return
                running.add(pid)
                tell(started=pid)
    for pid in running:
        os.kill(pid, signal.SIGKILL)


def become(order: Order) -> None:
    """Run a module as `python -m` does, in this process. Raises SystemExit as it does."""
    for number, path in enumerate(order["files"]):
        file = os.open(path, os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        os.dup2(file, number)
        os.close(file)
    sys.argv = [order["program"], *order["args"]]
    runpy.run_module(order["program"], run_name="__main__", alter_sys=True)


def prepare() -> None:
    """Import what servers and commands do, and make the keys that a server's start waits for."""
    # Not server.__main__ itself: that is to be run, not to be found.
    for name in ("admin", "check", "offline", "restore"):
        importlib.import_module(f"server.operate.{name}")
    start = importlib.import_module("server.boot.start")
    importlib.import_module("server.bots")
    importlib.import_module("tests.kit.process")
    # Kept for servers of the tests whose content is made of it.
    in_memory = importlib.import_module("tests.kit.in_memory")
    content = in_memory.shipped_content()
    for family in build_families(content, tuple(GAMES)).values():
        if family.prepare is not None:
            family.prepare()

    def load_again(folder: Path) -> Content:
        return renewal.prepare(in_memory.wild_shipped_content(), load_content(folder)).content

    vars(start).update(load_content=load_again)
    quick = importlib.import_module("tests.kit.quick")
    quick.prepare_upgrades()
    gc.collect()
    gc.freeze()


if __name__ == "__main__":
    prepare()
    serve(socket.socket(fileno=int(sys.argv[1])))
