"""Tables of what Conquer Online's clients may send, at the account server and in the game; the modules of
this package fill them.

Most of what a client does in the game comes as one packet, Action (1010), told apart by its `action`: those
kinds have rows of their own (`action`). A kind's handler is asked only for a client that plays a mobile, and
that speaks of this very mobile: the client's own number stands in nearly every such packet, and a wrong one
is a forgery. What is unknown is logged and answered in words, never sent back. How often an Action may come
is that of its kind.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, TypeAlias, cast

import attrs

from protocol.co.packets import Action, ActionType
from protocol.co.view import CoView
from protocol.dispatch import Table
from protocol.session import Phase
from protocol.wishes import Wish, tell
from world.reach import Cannot

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.co.packets import Message
    from protocol.co.session import CoSession
    from protocol.dispatch import Interval
    from world.mobile import Mobile

    Handler: TypeAlias = Callable[[CoSession, Mobile, Action], None]

log = logging.getLogger("net.co")


# Packets


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
"""Rows of the account server's door."""

TABLE: Final = _table()
"""Rows of the game's door."""


# Kinds of Action

MOST_STRANGE: Final = 64
"""Unknown actions of one client that are remembered and logged."""

IDLE: Final[Mapping[int, str]] = {
    ActionType.XP_LIST_CLOSED: "the client has closed its list",
    ActionType.BOT_CHECK: "the client watches itself",
    ActionType.NEW_COORDINATES: "it tells where the client stands",
    ActionType.LAND: "the client has landed by itself",
}
"""Kinds that clients send by themselves, and why they carry no wish."""


@attrs.frozen
class ActionRow:
    """A handler of one kind. `loading`: it is asked of clients that load their surroundings, too. `prompt`:
    as `protocol.dispatch.Entry.prompt`."""

    handler: Handler
    loading: bool
    interval: Interval | None
    prompt: bool


ACTIONS: Final[dict[int, ActionRow]] = {}
"""Rows of a client in the world, by kind (`ActionType`)."""

FIRST: Final[dict[int, Callable[[CoSession], None]]] = {}
"""Handlers of a client that is about to enter, by kind."""


def first_action(kind: ActionType) -> Callable[[Callable[[CoSession], None]], Callable[[CoSession], None]]:
    """Register what is done for a client whose character is not in the world yet."""

    def register(handler: Callable[[CoSession], None]) -> Callable[[CoSession], None]:
        FIRST[kind] = handler
        return handler

    return register


def action(
    kind: ActionType, *, loading: bool = False, every: Interval | None = None, prompt: bool = False
) -> Callable[[Handler], Handler]:
    """Register a handler of a kind; what the world refuses it (`Cannot`), its player is told. `every` and
    `prompt` as in `protocol.dispatch.Table.on`. Raises ValueError if the kind has one already."""

    def register(handler: Handler) -> Handler:
        if kind in ACTIONS:
            raise ValueError(f"{kind!r} has a handler already")
        ACTIONS[kind] = ActionRow(handler, loading, every, prompt)
        return handler

    return register


def _interval(packet: Action) -> Interval | None:
    """The interval of an action's kind."""
    row = ACTIONS.get(packet.action)
    return row.interval if row is not None else None


def _prompt(packet: Action) -> bool:
    """Whether an action's kind is answered as a step is."""
    row = ACTIONS.get(packet.action)
    return row is not None and row.prompt


@TABLE.on(Action, during=frozenset({Phase.ENTERING, Phase.IN_WORLD}), every=_interval, prompt=_prompt)
def act(session: CoSession, packet: Action) -> None:
    """Action: see ACTIONS."""
    kind = packet.action
    if session.phase is Phase.ENTERING:
        if kind in FIRST:
            FIRST[kind](session)
        return
    if kind in IDLE:
        return
    row = ACTIONS.get(kind)
    if row is None:
        _log_once(session, packet)
        if session.playing is not None:
            tell(session, Wish.UNKNOWN)
        return
    mobile = session.mobile if row.loading else session.playing
    if mobile is None:
        return
    own = CoView.of(session).figures.ids.of(mobile)
    if (
        packet.id != own
        and kind != ActionType.TEAM_MEMBER_POSITION
        and not (kind == ActionType.QUERY_PLAYER and packet.data == own)
    ):
        log.debug("%r: speaks of %d in %s", session, packet.id, ActionType(kind).name)
        tell(session, Wish.FORGED)
        return
    try:
        row.handler(session, mobile, packet)
    except Cannot as cannot:
        session.refuse_wish(mobile, cannot)


def _log_once(session: CoSession, packet: Action) -> None:
    if len(session.strange_actions) < MOST_STRANGE and packet.action not in session.strange_actions:
        session.strange_actions.add(packet.action)
        log.info("%r: there is no action %d here", session, packet.action)
