"""Form of a question to a player: its text, buttons and inputs, and the answer to it.

A dialog is some text, in one or more pages, and buttons. Before a button counts, inputs may have to be filled
in: one or several of some options, a number, a line of words. A client that can shows all of it at once; to
the others it is put as one question after the other (`world.forms.step_of`). `world.mobile.Dialog` is an open
question made of these, `world.dialogs` asks it and takes the answer, `world.forms` checks what fits it.
"""

from __future__ import annotations

from hashlib import blake2s
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from world.words import LONGEST

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from world.content import ItemTemplate

Value: TypeAlias = "int | str | tuple[int, ...]"
"""What counts as filled in: a number, a line, or the numbers of the options that were chosen."""


@attrs.frozen
class Button:
    """One possible answer. Number 0 is what closing the dialog means."""

    number: int
    label: str


@attrs.frozen
class Option:
    """One of several things to choose from, by a number from 1 on. A ware shows the picture of a `thing`, and
    its `price` in gold; its `cost`, the price in words, is added as it is asked (`world.dialogs`)."""

    number: int
    label: str
    thing: ItemTemplate | None = None
    price: int | None = None
    cost: str = ""

    @property
    def words(self) -> str:
        """The label, with the price of a ware."""
        return f"{self.label} ({self.cost})" if self.cost else self.label


@attrs.frozen
class Choice:
    """One of some options, or any of them, if `several`."""

    key: str
    prompt: str
    options: Sequence[Option]
    several: bool = False


@attrs.frozen
class Number:
    """A number from `least` to `most`, which begins as `start`."""

    key: str
    prompt: str
    least: int
    most: int
    start: int | None = None


@attrs.frozen
class Line:
    """Words, `shortest` to `longest` characters."""

    key: str
    prompt: str
    longest: int = LONGEST
    shortest: int = 1


Input: TypeAlias = Choice | Number | Line


@attrs.frozen
class Draft:
    """Progress of a player who is asked one thing after the other: the `stage`, from 0; the place of the
    first option shown; and the values filled in already."""

    stage: int = 0
    first: int = 0
    values: Mapping[str, Value] = attrs.field(factory=dict)


@attrs.frozen
class Reply:
    """An answer that counts: the button, and the values filled in, by the keys of the inputs. A player who
    closes a dialog (button 0) has filled in nothing."""

    button: int
    values: Mapping[str, Value] = attrs.field(factory=dict)

    def chosen(self, key: str) -> tuple[int, ...]:
        """The numbers of the options chosen."""
        value = self.values[key]
        assert isinstance(value, tuple)
        return value

    def number(self, key: str) -> int:
        """The number filled in."""
        value = self.values[key]
        assert isinstance(value, int)
        return value

    def line(self, key: str) -> str:
        """The words filled in."""
        value = self.values[key]
        assert isinstance(value, str)
        return value


NEVER_MIND: Final = Button(0, "Never mind.")


def type_id(name: str) -> int:
    """32 bits of BLAKE2s over the dialog's name; never 0."""
    return int.from_bytes(blake2s(name.encode(), digest_size=4).digest(), "big") or 1
