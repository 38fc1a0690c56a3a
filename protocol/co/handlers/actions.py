"""Action (1010): most of what a client does comes as this one packet, told apart by its `action`.

Handlers of actions are registered by `action`. Each is asked only for a client that plays a mobile, and that
speaks of this very mobile: the client's own number stands in every such packet, and a wrong one is a forgery.
What is unknown is logged and answered in words, never sent back. How often one may come is that of its kind.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from protocol.co.handlers.table import GAME, playing
from protocol.co.packets import Action, ActionType
from protocol.session import Phase
from protocol.wishes import Wish, tell

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.co.session import CoSession
    from protocol.dispatch import Interval
    from world.mobile import Mobile

    Handler: TypeAlias = Callable[[CoSession, Mobile, Action], None]

log = logging.getLogger("net.co")

MOST_STRANGE: Final = 64
"""Unknown actions of one client that are remembered and logged."""


IDLE: Final[Mapping[int, str]] = {
    ActionType.XP_LIST_CLOSED: "the client has closed its list",
    ActionType.BOT_CHECK: "the client watches itself",
    ActionType.NEW_COORDINATES: "it tells where the client stands",
    ActionType.LAND: "the client has landed by itself",
}
"""What clients send by themselves, and why it carries no wish."""


@attrs.frozen
class Registered:
    """A handler of one action. `loading`: it is asked of clients that load their surroundings, too."""

    handler: Handler
    loading: bool
    interval: Interval | None


ACTIONS: Final[dict[ActionType, Registered]] = {}
"""Of a client in the world."""

FIRST: Final[dict[ActionType, Callable[[CoSession], None]]] = {}
"""Of a client that is about to enter."""


def first_action(kind: ActionType) -> Callable[[Callable[[CoSession], None]], Callable[[CoSession], None]]:
    """Register what is done for a client whose character is not in the world yet."""

    def register(handler: Callable[[CoSession], None]) -> Callable[[CoSession], None]:
        FIRST[kind] = handler
        return handler

    return register


def action(
    kind: ActionType, *, loading: bool = False, every: Interval | None = None
) -> Callable[[Handler], Handler]:
    """Register a handler. `every` as in `protocol.dispatch.Table.on`."""

    def register(handler: Handler) -> Handler:
        if kind in ACTIONS:
            raise ValueError(f"{kind!r} has a handler already")
        ACTIONS[kind] = Registered(handler, loading, every)
        return handler

    return register


def _interval(packet: Action) -> Interval | None:
    """How often one client may send such an action."""
    found = ACTIONS.get(packet.action)  # type: ignore[call-overload] # its kind is a number like any other
    return found.interval if found is not None else None


@GAME.on(Action, during=frozenset({Phase.ENTERING, Phase.IN_WORLD}), every=_interval)
def act(session: CoSession, packet: Action) -> None:
    """Action: see ACTIONS."""
    kind = packet.action
    if session.phase is Phase.ENTERING:
        if kind in FIRST:
            FIRST[ActionType(kind)](session)
        return
    found = ACTIONS.get(kind)  # type: ignore[call-overload] # its kind is a number like any other
    if kind in IDLE:
        return
    if found is None:
        _log_once(session, packet)
        if playing(session) is not None:
            tell(session, Wish.UNKNOWN)
        return
    mobile = session.mobile if found.loading else playing(session)
    if mobile is None:
        return
    own = session.view.figures.ids.of(mobile)
    if packet.id != own and not (kind == ActionType.QUERY_PLAYER and packet.data == own):
        log.debug("%r: speaks of %d in %s", session, packet.id, ActionType(kind).name)
        tell(session, Wish.FORGED)
        return
    found.handler(session, mobile, packet)


def _log_once(session: CoSession, packet: Action) -> None:
    if len(session.strange_actions) < MOST_STRANGE and packet.action not in session.strange_actions:
        session.strange_actions.add(packet.action)
        log.info("%r: there is no action %d here", session, packet.action)
