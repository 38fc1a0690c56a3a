"""Letters that wait for somebody, as records; the rules are in `world.mail`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world import records
from world.records import Record
from world.stored import stored

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.records import Records


@records.kind("letter")
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


class Letterboxes:
    """The letters that wait, by who receives them, the oldest first."""

    def __init__(self, kept: Records) -> None:
        self._kept = kept
        self._of: dict[int, dict[int, Letter]] = {}

    def settle(self) -> None:
        """Put the stored letters in their places, when the world begins."""
        for one in self._kept.all(Letter).values():
            self._of.setdefault(one.receiver, {})[one.number] = one

    def of(self, receiver: int) -> Sequence[Letter]:
        """The letters for somebody."""
        return list(self._of.get(receiver, {}).values())

    def add(self, letter: Letter) -> Letter:
        """Let a new letter wait. Returns it."""
        self._kept.add(letter)
        self._of.setdefault(letter.receiver, {})[letter.number] = letter
        return letter

    def remove(self, letter: Letter) -> None:
        """Let a letter cease to exist; what it brings has to have gone before."""
        self._drop(letter)
        self._kept.delete(letter)

    def redirect(self, letter: Letter, receiver: int, name: str) -> None:
        """Let a letter wait for another."""
        self._drop(letter)
        letter.receiver, letter.receiver_name = receiver, name
        self._of.setdefault(receiver, {})[letter.number] = letter

    def all(self) -> Sequence[Letter]:
        """All of them."""
        return list(self._kept.all(Letter).values())

    def _drop(self, letter: Letter) -> None:
        waiting = self._of[letter.receiver]
        del waiting[letter.number]
        if not waiting:
            del self._of[letter.receiver]
