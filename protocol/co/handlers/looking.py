"""Questions of a client about what it sees: who that is, what it wears."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.co.handlers.table import action
from protocol.co.packets import Action, ActionType, ItemInfoMode
from protocol.co.view import CoView
from protocol.dispatch import Interval
from protocol.wishes import Wish, tell
from world.reach import Refusal, can_see
from world.speech import notice

if TYPE_CHECKING:
    from protocol.co.session import CoSession
    from world.mobile import Mobile


def seen(session: CoSession, mobile: Mobile, number: int) -> Mobile | None:
    """Somebody that this client sees now, by its number; its own character, too."""
    thing = CoView.of(session).figures.ids.mobile(number)
    if thing is None or (thing is not mobile and thing.serial not in session.known):
        return None
    return thing if can_see(mobile, thing) else None


@action(ActionType.QUERY_PLAYER, every=Interval(0.1, burst=10))
def who(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """QUERY_PLAYER: the client was told of somebody that it does not know. Public servers differ on which of
    the two numbers is whose."""
    figures = CoView.of(session).figures
    own = figures.ids.of(mobile)
    thing = seen(session, mobile, packet.data if packet.id == own else packet.id)
    if thing is not None and thing is not mobile:
        session.send(figures.figure(thing))


@action(ActionType.LOOK_AT, every=Interval(0.2, burst=3))
def inspect(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """LOOK_AT: what somebody wears, piece by piece."""
    thing = seen(session, mobile, packet.data)
    if thing is None:
        notice(mobile, Refusal.UNSEEN.value)
        return
    if not thing.is_character:
        tell(session, Wish.INSPECTING)
        return
    figures = CoView.of(session).figures
    number = figures.ids.of(thing)
    for item in figures.worn(thing):
        item.id, item.mode = number, ItemInfoMode.OTHER_PLAYER
        session.send(item)
