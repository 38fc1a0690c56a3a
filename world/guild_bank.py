"""The bank of a guild: gold and things that its members have in common, at every banker.

It is a box of the guild's record, so all the gold there is can be counted as items (`world.safes`). Everybody
may put something in, and officers may take something out; each deed is a line of the guild's log, and whoever
did it reads of it when it is on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import granting, hands, holding, mail, safes, vaults
from world.checks import check_weight
from world.containers import check_room, equal_stack
from world.directory import Known
from world.guild import Right
from world.guild_books import BOOK, check_kept
from world.guild_rolls import bank, check_right, gold, note, own, renew
from world.promises import promise
from world.reach import Cannot, Refusal
from world.safes import MOST_GOLD
from world.wording import GOLD, amount_of

if TYPE_CHECKING:
    from world.guild import Guild, Member
    from world.item import Item
    from world.mobile import Mobile

IN: Final = "put {} into the guild's bank"
OUT: Final = "took {} out of the guild's bank"

BOOKS: Final = "The guild's bank"
BY_LETTER: Final = (
    "Word of it goes to the guild's bank, in another part of this world. The gold comes by letter."
)


def deposit_gold(actor: Mobile, banker: Mobile, amount: int) -> None:
    """Put gold of one's pack into the bank of one's guild. Raises Cannot: NO_GUILD; as `vaults.check_at`;
    AMOUNT, POOR or FULL."""
    guild, member = own(actor)
    vaults.check_at(actor, banker)
    if amount < 1:
        raise Cannot(Refusal.AMOUNT)
    if amount > holding.gold(actor):
        raise Cannot(Refusal.POOR)
    if not actor.world.records.kept:
        BOOK.order(actor, _receive.__name__, gold=amount)
        hands.destroy_kind(actor, GOLD, amount)
        promise(actor, f"You send {amount_of(actor.world, GOLD, amount)} to the guild's bank.")
        return
    _check_room(actor, guild, amount)
    hands.destroy_kind(actor, GOLD, amount)
    _add_gold(actor, guild, member, amount)


def _check_room(actor: Mobile, guild: Guild, amount: int) -> None:
    if amount + gold(actor.world, guild) > MOST_GOLD:
        raise Cannot(Refusal.FULL)
    box = _box(actor, guild)
    if _stack(box) is None and not granting.has_room(box, {GOLD: 1}):
        raise Cannot(Refusal.FULL)


def _add_gold(actor: Mobile, guild: Guild, member: Member, amount: int) -> None:
    box = _box(actor, guild)
    stack = _stack(box)
    if stack is not None:
        stack.amount += amount
    else:
        stack = holding.make(actor.world, GOLD, amount=amount)
        actor.world.register(stack)
        holding.put(box, stack)
    member.given += amount
    _done(actor, guild, member, IN, GOLD, amount)


@BOOK.sent_for
def _receive(actor: Mobile, amount: int) -> None:
    """Gold for the bank came from another world, where its sender has it no more. What the bank cannot take
    goes back by letter. Raises Cannot: NO_GUILD or FULL."""
    try:
        guild, member = own(actor)
        _check_room(actor, guild, amount)
    except Cannot as cannot:
        mail.send_gold(
            actor.world,
            Known(actor.serial, actor.name),
            BOOKS,
            "Your gold",
            str(cannot),
            _coins(actor, amount),
        )
        raise
    _add_gold(actor, guild, member, amount)


@BOOK.sent_for
def _pay_out(actor: Mobile, amount: int) -> None:
    """Send gold out of the bank to somebody in another world, by letter. Raises Cannot: NO_GUILD, NO_RIGHT;
    AMOUNT or POOR."""
    guild, member = check_right(actor, Right.WITHDRAW)
    stack = _gold_for(actor, guild, amount)
    hands.consume(stack, amount)
    text = f"{amount_of(actor.world, GOLD, amount)} out of the bank of {guild.name}."
    mail.send_gold(
        actor.world,
        Known(actor.serial, actor.name),
        guild.name,
        "Gold of the guild",
        text,
        _coins(actor, amount),
    )
    _done(actor, guild, member, OUT, GOLD, amount)


def _gold_for(actor: Mobile, guild: Guild, amount: int) -> Item:
    """The gold of a bank, of which there is so much. Raises Cannot: AMOUNT or POOR."""
    box = bank(actor.world, guild)
    stack = None if box is None else _stack(box)
    if amount < 1:
        raise Cannot(Refusal.AMOUNT)
    if stack is None or amount > stack.amount:
        raise Cannot(Refusal.POOR, "There is not so much in the guild's bank.")
    return stack


def _coins(actor: Mobile, amount: int) -> Item:
    made = holding.make(actor.world, GOLD, amount=amount)
    actor.world.register(made)
    return made


def withdraw_gold(actor: Mobile, banker: Mobile, amount: int) -> None:
    """Take gold out of the bank of one's guild. Raises Cannot: NO_GUILD, NO_RIGHT; as `vaults.check_at`;
    AMOUNT, POOR, HEAVY or FULL."""
    guild, member = check_right(actor, Right.WITHDRAW)
    vaults.check_at(actor, banker)
    if not actor.world.records.kept:
        BOOK.order(actor, _pay_out.__name__, amount)
        raise Cannot(Refusal.LATER, BY_LETTER)
    stack = _gold_for(actor, guild, amount)
    pack = actor.backpack
    if pack is None or not granting.has_room(pack, {GOLD: amount}):
        raise Cannot(Refusal.FULL)
    check_weight(actor, holding.stones(stack.template, amount))
    hands.consume(stack, amount)
    granting.make(actor, GOLD, amount)
    _done(actor, guild, member, OUT, GOLD, amount)


def deposit(actor: Mobile, banker: Mobile, item: Item, amount: int) -> None:
    """Put an item of one's pack into the bank of one's guild, or so many of a stack. Raises Cannot: NO_GUILD;
    as `vaults.check_at`; NOT_YOURS, FIXED, AMOUNT, NESTED or FULL."""
    guild, member = own(actor)
    vaults.check_at(actor, banker)
    vaults.check_own(actor, item, amount)
    if item.template.key == GOLD:
        deposit_gold(actor, banker, amount)
        return
    check_kept(actor)
    box = _box(actor, guild)
    check_room(box, item, merges=equal_stack(box, item, amount) is not None)
    key = item.template.key
    hands.transfer(item, amount, box)
    _done(actor, guild, member, IN, key, amount)


def withdraw(actor: Mobile, banker: Mobile, item: Item, amount: int) -> None:
    """Take an item out of the bank of one's guild, or so many of a stack. Raises Cannot: NO_GUILD, NO_RIGHT;
    as `vaults.check_at`; NOT_YOURS, AMOUNT, HEAVY, NESTED or FULL."""
    guild, member = check_right(actor, Right.WITHDRAW)
    vaults.check_at(actor, banker)
    check_kept(actor)
    box, pack = bank(actor.world, guild), actor.backpack
    if box is None or item.root is not box or item is box:
        raise Cannot(Refusal.NOT_YOURS)
    if not 1 <= amount <= item.amount:
        raise Cannot(Refusal.AMOUNT)
    if item.template.key == GOLD and item.parent is box:
        withdraw_gold(actor, banker, amount)
        return
    if pack is None:
        raise Cannot(Refusal.FULL)
    check_weight(actor, holding.weight_of(item, amount))
    check_room(pack, item, merges=equal_stack(pack, item, amount) is not None)
    key = item.template.key
    hands.transfer(item, amount, pack)
    _done(actor, guild, member, OUT, key, amount)


def things(actor: Mobile) -> list[Item]:
    """Everything in the bank of one's guild beside the gold. Raises Cannot(NO_GUILD)."""
    box = bank(actor.world, own(actor)[0])
    return [] if box is None else [item for item in box.contents.values() if item.template.key != GOLD]


def _box(actor: Mobile, guild: Guild) -> Item:
    box = bank(actor.world, guild)
    if box is None:
        box = safes.box_for_record(actor.world)
        guild.box = box.serial
    return box


def _stack(box: Item) -> Item | None:
    return next((item for item in box.contents.values() if item.template.key == GOLD), None)


def _done(actor: Mobile, guild: Guild, member: Member, deed: str, key: str, amount: int) -> None:
    world = actor.world
    told = deed.format(amount_of(world, key, amount))
    note(world, guild, member.name, told)
    promise(actor, f"You {told}; {amount_of(world, GOLD, gold(world, guild))} lie there.")
    renew(world, guild)
