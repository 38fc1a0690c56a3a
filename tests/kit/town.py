"""The whole server in memory: real content, real handlers and views, real SQL; no socket, no thread, virtual
time.

    async def test_...(town: Town) -> None:
        client = await town.uo("alric")

Everything that is chance is seeded, so a failing scene repeats.
"""

from __future__ import annotations

import random
import socket
from functools import cache
from typing import TYPE_CHECKING

from protocol.games import GAMES
from server.content.families import DATA
from server.net.listening import Listening
from server.settings.config import parse
from tests.kit import split
from tests.kit.datagrams import Network
from tests.kit.in_memory import InMemory, families_of
from tests.kit.in_memory import shipped_content as shipped_content
from tests.kit.pipe import End, pipe

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    import trio

    from protocol.family import Family
    from server.net.gateway import Gateway
    from server.settings.config import Settings
    from server.store.database import Database
    from tests.kit.datagrams import ClientEnd, Faults
    from tests.kit.passwords import InlinePasswords
    from tests.kit.split import InMemoryEdge
    from world.content import Content
    from world.mobile import Mobile

CONFIG = """
[listen.uo]
[listen.eo]
[listen.eq2]
[listen.co]
[listen.co_5065]
patch = 5065
account = "0.0.0.0:9959"
game = "0.0.0.0:5817"
[listen.l2]
[listen.web]
[limits]
exempt = []
accounts_per_address_per_day = 20
"""

PORTS = {
    ("uo", "game"): 2593,
    ("eo", "game"): 8078,
    ("eo", "websocket"): 8079,
    ("eq2", "login"): 9100,
    ("eq2", "world"): 9001,
    ("co", "account"): 9958,
    ("co", "game"): 5816,
    ("co_5065", "account"): 9959,
    ("co_5065", "game"): 5817,
    ("l2", "login"): 2106,
    ("l2", "game"): 7777,
    ("web", "http"): 8080,
}


@cache
def settings_of_a_town() -> Settings:
    """Of a town that says nothing else; read once, because nothing changes them."""
    return parse(CONFIG)


_UNUSED = socket.socket()
_UNUSED.close()


def listening(settings: Settings, family: Family, door: str, table: str = "") -> Listening | None:
    """A door with what its table of the configuration says, before which there are pipes and no socket; None
    if it has no table. Of a game with several, `table` says which; else it is called as the game."""
    name = table or family.name
    listener = settings.listen.get(name)
    if listener is None:
        return None
    return Listening(name, family, door, _UNUSED, listener.codec_settings())


class Town:
    """A running server and the ways to connect to it."""

    def __init__(
        self,
        nursery: trio.Nursery,
        settings: Settings | None = None,
        *,
        seed: int = 1,
        content: Content | None = None,
        games: Sequence[str] = tuple(GAMES),
        database: Database | None = None,
        data_dir: Path = DATA,
        families: dict[str, Family] | None = None,
    ) -> None:
        """`content` is that of the repository if none is given, `database` a new one, `families` are those of
        `games`, and `data_dir` is what `reload content` reads."""
        chance = random.Random(seed)
        self.nursery = nursery
        self.settings = settings or settings_of_a_town()
        self.content = content or shipped_content()
        self.families: dict[str, Family] = families or families_of(self.content, games)
        self.app = InMemory(
            self.settings,
            self.content,
            self.families,
            chance=random.Random(seed + 1),
            entropy=lambda size: chance.randbytes(size),
            database=database,
            data_dir=data_dir,
        )
        self._networks: dict[tuple[str, str], Network] = {}
        self._next_port = 40_000
        self.edge: InMemoryEdge | None = None
        """Before the server, where the tests run in two processes' form (`tests.kit.split`)."""

    async def open(self) -> None:
        """Start the server."""
        self.app.gateway.ports.update(PORTS)
        await self.app.open(self.nursery)
        if split.wanted():
            self.edge = await split.before(self.app, self.nursery, self.settings, self.content, self.families)

    @property
    def doors(self) -> Gateway:
        """Where clients come in: the edge's, if there is one."""
        return self.app.gateway if self.edge is None else self.edge.gateway

    @property
    def families_there(self) -> Mapping[str, Family]:
        """The games as the doors know them."""
        return self.families if self.edge is None else self.edge.families

    @property
    def database(self) -> Database:
        """What is stored."""
        return self.app.database

    @property
    def passwords(self) -> InlinePasswords:
        """What checks passwords."""
        return self.app.passwords

    @property
    def exit_code(self) -> int | None:
        """With which the server ended."""
        return self.app.exit_code

    @property
    def wall(self) -> float:
        """What time it is outside when the clock of the turns is at 0, in seconds UTC."""
        return self.app.epoch

    @wall.setter
    def wall(self, seconds: float) -> None:
        self.app.epoch = seconds

    def network(self, game: str, door: str) -> Network:
        """What lies before a door of datagrams: clients' sockets, and whatever anybody puts there."""
        network = self._networks.get((game, door))
        if network is None:
            network = Network(f"127.0.0.1:{PORTS[game, door]}", seed=len(self._networks) + 1)
            self._networks[game, door] = network
            family = self.families_there[game]
            self.nursery.start_soon(self.doors.receive, network, family, door, self.nursery)
        return network

    def datagrams(
        self, game: str, door: str, *, peer: str = "127.0.0.1", faults: Faults | None = None
    ) -> ClientEnd:
        """A client's socket, of its own port, before a door of datagrams."""
        self._next_port += 1
        return self.network(game, door).client((peer, self._next_port), faults=faults)

    def change(self, section: str, **values: object) -> None:
        """Set keys of the configuration at run time."""
        self.app.change(section, **values)

    def connect(
        self, game: str, door: str = "game", *, peer: str = "127.0.0.1", window: int = 1 << 20
    ) -> End:
        """A client's end of a new connection. `game` is the name of a listener's table, too."""
        port = PORTS[game, door]
        ours, theirs = pipe(peer=peer, local=f"127.0.0.1:{port}", window=window)
        family = self.families_there[game.partition("_")[0]]
        at = listening(self.settings, family, door, game)
        self.nursery.start_soon(self.doors.serve, family, door, theirs, at)
        return ours

    def mobile(self, name: str) -> Mobile:
        """A character that is in the world."""
        return next(m for m in self.app.world.mobiles.values() if m.name == name and m.is_character)

    def here(self, name: str) -> bool:
        """Whether a character is in the world."""
        return any(m.name == name and m.is_character for m in self.app.world.mobiles.values())
