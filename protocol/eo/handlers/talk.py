"""Talking and gestures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    AdminInteractReportClientPacket,
    AdminInteractTellClientPacket,
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

from protocol.eo.handlers.table import TABLE
from protocol.eo.words import GESTURES
from protocol.session import Phase
from world import conduct, speech
from world.events import Speech
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.eo.session import EoSession
    from world.mobile import Mobile

ORDER_SIGNS: Final = ("$", "#")
"""Signs before a letter that make a line of local chat an order: the game's custom for staff and for
players."""


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


@TABLE.while_playing(TalkReportClientPacket, secret=_is_order)
def say(session: EoSession, mobile: Mobile, packet: TalkReportClientPacket) -> None:
    """Talk_Report: to those around; or an order."""
    _say(session, mobile, packet.message, order=_is_order(packet))


@TABLE.while_playing(TalkPlayerClientPacket, secret=_is_order)
def say_as_player(session: EoSession, mobile: Mobile, packet: TalkPlayerClientPacket) -> None:
    """Talk_Player: an old name of Talk_Report (eo-protocol, xml/net/client/protocol.xml)."""
    _say(session, mobile, packet.message, order=_is_order(packet))


@TABLE.while_playing(TalkUseClientPacket, secret=_is_order)
def say_as_use(session: EoSession, mobile: Mobile, packet: TalkUseClientPacket) -> None:
    """Talk_Use: another."""
    _say(session, mobile, packet.message, order=_is_order(packet))


def _say(session: EoSession, mobile: Mobile, text: str, *, order: bool) -> None:
    if not order:
        speech.say(mobile, text)
    elif text[1:].split()[0].lower() == "loc":
        _tell_place(mobile)
    else:
        session.services.command(session, text[1:])


@TABLE.while_playing(TalkMsgClientPacket, secret=_is_order)
def say_to_all(session: EoSession, mobile: Mobile, packet: TalkMsgClientPacket) -> None:
    """Talk_Msg: the global chat."""
    speech.to_all(mobile.world, packet.message, speaker=mobile)


@TABLE.while_playing(TalkTellClientPacket, secret=_is_order)
def tell(session: EoSession, mobile: Mobile, packet: TalkTellClientPacket) -> None:
    """Talk_Tell: to one character, wherever it is and whatever game it is played from."""

    def refused(cannot: Cannot) -> None:
        if cannot.why is Refusal.NOBODY:
            session.send(TalkReplyServerPacket(reply_code=TalkReply.NotFound, name=packet.name))
        else:
            session.refuse_wish(mobile, cannot)

    try:
        speech.tell(mobile, packet.name, packet.message, refused=refused)
    except Cannot as cannot:
        refused(cannot)


@TABLE.while_playing(TalkOpenClientPacket, secret=_is_order)
def say_to_party(session: EoSession, mobile: Mobile, packet: TalkOpenClientPacket) -> None:
    """Talk_Open: to the party."""
    speech.to_company(mobile, Speech.PARTY, packet.message)


@TABLE.while_playing(TalkRequestClientPacket, secret=_is_order)
def say_to_guild(session: EoSession, mobile: Mobile, packet: TalkRequestClientPacket) -> None:
    """Talk_Request: to the guild."""
    speech.to_company(mobile, Speech.GUILD, packet.message)


@TABLE.while_playing(TalkAnnounceClientPacket, secret=_is_order)
def announce(session: EoSession, mobile: Mobile, packet: TalkAnnounceClientPacket) -> None:
    """Talk_Announce: staff, to everybody."""
    speech.to_all(mobile.world, packet.message, speaker=mobile, announce=True)


@TABLE.while_playing(TalkAdminClientPacket, secret=_is_order)
def say_to_staff(session: EoSession, mobile: Mobile, packet: TalkAdminClientPacket) -> None:
    """Talk_Admin: among staff. Others are told that they are none; the original server leaves them without
    an answer."""
    speech.to_staff(mobile, packet.message)


@TABLE.on(GlobalOpenClientPacket, during=Phase.IN_WORLD)
def open_global(session: EoSession, packet: GlobalOpenClientPacket) -> None:
    """Global_Open: the player looks at the global chat."""
    if session.mobile is not None:
        speech.listen_to_all(session.mobile, True)


@TABLE.on(GlobalCloseClientPacket, during=Phase.IN_WORLD)
def close_global(session: EoSession, packet: GlobalCloseClientPacket) -> None:
    """Global_Close: and does not want to hear it."""
    if session.mobile is not None:
        speech.listen_to_all(session.mobile, False)


@TABLE.while_playing(EmoteReportClientPacket)
def emote(session: EoSession, mobile: Mobile, packet: EmoteReportClientPacket) -> None:
    """Emote_Report: a gesture. Raises Cannot(UNKNOWN) for one that the game does not have."""
    gesture = GESTURES.get(packet.emote)
    if gesture is None:
        raise Cannot(Refusal.UNKNOWN)
    speech.gesture(mobile, gesture)


def _tell_place(mobile: Mobile) -> None:
    """#loc, the order of the game's own players."""
    if mobile.realm is not None:
        speech.notice(mobile, f"You are at {mobile.x}, {mobile.y} in {mobile.realm.chart.title}.")


@TABLE.while_playing(AdminInteractTellClientPacket)
def plead(session: EoSession, mobile: Mobile, packet: AdminInteractTellClientPacket) -> None:
    """AdminInteract_Tell: a player calls for the staff."""
    speech.plead(mobile, packet.message, "")


@TABLE.while_playing(AdminInteractReportClientPacket)
def report(session: EoSession, mobile: Mobile, packet: AdminInteractReportClientPacket) -> None:
    """AdminInteract_Report: the same, about another player. Raises Cannot, as `conduct.report`."""
    conduct.report(mobile, packet.reportee, packet.message)
