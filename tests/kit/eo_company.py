"""An Endless Online client's windows of a trade and of its party.

They are kept as eoweb keeps them (sorokya/eoweb: src/controllers/trade-controller.ts, party-controller.ts),
and what changes hands is counted as it counts; it fails where eoweb would silently do nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
from eolib import (
    Item,
    PartyAcceptClientPacket,
    PartyAddServerPacket,
    PartyAgreeServerPacket,
    PartyCloseServerPacket,
    PartyCreateServerPacket,
    PartyListServerPacket,
    PartyMember,
    PartyRemoveClientPacket,
    PartyRemoveServerPacket,
    PartyRequestClientPacket,
    PartyRequestServerPacket,
    PartyRequestType,
    PartyTakeClientPacket,
    TradeAcceptClientPacket,
    TradeAddClientPacket,
    TradeAdminServerPacket,
    TradeAgreeClientPacket,
    TradeAgreeServerPacket,
    TradeCloseClientPacket,
    TradeCloseServerPacket,
    TradeItemData,
    TradeOpenServerPacket,
    TradeRemoveClientPacket,
    TradeReplyServerPacket,
    TradeRequestClientPacket,
    TradeRequestServerPacket,
    TradeSpecServerPacket,
    TradeUseServerPacket,
)

from tests.kit.eo_picture import Picture

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eolib import Packet


@attrs.define
class TradeWindow:
    """The window of a trade: amounts by item id, and who agrees."""

    partner: int
    name: str
    own: dict[int, int] = attrs.field(factory=dict)
    theirs: dict[int, int] = attrs.field(factory=dict)
    agrees: bool = False
    partner_agrees: bool = False
    warned: bool = False
    """It was told that the other changed its offer when it had agreed itself."""


@attrs.define
class Fellow:
    """A row of the list of its party."""

    name: str
    leads: bool
    level: int
    percent: int


class Company(Picture):
    """What it has of others' company: whom it trades with, and who is of its party."""

    def __init__(self) -> None:
        super().__init__()
        self.trade: TradeWindow | None = None
        self.trade_asker = 0
        """Who asks it to trade, by player id, in a box that is open."""
        self.party: dict[int, Fellow] = {}
        """By player id."""
        self.party_asker: tuple[PartyRequestType, int] | None = None
        """Who asks it into a party, or to be let in, in a box that is open."""

    # What it sends

    def ask_to_trade(self, player_id: int) -> bytes:
        """Trade_Request."""
        return self.frame(TradeRequestClientPacket(player_id=player_id))

    def accept_trade(self) -> bytes:
        """Trade_Accept: yes, in the box that is open."""
        asker, self.trade_asker = self.trade_asker, 0
        assert asker, "no box is open"
        return self.frame(TradeAcceptClientPacket(player_id=asker))

    def offer(self, item_id: int, amount: int) -> bytes:
        """Trade_Add."""
        return self.frame(TradeAddClientPacket(add_item=Item(id=item_id, amount=amount)))

    def withdraw(self, item_id: int) -> bytes:
        """Trade_Remove."""
        return self.frame(TradeRemoveClientPacket(item_id=item_id))

    def agree(self, *, agree: bool = True) -> bytes:
        """Trade_Agree."""
        return self.frame(TradeAgreeClientPacket(agree=agree))

    def end_trade(self) -> bytes:
        """Trade_Close; its window closes at once."""
        self.trade = None
        return self.frame(TradeCloseClientPacket())  # type: ignore[no-untyped-call] # eolib leaves it bare

    def ask_into_party(self, player_id: int, how: PartyRequestType = PartyRequestType.Invite) -> bytes:
        """Party_Request."""
        return self.frame(PartyRequestClientPacket(request_type=how, player_id=player_id))

    def accept_party(self) -> bytes:
        """Party_Accept: yes, in the box that is open."""
        asked, self.party_asker = self.party_asker, None
        assert asked is not None, "no box is open"
        return self.frame(PartyAcceptClientPacket(request_type=asked[0], inviter_player_id=asked[1]))

    def remove_member(self, player_id: int) -> bytes:
        """Party_Remove, of another or of itself."""
        return self.frame(PartyRemoveClientPacket(player_id=player_id))

    def look_at_party(self) -> bytes:
        """Party_Take."""
        return self.frame(PartyTakeClientPacket(members_count=len(self.party)))

    # What it receives

    def _own(self, packet: Packet) -> bool:
        return super()._own(packet) or self._trades(packet) or self._parties(packet)

    def _parties(self, packet: Packet) -> bool:
        match packet:
            case PartyRequestServerPacket():
                self.party_asker = packet.request_type, packet.inviter_player_id
            case PartyCreateServerPacket() | PartyListServerPacket():
                self.party = {member.player_id: _fellow(member) for member in packet.members}
                assert len(self.party) == len(packet.members), "it would be drawn twice"
            case PartyAddServerPacket():
                assert packet.member.player_id not in self.party, "it would be drawn twice"
                self.party[packet.member.player_id] = _fellow(packet.member)
            case PartyRemoveServerPacket():
                del self.party[packet.player_id]
                if len(self.party) == 1:
                    self.party.clear()
            case PartyAgreeServerPacket():
                if self.party:
                    self.party[packet.player_id].percent = packet.hp_percentage
            case PartyCloseServerPacket():
                self.party.clear()
            case _:
                return False
        return True

    def _trades(self, packet: Packet) -> bool:
        match packet:
            case TradeRequestServerPacket():
                self.trade_asker = packet.partner_player_id
            case TradeOpenServerPacket():
                assert packet.your_player_id == self.player_id
                self.trade = TradeWindow(packet.partner_player_id, packet.partner_player_name)
            case TradeReplyServerPacket() | TradeAdminServerPacket():
                window = self._window
                window.own, window.theirs = self._sides(packet.trade_data)
                window.agrees = window.partner_agrees = False
                window.warned = isinstance(packet, TradeAdminServerPacket)
            case TradeSpecServerPacket():
                self._window.agrees = packet.agree
            case TradeAgreeServerPacket():
                assert packet.partner_player_id == self._window.partner
                self._window.partner_agrees = packet.agree
            case TradeUseServerPacket():
                given, received = self._sides(packet.trade_data)
                for item_id, amount in given.items():
                    assert self._owned(item_id) >= amount, "it gives away more than it has"
                    self._set(item_id, self._owned(item_id) - amount)
                for item_id, amount in received.items():
                    self._set(item_id, self._owned(item_id) + amount)
                self.trade = None
            case TradeCloseServerPacket():
                assert packet.partner_player_id == self._window.partner
                self.trade = None
            case _:
                return False
        return True

    @property
    def _window(self) -> TradeWindow:
        assert self.trade is not None, "no window is open"
        return self.trade

    def _sides(self, blocks: Iterable[TradeItemData]) -> tuple[dict[int, int], dict[int, int]]:
        """Its own side of two, and the other's."""
        own, theirs = blocks
        assert (own.player_id, theirs.player_id) == (self.player_id, self._window.partner)
        sides = [{item.id: item.amount for item in block.items} for block in (own, theirs)]
        assert [len(side) for side in sides] == [len(own.items), len(theirs.items)], "it would be drawn twice"
        return sides[0], sides[1]


def _fellow(member: PartyMember) -> Fellow:
    return Fellow(member.name, member.leader, member.level, member.hp_percentage)
