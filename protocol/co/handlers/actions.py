"""Action (1010): most of what a client does comes as this one packet, told apart by its `action`.

Handlers of actions are registered by `action`. Each is asked only for a client that plays a mobile, and that
speaks of this very mobile: the client's own number stands in every such packet, and a wrong one is a forgery.
What is unknown is logged and never sent back.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final, TypeAlias
from weakref import ref

import attrs

from protocol.co.handlers.table import GAME, playing
from protocol.co.packets import Action, ActionType
from protocol.session import NO_LINK, Phase
from world.timers import Priority

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.co.session import CoSession
    from world.mobile import Mobile

    Handler: TypeAlias = Callable[[CoSession, Mobile, Action], None]

log = logging.getLogger("net.co")

MOST_STRANGE: Final = 64
"""Unknown actions of one client that are remembered and logged."""


@attrs.frozen
class Registered:
    """A handler of one action. `loading`: it is asked of clients that load their surroundings, too; `every`:
    seconds that have to lie between two of one client. Of those that come sooner the newest is handled when
    its time comes, and the others are dropped."""

    handler: Handler
    loading: bool
    every: float


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


def action(kind: ActionType, *, loading: bool = False, every: float = 0.0) -> Callable[[Handler], Handler]:
    """Register a handler."""

    def register(handler: Handler) -> Handler:
        if kind in ACTIONS:
            raise ValueError(f"{kind!r} has a handler already")
        ACTIONS[kind] = Registered(handler, loading, every)
        return handler

    return register


@GAME.on(Action, during=frozenset({Phase.ENTERING, Phase.IN_WORLD}))
def act(session: CoSession, packet: Action) -> None:
    """Action: see ACTIONS."""
    try:
        kind = ActionType(packet.action)
    except ValueError:
        _log_once(session, packet)
        return
    if session.phase is Phase.ENTERING:
        if kind in FIRST:
            FIRST[kind](session)
        return
    found = ACTIONS.get(kind)
    if found is None:
        _log_once(session, packet)
        return
    mobile = session.mobile if found.loading else playing(session)
    if mobile is None:
        return
    own = session.view.figures.ids.of(mobile)
    if packet.id != own and not (kind is ActionType.QUERY_PLAYER and packet.data == own):
        log.debug("%r: speaks of %d in %s", session, packet.id, kind.name)
        return
    if not found.every:
        found.handler(session, mobile, packet)
        return
    now, due = mobile.world.now, session.acted.get(kind, float("-inf")) + found.every
    if now >= due:
        session.acted[kind] = now
        found.handler(session, mobile, packet)
        return
    waits = kind in session.too_soon
    session.too_soon[kind] = packet
    if not waits:
        mobile.world.timers.after(
            due - now, _resume, ref(session), kind, priority=Priority.EXACT, owner=mobile
        )


def _resume(reference: ref[CoSession], kind: ActionType) -> None:
    """The time of an action that came too soon."""
    session = reference()
    packet = session.too_soon.pop(kind, None) if session is not None else None
    if session is not None and packet is not None and session.link is not NO_LINK:
        act(session, packet)


def _log_once(session: CoSession, packet: Action) -> None:
    if len(session.strange_actions) < MOST_STRANGE and packet.action not in session.strange_actions:
        session.strange_actions.add(packet.action)
        log.info("%r: there is no action %d here", session, packet.action)
