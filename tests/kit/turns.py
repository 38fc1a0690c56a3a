"""A loop whose turns are taken one by one, with a stopwatch that goes on as a test says: for what a turn
takes in, and how long it may take. Its clients have no connections; what they send stands in their
inboxes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import trio

from protocol.session import Phase, Session
from protocol.wire.args import CodecArgs, Role
from server.settings.config import Network
from server.turn.loop import Loop
from tests.kit.toys import Probe, Put, Say, brook
from tests.kit.worlds import person, plain_content, plain_world
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from protocol.endings import Ending
    from protocol.outgoing import Outgoing
    from protocol.wire.declare import Packet

SQUARE = (20, 20)
OUTSIDE = (80, 80)

HELD = 0.08
"""Seconds that a turn takes for the allowance to stay as it is."""


def lines(*words: object) -> list[Say]:
    """Words of one client."""
    return [Say(str(word).encode()) for word in words]


def by_session(turns: list[list[tuple[int, object]]]) -> dict[int, list[object]]:
    """All that was done, in order, by client."""
    done: dict[int, list[object]] = {}
    for turn in turns:
        for number, what in turn:
            done.setdefault(number, []).append(what)
    return done


class TurnLink:
    """Stands in for the connection of one client."""

    def __init__(self, turns: Turns, session: Session) -> None:
        self.busy = False
        self.ending: Ending | None = None
        self.drains = 0
        self.sending: Callable[[], None] | None = None
        """Called when something was sent."""
        self.flushes = 0
        self.sent: list[Outgoing] = []
        self._turns = turns
        self._session = session

    def flush(self, *, force: bool = False) -> None:
        """Send: each message takes its time, and the first of a turn what the turn takes besides."""
        turns, outbox = self._turns, self._session.outbox
        turns.seconds += len(outbox) * turns.per_message + turns.takes
        turns.takes = 0.0
        self.flushes += 1
        self.sent += outbox
        outbox.clear()
        self._session.urgent = False
        if self.sending is not None:
            self.sending()

    def end(self, ending: Ending, detail: str) -> None:
        """It ends, and what it had to say is forgotten."""
        self.ending = ending
        self._session.inbox.clear()

    def later(self, job: Callable[[], Awaitable[None]]) -> None:
        """A job that the test ends."""
        self.busy = True

    def drained(self) -> None:
        """Count it."""
        self.drains += 1


class Turns:
    """The loop, and what was done: in which turn, by which client, and what it was. `Say` tells all who see
    its client, `Put` is seen by nobody and answered as steps are, `Probe` begins a job."""

    def __init__(self) -> None:
        self.world = plain_world(plain_content(width=96, height=96))
        self.network = Network(turn_ms=100.0)
        self.seconds = 0.0
        self.per_message = self.per_put = self.takes = 0.0
        self.links: dict[int, TurnLink] = {}
        self.deeds: list[tuple[int, int, object]] = []
        self.game = brook()
        self.table = self.game.doors["game"].table
        self.loop = Loop(
            self.world,
            network=lambda: self.network,
            joins_per_tick=lambda: 5,
            offer=lambda _, now: None,
            offer_due=lambda _: None,
            stopwatch=lambda: self.seconds,
        )
        say = self.table._entries.pop(Say.opcode)

        @self.table.on(Say, during=Phase.IN_WORLD)
        def heard(session: Session, packet: Say) -> None:
            self.note(session, packet.text.decode())
            say.handler(session, packet)

        @self.table.on(Probe, during=Phase.IN_WORLD)
        def probe(session: Session, packet: Probe) -> None:
            self.note(session, "probe")
            session.later(_nothing)

        self.table.on(Put, during=Phase.IN_WORLD, prompt=True)(self.put)

    def put(self, session: Session, packet: Put) -> None:
        """The handler of `Put`."""
        self.note(session, packet.x)
        self.seconds += self.per_put

    def note(self, session: Session, what: object) -> None:
        """Write down what happens now."""
        self.deeds.append((self.loop.stats.turns + 1, session.id, what))

    def join(self, number: int, at: tuple[int, int] = SQUARE) -> Session:
        """A client with a character that stands there and knows nobody yet."""
        door = self.game.doors["game"]
        session = door.session(
            number=number,
            family=self.game,
            door="game",
            peer="127.0.0.1",
            local="127.0.0.1:1",
            codec=door.codec(CodecArgs(Role.SERVER, lambda n: bytes(n))),
            services=None,  # type: ignore[arg-type] # no handler asks for any
        )
        session.link = self.links[number] = TurnLink(self, session)
        session.phase = Phase.IN_WORLD
        mobile = session.mobile = person(self.world, f"P{number}", *at)
        mobile.access = Access.COUNSELOR  # staff speak as much as they like
        session.viewport = self.world.open_viewport(mobile, number, self.game.view.sight(session))
        self.loop.sessions[number] = session
        return session

    def crowd(self, count: int, first: int = 1) -> list[Session]:
        """So many on one square, who have been shown one another."""
        sessions = [self.join(number) for number in range(first, first + count)]
        for session in sessions:
            self.loop.ready(session)
        self.turn()
        return sessions

    def says(self, session: Session, *packets: Packet) -> None:
        """Packets that have come."""
        for packet in packets:
            entry = self.table.entry(type(packet).opcode)
            assert entry is not None
            session.inbox.append((entry, packet, b""))
        self.loop.ready(session)

    def turn(self, takes: float = 0.0) -> list[tuple[int, object]]:
        """One turn, a tenth of a second after the last, that takes so long besides what is done in it; who
        did what."""
        self.takes = takes
        self.loop._wake = trio.Event()
        done = len(self.deeds)
        self.loop.turn(self.world.now + 0.1)
        self.takes = 0.0
        return [(number, what) for _, number, what in self.deeds[done:]]

    @property
    def hurries(self) -> bool:
        """Whether the last turn wants another at once."""
        return self.loop._wake.is_set()

    def all_turns(self, takes: float = 0.0, *, most: int = 1000) -> list[list[tuple[int, object]]]:
        """Turns until nothing waits any more."""
        turns: list[list[tuple[int, object]]] = []
        while any(session.inbox for session in self.loop.sessions.values()):
            turns.append(self.turn(takes))
            assert len(turns) <= most, "it does not end"
        return turns


async def _nothing() -> None:
    raise AssertionError("these jobs are not run")
