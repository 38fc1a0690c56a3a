"""Structs of one thing as clients are sent them: three of each, shared by all who are sent the same, and what
one client has of them (`Ghost`).

A creature has an arrow over it whose colour says how its level compares with that of whoever looks on. So the
struct with that arrow comes in up to six shades, each made for the first viewer that needs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeAlias

from protocol.eq2.packets import CreateGhost
from protocol.eq2.packing import LONGEST_REACH, pack, pack_front, small, xor

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.eq2.packets import GhostCommand

GREY, GREEN, BLUE, WHITE, YELLOW, RED = range(6)
"""Colours of arrows; white also for what is no match to be measured."""

_HARDEST: Final = ((-9, GREY), (-5, GREEN), (-1, BLUE), (0, WHITE), (4, YELLOW))
"""Levels above the viewer's up to which an arrow has each colour. Of what is nine below one learns least."""

MOST_HELD: Final = 32
"""Ghosts that a figure remembers beside twice as many as it has viewers."""

NOTHING: Final = 0
"""Serial of a ghost that its client has no more."""

WRITTEN: Final = (
    *("arrow_for", "index", "info", "number", "plain", "position", "serial", "spawn_id", "visible", "wide"),
)
"""Attributes of a ghost, as `Ghosts.written` has them."""

Frames: TypeAlias = dict[bytes, tuple[bytes, bytes]]
"""A message but for the number of the ghost, by the struct that its client has: what stands before the
number, and behind it."""


CreateFrames: TypeAlias = dict[tuple[bool, int], tuple[bytes, bytes, bytes]]
"""A message but for the number of the ghost and its packed structs, by whether that number is a long one and
by the bytes that these are: what stands before, between and behind the two."""


class Leveled(Protocol):
    """A viewer, as far as arrows go."""

    @property
    def level(self) -> int:
        """Level of its character."""


def arrow(level: int, viewer: int) -> int:
    """The colour of the arrow over a creature of a level, for a viewer of another."""
    return next((colour for most, colour in _HARDEST if level - viewer <= most), RED)


class Struct:
    """One struct of a figure as it is now, and its differences to what it was before, packed."""

    __slots__ = ("_changes", "_reverse", "frames", "now")

    def __init__(self, *, reverse: bool) -> None:
        self.now = b""
        self.frames: tuple[Frames, Frames] = {}, {}
        """The messages of its change, for short and for long numbers of ghosts."""
        self._reverse = reverse
        self._changes: dict[bytes, bytes] = {}

    def become(self, now: bytes) -> bool:
        """It is this now; whether it was not."""
        if now == self.now:
            return False
        self.now = now
        self._changes.clear()
        self.forget_frames()
        return True

    def forget_frames(self) -> None:
        """Forget its messages: what they say besides it has changed."""
        for frames in self.frames:
            frames.clear()

    def since(self, before: bytes) -> bytes:
        """The change since it was `before`: both xor'ed, packed."""
        change = self._changes.get(before)
        if change is None:
            change = self._changes[before] = pack(xor(self.now, before), reverse=self._reverse)
        return change


class Whole:
    """Three structs behind one another, packed."""

    __slots__ = ("_frames", "_frames_of", "_looks_packed", "_packed", "_packed_of", "_reverse", "created")

    def __init__(self, *, reverse: bool) -> None:
        self._packed = b""
        self._packed_of = b"", b"", b""
        self._reverse = reverse
        self.created: dict[bool, tuple[tuple[object, ...], tuple[bytes, bytes]]] = {}
        """For short and for long numbers of ghosts: the message by which one is made but for that number, and
        of what it was made."""
        self._looks_packed: dict[int, bytes] = {}
        """The two structs behind the position, packed, but for so many bytes at their beginning."""
        self._frames: CreateFrames = {}
        self._frames_of: tuple[int, Sequence[GhostCommand]] = 0, ()

    def frames(self, stamp: int, commands: Sequence[GhostCommand]) -> CreateFrames:
        """The messages by which it is made with these, but for the structs. Of whoever walks the rest is the
        same with each step."""
        if (stamp, commands) != self._frames_of:
            self._frames, self._frames_of = {}, (stamp, commands)
        return self._frames

    def packed(self, position: bytes, visible: bytes, info: bytes) -> bytes:
        """All three as they are now."""
        structs = position, visible, info
        if structs != self._packed_of:
            self._packed, self._packed_of = self._pack(*structs), structs
        return self._packed

    def _pack(self, position: bytes, visible: bytes, info: bytes) -> bytes:
        """All three, packed. Whoever walks comes into somebody's sight with nearly every step, and then only
        the first is a new one: the others are thirteen times as long."""
        if (visible, info) != self._packed_of[1:]:
            self._looks_packed.clear()
        looks = visible + info
        size = len(position)
        front, taken = pack_front(position + looks[:LONGEST_REACH], size, reverse=self._reverse)
        packed = self._looks_packed.get(taken - size)
        if packed is None:
            packed = self._looks_packed[taken - size] = pack(looks[taken - size :], reverse=self._reverse)
        return front + packed


class Shade:
    """The visible struct with an arrow of one colour, of what it was made, and its figure packed with it."""

    __slots__ = ("made_of", "struct", "whole")

    def __init__(self, *, reverse: bool) -> None:
        self.struct = Struct(reverse=reverse)
        self.whole = Whole(reverse=reverse)
        self.made_of = b""


class Figure:
    """A thing as it looks now. One for all viewers of one version, and one for its own player."""

    __slots__ = (
        "__weakref__",
        "_plain",
        "_reverse",
        "_shades",
        "commands",
        "foe_level",
        "held",
        "info",
        "numbers",
        "paint",
        "position",
        "serial",
        "stamp",
        "stands",
        "visible",
        "was",
    )

    def __init__(self, serial: int, *, reverse: bool) -> None:
        self.serial = serial
        self.position = Struct(reverse=reverse)
        self.stands: object = None
        """Of what that was made."""
        self.visible = Struct(reverse=reverse)
        """With a white arrow."""
        self.info = Struct(reverse=reverse)
        self._reverse = reverse
        self.commands: tuple[GhostCommand, ...] = ()
        self.numbers: tuple[int, ...] = ()
        """Hits, power and level that its looks show, and whom it fights: they change without them."""
        self.stamp = 0
        """Time of the last change of its looks, in ms of the world's time."""
        self.foe_level = 0
        """Of a creature, whose arrow says how hard it would be; 0 of all others."""
        self.paint: Callable[[int], bytes] | None = None
        """The visible struct with an arrow of another colour."""
        self.held: dict[int, Ghost] = {}
        """Ghosts of it that were found, by `Session.id`; not all of them, and some are nobody's any more."""
        self.was = 0
        """Of a corpse: the serial of the dead, whose ghost becomes its own where a client has that."""
        self._plain = Whole(reverse=reverse)
        self._shades: dict[int, Shade] = {}

    def seen_by(self, level: int) -> Struct:
        """The visible struct for a viewer of a level."""
        shade = self._shade(level)
        return shade.struct if shade is not None else self.visible

    def arrow_for(self, viewer: Leveled) -> int:
        """The level of a viewer if it matters for the arrow over it, else 0: to ask for it takes time."""
        return viewer.level if self.foe_level else 0

    def held_by(self, viewers: int) -> dict[int, Ghost]:
        """Return what is known of its ghosts (`held`), for so many viewers. Those of viewers that went are
        forgotten with all others, now and then."""
        held = self.held
        if len(held) > MOST_HELD + 2 * viewers:
            held.clear()
        return held

    def whole(self, level: int) -> tuple[Whole, Struct]:
        """Its three structs and the visible one of them, for a viewer of a level."""
        shade = self._shade(level)
        return (self._plain, self.visible) if shade is None else (shade.whole, shade.struct)

    def create(self, index: int, level: int = 1) -> CreateGhost:
        """The message for a client that is to have it under this number; `level`: of its character."""
        whole, visible = self.whole(level)
        command = self.commands[0] if self.commands else None
        return CreateGhost(
            index=index,
            spawn_id=self.serial,
            packed=whole.packed(self.position.now, visible.now, self.info.now),
            commands=self.commands,
            default_command=command.command if command is not None else "",
            distance=command.distance if command is not None else 0.0,
            timestamp=self.stamp,
        )

    def _shade(self, level: int) -> Shade | None:
        if not self.foe_level or self.paint is None:
            return None
        colour = arrow(self.foe_level, level)
        shade = self._shades.get(colour)
        if shade is None:
            shade = self._shades[colour] = Shade(reverse=self._reverse)
        if shade.made_of is not self.visible.now:
            shade.made_of = self.visible.now
            shade.struct.become(self.paint(colour))
        return shade


class Ghost:
    """A thing as one client has it: its number, and the structs it was sent last. These are shared with all
    who were sent the same."""

    __slots__ = WRITTEN

    def __init__(self, index: int, serial: int, figure: Figure, level: int) -> None:
        self.index = index
        self.number = small(index)
        """The index as it is on the wire."""
        self.wide = len(self.number) > 1
        """Whether that takes more than a byte."""
        self.serial = serial
        self.spawn_id = serial
        """What the client calls it: the serial of what it was first."""
        self.position = figure.position.now
        self.visible = figure.seen_by(level).now
        self.info = figure.info.now
        self.plain = figure.visible.now
        self.arrow_for = level
        """The struct with a white arrow from which `visible` was made, and for a viewer of which level (0: of
        any): while both are the same, so is that."""

    def become(self, serial: int) -> None:
        """It is another thing from now on, by whatever name its client has it."""
        self.serial = serial
