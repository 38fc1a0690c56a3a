"""Counters: merchants and bankers as dialogs, for players whose game has no window for them, and the words
that are said to them in every game.

    come up to a merchant  ->  buy, sell  ->  which, how many  ->  `world.shops`
    come up to a banker    ->  put in, take out, gold or a thing  ->  `world.vaults`

A refusal is told, and the question asked again.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from world import hands, holding, postage, safes, shops, speech, vaults, visits
from world.containers import counted
from world.dialogs import Button, Choice, Number, Option, Reply, ask
from world.reach import Cannot
from world.wording import coins

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from world.dialog import Input
    from world.mobile import Mobile

SHOP_DIALOG: Final = "ShopDialog"
BANK_DIALOG: Final = "BankDialog"

BUY, SELL = 1, 2
GOLD_IN, GOLD_OUT, THING_IN, THING_OUT, POST = 1, 2, 3, 4, 5

MOST_WORDS: Final = 12
"""Letters of an amount that somebody says."""

_AMOUNT: Final = re.compile(rf"\b\d{{1,{MOST_WORDS}}}\b")

NOTHING: Final = Button(0, "Nothing, thank you.")


def at_shop(actor: Mobile, merchant: Mobile) -> None:
    """Come up to a merchant: its window opens, or it asks. Raises Cannot, as `shops.browse`."""
    shops.browse(actor, merchant)
    if shops.SHOP in actor.windows:
        return
    ask(
        actor,
        SHOP_DIALOG,
        title=merchant.name,
        text=f"What can I do for you, {actor.name}?",
        buttons=(Button(BUY, "Show me your wares."), Button(SELL, "I have something to sell."), NOTHING),
        answered=lambda customer, reply: _trade(customer, merchant, reply),
        asker=merchant,
    )


def at_bank(actor: Mobile, banker: Mobile) -> None:
    """Come up to a banker: the vault's window opens, or it asks. Raises Cannot, as `vaults.visit`."""
    vaults.visit(actor, banker)
    if safes.VAULT in actor.windows:
        return
    kept = coins(actor.world, safes.gold(actor))
    things = [counted(item) for item in safes.things(actor)]
    text = f"I keep {kept} for you" + (f", and {', '.join(things[:8])}" if things else "")
    buttons = [Button(GOLD_IN, "Put gold in."), Button(GOLD_OUT, "Take gold out.")]
    buttons += [Button(THING_IN, "Put something in."), Button(THING_OUT, "Take something out.")]
    buttons += [Button(POST, "Letters and parcels."), NOTHING]
    ask(
        actor,
        BANK_DIALOG,
        title=banker.name,
        text=f"{text}{' and more' if len(things) > 8 else ''}.",
        buttons=buttons,
        answered=lambda customer, reply: _bank(customer, banker, reply),
        asker=banker,
    )


def in_gold(actor: Mobile, banker: Mobile, text: str) -> None:
    """Put so much gold into the bank as somebody said, or as there is if it said none. Raises Cannot, as
    `vaults.deposit_gold`."""
    amount = _said(text)
    vaults.deposit_gold(actor, banker, holding.gold(actor) if amount is None else amount)


def out_gold(actor: Mobile, banker: Mobile, text: str) -> None:
    """Take so much gold out of the bank as somebody said. Raises Cannot, as `vaults.withdraw_gold`."""
    amount = _said(text)
    if amount is None:
        at_bank(actor, banker)
    else:
        vaults.withdraw_gold(actor, banker, amount)


def balance(banker: Mobile, actor: Mobile) -> None:
    """Tell somebody how much gold it has in its vault, and in its pack."""
    world = actor.world
    kept = coins(world, safes.gold(actor))
    purse = coins(world, holding.gold(actor))
    speech.say(banker, f"Greetings, {actor.name}. I keep {kept} in your vault, and you carry {purse}.")


def _said(text: str) -> int | None:
    found = _AMOUNT.search(text)
    return int(found[0]) if found is not None else None


def _trade(actor: Mobile, merchant: Mobile, reply: Reply) -> None:
    if reply.button == BUY:
        _offer_wares(actor, merchant)
    elif reply.button == SELL:
        _ask_for_things(actor, merchant)
    else:
        visits.leave(actor)


def _offer_wares(actor: Mobile, merchant: Mobile) -> None:
    rows = [row for row in shops.catalogue(merchant).sells if row.left != 0]
    kinds = actor.world.content.items
    options = [Option(at, kinds[row.item].name, kinds[row.item], row.price) for at, row in enumerate(rows, 1)]

    def chosen(customer: Mobile, at: int, amount: int) -> None:
        row = rows[at - 1]
        shops.buy(customer, merchant, [shops.Order(row.item, amount, row.price)])

    most = shops.MOST
    _which(actor, merchant, SHOP_DIALOG, "What would you like?", options, most, chosen, at_shop)


def _ask_for_things(actor: Mobile, merchant: Mobile) -> None:
    prices = {row.item: row.price for row in shops.catalogue(merchant).buys}
    carried = [
        item for item in hands.carried_items(actor) if item.template.key in prices and not item.contents
    ]
    options = [
        Option(at, counted(item), item.template, prices[item.template.key])
        for at, item in enumerate(carried, 1)
    ]

    def chosen(customer: Mobile, at: int, amount: int) -> None:
        item = carried[at - 1]
        shops.sell(customer, merchant, [shops.Sale(item, amount, prices[item.template.key])])

    most = max((item.amount for item in carried), default=1)
    _which(actor, merchant, SHOP_DIALOG, "What do you have?", options, most, chosen, at_shop)


def _bank(actor: Mobile, banker: Mobile, reply: Reply) -> None:
    match reply.button:
        case button if button in (GOLD_IN, GOLD_OUT):
            coming = button == GOLD_IN
            most = holding.gold(actor) if coming else safes.gold(actor)
            change = vaults.deposit_gold if coming else vaults.withdraw_gold
            numbers = (Number("amount", "How much?", 1, max(1, most), max(1, most)),)
            _form(
                actor,
                banker,
                BANK_DIALOG,
                "How much gold?",
                numbers,
                lambda customer, given: change(customer, banker, given.number("amount")),
                at_bank,
            )
        case button if button in (THING_IN, THING_OUT):
            coming = button == THING_IN
            pack = actor.backpack
            inside = list(pack.contents.values()) if pack is not None else []
            things = (
                [item for item in inside if item.template.movable] if coming else list(safes.things(actor))
            )
            options = [Option(at, counted(item), item.template) for at, item in enumerate(things, 1)]
            move = vaults.deposit if coming else vaults.withdraw
            most = max((item.amount for item in things), default=1)
            _which(
                actor,
                banker,
                BANK_DIALOG,
                "Which?",
                options,
                most,
                lambda customer, at, amount: move(customer, banker, things[at - 1], amount),
                at_bank,
            )
        case button if button == POST:
            speech.or_tell(actor, lambda: postage.at_counter(actor))
        case _:
            visits.leave(actor)


def _which(
    actor: Mobile,
    host: Mobile,
    name: str,
    text: str,
    options: Sequence[Option],
    most: int,
    chosen: Callable[[Mobile, int, int], object],
    again: Callable[[Mobile, Mobile], None],
) -> None:
    """Ask which of some things, and how many."""
    if not options:
        speech.notice(actor, "There is nothing of that.")
        again(actor, host)
        return
    inputs: list[Input] = [Choice("which", text, options)]
    if most > 1:
        inputs.append(Number("amount", "How many?", 1, most, 1))

    def given(customer: Mobile, reply: Reply) -> None:
        chosen(customer, reply.chosen("which")[0], reply.number("amount") if most > 1 else 1)

    _form(actor, host, name, text, inputs, given, again)


def _form(
    actor: Mobile,
    host: Mobile,
    name: str,
    text: str,
    inputs: Sequence[Input],
    given: Callable[[Mobile, Reply], object],
    again: Callable[[Mobile, Mobile], None],
) -> None:
    """Ask for values, do what they say or tell why not, and be at the counter again."""

    def answered(customer: Mobile, reply: Reply) -> None:
        try:
            if reply.button:
                given(customer, reply)
            again(customer, host)
        except Cannot as cannot:
            speech.notice(customer, str(cannot))

    ask(
        actor,
        name,
        title=host.name,
        text=text,
        buttons=(Button(1, "Yes."), Button(0, "Never mind.")),
        answered=answered,
        asker=host,
        inputs=inputs,
    )
