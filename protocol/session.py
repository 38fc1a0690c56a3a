"""Sessions: the state of one connected client, as the rest of the program sees it: no tasks, no sockets.

A session is what handlers, views and the turn have in common. The connection behind it (`Link`) and the
server (`protocol.services`) are protocols, so a test makes a session without either. What is to be sent waits
in the outbox as messages and not as bytes: messages of a slow client can still be dropped, and one for many
clients is encoded once. Sending at once was not taken for these reasons, and because all of a turn then
leaves in one system call.
"""

from __future__ import annotations

import enum
from collections import deque
from typing import TYPE_CHECKING, Final, Protocol, cast

from protocol.endings import Ending, Refused
from protocol.outgoing import Outgoing as Outgoing  # noqa: TC001 # views name it beside Session
from protocol.refusals import tell_refusal
from protocol.wire.body import Body
from world.events import Said
from world.knowledge import Known

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Hashable, Sequence

    from protocol.dispatch import Entry, Interval
    from protocol.family import Codec, Family
    from protocol.outgoing import Part, Sendable, Share
    from protocol.services import AccountInfo, Services
    from world.events import Event
    from world.mobile import Mobile, Viewport
    from world.reach import Cannot
    from world.timers import Timer
    from world.world import World


class Phase(enum.IntEnum):
    """Progress of a client. Ascending: it decides which packets are legal, and for how long the client may
    stay."""

    GREETING = 0
    """Connected; the handshake is not finished."""
    LOGIN = 1
    """A person is typing name and password."""
    MENU = 2
    """Authenticated: choosing, making, deleting characters."""
    ENTERING = 3
    """On the way into the world."""
    IN_WORLD = 4

    __hash__ = int.__hash__  # asked with each packet: see Relation


ANY_PHASE = frozenset(Phase)
AUTHENTICATED = frozenset({Phase.MENU, Phase.ENTERING, Phase.IN_WORLD})


MOST_POSTPONED: Final = 256
"""Events that wait for a client that is loading: all members of a full guild and as many friends may come
meanwhile, as they do after a restart of the server, and more."""


class Postponed(deque["Event"]):
    """Events for a client that is loading, which it receives afterwards: the newest, and none that a later
    one replaces. Where there are too many, words go first: a window that misses what became of a party, a
    guild or a trade would show it otherwise from then on."""

    def append(self, event: Event, /) -> None:
        """Add an event, and drop those that it replaces."""
        for older in [one for one in self if event.replaces(one)]:
            self.remove(older)
        if len(self) == self.maxlen:
            words = next((place for place, one in enumerate(self) if isinstance(one, Said)), None)
            if words is not None:
                del self[words]
        super().append(event)


class Multicast(Protocol):
    """A way to many clients of a game whose sockets are in another process."""

    def cast(self, messages: Sequence[Outgoing], clients: list[int], *, waits: bool) -> bool:
        """Say at once what all of these are sent, each by its number there; False, with nothing said, if not
        all messages are the same for everybody. `waits`: whether it may wait for more."""

    def share(self, share: Share, *, waits: bool) -> None:
        """The same of what each of them is sent with a number of its own."""

    def push(self) -> None:
        """Have what was said so far leave at once."""


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
        """Note that something was taken from the inbox."""


RECENT_FRAMES = 200
"""How many packets of a client a crash report tells."""


NEVER_DONE: Final = float("-inf")

ROUNDING: Final = 1e-6
"""Seconds by which sums of intervals may be wrong."""


class Session:
    """A client's state. Games derive their own and add what only they know.

    `known` is what the client believes to see, by serial. The turn changes it as it shows and removes things,
    and so does a handler whose answer itself shows or removes one (EO's items on the ground). `loading` keeps
    the world away from a client that is not ready to draw it. The `inbox` holds packets that wait for the
    world, with their frames.
    """

    # Without slots each session of a game would own a dictionary of some forty entries (Python shares keys
    # among at most thirty), and a turn touches every session.
    __slots__ = (
        "account",
        "blind",
        "claimed",
        "client",
        "clock",
        "codec",
        "dialect",
        "door",
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
        "multicast",
        "outbox",
        "paced",
        "peer",
        "phase",
        "postponed",
        "recent",
        "sent_at",
        "services",
        "unmet",
        "unsent",
        "urgent",
        "viewport",
    )

    multicast: Multicast | None
    """By which a client that plays is told what others are told, too, while nothing is in its outbox. None:
    its socket is here."""
    client: int
    """Its number there."""
    urgent: bool
    """Whether something in the outbox says more than where others go, so that it does not wait for more
    (`server.turn.coalescing`)."""
    sent_at: float
    """Monotonic time at which a turn last sent it something."""
    ignored: int
    """Packets that came in a phase in which they mean nothing any more."""
    unmet: dict[enum.Enum, float]
    """Until which world time its player is not told again that something cannot be: by the wish
    (`protocol.wishes.Wish`) or the refusal (`world.reach.Refusal`)."""

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
        self.unmet = {}
        self.inbox: deque[tuple[Entry[Session], object, bytes]] = deque()
        self.paced: dict[Interval, float] = {}
        """When the next of what may not be done too often would be due, if its client had spread them
        evenly."""
        self.outbox: list[Outgoing] = []
        self.urgent, self.sent_at = False, NEVER_DONE
        self.multicast = None
        self.client = 0
        self.account: AccountInfo | None = None
        self.claimed = False
        """Whether it is the one session that plays its account; only that one has to do with characters."""
        self.mobile: Mobile | None = None
        self.viewport: Viewport | None = None
        self.known = Known(number)
        self.unsent: set[int] = set()
        """Serials of what is shown by messages in the outbox: whatever stands before these is read while it
        is not known yet."""
        self.loading = False
        self.blind = True
        """Whether it has not been shown its surroundings since it entered or loaded; the turn does that."""
        self.postponed: deque[Event] = Postponed(maxlen=MOST_POSTPONED)
        """What was meant for it while it was loading."""
        self.hang_up_means = Ending.CONNECTION_LOST
        """How it ends if the client closes the connection now: a lost one, unless it said goodbye before."""
        self.last_heard = 0.0
        self.recent: deque[bytes] = deque(maxlen=RECENT_FRAMES)
        """The last frames that came (of long ones the beginning), in case one of them ends the server."""
        self.ignored = 0
        self.begin()

    def begin(self) -> None:
        """Set what only a game's own sessions have; called once, when everything else is set."""

    @property
    def playing(self) -> Mobile | None:
        """The mobile that this client may act with now: None while it loads, or once another client has taken
        its character over. Such a client is heard until it is gone, and its packets mean nothing."""
        return None if self.loading else self.mobile

    @property
    def world(self) -> World:
        """The world; for WORLD handlers and calls inside `services.in_world` only."""
        return self.services.world

    def send(self, *packets: Sendable) -> None:
        """Queue packets; they leave with the next flush."""
        self.urgent = True
        for packet in packets:
            self.outbox.append(Body(self.encoded(packet), droppable=packet.droppable, secret=packet.secret))

    def encoded(self, packet: Sendable) -> bytes:
        """The bytes of one of the game's packets. A game whose packets need the client's version for that
        overrides this."""
        return packet.encode()  # type: ignore[attr-defined, no-any-return] # such a game overrides this

    def queue(self, *messages: Outgoing) -> None:
        """Queue messages that are encoded already, or that are bound at flush."""
        self.urgent = True
        self.outbox.extend(messages)

    def finished(self, messages: Sequence[Outgoing]) -> list[bytes]:
        """Bytes of messages for this client; messages that it does not need are left out. A game overrides
        this where one kind of message is most of what it sends."""
        return [
            raw
            for message in messages
            if (raw := message.raw if type(message) is Body else cast("bytes", message.bind(self)))  # type: ignore[arg-type, union-attr] # it is no Body
        ]

    def parted(self, messages: Sequence[Outgoing], numbers: list[bytes]) -> list[Part]:
        """The same as `finished`, for a codec in another process: parts that clients share. `numbers` takes
        what belongs into those that have a gap, in their order. Who overrides `finished` overrides this."""
        parts: list[Part] = []
        for message in messages:
            if isinstance(message, Body):
                parts.append(message)
            elif made := message.bind(self):  # type: ignore[arg-type] # a view makes them for its own game
                parts.append(made if isinstance(made, Body) else (made, message.droppable))
        return parts

    def due(self, interval: Interval) -> float:
        """Monotonic time at which the next act of that interval may be done; one that has passed, if at
        once."""
        evenly = self.paced.get(interval, NEVER_DONE)
        return evenly - (interval.burst - 1) * interval.seconds - ROUNDING

    def does(self, interval: Interval, now: float) -> None:
        """Count an act of that interval, done at the time `now`."""
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
        """Send its player the reason why the world refuses a request: in words, unless the game has its own
        way."""
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
