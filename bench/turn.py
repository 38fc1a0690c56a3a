"""What a step costs the middle of the server: readers, world task, fan-out, views, codecs, flush.

    python -m bench.turn [--games uo eo] [--sizes 50 200 500] [--crowds 100 400] [--seconds 4]

The whole server in memory (`server.boot.app.App`, the shipped templates and looks, SQL without a thread) with
an open plain in place of the realm, and so many characters of one game on it, 46 tiles for each: about 30
others in sight of a UO client. They log in as clients do; then the clients fall silent and the bench writes
their steps: to and fro, each as often as its game allows (UO 2.5 steps a second, EO one in 480 ms). Time is
virtual and comes in 50 or 60 ms, an eighth of the characters in each, so every turn is one of a loaded
server.

in        readers and decoding, Trio itself, and whatever is not named below
handlers  draining the inboxes: handlers and the rules of going
fan-out   who sees what, and what it looks like in this game
flush     codecs, joining, and a send into a pipe of memory; a socket costs 4 or 5 us more for each client
store     taking the dirty rows over, and the (virtual) storage task

CPU microseconds of the thread for each step or turn, and in all for each packet that was sent.

Then crowds: so many on one spot, each turning on the spot as often, and everybody told of every turn. There
all depends on what one more viewer of one more message costs: "us/packet".

All numbers are the least of `--rounds` equal stretches of one run: on a machine that others use, too, the
least disturbed one says most.
"""

import argparse
import gc
import logging
import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from time import thread_time
from typing import TYPE_CHECKING, Final, cast
from unittest.mock import patch

import attrs
import trio
import trio.testing
from eolib import Coords, Direction, FacePlayerClientPacket, WalkAction, WalkPlayerClientPacket

from protocol.session import Session
from protocol.uo.packets.motion import WalkRequest
from server.boot.app import App
from server.net.connection import Connection
from server.settings.config import parse
from server.turn.fanout import Fanout
from tests.kit.players import EoPlayer, Line, UoPlayer
from tests.kit.town import Town, shipped_content
from world import motion
from world.content import Chart, Content
from world.events import Stepped, Turned
from world.heading import EAST, WEST
from world.mobile import Mobile
from world.world import World

TILES: Final = 46
"""Per character: 30 in the 37 x 37 tiles that a UO client sees."""

if TYPE_CHECKING:
    from tests.kit.pipe import End

MOVES: Final = (Stepped, Turned)

EDGE: Final = 10
"""Tiles at each side where nobody begins, so that nobody walks off the plain."""

LEG: Final = 8
"""Steps before a character turns round."""

GROUPS: Final = 8
"""Turns in the time of a step; an eighth of the characters steps in each."""

CONFIG: Final = """
[listen.uo]
[listen.eo]
[limits]
unauthenticated = 4096
joins_per_tick = 50
idle_seconds = 3600
"""


def plain(content: Content, count: int) -> Content:
    """The shipped content on an open square of so many characters."""
    side = round((count * TILES) ** 0.5) + 2 * EDGE
    shipped = content.charts[content.start_realm]
    spawns = [(x, y) for x in range(EDGE, side - EDGE, 6) for y in range(EDGE, side - EDGE, 6)]
    ground = [content.tiles["grass"]] * (side * side)
    chart = Chart(
        "plain", "The Plain", side, side, ground, (), bytes(side * side), spawns, atlas=shipped.atlas
    )
    return attrs.evolve(content, charts={"plain": chart}, start_realm="plain")


class Field(Town):
    """A town whose realm is an open plain."""

    def __init__(self, nursery: trio.Nursery, content: Content) -> None:
        super().__init__(nursery, parse(CONFIG), content=content, games=["uo", "eo"])


class QuietUo(UoPlayer):
    """A client that can be told to listen no more, and then walks by numbers alone."""

    scope: trio.CancelScope
    step_seconds = 0.4
    number = 0

    async def _receive(self, end: Line) -> None:
        with trio.CancelScope() as self.scope:
            await super()._receive(end)

    def turn(self, heading: int) -> bytes:
        """Face another way."""
        request = WalkRequest(heading, self.number, 0)
        self.number = self.number % 255 + 1
        return self.client.pack_bytes(request)

    def step(self, mobile: Mobile, heading: int) -> bytes:
        """One step, and the turn before it if it needs one."""
        requests = []
        for _ in range(1 if mobile.heading == heading else 2):
            requests.append(WalkRequest(heading, self.number, 0))
            self.number = self.number % 255 + 1
        return self.client.pack_bytes(*requests)


class QuietEo(EoPlayer):
    """The same for Endless Online."""

    scope: trio.CancelScope
    step_seconds = 0.48
    clock = 0

    async def _receive(self, end: Line) -> None:
        with trio.CancelScope() as self.scope:
            await super()._receive(end)

    def turn(self, heading: int) -> bytes:
        """Face another way."""
        direction = Direction.Right if heading == EAST else Direction.Left
        return self.client.frame(FacePlayerClientPacket(direction=direction))

    def step(self, mobile: Mobile, heading: int) -> bytes:
        """One step to the next tile."""
        self.clock += 48
        direction, x = (Direction.Right, mobile.x + 1) if heading == EAST else (Direction.Left, mobile.x - 1)
        action = WalkAction(direction=direction, timestamp=self.clock, coords=Coords(x=x, y=mobile.y))
        return self.client.frame(WalkPlayerClientPacket(walk_action=action))


class Phases:
    """CPU seconds by phase, and what was counted meanwhile."""

    def __init__(self) -> None:
        self.all = self.turns = self.handlers = self.fanout = self.flush = 0.0
        self.moves = self.packets = self.flushes = 0


@contextmanager
def timed(app: App) -> Iterator[Phases]:
    """Put clocks around the parts of a running server."""
    phases = Phases()
    inputs, turn, flush, run = app.loop._inputs, app.loop.turn, Connection.flush, Fanout.run

    def timed_inputs() -> list[Session]:
        begin = thread_time()
        touched = inputs()
        phases.handlers += thread_time() - begin
        return touched

    def timed_turn(now: float) -> None:
        begin = thread_time()
        turn(now)
        phases.turns += thread_time() - begin

    def timed_run(fanout: Fanout, *who: Sequence[Session]) -> None:
        phases.moves += sum(isinstance(event, MOVES) for event in fanout._changes.events)
        begin = thread_time()
        run(fanout, *who)
        phases.fanout += thread_time() - begin

    def timed_flush(connection: Connection, *, force: bool = False) -> None:
        count = len(connection.session.outbox)
        if not count:  # a reader that has nothing to answer
            flush(connection, force=force)
            return
        phases.packets += count
        phases.flushes += 1
        begin = thread_time()
        flush(connection, force=force)
        phases.flush += thread_time() - begin

    with (
        patch.object(app.loop, "_inputs", timed_inputs),
        patch.object(app.loop, "turn", timed_turn),
        patch.object(Fanout, "run", timed_run),
        patch.object(Connection, "flush", timed_flush),
    ):
        yield phases


class Walker:
    """A character that goes to and fro."""

    def __init__(self, player: QuietUo | QuietEo, mobile: Mobile, dice: random.Random) -> None:
        self.player = player
        self.mobile = mobile
        self.heading = dice.choice((EAST, WEST))
        self.left = dice.randint(1, LEG)

    def turn(self) -> None:
        """Write the next turn on the spot into the pipe, and throw away what came."""
        self.heading = EAST + WEST - self.heading
        end = cast("End", self.player.end)
        end.recv_nowait_into(_WASTE)
        end.send_nowait(self.player.turn(self.heading))

    def walk(self) -> None:
        """Write the next step into the pipe, and throw away what came."""
        if not self.left:
            self.heading, self.left = EAST + WEST - self.heading, LEG
        self.left -= 1
        end = cast("End", self.player.end)
        end.recv_nowait_into(_WASTE)
        end.send_nowait(self.player.step(self.mobile, self.heading))


_WASTE: Final = bytearray(1 << 20)


def name_of(number: int) -> str:
    """Four letters for every number, no two alike."""
    letters = "abcdefghkmnoprstuwxz"
    return "".join(letters[number // 20**place % 20] for place in range(4))


async def populate(town: Field, game: str, count: int, *, crowded: bool) -> list[Walker]:
    """Log so many players in, spread them evenly or put them on one spot, and let their clients fall
    silent."""
    players = [QuietUo(town) if game == "uo" else QuietEo(town) for _ in range(count)]
    for start in range(0, count, 50):
        async with trio.open_nursery() as nursery:
            for number in range(start, min(start + 50, count)):
                nursery.start_soon(players[number].enters, name_of(number))
    await trio.sleep(1)
    mobiles = {mobile.name.lower(): mobile for mobile in town.app.online()}
    dice = random.Random(3)
    realm = town.app.world.realms["plain"]
    side = realm.chart.width

    def spread(world: World) -> None:
        for _, mobile in sorted(mobiles.items()):  # in the same order in every run
            x, y = (side // 2 if crowded else dice.randrange(EDGE, side - EDGE) for _ in "xy")
            # Not a warp: an Endless Online client would have to load.
            motion.go(mobile, x, y, EAST)

    await town.app.in_world(None, spread)
    await trio.sleep(1)
    for player in players:
        player.scope.cancel()
    return [Walker(player, mobiles[name_of(number)], dice) for number, player in enumerate(players)]


async def measure(
    game: str, count: int, seconds: float, rounds: int, content: Content, *, crowded: bool
) -> Phases:
    """One world with so many characters of one game: the least disturbed of some stretches."""
    stretches = []
    async with trio.open_nursery() as nursery:
        town = Field(nursery, plain(content, count))
        await town.open()
        walkers = await populate(town, game, count, crowded=crowded)
        gc.collect()
        gc.freeze()
        gc.disable()
        for _ in range(rounds):
            with timed(town.app) as phases:
                await _stretch(walkers, phases, seconds, crowded=crowded)
            stretches.append(phases)
        gc.enable()
        gc.unfreeze()
        if len(town.app.loop.sessions) != count:
            raise RuntimeError("clients were lost")
        nursery.cancel_scope.cancel()
    return min(stretches, key=lambda phases: phases.all / phases.moves)


async def _stretch(walkers: Sequence[Walker], phases: Phases, seconds: float, *, crowded: bool) -> None:
    step_seconds = walkers[0].player.step_seconds
    for turn in range(round(seconds / step_seconds * GROUPS)):
        for walker in walkers[turn % GROUPS :: GROUPS]:
            if crowded:
                walker.turn()
            else:
                walker.walk()
        begin = thread_time()
        await trio.sleep(step_seconds / GROUPS)
        phases.all += thread_time() - begin


COLUMNS: Final = ("in", "handlers", "fan-out", "flush", "store")


def table(game: str, sizes: Sequence[int], arguments: argparse.Namespace, *, crowded: bool) -> None:
    """One game's rows; "all" with its ratio to the first size."""
    first = 0.0
    for count in sizes:
        phases = trio.run(
            partial(measure, crowded=crowded),
            game,
            count,
            arguments.seconds,
            arguments.rounds,
            shipped_content(),
            clock=trio.testing.MockClock(autojump_threshold=0),
        )
        per_move = 1e6 / phases.moves
        rest = phases.turns - phases.handlers - phases.fanout - phases.flush
        parts = (phases.all - phases.turns, phases.handlers, phases.fanout, phases.flush, rest)
        whole = phases.all * per_move
        first = first or whole
        print(
            f"{game:4}{count:>5}{phases.moves:>7}{phases.packets / phases.moves:>9.1f}"
            + "".join(f"{part * per_move:>10.1f}" for part in parts)
            + f"{whole:>8.1f} ({whole / first:5.2f})"
            + f"{phases.all / phases.packets * 1e6:>11.2f}{phases.flush / phases.flushes * 1e6:>10.2f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU of a move, by phase.")
    parser.add_argument("--games", nargs="+", default=["uo", "eo"], choices=["uo", "eo"])
    parser.add_argument("--sizes", type=int, nargs="*", default=[50, 200, 500])
    parser.add_argument("--crowds", type=int, nargs="*", default=[100, 400])
    parser.add_argument("--seconds", type=float, default=2.0, help="of virtual time, in each round")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    logging.disable(logging.CRITICAL)
    for what, sizes, crowded in (
        ("step", arguments.sizes, False),
        ("turn in a crowd", arguments.crowds, True),
    ):
        print(f"us of CPU for each {what}")
        print(
            f"{'':4}{'N':>5}{'moves':>7}{'packets':>9}"
            + "".join(f"{title:>10}" for title in COLUMNS)
            + f"{'all':>16}{'us/packet':>11}{'us/flush':>10}"
        )
        for game in arguments.games:
            table(game, sizes, arguments, crowded=crowded)


if __name__ == "__main__":
    main()
