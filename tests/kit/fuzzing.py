"""Frames by the hundred thousand, without a task per frame: codec, table, handler and turn, called directly.

A fuzzer is a player of a running server (`tests.kit.town`) whose connection is replaced by `Loose`: what it
sends goes through the codec of its session, the table's decoder and the inbox into turns that the fuzzer
takes itself, forty frames at a time. Whatever would have ended it is counted and forgiven, so one session
hears thousands of frames. Frames that are handled in the client's own task (logins, menus) are sent by
players on their way, with a connection of the same kind.
"""

from __future__ import annotations

import gc
import logging
import random
import sys
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final

import attrs
import trio
from hypothesis import HealthCheck, Phase, given, settings

from protocol.denials import Denied
from protocol.dispatch import Where
from protocol.endings import Ending, Refused, WireError
from protocol.session import Phase as ClientPhase
from protocol.web.codec import WebCodec
from protocol.wire.body import Body
from server.bots.bundle import bundle
from tests.kit.games import GAMES, Person, Witnesses
from tests.kit.situations import COMPANY, Situations

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from hypothesis import strategies as st
    from trio.testing import MockClock

    from protocol.dispatch import Entry
    from protocol.session import Session
    from tests.kit.games import Game
    from tests.kit.players import Player
    from tests.kit.town import Town
    from world.mobile import Mobile

FRAMES_PER_TURN: Final = 40
TURN_SECONDS: Final = 0.25
POOL: Final = 1_000
"""Valid packets that frames are made of, as many of each class."""

MOST_BODIES: Final = 100
"""Messages encoded in one flush; behind these, it is scenery again and again."""

SHORTEST: Final = 2
"""Bytes of a frame that says which packet it is, in every game."""

OFTENER: Final = 0.4
"""Part of the frames in the world that is about what its situations are about."""

LINGER_SECONDS: Final = 1.0
"""How long a character stays whose client is gone. There are hundreds of those, and time in which nothing is
said shows nothing."""

AT_ONCE: Final = 2_000
"""Frames between two looks at the witnesses."""

HOSTILE: Final = (
    b"\0",
    b"\1",
    b"\x7f",
    b"\x80",
    b"\xfe",
    b"\xff",
    b"\xff\xff",
    b"\xff\xff\xff\xff",
    b"\x80\0\0\0",
)


class Loose:
    """A session's connection that forgives everything and sends nowhere but to its client's codec, where the
    game wants that. See `protocol.session.Link`."""

    busy = False

    def __init__(self, session: Session, game: Game) -> None:
        self.session = session
        self.game = game
        self.endings: Counter[Ending] = Counter()
        self.jobs: list[Callable[[], Awaitable[None]]] = []
        self.bytes_out = 0
        session.link = self

    def flush(self, *, force: bool = False) -> None:
        """Encode everything as a connection does; an error here is a bug of ours."""
        session, codec = self.session, self.session.codec
        outbox, session.outbox = session.outbox, []
        bodies = 0
        for message in outbox:
            if not isinstance(message, Body):
                made = message.bind(session)  # type: ignore[arg-type] # one of its own game
                codec.send(made if isinstance(made, Body) else Body(made))
            elif (bodies := bodies + 1) <= MOST_BODIES:
                codec.send(message)
        sent = codec.outgoing(trio.current_time())
        self.bytes_out += sum(map(len, sent))
        self.game.delivered(session, sent)

    def end(self, ending: Ending, detail: str) -> None:
        """Count it."""
        assert ending is not Ending.OUR_BUG, detail
        self.endings[ending] += 1

    def later(self, job: Callable[[], Awaitable[None]]) -> None:
        """Keep it until the fuzzer has time."""
        self.jobs.append(job)

    def drained(self) -> None:
        """Nobody waits for that here."""


@cache
def pool_of(game: Game, door: str = "", size: int = POOL) -> Sequence[bytes]:
    """About so many valid frames, of every packet of a game or of a door that has a table of its own; the
    same in every run."""
    found: list[bytes] = []
    strategies = (game.valid_at(door) if door else game.valid()).values()
    for strategy in strategies:
        found += examples(strategy, max(1, size // len(strategies)))
    return found


def examples(strategy: st.SearchStrategy[bytes], count: int) -> list[bytes]:
    """That many examples."""
    found: list[bytes] = []

    @settings(
        max_examples=count,
        database=None,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(example: bytes) -> None:
        found.append(example)

    collect()
    return found


@attrs.define
class Recipe:
    """Makes frames: valid, mutated, with numbers that mean something, of noise, and of a golden session."""

    game: Game
    pool: Sequence[bytes]
    chance: random.Random
    near: Sequence[bytes] = ()
    """Those of the pool of which there are to be more."""

    def frame(self, spices: Sequence[bytes], town: Town) -> bytes:
        """The next one."""
        chance, kind = self.chance, self.chance.random()
        if kind < 0.12:
            return self.game.random_frame(chance, town.families[self.game.name])
        if kind < 0.15:
            return chance.choice(self.game.unknown)
        oftener = self.near and chance.random() < OFTENER
        frame = bytearray(chance.choice(self.near if oftener else self.pool))
        if kind < 0.3:
            return bytes(frame)
        first = 2
        for _ in range(chance.choice((1, 1, 2, 3, 6))):
            at = chance.randrange(first, max(len(frame), first + 1))
            put = chance.choice(spices if chance.random() < 0.6 else HOSTILE)
            frame[at : at + len(put)] = put
        if kind > 0.9:
            del frame[chance.randrange(first, max(len(frame), first + 1)) :]
        elif kind > 0.82:
            frame += chance.randbytes(chance.randrange(60))
        return self.game.mended(bytes(frame)) if chance.random() < 0.95 else bytes(frame)


@attrs.define
class Count:
    """What became of the frames."""

    frames: int = 0
    handled: Counter[str] = attrs.field(factory=Counter)
    """By packet: how many reached their handler."""
    stirred: Counter[str] = attrs.field(factory=Counter)
    """By situation (`tests.kit.situations`): how often frames changed anything about it."""
    situations: Counter[str] = attrs.field(factory=Counter)
    """How often each was there."""
    refused: int = 0
    endings: Counter[Ending] = attrs.field(factory=Counter)
    blocks: list[int] = attrs.field(factory=list)
    """Memory blocks in use, at each quarter."""
    objects: list[int] = attrs.field(factory=list)
    """Objects that garbage collection knows, at each quarter."""

    @property
    def kept_blocks(self) -> int:
        """Memory blocks in use more at the end than after half of the frames."""
        return self.blocks[-1] - self.blocks[len(self.blocks) // 2 - 1]

    @property
    def kept_objects(self) -> int:
        """Objects that live at the end more than after half of the frames."""
        return self.objects[-1] - self.objects[len(self.objects) // 2 - 1]


class Fuzzer:
    """One game's hostile client, in a town where others play."""

    def __init__(self, town: Town, game: Game, clock: MockClock, seed: int, pool: Sequence[bytes]) -> None:
        self.town = town
        self.game = game
        self.clock = clock
        self.count = Count()
        table = town.families[game.name].doors[game.doors[0]].table
        near = [frame for frame in pool if concerns_company(table.entry(table.opcode_of_frame(frame)))]
        self.recipe = Recipe(game, pool, random.Random(seed), near)
        self.witnesses = Witnesses(town)
        self.situations = Situations(town.app.world)
        self._players = 0
        self._hasty: Session | None = None
        self._other: Mobile | None = None
        """Who is in the situation as well."""
        loop = town.app.loop
        self._was_due = loop._is_due
        loop._is_due = self._is_due  # type: ignore[method-assign] # of this one

    async def run(self, frames: int) -> Count:
        """That many frames: 92 in 100 of somebody in the world, 4 of somebody on the way there, 4 of noise
        for the codec alone. The witnesses are looked after in between."""
        await self.witnesses.enter()
        rounds = max(1, frames // AT_ONCE)
        for number in range(rounds):
            here = frames // rounds
            await self._in_the_world(here * 92 // 100)
            await self._on_the_way(here * 4 // 100)
            self._noise(here * 4 // 100)
            await self.witnesses.are_well()
            for game, player, _ in self.witnesses.players:
                game.forgets(player)
            if (number + 1) % max(1, rounds // 4) == 0:
                self._weigh()
        return self.count

    def _weigh(self) -> None:
        gc.collect()
        self.count.objects.append(len(gc.get_objects()))
        self.count.blocks.append(sys.getallocatedblocks())

    async def _enters(self, upto: int) -> tuple[Player, Loose, Session]:
        """A player on the way, `upto` steps from the first byte, whose connection is let loose."""
        self._players += 1
        player, who = self.game.player(self.town), Person(self._players % 5)
        await self.game.plays(player, who, upto=upto)
        assert player.end
        await trio.sleep(0.01)
        session = self.town.app.gateway.connections[max(self.town.app.gateway.connections)].session
        self.game.silences(player)
        return player, Loose(session, self.game), session

    async def _in_the_world(self, frames: int) -> None:
        """Again and again in another situation; whose frames led it out of the world comes back."""
        loop = self.town.app.loop
        player, loose, session = await self._stands_there()
        situation, before = "", None
        spices: Sequence[bytes] = ()
        for number in range(frames):
            if number % (FRAMES_PER_TURN * 4) == 0:
                if session.mobile is not None and situation:
                    self.count.stirred[situation] += self.situations.state(session.mobile) != before
                if session.mobile is None or session.mobile.realm is None:
                    await self._goes(player, loose, session)
                    player, loose, session = await self._stands_there()
                situation, before = self._meets(session)
                spices = self._spices(session)
                await trio.sleep(0.01)  # the others' turn
            self._hears(session, self.recipe.frame(spices, self.town))
            if number % FRAMES_PER_TURN == 0:
                self.clock.jump(TURN_SECONDS)
                session.last_heard = trio.current_time()
                loop.turn(trio.current_time())
                assert not session.inbox or session.link.busy, "what it sent reaches no handler"
                session.loading = False  # as a client has it that answers at once
                jobs, loose.jobs = loose.jobs, []
                for job in jobs:
                    await job()
        await self._goes(player, loose, session)

    async def _stands_there(self) -> tuple[Player, Loose, Session]:
        """One in the world, who does not have to wait between two of the same: all that it sends is for its
        handler."""
        player, loose, session = await self._enters(self.game.entering)
        assert session.mobile is not None
        session.phase = ClientPhase.IN_WORLD
        self._hasty = session
        return player, loose, session

    def _is_due(self, session: Session, entry: Entry[Session], packet: object) -> bool:
        return session is self._hasty or self._was_due(session, entry, packet)

    def _meets(self, session: Session) -> tuple[str, object]:
        """Bring it and one of the witnesses into another situation: its name, and what of it may change."""
        mobile = session.mobile
        assert mobile is not None
        _, _, who = self.witnesses.players[self.count.situations.total() % len(self.witnesses.players)]
        self._other = self.town.mobile(who.character)
        name = self.situations.next(mobile, self._other)
        self.count.situations[name] += 1
        return name, self.situations.state(mobile)

    def _spices(self, session: Session) -> Sequence[bytes]:
        """Numbers that mean something: half of them of the situation, and the other's among these as often as
        all the rest, as packets of this game write them."""
        game, usual = self.game, list(self.game.spices(session))
        numbers = self.situations.numbers(session.mobile) if session.mobile is not None else []
        about = [form for number in numbers for form in game.spelled(number)]
        other = game.spelled(game.number_of(session, self._other)) if self._other is not None else []
        about += [form for form in other for _ in range(len(about) // len(other))]
        return usual + [about[at % len(about)] for at in range(len(usual))]

    async def _goes(self, player: Player, loose: Loose, session: Session) -> None:
        """Its own connection again, so that it ends as any other."""
        self.count.endings += loose.endings
        connection = self.town.app.gateway.connections.get(session.id)
        if connection is not None:
            session.link = connection
        player.leaves()
        await trio.sleep(LINGER_SECONDS + 1)

    def _hears(self, session: Session, frame: bytes) -> None:
        """What the reader task does with a chunk, as far as the world is concerned."""
        codec, table, count = session.codec, session.family.doors[session.door].table, self.count
        count.frames += 1
        try:
            self.game.hears(codec, self.game.wire_to(session, frame), trio.current_time())
            for heard in iter(codec.next_frame, None):
                entry = table.entry(table.opcode_of_frame(heard))
                if entry is None:
                    continue
                packet = entry.decode(heard)
                if entry.where is Where.WORLD:
                    count.handled[self.game.kind_of(entry.name, packet)] += 1
                    session.inbox.append((entry, packet, heard))
                    self.town.app.loop.ready(session)
        except WireError:
            count.refused += 1
            _forget_rest(session)

    async def _on_the_way(self, frames: int) -> None:
        """Handlers in the client's own task: each place on the way has a player who says everything there."""
        game, town = self.game, self.town
        places = places_on_the_way(game)
        for place in places:
            player, loose, session = await self._enters(place)
            table = session.family.doors[session.door].table
            opcode_of = table.opcode_of_frame
            mine = {entry.opcode for entry in table if entry.where is Where.HERE}
            pool = self.recipe.pool if session.door == game.doors[0] else pool_of(game, session.door)
            recipe = Recipe(game, [frame for frame in pool if opcode_of(frame) in mine], self.recipe.chance)
            for _ in range(frames // len(places)):
                phase = session.phase
                frame = recipe.frame((b"\0",), town)
                self.count.frames += 1
                try:
                    entry = table.entry(opcode_of(frame)) if len(frame) >= SHORTEST else None
                    if entry is None or phase not in entry.phases or entry.where is Where.WORLD:
                        continue
                    packet = entry.decode(frame)
                    self.count.handled[entry.name] += 1
                    answer = entry.handler(session, packet)
                    assert answer is not None
                    await answer
                except (WireError, Denied):
                    self.count.refused += 1
                except Refused as refusal:
                    session.send(*refusal.farewell)  # type: ignore[arg-type] # packets of this game
                    loose.flush()
                if session.phase is not phase:
                    await self._goes(player, loose, session)
                    player, loose, session = await self._enters(place)
            await self._goes(player, loose, session)

    def _noise(self, frames: int) -> None:
        """Random bytes for a codec that knows nobody yet, and behind the opening of one that does."""
        chance, family = self.recipe.chance, self.town.families[self.game.name]
        for _ in range(frames):
            self.count.frames += 1
            pair = self.game.pair(chance.choice(list(family.doors)), family, chance.randbytes)
            pair.opening()
            opening = self.game.spoken(pair.client) if chance.random() < 0.7 else b""
            noise = chance.randbytes(chance.randrange(1, 200))
            if self.game.datagrams:
                noise = bundle([noise, bytes((0, chance.randrange(32))) + noise])
            try:
                self.game.hears(pair.server, opening + noise)
                for frame in iter(pair.server.next_frame, None):
                    pair.heard(frame)
            except WireError:
                self.count.refused += 1


def concerns_company(entry: Entry[Session] | None) -> bool:
    """Whether the module of a packet's handler uses rules of trades, parties, guilds, letters or questions;
    so it need not be said of each packet that a game has of them."""
    module = sys.modules.get(entry.handler.__module__) if entry is not None else None
    return any(vars(module).get(rules.__name__.rpartition(".")[2]) is rules for rules in COMPANY if module)


def places_on_the_way(game: Game) -> list[int]:
    """Before which steps somebody on the way stands at a door, or has been let in."""
    steps = game.steps[: game.entering]
    if game.datagrams:
        # There the first step, and each that dials again, makes the session in which the next one speaks.
        return [n for n, step in enumerate(steps) if n and not step.redials]
    return [n for n, step in enumerate(steps) if n == 0 or step.phase > ClientPhase.GREETING]


def _forget_rest(session: Session) -> None:
    """Behind an offence a connection reads no further; the next frame starts afresh."""
    for name in ("_clear", "_raw"):
        kept = getattr(session.codec, name, None)
        if kept is not None:
            kept.clear()
    if isinstance(session.codec, WebCodec):
        session.codec._received.clear()
        session.codec._searched = 0
    framer = getattr(session.codec, "_framer", None)
    if framer is not None:
        framer._buffer.clear()
        framer._header = None


async def fuzz(
    town: Town, game: str, clock: MockClock, *, frames: int, seed: int, pool: Sequence[bytes]
) -> Count:
    """Fuzz a running server; what became of it."""
    town.change(
        "limits",
        exempt=("127.0.0.0/8",),
        login_failures_per_address=1_000_000,
        login_failures_per_account=1_000_000,
        linger_seconds=LINGER_SECONDS,
    )
    net = logging.getLogger("net")
    level = net.level
    net.setLevel(logging.WARNING)  # a line for every offence would be most of the work
    try:
        return await Fuzzer(town, GAMES[game], clock, seed, pool).run(frames)
    finally:
        net.setLevel(level)
