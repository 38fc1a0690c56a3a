"""The machine that a simulated server runs on: its network, disk and wall clock stay, servers come and go.

Everything that can fail from outside fails here: a client that reads slowly (`Wire`), a full disk (`Disk`), a
clock that is set (`Site.wall`), a power cut (`Site.crash`).
"""

from __future__ import annotations

import functools
import itertools
import random
from collections import Counter
from typing import TYPE_CHECKING, Final, TypeVar, cast

import attrs
import trio
from sqlalchemy.exc import OperationalError

from protocol.co.figures import Ids as CoIds
from protocol.eo.ids import Ids
from protocol.family import Transport
from server.boot.app import App
from server.content.families import build_families
from server.settings.config import parse
from server.store.runner import InlineRunner
from server.turn.coalescing import Coalescer
from tests.kit import audits
from tests.kit.actors import ACTORS
from tests.kit.datagrams import Network
from tests.kit.eq2_line import DatagramLine
from tests.kit.in_memory import Private, shipped_content
from tests.kit.passwords import InlinePasswords
from tests.kit.pipe import End, pipe
from tests.kit.town import CONFIG, PORTS, listening
from world.content import Chest, Fixture, Loot, Resident
from world.errands import Kind, Quest, Reward, Step
from world.harvests import Harvest
from world.offers import Lesson, Offers
from world.snapshot import CharacterRow

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.co.view import CoView
    from protocol.eo.view import EoView
    from protocol.family import Family
    from server.settings.config import Settings
    from server.store.records import Batch, Refusal, Reservation
    from tests.kit.datagrams import ClientEnd, Faults
    from tests.kit.players import Player
    from world.content import Content
    from world.snapshot import ItemRow

T = TypeVar("T")

WALL: Final = 1_700_000_000.0
NARROW: Final = 200
"""Bytes that may be under way to a client that reads slowly."""

WILD: Final = (*(("rat", dx, dy) for dx in (-3, 0, 3) for dy in (-3, 3)), ("wolf", 7, 0))
"""Kinds of creatures around the place where newcomers come in, and how far from it."""
LEFT: Final = (Loot("gold", 1, 5), Loot("bread", 1, 2, 0.5), Loot("dagger", 1, 1, 0.2))
"""What rats leave here."""


HOST: Final = "innkeeper"
ALMS: Final = Quest(
    "alms",
    "Alms",
    "Two apples for the poor, {name}?",
    HOST,
    (Step("bring", Kind.BRING, "Bring two apples", whom=HOST, item="apple", amount=2),),
    Reward(gold=5, experience=1, items=(("apple", 3),)),
    again=0.5,
    letter="letter",
)
"""An errand that can be done again and again."""
KINDLING: Final = Harvest(
    "kindling", "pick up wood", "dagger", ("cobble", "flagstone"), "log", "woodcutting", seconds=0.3, store=3
)
"""What lies about for everybody with a dagger."""
CANDLES: Final = Chest((Loot("candle", 2, 4),), seconds=8.0, lock="iron_key")


class Ledger(Private):
    """A database in memory that outlives servers, and knows what must be in it: what characters were given
    when they were made. Every commit is compared with that."""

    def __init__(self, broken: Callable[[str], None]) -> None:
        super().__init__("sqlite://")
        self.expected: Counter[str] = Counter()
        self.changed: list[tuple[int, str, int]] = []
        """Tick, kind and amount of what the dead left, and (below zero) of what was used up or decayed, since
        the last commit."""
        self.commits = 0
        self._broken = broken

    def create_character(
        self, row: CharacterRow, items: Sequence[ItemRow], limit: int
    ) -> CharacterRow | Refusal:
        """As the database does it, and noted."""
        made = super().create_character(row, items, limit)
        if isinstance(made, CharacterRow):
            for item in items:
                self.expected[item.template] += item.amount
        return made

    def commit_batch(self, batch: Batch) -> Reservation | None:
        """As the database does it, and compared."""
        reserved = super().commit_batch(batch)
        self.commits += 1
        for tick, kind, amount in self.changed:
            if tick <= batch.tick:
                self.expected[kind] += amount
        self.changed = [change for change in self.changed if change[0] > batch.tick]
        for fault in audits.census_faults(audits.stored_census(self), self.expected):
            self._broken(f"after the commit of tick {batch.tick} there is {fault}")
        return reserved


class Disk(InlineRunner):
    """Runs SQL at once in the calling task, unless it is made to fail; a dead one writes nothing any more."""

    def __init__(self) -> None:
        self.failing = False
        self.dead = False

    async def write(self, call: Callable[[], T]) -> T:
        """Run it, or fail as a full disk does."""
        await trio.lowlevel.checkpoint()
        if self.failing or self.dead:
            raise OperationalError("", None, Exception("database or disk is full"))
        return call()

    async def read(self, call: Callable[[], T]) -> T:
        """Run it, or fail."""
        await trio.lowlevel.checkpoint()
        if self.dead:
            raise OperationalError("", None, Exception("disk I/O error"))
        return call()


class Wire:
    """A client's end of a pipe, which can be made to read slowly. Implements `tests.kit.players.Line`."""

    def __init__(self, end: End, theirs: End, peer: str, heard: Callable[[bytes], None]) -> None:
        self._end = end
        self._heard = heard
        self._theirs = theirs
        self.peer = peer
        """Where it comes from: no two connections of an evening are of the same address."""
        self.lagged = False
        """Whether it ever read slowly."""
        self.spoilt = False
        """Whether it ever carried nonsense: a half packet that swallows what follows, perhaps."""
        self._read_at = 0.0

    @property
    def closed(self) -> bool:
        """Whether the client hung up."""
        return self._end.closed

    @property
    def idle(self) -> bool:
        """Whether nothing is under way in either direction."""
        under_way = self._end.waiting or self._theirs.waiting
        return not under_way and trio.current_time() >= self._read_at

    def slow_down(self, seconds: float) -> None:
        """Read nothing for a while, and let little be under way."""
        self.lagged = True
        self._end.window = NARROW
        self._read_at = trio.current_time() + seconds

    async def send_all(self, data: bytes) -> None:
        """Send, waiting for room."""
        await self._end.send_all(data)

    async def receive_some(self) -> bytes:
        """What has arrived; b"" at the end."""
        data = await self._end.receive_some()
        await trio.sleep_until(max(self._read_at, trio.current_time()))
        self._heard(data)
        return data

    def close(self) -> None:
        """Hang up."""
        self._end.close()


class DatagramWire:
    """A client's socket, which can be read slowly. Implements `tests.kit.players.Datagrams`."""

    def __init__(self, end: ClientEnd, heard: Callable[[bytes], None]) -> None:
        self._end = end
        self._heard = heard
        self.peer = end.peer
        """As of `Wire`, like the next two."""
        self.lagged = False
        self.spoilt = False
        self._read_at = 0.0

    @property
    def idle(self) -> bool:
        """Whether nothing has arrived that was not read."""
        return not self._end._box.waiting and trio.current_time() >= self._read_at

    def slow_down(self, seconds: float) -> None:
        """Read nothing for a while."""
        self.lagged = True
        self._read_at = trio.current_time() + seconds

    def send(self, datagram: bytes) -> None:
        """Send one."""
        self._end.send(datagram)

    async def receive(self) -> bytes:
        """The next one."""
        await self._end.wait_readable()
        await trio.sleep_until(max(self._read_at, trio.current_time()))
        data = await self._end.receive()
        self._heard(data)
        return data

    def close(self) -> None:
        """Vanish."""
        self._end.close()


def wire_of(player: Player) -> Wire | DatagramWire:
    """The line of somebody who is connected to a site."""
    end = player.end
    return cast("Wire | DatagramWire", end.end if isinstance(end, DatagramLine) else end)


class Site:
    """The machine the server runs on: its disk and its wall clock stay, servers come and go. Implements
    `tests.kit.players.Host`."""

    def __init__(
        self,
        nursery: trio.Nursery,
        seed: int,
        broken: Callable[[str], None],
        heard: Callable[[bytes], None],
        line: Faults | None = None,
        crowd: int = 250,
    ) -> None:
        """`heard` is told all that clients receive, in the order in which they do; `line` is what happens to
        datagrams; `crowd` is the key of `[network]`."""
        self._crowd = crowd
        self.nursery = nursery
        self.database = Ledger(broken)
        self.disk = Disk()
        self.wall = WALL
        self.turned: Callable[[App], None] = lambda app: None
        """Called after every turn."""
        self.app: App | None = None
        self.wires: dict[str, Wire] = {}
        """By address, while a server serves them."""
        self._heard = heard
        self._chance = random.Random(f"site {seed}")
        self._keeps_back = seed % 2 == 0
        """Whether steps wait for more, in every other evening."""
        self._families = _families()
        self._connections = 0
        self._networks = {
            door: Network(f"127.0.0.1:{port}", faults=line, seed=self._chance.getrandbits(32))
            for door, port in PORTS.items()
            if self._families[door[0].partition("_")[0]].doors[door[1]].transport is Transport.DATAGRAM
        }
        """What lies before doors of datagrams. Clients stay there when a server goes, and find the next."""
        self._scope = trio.CancelScope()
        self._down = trio.Event()
        self._clients: trio.Nursery | None = None
        self._server: trio.lowlevel.Task | None = None
        self.exit_code: int | None = None

    async def start(self) -> None:
        """Start a server over what the last one left."""
        await self.nursery.start(self._run)

    async def stop(self) -> int:
        """Stop it in good order; its exit code."""
        assert self.app is not None
        self.app.stop(0)
        await self._down.wait()
        assert self.exit_code is not None
        return self.exit_code

    async def crash(self) -> None:
        """End it as a power cut does: what is not on disk is gone."""
        self.database.changed.clear()
        self.disk.dead = True
        self._scope.cancel()
        await self._down.wait()

    def tasks(self) -> Counter[str]:
        """How many tasks of each name the server and its connections are made of."""
        found = Counter[str]()
        waiting = [self._server] if self._server is not None else []
        while waiting:
            task = waiting.pop()
            found[task.name] += 1
            for nursery in task.child_nurseries:
                waiting.extend(nursery.child_tasks)
        return found

    async def _run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        self._down = trio.Event()
        self._server = trio.lowlevel.current_task()
        self.exit_code = None
        self.disk = Disk()
        cast("EoView", self._families["eo"].view).figures.ids = Ids()
        conquer = cast("CoView", self._families["co"].view).figures
        conquer.ids = CoIds(conquer._is_creature)
        app = App(
            _settings(self._crowd),
            _content(),
            self._families,
            self.database,
            self.disk,
            passwords=(passwords := InlinePasswords()),
            beside=passwords,
            chance=random.Random(self._chance.random()),
            entropy=self._chance.randbytes,
            wall=lambda: self.wall + trio.current_time(),
            stopwatch=lambda: 0.0,
        )
        if self._keeps_back:
            # By that clock it takes 10 ms to send steps, each time.
            app.loop.coalescer = Coalescer(lambda: 100.0, itertools.count(0.0, 0.01).__next__)
        turn = app.loop.turn

        def observed(now: float) -> None:
            turn(now)
            self.turned(app)

        app.gateway.ports.update(PORTS)
        app.loop.turn = observed  # type: ignore[method-assign] # the only way to look on without a hook
        try:
            with trio.CancelScope() as self._scope:
                async with trio.open_nursery() as self._clients:
                    self.app = app
                    for (game, door), network in self._networks.items():
                        self._listen(network, game, door)
                    self.exit_code = await app.run(task_status=task_status)
                    self._clients.cancel_scope.cancel()
        finally:
            self.app = self._clients = None
            self.wires.clear()
            self._down.set()

    def connect(self, game: str, door: str = "game", *, peer: str = "") -> Wire:
        """A new connection, from an address of its own. Raises ConnectionRefusedError while no server
        runs."""
        if self.app is None or self._clients is None:
            raise ConnectionRefusedError("no server runs")
        peer = self._new_peer()
        ours, theirs = pipe(peer=peer, local=f"127.0.0.1:{PORTS[game, door]}")
        wire = self.wires[peer] = Wire(ours, theirs, peer, self._heard)
        family = self._families[game.partition("_")[0]]
        at = listening(_settings(self._crowd), family, door, game)
        self._clients.start_soon(self.app.gateway.serve, family, door, theirs, at)
        return wire

    def datagrams(self, game: str, door: str, *, peer: str = "") -> DatagramWire:
        """A new socket at an address of its own. Raises ConnectionRefusedError while no server runs: what is
        sent then finds nobody."""
        if self.app is None:
            raise ConnectionRefusedError("no server runs")
        return DatagramWire(self._networks[game, door].client((self._new_peer(), 40_000)), self._heard)

    def _new_peer(self) -> str:
        self._connections += 1
        return f"127.{self._connections >> 16 & 255}.{self._connections >> 8 & 255}.{self._connections & 255}"

    def _listen(self, network: Network, game: str, door: str) -> None:
        while network.receive() is not None:
            pass  # came while nobody was there
        assert self.app is not None
        assert self._clients is not None
        self._clients.start_soon(self.app.gateway.receive, network, self._families[game], door, self._clients)


@functools.cache
def _settings(crowd: int) -> Settings:
    return parse(f"{CONFIG}[network]\ncrowd = {crowd}\n")


@functools.cache
def _content() -> Content:
    """What is shipped; newcomers have a bag, so that something can be in something, and a key; and where they
    come in there is something to hunt, something that hunts them, and every service there is."""
    shipped = shipped_content()
    player = shipped.mobiles["player"]
    player = attrs.evolve(player, carried=(*player.carried, ("bag", 1), (CANDLES.lock, 1)))
    rat = shipped.mobiles["rat"]
    assert rat.fights is not None
    rat = attrs.evolve(rat, fights=attrs.evolve(rat.fights, loot=LEFT))
    chart = shipped.charts[shipped.start_realm]
    x, y = chart.spawns[0]
    wild = [Resident(kind, x + dx, y + dy, wander=5, respawn=5) for kind, dx, dy in WILD]
    wild += [
        Resident("banker", x + 2, y - 2),
        Resident("greta", x - 2, y + 2),
        Resident(HOST, x + 2, y + 2),
    ]
    stands = [Fixture("iron_chest", x + 1, y + 1), Fixture("notice_board", x - 1, y)]
    host = attrs.evolve(
        shipped.mobiles[HOST],
        roles=("innkeeper", "trainer", "questgiver"),
        offers=Offers(bed=2, home=True, lessons=(Lesson("mining", 300, 1),)),
    )
    chest = attrs.evolve(shipped.items["iron_chest"], chest=CANDLES)
    there = attrs.evolve(chart, residents=(*chart.residents, *wild), fixtures=(*chart.fixtures, *stands))
    return attrs.evolve(
        shipped,
        mobiles={**shipped.mobiles, "player": player, "rat": rat, HOST: host},
        items={**shipped.items, "iron_chest": chest},
        charts={**shipped.charts, shipped.start_realm: there},
        quests={**shipped.quests, ALMS.key: ALMS},
        harvests={**shipped.harvests, KINDLING.key: KINDLING},
    )


_FAMILIES: dict[str, Family] = {}


def _families() -> dict[str, Family]:
    """The games, made once: what they keep between servers is only numbers, which each start renews."""
    if not _FAMILIES:
        _FAMILIES.update(build_families(_content(), list(ACTORS)))
    return _FAMILIES
