"""Friends: whom a player wants to find again, and who agreed to that.

Anybody in the world may be asked, whatever game it is played from: it is the world that asks. Only this game
has lists of friends, so a friendship is kept with both if both play it, and else with the one who asked. Who
has friends is told when one of them comes or goes, from whatever game.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.l2 import notes
from protocol.l2.figures import LONGEST_NAME, NAMING
from protocol.l2.handlers.table import ROWS
from protocol.l2.packets import (
    FriendEntry,
    FriendList,
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
from protocol.services import Denied
from protocol.session import NO_LINK
from protocol.wishes import Wish, tell
from world import dialogs, speech
from world.dialogs import Button
from world.timers import Priority

if TYPE_CHECKING:
    from protocol.l2.session import L2Session, Notes
    from world.mobile import Mobile
    from world.surroundings import Surroundings

log = logging.getLogger("net.l2")

YES: Final = 1
NO: Final = 0

MOST_FRIENDS: Final = 64

INVITE_SECONDS: Final = 2.0
"""Between two invitations of one player: each opens a window before somebody's eyes."""

WATCH_SECONDS: Final = 1.0
"""Between two looks at who of a player's friends is there."""


def friend_list(session: L2Session, world: Surroundings) -> FriendList:
    """All friends, and who of them is there."""
    friends = session.notes.friends
    return FriendList(tuple(_entry(world, serial, name) for serial, name in friends.items()))


def _entry(world: Surroundings, serial: int, name: str) -> FriendEntry:
    online = _is_online(world, serial)
    return FriendEntry(character_id=serial, name=name, online=int(online), object_id=serial if online else 0)


def _is_online(world: Surroundings, serial: int) -> bool:
    mobile = world.mobiles.get(serial)
    return mobile is not None and mobile.online


@ROWS.while_playing(RequestFriendList)
def list_friends(session: L2Session, mobile: Mobile, packet: RequestFriendList) -> None:
    """RequestFriendList: in words, for that is how the player asked for it."""
    _say(session, SystemMessageId.FRIEND_LIST_HEAD)
    for serial, name in session.notes.friends.items():
        online = _is_online(mobile.world, serial)
        line = SystemMessageId.FRIEND_ONLINE if online else SystemMessageId.FRIEND_OFFLINE
        _say(session, line, name)
    _say(session, SystemMessageId.FRIEND_LIST_FOOT)


def _say(session: L2Session, line: SystemMessageId, *names: str) -> None:
    """A text of the client's own, with the names that stand in it."""
    session.send(SystemMessage(line, tuple(text_of(name) for name in names)))


@ROWS.while_acting(RequestFriendInvite, every=INVITE_SECONDS)
def invite(session: L2Session, mobile: Mobile, packet: RequestFriendInvite) -> None:
    """RequestFriendInvite: ask somebody who is there."""
    name = speech.clean(packet.name)
    friend = mobile.world.online_by_name(name)
    friends = session.notes.friends
    if friend is None:
        _say(session, SystemMessageId.NOT_LOGGED_IN, name[:LONGEST_NAME])
    elif friend is mobile:
        _say(session, SystemMessageId.CANNOT_BEFRIEND_YOURSELF)
    elif friend.serial in friends:
        _say(session, SystemMessageId.ALREADY_FRIEND, NAMING.of(friend))
    elif len(friends) >= MOST_FRIENDS:
        speech.notice(mobile, f"You have {MOST_FRIENDS} friends; more cannot be kept.")
    elif _is_asked_by_another(friend, mobile):
        speech.notice(mobile, f"Somebody else is asking {friend.name} already.")
    else:
        dialogs.ask(
            friend,
            notes.FRIENDSHIP,
            title="Friendship",
            text=f"{mobile.name} wants to be your friend.",
            buttons=(Button(YES, "Yes"), Button(NO, "No")),
            answered=partial(_answered, ref(session), mobile),
            asker=mobile,
            anywhere=True,
        )
        speech.notice(mobile, f"You asked {friend.name} to be your friend.")


def _is_asked_by_another(friend: Mobile, mobile: Mobile) -> bool:
    """Whether the window of somebody else's invitation is open: the answer does not say whom it is for."""
    return any(
        one.name == notes.FRIENDSHIP
        and one.asker is not None
        and one.asker is not mobile
        and one.asker.online
        for one in friend.dialogs.values()
    )


def _answered(reference: ref[L2Session], asker: Mobile, friend: Mobile, reply: dialogs.Reply) -> None:
    """Take the answer of somebody who was asked. Nothing happens if the other one is not there any more."""
    session = reference()
    if session is None or session.mobile is not asker:
        return
    if reply.button != YES:
        speech.notice(asker, f"{friend.name} does not want to be your friend.")
        return
    _add(session, friend)


@ROWS.while_playing(RequestAnswerFriendInvite)
def answer(session: L2Session, mobile: Mobile, packet: RequestAnswerFriendInvite) -> None:
    """RequestAnswerFriendInvite: whether to be the friend of who asked."""
    asked = (one for one in mobile.dialogs.values() if one.name == notes.FRIENDSHIP)
    dialog = next(asked, None)
    if dialog is None or dialog.asker is None:
        tell(session, Wish.UNASKED)
        return
    button = YES if packet.answer == YES else NO
    asker = dialog.asker
    if dialogs.answer(mobile, dialog.serial, dialog.type_id, button) and button == YES and asker.online:
        _add(session, asker)


def _add(session: L2Session, friend: Mobile) -> None:
    """Into the list, and say so."""
    friends, mobile = session.notes.friends, session.mobile
    if mobile is None or (len(friends) >= MOST_FRIENDS and friend.serial not in friends):
        return
    friends[friend.serial] = NAMING.of(friend)
    _say(session, SystemMessageId.FRIEND_ADDED, NAMING.of(friend))
    _changed(session)


@ROWS.while_playing(RequestFriendDel)
def forget(session: L2Session, mobile: Mobile, packet: RequestFriendDel) -> None:
    """RequestFriendDel: out of one's own list. The other one's is its own."""
    folded = packet.name.casefold()
    friends = session.notes.friends
    serial = next((serial for serial, name in friends.items() if name.casefold() == folded), None)
    if serial is None:
        _say(session, SystemMessageId.NOT_A_FRIEND, speech.clean(packet.name, LONGEST_NAME))
        return
    name = friends.pop(serial)
    _say(session, SystemMessageId.FRIEND_REMOVED, name)
    _changed(session)


def _changed(session: L2Session) -> None:
    """Show the list, and write it, though the client may be gone with the end of this turn."""
    session.send(friend_list(session, session.world))
    keep_watching(session)
    mobile = session.mobile
    if mobile is not None:
        session.services.start(partial(_keep, session, mobile.serial, session.notes))


async def _keep(session: L2Session, serial: int, kept: Notes) -> None:
    try:
        await notes.keep_for(session, serial, kept, notes.FRIENDS)
    except Denied as denied:
        log.warning("the friends of %r cannot be kept: %s", session, denied)


# Who is there


def keep_watching(session: L2Session) -> None:
    """From now on tell a client in the world when one of its friends comes or goes."""
    session.friends_here = _who_is_here(session)
    _look_again(session)


def _look_again(session: L2Session) -> None:
    if session.watch is not None:
        session.watch.cancel()
    session.watch = None
    if session.notes.friends:
        timers = session.world.timers
        session.watch = timers.after(WATCH_SECONDS, _look, ref(session), priority=Priority.S1)


def _look(reference: ref[L2Session]) -> None:
    session = reference()
    if session is None or session.mobile is None or session.link is NO_LINK:
        return
    if not session.loading:
        _tell_who_is_here(session)
    _look_again(session)


def _who_is_here(session: L2Session) -> frozenset[int]:
    return frozenset(serial for serial in session.notes.friends if _is_online(session.world, serial))


def _tell_who_is_here(session: L2Session) -> None:
    """Tell who came and who went since the last look, and the list with that."""
    before, here = session.friends_here, _who_is_here(session)
    if here == before:
        return
    session.friends_here = here
    for serial in sorted(here ^ before):
        line = SystemMessageId.FRIEND_LOGGED_IN if serial in here else SystemMessageId.FRIEND_OFFLINE
        _say(session, line, session.notes.friends[serial])
    session.send(friend_list(session, session.world))


# Words


@ROWS.while_playing(RequestSendFriendMsg)
def say_to_friend(session: L2Session, mobile: Mobile, packet: RequestSendFriendMsg) -> None:
    """RequestSendFriendMsg: words for one friend, in a window of their own where its client has one. Who is
    no friend of the speaker's any more is not there for it (L2J_Mobius: RequestSendFriendMsg)."""
    words = speech.clean(packet.text)
    if not words:
        return
    friend = mobile.world.online_by_name(packet.name)
    if friend is None or friend.serial not in session.notes.friends:
        _say(session, SystemMessageId.PLAYER_NOT_ONLINE)
        return
    other = L2View.of(session).players.of(friend)
    if other is None or other.loading:
        speech.tell(mobile, friend.name, words)
    elif mobile.serial in other.notes.friends:
        other.send(FriendRecvMsg(receiver=NAMING.of(friend), sender=NAMING.of(mobile), text=words))
    else:
        _say(session, SystemMessageId.PLAYER_NOT_ONLINE)
