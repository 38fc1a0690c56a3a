"""Trades between players in the client's own window.

    Asked (trade)  ->  SendTradeRequest                a box that names who asks; AnswerTradeRequest
    TradeOpened    ->  TradeStart                      the window, with all that can be offered
    TradeChanged   ->  TradeOwnAdd, TradeUpdate,       what came to an offer, and what is left of it
                       TradeOtherAdd
                       TradePressOwnOk, ...OtherOk     who agrees
    TradeEnded     ->  SendTradeDone

The window can only be added to: nothing leaves it, no amount changes in it, and who agrees does so for good.
So if any of that happens it is closed and opened anew with what is offered now, and what it shows is true at
any time (`L2Session.trading` has that). Gold counts as one stack, under the number of the first that its
owner has; the other's is under the number of its owner.

The window has the client's own names, and kinds of ours that look alike have the same there. So each change
is told in words as well, among them how to take back what is offered, for which the client has no button.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from protocol.l2 import words
from protocol.l2.bound import in_turn
from protocol.l2.counters import MOST_ROWS
from protocol.l2.figures import MOST_COINS, stack_row
from protocol.l2.packets import (
    Rest,
    RestEntry,
    SendTradeDone,
    StackEntry,
    TradeOtherAdd,
    TradeOwnAdd,
    TradePressOtherOk,
    TradePressOwnOk,
    TradeStart,
    TradeUpdate,
)
from protocol.l2.session import TradeShown
from world import holding, trade
from world.containers import carried_items
from world.events import TradeChanged, TradeEnded, TradeOpened
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from protocol.l2.looks import L2Looks
    from protocol.l2.packets import Message
    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Version
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.bargain import TradeSide
    from world.mobile import Mobile


MOST_OTHERS: Final = 4
"""Messages beside the rows: to close and to open, and that one or the other agrees."""


class Drawing(Protocol):
    """This game's view, as far as it is needed here."""

    looks: L2Looks


V = TypeVar("V", bound=Drawing)


def shows_trades(events: Renderings[V, L2Version]) -> None:
    """Declare how this game's view shows trades."""
    events.renders(TradeOpened)(opened)
    events.renders(TradeChanged)(changed)
    events.renders(TradeEnded)(ended)


def opened(view: Drawing, event: TradeOpened, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
    """TradeStart, with all that can be offered, and a SystemMessage with what one can type."""

    def make(session: L2Session) -> Iterator[Message]:
        session.trading = TradeShown()
        yield _start(view.looks, event.thing, event.other)

    return *in_turn(version, 1, make), *words.own(event, version)


def changed(view: Drawing, event: TradeChanged, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
    """TradeOwnAdd with TradeUpdate, TradeOtherAdd, TradePressOwnOk or TradePressOtherOk, and a SystemMessage
    with all of it in words. TradeStart anew if anything was taken back."""
    now = TradeShown(event.own, event.theirs, event.changes)

    def make(session: L2Session) -> Sequence[Message]:
        told = list(_changes(view.looks, event.thing, event.other, session.trading, now))
        session.trading = now
        return told

    most = MOST_OTHERS + 2 * _rows(event.own) + _rows(event.theirs)
    return *in_turn(version, most, make), *words.own(event, version)


def ended(view: Drawing, event: TradeEnded, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
    """SendTradeDone; a line says why it is off, or what was given when that is on disk."""

    def make(session: L2Session) -> Iterator[Message]:
        if session.trading is not None:
            session.trading = None
            yield SendTradeDone(int(event.done))

    return in_turn(version, 1, make)


# What is in the lists


def _start(looks: L2Looks, mobile: Mobile, other: Mobile) -> TradeStart:
    """All that can be offered, its gold first, as one stack."""
    wares = [
        stack_row(looks, item.template.key, item.serial, item.amount)
        for item in trade.offerable(mobile)
        if item.template.key != GOLD
    ]
    gold = holding.gold(mobile)
    coins = [stack_row(looks, GOLD, _gold_id(mobile), gold)] if gold else []
    return TradeStart(other.serial, (*coins, *wares)[:MOST_ROWS])


def _changes(
    looks: L2Looks, mobile: Mobile, other: Mobile, before: TradeShown | None, now: TradeShown
) -> Iterator[Message]:
    """Messages after which the window shows what is offered."""
    if before is None or _less(before.own, now.own) or _less(before.theirs, now.theirs):
        if before is not None:
            yield SendTradeDone(0)
        yield _start(looks, mobile, other)
        before = TradeShown()
    for row in _added(looks, before.own, now.own, _gold_id(mobile)):
        left = _has(mobile, row.object_id) - row.count
        yield TradeOwnAdd((row,))
        yield TradeUpdate((RestEntry(Rest.SOME if left > 0 else Rest.NOTHING, _with(row, max(1, left))),))
    for row in _added(looks, before.theirs, now.theirs, other.serial):
        yield TradeOtherAdd((row,))
    if now.own.agreed and not before.own.agreed:
        yield TradePressOwnOk()
    if now.theirs.agreed and not before.theirs.agreed:
        yield TradePressOtherOk()


def _rows(side: TradeSide) -> int:
    return len(side.things) + 1


def _less(before: TradeSide, now: TradeSide) -> bool:
    """Whether something of a side is not as it was, but for what came to it."""
    wares = {one.serial: one for one in now.wares}
    return (
        any(wares.get(one.serial) != one for one in before.wares)
        or before.coins not in (0, now.coins)
        or (before.agreed and not now.agreed)
    )


def _added(looks: L2Looks, before: TradeSide, now: TradeSide, gold_id: int) -> Iterator[StackEntry]:
    """Rows that came to a side."""
    if now.coins and not before.coins:
        yield stack_row(looks, GOLD, gold_id, now.coins)
    there = {one.serial for one in before.wares}
    for one in now.wares:
        if one.serial not in there:
            yield stack_row(looks, one.template.key, one.serial, one.amount)


def _with(row: StackEntry, count: int) -> StackEntry:
    """A row with another count."""
    left = min(count, MOST_COINS)
    return StackEntry(row.type1, row.object_id, row.item_id, left, row.type2, body_part=row.body_part)


def _has(mobile: Mobile, number: int) -> int:
    """How much there is of a thing in one's list."""
    if number == _gold_id(mobile):
        return holding.gold(mobile)
    item = mobile.world.items.get(number)
    return item.amount if item is not None else 0


def _gold_id(mobile: Mobile) -> int:
    """The number of one's gold: of its first stack; 0 if there is none."""
    return next((item.serial for item in carried_items(mobile, GOLD)), 0)
