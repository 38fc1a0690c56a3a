"""The table of what Lineage II's clients may send at the game's door, as the modules of this package fill it.

Numbers and layouts are those of the client's version, which are read from data at start. So handlers are
collected here by the class of their packet, and `make_table` makes it when the versions are known. The login
door, where all clients speak alike, has a table of its own (`protocol.l2.handlers.login`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, cast

import attrs

from protocol.dispatch import Interval, Table
from protocol.l2.versions import role_of_class

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from protocol.l2.packets import Message
    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Versions
    from protocol.session import Phase
    from world.mobile import Mobile

P = TypeVar("P")


@attrs.frozen
class Registered:
    """A handler and when it is asked, as in `protocol.dispatch.Table.on`."""

    packet: type[Message]
    handler: Callable[[L2Session, object], Awaitable[None] | None]
    during: Phase | frozenset[Phase]
    secret: bool | Callable[[object], bool]
    every: float | Interval


HANDLERS: Final[list[Registered]] = []
"""All handlers of the game's door."""


def on(
    packet: type[P],
    *,
    during: Phase | frozenset[Phase],
    secret: bool | Callable[[P], bool] = False,
    every: float | Interval = 0.0,
) -> Callable[
    [Callable[[L2Session, P], Awaitable[None] | None]], Callable[[L2Session, P], Awaitable[None] | None]
]:
    """Register a handler of the game's door; see `protocol.dispatch.Table.on`."""

    def register(
        handler: Callable[[L2Session, P], Awaitable[None] | None],
    ) -> Callable[[L2Session, P], Awaitable[None] | None]:
        HANDLERS.append(
            Registered(
                cast("type[Message]", packet),
                cast("Callable[[L2Session, object], Awaitable[None] | None]", handler),
                during,
                cast("bool | Callable[[object], bool]", secret),
                every,
            )
        )
        return handler

    return register


def make_table(versions: L2Versions) -> Table[L2Session]:
    """The table of the game's door for clients of these versions. A packet that is not known is logged and
    skipped: clients send many that mean nothing here."""

    def decoder(packet: type) -> Callable[[bytes], object]:
        return versions.decoder(cast("type[Message]", packet))

    def name_of_frame(frame: bytes) -> str:
        name, here = versions.name_of(frame), versions.newest
        foreign = "; a client of another chronicle?" if name != here.name_of(frame) else ""
        return f"{name} to version {here.name}{foreign}"

    made: Table[L2Session] = Table(
        opcode_of_frame=versions.role_of,
        opcode_of_class=role_of_class,
        decode=decoder,
        tolerant=True,
        name_of_frame=name_of_frame,
    )
    for row in HANDLERS:
        made.on(row.packet, during=row.during, secret=row.secret, every=row.every)(row.handler)
    return made


def playing(session: L2Session) -> Mobile | None:
    """The mobile this client may act with now: none while it loads its surroundings, or once another client
    plays it."""
    return None if session.loading else session.mobile
