"""A question that is open to one player; `world.dialogs` asks it, and takes the answer."""

from __future__ import annotations

from hashlib import blake2s
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from world.mobile import Mobile


@attrs.frozen
class Button:
    """One possible answer. Number 0 is what closing the dialog means."""

    number: int
    label: str


@attrs.frozen
class Dialog:
    """An open question. `asker` is the mobile that asks, if one does; it has to be near when it is answered,
    unless the question goes `anywhere`."""

    serial: int
    name: str
    title: str
    text: str
    buttons: Sequence[Button]
    answered: Callable[[Mobile, int], None] = attrs.field(repr=False)
    asker: Mobile | None = None
    anywhere: bool = False

    @property
    def type_id(self) -> int:
        """The stable id of this kind of dialog."""
        return type_id(self.name)


def type_id(name: str) -> int:
    """32 bits of BLAKE2s over the dialog's name; never 0."""
    return int.from_bytes(blake2s(name.encode(), digest_size=4).digest(), "big") or 1
