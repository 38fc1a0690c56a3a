"""Two toy games that prove the seam where real games stretch it.

*Brook* is a stream game in the manner of Conquer Online: even the header is encrypted, and the key changes in
mid-stream, so that the next message, in the same chunk, must be decrypted with the new key. *Pebble* is a
datagram game in the manner of EverQuest II: numbered messages, acknowledgements, retransmission by deadline.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import trio

from protocol.dispatch import Table
from protocol.endings import WireError
from protocol.family import Codec, Door, Family, Transport
from protocol.rendering import FLAGS, KINDS, LeftOut, Renderings, Shown
from protocol.session import Phase, Session
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from protocol.wire.declare import Header, Packet, packet
from protocol.wire.fields import U8, U16, U32, Tail
from protocol.wire.framer import LengthFramer
from protocol.wire.stream import StreamCodec
from world import motion, speech
from world.delta import MobileDelta, flags_of
from world.events import (
    Event,
    Jumped,
    Said,
    Stepped,
    Warped,
    Why,
)
from world.mobile import Access, Mobile
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterable, Sequence

    from protocol.outgoing import Outgoing
    from world.audience import Relation
    from world.item import Item
    from world.thing import Thing
    from world.world import World


def _head(opcode: int) -> Header:
    return Header(bytes([opcode]))


@packet(1, header=_head(1))
class Hello(Packet):
    """The client names itself."""

    name: Tail


@packet(2, header=_head(2), length=2)
class Rekey(Packet):
    """What the client sends from here on is under this key."""

    key: U8


@packet(3, header=_head(3), length=2)
class Step(Packet):
    """Go one tile."""

    heading: U8


@packet(4, header=_head(4))
class Say(Packet):
    """Say something."""

    text: Tail


@packet(5, header=_head(5), length=1)
class Probe(Packet):
    """For tests that bring a handler of their own."""


@packet(6, header=_head(6), length=1)
class Nudge(Packet):
    """Another one."""


@packet(10, header=_head(10), length=5)
class Welcome(Packet):
    """The client's own serial."""

    serial: U32


@packet(11, header=_head(11), length=9)
class Show(Packet):
    """Something is there."""

    serial: U32
    x: U16
    y: U16


@packet(12, header=_head(12), length=6)
class Hide(Packet):
    """Something is gone."""

    serial: U32
    why: U8


@packet(13, header=_head(13), length=6)
class Stepping(Packet):
    """Something went one tile."""

    serial: U32
    heading: U8


@packet(14, header=_head(14))
class Heard(Packet):
    """Somebody said something."""

    serial: U32
    text: Tail


@packet(15, header=_head(15), length=7)
class Hits(Packet):
    """How somebody fares."""

    serial: U32
    hits: U16


@packet(16, header=_head(16), length=5)
class Put(Packet):
    """The client stands elsewhere."""

    x: U16
    y: U16


SERVER_PACKETS = {cls.opcode: cls for cls in (Welcome, Show, Hide, Stepping, Heard, Hits, Put)}

WHYS = list(Why)


class Brook(StreamCodec):
    """u16 length, then the message; every byte, header included, XORed with key + position."""

    peer_closed = False

    def __init__(self, args: CodecArgs) -> None:
        self._framer = LengthFramer(
            width=2,
            extra=2,
            smallest=3,
            largest=1024,
            read_length=lambda raw: int.from_bytes(raw, "big"),
            decrypt=self._decrypt,
        )
        self.key_in = self.key_out = 0
        self._at_in = self._at_out = 0
        self._queue: list[bytes] = []

    def receive(self, data: bytes | memoryview, now: float) -> None:
        self._framer.feed(data)

    def next_frame(self) -> bytes | None:
        frame = self._framer.next()
        return frame[2:] if frame is not None else None

    def send(self, body: Body) -> None:
        plain = body.form(self)
        self._queue.append(bytes((b ^ self.key_out ^ (self._at_out + i)) & 0xFF for i, b in enumerate(plain)))
        self._at_out += len(plain)

    def send_many(self, bodies: Iterable[Body]) -> None:
        for body in bodies:
            self.send(body)

    @property
    def pending(self) -> bool:
        return bool(self._queue)

    def outgoing(self, now: float) -> list[bytes]:
        queue, self._queue = self._queue, []
        return queue

    def deadline(self) -> float | None:
        return None

    def expire(self, now: float) -> None:
        return

    @property
    def share_key(self) -> Hashable | None:
        return "brook"

    def prepare(self, body: bytes) -> bytes:
        return len(body).to_bytes(2, "big") + body

    def _decrypt(self, data: bytes) -> bytes:
        plain = bytes((b ^ self.key_in ^ (self._at_in + i)) & 0xFF for i, b in enumerate(data))
        self._at_in += len(data)
        return plain


class Pebble(StreamCodec):
    """Datagrams of u32 number, u32 acknowledged, message; number 0 is a bare acknowledgement.

    A message is sent again every `AGAIN` seconds until it is acknowledged, and delivered once and in order.
    """

    peer_closed = False
    AGAIN = 0.2
    TRIES = 50

    def __init__(self, args: CodecArgs) -> None:
        self._next_out = 1
        self._unacknowledged: dict[int, bytes] = {}
        self._sent_at = 0.0
        self._tries = 0
        self._fresh: list[int] = []
        self._next_in = 1
        self._early: dict[int, bytes] = {}
        self._frames: list[bytes] = []
        self._owe = False

    def receive(self, data: bytes | memoryview, now: float) -> None:
        if len(data) < 8:
            raise WireError("short datagram")
        number, acknowledged = struct.unpack_from(">II", data)
        for key in [key for key in self._unacknowledged if key <= acknowledged]:
            del self._unacknowledged[key]
            self._tries = 0
        if number:
            self._owe = True
            if number >= self._next_in:
                self._early[number] = bytes(data[8:])
            while self._next_in in self._early:
                self._frames.append(self._early.pop(self._next_in))
                self._next_in += 1

    def next_frame(self) -> bytes | None:
        return self._frames.pop(0) if self._frames else None

    def send(self, body: Body) -> None:
        self._unacknowledged[self._next_out] = body.form(self)
        self._fresh.append(self._next_out)
        self._next_out += 1

    def send_many(self, bodies: Iterable[Body]) -> None:
        for body in bodies:
            self.send(body)

    @property
    def pending(self) -> bool:
        return bool(self._fresh) or self._owe

    def outgoing(self, now: float) -> list[bytes]:
        head = self._next_in - 1
        out = [
            struct.pack(">II", n, head) + self._unacknowledged[n]
            for n in self._fresh
            if n in self._unacknowledged
        ]
        if self._fresh:
            self._sent_at = now
        elif self._owe:
            out.append(struct.pack(">II", 0, head))
        self._fresh, self._owe = [], False
        return out

    def deadline(self) -> float | None:
        return self._sent_at + self.AGAIN if self._unacknowledged else None

    def expire(self, now: float) -> None:
        self._tries += 1
        if self._tries > self.TRIES:
            raise WireError("the peer acknowledges nothing")
        self._fresh = list(self._unacknowledged)

    @property
    def share_key(self) -> Hashable | None:
        return None

    def prepare(self, body: bytes) -> bytes:
        return body


TOY: Renderings[ToyView, Hashable] = Renderings()
for _kind in set(KINDS) - {Stepped, Jumped, Said, Warped}:
    TOY.leaves_out(_kind, because="it is a toy")
for _flags in FLAGS.values():
    TOY.changes(_flags, dict.fromkeys(flags_of(_flags).values(), LeftOut("it is a toy")))
TOY.flags[MobileDelta][MobileDelta.HITS] = Shown("Hits")


class ToyView:
    """Square sight of 8 tiles."""

    gait_ms = (0, 0)
    bystander: Hashable | None = None
    onlooker: Hashable | None = None
    unshown = 0
    apart: Collection[Relation] = frozenset()
    declared = TOY
    loads_on_warp = False
    opens_corpses = True
    windows: frozenset[str] = frozenset()
    forgets_by_loading = False
    tells_own_steps = True

    def __init__(self) -> None:
        self.renderings: list[tuple[object, ...]] = []
        self.broken: set[int] = set()

    def sight(self, session: Session) -> Sight:
        return Sight(8)

    def audience(self, session: Session, thing: Thing) -> Hashable:
        return "self" if session.mobile is thing else "other"

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        self.renderings.append(("show", thing.serial, audience))
        if thing.serial in self.broken:
            raise RuntimeError("this view is broken for that thing")
        return [Body(Show(thing.serial, thing.x, thing.y).encode())]

    place = show

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        return [Body(Hide(thing.serial, WHYS.index(why)).encode())]

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        if isinstance(thing, Mobile) and flags & MobileDelta.HITS:
            return [Body(Hits(thing.serial, thing.hits).encode())]
        return []

    def event(self, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        self.renderings.append((type(event).__name__, audience))
        return TOY.handlers[type(event)](self, event, audience, dialect)

    @TOY.renders(Stepped)
    def _stepped(self, event: Stepped, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Stepping."""
        return [Body(Stepping(event.thing.serial, event.heading).encode())]

    @TOY.renders(Jumped)
    def _jumped(self, event: Jumped, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Show, to others."""
        return self.show(event.thing, audience, dialect) if audience != "self" else []

    @TOY.renders(Said)
    def _said(self, event: Said, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Heard."""
        serial = event.thing.serial if event.thing else 0
        return [Body(Heard(serial, event.text.encode()).encode(), droppable=True)]

    @TOY.renders(Warped)
    def _warped(self, event: Warped, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Put, to its own client."""
        return [Body(Put(event.thing.x, event.thing.y).encode())] if audience == "self" else []

    def knows_content(self, session: Session, container: Item) -> bool:
        return True

    def forget(self, session: Session, item: Item) -> bool:
        return False

    def moved(self, session: Session) -> None:
        return


def toy_table() -> Table[Session]:
    """What both toys' clients may send."""
    table: Table[Session] = Table(
        opcode_of_frame=lambda frame: frame[0],
        opcode_of_class=lambda cls: cls.opcode,  # type: ignore[attr-defined]
        decode=lambda cls: cls.decode,  # type: ignore[attr-defined]
    )

    @table.on(Hello, during=Phase.GREETING)
    async def hello(session: Session, request: Hello) -> None:
        await trio.sleep(session.services.hello_takes)  # type: ignore[attr-defined]
        session.phase = Phase.ENTERING

        def enter(world: World) -> None:
            mobile = Mobile(
                world.serials.mobile(),
                world,
                request.name.decode(),
                template=world.content.mobiles["player"],
                account=session.id,
                access=Access.COUNSELOR,  # staff speak as much as they like, and these tests flood
                online=True,
            )
            session.mobile = mobile
            world.enter(mobile, world.realms["plain"], 10 + session.id, 10)
            session.viewport = world.open_viewport(mobile, session.id, session.family.view.sight(session))
            session.send(Welcome(mobile.serial))
            session.phase = Phase.IN_WORLD

        await session.services.in_world(session, enter)

    @table.on(Rekey, during=frozenset(Phase))
    async def rekey(session: Session, request: Rekey) -> None:
        await trio.lowlevel.checkpoint()
        session.flush()
        assert isinstance(session.codec, Brook)
        session.codec.key_in = request.key

    @table.on(Step, during=Phase.IN_WORLD)
    def step(session: Session, request: Step) -> None:
        assert session.mobile is not None
        motion.step(session.mobile, request.heading)

    @table.on(Say, during=Phase.IN_WORLD)
    def say(session: Session, request: Say) -> None:
        assert session.mobile is not None
        if request.text == b"!bug":
            raise RuntimeError("a bug of ours")
        speech.say(session.mobile, request.text.decode("utf-8", "replace"))

    return table


def _goodbye(session: Session, reason: str) -> None:
    session.send(Heard(0, reason.encode()))


def brook() -> Family:
    """The stream game."""
    return Family("brook", {"game": Door(Transport.STREAM, Brook, toy_table())}, ToyView(), _goodbye)


def pebble() -> Family:
    """The datagram game."""
    return Family("pebble", {"game": Door(Transport.DATAGRAM, Pebble, toy_table())}, ToyView(), _goodbye)


def toy_codec(family: Family) -> Codec:
    """The client's half of a toy."""
    return family.doors["game"].codec(CodecArgs(Role.CLIENT, lambda n: bytes(n)))


def toy_decode(frame: bytes) -> Packet:
    """A server packet."""
    decoded: Packet = SERVER_PACKETS[frame[0]].decode(frame)
    return decoded
