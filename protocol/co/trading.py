"""Trades between players as this game's client shows them: in a window with a side for each
(facts/co-play.md, section 7; facts/co.md, section 12).

    TradeOpened   ->  Trade OPEN
    TradeChanged  ->  Trade ADD_ITEM for each thing of one's own, ItemInfo of the mode TRADE for each of the
                      partner's, OWN_MONEY, PARTNERS_MONEY, and ACCEPT once the partner agrees
    TradeEnded    ->  Trade SUCCESS or FAIL

No message takes a thing out of the window again, and none says that somebody agrees no more: the client would
go on showing what is not offered, and let nobody agree a second time. So whenever something is less than it
was, the window is closed and opened anew with all that is offered now.

The client draws things by kinds of its own, without names and amounts of ours. So each offer comes as a line,
too, which alone tells of what a client does not know that its player has, and of all where it does not see
the partner in a crowd: it opens no window with somebody that it does not know.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

import attrs

from protocol.co import combat
from protocol.co.figures import MOST, Drawing, serial_of
from protocol.co.packets import ItemInfo, ItemInfoMode, Trade, TradeAction
from protocol.co.session import Bargain
from protocol.wire.body import Body
from world.events import TradeChanged, TradeEnded, TradeOpened

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Sequence

    from protocol.co.figures import Figures
    from protocol.co.packets import Message
    from protocol.co.session import CoSession
    from protocol.co.versions import CoVersion
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.bargain import Offered
    from world.events import Event

D = TypeVar("D", bound=Drawing)


class TradeWindow:
    """The window with what is offered `now`, found out when it leaves: the difference from what it showed. If
    it `opens`, it is made anew; without a `now`, with what it shows already."""

    __slots__ = ("_figures", "_now", "_opens")
    droppable = False

    def __init__(self, figures: Figures, now: Bargain | None, *, opens: bool = False) -> None:
        self._figures = figures
        self._now = now
        self._opens = opens

    def bind(self, session: CoSession) -> bytes:
        """The packets, one behind the other. Notes what the client shows from then on."""
        shown, now = session.bargain, self._now or session.bargain
        if now is None:
            return b""
        told: list[Message] = []
        if self._opens or shown is None or not _goes_on(shown, now):
            if shown is not None:
                told.append(Trade(shown.partner, TradeAction.FAIL))
            if serial_of(now.partner) not in session.known:
                session.bargain = None
                return b"".join(packet.encode(session.dialect) for packet in told)
            told.append(Trade(now.partner, TradeAction.OPEN))
            shown = Bargain(now.partner)
        told += self._differences(shown, now, session)
        session.bargain = attrs.evolve(now, pressed=now.own.agreed)
        return b"".join(packet.encode(session.dialect) for packet in told)

    def _differences(self, shown: Bargain, now: Bargain, session: CoSession) -> Iterator[Message]:
        for one in now.own.wares:
            if one not in shown.own.things and one.serial in (session.owns or {}):
                yield Trade(one.serial, TradeAction.ADD_ITEM)
        for one in now.theirs.wares:
            if one not in shown.theirs.things:
                yield self._thing(one)
        if now.own.coins != shown.own.coins:
            yield Trade(now.own.coins, TradeAction.OWN_MONEY)
        if now.theirs.coins != shown.theirs.coins:
            yield Trade(now.theirs.coins, TradeAction.PARTNERS_MONEY)
        if now.theirs.agreed and not shown.theirs.agreed:
            yield Trade(now.partner, TradeAction.ACCEPT)

    def _thing(self, one: Offered) -> ItemInfo:
        """A thing of the partner's."""
        amount = max(1, min(one.amount, MOST))
        kind = self._figures.looks.items[one.template.key].item
        return ItemInfo(one.serial, kind, amount, amount, mode=ItemInfoMode.TRADE)


class TradeClosed:
    """Closes the window, if it is open."""

    __slots__ = ("_action",)
    droppable = False

    def __init__(self, action: TradeAction) -> None:
        self._action = action

    def bind(self, session: CoSession) -> bytes:
        """The packet. Notes that nothing is shown any more."""
        shown, session.bargain = session.bargain, None
        return b"" if shown is None else Trade(shown.partner, self._action).encode(session.dialect)


class OfferRefused:
    """An offer is not taken: this `ware`, or else the coins, of which there are as many as before. For a
    window that is still open by then: of a client that is behind, what closes it may be on its way."""

    __slots__ = ("_ware",)
    droppable = False

    def __init__(self, ware: int | None) -> None:
        self._ware = ware

    def bind(self, session: CoSession) -> bytes:
        """The packet."""
        shown = session.bargain
        if shown is None:
            return b""
        if self._ware is None:
            return Trade(shown.own.coins, TradeAction.OWN_MONEY).encode(session.dialect)
        return Trade(self._ware, TradeAction.ITEM_REFUSED).encode(session.dialect)


def _goes_on(shown: Bargain, now: Bargain) -> bool:
    """Whether all that the window shows is so still, and there may be more."""
    for before, after in ((shown.own, now.own), (shown.theirs, now.theirs)):
        if any(one not in after.things for one in before.wares):
            return False
    agreed = shown.pressed or shown.own.agreed
    return (now.own.agreed or not agreed) and (now.theirs.agreed or not shown.theirs.agreed)


# Events


def declare(events: Renderings[D, CoVersion]) -> None:
    """Register how trades are shown."""
    events.renders(TradeOpened)(_opened)
    events.renders(TradeChanged)(_changed)
    events.renders(TradeEnded)(_ended)


def _opened(view: Drawing, event: TradeOpened, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
    """Trade OPEN: a window with both sides; and a line with what one can type."""
    partner = view.figures.ids.of(event.other)
    return TradeWindow(view.figures, Bargain(partner), opens=True), *_line(event, version)


def _changed(
    view: Drawing, event: TradeChanged, audience: Hashable, version: CoVersion
) -> Sequence[Outgoing]:
    """Trade and ItemInfo: things, silver, and who agrees; the window is opened anew when something is less
    than before. All of it is in a line as well."""
    partner = view.figures.ids.of(event.other)
    now = Bargain(partner, event.own, event.theirs, event.changes)
    return TradeWindow(view.figures, now), *_line(event, version)


def _ended(view: Drawing, event: TradeEnded, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
    """Trade SUCCESS or FAIL closes the window; a line says why it is off, or what was given when that is on
    disk."""
    return (TradeClosed(TradeAction.SUCCESS if event.done else TradeAction.FAIL),)


def _line(event: Event, version: CoVersion) -> list[Outgoing]:
    return [Body(line.encode(version)) for line in combat.line(event, own=True)]
