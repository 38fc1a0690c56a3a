"""Parties: who is of them, who leads, and whose the loot is. What may be done is decided by `world.party`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.dispatch import Interval
from protocol.web.handlers.looking import find_player
from protocol.web.handlers.table import TABLE
from protocol.web.packets.parties import AskParty, Expel, Invite, Lead, LeaveParty, Loot
from world import party, party_asking
from world.companions import LootRule

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.mobile import Mobile


@TABLE.while_playing(AskParty, every=Interval(0.2, burst=3))
def show(session: WebSession, mobile: Mobile, message: AskParty) -> None:
    """party: tell it anew. Raises Cannot as `party.show`."""
    party.show(mobile)


@TABLE.while_playing(Invite, every=Interval(0.2, burst=3))
def invite(session: WebSession, mobile: Mobile, message: Invite) -> None:
    """invite: ask somebody. Raises Cannot as `find_player` and `party_asking.invite`."""
    if message.id:
        party.invite(mobile, find_player(session, mobile, message.id))
    else:
        party_asking.invite(mobile, message.name)


@TABLE.while_playing(LeaveParty, every=Interval(0.2, burst=3))
def leave(session: WebSession, mobile: Mobile, message: LeaveParty) -> None:
    """leave_party: be of it no more. Raises Cannot as `party.leave`."""
    party.leave(mobile)


@TABLE.while_playing(Expel, every=Interval(0.2, burst=3))
def expel(session: WebSession, mobile: Mobile, message: Expel) -> None:
    """expel: send a member out. Raises Cannot as `party.expel`."""
    party.expel(mobile, message.id)


@TABLE.while_playing(Lead, every=Interval(0.2, burst=3))
def lead(session: WebSession, mobile: Mobile, message: Lead) -> None:
    """lead: let another member lead. Raises Cannot as `party.hand_over`."""
    party.hand_over(mobile, message.id)


@TABLE.while_playing(Loot, every=Interval(0.2, burst=3))
def loot(session: WebSession, mobile: Mobile, message: Loot) -> None:
    """loot: whose it is what creatures leave. Raises Cannot as `party.set_loot`."""
    party.set_loot(mobile, LootRule(message.rule))
