"""People, creatures and things in sight: how they look, what becomes of them, what is written there."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 # cattrs reads the annotations

import attrs

from protocol.web.packets.base import SERIAL, Message, message, whole


@message("look")
class Look(Message):
    """Look closely at somebody or something in sight. Answer: `Seen`."""

    id: int = whole(0, SERIAL)


@message("read")
class Read(Message):
    """Read the sign of a tile. Answer: words."""

    x: int = whole(0, 0xFFFF)
    y: int = whole(0, 0xFFFF)


@attrs.frozen
class Appearance:
    """The looks of somebody or something. `figure` is a word of data/looks (web): person, dog ..."""

    figure: str
    female: bool = False
    skin: str = ""
    hair: str = ""
    """Colour; empty: bald."""
    top: str = ""
    """Colour of what covers the chest, and so on; empty: nothing."""
    legs: str = ""
    feet: str = ""
    head: str = ""
    colour: str = ""
    """Of an item or a beast."""
    held: str = ""
    """What a person has in its hand: the figure of an item, and its colour."""
    held_colour: str = ""


@message("show")
class Show(Message):
    """A thing came into sight, or is to be placed anew: it replaces what the client had for its id."""

    id: int
    kind: str
    """mobile or item."""
    name: str
    x: int
    y: int
    look: Appearance
    heading: int = 4
    title: str = ""
    game: str = ""
    """Through which game its player comes (uo, eo, eq2, l2, co, web); empty: no player."""
    hits: int = 100
    """In percent."""
    notoriety: int = 1
    dead: bool = False
    sitting: bool = False
    resident: bool = False
    level: int = 0
    amount: int = 1
    """Of an item."""
    container: bool = False
    """Of an item: whether it can be opened (`Use`)."""
    fights: bool = False
    """Of a mobile: whether it is a creature, which anybody may fight."""
    enemy: int = 0
    """Of a mobile: whom it fights (`Engaged`); 0 for nobody."""
    corpse: bool = False
    """Of an item: whether it is a corpse. Its look is that of who it was."""
    fixed: bool = False
    """Of an item: whether it stays where it is, whoever takes it; a board, a chest."""
    poisoned: bool = False


@message("change")
class Change(Message):
    """Differences of a thing that was shown; None is as before."""

    id: int
    name: str | None = None
    title: str | None = None
    look: Appearance | None = None
    game: str | None = None
    heading: int | None = None
    hits: int | None = None
    notoriety: int | None = None
    dead: bool | None = None
    sitting: bool | None = None
    level: int | None = None
    amount: int | None = None
    poisoned: bool | None = None


@message("hide")
class Hide(Message):
    """A thing went out of sight: `why` is walked, warped, left, died or hidden."""

    id: int
    why: str = "walked"


@message("died")
class Died(Message):
    """A mobile died. `corpse` is the thing that is left of it, `by` who dealt the last blow; 0: none."""

    id: int
    corpse: int = 0
    by: int = 0


@message("revived")
class Revived(Message):
    """A ghost lives again."""

    id: int


@message("seen")
class Seen(Message):
    """A closer look at somebody or something."""

    id: int
    name: str
    lines: Sequence[str]
    """What is to be told, for people: title, what it wears, how it fares."""
