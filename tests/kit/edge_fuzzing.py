"""Frames for an edge, by connections: what a hostile client sends is bytes on its line, the edge's codec
reads them, and what that hands out crosses to a world that decodes and handles it.

`tests.kit.fuzzing` calls codec, table, handler and turn of one process directly and forgives its client
everything. Here nothing is forgiven: whoever is hung up on comes again as another client, so that endings
cross as often as frames, and fewer frames come in the same time.
"""

from __future__ import annotations

import logging
import random
from collections import Counter
from typing import TYPE_CHECKING, Final

import attrs
import trio

from protocol.endings import Ending, WireError
from tests.kit.fuzzing import LINGER_SECONDS, SHORTEST, Recipe, concerns_company, places_on_the_way, pool_of
from tests.kit.games import GAMES, Person, Witnesses, session_of
from tests.kit.situations import Situations
from tests.kit.web_game import Browser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.dispatch import Entry, Table
    from protocol.session import Session
    from server.net.connection import Connection
    from tests.kit.game import Game
    from tests.kit.players import Player
    from tests.kit.town import Town

MOST_AT_ONCE: Final = 6
"""Frames that come in one piece: some of them behind one that ends the connection."""

FRAMES_EACH: Final = 40
"""In one situation (`tests.kit.situations`)."""

REFUSED: Final = 0.2
"""Part of the frames that the game's table refuses which is sent all the same. Each costs its client the
connection, and another login takes as long as dozens of frames."""

PAUSE: Final = 0.05
"""Seconds between two pieces: some turns of the world."""

POOL: Final = 300
"""Valid packets that the frames of a long run are made of."""


@attrs.define
class Count:
    """What became of a game's frames."""

    frames: int = 0
    """That were sent."""
    crossed: int = 0
    """Of somebody in the world: those that came to its connection there."""
    kinds: int = 0
    """Packets of the game that the world has looked up, with those that lead into it."""
    endings: Counter[Ending] = attrs.field(factory=Counter)
    """How the hostile client's connections ended, as the edge has it."""


class EdgeFuzzer:
    """Hostile clients of one game after the other, in a town with an edge where others play."""

    def __init__(self, town: Town, seed: int, *, quick: bool) -> None:
        """`quick`: frames are made of zeros and noise. To think out a few hundred valid packets of each game
        takes longer than to send as many."""
        assert town.edge is not None
        self._quick = quick
        town.change(
            "limits",
            exempt=("127.0.0.0/8",),
            packets_per_second=100_000.0,
            packet_burst=100_000,
            login_failures_per_address=1_000_000,
            login_failures_per_account=1_000_000,
            linger_seconds=LINGER_SECONDS,
        )
        self.town = town
        self.edge = town.edge
        self.chance = random.Random(seed)
        self.witnesses = Witnesses(town)
        self.situations = Situations(town.app.world)
        self.hostile: Session | None = None
        """In the world's process."""
        loop = town.app.loop
        self._was_due = loop._is_due
        loop._is_due = self._is_due  # type: ignore[method-assign] # of this one

    def _is_due(self, session: Session, entry: Entry[Session], packet: object) -> bool:
        """Who is hostile does not have to wait between two of the same: all that it sends is handled."""
        return session is self.hostile or self._was_due(session, entry, packet)

    async def run(self, name: str, frames: int) -> Count:
        """So many frames of a game: nine of ten of somebody in the world, the others of somebody on the way
        there, or noise. Nobody else may be hurt by it, and neither process may be at fault."""
        game, count = GAMES[name], Count()
        before = Counter(self.town.app.loop.counts.packets_in[name])
        await self._in_the_world(game, frames * 9 // 10, count)
        await self._on_the_way(game, frames // 20, count)
        await self._noise(game, frames // 20, count)
        await trio.sleep(LINGER_SECONDS + 1)
        count.kinds = len(Counter(self.town.app.loop.counts.packets_in[name]) - before)
        assert count.endings[Ending.OUR_BUG] == 0
        others = len(self.witnesses.players)
        assert len(self.edge.gateway.connections) == len(self.town.app.gateway.connections) == others
        await self.witnesses.are_well()
        for other, player, _ in self.witnesses.players:
            other.forgets(player)
        return count

    async def _comes(self, game: Game, upto: int) -> tuple[Player, Connection]:
        """Another client, `upto` steps from its first byte, that looks at nothing from then on; and its
        connection at the edge."""
        player = game.player(self.town)
        await game.plays(player, _person(game), upto=upto)
        assert player.end  # it is there to be sent to, at the latest now
        await trio.sleep(0.01)
        connection = self.edge.gateway.connections[max(self.edge.gateway.connections)]
        game.silences(player)
        return player, connection

    async def _goes(self, player: Player, connection: Connection, count: Count) -> None:
        player.leaves()
        await trio.sleep(PAUSE)
        if connection.ending is None:  # of datagrams: nobody tells the edge
            connection.end(Ending.CONNECTION_LOST, "gone")
            await trio.sleep(PAUSE)
        count.endings[connection.ending or Ending.CONNECTION_LOST] += 1

    async def _in_the_world(self, game: Game, frames: int, count: Count) -> None:
        town = self.town
        table = town.families[game.name].doors[game.doors[0]].table
        pool = self._pool(game)
        near = [frame for frame in pool if concerns_company(table.entry(table.opcode_of_frame(frame)))]
        recipe = Recipe(game, pool, self.chance, near)
        sent = 0
        while sent < frames:
            player, connection = await self._comes(game, game.entering)
            self.hostile = session = session_of(town, _person(game))
            there = town.app.gateway.connections[session.id]
            before = there.frames_in
            for number in range(FRAMES_EACH * 5):
                if connection.ending is not None or session.mobile is None or session.mobile.realm is None:
                    break
                if number % FRAMES_EACH == 0:
                    _, _, other = self.witnesses.players[number // FRAMES_EACH]
                    self.situations.next(session.mobile, town.mobile(other.character))
                    spices = self._spices(game, session)
                here = self.chance.randrange(MOST_AT_ONCE) + 1
                made = [self._frame(recipe, spices, table) for _ in range(here)]
                await self._sends(player, b"".join(_wire(game, player, session, frame) for frame in made))
                session.loading = False  # as a client has it that answers at once
                sent += here
                if sent >= frames:
                    break
            await self._goes(player, connection, count)
            count.crossed += there.frames_in - before
            await trio.sleep(LINGER_SECONDS)
        count.frames += sent

    def _pool(self, game: Game, door: str = "") -> Sequence[bytes]:
        if not self._quick:
            return pool_of(game, door, POOL)
        # At another door they are strangers to its table, which a hostile client's may well be.
        table = self.town.families[game.name].doors[game.doors[0]].table
        return [frame for entry in table for frame in game.legal(entry.opcode)]

    def _frame(self, recipe: Recipe, spices: Sequence[bytes], table: Table[Session]) -> bytes:
        while True:
            frame = recipe.frame(spices, self.town)
            if self.chance.random() < REFUSED or _decodes(table, frame):
                return frame

    def _spices(self, game: Game, session: Session) -> Sequence[bytes]:
        """Numbers that mean something to the client or in its situation, as its packets write them."""
        assert session.mobile is not None
        numbers = self.situations.numbers(session.mobile)
        return [*game.spices(session), *(form for number in numbers for form in game.spelled(number))]

    async def _on_the_way(self, game: Game, frames: int, count: Count) -> None:
        """Where frames are handled in the client's own task, and the edge waits for each."""
        places = places_on_the_way(game)
        for place in places:
            player, connection = await self._comes(game, place)
            door = connection.session.door
            pool = self._pool(game, "" if door == game.doors[0] else door)
            recipe = Recipe(game, pool, self.chance)
            for _ in range(max(1, frames // len(places))):
                if connection.ending is not None:
                    await self._goes(player, connection, count)
                    player, connection = await self._comes(game, place)
                await self._sends(player, game.wire(player, recipe.frame((b"\0",), self.town)))
                count.frames += 1
            await self._goes(player, connection, count)

    async def _noise(self, game: Game, frames: int, count: Count) -> None:
        """Bytes that no codec of the game would say, behind its first words."""
        for _ in range(frames):
            player, connection = await self._comes(game, 1)
            await self._sends(player, game.noise(self.chance.randbytes(self.chance.randrange(1, 200))))
            count.frames += 1
            await self._goes(player, connection, count)

    async def _sends(self, player: Player, data: bytes) -> None:
        try:
            await player.sends(data, wait=PAUSE)
        except (OSError, trio.BrokenResourceError):  # it was hung up on meanwhile
            await trio.sleep(PAUSE)


def _person(game: Game) -> Person:
    return Person(list(GAMES).index(game.name))


def _decodes(table: Table[Session], frame: bytes) -> bool:
    try:
        entry = table.entry(table.opcode_of_frame(frame)) if len(frame) >= SHORTEST else None
        return entry is not None and entry.decode(frame) is not None
    except WireError:
        return False


def _wire(game: Game, player: Player, session: Session, frame: bytes) -> bytes:
    """Of a browser, which has no codec of its own, with things in it that it knows."""
    return game.wire_to(session, frame) if isinstance(game, Browser) else game.wire(player, frame)


async def fuzz_edge(
    town: Town, games: Sequence[str], *, frames: int, seed: int, quick: bool
) -> dict[str, Count]:
    """Fuzz a running world through its edge with so many frames of each game; what became of them."""
    net = logging.getLogger("net")
    level = net.level
    net.setLevel(logging.WARNING)  # a line for every offence would be most of the work
    try:
        fuzzer = EdgeFuzzer(town, seed, quick=quick)
        await fuzzer.witnesses.enter()
        return {game: await fuzzer.run(game, frames) for game in games}
    finally:
        net.setLevel(level)
