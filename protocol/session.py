"""One connected client, as the rest of the program sees it: plain state, no tasks, no sockets."""

from __future__ import annotations

import enum
from collections import deque
from typing import TYPE_CHECKING, Final, Never, Protocol, TypeAlias, TypeVar, cast

from protocol.endings import Ending, Refused
from protocol.refusals import tell_refusal
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable, Sequence

    from protocol.dispatch import Entry, Interval
    from protocol.family import Codec, Family
    from protocol.services import AccountInfo, Services
    from protocol.wishes import Wish
    from world.mobile import Mobile
    from world.moments import Event
    from world.reach import Cannot, Refusal
    from world.space import Eyes
    from world.thing import Thing
    from world.timers import Timer
    from world.world import World


class Phase(enum.IntEnum):
    """How far a client has come. Ascending: what is legal, and for how long it may stay."""

    GREETING = 0
    """Connected; the handshake is not finished."""
    LOGIN = 1
    """A person is typing name and password."""
    MENU = 2
    """Authenticated: choosing, making, deleting characters."""
    ENTERING = 3
    """On the way into the world."""
    IN_WORLD = 4


ANY_PHASE = frozenset(Phase)
AUTHENTICATED = frozenset({Phase.MENU, Phase.ENTERING, Phase.IN_WORLD})


S_contra = TypeVar("S_contra", bound="Session", contravariant=True)


class Bound(Protocol[S_contra]):
    """A message that only its client can finish: it assigns and looks up that client's own ids."""

    droppable: bool

    def bind(self, session: S_contra) -> bytes:
        """The bytes for this client, none if it needs not be told. Called at flush, after shedding; must not
        change anything but what is kept of this client: its ids, and what it was sent last."""


Outgoing: TypeAlias = "Body | Bound[Never]"
"""What waits in an outbox. A view makes messages for sessions of its own game only, so whoever has one of
some game (`Never`: of any) asks the session to finish it."""


class Sendable(Protocol):
    """A packet before its bytes: a game may need the client's version to make them."""

    @property
    def droppable(self) -> bool:
        """Whether a slow client may lose it."""

    @property
    def secret(self) -> bool:
        """Whether it tells its receiver a key."""


class Encodable(Sendable, Protocol):
    """A packet whose bytes are the same for every client of its game."""

    def encode(self) -> bytes:
        """The whole message."""


class Link(Protocol):
    """The connection behind a session, as handlers may use it."""

    def flush(self, *, force: bool = False) -> None:
        """Send what is queued; with `force` it is all encoded now, whatever the socket takes."""

    def end(self, ending: Ending, detail: str) -> None:
        """End this client; the first ending counts."""

    def later(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job in the client's task group; no further frame is decoded until it ends."""

    @property
    def busy(self) -> bool:
        """Whether a job runs, for whose end the inbox has to wait."""

    def drained(self) -> None:
        """Something was taken from the inbox."""


RECENT_FRAMES = 200
"""How many packets of a client a crash report tells."""


NEVER_DONE: Final = float("-inf")

ROUNDING: Final = 1e-6
"""Seconds by which sums of intervals may be wrong."""


class Session:
    """A client's state. Games derive their own and add what only they know.

    `known` is what the client believes to see, by serial. The turn changes it as it shows and removes things,
    and so does a handler whose answer itself shows or removes one (EO's items on the ground). `loading` keeps
    the world away from a client that is not ready to draw it.
    """

    # Without slots each session of a game would own a dictionary of some forty entries (Python shares keys
    # among at most thirty), and a turn touches every session.
    __slots__ = (
        "account",
        "blind",
        "claimed",
        "clock",
        "codec",
        "dialect",
        "door",
        "eyes",
        "family",
        "forwarded",
        "hang_up_means",
        "id",
        "ignored",
        "inbox",
        "known",
        "last_heard",
        "link",
        "listener",
        "loading",
        "local",
        "mobile",
        "outbox",
        "paced",
        "peer",
        "phase",
        "postponed",
        "recent",
        "services",
        "unmet",
    )

    def __init__(
        self,
        *,
        number: int,
        family: Family,
        door: str,
        peer: str,
        local: str,
        codec: Codec,
        services: Services,
    ) -> None:
        self.id = number
        self.family = family
        self.door = door
        self.peer = peer
        """Address of the client, without port."""
        self.local = local
        """Address and port the client connected to."""
        self.listener = family.name
        """The table in config.toml whose door it came through."""
        self.forwarded = False
        """Whether somebody stands between who speaks for others: then its client is a stranger whatever its
        address."""
        self.codec = codec
        self.services = services
        self.link: Link = NO_LINK
        self.phase = Phase.GREETING
        self.clock: Timer | None = None
        """Runs at the next full hour, see `protocol.hours`."""
        self.dialect: Hashable = None
        self.unmet: dict[Wish | Refusal, float] = {}
        """What was asked for and cannot be, and until when its player is not told so again."""
        self.inbox: deque[tuple[Entry[Session], object]] = deque()
        self.paced: dict[Interval, float] = {}
        """When the next of what may not be done too often would be due, if its client had spread them
        evenly."""
        self.outbox: list[Outgoing] = []
        self.account: AccountInfo | None = None
        self.claimed = False
        """Whether it is the one session that plays its account; only that one has to do with characters."""
        self.mobile: Mobile | None = None
        self.eyes: Eyes | None = None
        self.known: dict[int, Thing] = {}
        self.loading = False
        self.blind = True
        """Whether it has not been shown its surroundings since it entered or loaded; the turn does that."""
        self.postponed: deque[Event] = deque(maxlen=64)
        """What was meant for it while it was loading."""
        self.hang_up_means = Ending.CONNECTION_LOST
        """How it ends if the client closes the connection now: a lost one, unless it said goodbye before."""
        self.last_heard = 0.0
        self.recent: deque[bytes] = deque(maxlen=RECENT_FRAMES)
        """The last frames that came (of long ones the beginning), in case one of them ends the server."""
        self.ignored = 0
        """Packets that came in a phase in which they mean nothing any more."""
        self.begin()

    def begin(self) -> None:
        """Set what only a game's own sessions have; called once, when everything else is set."""

    @property
    def playing(self) -> Mobile | None:
        """The mobile that this client may act with now: none while it loads, or once another client has taken
        its character over: it is heard until it is gone, and means nothing by then."""
        return None if self.loading else self.mobile

    @property
    def world(self) -> World:
        """The world; for WORLD handlers and calls inside `services.in_world` only."""
        return self.services.world

    def send(self, *packets: Sendable) -> None:
        """Queue packets; they leave with the next flush."""
        for packet in packets:
            self.outbox.append(Body(self.encoded(packet), droppable=packet.droppable, secret=packet.secret))

    def encoded(self, packet: Sendable) -> bytes:
        """The bytes of one of the game's packets. A game whose packets need the client's version for that
        overrides this."""
        return cast("Encodable", packet).encode()

    def queue(self, *messages: Outgoing) -> None:
        """Queue messages that are encoded already, or that are bound at flush."""
        self.outbox.extend(messages)

    def finished(self, messages: Sequence[Outgoing]) -> list[bytes]:
        """The bytes of messages for this client; those it needs not be told are left out. A game overrides
        this where one kind of message is most of what it sends."""
        return [
            raw
            for message in messages
            if (raw := message.raw if type(message) is Body else message.bind(self))  # type: ignore[arg-type, union-attr] # it is no Body
        ]

    def due(self, interval: Interval) -> float:
        """When what has that interval may be done next: a moment that has passed, if at once."""
        evenly = self.paced.get(interval, NEVER_DONE)
        return evenly - (interval.burst - 1) * interval.seconds - ROUNDING

    def does(self, interval: Interval, now: float) -> None:
        """Count that it is done now."""
        self.paced[interval] = max(self.paced.get(interval, NEVER_DONE), now) + interval.seconds

    def flush(self) -> None:
        """Encode all that is queued under the keys of now; for handlers that change keys."""
        self.link.flush(force=True)

    def end(self, ending: Ending, detail: str = "") -> None:
        """End this client; what is queued is still sent."""
        self.link.end(ending, detail)

    def refuse(self, refusal: Refused) -> None:
        """Say the farewell of a refusal, in packets of this session's own game, and end."""
        self.send(*refusal.farewell)  # type: ignore[arg-type]
        self.end(refusal.ending, str(refusal))

    def refuse_wish(self, mobile: Mobile, cannot: Cannot) -> None:
        """Tell its player why the world refuses what it asked for: in words, where a game has nothing of its
        own."""
        tell_refusal(mobile, cannot)

    def later(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run an async job for a WORLD handler; the client's next frame waits for it."""
        self.link.later(job)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.id} {self.family.name} {self.phase.name}>"


class _NoLink:
    """Stands in before a connection takes the session."""

    busy = False

    def flush(self, *, force: bool = False) -> None:
        return

    def end(self, ending: Ending, detail: str) -> None:
        return

    def later(self, job: Callable[[], Awaitable[None]]) -> None:
        raise RuntimeError("this session has no connection")

    def drained(self) -> None:
        return


NO_LINK = _NoLink()
"""What a session has before a connection takes it and after it ended."""
