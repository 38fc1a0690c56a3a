"""Talking and gestures."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from protocol.l2.figures import LONGEST_NAME, NAMING
from protocol.l2.handlers.table import PLAYER_ACTION, ROWS, SERVER_BYPASS
from protocol.l2.packets import (
    ChatType,
    CreatureSay,
    RequestGmList,
    RequestSocialAction,
    Say2,
    SendBypassBuildCmd,
    SystemMessage,
    SystemMessageId,
)
from protocol.l2.packets import text as text_of
from protocol.l2.words import EMOTES
from world import presence, speech
from world.events import Speech
from world.mobile import Access
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.elsewhere import Person
    from world.mobile import Mobile

log = logging.getLogger("net.l2")

ORDER_SIGN: Final = "."
"""What a line begins with that is an order, if a letter follows: the public servers' sign for "voiced
commands"."""

MOST_NAMED: Final = 20
"""Of the staff that one asks for."""

COMPANIES: Final = {
    ChatType.PARTY: Speech.PARTY,
    ChatType.CLAN: Speech.GUILD,
    ChatType.ALLIANCE: Speech.ALLIANCE,
}

NOBODY: Final = {
    ChatType.ANNOUNCEMENT: "You are none of the staff.",
    ChatType.COMMAND_CHANNEL_ALL: "You are in no party.",
    ChatType.COMMAND_CHANNEL_LEADERS: "You are in no party.",
    ChatType.HERO: "You are no hero; everybody hears you in the trade chat.",
    ChatType.CRITICAL_ANNOUNCEMENT: "You are none of the staff.",
}
"""What one is told whom nobody hears."""

GESTURES: Final = {
    2: ("wave", ""),
    3: ("happy", ""),
    4: ("angry", ""),
    7: ("bow", ""),
    8: ("confused", ""),
    10: ("laugh", ""),
    12: ("dance", ""),
    13: ("sad", ""),
    **{int(action): ("", words) for words, action in EMOTES.items()},
}
"""The world's gesture for each social action that a player can choose; of what the world has no gesture for,
players of other games are told in words."""


def _is_order(packet: Say2) -> bool:
    """Whether it is one, or was meant to be one and went into another kind of chat. It may hold a password,
    so no log shows it."""
    return packet.text.startswith(ORDER_SIGN) and packet.text[1:2].isalpha()


@ROWS.while_acting(Say2, answered=False, secret=_is_order)
def say(session: L2Session, mobile: Mobile, packet: Say2) -> None:
    """Say2: words, and to whom; or an order to the server."""
    if _is_order(packet):
        session.services.command(session, packet.text[1:])
    else:
        _speak(session, mobile, packet)


def _speak(session: L2Session, mobile: Mobile, packet: Say2) -> None:
    """Raises Cannot."""
    match packet.type:
        case ChatType.ALL:
            speech.say(mobile, packet.text)
        case ChatType.SHOUT:
            speech.say(mobile, packet.text, Speech.YELL)
        case ChatType.TELL:
            _tell(session, mobile, packet.target, packet.text)
        case ChatType.TRADE:  # what its players talk to everybody in
            speech.to_all(mobile.world, packet.text, speaker=mobile)
            _echo(session, mobile, ChatType.TRADE, NAMING.of(mobile), packet.text)
        case ChatType.ANNOUNCEMENT | ChatType.CRITICAL_ANNOUNCEMENT if mobile.access >= Access.GAME_MASTER:
            speech.to_all(mobile.world, packet.text, speaker=mobile, announce=True)
            _echo(session, mobile, ChatType.ANNOUNCEMENT, NAMING.of(mobile), packet.text)
        case ChatType.GM:
            speech.notice(mobile, speech.to_staff(mobile, packet.text))
        case ChatType.PETITION_PLAYER | ChatType.PETITION_GM:
            speech.plead(mobile, packet.text)
        case _ if packet.type in COMPANIES:
            speech.to_company(mobile, COMPANIES[ChatType(packet.type)], packet.text)
        case _ if packet.type in NOBODY:
            speech.notice(mobile, NOBODY[ChatType(packet.type)])
        case _:
            log.debug("%r: nobody listens to chat of type %d", session, packet.type)
            raise Cannot(Refusal.UNKNOWN)


def _tell(session: L2Session, mobile: Mobile, name: str, text: str) -> None:
    """To one character, wherever it is and whatever game it is played from. The speaker's client shows what
    it hears."""

    def told(hearer: Mobile | Person) -> None:
        _echo(session, mobile, ChatType.TELL, f"->{NAMING.of(hearer)}", text)

    def refused(cannot: Cannot) -> None:
        if cannot.why is Refusal.NOBODY:
            called = speech.clean(name, LONGEST_NAME)
            session.send(SystemMessage(SystemMessageId.NOT_LOGGED_IN, (text_of(called),)))
        else:
            session.refuse_wish(mobile, cannot)

    try:
        speech.tell(mobile, name, text, told, refused)
    except Cannot as cannot:
        refused(cannot)


def _echo(session: L2Session, mobile: Mobile, kind: ChatType, name: str, text: str) -> None:
    """One's own words, which nobody else tells one."""
    if text := speech.clean(text):
        session.send(CreatureSay(mobile.serial, kind, name, text))


@ROWS.while_acting(SendBypassBuildCmd, answered=False, secret=True)
def build_command(session: L2Session, mobile: Mobile, packet: SendBypassBuildCmd) -> None:
    """SendBypassBuildCmd: what was typed behind //, the game's own way to give orders."""
    if packet.command.strip():
        session.services.command(session, packet.command.strip())


@ROWS.while_playing(RequestGmList, every=SERVER_BYPASS.interval(coalesced=True))
def list_staff(session: L2Session, mobile: Mobile, packet: RequestGmList) -> None:
    """RequestGmList: /gmlist, which of the staff are there. Who hides is not."""
    everybody: tuple[Mobile | Person, ...] = (*mobile.world.online(), *presence.listed_afar(mobile))
    staff = (one for one in everybody if one.access > Access.PLAYER and not one.hidden)
    names = sorted(one.name for one in staff)[:MOST_NAMED]
    speech.notice(mobile, f"Of the staff: {', '.join(names)}." if names else "None of the staff is here.")


@ROWS.while_acting(RequestSocialAction, every=PLAYER_ACTION.interval())
def gesture(session: L2Session, mobile: Mobile, packet: RequestSocialAction) -> None:
    """RequestSocialAction: a gesture."""
    gesture_of(mobile, packet.action)


def gesture_of(mobile: Mobile, action: int) -> None:
    """Make the gesture of a social action, or tell in words what it is. Raises Cannot."""
    name, words = GESTURES.get(action, ("", ""))
    if words:
        speech.say(mobile, words, Speech.EMOTE)
    else:
        speech.gesture(mobile, name)
