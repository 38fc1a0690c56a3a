"""Friends: all that the client's list of them sends (`protocol.co.friends`).

The client asks the other one first, whatever game that one plays; who asks back has agreed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.figures import serial_of
from protocol.co.friends import about, info, listed
from protocol.co.handlers.looking import seen
from protocol.co.handlers.table import TABLE, action
from protocol.co.packets import Action, ActionType, Friend, FriendAction
from protocol.co.view import CoView
from protocol.dispatch import Interval
from protocol.wishes import Wish, tell
from world import friends, invites
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.co.session import CoSession
    from world.mobile import Mobile

AWAY: Final = "{} is not here now."


@action(ActionType.FRIENDS, loading=True, every=Interval(0.25, burst=3, coalesced=True))
def list_friends(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """FRIENDS: all on one's list, and the action again. There are no enemies."""
    session.friends_listed = True
    session.send(*listed(mobile), packet)


@TABLE.while_playing(Friend, every=Interval(0.2, burst=5))
def act(session: CoSession, mobile: Mobile, packet: Friend) -> None:
    """Friend: a question or the answer to one, off one's list, or whether somebody on it is here. Raises
    Cannot, as `friends.ask` and `friends.unfriend`."""
    match packet.action:
        case FriendAction.APPLY:
            _ask(session, mobile, packet.id)
        case FriendAction.ACCEPT:
            invites.accept(mobile, friends.FRIENDSHIP, _asker(session, packet.id))
        case FriendAction.BREAK:
            friends.unfriend(mobile, _on_list(mobile, packet.id))
        case FriendAction.INFO:
            _tell_whether_here(session, mobile, packet.id)
        case FriendAction.ENEMY_ADD | FriendAction.ENEMY_DELETE:
            tell(session, Wish.FOES)
        case _:
            tell(session, Wish.UNKNOWN)


def _ask(session: CoSession, mobile: Mobile, number: int) -> None:
    """Ask somebody in sight, or say yes to who has asked, wherever that one is."""
    other = CoView.of(session).figures.ids.mobile(number)
    if other is None or invites.pending(mobile, friends.FRIENDSHIP, other) is None:
        other = seen(session, mobile, number)
    if other is None:
        raise Cannot(Refusal.UNSEEN)
    friends.ask(mobile, other)


def _asker(session: CoSession, number: int) -> Mobile:
    asker = CoView.of(session).figures.ids.mobile(number)
    if asker is None:
        raise Cannot(Refusal.NOT_ASKED)
    return asker


def _on_list(mobile: Mobile, number: int) -> str:
    """The name of a friend. Raises Cannot(NOBODY)."""
    name = friends.friends_of(mobile).get(serial_of(number))
    if name is None:
        raise Cannot(Refusal.NOBODY, friends.NO_FRIEND)
    return name


def _tell_whether_here(session: CoSession, mobile: Mobile, number: int) -> None:
    name, serial = _on_list(mobile, number), serial_of(number)
    here = friends.is_here(mobile.world, serial)
    kind = FriendAction.ONLINE if here else FriendAction.OFFLINE
    session.send(about(mobile.world, serial, name, kind, here=here))


@action(ActionType.FRIEND_INFO, every=Interval(0.2, burst=5))
def tell_more(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """FRIEND_INFO: more of a friend who is here; `data` is who. Raises Cannot(NOBODY)."""
    name, serial = _on_list(mobile, packet.data), serial_of(packet.data)
    friend = mobile.world.mobiles.get(serial) if friends.is_here(mobile.world, serial) else None
    if friend is None:
        raise Cannot(Refusal.NOBODY, AWAY.format(name))
    session.send(info(CoView.of(session).figures, friend))
