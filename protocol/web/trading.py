"""Trades between players as messages of this game: a panel beside the map.

All of it is told of the copies that the world's events hold: what hangs in a trade may be another by now.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.web.packets.trading import Bargain, BargainOver, Good, Side
from world.bargain import TradeSide

if TYPE_CHECKING:
    from protocol.web.looks import WebLooks
    from world.bargain import Offered
    from world.events import TradeChanged, TradeEnded, TradeOpened

NOTHING = TradeSide()


def opened(event: TradeOpened, looks: WebLooks) -> Bargain:
    """Two begin to trade."""
    return _bargain(event, NOTHING, NOTHING, 0, f"You trade with {event.other.name}.", looks)


def changed(event: TradeChanged, looks: WebLooks) -> Bargain:
    """An offer changed, or whether somebody agrees."""
    return _bargain(event, event.own, event.theirs, event.changes, event.line, looks)


def over(event: TradeEnded) -> BargainOver:
    """It is done, or off. Words say which and why."""
    return BargainOver(event.other.serial, event.done)


def _bargain(
    event: TradeOpened | TradeChanged,
    own: TradeSide,
    theirs: TradeSide,
    changes: int,
    line: str,
    looks: WebLooks,
) -> Bargain:
    other = event.other
    return Bargain(
        other.serial, other.name, other.game, _side(own, looks), _side(theirs, looks), line, changes
    )


def _side(side: TradeSide, looks: WebLooks) -> Side:
    return Side(tuple(_good(one, looks) for one in side.things), side.gold, side.agreed)


def _good(one: Offered, looks: WebLooks) -> Good:
    return Good(
        one.serial,
        one.name or one.template.name,
        looks.item(one.template, one.hue),
        one.amount,
        tuple(map(_in_words, one.inside)),
    )


def _in_words(one: Offered) -> str:
    inside = f" ({', '.join(map(_in_words, one.inside))})" if one.inside else ""
    return f"{one.label}{inside}"
