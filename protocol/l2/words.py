"""Words and gestures as Lineage II's messages: chat, social actions, lines of the server's, questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from protocol.l2.dialogs import question
from protocol.l2.figures import NAMING
from protocol.l2.packets import (
    ChatType,
    CreatureSay,
    FriendAddRequest,
    FriendEntry,
    FriendList,
    SendTradeRequest,
    Social,
    SocialAction,
    SystemMessage,
    SystemMessageId,
    text,
)
from protocol.l2.refusals import OWN_TEXTS
from protocol.rendering import tells_of_acquaintances
from world.events import FriendListed, FriendStirred, IgnoreListed, Speech
from world.friends import FRIENDSHIP, friends_of, is_here
from world.trade import TRADE

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.l2.versions import L2Version
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.events import Event, Gestured, Said
    from world.mobile import Dialog, Mobile
    from world.thing import Surroundings

V = TypeVar("V")

CHANNELS: Final = {
    Speech.SAY: ChatType.ALL,
    Speech.WHISPER: ChatType.ALL,
    Speech.EMOTE: ChatType.ALL,
    Speech.YELL: ChatType.SHOUT,
    Speech.TELL: ChatType.TELL,
    Speech.PARTY: ChatType.PARTY,
    Speech.GUILD: ChatType.CLAN,
    Speech.ALLIANCE: ChatType.ALLIANCE,
    Speech.GLOBAL: ChatType.TRADE,
    Speech.ANNOUNCE: ChatType.ANNOUNCEMENT,
}
"""The client has no chat for everybody but heroes'; the traders' is the one that every player may use."""

_HEARD_NEAR: Final = (Speech.SAY, Speech.WHISPER, Speech.EMOTE, Speech.YELL)

LONGEST_TEXT: Final = 500
"""Letters of one line. A client's own player can type 105, or so many with links to items among them."""

GESTURES: Final = {
    "happy": Social.VICTORY,
    "depressed": Social.SORROW,
    "sad": Social.SORROW,
    "angry": Social.CHARGE,
    "confused": Social.UNAWARE,
    "surprised": Social.UNAWARE,
    "laugh": Social.LAUGH,
    "love": Social.APPLAUSE,
    "drunk": Social.DANCE,
    "bow": Social.BOW,
    "salute": Social.HELLO,
    "wave": Social.HELLO,
    "dance": Social.DANCE,
    "kneel": Social.BOW,
    "pose": Social.VICTORY,
}
"""The social action that comes nearest to one of the world's gestures; for the others there are words."""
EMOTES: Final = {
    "shakes the head": Social.NO,
    "nods": Social.YES,
    "waits": Social.WAITING,
    "applauds": Social.APPLAUSE,
}
"""Social actions for which the world has no gesture but words, as players of this game say them."""
_WORDS: Final = {
    "moon": "*moons everybody*",
    "suicidal": "*despairs*",
    "embarrassed": "*blushes*",
}


def said(event: Said, version: L2Version) -> Sequence[Outgoing]:
    """Somebody's words, or the server's."""
    if event.how is Speech.SYSTEM:
        own_text = OWN_TEXTS.get(event.means) if event.means is not None else None
        return told(version, event.text) if own_text is None else version.bodies(SystemMessage(own_text))
    if event.how is Speech.EMOTE and event.thing is not None and event.text in EMOTES:
        return version.bodies(SocialAction(event.thing.serial, EMOTES[event.text]))
    line = f"*{event.text}*" if event.how is Speech.EMOTE else event.text
    # A line of somebody who may be far away or in another realm belongs to no figure.
    near = event.thing is not None and event.how in _HEARD_NEAR
    speaker = event.thing.serial if near and event.thing is not None else 0
    name = "" if event.how is Speech.ANNOUNCE and not event.spoken else NAMING.speaker(event)
    return version.bodies(CreatureSay(speaker, CHANNELS[event.how], name, line[:LONGEST_TEXT]))


def told(version: L2Version, line: str) -> Sequence[Outgoing]:
    """A line of the server's."""
    return version.bodies(SystemMessage(SystemMessageId.TEXT, (text(line[:LONGEST_TEXT]), text(""))))


def own(event: Event, version: L2Version) -> Sequence[Outgoing]:
    """Tell the player whom it befell what an event says of itself."""
    line = event.words(own=True)
    return () if line is None else told(version, line)


def gestured(event: Gestured, version: L2Version) -> Sequence[Outgoing]:
    """A gesture, in words if this game has none like it."""
    mobile, action = event.thing, GESTURES.get(event.gesture)
    if action is not None:
        return version.bodies(SocialAction(mobile.serial, action))
    words = _WORDS.get(event.gesture, f"*{event.gesture}*")
    return version.bodies(CreatureSay(mobile.serial, ChatType.ALL, NAMING.of(mobile), words))


def shows_friends(events: Renderings[V, L2Version]) -> None:
    """Declare how this game's view shows friends, and what else players have to do with one another."""
    events.renders(FriendListed)(listed)
    events.renders(FriendStirred)(stirred)
    events.renders(IgnoreListed)(ignored)
    tells_of_acquaintances(events, FriendListed, FriendStirred, IgnoreListed)


def friend_list(mobile: Mobile) -> FriendList:
    """All friends of a character, and who of them is there."""
    return FriendList(
        tuple(_entry(mobile.world, serial, name) for serial, name in friends_of(mobile).items())
    )


def _entry(world: Surroundings, serial: int, name: str) -> FriendEntry:
    here = is_here(world, serial)
    return FriendEntry(serial, friend_name(world, serial, name), int(here), serial if here else 0)


def friend_name(world: Surroundings, serial: int, name: str) -> str:
    """Name, in this game, of somebody on a list."""
    known = world.directory.of(serial)
    return name if known is None else NAMING.known(known)


def listed(view: object, event: FriendListed, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
    """SystemMessage with the client's own text, and FriendList."""
    line = SystemMessageId.FRIEND_ADDED if event.listed else SystemMessageId.FRIEND_REMOVED
    return _about_friend(event, line, version)


def stirred(view: object, event: FriendStirred, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
    """SystemMessage with the client's own text, and FriendList."""
    line = SystemMessageId.FRIEND_LOGGED_IN if event.online else SystemMessageId.FRIEND_OFFLINE
    return _about_friend(event, line, version)


def _about_friend(
    event: FriendListed | FriendStirred, line: SystemMessageId, version: L2Version
) -> Sequence[Outgoing]:
    name = friend_name(event.thing.world, event.serial, event.name)
    return version.bodies(SystemMessage(line, (text(name),)), friend_list(event.thing))


def ignored(view: object, event: IgnoreListed, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
    """SystemMessage with the client's own text."""
    line = SystemMessageId.IGNORED if event.listed else SystemMessageId.HEEDED
    name = friend_name(event.thing.world, event.serial, event.name)
    return version.bodies(SystemMessage(line, (text(name),)))


def asked(dialog: Dialog, version: L2Version) -> Sequence[Outgoing]:
    """A page with buttons; whether to trade and whether to be friends, the client has windows of its own
    for."""
    if dialog.name == TRADE and dialog.asker is not None:
        return version.bodies(SendTradeRequest(dialog.asker.serial))
    if dialog.name == FRIENDSHIP and dialog.asker is not None:
        return version.bodies(FriendAddRequest(NAMING.of(dialog.asker)))
    return (question(dialog, version),)
