"""Moments: what happens in the world that is not state.

A step, a word, a warp is recorded when it happens, together with the eyes that see it then, and rendered at
the end of the turn in the order of happening. State (hits, name, hue ...) is not recorded here but flagged on
its thing, see `world.delta`.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, TypeAlias

import attrs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.dialogs import Dialog
    from world.item import Item
    from world.mobile import Mobile
    from world.realm import Realm
    from world.space import Eyes
    from world.thing import Thing


class Why(enum.Enum):
    """Why a thing went out of sight."""

    WALKED = "walked out of sight"
    WARPED = "warped away"
    LEFT = "left the world"
    DIED = "died"
    HIDDEN = "hid"


class Speech(enum.Enum):
    """How something is said. The range each carries is in `world.speech`."""

    SAY = "say"
    WHISPER = "whisper"
    YELL = "yell"
    EMOTE = "emote"
    TELL = "tell"
    GLOBAL = "global"
    ANNOUNCE = "announce"
    SYSTEM = "system"


@attrs.define
class Entered:
    """A thing appeared in a realm."""

    thing: Thing


@attrs.define
class Left:
    """A thing ceased to be in its realm. `viewers` are the eyes that covered its last place."""

    thing: Thing
    why: Why
    viewers: Sequence[Eyes]


@attrs.define
class Stepped:
    """A mobile went from one tile to a neighbouring one, facing `heading` then (the way it went, but for
    somebody who sits down or stands up). `viewers` cover the new tile, `lost` only the old one."""

    thing: Mobile
    from_x: int
    from_y: int
    x: int
    y: int
    heading: int
    run: bool
    viewers: Sequence[Eyes]
    lost: Sequence[Eyes]
    journey: bool = False
    """Whether it is part of a way whose end `SetOut` told."""


@attrs.define
class Jumped:
    """A mobile jumped from one tile to another, facing `heading` then. `viewers` cover the new tile, `lost`
    only the old one."""

    thing: Mobile
    from_x: int
    from_y: int
    x: int
    y: int
    heading: int
    viewers: Sequence[Eyes]
    lost: Sequence[Eyes]


@attrs.define
class SetOut:
    """A mobile goes by itself from (x, y) to (to_x, to_y), along a straight line: whose client draws that as
    one motion needs to hear of none of its steps, but of where it is stopped (`Halted`)."""

    thing: Mobile
    x: int
    y: int
    to_x: int
    to_y: int
    run: bool
    viewers: Sequence[Eyes]


@attrs.define
class Turned:
    """A mobile faces another way, standing at (x, y). `forced`: not by its own client, which therefore has to
    be told."""

    thing: Mobile
    x: int
    y: int
    heading: int
    viewers: Sequence[Eyes]
    forced: bool = False


@attrs.define
class Halted:
    """A mobile that went on by itself, as its client draws it, stopped. Who is told tile by tile knows that
    already."""

    thing: Mobile
    x: int
    y: int
    heading: int
    viewers: Sequence[Eyes]


@attrs.define
class Warped:
    """A mobile is elsewhere at once. `lost` are the eyes that covered its old place."""

    thing: Mobile
    from_realm: Realm
    from_x: int
    from_y: int
    lost: Sequence[Eyes]


@attrs.define
class Taken:
    """An item left whoever wore it or the container it was in. `holder` is who wore it, or the outermost
    container or mobile; `container` is what it was in, if it was not worn. `viewers` saw it there: its
    owner's eyes, or all that see who wore it or the container on the ground, whether they looked into that or
    not."""

    thing: Item
    holder: Mobile | Item
    viewers: Sequence[Eyes]
    container: Item | None = None


@attrs.define
class Bounced:
    """What somebody held went back where it came from, and not because its own client had put it down."""

    thing: Mobile
    item: Item
    viewers: Sequence[Eyes]


@attrs.define
class Said:
    """Words. `thing` is None for those that come from nobody (system, announcements from the console).

    `name` is the speaker's; `to` only for TELL. `hue` and `font` are the speaker's wish where a game has
    such.
    """

    thing: Mobile | Item | None
    how: Speech
    text: str
    viewers: Sequence[Eyes]
    name: str = "System"
    hue: int = 0
    font: int = 3
    language: str = "ENU"


@attrs.define
class Gestured:
    """A mobile makes a gesture of `EMOTES` (world.speech): bow, salute, laugh ..."""

    thing: Mobile
    gesture: str
    viewers: Sequence[Eyes]


@attrs.define
class Asked:
    """A dialog opened for a mobile's player."""

    thing: Mobile
    dialog: Dialog
    viewers: Sequence[Eyes]


@attrs.define
class Closed:
    """A dialog was withdrawn by the world."""

    thing: Mobile
    dialog: Dialog
    viewers: Sequence[Eyes]


@attrs.define
class Died:
    """A mobile died."""

    thing: Mobile
    viewers: Sequence[Eyes]


@attrs.define
class Revived:
    """A ghost lives again."""

    thing: Mobile
    viewers: Sequence[Eyes]


@attrs.define
class Opened:
    """A door opened at a tile."""

    thing: Mobile
    x: int
    y: int
    viewers: Sequence[Eyes]


Moment: TypeAlias = (
    Entered
    | Left
    | Stepped
    | Jumped
    | SetOut
    | Turned
    | Halted
    | Warped
    | Taken
    | Bounced
    | Said
    | Gestured
    | Asked
    | Closed
    | Died
    | Revived
    | Opened
)
