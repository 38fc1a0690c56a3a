"""The seam: everything a game hands to the server, in one record.

A *codec* turns bytes into frames and back, without I/O and without a clock. A *table* says which packets a
client may send, in which phases, and what happens then. A *view* renders what happens in the world as this
game's packets. This and its `Game`
(`protocol.game`) is all that is known of a game outside its folder.

Codec, doorman and view are protocols: a game derives from none of them, and keeps what it likes in its own.
(One class for each game that did all of this was not taken: a codec would then know the world, and could not
be fed recorded bytes alone.)
"""

from __future__ import annotations

import enum
from collections.abc import Awaitable, Callable, Collection, Hashable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, Self, TypeAlias, TypeVar, cast

import attrs

from protocol.session import Session

if TYPE_CHECKING:
    from protocol.carriers import Carrying
    from protocol.dispatch import Table
    from protocol.endings import Ending
    from protocol.outgoing import Outgoing
    from protocol.page import Page
    from protocol.rendering import Declared
    from protocol.requests import Request
    from protocol.wire.args import CodecArgs, Plain
    from protocol.wire.body import Body
    from world.audience import Relation
    from world.content import Content
    from world.events import Event, Why
    from world.item import Item
    from world.space import Sight
    from world.thing import Thing

S = TypeVar("S", bound=Session)
S_contra = TypeVar("S_contra", bound=Session, contravariant=True)
P = TypeVar("P")


class Transport(enum.Enum):
    """Kinds of sockets at which a door listens."""

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
        """Time at which `expire` wants to be called even if nothing happens; None: never."""

    @property
    def patience(self) -> float:
        """Seconds before which no deadline comes after `receive` and `outgoing`, if there was none before: to
        ask for it each time would cost more than it is worth. 0 if the codec cannot tell."""

    def expire(self, now: float) -> None:
        """Do what is due at the deadline: retransmit, keep alive, give up. Raises WireError."""

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
        """Numbers of the wire for the last log line of a connection; empty if there are none."""

    @property
    def controls(self) -> Collection[str]:
        """Methods by which handlers change it; their arguments are plain values. Where the codec is in
        another process than the handlers, what was called on their side is called there, with the same
        entropy."""

    def learnt(self) -> Plain:
        """All that handlers read of it and only what came can tell, as plain values."""

    def learn(self, learnt: Plain) -> None:
        """Take over what another codec of this client has `learnt`."""

    trace: Callable[[str], None] | None
    """Takes a line for each stage of what comes and goes, while somebody wants to read that."""

    @property
    def share_key(self) -> Hashable | None:
        """Clients with equal keys share the bytes of `prepare`."""

    def prepare(self, body: bytes) -> bytes:
        """The wire form as far as it does not depend on the single client."""


@attrs.frozen
class Knock:
    """Reaction of a doorman to a datagram. With a `codec` its sender has proven that it is where it says: a
    session begins, and the datagram is the first of it."""

    reply: bytes = b""
    codec: Codec | None = None


Address: TypeAlias = tuple[str, int]
"""Where a datagram comes from: host and port."""


class Doorman(Protocol):
    """Receives the datagrams of senders without a session at a door. Anybody can write any address on a
    datagram, so nothing but a bounded note is kept for an address before it has proven itself, and no more is
    sent there than came from there."""

    def concerns(self, address: Address, datagram: bytes) -> bool:
        """Whether `knock` is to be asked although the address has a session: a client begins anew there."""

    def knock(self, address: Address, datagram: bytes, now: float, codec: Codec | None) -> Knock | None:
        """Decide about a datagram; None: it is for the session that the address has (its `codec`), or for
        nobody."""

    @property
    def half_open(self) -> int:
        """Addresses that were answered and have not proven themselves yet."""


class View(Protocol[S_contra]):
    """View of the world in one game's packets. Every method is pure in the world: it reads, and returns
    messages.

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

    tells_own_steps: bool
    """Whether its `event` tells a player of a step that its own mobile took by itself. Where it tells
    nothing, for the client drew the step or was answered by a handler, it is not asked."""

    opens_corpses: bool
    """Whether this game's players have a way to look into a corpse. What they kill lets its things fall to
    the ground at once where they have none."""

    windows: frozenset[str]
    """Services ("shop", "vault", "journal", "chest", "board") for which this game's clients have windows of
    their own; without one the player is asked by dialogs."""

    @property
    def apart(self) -> Collection[Relation]:
        """The relations, besides SELF, that this game draws otherwise than OTHER: they are themselves the
        audience of such viewers. None of them costs nothing. Where a view has a `bystander` or an `onlooker`,
        viewers of the same guild and party are of one kind, and one of them is asked for all."""

    @property
    def bystander(self) -> Hashable | None:
        """The audience of a mobile for everybody to whom it is OTHER, where the game makes no difference
        between them: `audience` is then not asked for each of them. None where it does."""

    @property
    def onlooker(self) -> Hashable | None:
        """The same for all else that a mobile does and becomes, for everybody but its own player."""

    @property
    def unshown(self) -> int:
        """Flags of `world.delta` of what of a mobile is not told by `show`, but only when it changes."""

    @property
    def declared(self) -> Declared:
        """Declarations of everything this game shows and leaves out."""

    def sight(self, session: S_contra) -> Sight:
        """Field of view of this client."""

    def audience(self, session: S_contra, thing: Thing) -> Hashable:
        """Kind of viewer of `thing` that this client is; small values only."""

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Messages for a `thing` that came into sight."""

    def place(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Messages for a `thing` that this client has, and of which it may have missed where it went; `show`
        once more, for most."""

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Messages for a `thing` that went out of sight."""

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Messages for changed state of `thing`: `flags` of `world.delta`."""

    def event(self, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Messages for an event. One of a kind that the view does not know becomes a line of words."""

    def knows_content(self, session: S_contra, container: Item) -> bool:
        """Whether this client receives the contents of a container that is not its own mobile's."""

    def forget(self, session: S_contra, item: Item) -> bool:
        """Forget what this client knew of the contents of an item, which it loses from sight or is about to
        be shown anew. Returns whether it knew anything."""

    def moved(self, session: S_contra) -> None:
        """Send this client, whose own mobile came to another tile, what is neither thing nor event (scenery,
        maps)."""


AnyView: TypeAlias = "View[Session]"
"""A view of some game, as who holds it with its sessions sees it."""


@attrs.frozen
class Door:
    """One way into the server: the kind of its socket, its codec, and the table of packets that a client may
    send there."""

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

    @classmethod
    def of(
        cls,
        transport: Transport,
        codec: Callable[[CodecArgs], Codec],
        table: Table[S],
        session: type[S],
        *,
        opened: Callable[[S], Awaitable[None]] | None = None,
        doorman: Callable[[CodecArgs], Doorman] | None = None,
        typed: bool = True,
    ) -> Self:
        """A door of a game with a class of sessions of its own. The casts hold because a door makes its
        sessions itself, and its table is asked about no others."""
        own_table, own_opened = cast("Table[Session]", table), cast("_Opened", opened)
        return cls(transport, codec, own_table, session, own_opened, doorman, typed)


_Opened: TypeAlias = "Callable[[Session], Awaitable[None]] | None"


@attrs.frozen
class Family:
    """A game. `doors` are the keys of `[listen.<name>]` and of endpoints.json."""

    name: str
    doors: Mapping[str, Door]
    view: AnyView
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
    order_sign: str = "."
    """What its players type before an order to the server, as in lines that tell them of one."""
    numbers: Numbers = attrs.field(factory=dict)
    """By list and key: numbers by which its clients know kinds, those that were given before among them. The
    server writes them down before a client can be sent any."""
    carrying: Carrying | None = None
    """What its sessions take along into another world; None: they stay where they are."""
    renew: Callable[[AnyView], Adopt] | None = None
    """Prepares to take over all that another view of this game has compiled of new content; called in a
    thread of its own, and changes nothing. None if nothing is compiled."""

    @classmethod
    def of(
        cls,
        name: str,
        doors: Mapping[str, Door],
        view: View[S],
        goodbye: Callable[[S, str], None],
        *,
        problems: Sequence[str] = (),
        prepare: Callable[[], None] | None = None,
        requests: Callable[[], Iterable[Request]] = tuple,
        name_of: Callable[[S, bytes], str] | None = None,
        page: Page | None = None,
        order_sign: str = ".",
        numbers: Numbers | None = None,
        carrying: Carrying | None = None,
        renew: Callable[[P], Callable[[Sequence[S]], None]] | None = None,
    ) -> Self:
        """A game with a class of sessions of its own. The casts hold because its doors make no others."""
        return cls(
            name,
            doors,
            cast("AnyView", view),
            cast("Callable[[Session, str], None]", goodbye),
            problems,
            prepare,
            requests,
            cast("Callable[[Session, bytes], str] | None", name_of),
            page,
            order_sign,
            numbers or {},
            carrying,
            cast("Callable[[AnyView], Adopt] | None", renew),
        )


Numbers: TypeAlias = Mapping[str, Mapping[str, int]]
"""By list and key of a kind: its number there."""

Adopt: TypeAlias = Callable[[Sequence[Session]], None]
"""Takes over new tables in the world task, between two turns' changes, and queues for the sessions of that
game that are in the world what they have to be told of it."""

FamilyFactory: TypeAlias = Callable[["Content"], Family]
