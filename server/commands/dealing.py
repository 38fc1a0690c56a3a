"""Verbs of a trade with another player, for all games: each is one call of a rule of `world.trade`, whose
events say in words what is offered then."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from server.commands import named
from server.commands.machinery import CommandTable
from server.commands.verbs import verb_of
from world import dealing, finding, hands, trade
from world.mobile import Mobile
from world.reach import FARTHEST_SIGHT, Cannot, Refusal, can_see
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.commands.machinery import Arguments

TABLE: Final = CommandTable()

_verb = partial(verb_of, TABLE)


@_verb("trade [NAME...]", "asks another player to trade, or accepts; says what both offer, if you trade")
def trade_with(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Ask somebody to trade. Raises Cannot, as `trade.ask`, and NOBODY."""
    if "name" not in args:
        return [trade.in_words(actor)]
    around = [] if actor.realm is None else actor.realm.space.around(actor.x, actor.y, FARTHEST_SIGHT)
    seen = [one for one in around if isinstance(one, Mobile) and can_see(actor, one)]
    other = finding.by_name(args["name"], seen)
    if other is None:
        raise Cannot(Refusal.NOBODY)
    trade.ask(actor, other)
    return []


@_verb("offer THING... [AMOUNT]", "offers gold or a thing of your pack in a trade: offer 50, offer bread 2")
def offer(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Offer something. Raises Cannot, as `trade.offer`, `trade.offer_kind` and `trade.set_gold`."""
    text = args["thing"].strip()
    if text.isascii() and text.removeprefix("-").isdecimal():
        trade.set_gold(actor, named.number(text))
        return []
    name, amount = finding.name_and_amount(text)
    item = named.thing(name, hands.carried_items(actor))
    if item.template.stackable or amount > 1:
        trade.offer_kind(actor, item.template.key, amount)
    else:
        trade.offer(actor, item)
    return []


@_verb("retract THING...", "offers something no more in a trade: retract bread, retract gold")
def retract(actor: Mobile, args: Arguments) -> Sequence[str]:
    """Offer something no more. Raises Cannot, as `trade.withdraw` and `trade.withdraw_kind`."""
    known = actor.world.content.items
    if finding.kind_by_name(args["thing"], [known[GOLD]]) is not None:
        trade.withdraw_kind(actor, GOLD)
        return []
    mine = [] if actor.trade is None else dealing.things(actor.trade.side(actor))
    trade.withdraw(actor, named.thing(args["thing"], mine or hands.carried_items(actor)))
    return []


@_verb("agree", "agrees to what both offer in a trade")
def agree(actor: Mobile, args: Arguments) -> Sequence[str]:
    trade.agree(actor)
    return []


@_verb("endtrade", "ends a trade; everybody keeps what they have")
def end_trade(actor: Mobile, args: Arguments) -> Sequence[str]:
    trade.close(actor)
    return []
