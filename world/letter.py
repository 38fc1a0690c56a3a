"""Letters that wait for somebody, as records; the rules are in `world.mail`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world import records
from world.records import Record
from world.stored import stored

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from world.records import Records


@records.kind("letter", of="receiver", sent=True)
class Letter(Record):
    """A letter, with a parcel or without. Sender and receiver may be deleted while it waits, so names stand
    beside the numbers."""

    receiver: int = attrs.field(default=0, metadata=stored())
    receiver_name: str = attrs.field(default="", metadata=stored())
    sender: int = attrs.field(default=0, metadata=stored())
    sender_name: str = attrs.field(default="", metadata=stored())
    subject: str = attrs.field(default="", metadata=stored())
    text: str = attrs.field(default="", metadata=stored())
    sent_at: float = attrs.field(default=0.0, metadata=stored())
    until: float = attrs.field(default=0.0, metadata=stored())
    """When it goes back, or away, if nobody has fetched it; 0: never. Both in seconds UTC."""
    box: int = attrs.field(default=0, metadata=stored(refers="item"))
    """Serial of the box with what it brings; 0 if it brings nothing."""
    price: int = attrs.field(default=0, metadata=stored())
    """Gold that is to be paid to the sender for that."""
    read: bool = attrs.field(default=False, metadata=stored())
    returned: bool = attrs.field(default=False, metadata=stored())
    """Whether it came back to whoever had sent it."""
    under_way: bool = attrs.field(default=False, metadata=stored())
    """Whether it was sent from another world than its receiver is in, and has not come into one with it."""


class Letterboxes:
    """The letters that wait, by who receives them, the oldest first.

    Where several worlds share their characters (`Records.travel`), letters travel: they are here as long as
    the one they are for is, as its belongings are, and one for somebody else is kept outside. So a letter is
    in one world or in none, and whoever writes one need not know where its receiver is. What is brought and
    fetched, and when, is the server's business (`world.deliveries`).
    """

    def __init__(self, kept: Records) -> None:
        self.stirred: Callable[[], None] = _nobody_waits
        """Called when letters are wanted, or are to go."""
        self.wanted: dict[int, bool] = {}
        """Characters that have come and whose letters have not, and whether they are to be told of them."""
        self.brought: set[int] = set()
        """Characters whose letters are all here."""
        self.gone: dict[int, Letter] = {}
        """Those that are for somebody elsewhere, until the store has them."""
        self.touched: set[int] = set()
        """Numbers of those that came to be here, or not to be, and of which the store may not know it yet."""
        self.crowded: set[int] = set()
        """Characters elsewhere for whom as many wait as may."""
        self._kept = kept
        self._of: dict[int, dict[int, Letter]] = {}
        kept.holders.append(self)

    @property
    def travel(self) -> bool:
        """Whether they go with those whom they are for."""
        return self._kept.travel

    def settle(self) -> None:
        """Put the stored letters in their places, when the world begins."""
        for one in self._kept.all(Letter).values():
            self._of.setdefault(one.receiver, {})[one.number] = one

    def of(self, receiver: int) -> Sequence[Letter]:
        """The letters for somebody."""
        return list(self._of.get(receiver, {}).values())

    def add(self, letter: Letter, *, here: bool = True) -> Letter:
        """Let a new letter wait; `here`: in this world. Returns it."""
        self._kept.add(letter)
        self._put(letter, here)
        return letter

    def remove(self, letter: Letter) -> None:
        """Let a letter cease to exist; what it brings has to have gone before."""
        self._drop(letter)
        self._kept.delete(letter)

    def redirect(self, letter: Letter, receiver: int, name: str, *, here: bool = True) -> None:
        """Let a letter wait for another; `here`: in this world."""
        self._drop(letter)
        letter.receiver, letter.receiver_name = receiver, name
        self._put(letter, here)

    def all(self) -> Sequence[Letter]:
        """All that wait here."""
        return [letter for letters in self._of.values() for letter in letters.values()]

    # Where they travel

    def want(self, receiver: int, *, tell: bool) -> None:
        """Somebody has come: have its letters brought, unless they are here already. `tell`: say so when they
        are."""
        if receiver not in self.brought:
            self.wanted[receiver] = tell
            self.stirred()

    def bring(self, letter: Letter) -> None:
        """Let a stored letter wait here."""
        self._kept.load([letter])
        if letter.under_way:
            letter.under_way = False
        self._put(letter, here=True)

    def part(self, receiver: int) -> Sequence[Letter]:
        """Somebody leaves, and its letters with it: they are the store's alone. Returns them."""
        self.wanted.pop(receiver, None)
        self.brought.discard(receiver)
        letters = list(self._of.pop(receiver, {}).values())
        for letter in letters:
            self._let_go(letter)
        return letters

    def forget_gone(self, numbers: Container[int]) -> Sequence[Letter]:
        """Let go of those of these numbers that are for somebody elsewhere: the store has them. Returns
        them."""
        letters = [letter for number, letter in self.gone.items() if number in numbers]
        for letter in letters:
            del self.gone[letter.number]
            self._let_go(letter)
        return letters

    def _let_go(self, letter: Letter) -> None:
        self._kept.release(letter)
        self.touched.add(letter.number)

    def _put(self, letter: Letter, here: bool) -> None:
        if here:
            self._of.setdefault(letter.receiver, {})[letter.number] = letter
        else:
            letter.under_way = True
            self.gone[letter.number] = letter
        if self.travel:
            self.touched.add(letter.number)
        if not here:
            self.stirred()

    def _drop(self, letter: Letter) -> None:
        waiting = self._of[letter.receiver]
        del waiting[letter.number]
        if not waiting:
            del self._of[letter.receiver]
        if self.travel:
            self.touched.add(letter.number)


def _nobody_waits() -> None:
    """In place of `Letterboxes.stirred`, in a world that has all letters."""
