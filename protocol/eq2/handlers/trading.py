"""Trading with another player, which its window does by slash commands.

    start_trade [NUMBER or NAME]      with whom one aims at, or that spawn       accept_trade
    add_trade_item ROW PLACE AMOUNT   ROW as in `inventory.py`                   reject_trade
    remove_trade_item PLACE           of the window                              cancel_trade
    add_trade_gold N                  likewise copper, silver, plat              set_trade_coin COPPER
    remove_trade_gold N

The words and what stands behind them are those of EQ2Emulator (Commands.cpp), but for `set_trade_coin`, which
is not made there: here it is the whole sum in copper, as with the bank.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.belongings import MOST_COUNTED
from protocol.eq2.counters import COPPER
from protocol.eq2.handlers.counters import WHOLE_COINS, number_in
from protocol.eq2.handlers.inventory import numbers_in, own_at
from protocol.eq2.handlers.looking import target_of, thing_of
from protocol.eq2.handlers.table import COINS, command
from protocol.eq2.trading import PLACES, as_it_is
from protocol.eq2.view import Eq2View
from world import presence, trade
from world.mobile import Mobile
from world.reach import Cannot, Refusal
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eq2.session import Eq2Session
    from world.bargain import Trade

WORTH: Final = {coin: 100**place for place, coin in enumerate(COINS)}
"""Copper in a coin."""

NO_PARTNER: Final = "Aim at whom you want to trade with, or type /start_trade and a name."


@command("start_trade")
def start(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Trade with whom one aims at, or with whom is named. Raises Cannot: GONE if that is nobody, NOBODY, and
    as `trade.ask` does."""
    trade.ask(mobile, meant(session, mobile, text, NO_PARTNER))


@command("add_trade_item")
def add(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Offer so many of the thing of a row, at a place of the window; amount 0: one, as many as the client
    counts: all. Raises Cannot: NO_TRADE, UNFIT if the numbers are none, and as `trade.offer` does."""
    bargain = _own(mobile)
    changes = bargain.changes
    try:
        _add(session, mobile, numbers_in(text))
    except Cannot:
        # The client may show the thing in the window.
        session.queue(*as_it_is(mobile, Eq2View.of(session).figures))
        raise
    if bargain.changes == changes:
        session.queue(*as_it_is(mobile, Eq2View.of(session).figures))


def _add(session: Eq2Session, mobile: Mobile, numbers: Sequence[int]) -> None:
    if not 1 <= len(numbers) <= 3:
        raise Cannot(Refusal.UNFIT)
    row, place, amount = (*numbers, *(PLACES, 1)[len(numbers) - 1 :])
    item = own_at(session, mobile, row)
    if amount == 0:
        amount = 1
    elif amount == MOST_COUNTED < item.amount:
        amount = item.amount
    if item.template.key == GOLD:
        trade.offer_kind(mobile, GOLD, amount, more=True)
        return
    trade.offer(mobile, item, amount)
    if 0 <= place < PLACES and place not in session.trade_places.values():
        session.trade_places[item.serial] = place


@command("remove_trade_item")
def remove(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Offer what lies at that place of the window no more. Raises Cannot: NO_TRADE, UNFIT if that is no
    number, NOT_OFFERED."""
    _own(mobile)
    numbers = numbers_in(text)
    if len(numbers) != 1:
        raise Cannot(Refusal.UNFIT)
    serial = next((one for one, place in session.trade_places.items() if place == numbers[0]), 0)
    item = mobile.world.items.get(serial)
    if item is None:
        raise Cannot(Refusal.NOT_OFFERED)
    trade.withdraw(mobile, item)


def _coin_commands(coin: str) -> None:
    @command(f"add_trade_{coin}")
    def add_coins(session: Eq2Session, mobile: Mobile, text: str) -> None:
        trade.offer_kind(mobile, GOLD, gold_in(text, WORTH[coin]), more=True)

    @command(f"remove_trade_{coin}")
    def remove_coins(session: Eq2Session, mobile: Mobile, text: str) -> None:
        trade.offer_kind(mobile, GOLD, -gold_in(text, WORTH[coin]), more=True)


for _coin in COINS:
    _coin_commands(_coin)


@command("set_trade_coin")
def set_coins(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Offer so much copper in all. Raises Cannot: AMOUNT, and as `trade.set_gold` does."""
    trade.set_gold(mobile, gold_in(text, 1, least=0))


@command("accept_trade")
def agree(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Agree to both offers. Raises Cannot, as `trade.agree`."""
    trade.agree(mobile)


@command("reject_trade", "cancel_trade")
def close(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """End the trade: its window was closed, and has been perhaps because the trade is over."""
    if mobile.trade is not None:
        trade.close(mobile)


def meant(session: Eq2Session, mobile: Mobile, text: str, nobody: str) -> Mobile:
    """The mobile that one means by its number or name, or aims at. Raises Cannot: GONE, with the words
    `nobody`, if that is no mobile, NOBODY if nobody who plays is called so."""
    if text and not text.isdecimal():
        named = presence.by_name(mobile, text)
        if named is None:
            raise Cannot(Refusal.NOBODY)
        return named
    thing = thing_of(session, session.ghosts.meant(number_in(text))) if text else target_of(session)
    if not isinstance(thing, Mobile):
        raise Cannot(Refusal.GONE, nobody)
    return thing


def _own(mobile: Mobile) -> Trade[Mobile]:
    """One's trade. Raises Cannot(NO_TRADE)."""
    if mobile.trade is None:
        raise Cannot(Refusal.NO_TRADE)
    return mobile.trade


def gold_in(text: str, worth: int, least: int = 1) -> int:
    """Gold coins in so many of other ones; `worth`: copper in one of these. Raises Cannot(AMOUNT)."""
    gold, rest = divmod(number_in(text) * worth, COPPER)
    if rest:
        raise Cannot(Refusal.AMOUNT, WHOLE_COINS)
    if gold < least:
        raise Cannot(Refusal.AMOUNT)
    return gold
