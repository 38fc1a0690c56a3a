"""Things that are used, carried, worn, or in a container."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 # cattrs reads the annotations

import attrs

from protocol.web.packets.base import SERIAL, Message, message, whole
from protocol.web.packets.people import Appearance  # noqa: TC001 # cattrs reads the annotations


@message("use")
class Use(Message):
    """Speak to a resident, open a container, eat, drink, light or apply something. Answers as the world has
    them (`Ask`, `Content`, words)."""

    id: int = whole(0, SERIAL)
    on: int = whole(0, SERIAL, default=0)
    """Whose wounds a bandage is for; 0: one's own."""


@message("take")
class Take(Message):
    """Pick something up from the ground, or take it out of a container, into the pack."""

    id: int = whole(0, SERIAL)
    amount: int = whole(0, 0x7FFF_FFFF, default=0)
    """0: all of it."""


@message("take_all")
class TakeAll(Message):
    """Take all that is in an open container, a corpse for one, as far as it can be carried."""

    id: int = whole(0, SERIAL)


@message("drop")
class Drop(Message):
    """Put something from the pack down where one stands."""

    id: int = whole(0, SERIAL)
    amount: int = whole(0, 0x7FFF_FFFF, default=0)


@message("wear")
class Wear(Message):
    """Put something on that is in the pack."""

    id: int = whole(0, SERIAL)


@message("unwear")
class Unwear(Message):
    """Take something off, into the pack."""

    id: int = whole(0, SERIAL)


@attrs.frozen
class Belonging:
    """One thing that somebody has, or that lies in a container."""

    id: int
    name: str
    look: Appearance
    amount: int = 1
    worn: bool = False
    container: bool = False
    wearable: bool = False
    purpose: str = ""
    """What using it (`Use`) does: heal, cure, refresh, eat, dress, light, poison; empty: nothing but what the
    flags say."""
    kind: str = ""
    """What kind of thing it is, as merchants have it (`Ware.item`)."""


@message("belongings")
class Belongings(Message):
    """All that one's own character wears and has in its pack."""

    things: Sequence[Belonging]


@message("content")
class Content(Message):
    """Things in a container that was opened; again whenever they change, until the container goes out of
    sight. What is shown on the ground (`Show`) is in no container any more."""

    id: int
    name: str
    things: Sequence[Belonging]
