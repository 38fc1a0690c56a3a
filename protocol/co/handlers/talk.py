"""Talking."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from protocol.co.handlers.table import TABLE
from protocol.co.packets import Channel, Talk
from protocol.wishes import Wish, tell
from world import guilds, speech
from world.events import Speech
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.co.session import CoSession
    from world.mobile import Mobile

ORDER_SIGN: Final = "/"
"""Begins a line that is an order, if a letter follows: the sign of public servers for theirs."""

COMPANIES: Final = {Channel.TEAM: Speech.PARTY, Channel.GUILD: Speech.GUILD}

NO_COMPANY: Final = {
    Channel.TEAM: "You are in no team.",
    Channel.GUILD: "You are in no guild.",
    Channel.FAMILY: "You are not married.",
    Channel.FRIEND: "Whisper to each of your friends: nobody speaks to all of them at once here.",
}
"""Lines for who talks to a company that does not exist, or that nobody talks to."""

TO_ALL: Final = frozenset({Channel.WORLD, Channel.BROADCAST, Channel.SERVICE, Channel.SYSTEM})
"""Channels by which one talks to everybody."""

BOARDS: Final = range(2201, 2207)
"""Channels of the boards for trade, friends, teams, guilds and others (public servers' lists)."""


def _is_order(packet: Talk) -> bool:
    """Whether it is one, or was meant to be one and went elsewhere. It may hold a password, so no log shows
    it."""
    return packet.words.startswith(ORDER_SIGN) and packet.words[1:2].isalpha()


@TABLE.while_playing(Talk, secret=_is_order)
def say(session: CoSession, mobile: Mobile, packet: Talk) -> None:
    """Talk: words, and to whom; or an order to the server. Who says it is known without the packet."""
    if _is_order(packet):
        session.services.command(session, packet.words[1:])
        return
    try:
        _speak(session, mobile, packet)
    except Cannot as cannot:
        _refused(session, mobile, packet.hearer, cannot)


def _refused(session: CoSession, mobile: Mobile, hearer: str, cannot: Cannot) -> None:
    if cannot.why is Refusal.NOBODY:
        speech.notice(mobile, f"{speech.clean(hearer, 16)} is not online.")
    elif cannot.why is Refusal.NO_PARTY:
        speech.notice(mobile, NO_COMPANY[Channel.TEAM])
    else:
        session.refuse_wish(mobile, cannot)


def _speak(session: CoSession, mobile: Mobile, packet: Talk) -> None:
    """Have the world say it. Raises Cannot."""
    match packet.channel:
        case Channel.TALK | Channel.GHOST:
            speech.say(mobile, packet.words)
        case Channel.YELL | Channel.VENDOR:
            speech.say(mobile, packet.words, Speech.YELL)
        case Channel.ACTION:
            speech.say(mobile, packet.words, Speech.EMOTE)
        case Channel.WHISPER:
            refused = partial(_refused, session, mobile, packet.hearer)
            speech.tell(mobile, packet.hearer, packet.words, refused=refused)
        case Channel.CENTRE:
            speech.to_all(mobile.world, packet.words, speaker=mobile, announce=True)
        case Channel.BULLETIN:
            guilds.set_notice(mobile, packet.words)
        case channel if channel in TO_ALL:
            speech.to_all(mobile.world, packet.words, speaker=mobile)
        case channel if channel in COMPANIES:
            speech.to_company(mobile, COMPANIES[Channel(channel)], packet.words)
        case channel if channel in NO_COMPANY:
            speech.notice(mobile, NO_COMPANY[Channel(channel)])
        case channel:
            tell(session, Wish.BOARD if channel in BOARDS else Wish.UNKNOWN)
