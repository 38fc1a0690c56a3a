"""The tables of what Conquer Online's clients may send, at the account server and in the game.

Most of what a client does in the game comes as one packet, MsgAction, whose `action` says what it is: those
are looked up once more, in ACTIONS (`protocol.co.handlers.actions`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.dispatch import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.co.packets.base import Message
    from protocol.co.session import CoSession
    from world.mobile import Mobile


def type_of_frame(frame: bytes) -> int:
    """The packet type of a frame."""
    return int.from_bytes(frame[2:4], "little")


def _type_of_class(packet: type) -> int:
    return cast("type[Message]", packet).type


def _decoder(packet: type) -> Callable[[bytes], object]:
    # What clients send lies alike in all versions.
    return cast("type[Message]", packet).decode


def _table() -> Table[CoSession]:
    return Table(
        opcode_of_frame=type_of_frame,
        opcode_of_class=_type_of_class,
        decode=_decoder,
        tolerant=True,
        name_of_frame=lambda frame: f"{type_of_frame(frame)}",
    )


ACCOUNT: Final = _table()
"""What may be said at the account server's door."""

GAME: Final = _table()
"""What may be said at the game's door."""


def playing(session: CoSession) -> Mobile | None:
    """The mobile this client may act with now: none while it loads its surroundings, or once another client
    plays it."""
    return None if session.loading else session.mobile
