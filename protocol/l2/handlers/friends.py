"""Friends: whom a player wants to find again, and who agreed to that.

Anybody in the world may be asked, whatever game it is played from: it is the world that asks. Only this game
has lists of friends, so a friendship is kept with both if both play it, and else with the one who asked.
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final
from weakref import ref

from protocol.l2 import keepsakes
from protocol.l2.handlers.table import on, playing
from protocol.l2.packets import (
    ActionFailed,
    FriendEntry,
    FriendList,
    RequestAnswerFriendInvite,
    RequestFriendDel,
    RequestFriendInvite,
    RequestFriendList,
)
from protocol.services import Denied
from protocol.session import NO_LINK, Phase
from world import dialogs, speech
from world.dialogs import Button

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.mobile import Mobile
    from world.world import World

log = logging.getLogger("net.l2")

YES: Final = 1
NO: Final = 0

MOST_FRIENDS: Final = 64

INVITE_SECONDS: Final = 2.0
"""Between two invitations of one player: each opens a window before somebody's eyes."""


def friend_list(session: L2Session, world: World) -> FriendList:
    """All friends, and who of them is there."""
    friends = session.keepsakes.friends
    return FriendList(tuple(_entry(world, serial, name) for serial, name in friends.items()))


def _entry(world: World, serial: int, name: str) -> FriendEntry:
    online = _is_online(world, serial)
    return FriendEntry(character_id=serial, name=name, online=int(online), object_id=serial if online else 0)


def _is_online(world: World, serial: int) -> bool:
    mobile = world.mobiles.get(serial)
    return mobile is not None and mobile.online


@on(RequestFriendList, during=Phase.IN_WORLD)
def list_friends(session: L2Session, packet: RequestFriendList) -> None:
    """RequestFriendList: in words, for that is how the player asked for it."""
    mobile = playing(session)
    if mobile is None:
        return
    lines = [
        f"{name} ({'online' if _is_online(mobile.world, serial) else 'offline'})"
        for serial, name in session.keepsakes.friends.items()
    ]
    speech.notice(mobile, "Your friends: " + ", ".join(lines) if lines else "You have no friends yet.")


@on(RequestFriendInvite, during=Phase.IN_WORLD, every=INVITE_SECONDS)
def invite(session: L2Session, packet: RequestFriendInvite) -> None:
    """RequestFriendInvite: ask somebody who is there."""
    mobile = playing(session)
    if mobile is None:
        return
    name = speech.clean(packet.name)
    friend = mobile.world.online_by_name(name)
    friends = session.keepsakes.friends
    if friend is None:
        speech.notice(mobile, f"There is no {name} here.")
    elif friend is mobile:
        speech.notice(mobile, "You cannot be your own friend.")
    elif friend.serial in friends:
        speech.notice(mobile, f"{friend.name} is your friend already.")
    elif len(friends) >= MOST_FRIENDS:
        speech.notice(mobile, f"You have {MOST_FRIENDS} friends; more cannot be kept.")
    elif _is_asked_by_another(friend, mobile):
        speech.notice(mobile, f"Somebody else is asking {friend.name} already.")
    else:
        dialogs.ask(
            friend,
            keepsakes.FRIENDSHIP,
            title="Friendship",
            text=f"{mobile.name} wants to be your friend.",
            buttons=(Button(YES, "Yes"), Button(NO, "No")),
            answered=partial(_answered, ref(session), mobile),
            asker=mobile,
        )
        speech.notice(mobile, f"You asked {friend.name} to be your friend.")
    session.send(ActionFailed())


def _is_asked_by_another(friend: Mobile, mobile: Mobile) -> bool:
    """Whether the window of somebody else's invitation is open: the answer does not say whom it is for."""
    return any(
        one.name == keepsakes.FRIENDSHIP
        and one.asker is not None
        and one.asker is not mobile
        and one.asker.online
        for one in friend.dialogs.values()
    )


def _answered(reference: ref[L2Session], asker: Mobile, friend: Mobile, button: int) -> None:
    """Who was asked has answered. Nothing happens if the other one is not there any more."""
    session = reference()
    if session is None or session.mobile is not asker:
        return
    if button != YES:
        speech.notice(asker, f"{friend.name} does not want to be your friend.")
        return
    _add(session, friend)


@on(RequestAnswerFriendInvite, during=Phase.IN_WORLD)
def answer(session: L2Session, packet: RequestAnswerFriendInvite) -> None:
    """RequestAnswerFriendInvite: whether to be the friend of who asked."""
    mobile = playing(session)
    if mobile is None:
        return
    asked = (one for one in mobile.dialogs.values() if one.name == keepsakes.FRIENDSHIP)
    dialog = next(asked, None)
    if dialog is None or dialog.asker is None:
        return
    button = YES if packet.answer == YES else NO
    asker = dialog.asker
    if dialogs.answer(mobile, dialog.serial, dialog.type_id, button) and button == YES and asker.online:
        _add(session, asker)


def _add(session: L2Session, friend: Mobile) -> None:
    """Into the list, and say so."""
    friends, mobile = session.keepsakes.friends, session.mobile
    if mobile is None or (len(friends) >= MOST_FRIENDS and friend.serial not in friends):
        return
    friends[friend.serial] = friend.name
    speech.notice(mobile, f"{friend.name} is your friend now.")
    _changed(session)


@on(RequestFriendDel, during=Phase.IN_WORLD)
def forget(session: L2Session, packet: RequestFriendDel) -> None:
    """RequestFriendDel: out of one's own list. The other one's is its own."""
    mobile = playing(session)
    if mobile is None:
        return
    folded = packet.name.casefold()
    friends = session.keepsakes.friends
    serial = next((serial for serial, name in friends.items() if name.casefold() == folded), None)
    if serial is None:
        speech.notice(mobile, f"{speech.clean(packet.name)} is not among your friends.")
        return
    name = friends.pop(serial)
    speech.notice(mobile, f"{name} is not your friend any more.")
    _changed(session)


def _changed(session: L2Session) -> None:
    """Show the list, and write it."""
    session.send(friend_list(session, session.world))
    if session.link is not NO_LINK:
        session.later(partial(_keep, session))


async def _keep(session: L2Session) -> None:
    try:
        await keepsakes.keep(session, keepsakes.FRIENDS)
    except Denied as denied:
        log.warning("the friends of %r cannot be kept: %s", session, denied)
