"""The seam: everything a game hands to the server, in one record.

A *codec* turns bytes into frames and back, without I/O and without a clock. A *table* says which packets a
client may send, in which phases, and what happens then. A *view* renders what happens in the world as this
game's packets. Nothing else of a game is known outside its folder.
"""

from __future__ import annotations

import enum
import inspect
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeAlias, TypeVar

import attrs

from protocol.session import Phase, Session

if TYPE_CHECKING:
    from protocol.endings import Ending
    from protocol.page import Page
    from protocol.rendering import Declared
    from protocol.requests import Request
    from protocol.session import Outgoing
    from protocol.wire.args import CodecArgs
    from protocol.wire.body import Body
    from world.audience import Relation
    from world.content import Content
    from world.item import Item
    from world.moments import Event, Why
    from world.space import Sight
    from world.thing import Thing

S = TypeVar("S", bound=Session)
P = TypeVar("P")


class Transport(enum.Enum):
    """What a door listens on."""

    STREAM = "stream"
    DATAGRAM = "datagram"
    MESSAGE = "message"


class Codec(Protocol):
    """One client's bytes. `now` is seconds of a monotonic clock, given by the caller."""

    def receive(self, data: bytes | memoryview, now: float) -> None:
        """Take what arrived: bytes of a stream, or one datagram. Raises WireError."""

    def next_frame(self) -> bytes | None:
        """The next whole, decrypted message. Lazy: keys may change between two frames of one chunk. Raises
        WireError."""

    def send(self, body: Body) -> None:
        """Queue one message."""

    def send_many(self, bodies: Iterable[Body]) -> None:
        """Queue messages: `send` for each."""

    def send_raw(self, messages: Sequence[bytes]) -> None:
        """Queue messages of which nothing can be shared; only a codec without a share key is asked to."""

    def outgoing(self, now: float) -> list[bytes]:
        """Whole frames to put on the wire now; a stream joins them, a datagram transport sends each."""

    def deadline(self) -> float | None:
        """When `expire` wants to be called even if nothing happens."""

    @property
    def patience(self) -> float:
        """After `receive` and `outgoing` no deadline is nearer than so many seconds, if it was not before: to
        ask for it each time would cost more than what it is for. 0 if one cannot tell."""

    def expire(self, now: float) -> None:
        """That moment came: retransmit, keep alive, give up (WireError)."""

    @property
    def pending(self) -> bool:
        """Whether `outgoing` has anything, be it the codec's own words (a handshake, an acknowledgement)."""

    @property
    def peer_closed(self) -> bool:
        """Whether the peer closed the connection in the wire's own words (a WebSocket does)."""

    @property
    def clogged(self) -> bool:
        """Whether what was sent before still waits for the peer. Messages are then better kept, where they
        can be shed."""

    def close(self, ending: Ending) -> None:
        """Say goodbye in the wire's own words, if it has any, after what was sent before."""

    @property
    def closed(self) -> bool:
        """Whether all that was said before `close` arrived, as far as the wire tells, and the goodbye was
        handed out."""

    @property
    def report(self) -> str:
        """What the last log line of a connection tells of its wire; empty if there is nothing to tell."""

    trace: Callable[[str], None] | None
    """Takes a line for each stage of what comes and goes, while somebody wants to read that."""

    @property
    def share_key(self) -> Hashable | None:
        """Clients with equal keys share the bytes of `prepare`."""

    def prepare(self, body: bytes) -> bytes:
        """The wire form as far as it does not depend on the single client."""


@attrs.frozen
class Knock:
    """What a doorman does about a datagram. With a `codec` its sender has proven that it is where it says: a
    session begins, and the datagram is the first of it."""

    reply: bytes = b""
    codec: Codec | None = None


Address: TypeAlias = tuple[str, int]
"""Where a datagram comes from: host and port."""


class Doorman(Protocol):
    """Meets whoever has no session at a door of datagrams. Anybody can write any address on a datagram, so
    nothing but a bounded note is kept for an address before it has proven itself, and no more is sent there
    than came from there."""

    def concerns(self, address: Address, datagram: bytes) -> bool:
        """Whether `knock` is to be asked although the address has a session: somebody begins anew there."""

    def knock(self, address: Address, datagram: bytes, now: float, codec: Codec | None) -> Knock | None:
        """What to do; None: it is for the session that the address has (its `codec`), or for nobody."""

    @property
    def half_open(self) -> int:
        """Addresses that were answered and have not proven themselves yet."""


class Where(enum.Enum):
    """Where a packet's handler runs."""

    HERE = "in the client's own task, before the next frame is decoded"
    WORLD = "in the world task, in the next turn"


Handler: TypeAlias = Callable[[S, P], Awaitable[None] | None]


@attrs.frozen(eq=False)
class Interval:
    """How often one client may have something done: once in so many seconds in the long run, and `burst`
    times at once after a pause. Rows that share an interval share what it allows.

    What comes sooner is neither lost nor overtaken: it waits in its place for its time, and what its client
    says after it waits behind it, whatever that is. A client that sends faster than that is read no more
    once its inbox is full.

    `coalesced`: it asks for what is so now, or names a goal that replaces the one before it, so that to do
    it twice in a row is to do it once. Of such that come too soon and with nothing else between them only the
    newest is done. Whatever is not that is an act, and every act counts.
    """

    seconds: float = attrs.field(validator=attrs.validators.gt(0))
    burst: int = attrs.field(default=1, validator=attrs.validators.ge(1))
    coalesced: bool = False


@attrs.frozen
class Entry(Generic[S]):
    """One row of a table."""

    opcode: int
    name: str
    packet: type
    decode: Callable[[bytes], object]
    phases: frozenset[Phase]
    where: Where
    handler: Callable[[S, object], Awaitable[None] | None]
    secret: bool | Callable[[object], bool] = False
    """Whether it carries a password, or which of its kind may: those contents are written nowhere."""

    interval: Interval | Callable[[object], Interval | None] | None = None
    """How often one client may send it, or how often which of its kind; None: as often as it likes."""

    @property
    def every(self) -> float:
        """Seconds that have to lie between two of one client; 0 if none do, or if it depends on the
        packet."""
        return self.interval.seconds if isinstance(self.interval, Interval) else 0.0

    def interval_of(self, packet: object) -> Interval | None:
        """How often one client may send such a packet."""
        interval = self.interval
        return interval if interval is None or isinstance(interval, Interval) else interval(packet)

    def shown(self, contents: object) -> str:
        """A packet or frame of this kind as a log may show it."""
        if self.hides(contents):
            return f"{self.name} (not shown: it carries a password)"
        return contents.hex() if isinstance(contents, bytes) else repr(contents)

    def hides(self, contents: object) -> bool:
        """Whether a packet or frame of this kind may carry a password."""
        if isinstance(self.secret, bool):
            return self.secret
        try:
            return self.secret(self.decode(contents) if isinstance(contents, bytes) else contents)
        except Exception:
            return True  # this is asked while an error is being reported: what cannot be read is not shown


class Table(Generic[S]):
    """Opcode -> packet class, legal phases, where it runs, handler.

    `opcode_of_frame` reads the opcode of a frame, `opcode_of_class` that of a packet class, `decode` turns a
    frame into a packet of a class (WireError if it cannot). `tolerant`: an unknown opcode is logged and
    skipped instead of ending the client. `name_of_frame`: what the game calls a packet nobody handles.
    """

    def __init__(
        self,
        *,
        opcode_of_frame: Callable[[bytes], int],
        opcode_of_class: Callable[[type], int],
        decode: Callable[[type], Callable[[bytes], object]],
        tolerant: bool = False,
        name_of_frame: Callable[[bytes], str] | None = None,
    ) -> None:
        self._name_of_frame = name_of_frame
        self.opcode_of_frame = opcode_of_frame
        self.tolerant = tolerant
        self._opcode_of_class = opcode_of_class
        self._decode = decode
        self._entries: dict[int, Entry[S]] = {}

    def on(
        self,
        packet: type[P],
        *,
        during: Phase | frozenset[Phase],
        secret: bool | Callable[[P], bool] = False,
        every: float | Interval | Callable[[P], Interval | None] = 0.0,
    ) -> Callable[[Callable[[S, P], Awaitable[None] | None]], Callable[[S, P], Awaitable[None] | None]]:
        """Register a handler. An `async def` runs HERE, a plain `def` in the WORLD task. `secret`: the packet
        carries a password, or which of its kind may. `every`: how often one client may send it, for what
        costs by the crowd; a number is that of an `Interval` without bursts, a function tells it by the
        packet. Raises ValueError if the packet has a handler already, or if a HERE packet is to be coalesced:
        each of these is awaited before the next is read."""
        interval = Interval(every) if isinstance(every, int | float) and every else every or None

        def register(
            handler: Callable[[S, P], Awaitable[None] | None],
        ) -> Callable[[S, P], Awaitable[None] | None]:
            where = Where.HERE if inspect.iscoroutinefunction(handler) else Where.WORLD
            if where is Where.HERE and isinstance(interval, Interval) and interval.coalesced:
                raise ValueError(f"{packet.__name__} is handled before the next is read: nothing to coalesce")
            self._add(
                Entry(
                    self._opcode_of_class(packet),
                    packet.__name__,
                    packet,
                    self._decode(packet),
                    during if isinstance(during, frozenset) else frozenset({during}),
                    where,
                    handler,  # type: ignore[arg-type] # the decoder of `packet` yields what its handler takes
                    secret,  # type: ignore[arg-type] # as with the handler
                    interval,  # type: ignore[arg-type] # likewise
                )
            )
            return handler

        return register

    def on_raw(
        self,
        opcode: int,
        name: str,
        handler: Callable[[S, bytes], None],
        *,
        during: Phase | frozenset[Phase],
    ) -> None:
        """Register a handler of a packet that nothing here reads: it gets the frame, in the WORLD task.
        Raises ValueError if the opcode has a handler already."""
        phases = during if isinstance(during, frozenset) else frozenset({during})
        self._add(Entry(opcode, name, bytes, bytes, phases, Where.WORLD, handler))  # type: ignore[arg-type] # frames are what it takes

    def _add(self, entry: Entry[S]) -> None:
        other = self._entries.setdefault(entry.opcode, entry)
        if other is not entry:
            raise ValueError(f"opcode {entry.opcode:#x} already has a handler: {other.name}")

    def entry(self, opcode: int) -> Entry[S] | None:
        """The row of an opcode, None if it is unknown."""
        return self._entries.get(opcode)

    def unknown(self, frame: bytes) -> str:
        """What a log says of a frame that has no row."""
        if self._name_of_frame is not None:
            return f"unknown packet {self._name_of_frame(frame)}"
        return f"unknown opcode {self.opcode_of_frame(frame):#06x}"

    def __iter__(self) -> Iterator[Entry[S]]:
        return iter(sorted(self._entries.values(), key=lambda entry: entry.opcode))


class View(Protocol):
    """How one game shows the world. Every method is pure in the world: it reads, and returns messages.

    `audience` names what differs between viewers of one thing (SELF, OTHER, a relation that the game draws
    apart, and what the game shows per viewer); the others are called once per (dialect, audience) and their
    messages shared by all such viewers.
    """

    gait_ms: tuple[int, int]
    """Milliseconds this game's clients take for a tile, walking and running."""

    loads_on_warp: bool
    """Whether a client whose own mobile was warped has to load first: the turn sets `session.loading` after
    the Warped effect, and the game's handler clears it when the client is ready."""

    forgets_by_loading: bool
    """Whether a client that loads forgets by itself all that it saw; where it does not, it is told that all
    is gone. Without meaning if none loads."""

    @property
    def apart(self) -> Collection[Relation]:
        """The relations, besides SELF, that this game draws otherwise than OTHER: they are themselves the
        audience of such viewers. None of them costs nothing."""

    @property
    def bystander(self) -> Hashable | None:
        """The audience of a mobile for everybody to whom it is OTHER, where the game makes no difference
        between them: `audience` is then not asked for each of them. None where it does."""

    @property
    def declared(self) -> Declared:
        """What this game shows and what it leaves out."""

    def sight(self, session: Session) -> Sight:
        """How far this client sees."""

    def audience(self, session: Session, thing: Thing) -> Hashable:
        """What kind of viewer of `thing` this client is; small values only."""

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`thing` came into sight, or has to be placed anew."""

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`thing` went out of sight."""

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """State of `thing` changed: `flags` of `world.delta`."""

    def effect(self, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Something happened that is not state. Of a kind that the view does not know it says so in
        words."""

    def knows_content(self, session: Session, container: Item) -> bool:
        """Whether this client is told what is in a container that is not its own mobile's."""

    def forget(self, session: Session, item: Item) -> bool:
        """This client loses an item from sight, or is about to be shown it anew: what it knew of what is in
        it counts no more. Returns whether it knew anything."""

    def moved(self, session: Session) -> None:
        """This client's own mobile came to another tile: send what is neither thing nor moment (scenery,
        maps)."""


@attrs.frozen
class Door:
    """One way in: what it listens on, how its bytes are read, what a client may send there."""

    transport: Transport
    codec: Callable[[CodecArgs], Codec]
    table: Table[Session]
    session: type[Session] = Session
    opened: Callable[[Session], Awaitable[None]] | None = None
    """Who speaks first: awaited in the client's task right after accept."""
    doorman: Callable[[CodecArgs], Doorman] | None = None
    """Of a door of datagrams."""
    typed: bool = True
    """Whether people type name and password here. Where they come with a key instead, the time of the
    handshake is all they have to show it."""


@attrs.frozen
class Family:
    """A game. `doors` are the keys of `[listen.<name>]` and of endpoints.json."""

    name: str
    doors: Mapping[str, Door]
    view: View
    goodbye: Callable[[Session, str], None]
    """Queue this game's farewell: the server shuts down, or this client is kicked, for the reason given."""
    problems: Sequence[str] = ()
    """What `causeway check` has to say about this game's part of data/."""
    prepare: Callable[[], None] | None = None
    """What takes long and has to be done before the first client comes: a server calls it before it listens,
    in a thread of its own."""
    requests: Callable[[], Iterable[Request]] = tuple
    """Everything that its clients are known to send, and what comes of each; for the page of it."""
    name_of: Callable[[Session, bytes], str] | None = None
    """What a message for this client is called, for the operators' numbers; without it they get its first
    byte."""
    page: Page | None = None
    """What the page around a game in the browser asks of it; None of all other games."""


FamilyFactory: TypeAlias = Callable[["Content"], Family]
