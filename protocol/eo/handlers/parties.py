"""Parties: `protocol.eo.parties` shows them, `world.party` has the rules. What is said to one is in `talk`.

Clients have words of their own for three of the refusals, but not all of them show these: their player reads
the world's as well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from eolib import (
    PartyAcceptClientPacket,
    PartyRemoveClientPacket,
    PartyReplyCode,
    PartyReplyServerPacket,
    PartyRequestClientPacket,
    PartyRequestType,
    PartyTakeClientPacket,
)

from protocol.dispatch import Interval
from protocol.eo.figures import LONGEST_NAME, NAMING
from protocol.eo.handlers.looking import ASKING_SECONDS
from protocol.eo.handlers.table import TABLE
from protocol.eo.handlers.trading import asker, in_sight
from protocol.eo.parties import listed
from world import invites, party
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.eo.session import EoSession
    from world.mobile import Mobile

_REQUESTS: Final[Mapping[PartyRequestType, Callable[[Mobile, Mobile], None]]] = {
    PartyRequestType.Join: party.apply,
    PartyRequestType.Invite: party.invite,
}


@TABLE.while_playing(PartyRequestClientPacket)
def ask(session: EoSession, mobile: Mobile, packet: PartyRequestClientPacket) -> None:
    """Party_Request: invites somebody in sight, or asks to be let in. Raises Cannot, as `party.invite` and
    `party.apply`; UNSEEN; UNKNOWN for anything else."""
    request = _REQUESTS.get(packet.request_type)
    if request is None:
        raise Cannot(Refusal.UNKNOWN)
    other = in_sight(session, packet.player_id)
    try:
        request(mobile, other)
    except Cannot as cannot:
        reply = _reply(cannot.why, NAMING.of(other).lower()[:LONGEST_NAME])
        if reply is not None:
            session.send(reply)
        raise


def _reply(why: Refusal, name: str) -> PartyReplyServerPacket | None:
    """Party_Reply: the client's own words for a refusal, if it has some."""
    if why is Refusal.IN_PARTY:
        return PartyReplyServerPacket(
            reply_code=PartyReplyCode.AlreadyInAnotherParty,
            reply_code_data=PartyReplyServerPacket.ReplyCodeDataAlreadyInAnotherParty(player_name=name),
        )
    if why is Refusal.FELLOW:
        return PartyReplyServerPacket(
            reply_code=PartyReplyCode.AlreadyInYourParty,
            reply_code_data=PartyReplyServerPacket.ReplyCodeDataAlreadyInYourParty(player_name=name),
        )
    if why is Refusal.PARTY_FULL:
        return PartyReplyServerPacket(reply_code=PartyReplyCode.PartyIsFull)
    return None


@TABLE.while_playing(PartyAcceptClientPacket)
def accept(session: EoSession, mobile: Mobile, packet: PartyAcceptClientPacket) -> None:
    """Party_Accept: yes to whom it names. Raises Cannot(NOT_ASKED)."""
    invites.accept(mobile, party.KIND, asker(session, packet.inviter_player_id))


@TABLE.while_playing(PartyRemoveClientPacket)
def remove(session: EoSession, mobile: Mobile, packet: PartyRemoveClientPacket) -> None:
    """Party_Remove: leaves the party, or sends a member out of it. Raises Cannot, as `party.expel`."""
    number = packet.player_id
    if number == session.player_id:
        serial = mobile.serial
    else:
        serial = next((key for key, one in session.party.items() if one.number == number), 0)
    party.expel(mobile, serial)


@TABLE.while_playing(PartyTakeClientPacket, every=Interval(ASKING_SECONDS, coalesced=True))
def show(session: EoSession, mobile: Mobile, packet: PartyTakeClientPacket) -> None:
    """Party_Take: the player looks at the list, which is empty without a party."""
    session.send(listed(session.party.values()))
