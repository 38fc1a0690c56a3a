"""Verbs at a counter, for all games: buying, selling, and what one has in the bank. Each is one call of a
rule of `world.shops` or `world.vaults`, with the nearest merchant or banker."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from server.commands import named
from server.commands.machinery import CommandTable
from server.commands.verbs import verb_of
from world import counters, finding, hands, lessons, lodging, safes, shops, vaults, visits
from world.reach import TALKING, Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.commands.machinery import Arguments
    from world.mobile import Mobile

TABLE: Final = CommandTable()

_verb = partial(verb_of, TABLE)

NO_MERCHANT: Final = "There is nobody near who trades."
NO_TRAINER: Final = "There is nobody near who teaches."
NO_BANKER: Final = "There is no banker near."


@_verb("buy [THING...] [AMOUNT]", "buys of the nearest merchant, or shows what it has: buy bread 2")
def buy(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Buy something, or see what there is. Raises Cannot, as `shops.buy`, and for what is not sold."""
    merchant = nearest(actor, "merchant", NO_MERCHANT)
    if "thing" not in args:
        counters.at_shop(actor, merchant)
        return []
    name, amount = finding.name_and_amount(args["thing"])
    kinds = actor.world.content.items
    wares = [kinds[row.item] for row in shops.catalogue(merchant).sells]
    ware = finding.kind_by_name(name, wares)
    if ware is None:
        raise Cannot(Refusal.NOT_SOLD)
    shops.buy(actor, merchant, [shops.Order(ware.key, amount)])
    return []


@_verb("sell [THING...] [AMOUNT]", "sells out of your pack to the nearest merchant: sell hide 3")
def sell(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Sell something, or see what is bought. Raises Cannot, as `shops.sell`."""
    merchant = nearest(actor, "merchant", NO_MERCHANT)
    if "thing" not in args:
        counters.at_shop(actor, merchant)
        return []
    name, amount = finding.name_and_amount(args["thing"])
    item = named.thing(name, hands.carried_items(actor))
    shops.sell_kind(actor, merchant, [shops.Order(item.template.key, amount)])
    return []


@_verb("bank", "shows what lies in the bank for you")
def bank(actor: Mobile, args: Arguments) -> Sequence[str]:
    counters.at_bank(actor, nearest(actor, vaults.BANKER, NO_BANKER))
    return []


@_verb("deposit THING... [AMOUNT]", "puts gold or a thing into the bank: deposit 50, deposit bread 2")
def deposit(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Put something into the bank. Raises Cannot, as `vaults.deposit`."""
    banker, text = nearest(actor, vaults.BANKER, NO_BANKER), args["thing"]
    if is_number(text):
        vaults.deposit_gold(actor, banker, named.number(text))
        return []
    name, amount = finding.name_and_amount(text)
    item = named.thing(name, hands.carried_items(actor))
    vaults.deposit(actor, banker, item, amount)
    return []


@_verb("withdraw THING... [AMOUNT]", "takes gold or a thing out of the bank: withdraw 50, withdraw bread 2")
def withdraw(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Take something out of the bank. Raises Cannot, as `vaults.withdraw`."""
    banker, text = nearest(actor, vaults.BANKER, NO_BANKER), args["thing"]
    if is_number(text):
        vaults.withdraw_gold(actor, banker, named.number(text))
        return []
    name, amount = finding.name_and_amount(text)
    item = named.thing(name, safes.things(actor))
    vaults.withdraw(actor, banker, item, amount)
    return []


@_verb("home", "takes you to the inn at which you have settled")
def home(actor: Mobile, args: Arguments) -> Sequence[str]:
    lodging.go_home(actor)
    return ["You find yourself at home."]


@_verb("learn", "asks the nearest trainer for a lesson")
def learn(actor: Mobile, args: Arguments) -> Sequence[str]:
    lessons.offer(actor, nearest(actor, "trainer", NO_TRAINER))
    return []


def is_number(text: str) -> bool:
    """Whether what was typed is an amount, and names no thing."""
    digits = text.strip().removeprefix("-")
    return digits.isascii() and digits.isdecimal()


def nearest(actor: Mobile, role: str, words: str) -> Mobile:
    """The nearest of a role with whom one can talk; else the nearest that is seen, so that the rule says what
    is wrong. Raises Cannot if there is none."""
    found = visits.nearest(actor, role, 2 * TALKING)
    if found is None:
        raise Cannot(Refusal.NOBODY, words)
    return found
