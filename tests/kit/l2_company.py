"""What a Lineage II client shows of whom its player trades with and goes about with: the window of a trade,
and the list of the party (`tests.kit.l2_screen`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from tests.kit.l2_people import People
from tests.kit.l2_shown import ADENA, Offered

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

    def side(self, rows: dict[int, Offered]) -> tuple[dict[int, int], int]:
        """Amounts by kind, and adena, of one of the lists."""
        kinds: dict[int, int] = {}
        for row in rows.values():
            kinds[row.kind] = kinds.get(row.kind, 0) + row.amount
        gold = kinds.pop(ADENA, 0)
        return kinds, gold


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
