"""A server process to measure: started on free ports in a directory of its own, and read from outside.

The problem: what is measured must not share a process with who measures it, and versions of the program are
to be compared that know nothing of each other. The idea: a server is a command in some checkout, and all that
is known of it is what every version has: its configuration, endpoints.json, its admin channel, and what Linux
says of a process. Not done: measuring from within, but for the stages that a server counts itself.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeVar

from server.operate import admin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    from server.commands.machinery import Answer

S = TypeVar("S", bound="BenchServer")

ROOT: Final = Path(__file__).resolve().parents[2]
START_SECONDS: Final = 60.0
STOP_SECONDS: Final = 60.0
BEFORE_BOTS: Final = -10
"""Nice value of what shares cores with the bots; below 0 only root may have that."""

CONFIG: Final = """
[server]
name = "Bench"
state_dir = "var"
[limits]
connections = 8192
unauthenticated = 4096
idle_seconds = 3600
joins_per_tick = 50
linger_seconds = 0
login_failures_per_address = 1000
{listeners}
"""
"""Everything as it is shipped, but for limits that are about getting in and out."""

_MORE: Final = {
    "co_5065": "patch = 5065",
    "eo": "websocket = false",
    "eq2": "new_sessions_per_second = 2000\nhalf_open = 4096",
}
"""Of a game's listener: only the doors that bots use, and limits that are about getting in."""

DOORS: Final[Mapping[str, Sequence[str]]] = {
    "eq2": ("login", "world"),
    "co": ("account", "game"),
    "co_5065": ("account", "game"),
    "l2": ("login", "game"),
    "web": ("http",),
}
"""The doors that bots of a game use, the one at which they knock first; "game" alone if it is not here."""

_GAME_ALONE: Final = ("game",)


class ServerDied(Exception):
    """The server did not start, or ended; the message is what it said."""


_CPUCLOCK_SCHED: Final = 2
"""What the scheduler has counted: include/linux/posix-timers.h."""


def cpu_seconds(pid: int) -> float:
    """User and system time of a process, all its threads, to the nanosecond: in ticks, as /proc has it, a
    second of few clients is often none. Linux only. Raises OSError if there is no such process."""
    # clock_getcpuclockid(3), which Python does not have: Linux makes the number of that clock of the pid.
    return time.clock_gettime((~pid << 3) | _CPUCLOCK_SCHED)


def starved_seconds(pid: int) -> float:
    """For how long its first thread was ready to run and did not get a core (Documentation/scheduler/
    sched-stats.rst of Linux). Linux only."""
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[1]) * 1e-9


@contextmanager
def apart(alone: int, *others: int) -> Iterator[None]:
    """Have a process run alone on the first core that this one may use, and others on the rest together with
    this one, which is put back in the end. Where they may they go before this one: what they answer would
    wait for all that it has to do. Where there is one core, or no way to say so, all stay where they
    are. Linux only."""
    if sys.platform != "linux" or len(cores := os.sched_getaffinity(0)) < 2:
        yield
        return
    first, *rest = sorted(cores)
    _keep_on([first], alone)
    for pid in others:
        _keep_on(rest, pid)
        with suppress(PermissionError):
            os.setpriority(os.PRIO_PROCESS, pid, BEFORE_BOTS)
    _keep_on(rest, os.getpid())
    try:
        yield
    finally:
        _keep_on(sorted(cores), os.getpid())


def _keep_on(cores: Sequence[int], pid: int) -> None:
    if sys.platform == "linux":
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(ProcessLookupError):  # it has ended since
                os.sched_setaffinity(int(thread), cores)


def resident_bytes(pid: int) -> int:
    """Its resident memory. Linux only."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _listener(game: str) -> str:
    doors = [f'{door} = "127.0.0.1:0"' for door in DOORS.get(game, _GAME_ALONE)]
    return "\n".join([f"[listen.{game}]", *doors, _MORE.get(game, "")])


class BenchServer:
    """`server.bots.serve` over an empty directory, for one game, and with the doors of those beside it."""

    def __init__(
        self,
        directory: Path,
        game: str,
        side: int,
        spots: int,
        *more: str,
        beside: Sequence[str] = (),
        root: Path = ROOT,
    ) -> None:
        """`root`: of the program, which may be another version. Raises ServerDied."""
        self.directory = directory
        directory.mkdir()
        config = directory / "config.toml"
        config.write_text(self._configuration([game, *beside]))
        options = ["--config", str(config), "--plain", f"{side}x{side}", "--spots", str(spots), *more]
        with (directory / "output.txt").open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "server.bots.serve", *options],
                cwd=root,
                env={**os.environ, "PYTHONPATH": str(root)},
                stdout=output,
                stderr=output,
            )
        self.pid = self._process.pid
        _wait(self._process, self._endpoints, directory / "output.txt")
        self._open_doors()
        self.address = self.address_of(game)

    def _configuration(self, games: Sequence[str]) -> str:
        return CONFIG.format(listeners="\n".join(map(_listener, games)))

    def _open_doors(self) -> None:
        """The server is there."""

    def address_of(self, game: str) -> tuple[str, int]:
        """Address and port to which bots of a game connect first. Raises KeyError if the server has no such
        door."""
        return game_address(self._endpoints, game)

    @property
    def _endpoints(self) -> Path:
        return self.directory / "var" / "endpoints.json"

    def __enter__(self: S) -> S:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _stop(self._process)

    def order(self, command: str) -> Answer:
        """Give it an order."""
        return admin.ask(self.directory / "var", command)

    def turns(self) -> dict[str, float]:
        """About the turns since the last call: see `server.bots.serve.Gauge`."""
        (line,) = self.order("bench").lines
        found: dict[str, float] = json.loads(line)
        return found

    def measure_stages(self, on: bool) -> None:
        """Begin to measure what `server.turn.stages` describes, or stop."""
        self.order(f"profile {'on' if on else 'off'}")

    def stages(self) -> dict[str, dict[str, float]]:
        """Measurements by stage: `count`, and in microseconds `mean_us`, `p50_us`, `p99_us`, `most_us`."""
        (line,) = self.order("bench stages").lines
        found: dict[str, dict[str, float]] = json.loads(line)
        return found

    def stages_report(self) -> Sequence[str]:
        """The same as a table for people."""
        return self.order("profile show").lines

    def cprofile(self) -> Sequence[str]:
        """Start Python's profiler, or stop it and read what it found."""
        return self.order("bench cprofile").lines


class SplitServer(BenchServer):
    """The same as two processes: the world, and an edge that has its doors."""

    _edge: subprocess.Popen[bytes]
    edge_pid: int
    edge_empty: int
    """Resident bytes of the edge before anybody came."""

    def address_of(self, game: str) -> tuple[str, int]:
        """The same, at the edge."""
        return game_address(self._edge_endpoints, game)

    @property
    def _edge_endpoints(self) -> Path:
        return self.directory / "edge" / "var" / "endpoints.json"

    def _configuration(self, games: Sequence[str]) -> str:
        self._listeners = "\n".join(map(_listener, games))
        shut = self._listeners.replace("]\n", "]\nenabled = false\n")
        return CONFIG.format(listeners=shut) + '[world]\naddress = "127.0.0.1:0"\n'

    def _open_doors(self) -> None:
        world = json.loads(self._endpoints.read_text())["world"]["edges"]
        folder = self.directory / "edge"
        folder.mkdir()
        config = folder / "config.toml"
        text = CONFIG.format(listeners=self._listeners).replace("[limits]", 'roles = ["edge"]\n[limits]')
        database = self.directory / "var" / "causeway.db"
        text += f'[edge]\nworlds = ["{world}"]\n[database]\nurl = "sqlite:///{database}"\n'
        config.write_text(text)
        with (folder / "output.txt").open("wb") as output:
            self._edge = subprocess.Popen(
                [sys.executable, "-m", "server", "serve", "--config", str(config)],
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                stdout=output,
                stderr=output,
            )
        self.edge_pid = self._edge.pid
        _wait(self._edge, self._edge_endpoints, folder / "output.txt")
        self.edge_empty = resident_bytes(self.edge_pid)

    def measure_stages(self, on: bool) -> None:
        """See BenchServer; in both."""
        super().measure_stages(on)
        admin.ask(self.directory / "edge" / "var", f"profile {'on' if on else 'off'}")

    def edge_report(self) -> Sequence[str]:
        """As `stages_report`, of the edge."""
        return admin.ask(self.directory / "edge" / "var", "profile show").lines

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _stop(self._edge)
        super().__exit__(kind, error, trace)


def _wait(process: subprocess.Popen[bytes], endpoints: Path, output: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while not endpoints.exists():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            raise ServerDied(output.read_text())
        time.sleep(0.05)


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
    try:
        process.wait(STOP_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def game_address(endpoints: Path, game: str) -> tuple[str, int]:
    """Address and port to which a game's bots connect first, by the endpoints.json of a running server.
    Raises KeyError if it has no such door."""
    door = DOORS.get(game, _GAME_ALONE)[0]
    where: str = json.loads(endpoints.read_text())[game][door]
    host, _, port = where.removeprefix("udp:").rpartition(":")
    return host.strip("[]").replace("0.0.0.0", "127.0.0.1"), int(port)
