"""Dispatch: from an opcode to its handler, with the phases in which a client may send it.

A game's handlers register with `on` or `while_playing`. The first is for packets of any phase; an `async def`
runs in the client's own task, before the next frame is decoded (HERE), a plain `def` in the next turn of the
world (WORLD). The second is for players in the world: the handler receives the mobile, makes one call into
the world, and need not catch what the world refuses.

A packet whose work must not be done too often has an `Interval`: packets that come sooner wait where they
are, so that nothing is lost and nothing overtakes. (Dropping them, as many servers do, was tried: of three
things laid down in one burst the third arrived, and the words said behind it came first.)

A packet without a deed is registered all the same, with `unmet` or `idle`.
"""

from __future__ import annotations

import enum
import inspect
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import wraps
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import attrs

from protocol.session import Phase, Session
from protocol.wishes import Idle, Unmet, Wish
from world.reach import Cannot

if TYPE_CHECKING:
    from world.mobile import Mobile

S = TypeVar("S", bound=Session)
P = TypeVar("P")


class Where(enum.Enum):
    """Task in which a packet's handler runs."""

    HERE = "in the client's own task, before the next frame is decoded"
    WORLD = "in the world task, in the next turn"


Handler: TypeAlias = Callable[[S, P], Awaitable[None] | None]


@attrs.frozen(eq=False)
class Interval:
    """Limit to how often one client may have something done: once in so many seconds in the long run, and
    `burst` times at once after a pause. Rows that share an interval share what it allows.

    A packet that comes sooner is neither lost nor overtaken: it waits in its place for its time, and all
    later packets of its client wait behind it. A client that sends faster than that is read no more once its
    inbox is full.

    `coalesced`: the packet asks for the present state, or names a goal that replaces the one before it, so
    that to do it twice in a row is to do it once. Of such packets that come too soon and with nothing else
    between them only the newest is done. Any other packet is an act, and every act counts.
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

    prompt: bool | Callable[[object], bool] = False
    """Whether what its handler answers may leave before all is known that others did meanwhile, or what of
    its kind may: a step's. The answer to anything else says that all before it is done, and told."""

    @property
    def every(self) -> float:
        """Seconds that have to lie between two of one client; 0 if none do, or if it depends on the
        packet."""
        return self.interval.seconds if isinstance(self.interval, Interval) else 0.0

    def interval_of(self, packet: object) -> Interval | None:
        """Limit for one client and such a packet; None if there is none."""
        interval = self.interval
        return interval if interval is None or isinstance(interval, Interval) else interval(packet)

    def is_prompt(self, packet: object) -> bool:
        """Whether such a packet may be answered before all else is known."""
        prompt = self.prompt
        return prompt if isinstance(prompt, bool) else prompt(packet)

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


@attrs.frozen
class Row(Generic[S]):
    """A handler, and when it is asked; see `Registry.on`."""

    packet: type
    handler: Callable[[S, object], Awaitable[None] | None]
    phases: frozenset[Phase]
    secret: bool | Callable[[object], bool]
    interval: Interval | Callable[[object], Interval | None] | None
    prompt: bool | Callable[[object], bool] = False


class Registry(ABC, Generic[S]):
    """Takes handlers of packets: a `Table` at once, `Rows` until it is known which opcodes there are."""

    @abstractmethod
    def register(self, row: Row[S]) -> None:
        """Take a handler. Raises ValueError if the packet has one already, or if a HERE packet is to be
        coalesced: each of these is awaited before the next is read."""

    def on(
        self,
        packet: type[P],
        *,
        during: Phase | frozenset[Phase],
        secret: bool | Callable[[P], bool] = False,
        every: float | Interval | Callable[[P], Interval | None] = 0.0,
        prompt: bool | Callable[[P], bool] = False,
    ) -> Callable[[Callable[[S, P], Awaitable[None] | None]], Callable[[S, P], Awaitable[None] | None]]:
        """Register a handler. An `async def` runs HERE, a plain `def` in the WORLD task. `secret`: the packet
        carries a password, or which of its kind may. `every`: limit for one client, for packets whose work
        grows with the crowd; a number of seconds is that of an `Interval` without bursts, a function tells it
        by the packet. `prompt`: it asks for a step (`Entry.prompt`), or which of its kind do.
        Raises ValueError as `register` does."""
        phases = during if isinstance(during, frozenset) else frozenset({during})
        interval = Interval(every) if isinstance(every, int | float) and every else every or None

        def register(
            handler: Callable[[S, P], Awaitable[None] | None],
        ) -> Callable[[S, P], Awaitable[None] | None]:
            self.register(
                Row(
                    packet,
                    handler,  # type: ignore[arg-type] # the decoder of `packet` yields what its handler takes
                    phases,
                    secret,  # type: ignore[arg-type] # as with the handler
                    interval,  # type: ignore[arg-type] # likewise
                    prompt,  # type: ignore[arg-type] # likewise
                )
            )
            return handler

        return register

    def while_playing(
        self,
        packet: type[P],
        *,
        secret: bool | Callable[[P], bool] = False,
        every: float | Interval | Callable[[P], Interval | None] = 0.0,
        prompt: bool | Callable[[P], bool] = False,
    ) -> Callable[[Callable[[S, Mobile, P], None]], Callable[[S, Mobile, P], None]]:
        """Register a handler of players in the world, which receives the mobile that its client plays now.
        From a client that plays none (`Session.playing`) the packet is ignored. A refusal by the world
        (`Cannot`) is passed to the session, which says it in its game's own way (`Session.refuse_wish`).
        Raises ValueError as `register` does."""

        def register(handler: Callable[[S, Mobile, P], None]) -> Callable[[S, Mobile, P], None]:
            @wraps(handler)
            def if_playing(session: S, packet: P) -> None:
                mobile = session.playing
                if mobile is not None:
                    try:
                        handler(session, mobile, packet)
                    except Cannot as cannot:
                        session.refuse_wish(mobile, cannot)

            self.on(packet, during=Phase.IN_WORLD, secret=secret, every=every, prompt=prompt)(if_playing)
            return handler

        return register


class Rows(Registry[S]):
    """Handlers of a game whose opcodes depend on data: `into` fills a table when they are known."""

    def __init__(self) -> None:
        self._rows: list[Row[S]] = []

    def register(self, row: Row[S]) -> None:
        """Keep a handler until `into`."""
        self._rows.append(row)

    def into(self, table: Table[S]) -> None:
        """Register everything with a table. Raises ValueError as `Registry.register` does."""
        for row in self._rows:
            table.register(row)


class Table(Registry[S]):
    """Table of a game's packets: opcode -> packet class, legal phases, where it runs, handler.

    `opcode_of_frame` reads the opcode of a frame, `opcode_of_class` that of a packet class, `decode` turns a
    frame into a packet of a class (WireError if it cannot). `tolerant`: an unknown opcode is logged and
    skipped instead of ending the client. `name_of_frame`: the game's own name of a packet without a handler.
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
        self._intervals: Mapping[Interval, str] | None = None

    def register(self, row: Row[S]) -> None:
        """Take a handler. Raises ValueError as `Registry.register` does."""
        where = Where.HERE if inspect.iscoroutinefunction(row.handler) else Where.WORLD
        if where is Where.HERE and isinstance(row.interval, Interval) and row.interval.coalesced:
            raise ValueError(f"{row.packet.__name__} is handled before the next is read: nothing to coalesce")
        self._add(
            Entry(
                self._opcode_of_class(row.packet),
                row.packet.__name__,
                row.packet,
                self._decode(row.packet),
                row.phases,
                where,
                row.handler,
                row.secret,
                row.interval,
                row.prompt,
            )
        )

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
        self._intervals = None
        other = self._entries.setdefault(entry.opcode, entry)
        if other is not entry:
            raise ValueError(f"opcode {entry.opcode:#x} already has a handler: {other.name}")

    def entry(self, opcode: int) -> Entry[S] | None:
        """The row of an opcode, None if it is unknown."""
        return self._entries.get(opcode)

    @property
    def intervals(self) -> Mapping[Interval, str]:
        """Names of the intervals of its packets: of one that several share, that of the first by opcode.
        Those that depend on what is in a packet have none."""
        if self._intervals is None:
            found: dict[Interval, str] = {}
            for entry in self:
                if isinstance(entry.interval, Interval):
                    found.setdefault(entry.interval, entry.name)
            self._intervals = found
        return self._intervals

    def unknown(self, frame: bytes) -> str:
        """Text for the log about a frame that has no row."""
        if self._name_of_frame is not None:
            return f"unknown packet {self._name_of_frame(frame)}"
        return f"unknown opcode {self.opcode_of_frame(frame):#06x}"

    def __iter__(self) -> Iterator[Entry[S]]:
        return iter(sorted(self._entries.values(), key=lambda entry: entry.opcode))


def unmet(table: Table[S], wish: Wish, *packets: type, during: Phase = Phase.IN_WORLD) -> None:
    """Register packets as a wish that cannot be met yet: their player reads its line."""
    for packet in packets:
        table.on(packet, during=during)(Unmet(wish))


def idle(
    table: Table[S], why: str, *packets: type, during: Phase | frozenset[Phase] = Phase.IN_WORLD
) -> None:
    """Register packets that carry no wish, with the reason."""
    for packet in packets:
        table.on(packet, during=during)(Idle(why))
