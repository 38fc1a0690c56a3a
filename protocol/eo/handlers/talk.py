"""Talking and gestures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    Emote,
    EmoteReportClientPacket,
    GlobalCloseClientPacket,
    GlobalOpenClientPacket,
    TalkAdminClientPacket,
    TalkAnnounceClientPacket,
    TalkMsgClientPacket,
    TalkReply,
    TalkReplyServerPacket,
    TalkReportClientPacket,
    TalkTellClientPacket,
)

from protocol.eo.handlers.table import on, playing
from protocol.session import Phase
from world import speech
from world.mobile import Access

if TYPE_CHECKING:
    from protocol.eo.session import EoSession
    from world.mobile import Mobile

ORDER_SIGNS: Final = ("$", "#")
"""What a line of local chat begins with that is an order, if a letter follows: the game's custom for staff
and for players."""

_GESTURES: Final = {
    Emote.Happy: "happy",
    Emote.Depressed: "depressed",
    Emote.Sad: "sad",
    Emote.Angry: "angry",
    Emote.Confused: "confused",
    Emote.Surprised: "surprised",
    Emote.Hearts: "love",
    Emote.Moon: "moon",
    Emote.Suicidal: "suicidal",
    Emote.Embarrassed: "embarrassed",
    Emote.Drunk: "drunk",
    Emote.Playful: "laugh",
}
"""The world's gesture for each that a player can make; what only the game itself makes (trade, level up) is
missing."""


def _is_order(
    packet: TalkReportClientPacket
    | TalkMsgClientPacket
    | TalkTellClientPacket
    | TalkAnnounceClientPacket
    | TalkAdminClientPacket,
) -> bool:
    """Whether it is one, or was meant to be one and went into another kind of chat. It may hold a password,
    so no log shows it."""
    return packet.message.startswith(ORDER_SIGNS) and packet.message[1:2].isalpha()


@on(TalkReportClientPacket, during=Phase.IN_WORLD, secret=_is_order)
def say(session: EoSession, packet: TalkReportClientPacket) -> None:
    """Talk_Report: to those around; or an order."""
    mobile = playing(session)
    if mobile is None:
        return
    if not _is_order(packet):
        speech.say(mobile, packet.message)
    elif packet.message[1:].split()[0].lower() == "loc":
        _tell_place(mobile)
    else:
        session.services.command(session, packet.message[1:])


@on(TalkMsgClientPacket, during=Phase.IN_WORLD, secret=_is_order)
def say_to_all(session: EoSession, packet: TalkMsgClientPacket) -> None:
    """Talk_Msg: the global chat."""
    mobile = playing(session)
    if mobile is not None:
        speech.to_all(mobile.world, packet.message, speaker=mobile)


@on(TalkTellClientPacket, during=Phase.IN_WORLD, secret=_is_order)
def tell(session: EoSession, packet: TalkTellClientPacket) -> None:
    """Talk_Tell: to one character, wherever it is and whatever game it is played from."""
    mobile = playing(session)
    if mobile is not None and not speech.tell(mobile, packet.name, packet.message):
        session.send(TalkReplyServerPacket(reply_code=TalkReply.NotFound, name=packet.name))


@on(TalkAnnounceClientPacket, during=Phase.IN_WORLD, secret=_is_order)
def announce(session: EoSession, packet: TalkAnnounceClientPacket) -> None:
    """Talk_Announce: staff, to everybody."""
    mobile = playing(session)
    if mobile is not None and mobile.access >= Access.GAME_MASTER:
        speech.to_all(mobile.world, packet.message, speaker=mobile, announce=True)


@on(TalkAdminClientPacket, during=Phase.IN_WORLD, secret=_is_order)
def say_to_staff(session: EoSession, packet: TalkAdminClientPacket) -> None:
    """Talk_Admin: among staff."""
    mobile = playing(session)
    text = speech.clean(packet.message)
    if mobile is None or mobile.access == Access.PLAYER or not text:
        return
    for other in mobile.world.online():
        if other is not mobile and other.access > Access.PLAYER:
            speech.notice(other, f"(staff) {mobile.name}: {text}")


@on(GlobalOpenClientPacket, during=Phase.IN_WORLD)
def open_global(session: EoSession, packet: GlobalOpenClientPacket) -> None:
    """Global_Open: the player looks at the global chat."""
    if session.mobile is not None:
        session.mobile.hears_global = True


@on(GlobalCloseClientPacket, during=Phase.IN_WORLD)
def close_global(session: EoSession, packet: GlobalCloseClientPacket) -> None:
    """Global_Close: and does not want to hear it."""
    if session.mobile is not None:
        session.mobile.hears_global = False


@on(EmoteReportClientPacket, during=Phase.IN_WORLD)
def emote(session: EoSession, packet: EmoteReportClientPacket) -> None:
    """Emote_Report: a gesture."""
    mobile = playing(session)
    gesture = _GESTURES.get(packet.emote)
    if mobile is not None and gesture is not None:
        speech.gesture(mobile, gesture)


def _tell_place(mobile: Mobile) -> None:
    """#loc, the order of the game's own players."""
    if mobile.realm is not None:
        speech.notice(mobile, f"You are at {mobile.x}, {mobile.y} in {mobile.realm.chart.title}.")
