"""Steps, turns, and where somebody is."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 # cattrs reads the annotations

from protocol.web.packets.base import Message, message, whole


@message("walk")
class Walk(Message):
    """One step. Answer: `Walked`, at once or when the step is due. A client may send a few ahead.

    Sequence 0 begins anew: what was sent before it and is not answered counts for nothing. A client says 0
    first, and again after a `Walked` that is not ok and after it was put elsewhere (`Place` of its own
    character, `Realm`); until then its steps are passed over without an answer. Behind 65535 comes 1."""

    sequence: int = whole(0, 0xFFFF)
    heading: int = whole(0, 7)
    run: bool = False


@message("way")
class FindWay(Message):
    """Ask for the way from (x, y), where the client shows its character, to a tile of the same realm, or to
    where it is `within` so many tiles of that with nothing higher than a person in between. Answer: `Way`,
    perhaps a little later; of several that are asked in a row only for the newest.

    (x, y) may be a few steps ahead of where the server has the character; if it is farther than a dozen tiles
    from there, or no tile of the realm, it is refused in words."""

    x: int = whole(0, 0xFFFF)
    y: int = whole(0, 0xFFFF)
    to_x: int = whole(0, 0xFFFF)
    to_y: int = whole(0, 0xFFFF)
    within: int = whole(0, 18, default=0)


@message("turn")
class Turn(Message):
    """Face another way."""

    heading: int = whole(0, 7)


@message("sit")
class Sit(Message):
    """Sit down, on the seat that one faces or else on the ground; or stand up. Who sits on a seat is told so
    by `Place`."""


@message("move", droppable=True)
class Move(Message):
    """A mobile went to (x, y), which is next to where it was, or `jump` tells that it is not. Its client
    draws that as a motion of `ms` milliseconds."""

    id: int
    x: int
    y: int
    heading: int
    ms: int = 400
    jump: bool = False


@message("moves")
class Moves(Message):
    """For those who watch: where all are that moved since the last message of this kind, each [id, x, y,
    heading]."""

    moves: Sequence[Sequence[int]]
    ms: int = 100
    """The time that lies between two of these."""


@message("place")
class Place(Message):
    """A mobile is elsewhere at once."""

    id: int
    x: int
    y: int
    heading: int = 4


@message("turned", droppable=True)
class Turned(Message):
    """A mobile faces another way. `crossed`, to its own client: as that has asked, but the world may have
    turned it the other way meanwhile; if the client has gone on since, it counts for nothing."""

    id: int
    heading: int
    crossed: bool = False


@message("way")
class Way(Message):
    """The way that was asked for: one heading for each step. If no way leads there, it leads as near as one
    can get, and `ok` is false. What moves meanwhile, and doors, may still be in it."""

    x: int
    y: int
    to_x: int
    to_y: int
    headings: Sequence[int]
    ok: bool = True


@message("walked")
class Walked(Message):
    """The step of that number was taken, and one stands at (x, y); or it was not (`ok` is false), and one
    still stands there: steps the client has sent since count for nothing."""

    sequence: int
    x: int
    y: int
    heading: int
    ok: bool = True
