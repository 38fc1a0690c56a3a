"""Words and gestures as Lineage II's messages: chat, social actions, lines of the server's, questions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.l2.dialogs import question
from protocol.l2.figures import NAMING
from protocol.l2.keepsakes import FRIENDSHIP
from protocol.l2.packets import (
    ChatType,
    CreatureSay,
    FriendAddRequest,
    Social,
    SocialAction,
    SystemMessage,
    SystemMessageId,
    text,
)
from protocol.l2.refusals import OWN_TEXTS
from world.moments import Speech

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.l2.profiles import Profile
    from protocol.session import Outgoing
    from world.mobile import Dialog
    from world.moments import Gestured, Said

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


def said(moment: Said, profile: Profile) -> Sequence[Outgoing]:
    """Somebody's words, or the server's."""
    if moment.how is Speech.SYSTEM:
        own_text = OWN_TEXTS.get(moment.means) if moment.means is not None else None
        return told(profile, moment.text) if own_text is None else profile.bodies(SystemMessage(own_text))
    if moment.how is Speech.EMOTE and moment.thing is not None and moment.text in EMOTES:
        return profile.bodies(SocialAction(moment.thing.serial, EMOTES[moment.text]))
    line = f"*{moment.text}*" if moment.how is Speech.EMOTE else moment.text
    # A line of somebody who may be far away or in another realm belongs to no figure.
    near = moment.thing is not None and moment.how in _HEARD_NEAR
    speaker = moment.thing.serial if near and moment.thing is not None else 0
    name = "" if moment.how is Speech.ANNOUNCE and moment.thing is None else NAMING.speaker(moment)
    return profile.bodies(CreatureSay(speaker, CHANNELS[moment.how], name, line[:LONGEST_TEXT]))


def told(profile: Profile, line: str) -> Sequence[Outgoing]:
    """A line of the server's."""
    return profile.bodies(SystemMessage(SystemMessageId.TEXT, (text(line[:LONGEST_TEXT]), text(""))))


def gestured(moment: Gestured, profile: Profile) -> Sequence[Outgoing]:
    """A gesture, in words if this game has none like it."""
    mobile, action = moment.thing, GESTURES.get(moment.gesture)
    if action is not None:
        return profile.bodies(SocialAction(mobile.serial, action))
    words = _WORDS.get(moment.gesture, f"*{moment.gesture}*")
    return profile.bodies(CreatureSay(mobile.serial, ChatType.ALL, NAMING.of(mobile), words))


def asked(dialog: Dialog, profile: Profile) -> Sequence[Outgoing]:
    """A page with buttons; whether to be friends, the client has a window of its own for."""
    if dialog.name == FRIENDSHIP and dialog.asker is not None:
        return profile.bodies(FriendAddRequest(NAMING.of(dialog.asker)))
    return (question(dialog, profile),)
