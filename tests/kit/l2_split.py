"""A login server and game servers of Lineage II in processes of their own, and a client over real sockets."""

from __future__ import annotations

import contextlib
import socket
import time
from typing import TYPE_CHECKING

from tests.kit.l2_client import L2Client
from tests.kit.process import ServerProcess

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SECRETS = {1: "a secret for Bartz", 2: "a secret for Sieghardt"}

LOGIN = """
[server]
name = "Login"
state_dir = "var"
roles = ["login"]
[database]
url = "sqlite:///{database}"
[listen.l2]
login = "127.0.0.1:0"
bridge = "127.0.0.1:{port}"
[listen.l2.servers]
"1" = "{first}"
"2" = "{second}"
"""

WORLD = """
[server]
name = "World {number}"
state_dir = "var"
roles = ["world"]
[database]
url = "sqlite:///{database}"
[listen.l2]
game = "127.0.0.1:0"
bridge = "127.0.0.1:{port}"
server_id = {number}
bridge_secret = "{secret}"
"""


class RoleProcess(ServerProcess):
    """`causeway serve` with a configuration of its own."""

    def __init__(self, folder: Path, text: str) -> None:
        folder.mkdir(exist_ok=True)
        super().__init__(folder)
        self.config.write_text(text)

    def bridge(self) -> tuple[str, int]:
        """Where it hears game servers."""
        return self.address("l2", "bridge")


def login_process(folder: Path, database: Path, *, port: int = 0) -> RoleProcess:
    """One that is not started yet."""
    text = LOGIN.format(database=database, port=port, first=SECRETS[1], second=SECRETS[2])
    return RoleProcess(folder, text)


def world_process(folder: Path, database: Path, port: int, number: int = 1) -> RoleProcess:
    """One that is not started yet."""
    text = WORLD.format(database=database, port=port, number=number, secret=SECRETS[number])
    return RoleProcess(folder, text)


def eventually(seen: Callable[[], bool], what: str, seconds: float = 20.0) -> None:
    """Look until it is so."""
    end = time.monotonic() + seconds
    while not seen():
        assert time.monotonic() < end, f"{what} did not happen in {seconds:.0f} s"
        time.sleep(0.05)


class L2Socket:
    """A client over real sockets, one question at a time."""

    def __init__(self, login: tuple[str, int], seed: int = 1) -> None:
        self.client = L2Client(now=time.monotonic, seed=seed)
        self.login = login
        self.socket: socket.socket | None = None

    def connects(self, door: str, address: tuple[str, int]) -> None:
        self.close()
        self.client.open(door)
        self.socket = socket.create_connection(address, timeout=10)

    def says(self, data: bytes, until: Callable[[], bool]) -> None:
        """Send, and listen until something is so."""
        assert self.socket is not None
        self.socket.sendall(data)
        while not until():
            came = self.socket.recv(65536)
            assert came, f"the server closed the connection; refused: {self.client.refused}"
            self.client.feed(came)
            assert not self.client.why, self.client.why
            if answers := self.client.answers():
                self.socket.sendall(answers)

    def logs_in(self, account: str, password: str = "secret1") -> None:
        """As far as the list of servers."""
        client = self.client
        self.connects("login", self.login)
        self.says(b"", lambda: client.session_id is not None)
        self.says(client.guard_bytes(), lambda: client.authorised is not None)
        self.says(
            client.login_bytes(account, password),
            lambda: bool(client.keys.login1) or self.refused is not None,
        )
        assert self.refused is None, f"LoginFail {self.refused:#x}"
        self.lists()

    @property
    def refused(self) -> int | None:
        """Why the login door refused it."""
        return self.client.refused

    def lists(self) -> None:
        """The list of servers, once more."""
        client = self.client
        count = len(client.received)
        self.says(client.worlds_bytes(), lambda: any(frame[0] == 4 for frame in client.received[count:]))

    def goes_on(self, server: int = 1) -> None:
        """To the game's door, as far as the list of characters."""
        client = self.client
        self.says(client.play_bytes(server), lambda: bool(client.keys.play1) or self.refused is not None)
        assert self.refused is None, f"PlayFail {self.refused:#x}"
        (world,) = (world for world in client.worlds if world.id == server)
        self.connects("game", (world.address, world.port))
        self.says(client.version_bytes(), lambda: client.admitted == 1)
        self.says(client.auth_bytes(), lambda: client.screen.menu is not None)

    def enters(self, account: str, character: str, server: int = 1) -> None:
        """From the first byte into the game."""
        client = self.client
        self.logs_in(account)
        self.goes_on(server)
        if not client.screen.menu:
            self.says(client.create_bytes(character), lambda: bool(client.screen.menu))
        count = len(client.received)
        self.says(client.select_bytes(0), lambda: any(frame[0] == 0x15 for frame in client.received[count:]))
        self.says(client.enter_bytes(), lambda: client.in_world)

    def is_cut(self, seconds: float = 10.0) -> bool:
        """Whether the server ends the connection soon."""
        assert self.socket is not None
        self.socket.settimeout(seconds)
        with contextlib.suppress(TimeoutError):
            try:
                while self.socket.recv(65536):
                    pass
            except ConnectionError:
                pass
            return True
        return False

    def close(self) -> None:
        """Hang up."""
        if self.socket is not None:
            self.socket.close()
            self.socket = None
