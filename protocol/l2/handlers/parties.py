"""Parties, by the client's own buttons (`protocol.l2.parties`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2 import parties
from protocol.l2.handlers.table import PLAYER_ACTION, ROWS
from protocol.l2.packets import (
    RequestAnswerJoinParty,
    RequestChangePartyLeader,
    RequestJoinParty,
    RequestOustPartyMember,
    RequestWithDrawalParty,
)
from world import dialogs, invites, party, party_asking, speech
from world.companions import LootRule
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.mobile import Mobile


@ROWS.while_acting(RequestJoinParty, every=PLAYER_ACTION.interval())
def invite(session: L2Session, mobile: Mobile, packet: RequestJoinParty) -> None:
    """RequestJoinParty: ask somebody into one's party, with a rule for loot if it begins with that. Raises
    Cannot, as `party_asking.invite`."""
    rule = parties.RULES.get(packet.loot_rule, LootRule.FINDER)
    party_asking.invite(mobile, speech.clean(packet.name), rule)


@ROWS.while_acting(RequestAnswerJoinParty, every=PLAYER_ACTION.interval())
def answer(session: L2Session, mobile: Mobile, packet: RequestAnswerJoinParty) -> None:
    """RequestAnswerJoinParty: yes (1) or no to who asks one into a party. Raises Cannot(NOT_ASKED) if nobody
    does any more."""
    question = invites.pending(mobile, party.KIND)
    if question is None or not parties.asks(question):
        raise Cannot(Refusal.NOT_ASKED)
    button = invites.YES if packet.answer == 1 else 0
    dialogs.answer(mobile, question.serial, question.type_id, button)  # its box is closed


@ROWS.while_acting(RequestWithDrawalParty, every=PLAYER_ACTION.interval())
def leave(session: L2Session, mobile: Mobile, packet: RequestWithDrawalParty) -> None:
    """RequestWithDrawalParty: leave one's party."""
    party.leave(mobile)


@ROWS.while_acting(RequestOustPartyMember, every=PLAYER_ACTION.interval())
def expel(session: L2Session, mobile: Mobile, packet: RequestOustPartyMember) -> None:
    """RequestOustPartyMember: send somebody out of the party that one leads."""
    party.expel(mobile, party.called(mobile, packet.name).serial)


@ROWS.while_acting(RequestChangePartyLeader, every=PLAYER_ACTION.interval())
def hand_over(session: L2Session, mobile: Mobile, packet: RequestChangePartyLeader) -> None:
    """RequestChangePartyLeader: let another member lead."""
    party.hand_over(mobile, party.called(mobile, packet.name).serial)
