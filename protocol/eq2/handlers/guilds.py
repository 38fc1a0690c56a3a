"""The guild, which the client's window leads by the words behind `/guild`.

    guild invite [NAME]    guild promote [NAME]    guild motd TEXT    guild accept    guild leave
    guild kick [NAME]      guild demote [NAME]     guild create       guild decline   guild disband
                                                   guild leader NAME

Without a name whoever is aimed at is meant. Those of the first four columns are of EQ2Emulator (Commands.cpp,
Command_Guild), where also to kick oneself is to leave; the others are ours. Founding asks by a dialog, for a
guild has a tag here that the client knows nothing of. The window's other words are of things that guilds do
not have here: levels, points, notes, officers' talk, names of ranks. Words to the guild are `/guildsay`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from protocol.dispatch import Interval
from protocol.eq2 import guilds as windows
from protocol.eq2.handlers.looking import target_of
from protocol.eq2.handlers.table import ROWS, command
from protocol.eq2.handlers.trading import meant
from protocol.eq2.packets import RequestGuildMembership
from protocol.eq2.view import Eq2View
from world import guild_hall, guilds, invites
from world.mobile import Mobile
from world.names import is_called
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.eq2.session import Eq2Session

NO_GUEST: Final = "Aim at whom you want to ask into your guild, or type /guild invite and a name."
NOT_KEPT: Final = "Guilds have nothing of that kind here."
NO_OFFICERS: Final = "Officers have no channel of their own here: /guildsay reaches all of your guild."


@command("guild")
def lead(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Do what the words behind it say, or look at one's guild. Raises Cannot, as the deed does."""
    word, _, rest = text.partition(" ")
    deed = _DEEDS.get(word.lower())
    if not word:
        guild_hall.at_guild(mobile)
    elif deed is None:
        notice(mobile, NOT_KEPT)
    else:
        deed(session, mobile, rest.strip())


@command("set_guild_member_note", "set_guild_officer_note")
def write_note(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Tell that there are no notes about members."""
    notice(mobile, NOT_KEPT)


@command("officersay", "os")
def say_to_officers(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Tell that there is no such channel: what is meant for some must not reach all."""
    notice(mobile, NO_OFFICERS)


@ROWS.while_playing(RequestGuildMembership, every=Interval(0.5, burst=3, coalesced=True))
def show_members(session: Eq2Session, mobile: Mobile, packet: RequestGuildMembership) -> None:
    """RequestGuildMembership: the client wants the list of its guild anew; others' it is not shown. Raises
    Cannot(NO_GUILD)."""
    if mobile.guild is None or packet.guild_id != mobile.guild.number:
        raise Cannot(Refusal.NO_GUILD)
    session.queue(*windows.as_it_is(Eq2View.of(session), mobile, session.version))


def _invite(session: Eq2Session, mobile: Mobile, text: str) -> None:
    guilds.invite(mobile, meant(session, mobile, text, NO_GUEST))


def _kick(session: Eq2Session, mobile: Mobile, text: str) -> None:
    name = _name(session, text)
    if is_called(mobile.name, mobile.short_name, name):
        guilds.leave(mobile)
    else:
        guilds.expel(mobile, name)


def _with_member(deed: Callable[[Mobile, str], None], session: Eq2Session, mobile: Mobile, text: str) -> None:
    deed(mobile, _name(session, text))


def _write(session: Eq2Session, mobile: Mobile, text: str) -> None:
    guilds.set_notice(mobile, text)


def _create(session: Eq2Session, mobile: Mobile, text: str) -> None:
    if mobile.guild is not None:
        raise Cannot(Refusal.IN_GUILD)
    guild_hall.at_guild(mobile)


def _answer(deed: Callable[[Mobile, str], None], session: Eq2Session, mobile: Mobile, text: str) -> None:
    deed(mobile, guilds.GUILD)


def _leave(deed: Callable[[Mobile], None], session: Eq2Session, mobile: Mobile, text: str) -> None:
    deed(mobile)


def _name(session: Eq2Session, text: str) -> str:
    """The name that was typed, or that of whom one aims at. Raises Cannot(NO_MEMBER)."""
    if text:
        return text
    target = target_of(session)
    if not isinstance(target, Mobile):
        raise Cannot(Refusal.NO_MEMBER)
    return target.name


_DEEDS: Final[Mapping[str, Callable[[Eq2Session, Mobile, str], None]]] = {
    "invite": _invite,
    "kick": _kick,
    "promote": partial(_with_member, guilds.promote),
    "demote": partial(_with_member, guilds.demote),
    "leader": partial(_with_member, guilds.hand_over),
    "motd": _write,
    "create": _create,
    "accept": partial(_answer, invites.accept),
    "decline": partial(_answer, invites.refuse),
    "leave": partial(_leave, guilds.leave),
    "disband": partial(_leave, guilds.disband),
}
