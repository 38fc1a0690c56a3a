"""Merchants and the bank: what their windows send, which are slash commands, and the same in words.

Amounts and numbers come as text. Whose counter it is no command says: it is the one that the player stands
at (`Mobile.visit`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.counters import COPPER
from protocol.eq2.handlers.looking import target_of
from protocol.eq2.handlers.table import command
from protocol.eq2.view import Eq2View
from world import counters, hands, safes, shops, vaults, visits
from world.finding import by_name, name_and_amount
from world.mobile import Mobile
from world.reach import TALKING, Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session

MOST_DIGITS: Final = 20
"""Of a number with 64 bits."""

NO_BUYBACK: Final = "What a merchant has bought is among its wares, if it sells such: buy it there."
NO_MERCHANT: Final = "There is no merchant near."
WHOLE_COINS: Final = "Here the smallest coin is one of gold."


# Merchants


@command("start_merchant", "merchant")
def start(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Come up to the merchant that is the target, or to the nearest. Raises Cannot: GONE if there is none,
    and as `counters.at_shop` does."""
    counters.at_shop(mobile, _meant(session, mobile, "merchant", NO_MERCHANT))


@command("buy_from_merchant")
def buy(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Buy so many of the ware with that number. Raises Cannot: GONE if nobody serves one, AMOUNT, NOT_SOLD,
    and as `shops.buy` does."""
    merchant = visits.host(mobile, shops.SHOP)
    number, amount = _two(text)
    key = session.kind_of_number(number)
    if key is None:
        raise Cannot(Refusal.NOT_SOLD)
    shops.buy(mobile, merchant, [shops.Order(key, amount)])


@command("sell_to_merchant")
def sell(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Sell so many of a thing: the number of its kind, with its own number in the upper 32 bits; without
    that, of its kind. Raises Cannot: GONE if nobody serves one, AMOUNT, NOT_YOURS, and as `shops.sell`
    does."""
    merchant = visits.host(mobile, shops.SHOP)
    number, amount = _two(text)
    serial, key = number >> 32, session.kind_of_number(number & 0xFFFF_FFFF)
    if key is None:
        raise Cannot(Refusal.NOT_YOURS)
    if not serial:
        shops.sell_kind(mobile, merchant, [shops.Order(key, amount)])
        return
    item = next((each for each in hands.carried_items(mobile, key) if each.serial == serial), None)
    if item is None:
        raise Cannot(Refusal.NOT_YOURS)
    shops.sell(mobile, merchant, [shops.Sale(item, amount)])


@command("buyback_from_merchant")
def buy_back(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Tell that there is no such thing here."""
    notice(mobile, NO_BUYBACK)


@command("cancel_merchant")
def stop_trading(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Leave the merchant's counter: its window was closed."""
    _leave(mobile, shops.SHOP)


# The bank


@command("start_bank", "bank")
def open_bank(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Have one's vault opened by the banker that is the target, or by the nearest. Raises Cannot: GONE if
    there is none, and as `counters.at_bank` does."""
    counters.at_bank(mobile, _meant(session, mobile, vaults.BANKER, vaults.NO_BANKER))


@command("bank_deposit")
def put_coins_in(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Put coins into the bank; so much copper. Raises Cannot: GONE if nobody serves one, AMOUNT, and as
    `vaults.deposit_gold` does."""
    vaults.deposit_gold(mobile, visits.host(mobile, safes.VAULT), _gold(text))


@command("bank_withdraw")
def take_coins_out(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Take coins out of the bank; so much copper. Raises Cannot: GONE if nobody serves one, AMOUNT, and as
    `vaults.withdraw_gold` does."""
    vaults.withdraw_gold(mobile, visits.host(mobile, safes.VAULT), _gold(text))


@command("deposit")
def put_in(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Put so many of what is called so into the bank: `/deposit bread 2`. Raises Cannot: GONE if nobody
    serves one or there is no such thing, and as `vaults.deposit_kind` does."""
    banker = visits.host(mobile, safes.VAULT)
    name, amount = name_and_amount(text)
    item = by_name(name, hands.carried_items(mobile)) if name else None
    if item is None:
        raise Cannot(Refusal.GONE)
    vaults.deposit_kind(mobile, banker, item.template.key, amount)


@command("withdraw")
def take_out(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Take so many of what is called so out of the bank. Raises Cannot: GONE if nobody serves one or there is
    no such thing, and as `vaults.withdraw` does."""
    banker = visits.host(mobile, safes.VAULT)
    name, amount = name_and_amount(text)
    item = by_name(name, safes.things(mobile)) if name else None
    if item is None:
        raise Cannot(Refusal.GONE)
    vaults.withdraw(mobile, banker, item, amount)


@command("cancel_bank", "bank_cancel")
def leave_bank(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Leave the banker's counter: its window was closed."""
    _leave(mobile, safes.VAULT)
    session.queue(*Eq2View.of(session).belongings)


def _leave(mobile: Mobile, service: str) -> None:
    if mobile.visit is not None and mobile.visit.service == service:
        visits.leave(mobile)


def _meant(session: Eq2Session, mobile: Mobile, role: str, none: str) -> Mobile:
    """The target, or else the nearest of a role. Raises Cannot(GONE)."""
    target = target_of(session)
    if isinstance(target, Mobile) and target.has_role(role):
        return target
    found = visits.nearest(mobile, role, TALKING)
    if found is None:
        raise Cannot(Refusal.GONE, none)
    return found


def _two(text: str) -> tuple[int, int]:
    """The number of a row and an amount; one, if none is said. Raises Cannot(AMOUNT)."""
    words = text.split()
    if not 1 <= len(words) <= 2:
        raise Cannot(Refusal.AMOUNT)
    return number_in(words[0]), number_in(words[1]) if len(words) > 1 else 1


def _gold(text: str) -> int:
    """Gold coins in so much copper. Raises Cannot(AMOUNT)."""
    gold, rest = divmod(number_in(text), COPPER)
    if rest:
        raise Cannot(Refusal.AMOUNT, WHOLE_COINS)
    return gold


def number_in(text: str) -> int:
    """The number that a command's text is. Raises Cannot(AMOUNT)."""
    if not (text.isascii() and text.isdigit() and len(text) <= MOST_DIGITS):
        raise Cannot(Refusal.AMOUNT)
    return int(text)
