"""Friends, those of whom one hears nothing, and duels: what the client's lists and its players type.

    friend_add [NAME]       ignore_add [NAME]       duel [NAME]      duel_accept
    friend_remove [NAME]    ignore_remove [NAME]    surrender        duel_decline
    friends                 ignores

The words are those of EQ2Emulator (Commands.cpp); without a name whoever is aimed at is meant. `friend` and
`ignore` are short for the first two.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.handlers.looking import target_of
from protocol.eq2.handlers.table import command
from protocol.eq2.handlers.trading import meant
from world import duels, friends, ignoring, invites
from world.mobile import Mobile
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session

NO_FOE: Final = "Aim at whom you want to fight, or type /duel and a name."


@command("friend_add", "friend")
def add_friend(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Put somebody on one's list, who may be away. Raises Cannot, as `friends.befriend`."""
    friends.befriend(mobile, _name(session, text))


@command("friend_remove")
def remove_friend(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Take somebody off it. Raises Cannot, as `friends.unfriend`."""
    friends.unfriend(mobile, _name(session, text))


@command("friends")
def list_friends(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Name one's friends."""
    for line in friends.roll(mobile):
        notice(mobile, line)


@command("ignore_add", "ignore")
def ignore(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Hear nothing of somebody any more. Raises Cannot, as `ignoring.ignore`."""
    ignoring.ignore(mobile, _name(session, text))


@command("ignore_remove")
def heed(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Hear of somebody again. Raises Cannot, as `ignoring.heed`."""
    ignoring.heed(mobile, _name(session, text))


@command("ignores")
def list_ignored(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Name those of whom one hears nothing."""
    notice(mobile, ignoring.roll(mobile))


@command("duel")
def duel(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Ask somebody to a duel. Raises Cannot: GONE if nobody is meant, NOBODY, and as `duels.ask` does."""
    duels.ask(mobile, meant(session, mobile, text, NO_FOE))


@command("duel_accept")
def accept_duel(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Say yes to a duel. Raises Cannot(NOT_ASKED)."""
    invites.accept(mobile, duels.DUEL)


@command("duel_decline")
def decline_duel(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Say no to it. Raises Cannot(NOT_ASKED)."""
    invites.refuse(mobile, duels.DUEL)


@command("surrender", "duel_surrender")
def give_up(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Give up in a duel. Raises Cannot, as `duels.give_up`."""
    duels.give_up(mobile)


def _name(session: Eq2Session, text: str) -> str:
    """The name that was typed, or that of whom one aims at. Raises Cannot(NOBODY)."""
    target = target_of(session)
    if not text and not isinstance(target, Mobile):
        raise Cannot(Refusal.NOBODY)
    return text or (target.name if target is not None else "")
