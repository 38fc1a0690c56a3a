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
    from collections.abc import Callable

    from protocol.eo.session import EoSession
    from world.mobile import Mobile

STAFF_SIGN: Final = "$"
PLAYER_SIGN: Final = "#"
"""What a line of local chat begins with that is an order; both are the game's custom."""

MOST_NAMED: Final = 50
"""Names in the answer to #who."""

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


@on(TalkReportClientPacket, during=Phase.IN_WORLD)
def say(session: EoSession, packet: TalkReportClientPacket) -> None:
    """Talk_Report: to those around; or an order."""
    mobile = playing(session)
    if mobile is None:
        return
    text = packet.message
    if text.startswith(STAFF_SIGN) and mobile.access > Access.PLAYER:
        session.services.command(session, text[1:])
    elif text.startswith(PLAYER_SIGN):
        _order(mobile, text[1:])
    else:
        speech.say(mobile, text)


@on(TalkMsgClientPacket, during=Phase.IN_WORLD)
def say_to_all(session: EoSession, packet: TalkMsgClientPacket) -> None:
    """Talk_Msg: the global chat."""
    mobile = playing(session)
    if mobile is not None:
        speech.to_all(mobile.world, packet.message, speaker=mobile)


@on(TalkTellClientPacket, during=Phase.IN_WORLD)
def tell(session: EoSession, packet: TalkTellClientPacket) -> None:
    """Talk_Tell: to one character, wherever it is and whatever game it is played from."""
    mobile = playing(session)
    if mobile is not None and not speech.tell(mobile, packet.name, packet.message):
        session.send(TalkReplyServerPacket(reply_code=TalkReply.NotFound, name=packet.name))


@on(TalkAnnounceClientPacket, during=Phase.IN_WORLD)
def announce(session: EoSession, packet: TalkAnnounceClientPacket) -> None:
    """Talk_Announce: staff, to everybody."""
    mobile = playing(session)
    if mobile is not None and mobile.access >= Access.GAME_MASTER:
        speech.to_all(mobile.world, packet.message, speaker=mobile, announce=True)


@on(TalkAdminClientPacket, during=Phase.IN_WORLD)
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


def _order(mobile: Mobile, line: str) -> None:
    """A player's order: #who and the like."""
    word = line.split(maxsplit=1)[0].lower() if line.strip() else ""
    order = _ORDERS.get(word)
    if order is None:
        known = ", ".join(f"{PLAYER_SIGN}{name}" for name in sorted(_ORDERS))
        speech.notice(mobile, f"There is no order {PLAYER_SIGN}{word}. Try {known}.")
    else:
        order(mobile)


def _who(mobile: Mobile) -> None:
    names = sorted(other.name for other in mobile.world.online())
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    speech.notice(mobile, f"{len(names)} here: {', '.join(names[:MOST_NAMED])}{more}")


def _loc(mobile: Mobile) -> None:
    if mobile.realm is not None:
        speech.notice(mobile, f"You are at {mobile.x}, {mobile.y} in {mobile.realm.chart.title}.")


_ORDERS: Final[dict[str, Callable[[Mobile], None]]] = {"who": _who, "loc": _loc}
