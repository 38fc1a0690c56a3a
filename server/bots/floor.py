"""The C server that does the transport alone (bench/floor.c), and the bot that speaks to it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Final

from server.bots.bot import Bot

if TYPE_CHECKING:
    from types import TracebackType

SOURCE: Final = Path(__file__).resolve().parents[2] / "bench" / "floor.c"
REQUEST: Final = bytes((2, 0, 0, 0, 0, 0, 0))
MOVED: Final = 17
ANSWER: Final = 3


class NoCompiler(Exception):
    """There is no C compiler here, or it fails; the message says which."""


class FloorBot(Bot):
    """Sends seven bytes, and gets 17 for every move of a neighbour and 3 for each of its own."""

    game: ClassVar[str] = "floor"
    gait: ClassVar[str] = "sends 7 bytes"

    def __init__(self, number: int) -> None:
        super().__init__(f"floor{number}", bytes)
        self.number = number
        self.in_world = True
        self._buffer = b""

    def connect(self) -> bytes:
        """Nothing."""
        return b""

    def receive(self, data: bytes) -> bytes:
        """See Bot."""
        data, at = self._buffer + data, 0
        while at < len(data):
            size = ANSWER if data[at] == 0x22 else MOVED
            if at + size > len(data):
                break
            self.packets += 1
            self.answered += size == ANSWER
            at += size
        self._buffer = data[at:]
        return b""

    def skim(self, buffer: bytearray, size: int) -> bytes:
        """Nothing."""
        return b""

    def turn(self) -> bytes:
        """One move."""
        self.moves += 1
        self.expected += 1
        return REQUEST

    def step(self) -> bytes:
        """One move."""
        return self.turn()

    def say(self, text: str) -> bytes:
        """Nothing."""
        return b""


class Floor:
    """A running floor. `pace` as in floor.c. Raises NoCompiler."""

    def __init__(self, directory: Path, clients: int, neighbours: int, pace: float) -> None:
        program = _compiled(directory)
        self._process = subprocess.Popen(
            [program, str(clients), str(neighbours), str(pace)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.address = ("127.0.0.1", int(self._process.stdout.readline()))
        self.pid = self._process.pid

    def __enter__(self) -> Floor:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.communicate()


def _compiled(directory: Path) -> Path:
    """The program, compiled into that directory unless it is there already."""
    program = directory / "floor"
    if program.exists():
        return program
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
    if compiler is None:
        raise NoCompiler("no C compiler")
    made = subprocess.run(
        [compiler, "-O2", "-o", program, SOURCE], capture_output=True, text=True, check=False
    )
    if made.returncode:
        raise NoCompiler(f"{compiler} failed: {made.stderr.strip()}")
    return program
