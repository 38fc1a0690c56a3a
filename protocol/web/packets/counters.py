"""Shops and the bank: what is to be had there, and what one wants.

A counter is opened by talking to a merchant or a banker (`Use`). Everything that changes hands there does so
as a whole or not at all; what came of it is told in words when it is on disk.
"""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 # cattrs reads the annotations

import attrs

from protocol.web.packets.base import SERIAL, Message, message, text, whole
from protocol.web.packets.people import Appearance  # noqa: TC001 # cattrs reads the annotations
from protocol.web.packets.things import Belonging  # noqa: TC001 # cattrs reads the annotations


@attrs.frozen
class Order:
    """So many of one kind (`Ware.item`), at the price for one that was shown."""

    item: str = text(64)
    amount: int = whole(0, 0x7FFF_FFFF)
    price: int = whole(0, 0x7FFF_FFFF)


@message("buy")
class Buy(Message):
    """Buy all of that from a merchant. Answers: words, `Shop` with what is left, `Belongings`."""

    host: int = whole(0, SERIAL)
    orders: Sequence[Order]


@attrs.frozen
class Sale:
    """Something that one carries, or so many of a stack, at the price for one that was shown."""

    id: int = whole(0, SERIAL)
    amount: int = whole(0, 0x7FFF_FFFF)
    price: int = whole(0, 0x7FFF_FFFF)


@message("sell")
class Sell(Message):
    """Sell all of that to a merchant. Answers as to `Buy`."""

    host: int = whole(0, SERIAL)
    sales: Sequence[Sale]


@message("deposit")
class Deposit(Message):
    """Put something that one carries into the vault, or so many of a stack; of gold from all stacks. Answers:
    words, `Bank`, `Belongings`."""

    host: int = whole(0, SERIAL)
    id: int = whole(0, SERIAL, default=0)
    """0: gold."""
    amount: int = whole(0, 0x7FFF_FFFF, default=1)


@message("withdraw")
class Withdraw(Message):
    """Take something out of the vault, or so many of a stack. Answers as to `Deposit`."""

    host: int = whole(0, SERIAL)
    id: int = whole(0, SERIAL, default=0)
    """0: gold."""
    amount: int = whole(0, 0x7FFF_FFFF, default=1)


@message("depart")
class Depart(Message):
    """The counter is closed by its customer. There is no answer."""


@attrs.frozen
class Ware:
    """Something that a merchant sells or buys, for so much gold each."""

    item: str
    name: str
    look: Appearance
    price: int
    left: int = -1
    """How many of it there are; -1: as many as anybody wants."""


@message("shop")
class Shop(Message):
    """A merchant's counter: it sells the first, and buys the others of who has them (`Belonging.kind`)."""

    host: int
    name: str
    sells: Sequence[Ware]
    buys: Sequence[Ware]
    anew: bool = False
    """Whether it is only what has become of a counter that stands open."""


@message("bank")
class Bank(Message):
    """One's vault, opened by a banker: the gold there, and all other things."""

    host: int
    name: str
    gold: int
    things: Sequence[Belonging]
    anew: bool = False
    """As of `Shop`."""


@message("counter_closed")
class CounterClosed(Message):
    """The visit is over, by the world's doing."""

    host: int
