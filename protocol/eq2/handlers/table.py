"""The table of what EverQuest II's clients may send, as the modules of this package fill it.

Numbers and layouts are those of the client's version, which are read from data at start. So handlers are
collected here by the class of their message, and `make_table` makes it when the versions are known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, cast

import attrs

from protocol.dispatch import Interval, Table
from protocol.eq2.handlers.unread import unread
from protocol.eq2.versions import role_of_class

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from protocol.eq2.packets import Message
    from protocol.eq2.session import Eq2Session
    from protocol.eq2.versions import Eq2Versions
    from protocol.session import Phase
    from world.mobile import Mobile

P = TypeVar("P")


@attrs.frozen
class Registered:
    """A handler and when it is asked, as in `protocol.dispatch.Table.on`."""

    packet: type[Message]
    handler: Callable[[Eq2Session, object], Awaitable[None] | None]
    during: Phase | frozenset[Phase]
    secret: bool | Callable[[object], bool]
    every: float | Interval


HANDLERS: Final[list[Registered]] = []
"""All handlers of this game."""


def on(
    packet: type[P],
    *,
    during: Phase | frozenset[Phase],
    secret: bool | Callable[[P], bool] = False,
    every: float | Interval = 0.0,
) -> Callable[
    [Callable[[Eq2Session, P], Awaitable[None] | None]], Callable[[Eq2Session, P], Awaitable[None] | None]
]:
    """Register a handler; see `protocol.dispatch.Table.on`."""

    def register(
        handler: Callable[[Eq2Session, P], Awaitable[None] | None],
    ) -> Callable[[Eq2Session, P], Awaitable[None] | None]:
        HANDLERS.append(
            Registered(
                cast("type[Message]", packet),
                cast("Callable[[Eq2Session, object], Awaitable[None] | None]", handler),
                during,
                cast("bool | Callable[[object], bool]", secret),
                every,
            )
        )
        return handler

    return register


def make_table(versions: Eq2Versions) -> Table[Eq2Session]:
    """The table for clients of these versions. A message that is not known is logged and skipped: clients
    send many of which nobody knows what they mean."""

    def decoder(packet: type) -> Callable[[bytes], object]:
        return versions.decoder(cast("type[Message]", packet))

    made: Table[Eq2Session] = Table(
        opcode_of_frame=versions.role_of, opcode_of_class=role_of_class, decode=decoder, tolerant=True
    )
    for row in HANDLERS:
        made.on(row.packet, during=row.during, secret=row.secret, every=row.every)(row.handler)
    unread(made, versions.newest)
    return made


def playing(session: Eq2Session) -> Mobile | None:
    """The mobile this client may act with now: none while it loads a zone, or once another
    client plays it."""
    return None if session.loading else session.mobile
