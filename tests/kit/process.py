"""A real server in a process of its own, for the few tests that need real sockets, signals and files."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from protocol.games import GAMES
from tests.kit.budget import server_started
from tests.kit.eo_client import EoClient
from tests.kit.template import Order, template

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eolib import Packet

    from tests.kit.template import Child

ROOT = Path(__file__).resolve().parents[2]

CONFIG = """
[server]
name = "Process"
state_dir = "var"
[listen.uo]
game = "127.0.0.1:0"
[listen.eo]
game = "127.0.0.1:0"
websocket = "127.0.0.1:0"
[listen.co]
account = "127.0.0.1:0"
game = "127.0.0.1:0"
[listen.co_5065]
patch = 5065
account = "127.0.0.1:0"
game = "127.0.0.1:0"
[listen.l2]
login = "127.0.0.1:0"
game = "127.0.0.1:0"
[listen.web]
http = "127.0.0.1:0"
[listen.eq2]
login = "127.0.0.1:0"
world = "127.0.0.1:0"
new_sessions_per_second = 1000
{more}
"""

START_SECONDS = 30.0


class ServerProcess:
    """`causeway serve` over a folder; start it as often as you like."""

    program = "server"
    """The module that is run."""

    def __init__(self, folder: Path, more: str = "", *, anew: bool = False) -> None:
        """`more` goes to the end of its configuration. `anew`: with an interpreter of its own from the first
        line on, as an operator starts it; the others are forked from a template (`tests.kit.template`)."""
        self.folder = folder
        self.anew = anew
        self.state = folder / "var"
        self.config = folder / "config.toml"
        self.config.write_text(CONFIG.format(more=more))
        self.process: subprocess.Popen[bytes] | Child | None = None

    def start(self) -> ServerProcess:
        """Start and wait until all doors are open."""
        endpoints = self.state / "endpoints.json"
        endpoints.unlink(missing_ok=True)
        self.process = self.spawn()
        deadline = time.monotonic() + START_SECONDS
        while not endpoints.exists():
            code = self.process.poll()
            assert code is None, f"the server ended with {code} at start:\n{self.output()}"
            assert time.monotonic() < deadline, "the server did not open its doors"
            time.sleep(0.02)
        server_started()
        return self

    def spawn(self, command: str = "serve") -> subprocess.Popen[bytes] | Child:
        """Just the process, its output in a file."""
        output = self.folder / "output.txt"
        output.touch()  # whoever looks for words in it may be quicker than the child
        if not self.anew:
            return self._forked([command], os.devnull, output, output)
        with output.open("ab") as file:
            return subprocess.Popen(
                [sys.executable, "-m", self.program, command, "--config", str(self.config)],
                cwd=ROOT,
                stdout=file,
                stderr=file,
            )

    def _forked(self, args: Sequence[str], *files: Path | str) -> Child:
        """`files` are its standard input, output and errors."""
        args = [*args, "--config", str(self.config)]
        return template().spawn(Order(program=self.program, args=args, files=[str(file) for file in files]))

    def output(self) -> str:
        """Everything it has printed so far, over all starts."""
        return (self.folder / "output.txt").read_text(errors="replace")

    def address(self, game: str, door: str = "game") -> tuple[str, int]:
        """Where a door listens."""
        return self.addresses()[game, door]

    def addresses(self) -> dict[tuple[str, str], tuple[str, int]]:
        """Where all doors listen, by table and door."""
        found = {}
        endpoints = json.loads((self.state / "endpoints.json").read_text())
        for table, doors in endpoints.items():
            if table.partition("_")[0] not in GAMES:
                continue
            for door, text in doors.items():
                host, _, port = text.removeprefix("udp:").rpartition(":")
                found[table, door] = host, int(port)
        return found

    def kill(self) -> None:
        """kill -9."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(10)

    def stop(self, number: int = signal.SIGTERM, within: float = 15) -> int:
        """Ask it to stop; its exit code."""
        assert self.process is not None
        self.process.send_signal(number)
        return self.process.wait(within)

    def causeway(self, *args: str, typed: str = "") -> subprocess.CompletedProcess[str]:
        """Run another `causeway` command over the same configuration."""
        if self.anew:
            return subprocess.run(
                [sys.executable, "-m", self.program, *args, "--config", str(self.config)],
                cwd=ROOT,
                input=typed,
                capture_output=True,
                text=True,
                timeout=30,
                check=False,
            )
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder) / name for name in ("in", "out", "err")]
            files[0].write_text(typed)
            code = self._forked(args, *files).wait(30)
            return subprocess.CompletedProcess(args, code, *(file.read_text() for file in files[1:]))

    def close(self) -> None:
        """End it however it is."""
        if self.process is not None and self.process.poll() is None:
            self.kill()


class EoSocket:
    """An Endless Online client over a real socket, one question at a time."""

    def __init__(self, address: tuple[str, int]) -> None:
        self.client = EoClient()
        self.socket = socket.create_connection(address, timeout=10)

    def does(self, data: bytes, kind: type[Packet]) -> Packet:
        """Send, and wait for a packet of a kind."""
        self.socket.sendall(data)
        return self.waits(kind)

    def waits(self, kind: type[Packet]) -> Packet:
        """Receive until a packet of a kind has come."""
        while True:
            data = self.socket.recv(65536)
            assert data, f"the server closed the connection while {kind.__name__} was awaited"
            found = [packet for packet in self.client.feed(data) if isinstance(packet, kind)]
            answers = self.client.answers()
            if answers:
                self.socket.sendall(answers)
            if found:
                return found[-1]

    def enters(self, account: str, character: str, password: str = "secret1") -> None:
        """Into the game; account and character are made if they do not exist."""
        from eolib import (
            CharacterReplyServerPacket,
            InitInitServerPacket,
            LoginReplyServerPacket,
            WelcomeReplyServerPacket,
        )

        client = self.client
        self.does(client.init(), InitInitServerPacket)
        self.socket.sendall(client.accept())
        self.does(client.login(account, password), LoginReplyServerPacket)
        if not client.menu:
            self.does(client.request_character(), CharacterReplyServerPacket)
            self.does(client.create_character(character), CharacterReplyServerPacket)
        self.does(client.select(client.menu[0].id), WelcomeReplyServerPacket)
        self.does(client.enter(), WelcomeReplyServerPacket)

    def place(self) -> tuple[int, int]:
        """Where the client stands, after a refresh."""
        from eolib import RefreshReplyServerPacket

        self.does(self.client.refresh(), RefreshReplyServerPacket)
        return self.client.me.x, self.client.me.y

    def close(self) -> None:
        """Hang up."""
        self.socket.close()
