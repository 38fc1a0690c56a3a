"""The table of what Ultima Online's clients may send. The modules of this package fill it when they are
imported."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Final, TypeVar, cast

from protocol.dispatch import Interval, Table
from protocol.session import Phase
from protocol.uo.packets import number_of_frame

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.uo.session import UoSession
    from protocol.wire.declare import Packet

P = TypeVar("P")


def _number(packet: type) -> int:
    return cast("type[Packet]", packet).opcode


def _decoder(packet: type) -> Callable[[bytes], object]:
    return cast("type[Packet]", packet).decode


TABLE: Final[Table[UoSession]] = Table(
    opcode_of_frame=number_of_frame, opcode_of_class=_number, decode=_decoder
)

on: Final = TABLE.on


def while_playing(
    packet: type[P], *, secret: bool | Callable[[P], bool] = False, every: float | Interval = 0.0
) -> Callable[[Callable[[UoSession, P], None]], Callable[[UoSession, P], None]]:
    """Register a handler of somebody in the world, which has `session.player`.

    A client whose character another client has just taken over is still heard until it is gone; it means
    nothing by then.
    """

    def register(handler: Callable[[UoSession, P], None]) -> Callable[[UoSession, P], None]:
        @wraps(handler)
        def if_playing(session: UoSession, packet: P) -> None:
            if session.mobile is not None:
                handler(session, packet)

        on(packet, during=Phase.IN_WORLD, secret=secret, every=every)(if_playing)
        return handler

    return register
