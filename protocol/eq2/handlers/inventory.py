"""Bags, the bank's shelves and what is worn, by what the client's windows send: `inventory`, its deed and
numbers.

    inventory move ROW PLACE HOLDER AMOUNT      inventory equip ROW        inventory destroy ROW
    inventory unequip PLACE                     use_item NUMBER            info inventory NUMBER

A row is the number of a record that the client has (see `stowed.py`), and a holder a bag, 0 for the pockets
or -3 for the bank. From one's own things to the bank is to put in, the other way is to take out:
`world.vaults` decides. The words `use_item` and `info` name a record by the number that the client gave it:
the one that it was sent, xor its row (emagi/eq2emu: Commands.cpp, of versions up to 561, which has 255 less
the row).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from protocol.eq2.belongings import MOST_COUNTED, UNNUMBERED, Belongings, worn_things
from protocol.eq2.handlers.table import command
from protocol.eq2.handlers.things import tell_contents
from protocol.eq2.stowed import PACK_PAGE, Area, area_of, place_of
from protocol.eq2.view import Eq2View
from protocol.wishes import Wish, tell
from world import hands, safes, stowing, using, vaults, visits
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from protocol.eq2.session import Eq2Session
    from world.item import Item
    from world.mobile import Mobile

UNSIGNED: Final = 0xFFFF_FFFF
NUMBER: Final = re.compile(r"-?[0-9]{1,10}")

STAYS: Final = "Your things are in there: it stays where it is."
NO_HOLDER: Final = "There is only one bank here, and no house to keep things in."
IN_THE_BANK: Final = "That lies in the bank: take it out first."
NOT_SPLIT: Final = "In a bag all of it lies together."


@command("inventory")
def inventory(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Do what the client's bags ask for; without words tell what one carries. Raises Cannot: GONE without a
    pack or such a thing, UNFIT if the numbers are none, and as the deed does."""
    if not text:
        if mobile.backpack is None:
            raise Cannot(Refusal.GONE)
        tell_contents(mobile, mobile.backpack)
        return
    deed, _, rest = text.partition(" ")
    run = DEEDS.get(deed)
    if run is None:
        tell(session, Wish.UNKNOWN)
        return
    try:
        run(session, mobile, numbers_in(rest))
    except Cannot:
        # The client may show the thing where it wanted it.
        _show_again(session)
        raise


@command("equip")
def put_on(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Put on the thing of that row. Raises Cannot as `inventory`."""
    _equip(session, mobile, numbers_in(text))


@command("unequip")
def take_off(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Take off what is worn at that place. Raises Cannot as `inventory`."""
    _unequip(session, mobile, numbers_in(text))


@command("use_item")
def use(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Use the thing of that number. Raises Cannot: GONE, and as `using.use` does."""
    item = numbered(session, mobile, _first(numbers_in(text)))
    if item.template.container:
        tell_contents(mobile, item)
    else:
        using.use(mobile, item)


def numbered(session: Eq2Session, mobile: Mobile, number: int) -> Item:
    """The thing that the client gave that number. Raises Cannot(GONE)."""
    return _item(session, mobile, number ^ UNNUMBERED)


def held(mobile: Mobile, serial: int) -> Item | None:
    """A thing that is one's own, or lies in one's vault; None if it is neither."""
    item = mobile.world.items.get(serial)
    return item if item is not None and (item.root is mobile or item.root is mobile.vault) else None


def worn_at(session: Eq2Session, mobile: Mobile, place: int) -> Item:
    """The thing that is worn at that place of a client's. Raises Cannot(GONE)."""
    item = worn_things(mobile, Eq2View.of(session).looks).get(place)
    if item is None:
        raise Cannot(Refusal.GONE)
    return item


# Deeds


def _move(session: Eq2Session, mobile: Mobile, numbers: Sequence[int]) -> None:
    """Move the thing of a row to a place of a holder; amount 0, or all that the client counts: all."""
    if len(numbers) != 4:
        raise Cannot(Refusal.UNFIT)
    row, slot, holder, amount = numbers
    item = _item(session, mobile, row)
    holder &= UNSIGNED
    area = area_of(mobile, holder)
    if area is None:
        raise Cannot(Refusal.NESTED, NO_HOLDER)
    if amount <= 0 or amount >= min(item.amount, MOST_COUNTED):
        amount = item.amount
    serial = item.serial
    kept = mobile.vault is not None and item.root is mobile.vault
    if kept and area != Area.BANK:
        vaults.withdraw(mobile, visits.host(mobile, safes.VAULT), item, amount)
        area = Area.PACK
    elif not kept and area == Area.BANK:
        vaults.deposit(mobile, visits.host(mobile, safes.VAULT), item, amount)
    elif not kept:
        _stow(mobile, item, amount, area)
    elif amount < item.amount:
        raise Cannot(Refusal.AMOUNT, NOT_SPLIT)
    session.stowed.put(area, serial, place_of(area, holder, slot))
    _show_again(session)


def _stow(mobile: Mobile, item: Item, amount: int, area: int) -> None:
    """Put an own thing into the pack or into a bag; within one of them only its place is another."""
    bag = mobile.backpack if area == Area.PACK else held(mobile, area)
    if bag is None:
        raise Cannot(Refusal.FULL)
    if item.parent is mobile:
        hands.take_off(mobile, item.layer)
    elif item.parent is not bag:
        stowing.put(mobile, bag, item, amount)
    elif amount < item.amount:
        raise Cannot(Refusal.AMOUNT, NOT_SPLIT)


def _equip(session: Eq2Session, mobile: Mobile, numbers: Sequence[int]) -> None:
    """Put on the thing of a row; where is a matter of its kind."""
    hands.exchange(mobile, own_at(session, mobile, _first(numbers)))


def _unequip(session: Eq2Session, mobile: Mobile, numbers: Sequence[int]) -> None:
    """Take off what is worn at a place."""
    hands.take_off(mobile, worn_at(session, mobile, _first(numbers)).layer)


def _destroy(session: Eq2Session, mobile: Mobile, numbers: Sequence[int]) -> None:
    """Let the thing of a row cease to exist: the client has asked its player."""
    item = own_at(session, mobile, _first(numbers))
    hands.destroy(mobile, item, item.amount)


def _exchange_worn(session: Eq2Session, mobile: Mobile, numbers: Sequence[int]) -> None:
    """Each thing has one place where it is worn."""
    raise Cannot(Refusal.MISFIT)


def _unpack(session: Eq2Session, mobile: Mobile, numbers: Sequence[int]) -> None:
    """Nothing is packed into another thing for good."""
    raise Cannot(Refusal.USELESS)


def _take_in(session: Eq2Session, mobile: Mobile, numbers: Sequence[int]) -> None:
    """Nothing waits for a place in one's bags."""
    raise Cannot(Refusal.EMPTY)


DEEDS: Final[Mapping[str, Callable[[Eq2Session, Mobile, Sequence[int]], None]]] = {
    "move": _move,
    "equip": _equip,
    "unequip": _unequip,
    "destroy": _destroy,
    "swap_equip": _exchange_worn,
    "unpack": _unpack,
    "pop": _take_in,
}
"""What the client's windows ask for, as in EQ2Emulator (Commands.cpp, Command_Inventory)."""


# What is meant


def own_at(session: Eq2Session, mobile: Mobile, row: int) -> Item:
    """A thing of a row that one carries. Raises Cannot: GONE, NOT_YOURS for what lies in the bank."""
    item = _item(session, mobile, row)
    if item.root is not mobile:
        raise Cannot(Refusal.NOT_YOURS, IN_THE_BANK)
    return item


def _item(session: Eq2Session, mobile: Mobile, row: int) -> Item:
    """The thing of a row. Raises Cannot: GONE; FIXED for the pack and for bags that the world does not
    have."""
    key = session.stowed.at(row)
    item = held(mobile, key)
    if key >= PACK_PAGE or (item is not None and item is mobile.backpack):
        raise Cannot(Refusal.FIXED, STAYS)
    if item is None:
        raise Cannot(Refusal.GONE)
    return item


def _show_again(session: Eq2Session) -> None:
    view = Eq2View.of(session)
    if view.figures.rendering.inventory:
        session.queue(Belongings(view.looks, always=True))


def numbers_in(text: str) -> Sequence[int]:
    """The numbers that a command's text is. Raises Cannot(UNFIT) for what are none."""
    words = text.split()
    if not all(NUMBER.fullmatch(word) for word in words):
        raise Cannot(Refusal.UNFIT)
    return [int(word) for word in words]


def _first(numbers: Sequence[int]) -> int:
    if not numbers:
        raise Cannot(Refusal.UNFIT)
    return numbers[0]
