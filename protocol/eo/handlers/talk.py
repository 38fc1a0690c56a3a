"""Talking and gestures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    AdminInteractReportClientPacket,
    AdminInteractTellClientPacket,
    Emote,
    EmoteReportClientPacket,
    GlobalCloseClientPacket,
    GlobalOpenClientPacket,
    TalkAdminClientPacket,
    TalkAnnounceClientPacket,
    TalkMsgClientPacket,
    TalkOpenClientPacket,
    TalkPlayerClientPacket,
    TalkReply,
    TalkReplyServerPacket,
    TalkReportClientPacket,
    TalkRequestClientPacket,
    TalkTellClientPacket,
    TalkUseClientPacket,
)

from protocol.eo.handlers.table import on, playing
from protocol.refusals import refused_in_words, tell_refusal
from protocol.session import Phase
from world import speech
from world.moments import Speech
from world.reach import Cannot, Refusal

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
    | TalkPlayerClientPacket
    | TalkUseClientPacket
    | TalkMsgClientPacket
    | TalkTellClientPacket
    | TalkAnnounceClientPacket
    | TalkAdminClientPacket
    | TalkOpenClientPacket
    | TalkRequestClientPacket,
) -> bool:
    """Whether it is one, or was meant to be one and went into another kind of chat. It may hold a password,
    so no log shows it."""
    return packet.message.startswith(ORDER_SIGNS) and packet.message[1:2].isalpha()


@on(TalkReportClientPacket, during=Phase.IN_WORLD, secret=_is_order)
def say(session: EoSession, packet: TalkReportClientPacket) -> None:
    """Talk_Report: to those around; or an order."""
    _say(session, packet)


@on(TalkPlayerClientPacket, during=Phase.IN_WORLD, secret=_is_order)
def say_as_player(session: EoSession, packet: TalkPlayerClientPacket) -> None:
    """Talk_Player: an old name of Talk_Report (eo-protocol, xml/net/client/protocol.xml)."""
    _say(session, packet)


@on(TalkUseClientPacket, during=Phase.IN_WORLD, secret=_is_order)
def say_as_use(session: EoSession, packet: TalkUseClientPacket) -> None:
    """Talk_Use: another."""
    _say(session, packet)


def _say(
    session: EoSession, packet: TalkReportClientPacket | TalkPlayerClientPacket | TalkUseClientPacket
) -> None:
    mobile = playing(session)
    if mobile is None:
        return
    if not _is_order(packet):
        with refused_in_words(mobile):
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
        with refused_in_words(mobile):
            speech.to_all(mobile.world, packet.message, speaker=mobile)


@on(TalkTellClientPacket, during=Phase.IN_WORLD, secret=_is_order)
def tell(session: EoSession, packet: TalkTellClientPacket) -> None:
    """Talk_Tell: to one character, wherever it is and whatever game it is played from."""
    mobile = playing(session)
    if mobile is None:
        return
    try:
        speech.tell(mobile, packet.name, packet.message)
    except Cannot as cannot:
        if cannot.why is Refusal.NOBODY:
            session.send(TalkReplyServerPacket(reply_code=TalkReply.NotFound, name=packet.name))
        else:
            tell_refusal(mobile, cannot)


@on(TalkOpenClientPacket, during=Phase.IN_WORLD, secret=_is_order)
def say_to_party(session: EoSession, packet: TalkOpenClientPacket) -> None:
    """Talk_Open: to the party."""
    _say_to_company(session, Speech.PARTY, packet.message)


@on(TalkRequestClientPacket, during=Phase.IN_WORLD, secret=_is_order)
def say_to_guild(session: EoSession, packet: TalkRequestClientPacket) -> None:
    """Talk_Request: to the guild."""
    _say_to_company(session, Speech.GUILD, packet.message)


def _say_to_company(session: EoSession, company: Speech, text: str) -> None:
    mobile = playing(session)
    if mobile is not None:
        with refused_in_words(mobile):
            speech.to_company(mobile, company, text)


@on(TalkAnnounceClientPacket, during=Phase.IN_WORLD, secret=_is_order)
def announce(session: EoSession, packet: TalkAnnounceClientPacket) -> None:
    """Talk_Announce: staff, to everybody."""
    mobile = playing(session)
    if mobile is not None:
        with refused_in_words(mobile):
            speech.to_all(mobile.world, packet.message, speaker=mobile, announce=True)


@on(TalkAdminClientPacket, during=Phase.IN_WORLD, secret=_is_order)
def say_to_staff(session: EoSession, packet: TalkAdminClientPacket) -> None:
    """Talk_Admin: among staff. Others are told that they are none; the original server leaves them without
    an answer."""
    mobile = playing(session)
    if mobile is not None:
        with refused_in_words(mobile):
            speech.to_staff(mobile, packet.message)


@on(GlobalOpenClientPacket, during=Phase.IN_WORLD)
def open_global(session: EoSession, packet: GlobalOpenClientPacket) -> None:
    """Global_Open: the player looks at the global chat."""
    if session.mobile is not None:
        speech.listen_to_all(session.mobile, True)


@on(GlobalCloseClientPacket, during=Phase.IN_WORLD)
def close_global(session: EoSession, packet: GlobalCloseClientPacket) -> None:
    """Global_Close: and does not want to hear it."""
    if session.mobile is not None:
        speech.listen_to_all(session.mobile, False)


@on(EmoteReportClientPacket, during=Phase.IN_WORLD)
def emote(session: EoSession, packet: EmoteReportClientPacket) -> None:
    """Emote_Report: a gesture."""
    mobile = playing(session)
    if mobile is not None:
        with refused_in_words(mobile):
            gesture = _GESTURES.get(packet.emote)
            if gesture is None:
                raise Cannot(Refusal.UNKNOWN)
            speech.gesture(mobile, gesture)


def _tell_place(mobile: Mobile) -> None:
    """#loc, the order of the game's own players."""
    if mobile.realm is not None:
        speech.notice(mobile, f"You are at {mobile.x}, {mobile.y} in {mobile.realm.chart.title}.")


@on(AdminInteractTellClientPacket, during=Phase.IN_WORLD)
def plead(session: EoSession, packet: AdminInteractTellClientPacket) -> None:
    """AdminInteract_Tell: a player calls for the staff."""
    _plead(session, packet.message)


@on(AdminInteractReportClientPacket, during=Phase.IN_WORLD)
def report(session: EoSession, packet: AdminInteractReportClientPacket) -> None:
    """AdminInteract_Report: the same, about another player."""
    _plead(session, packet.message, packet.reportee)


def _plead(session: EoSession, text: str, about: str = "") -> None:
    mobile = playing(session)
    if mobile is not None:
        with refused_in_words(mobile):
            speech.plead(mobile, text, about)
