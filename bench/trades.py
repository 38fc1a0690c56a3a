"""What a hundred trades a second among 500 players do to the turns.

    python -m bench.trades [--players 500] [--rate 100] [--seconds 5] [--rounds 5]
                           [--games uo eo eq2 co l2 web] [--profile]

The whole server in memory (`server.boot.app.App`, SQL without a thread), in real time, since how late a turn
begins is a matter of real time. Clients are bots of each game on an open plain, 46 tiles for each, in pairs
of each game with each. Everybody turns around every two seconds; an exchange goes on in so many pairs that
`--rate` of them are done each second. Each is made of what the clients' own windows send: ask (Ultima Online
drops the thing on the other), accept where a box asks, offer on both sides, agree on both sides; the next
step as soon as the one before was handled. What the clients are sent they take and throw away.

late    how late a turn began, ms: the half of them (p50), and all but one in a hundred (p99)
own     how much of that the server itself was at work, at most: CPU of its thread since the last turn,
        without that of the bots, which are in the same thread here. The rest is bots, and other work's core
turn    CPU of a turn, ms, and what part of the time turns take in all
trades  that were done in a second

Pairs of stretches, one without and one with trades, follow one another, because the machine is not quiet; the
last lines have the medians, beside the requirement that p99 is below 3 ms, and what an exchange adds to all
turns in CPU, which is what to trust on a machine with other work.
"""

from __future__ import annotations

import argparse
import cProfile
import gc
import logging
import math
import pstats
import struct
from collections import deque
from contextlib import contextmanager
from statistics import median, quantiles
from time import thread_time
from typing import TYPE_CHECKING, Final, TypeAlias, cast
from unittest.mock import patch

import attrs
import trio
from eolib import (
    Item as EoItem,
)
from eolib import (
    TradeAcceptClientPacket,
    TradeAddClientPacket,
    TradeAgreeClientPacket,
    TradeRequestClientPacket,
)

from bench.shops import SIX, Customer
from protocol.co.packets import TradeAction
from protocol.co.view import CoView
from protocol.eo.view import EoView
from protocol.eq2.handlers.table import NAMES
from protocol.eq2.packets import RemoteCmd
from protocol.uo.packets.things import Drop, Lift
from protocol.uo.packets.trading import TradeDeed, TradeRequest
from protocol.uo.trading import boxes
from server.bots.plain import plain
from server.settings.config import parse
from server.turn.loop import Loop
from tests.kit.town import Town, shipped_content
from world import barter, granting, hands, motion, trade
from world.heading import EAST, WEST

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from protocol.eo.session import EoSession
    from protocol.eq2.session import Eq2Session
    from protocol.session import Session
    from server.bots.co import CoBot
    from server.bots.eo import EoBot
    from server.bots.eq2 import Eq2Bot
    from server.bots.l2 import L2Bot
    from server.bots.uo import UoBot
    from server.bots.web import WebBot
    from world.bargain import Trade
    from world.item import Item
    from world.mobile import Mobile

GAMES: Final = ("uo", "eo", "eq2", "co", "l2", "web")
TURN: Final = 0.05
TILES: Final = 46
"""For each player: 30 others in the 37 x 37 tiles that most clients see."""
KIND: Final = "short_sword"
"""What each has one of, and gives for that of the other."""
MOST_LATE: Final = 3.0
"""Ms of the requirement."""
MOST_STEPS: Final = 200
AT_ONCE: Final = 20
"""Clients that are on their way in at a time."""
EDGE: Final = 10
ACROSS: Final = 7
"""Tiles from one pair to the next to the south, and half of those to the east."""
TAKES, ACTS = 0.25, 2.0
"""Seconds after which each client takes what came, and after which it turns around."""
ANYWHERE: Final = 0xFFFF


# What the windows send


@attrs.define
class Side:
    """One of a pair."""

    client: Customer
    session: Session
    mobile: Mobile

    @property
    def item(self) -> Item:
        """What it gives."""
        return next(iter(hands.carried_items(self.mobile, KIND)))

    def says(self, data: bytes) -> None:
        """Send; what its bot was told meanwhile it takes first, as it answers in the order of things."""
        self.client.bot.now = trio.current_time()
        self.client._send(data)


Deed: TypeAlias = "Callable[[Side, Side], bytes]"


@attrs.frozen
class Window:
    """What a client sends in each step of an exchange, to whom and from whom."""

    ask: Deed
    accept: Deed
    offer: Deed
    agree: Deed


def _uo(one: Side, *packets: Lift | Drop | TradeRequest) -> bytes:
    return cast("UoBot", one.client.bot)._bytes(*packets)


def _uo_drags(one: Side, target: int) -> bytes:
    serial = one.item.serial
    return _uo(one, Lift(serial, 1), Drop(serial, ANYWHERE, ANYWHERE, 0, 0, target))


def _eo(one: Side, packet: object) -> bytes:
    return cast("EoBot", one.client.bot)._bytes(packet)  # type: ignore[arg-type] # all are packets


def _eo_number(one: Side, mobile: Mobile) -> int:
    return EoView.of(cast("EoSession", one.session)).figures.player_id(mobile)


def _eo_kind(one: Side) -> int:
    return EoView.of(cast("EoSession", one.session)).figures.item_id(one.mobile, one.item)


def _eq2(one: Side, word: str, words: str = "") -> bytes:
    return cast("Eq2Bot", one.client.bot)._bytes(RemoteCmd(NAMES.index(word), words))


def _eq2_offers(one: Side) -> bytes:
    stowed, serial = cast("Eq2Session", one.session).stowed, one.item.serial
    row = next(row for row in range(len(stowed.sent)) if stowed.at(row) == serial)
    return _eq2(one, "add_trade_item", f"{row} 255 1")


def _co(one: Side, action: TradeAction, thing: Mobile | Item) -> bytes:
    number = CoView.of(one.session).figures.ids.of(thing)  # type: ignore[arg-type] # of that game
    return cast("CoBot", one.client.bot)._raw(struct.pack("<HHII", 12, 1056, number, action))


def _l2(one: Side, opcode: int, *numbers: int) -> bytes:
    return cast("L2Bot", one.client.bot)._raw(struct.pack(f"<B{len(numbers)}i", opcode, *numbers))


def _web(one: Side, t: str, **fields: object) -> bytes:
    return cast("WebBot", one.client.bot)._says(t, **fields)


def _question(one: Side) -> int:
    question = trade.question(one.mobile)
    return question.serial if question is not None else 0


WINDOWS: Final = {
    "uo": Window(
        lambda one, other: _uo_drags(one, other.mobile.serial),
        lambda one, other: b"",
        lambda one, other: _uo_drags(one, boxes(other.mobile.serial)[0]),
        lambda one, other: _uo(
            one, TradeRequest(TradeDeed.AGREE, boxes(other.mobile.serial)[0], b"\0\0\0\1")
        ),
    ),
    "eo": Window(
        lambda one, other: _eo(one, TradeRequestClientPacket(player_id=_eo_number(one, other.mobile))),
        lambda one, other: _eo(one, TradeAcceptClientPacket(player_id=_eo_number(one, other.mobile))),
        lambda one, other: _eo(one, TradeAddClientPacket(add_item=EoItem(id=_eo_kind(one), amount=1))),
        lambda one, other: _eo(one, TradeAgreeClientPacket(agree=True)),
    ),
    "eq2": Window(
        lambda one, other: _eq2(one, "start_trade", other.mobile.name),
        lambda one, other: b"",
        lambda one, other: _eq2_offers(one),
        lambda one, other: _eq2(one, "accept_trade"),
    ),
    "co": Window(
        lambda one, other: _co(one, TradeAction.APPLY, other.mobile),
        lambda one, other: _co(one, TradeAction.APPLY, other.mobile),
        lambda one, other: _co(one, TradeAction.ADD_ITEM, one.item),
        lambda one, other: _co(one, TradeAction.ACCEPT, other.mobile),
    ),
    "l2": Window(
        lambda one, other: _l2(one, 0x15, other.mobile.serial),
        lambda one, other: _l2(one, 0x44, 1),
        lambda one, other: _l2(one, 0x16, 1, one.item.serial, 1),
        lambda one, other: _l2(one, 0x17, 1),
    ),
    "web": Window(
        lambda one, other: _web(one, "trade", id=other.mobile.serial),
        lambda one, other: _web(one, "answer", serial=_question(one), button=1),
        lambda one, other: _web(one, "offer", id=one.item.serial, amount=1),
        lambda one, other: _web(
            one, "agree", changes=one.mobile.trade.changes if one.mobile.trade is not None else 0
        ),
    ),
}
"""By game."""


class Exchange:
    """One between a pair, a step at a time. That it is done the world's own rule says (`watched`)."""

    def __init__(self, asker: Side, asked: Side) -> None:
        self.asker, self.asked = asker, asked
        self._asks = self._began = False
        self._sent: set[tuple[str, int]] = set()
        self._steps = 0

    def step(self) -> bool:
        """Send what comes next, once; False when it is over. Raises RuntimeError if it comes to no end."""
        asker, asked = self.asker, self.asked
        self._steps += 1
        if self._steps > MOST_STEPS:
            raise RuntimeError(f"{asker.client.bot.name} and {asked.client.bot.name} come to no end")
        going, sides = asker.mobile.trade, ((asker, asked), (asked, asker))
        if going is None:
            if self._began:
                return False
            if trade.question(asked.mobile) is not None:
                self._does("accept", asked, asker)
            elif not self._asks:
                asker.mobile.spoken = asked.mobile.spoken = None  # nobody asks too often here
                self._asks = True
                self._does("ask", asker, asked)
            return True
        self._began = True
        waits = [side for side in sides if not going.side(side[0].mobile).offers]
        for one, other in waits:
            self._does("offer", one, other)
        waits = [] if waits else [side for side in sides if not going.side(side[0].mobile).agreed][:1]
        for one, other in waits:
            self._does("agree", one, other)
        return True

    def _does(self, what: str, one: Side, other: Side) -> None:
        """What was sent is handled in the next turn, or in one behind it."""
        if (what, one.mobile.serial) not in self._sent:
            self._sent.add((what, one.mobile.serial))
            deed: Deed = getattr(WINDOWS[one.client.bot.game], what)
            one.says(deed(one, other))


# What is measured


@attrs.define
class Stretch:
    """So many seconds."""

    late: list[float] = attrs.field(factory=list)
    """Ms, of each turn."""
    own: list[float] = attrs.field(factory=list)
    """Ms of that in which the server worked, of each turn."""
    cpu: list[float] = attrs.field(factory=list)
    """Ms of each turn."""
    trades: int = 0
    seconds: float = 0.0

    @property
    def busy(self) -> float:
        """Ms of CPU in a second."""
        return sum(self.cpu) / self.seconds

    def row(self) -> str:
        """Of the table."""
        turn = sum(self.cpu) / len(self.cpu)
        return (
            f"{at(self.late, 50):>9.2f}{at(self.late, 99):>9.2f}"
            f"{at(self.own, 50):>9.2f}{at(self.own, 99):>9.2f}"
            f"{turn:>9.2f}{self.busy / 10:>8.1f}%"
            f"{self.trades / self.seconds:>9.1f}"
        )


def at(values: Sequence[float], percent: int) -> float:
    """What so many of a hundred are at most."""
    return quantiles(values, n=100)[percent - 1]


class Bots:
    """CPU seconds of the bots."""

    seconds = 0.0


@contextmanager
def watched(turned: Callable[[], None], bots: Bots, profile: cProfile.Profile | None) -> Iterator[Stretch]:
    """Take note of all turns and exchanges meanwhile."""
    stretch, turn, swap = Stretch(), Loop.turn, barter.swap
    ended, of_bots = thread_time(), bots.seconds

    def timed(loop: Loop, now: float) -> None:
        nonlocal ended, of_bots
        begun = thread_time()
        late = loop.stats.last_lateness * 1e3
        stretch.late.append(late)
        stretch.own.append(min(late, (begun - ended - (bots.seconds - of_bots)) * 1e3))
        if profile is not None:
            profile.enable()
        turn(loop, now)
        if profile is not None:
            profile.disable()
        ended, of_bots = thread_time(), bots.seconds
        stretch.cpu.append((ended - begun) * 1e3)
        turned()

    def counted(going: Trade[Mobile]) -> None:
        swap(going)
        stretch.trades += 1

    begun = trio.current_time()
    with patch.object(Loop, "turn", timed), patch.object(barter, "swap", counted):
        yield stretch
    stretch.seconds = trio.current_time() - begun


async def play(
    pairs: Sequence[tuple[Side, Side]], seconds: float, rate: float, profile: cProfile.Profile | None = None
) -> Stretch:
    """Let so many trades a second begin and go on, for so long; then those that go on come to an end."""
    clients = [side.client for pair in pairs for side in pair]
    waiting, going = deque(pairs), list[Exchange]()
    turned = trio.Event()
    asked = taken = acted = 0

    def note() -> None:
        turned.set()

    bots = Bots()
    with watched(note, bots, profile) as stretch:
        begun = trio.current_time()
        end = begun + seconds
        while going or trio.current_time() < end:
            # Right behind a turn: what the bots cost is over before the next one is due.
            with trio.move_on_after(TURN):  # a server to which nobody says anything takes none
                await turned.wait()
            turned, work = trio.Event(), thread_time()
            passed = trio.current_time() - begun
            for number in range(taken, taken := int(passed / TAKES * len(clients))):
                clients[number % len(clients)].skim()
            for number in range(acted, acted := int(passed / ACTS * len(clients))):
                clients[number % len(clients)].act(walk=False)
            due = rate * min(passed, seconds)
            while asked < due and waiting:
                going.append(Exchange(*waiting.popleft()))
                asked += 1
            over = [one for one in going if not one.step()]
            going = [one for one in going if one not in over]
            waiting += [(one.asked, one.asker) for one in over]
            bots.seconds += thread_time() - work
    return stretch


# The world


async def enter(town: Town, games: Sequence[str]) -> list[Customer]:
    """A client of each of these games, until all are in the world."""
    clients: list[Customer] = []
    while len(clients) < len(games) or not all(client.bot.in_world for client in clients):
        room = AT_ONCE - sum(not client.bot.in_world for client in clients)
        coming = range(len(clients), min(len(clients) + room, len(games)))
        clients += [Customer(town, games[number], number) for number in coming]
        for client in clients:
            client.decode()
        await trio.sleep(TURN)
    return clients


def pair_up(town: Town, clients: Sequence[Customer]) -> list[tuple[Side, Side]]:
    """The first half with the second, side by side, and each with something to give."""
    by_name = {session.mobile.name.lower(): session for session in town.app.sessions() if session.mobile}
    sides = []
    for client in clients:
        session = by_name[client.bot.character.lower()]
        assert session.mobile is not None
        granting.make(session.mobile, KIND)
        sides.append(Side(client, session, session.mobile))
    half = len(sides) // 2
    pairs = list(zip(sides[:half], sides[half:], strict=True))
    columns = math.ceil(math.sqrt(half * 2 * TILES) / 2 / ACROSS)
    for number, (one, other) in enumerate(pairs):
        x, y = EDGE + number % columns * 2 * ACROSS, EDGE + number // columns * ACROSS
        motion.go(one.mobile, x, y, EAST)
        motion.go(other.mobile, x + 1, y, WEST)
    return pairs


def mixed(games: Sequence[str], count: int) -> list[str]:
    """The game of each of so many players: half of them, then those who are paired with these, so that each
    game is with each."""
    half, kinds = count // 2, len(games)
    return [
        *(games[number % kinds] for number in range(half)),
        *(games[number // kinds % kinds] for number in range(half)),
    ]


async def measure(arguments: argparse.Namespace) -> None:
    """The table."""
    count = arguments.players // 2 * 2
    side = math.ceil(math.sqrt(count * TILES)) + 2 * EDGE + 2 * ACROSS
    profile = cProfile.Profile() if arguments.profile else None
    async with trio.open_nursery() as nursery:
        content = plain(shipped_content(), side, side, count)
        town = Town(nursery, parse(SIX), content=content, games=arguments.games)
        await town.open()
        clients = await enter(town, mixed(arguments.games, count))
        pairs = await town.app.in_world(None, lambda world: pair_up(town, clients))
        for _ in range(20):
            for client in clients:
                client.skim()
            await trio.sleep(TURN)
        gc.collect()  # from here on as `server.boot.start`: else most of the longest turns are collections
        gc.freeze()
        gc.set_threshold(10_000, 10, 5_000)
        await play(pairs, 1.0, arguments.rate)
        quiet: list[Stretch] = []
        busy: list[Stretch] = []
        for number in range(arguments.rounds):
            for name, rate, found in (("without", 0.0, quiet), ("trades", arguments.rate, busy)):
                found.append(await play(pairs, arguments.seconds, rate, profile if rate else None))
                print(f"{f'{number} {name}':12}{found[-1].row()}", flush=True)
        if len(town.app.loop.sessions) != count:
            raise RuntimeError("clients were lost")
        nursery.cancel_scope.cancel()
    summary(quiet, busy)
    if profile is not None:
        pstats.Stats(profile).sort_stats("tottime").print_stats(40)


def summary(quiet: Sequence[Stretch], busy: Sequence[Stretch]) -> None:
    """Print the medians, and what they are beside what is required."""
    late, without, own, own_without = (
        median(at(values, 99) for values in found)
        for found in (
            [one.late for one in busy],
            [one.late for one in quiet],
            [one.own for one in busy],
            [one.own for one in quiet],
        )
    )
    each = median(
        (with_trades.busy - without.busy) / (with_trades.trades / with_trades.seconds)
        for without, with_trades in zip(quiet, busy, strict=True)
    )
    print(f"p99 of lateness {late:.2f} ms, without trades {without:.2f} ms; to be below {MOST_LATE:.0f} ms")
    print(f"p99 of it by the server's own work {own:.2f} ms, without trades {own_without:.2f} ms")
    print(f"one trade adds {each:.2f} ms of CPU")


def main(argv: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="What trades between players do to the turns.")
    parser.add_argument("--players", type=int, default=500)
    parser.add_argument("--rate", type=float, default=100.0, help="trades a second")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each stretch")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--games", nargs="+", default=list(GAMES), choices=GAMES)
    parser.add_argument("--profile", action="store_true", help="then what the profiler says")
    arguments = parser.parse_args(argv)
    logging.disable(logging.CRITICAL)
    titles = ("p50 late", "p99 late", "p50 own", "p99 own", "turn", "of it", "trades")
    print(f"{'':12}" + "".join(f"{title:>9}" for title in titles))
    trio.run(measure, arguments)


if __name__ == "__main__":
    main()
