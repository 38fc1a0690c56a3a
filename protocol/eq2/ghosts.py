"""One client's ghosts, and the messages that only that client can finish.

A client names what it draws by a small number, its own for every client, and takes a change as the difference
to the structs it was sent last. What a thing looks like is the same for all viewers: its `Figure` holds the
three structs as they are now. What differs is kept here: which number a client knows it by, and which structs
it has. So a crowd that sees somebody step costs one difference (see `Struct.since`), and each of the crowd
one small frame around it.

In this game a creature that died is its own corpse: its ghost stays, and can be looted. In the world a corpse
is another thing, with a serial of its own. So the ghost of the dead becomes that of the corpse, and goes by
the id that the client knows.

The messages are bound when they leave, in their order, and say what is new then: of several steps in one turn
the first message tells all, and the others are empty.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol, cast

from protocol.eq2.packets import (
    DestroyGhost,
    GhostDelta,
    SetDefaultVerb,
    UpdateGhost,
    UpdateTarget,
)
from protocol.eq2.packing import small
from protocol.eq2.structs import NOTHING, WRITTEN, Ghost
from protocol.outgoing import Numbered

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Sequence

    from protocol.carriers import Plain
    from protocol.eq2.structs import Figure, Struct
    from protocol.eq2.versions import Eq2Version
    from protocol.outgoing import Share

OWN_INDEX: Final = 1
"""A client's own character."""
FIRST_INDEX: Final = 2
LAST_INDEX: Final = 65534
"""The last that fits into the short form; 65535 says in a target message that there is none."""


class GhostsExhausted(Exception):
    """More things in sight than a client has numbers for."""


class Ghosts:
    """The ghosts of one client by serial and by number.

    Numbers are handed out in a circle, so that what a message on its way still names by a number is not
    another thing by then.
    """

    __slots__ = ("_by_index", "_inherited", "_next", "by_serial")

    def __init__(self) -> None:
        self.by_serial: dict[int, Ghost] = {}
        self._by_index: dict[int, Ghost] = {}
        self._inherited: dict[int, int] = {}
        """Serials of corpses by what the client calls them."""
        self._next = FIRST_INDEX

    def __len__(self) -> int:
        return len(self.by_serial)

    def __contains__(self, serial: int) -> bool:
        return serial in self.by_serial

    def serials(self) -> list[int]:
        """The things that the client has ghosts of, in the order they were made."""
        return list(self.by_serial)

    def of(self, serial: int) -> Ghost | None:
        """The ghost of a thing, None if the client has none."""
        return self.by_serial.get(serial)

    def serial(self, index: int) -> int:
        """The thing that the client means by a number; 0 for none."""
        ghost = self._by_index.get(index)
        return ghost.serial if ghost is not None else 0

    def meant(self, spawn_id: int) -> int:
        """The serial of what the client calls so."""
        return self._inherited.get(spawn_id, spawn_id)

    def called(self, serial: int) -> int:
        """The id by which the client knows a thing."""
        ghost = self.by_serial.get(serial)
        return ghost.spawn_id if ghost is not None else serial

    def make(self, figure: Figure, *, own: bool, level: int = 1) -> Ghost:
        """A new ghost, as a viewer of a level sees it. Raises GhostsExhausted."""
        index = OWN_INDEX if own else self._take()
        ghost = Ghost(index, figure.serial, figure, level)
        self.by_serial[figure.serial] = self._by_index[index] = ghost
        return ghost

    def remove(self, serial: int) -> Ghost | None:
        """The ghost of a thing, which is none any more."""
        ghost = self.by_serial.pop(serial, None)
        if ghost is not None:
            del self._by_index[ghost.index]
            self._inherited.pop(ghost.spawn_id, None)
            ghost.become(NOTHING)
        return ghost

    def inherit(self, dead: int, corpse: int) -> Ghost | None:
        """The ghost of somebody who died, which is that of its corpse from now on."""
        ghost = self.by_serial.pop(dead, None)
        if ghost is not None:
            ghost.become(corpse)
            self.by_serial[corpse] = ghost
            self._inherited[ghost.spawn_id] = corpse
        return ghost

    def written(self) -> Plain:
        """All of them as plain values."""
        rows = [[getattr(one, name) for name in WRITTEN] for one in self.by_serial.values()]
        return [self._next, [[*meant] for meant in self._inherited.items()], rows]

    @classmethod
    def read(cls, written: Plain) -> Ghosts:
        """The ghosts that were `written`."""
        ghosts = cls()
        ghosts._next, inherited, rows = cast("tuple[int, list[tuple[int, int]], list[list[int]]]", written)
        ghosts._inherited = dict(inherited)
        for row in rows:
            ghost = Ghost.__new__(Ghost)
            for name, value in zip(WRITTEN, row, strict=True):
                setattr(ghost, name, value)
            ghosts.by_serial[ghost.serial] = ghosts._by_index[ghost.index] = ghost
        return ghosts

    def _take(self) -> int:
        for _ in range(FIRST_INDEX, LAST_INDEX + 1):
            index = self._next
            self._next = FIRST_INDEX if index == LAST_INDEX else index + 1
            if index not in self._by_index:
                return index
        raise GhostsExhausted(f"all numbers up to {LAST_INDEX} are in use")


class Viewer(Protocol):
    """A client, as far as its ghosts go."""

    ghosts: Ghosts
    dialect: Eq2Version
    target: int
    """Serial of what it aims at."""
    id: int
    client: int
    """See Session."""

    @property
    def known(self) -> Container[int]:
        """Serials of what it is to have ghosts of."""

    @property
    def level(self) -> int:
        """Level of its character, by which the arrows over creatures have their colours."""


class Show:
    """A thing came into sight: make its ghost, or bring the one that is there up to date."""

    __slots__ = ("figure", "own")
    droppable = False

    def __init__(self, figure: Figure, *, own: bool = False) -> None:
        self.figure = figure
        self.own = own

    def bind(self, viewer: Viewer) -> bytes:
        """CreateGhost, or UpdateGhost if it differs."""
        part = self.part(viewer)
        if isinstance(part, bytes):
            return part
        return part[0] + viewer.ghosts.by_serial[self.figure.serial].number + part[1]

    def part(self, viewer: Viewer) -> bytes | tuple[bytes, bytes]:
        """The same, in two halves if only its number is the client's own."""
        ghosts, figure = viewer.ghosts, self.figure
        ghost = ghosts.of(figure.serial)
        if ghost is not None:
            return changed(ghost, figure, viewer)
        if figure.was and figure.was in ghosts:
            return b""  # that ghost becomes its own, as soon as all has been told of the dead
        level = figure.arrow_for(viewer)
        try:
            ghost = ghosts.make(figure, own=self.own, level=level)
        except GhostsExhausted:
            return b""
        return _created(ghost, figure, level, viewer.dialect)


class Move(Numbered["Viewer"]):
    """A thing is elsewhere, or goes on in another way."""

    __slots__ = ("figure",)

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    def bind(self, viewer: Viewer) -> bytes:
        """UpdateGhost with the position alone, if the client has the ghost and it is not there yet."""
        figure = self.figure
        ghost = viewer.ghosts.of(figure.serial)
        return moved(ghost, figure, viewer.dialect) if ghost is not None else b""

    def shares(self, sessions: Sequence[Viewer]) -> Iterable[Share]:
        """See Numbered. Nearly all who see it had it where it was before."""
        figure = self.figure
        serial, position = figure.serial, figure.position
        now, frames = position.now, position.frames
        clients: list[int] = []
        numbers: list[bytes] = []
        last: tuple[bytes, bytes] | None = None
        was, is_wide = b"", False  # of whom the last part was for
        held = figure.held_by(len(sessions))
        for viewer in sessions:
            ghost = held.get(viewer.id)
            if ghost is None or ghost.serial != serial:
                ghost = viewer.ghosts.by_serial.get(serial)
                if ghost is None:
                    continue
                held[viewer.id] = ghost
            before = ghost.position
            if before is was and ghost.wide is is_wide and last is not None:  # so it is with nearly all
                ghost.position = now
                clients.append(viewer.client)
                numbers.append(ghost.number)
                continue
            part = frames[ghost.wide].get(before)
            if part is None:
                try:
                    raw = moved(ghost, figure, viewer.dialect)
                except Exception:
                    if last is not None:  # they count as told
                        yield last, clients, numbers
                    raise
                if not raw:
                    continue
                part = frames[ghost.wide].get(before)
                if part is None:
                    yield (raw, False), [viewer.client], []
                    continue
            ghost.position = now
            if part is not last:
                if last is not None:
                    yield last, clients, numbers
                last, clients, numbers = part, [], []
            was, is_wide = before, ghost.wide
            clients.append(viewer.client)
            numbers.append(ghost.number)
        if last is not None:
            yield last, clients, numbers


class Change:
    """A thing looks otherwise."""

    __slots__ = ("figure",)
    droppable = False

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    def bind(self, viewer: Viewer) -> bytes:
        """UpdateGhost without the position, if the client has the ghost and it looks otherwise."""
        ghost = viewer.ghosts.of(self.figure.serial)
        return changed(ghost, self.figure, viewer) if ghost is not None else b""


class Hide:
    """A thing went out of sight. Of a creature that died its corpse may be left, which the client has to know
    by now."""

    __slots__ = ("corpse", "serial")
    droppable = False

    def __init__(self, serial: int, corpse: Figure | None = None) -> None:
        self.serial = serial
        self.corpse = corpse

    def bind(self, client: Viewer) -> bytes:
        """DestroyGhost, if the client has the ghost; or UpdateGhost, by which it looks like its corpse."""
        corpse = self.corpse
        if corpse is not None and corpse.serial in client.known and corpse.serial not in client.ghosts:
            ghost = client.ghosts.inherit(self.serial, corpse.serial)
            if ghost is None:
                return b""
            if client.target == self.serial:
                client.target = corpse.serial
            return _laid(ghost, corpse, client.dialect)
        ghost = client.ghosts.remove(self.serial)
        return _destroyed(client.dialect, ghost.index) if ghost is not None else b""


class Verb:
    """Tells what a double click on a corpse means. Of a ghost that was made for it its client knows."""

    __slots__ = ("figure",)
    droppable = False

    def __init__(self, figure: Figure) -> None:
        self.figure = figure

    def bind(self, viewer: Viewer) -> bytes:
        """SetDefaultVerb, if it has the ghost of the dead."""
        ghost = viewer.ghosts.of(self.figure.serial)
        if ghost is None or ghost.spawn_id == ghost.serial:
            return b""
        (command, *_) = self.figure.commands
        verb = SetDefaultVerb(ghost.spawn_id, command.command, command.distance)
        return viewer.dialect.encode(verb)


class Aimed:
    """A client aims at a thing."""

    __slots__ = ("serial",)
    droppable = False

    def __init__(self, serial: int) -> None:
        self.serial = serial

    def bind(self, viewer: Viewer) -> bytes:
        """UpdateTarget, if the client has the ghost."""
        ghost = viewer.ghosts.of(self.serial)
        return viewer.dialect.encode(UpdateTarget(ghost.spawn_id)) if ghost is not None else b""


def destroyed(ghost: Ghost, version: Eq2Version) -> bytes | tuple[bytes, bytes]:
    """DestroyGhost for a client that had the ghost, in two halves if that can be."""
    return _destroying(version, ghost.wide) or _destroyed(version, ghost.index)


@lru_cache(maxsize=64)
def _destroying(version: Eq2Version, wide: bool) -> tuple[bytes, bytes] | None:
    index = 0x1234 if wide else 0xAB  # any: it has to be found again
    message, number = version.encode(DestroyGhost(index=index)), small(index)
    head, _, tail = message.partition(number)
    return (head, tail) if message.count(number) == 1 else None


def _created(ghost: Ghost, figure: Figure, level: int, version: Eq2Version) -> bytes | tuple[bytes, bytes]:
    """CreateGhost, kept for all who come to see the thing as it is now: one who walks comes into the sight of
    several with each step."""
    whole, visible = figure.whole(level)
    of = figure.position.now, visible.now, figure.info.now, figure.stamp, figure.commands
    kept = whole.created.get(ghost.wide)
    if kept is not None and kept[0] == of:
        return kept[1]
    packed = whole.packed(*of[:3])
    frames, key = whole.frames(figure.stamp, figure.commands), (ghost.wide, len(packed))
    frame = frames.get(key)
    if frame is None:
        message = version.encode(figure.create(ghost.index, level))
        number, spawn = ghost.number, ghost.spawn_id.to_bytes(4, "little")
        at, behind = message.find(number + spawn) + len(number), message.find(packed)
        if message.count(number + spawn) != 1 or message.count(packed) != 1 or behind < at:
            return message
        frame = message[: at - len(number)], message[at:behind], message[behind + len(packed) :]
        frames[key] = frame
    halves = frame[0], frame[1] + packed + frame[2]
    whole.created[ghost.wide] = of, halves
    return halves


@lru_cache(maxsize=8192)
def _destroyed(version: Eq2Version, index: int) -> bytes:
    """Somebody goes out of somebody's sight with nearly every step of anybody."""
    return version.encode(DestroyGhost(index=index))


def moved(ghost: Ghost, figure: Figure, version: Eq2Version) -> bytes:
    """The update of a ghost's position, encoded; nothing if it is there. Notes that the client has it, and
    keeps the message for all others who have seen the same."""
    before, now = ghost.position, figure.position.now
    if before is now or before == now:
        return b""
    ghost.position = now
    packed = figure.position.since(before)
    # Without a time, as the public emulators tell of whoever is on the way.
    message = version.encode(UpdateGhost(timestamp=0, position=GhostDelta(ghost.index, packed)))
    _keep(figure.position, ghost, before, message, packed)
    return message


def changed(ghost: Ghost, figure: Figure, viewer: Viewer) -> bytes:
    """The update of a ghost's looks; nothing if they are the same. Notes that the client has them.

    Of a fight all who look on see the hits change, and nothing else: that message is kept for them.
    """
    level = figure.arrow_for(viewer)
    seen = figure.seen_by(level) if level else figure.visible
    ghost.plain, ghost.arrow_for = figure.visible.now, level
    before, now = ghost.info, figure.info.now
    if ghost.visible is seen.now or ghost.visible == seen.now:
        if before is now or before == now:
            return b""
        ghost.info = now
        frame = figure.info.frames[ghost.wide].get(before)
        if frame is not None:
            return frame[0] + ghost.number + frame[1]
        packed = figure.info.since(before)
        info = GhostDelta(ghost.index, packed)
        message = viewer.dialect.encode(UpdateGhost(timestamp=figure.stamp, info=info))
        _keep(figure.info, ghost, before, message, packed)
        return message
    visible = GhostDelta(ghost.index, seen.since(ghost.visible))
    ghost.visible = seen.now
    delta = None
    if before != now:
        delta = GhostDelta(ghost.index, figure.info.since(before))
        ghost.info = now
    return viewer.dialect.encode(UpdateGhost(timestamp=figure.stamp, info=delta, visible=visible))


def _laid(ghost: Ghost, corpse: Figure, version: Eq2Version) -> bytes:
    """The update of a ghost that is a corpse's now, with all that is different. There is always something:
    nobody else can be looted."""
    deltas = [
        GhostDelta(ghost.index, struct.since(before)) if struct.now != before else None
        for struct, before in (
            (corpse.info, ghost.info),
            (corpse.position, ghost.position),
            (corpse.visible, ghost.visible),
        )
    ]
    ghost.info, ghost.position = corpse.info.now, corpse.position.now
    ghost.visible = ghost.plain = corpse.visible.now
    return version.encode(UpdateGhost(corpse.stamp, *deltas))


def _keep(struct: Struct, ghost: Ghost, before: bytes, message: bytes, packed: bytes) -> None:
    """Keep the update of one struct for all who know the thing by another number.

    To encode a message takes five times as long as to put another number into one. A packed difference has no
    zeros in it, and what may follow it has nothing else, so the last place where it is found is its own.
    """
    behind = message.rindex(packed)
    at = behind - len(ghost.number)
    if message[at:behind] == ghost.number:
        struct.frames[ghost.wide][before] = message[:at], message[behind:]
