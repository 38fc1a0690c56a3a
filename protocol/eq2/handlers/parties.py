"""The party, which the client's group window leads by slash commands, and the options of the group.

    invite [NAME]      acceptinvite      leavegroup      kickfromgroup [NAME]
                       declineinvite     disband         makeleader [NAME]

Without a name whoever is aimed at is meant (EQ2Emulator, Commands.cpp). Words to the party are `/groupsay`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.handlers.looking import target_of
from protocol.eq2.handlers.table import ROWS, command
from protocol.eq2.handlers.trading import meant
from protocol.eq2.packets import (
    BY_LOT,
    FREE,
    TO_LEADER,
    DefaultGroupOptions,
    DefaultGroupOptionsRequest,
    GroupOptions,
)
from world import guilds, invites, party, party_asking
from world.companions import LootRule
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session
    from world.mobile import Mobile

NO_GUEST: Final = "Aim at whom you want to ask into your party, or type /invite and a name."
ONLY_LOOT: Final = "Of these options only whose the loot is can be chosen here; that stays as it is."

LOOT: Final = {LootRule.LEADER: TO_LEADER, LootRule.FINDER: FREE, LootRule.TURNS: BY_LOT}
"""The rules as choices of this game. Nobody throws lots here: each has its turn."""

RULES: Final = {choice: rule for rule, choice in LOOT.items()}


@command("invite")
def invite(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Ask somebody into one's party. Raises Cannot: GONE if nobody is meant, NOBODY, and as `party.invite`
    does."""
    if text and not text.isdecimal():
        party_asking.invite(mobile, text)
    else:
        party.invite(mobile, meant(session, mobile, text, NO_GUEST))


@command("acceptinvite")
def accept(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Say yes to what one is asked about a party, or else about a guild. Raises Cannot(NOT_ASKED)."""
    invites.accept(mobile, _asked(mobile))


@command("declineinvite")
def decline(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Say no to it. Raises Cannot(NOT_ASKED)."""
    invites.refuse(mobile, _asked(mobile))


@command("leavegroup")
def leave(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Leave the party. Raises Cannot(NO_PARTY)."""
    party.leave(mobile)


@command("disband")
def disband(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """End the party. Raises Cannot: NO_PARTY, NO_LEADER."""
    party.disband(mobile)


@command("kickfromgroup")
def kick(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Send somebody out of the party, who may be away. Raises Cannot, as `party.expel`."""
    party.expel(mobile, _fellow(session, mobile, text))


@command("makeleader")
def hand_over(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Let another lead the party. Raises Cannot, as `party.hand_over`."""
    party.hand_over(mobile, _fellow(session, mobile, text))


@ROWS.while_playing(DefaultGroupOptionsRequest)
def show_options(session: Eq2Session, mobile: Mobile, packet: DefaultGroupOptionsRequest) -> None:
    """DefaultGroupOptionsRequest: the player looks at the options of its group."""
    rule = mobile.party.rule if mobile.party is not None else LootRule.FINDER
    session.send(DefaultGroupOptions(LOOT[rule]))


@ROWS.while_playing(GroupOptions)
def choose_options(session: Eq2Session, mobile: Mobile, packet: GroupOptions) -> None:
    """GroupOptions: the player chose whose the loot is, or something that means nothing here. Raises Cannot:
    UNFIT for no such choice, and as `party.set_loot` does."""
    rule = RULES.get(packet.loot)
    if rule is None:
        raise Cannot(Refusal.UNFIT)
    before = mobile.party.rule if mobile.party is not None else None
    party.set_loot(mobile, rule)
    if rule is before:
        notice(mobile, ONLY_LOOT)


def _asked(mobile: Mobile) -> str:
    """The kind of question that waits for a yes or no. Which word its window sends is known of the party
    alone."""
    asked = invites.pending(mobile, party.KIND) is None and invites.pending(mobile, guilds.GUILD) is not None
    return guilds.GUILD if asked else party.KIND


def _fellow(session: Eq2Session, mobile: Mobile, text: str) -> int:
    """The serial of the member of that name, or of whom one aims at. Raises Cannot: NO_PARTY, NO_FELLOW."""
    if text:
        return party.called(mobile, text).serial
    target = target_of(session)
    if mobile.party is not None and target is None:
        raise Cannot(Refusal.NO_FELLOW)
    return target.serial if target is not None else 0
