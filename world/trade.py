"""Secure trade: two players give each other things and gold in one step, or nothing at all. (PLAY, section 8)

One asks, the other accepts (whoever asks who has asked it accepts by that), and then both offer what they
like. Whatever changes in an offer, nobody agrees any more. When both agree, everything is looked at again,
whether it is all there and there is room for it; then all of it changes hands in that turn, which the store
writes as one. Things stay in their owner's pack until then: a trade that ends in any other way has nothing to
give back, and a crash in the middle of one loses nothing. (A container for each side, as Ultima Online's
servers have it, was not taken: things would then be somewhere between two packs for as long as it lasts.)

Each deed checks first and raises `Cannot` before it has changed anything, with two exceptions that have to
last: a trade between those who went apart ends, and what was altered behind the back of one of both leaves
the offer.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import attrs

from world import barter, dealing, hands, invites
from world.containers import carried_items, check_room
from world.item import Item
from world.promises import promise
from world.reach import Cannot, Refusal, check_talk
from world.speech import check_pace, notice
from world.trade_events import Off
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.bargain import Side, Trade
    from world.mobile import Dialog, Mobile

TRADE: Final = "trade"
"""Name of the dialog in which one is asked."""

UNASKED: Final = "trade-unasked"
"""Among a mobile's `windows`: its game opens the window of a trade without asking, and one closes it."""

MOST_OFFERED: Final = 6
"""Things that one side offers: the slots that EverQuest II's window has for clients up to build 561
(EQ2Emulator, Trade.cpp); Endless Online's client lists 10 kinds (facts/eo-play.md), Conquer Online's 20
things (facts/co.md)."""

SEE_NOT: Final = "They cannot see you."
GHOST: Final = "The dead do not trade."
THEY_FIGHT: Final = "They are in the middle of a fight."
NO_TRADES: Final = "They do not trade now."
WORN: Final = "Take that into your pack first."
NO_GOLD: Final = "That is not an amount of gold."
NO_ROOM: Final = "You have no room for all of that."
TOO_HEAVY: Final = "You cannot carry all of that."
THEY_HAVE_NO_ROOM: Final = "{} has no room for all of that."
TOO_HEAVY_FOR_THEM: Final = "{} cannot carry all of that."


# Beginning


def ask(actor: Mobile, other: Mobile, first: Item | None = None, amount: int | None = None) -> None:
    """Ask another player to trade; if that one has asked, or its game opens the window at once, the trade
    begins. `first`: a thing of one's pack or hand, or `amount` of a stack, which is offered as soon as it
    does; from the hand it goes into the pack. Raises Cannot: DEAD, NO_TRADER, FAR, UNSEEN, UNWANTED,
    TRADING, OCCUPIED or FIGHTING; as `offer` says of the thing, and as `invites.ask`."""
    if first is not None:
        amount = first.amount if amount is None else amount
        _check_own(actor, first, amount)
    _check_partners(actor, other)
    asked = question(actor, other) is not None
    if not asked and not other.takes_gifts:
        raise Cannot(Refusal.UNWANTED, NO_TRADES)
    if not asked and UNASKED in other.windows:
        check_pace(actor, invites.LIMIT, Refusal.ASKING)
        dealing.begin(actor, other)
    else:
        invites.ask(
            actor,
            other,
            TRADE,
            title="Trade",
            text=f"{actor.name} would like to trade with you.",
            told=f"You ask {other.name} to trade.",
            accepted=partial(_accepted, actor, other, first, amount),
            yes="Trade.",
            no="Not now.",
        )
    if first is not None and first is actor.held:
        _into_pack(actor)
    _offer_first(actor, first, amount)


def accept(actor: Mobile, other: Mobile | None = None) -> None:
    """Accept the trade for which one was asked, by `other` if that is said. Raises Cannot(NOT_ASKED); what
    else is in the way both read."""
    invites.accept(actor, TRADE, other)


def refuse(actor: Mobile, other: Mobile | None = None) -> None:
    """Refuse the trade for which one was asked. Raises Cannot(NOT_ASKED)."""
    invites.refuse(actor, TRADE, other)


def question(actor: Mobile, other: Mobile | None = None) -> Dialog | None:
    """The open question to somebody whether it will trade, of `other` if that is said."""
    return invites.pending(actor, TRADE, other)


# Offering


def offer(actor: Mobile, item: Item, amount: int | None = None, *, more: bool = False) -> None:
    """Offer a thing of one's pack or hand, or so many of a stack: that many from now on, or `more` by that
    many than before. From the hand it goes into the pack. Raises Cannot: NO_TRADE; NOT_YOURS, FIXED, AMOUNT,
    FULL, OFFERED, MANY_OFFERS; POOR if that gold is offered as a number."""
    trade, side = _own(actor)
    before = side.offers.get(item.serial)
    amount = item.amount if amount is None else amount
    if amount < 1:
        raise Cannot(Refusal.AMOUNT)
    if more and before is not None:
        amount += before.amount
    _check_own(actor, item, amount)
    if before is None:
        if any(dealing.belong_together(one, item) for one in dealing.things(side)):
            raise Cannot(Refusal.OFFERED)
        if len(side.offers) >= MOST_OFFERED:
            raise Cannot(Refusal.MANY_OFFERS)
    new = dealing.offered(item, amount)
    if new == before:
        return
    offers = {**side.offers, item.serial: new}
    if side.gold > dealing.free_gold(attrs.evolve(side, offers=offers)):
        raise Cannot(Refusal.POOR)
    if item is actor.held:
        _into_pack(actor)
    side.offers = offers
    dealing.changed(trade)


def offer_kind(actor: Mobile, template: str, amount: int, *, more: bool = False) -> None:
    """Offer so many of a kind, of all stacks in one's pack, for games that know kinds and not things; gold as
    a number. Raises Cannot, as `offer` and `set_gold`, and OPEN_BAG."""
    trade, side = _own(actor)
    if template == GOLD:
        set_gold(actor, side.gold + amount if more else amount)
        return
    if amount < 1:
        raise Cannot(Refusal.AMOUNT)
    others = {serial: one for serial, one in side.offers.items() if one.template.key != template}
    if more:
        amount += sum(one.amount for one in side.offers.values() if one.template.key == template)
    parts = _of_kind(actor, template, amount, [one for one in dealing.things(side) if one.serial in others])
    if len(others) + len(parts) > MOST_OFFERED:
        raise Cannot(Refusal.MANY_OFFERS)
    offers = {**others, **{item.serial: dealing.offered(item, part) for item, part in parts}}
    if offers != side.offers:
        side.offers = offers
        dealing.changed(trade)


def offerable(actor: Mobile) -> list[Item]:
    """Everything in one's pack that can be offered, for clients that list it as a trade begins."""
    return [item for item in carried_items(actor) if item.template.movable]


def withdraw(actor: Mobile, item: Item) -> None:
    """Offer a thing no more. Raises Cannot(NO_TRADE or NOT_OFFERED)."""
    trade, side = _own(actor)
    if side.offers.pop(item.serial, None) is None:
        raise Cannot(Refusal.NOT_OFFERED)
    dealing.changed(trade)


def withdraw_kind(actor: Mobile, template: str) -> None:
    """Offer nothing of a kind any more; of gold neither things nor a number. Raises Cannot(NO_TRADE or
    NOT_OFFERED)."""
    trade, side = _own(actor)
    offers = {serial: one for serial, one in side.offers.items() if one.template.key != template}
    gold = 0 if template == GOLD else side.gold
    if len(offers) == len(side.offers) and gold == side.gold:
        raise Cannot(Refusal.NOT_OFFERED)
    side.offers, side.gold = offers, gold
    dealing.changed(trade)


def set_gold(actor: Mobile, amount: int) -> None:
    """Offer so much gold as a number, beside coins among the things. Raises Cannot: NO_TRADE; AMOUNT below 0;
    POOR for more than there is."""
    trade, side = _own(actor)
    if amount < 0:
        raise Cannot(Refusal.AMOUNT, NO_GOLD)
    if amount > dealing.free_gold(side):
        raise Cannot(Refusal.POOR)
    if amount != side.gold:
        side.gold = amount
        dealing.changed(trade)


# Agreeing


def agree(actor: Mobile, changes: int | None = None) -> None:
    """Agree to both offers; if the other does as well, all of it changes hands. `changes`: which offers its
    client has shown (`TradeChanged`), if it says. Raises Cannot: NO_TRADE; NO_OFFER; ALTERED if something is
    not as it was shown; HEAVY or FULL if one of both cannot take it all, and then nobody agrees."""
    trade, side = _own(actor)
    if not dealing.review(trade):
        notice(trade.against(actor).mobile, Refusal.ALTERED.value, Refusal.ALTERED)
        raise Cannot(Refusal.ALTERED)
    if changes is not None and changes != trade.changes:
        raise Cannot(Refusal.ALTERED)
    if not any(one.offers or one.gold for one in (trade.first, trade.second)):
        raise Cannot(Refusal.NO_OFFER)
    if side.agreed:
        return
    if not trade.against(actor).agreed:
        side.agreed = True
        dealing.show(trade)
        return
    _complete(trade, actor)


def disagree(actor: Mobile) -> None:
    """Agree no more. Raises Cannot(NO_TRADE)."""
    trade, side = _own(actor)
    if side.agreed:
        side.agreed = False
        dealing.show(trade)


def close(actor: Mobile) -> None:
    """End one's trade; nothing changes hands. Raises Cannot(NO_TRADE)."""
    if actor.trade is None:
        raise Cannot(Refusal.NO_TRADE)
    dealing.end(actor, Off.CLOSED)


def in_words(actor: Mobile) -> str:
    """A line of what both offer. Raises Cannot(NO_TRADE)."""
    trade, side = _own(actor)
    against = trade.against(actor)
    return dealing.line(against.mobile, side.copy(), against.copy())


# What has to be true


def _own(actor: Mobile) -> tuple[Trade[Mobile], Side[Mobile]]:
    """The actor's trade, and its side of that."""
    trade = actor.trade
    if trade is None:
        raise Cannot(Refusal.NO_TRADE)
    if not dealing.goes_on(trade):
        raise Cannot(Refusal.NO_TRADE, told=True)
    return trade, trade.side(actor)


def _check_partners(actor: Mobile, other: Mobile) -> None:
    """Check that two players may begin to trade."""
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    invites.check_asks(actor, other)
    check_talk(actor, other)
    try:
        check_talk(other, actor)
    except Cannot as cannot:
        raise Cannot(cannot.why, SEE_NOT) from cannot
    if other.dead:
        raise Cannot(Refusal.NO_TRADER, GHOST)
    if actor.trade is not None:
        raise Cannot(Refusal.TRADING)
    if other.trade is not None:
        raise Cannot(Refusal.OCCUPIED)
    now = actor.world.now
    if actor.fighting_until > now:
        raise Cannot(Refusal.FIGHTING)
    if other.fighting_until > now:
        raise Cannot(Refusal.FIGHTING, THEY_FIGHT)


def _check_own(actor: Mobile, item: Item, amount: int) -> None:
    """Check that somebody may offer so many of a thing: in its pack, or in its hand with room in the pack."""
    if actor.world.items.get(item.serial) is not item or item.root is not actor:
        raise Cannot(Refusal.NOT_YOURS)
    if item is actor.held:
        if actor.backpack is None:
            raise Cannot(Refusal.FULL)
        check_room(actor.backpack, item)
    elif not isinstance(item.parent, Item):
        raise Cannot(Refusal.FIXED, WORN)
    if not item.template.movable:
        raise Cannot(Refusal.FIXED)
    if not 1 <= amount <= item.amount:
        raise Cannot(Refusal.AMOUNT)


def _into_pack(actor: Mobile) -> None:
    """Put what is in the hand into the pack, beside equal stacks: its client knows it by its serial."""
    if actor.backpack is not None:
        hands.stow(actor, actor.backpack, merge=False)


def _of_kind(
    actor: Mobile, template: str, amount: int, apart_from: Sequence[Item]
) -> Sequence[tuple[Item, int]]:
    """Choose so many of a kind in one's pack: how many of which things. One that is enough, if there is one,
    and bags that are empty before others."""
    found = [
        item
        for item in carried_items(actor, template)
        if item.template.movable and not any(dealing.belong_together(item, other) for other in apart_from)
    ]
    found.sort(key=lambda item: len(item.contents))
    if amount > sum(item.amount for item in found):
        raise Cannot(Refusal.AMOUNT)
    whole = next((item for item in found if item.amount >= amount), None)
    if whole is not None:
        return [(whole, amount)]
    parts: list[tuple[Item, int]] = []
    for item in found:
        part = min(item.amount, amount)
        amount -= part
        if part and item.contents:
            raise Cannot(Refusal.OPEN_BAG)
        if part:
            parts.append((item, part))
    return parts


# Beginning, once there is a yes


def _accepted(actor: Mobile, other: Mobile, first: Item | None, amount: int | None) -> None:
    """The other said yes: begin, if both still may."""
    try:
        _check_partners(other, actor)
    except Cannot:
        notice(actor, f"{other.name} would trade with you, but that cannot be now.")
        raise
    dealing.begin(actor, other)
    _offer_first(actor, first, amount)


def _offer_first(actor: Mobile, first: Item | None, amount: int | None) -> None:
    """Offer the thing that its owner meant to, if that still can be."""
    if first is not None and actor.trade is not None:
        try:
            offer(actor, first, amount)
        except Cannot as cannot:
            _tell(actor, cannot)


def _tell(mobile: Mobile, cannot: Cannot) -> None:
    if not cannot.told:
        notice(mobile, str(cannot), None if cannot.says_more else cannot.why)


# The end


def _complete(trade: Trade[Mobile], actor: Mobile) -> None:
    """Let everything change hands, or nothing: then nobody agrees any more, and both read what is in the
    way."""
    one, other = trade.first, trade.second
    hindered = barter.hindered(trade)
    if hindered is None:
        dealing.close(trade)
        barter.swap(trade)
        for side, against in ((one, other), (other, one)):
            given = dealing.in_words(side.copy(), side.mobile)
            received = dealing.in_words(against.copy(), side.mobile)
            promise(side.mobile, f"You give {against.mobile.name} {given} and receive {received}.")
        return
    receiver, why = hindered
    one.agreed = other.agreed = False
    dealing.show(trade)
    partner = trade.against(actor).mobile
    notice(partner, _in_the_way(partner, receiver, why))
    raise Cannot(why, _in_the_way(actor, receiver, why))


def _in_the_way(reader: Mobile, receiver: Mobile, why: Refusal) -> str:
    """A line that says who cannot take what it would be given."""
    if reader is receiver:
        return NO_ROOM if why is Refusal.FULL else TOO_HEAVY
    return (THEY_HAVE_NO_ROOM if why is Refusal.FULL else TOO_HEAVY_FOR_THEM).format(receiver.name)
