"""What a Lineage II client shows of whom its player trades with and goes about with: the window of a trade,
and the list of the party (`tests.kit.l2_screen`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from tests.kit.l2_people import People
from tests.kit.l2_shown import Offered

if TYPE_CHECKING:
    from tests.kit.l2_reader import Reader

GONE, SOME = 2, 3
"""What a TradeUpdate says of a row of one's own list."""


@attrs.define
class TradeTable:
    """The window of a trade: its three lists by object id, and who agrees."""

    partner: int
    mine: dict[int, Offered] = attrs.field(factory=dict)
    """What is left of one's own."""
    own: dict[int, Offered] = attrs.field(factory=dict)
    theirs: dict[int, Offered] = attrs.field(factory=dict)
    own_ok: bool = False
    their_ok: bool = False


@attrs.define
class Fellow:
    """A row of the party's window; bars are pairs of now and most."""

    name: str
    cp: tuple[int, int]
    hp: tuple[int, int]
    mp: tuple[int, int]
    level: int
    class_id: int


@attrs.define
class PartyTable:
    """The window of the party: its leader, its rule, and the others by object id."""

    leader: int
    loot: int
    others: dict[int, Fellow] = attrs.field(factory=dict)


class Company(People):
    """See the module."""

    def forget_world(self) -> None:
        """The menu: nothing of a world counts any more."""
        super().forget_world()
        self.trade: TradeTable | None = None
        """The window of a trade, if it is open."""
        self.trade_asker = 0
        """Who asks to trade, in a box with yes and no."""
        self.trades: list[bool] = []
        """How trades ended: whether anything changed hands."""
        self.party: PartyTable | None = None
        """The window of the party, if it is in one."""
        self.party_asker = ""
        """Who asks it into a party, in a box with yes and no."""
        self.joined: list[int] = []
        """Answers of those whom it asked."""
        self.party_places: dict[int, tuple[int, int, int]] = {}
        """The others on the map."""

    # Trade

    def _send_trade_request(self, r: Reader) -> None:
        self.trade_asker = r.d()
        self._known(0x5E, self.trade_asker)

    def _trade_start(self, r: Reader) -> None:
        partner = r.d()
        self._known(0x1E, partner)
        if self.trade is not None:
            self._fault(0x1E, "it trades already")
        self.trade_asker = 0
        self.trade = TradeTable(partner)
        self._rows(0x1E, r, self.trade.mine)

    def _trade_own_add(self, r: Reader) -> None:
        self._rows(0x20, r, self._table(0x20).own)

    def _trade_other_add(self, r: Reader) -> None:
        self._rows(0x21, r, self._table(0x21).theirs)

    def _trade_update(self, r: Reader) -> None:
        mine = self._table(0x74).mine
        for _ in range(r.h()):
            rest, row = r.h(), self._row(0x74, r)
            if row.number not in mine or rest not in (GONE, SOME):
                self._fault(0x74, f"{rest} of {row.number:#x}")
            if rest == SOME:
                mine[row.number] = row
            else:
                mine.pop(row.number, None)

    def _trade_own_ok(self, r: Reader) -> None:
        self._table(0x75).own_ok = True

    def _trade_other_ok(self, r: Reader) -> None:
        self._table(0x7C).their_ok = True

    def _trade_done(self, r: Reader) -> None:
        self._table(0x22)
        self.trade = None
        self.trades.append(bool(r.d()))

    def _table(self, opcode: int) -> TradeTable:
        if self.trade is None:
            self._fault(opcode, "it does not trade")
            return TradeTable(0)
        return self.trade

    def _rows(self, opcode: int, r: Reader, rows: dict[int, Offered]) -> None:
        """Rows that come to a list; none may be there already, for nobody knows what the original does."""
        for _ in range(r.h()):
            row = self._row(opcode, r)
            if row.number in rows:
                self._fault(opcode, f"{row.number:#x} is there already")
            rows[row.number] = row

    def _row(self, opcode: int, r: Reader) -> Offered:
        r.h()
        number, kind, amount = r.ds(3)
        r.skip("2h 1d 3h")
        if number <= 0 or kind <= 0 or amount <= 0:
            self._fault(opcode, f"{amount} of kind {kind}")
        return Offered(number, kind, amount)

    # The party

    def _ask_join_party(self, r: Reader) -> None:
        self.party_asker, loot = r.text(), r.d()
        self._rule(0x39, loot)

    def _join_party(self, r: Reader) -> None:
        self.joined.append(r.d())

    def _party_all(self, r: Reader) -> None:
        leader, loot, count = r.ds(3)
        if self.party is not None:
            self._fault(0x4E, "it is in a party already")
        self._rule(0x4E, loot)
        self.party_asker = ""
        self.party = PartyTable(leader, loot)
        for _ in range(count):
            self._comes(0x4E, r)

    def _party_add(self, r: Reader) -> None:
        leader, loot = r.ds(2)
        table = self._party(0x4F)
        if (leader, loot) != (table.leader, table.loot):
            self._fault(0x4F, f"another leader or rule: {leader:#x}, {loot}")
        self._comes(0x4F, r)

    def _party_delete_all(self, r: Reader) -> None:
        self._party(0x50)
        self.party = None
        self.party_places.clear()

    def _party_delete(self, r: Reader) -> None:
        number, name = r.d(), r.text()
        gone = self._party(0x51).others.pop(number, None)
        if gone is None or gone.name != name:
            self._fault(0x51, f"{name} was not in it")
        self.party_places.pop(number, None)

    def _party_update(self, r: Reader) -> None:
        others = self._party(0x52).others
        number, fellow = self._fellow(r)
        if number not in others or others[number].name != fellow.name:
            self._fault(0x52, f"{fellow.name} is not in it")
        others[number] = fellow

    def _party_positions(self, r: Reader) -> None:
        others = self._party(0xA7).others
        for _ in range(r.d()):
            number, x, y, z = r.ds(4)
            if number not in others:
                self._fault(0xA7, f"{number:#x} is not in it")
            self.party_places[number] = x, y, z

    def _party(self, opcode: int) -> PartyTable:
        if self.party is None:
            self._fault(opcode, "it is in no party")
            return PartyTable(0, 0)
        return self.party

    def _comes(self, opcode: int, r: Reader) -> None:
        others = self._party(opcode).others
        number, fellow = self._fellow(r)
        r.skip("2d")
        if number in others or (self.me is not None and number == self.me.id):
            self._fault(opcode, f"{fellow.name} is there already")
        others[number] = fellow

    def _fellow(self, r: Reader) -> tuple[int, Fellow]:
        number, name = r.d(), r.text()
        cp, hp, mp = ((r.d(), r.d()) for _ in range(3))
        return number, Fellow(name, cp, hp, mp, r.d(), r.d())

    def _rule(self, opcode: int, loot: int) -> None:
        if loot not in range(5):
            self._fault(opcode, f"rule {loot} for loot")
