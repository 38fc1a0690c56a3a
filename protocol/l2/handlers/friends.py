"""Friends: whom a player wants to find again (`world.friends`).

This game's client asks the other one first, whatever game that one is played from: it is the world that asks.
Who agrees is put on the list of the one who asked, and puts that one on its own.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from protocol.denials import Denied
from protocol.l2 import notes
from protocol.l2.figures import LONGEST_NAME, NAMING
from protocol.l2.handlers.table import ROWS
from protocol.l2.packets import (
    FriendRecvMsg,
    RequestAnswerFriendInvite,
    RequestFriendDel,
    RequestFriendInvite,
    RequestFriendList,
    RequestSendFriendMsg,
    SystemMessage,
    SystemMessageId,
)
from protocol.l2.packets import text as text_of
from protocol.l2.view import L2View
from protocol.l2.words import friend_name
from protocol.wishes import Wish, tell
from world import dialogs, friends, invites, presence, speech
from world.reach import Cannot

if TYPE_CHECKING:
    from protocol.l2.session import L2Session, Notes
    from world.mobile import Mobile

log = logging.getLogger("net.l2")

YES: Final = 1
NO: Final = 0

INVITE_SECONDS: Final = 2.0
"""Between two invitations of one player: each opens a window before somebody's eyes."""


@ROWS.while_playing(RequestFriendList)
def list_friends(session: L2Session, mobile: Mobile, packet: RequestFriendList) -> None:
    """RequestFriendList: in words, for that is how the player asked for it."""
    _say(session, SystemMessageId.FRIEND_LIST_HEAD)
    for serial, name in friends.friends_of(mobile).items():
        online = friends.is_here(mobile.world, serial)
        line = SystemMessageId.FRIEND_ONLINE if online else SystemMessageId.FRIEND_OFFLINE
        _say(session, line, friend_name(mobile.world, serial, name))
    _say(session, SystemMessageId.FRIEND_LIST_FOOT)


def _say(session: L2Session, line: SystemMessageId, *names: str) -> None:
    """A text of the client's own, with the names that stand in it."""
    session.send(SystemMessage(line, tuple(text_of(name) for name in names)))


@ROWS.while_acting(RequestFriendInvite, every=INVITE_SECONDS)
def invite(session: L2Session, mobile: Mobile, packet: RequestFriendInvite) -> None:
    """RequestFriendInvite: ask somebody who is there. Raises Cannot, as `friends.ask`."""
    name = speech.clean(packet.name)
    friend = presence.by_name(mobile, name)
    if friend is None:
        _say(session, SystemMessageId.NOT_LOGGED_IN, name[:LONGEST_NAME])
    elif friend is mobile:
        _say(session, SystemMessageId.CANNOT_BEFRIEND_YOURSELF)
    elif friend.serial in friends.friends_of(mobile):
        _say(session, SystemMessageId.ALREADY_FRIEND, NAMING.of(friend))
    else:
        friends.ask(mobile, friend)


@ROWS.while_playing(RequestAnswerFriendInvite)
def answer(session: L2Session, mobile: Mobile, packet: RequestAnswerFriendInvite) -> None:
    """RequestAnswerFriendInvite: whether to be the friend of who asked."""
    dialog = invites.pending(mobile, friends.FRIENDSHIP)
    if dialog is None:
        tell(session, Wish.UNASKED)
        return
    dialogs.answer(mobile, dialog.serial, dialog.type_id, YES if packet.answer == YES else NO)


@ROWS.while_playing(RequestFriendDel)
def forget(session: L2Session, mobile: Mobile, packet: RequestFriendDel) -> None:
    """RequestFriendDel: out of one's own list. The other one's is its own."""
    try:
        friends.unfriend(mobile, packet.name)
    except Cannot:
        _say(session, SystemMessageId.NOT_A_FRIEND, speech.clean(packet.name, LONGEST_NAME))


# A list of this game's own, of an earlier time


def adopt(session: L2Session, mobile: Mobile) -> None:
    """Give the world the list that was kept with a character for this game alone."""
    kept = session.notes
    if kept.friends:
        friends.adopt(mobile, kept.friends)
        kept.friends.clear()
        session.services.start(partial(_keep, session, mobile.serial, kept))


async def _keep(session: L2Session, serial: int, kept: Notes) -> None:
    try:
        await notes.keep_for(session, serial, kept, notes.FRIENDS)
    except Denied as denied:
        log.warning("the friends of %r cannot be kept: %s", session, denied)


# Words


@ROWS.while_playing(RequestSendFriendMsg)
def say_to_friend(session: L2Session, mobile: Mobile, packet: RequestSendFriendMsg) -> None:
    """RequestSendFriendMsg: words for one friend, in a window of their own where its client has one. Who is
    no friend of the speaker's any more is not there for it (L2J_Mobius: RequestSendFriendMsg)."""
    words = speech.clean(packet.text)
    if not words:
        return
    friend = presence.hearer(mobile, packet.name)
    afar = presence.hearer_afar(mobile, packet.name) if friend is None else None
    if afar is not None and afar.serial in friends.friends_of(mobile):
        speech.tell(mobile, afar.name, words)
        return
    if friend is None or friend.serial not in friends.friends_of(mobile):
        _say(session, SystemMessageId.PLAYER_NOT_ONLINE)
        return
    other = L2View.of(session).players.of(friend)
    if other is None or other.loading:
        speech.tell(mobile, friend.name, words)
    elif mobile.serial in friends.friends_of(friend):
        words = speech.confided(mobile, friend, words)
        other.send(FriendRecvMsg(receiver=NAMING.of(friend), sender=NAMING.of(mobile), text=words))
    else:
        _say(session, SystemMessageId.PLAYER_NOT_ONLINE)
