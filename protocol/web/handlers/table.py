"""The table of what the web client may say. The modules of this package fill it when they are imported."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Final, TypeVar, cast

from protocol.dispatch import Interval, Table
from protocol.session import Phase
from protocol.web.packets.base import Message, name_of_line, opcode_of_name

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from protocol.web.session import WebSession
    from world.mobile import Mobile

M = TypeVar("M", bound=Message)


def _opcode(kind: type) -> int:
    return cast("type[Message]", kind).opcode


def _decoder(kind: type) -> Callable[[bytes], object]:
    return cast("type[Message]", kind).decode


TABLE: Final[Table[WebSession]] = Table(
    opcode_of_frame=lambda frame: opcode_of_name(name_of_line(frame)),
    opcode_of_class=_opcode,
    decode=_decoder,
    name_of_frame=lambda frame: ascii(name_of_line(frame)[:32]),
)


def on(
    kind: type[M],
    *,
    during: Phase | frozenset[Phase],
    secret: Callable[[M], bool] | None = None,
    every: float | Interval = 0.0,
) -> Callable[[Callable[[WebSession, M], Awaitable[None] | None]], object]:
    """Register a handler, see `protocol.dispatch.Table.on`. A kind of message that is declared secret is;
    `secret` says which of another kind are."""
    hides = kind.secret if secret is None else secret
    return TABLE.on(kind, during=during, secret=hides, every=every)


def while_playing(
    kind: type[M], *, secret: Callable[[M], bool] | None = None, every: float | Interval = 0.0
) -> Callable[[Callable[[WebSession, Mobile, M], None]], Callable[[WebSession, Mobile, M], None]]:
    """Register a handler of somebody in the world.

    A client whose character another client has just taken over is still heard until it is gone; it means
    nothing by then.
    """

    def register(
        handler: Callable[[WebSession, Mobile, M], None],
    ) -> Callable[[WebSession, Mobile, M], None]:
        @wraps(handler)
        def if_playing(session: WebSession, message: M) -> None:
            if session.mobile is not None:
                handler(session, session.mobile, message)

        on(kind, during=Phase.IN_WORLD, secret=secret, every=every)(if_playing)
        return handler

    return register
