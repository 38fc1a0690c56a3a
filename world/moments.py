"""Moments, or events: what happens in the world that is not state.

A step, a word, a warp is recorded when it happens, together with the eyes that see it then (`world.audience`
finds them), and rendered at the end of the turn in the order of happening. State (hits, name, hue ...) is not
recorded here but flagged on its thing, see `world.delta`.

A kind of event is a class derived of `Event`. Those of `Moment` are the world's own: every game's view says
of each of them how it is shown or why it is left out (`protocol.rendering`), and a server whose view says
neither does not start. A script may define further kinds; views that do not know one show it as the line of
words that the event says of itself.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, TypeAlias

import attrs

from world.thing import Event as Event
from world.thing import Why as Why
from world.thing import called

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.item import Item
    from world.mobile import Dialog, Eyes, Mobile
    from world.realm import Realm
    from world.thing import Thing


class Speech(enum.Enum):
    """How something is said. The range each carries is in `world.speech`."""

    SAY = "say"
    WHISPER = "whisper"
    YELL = "yell"
    EMOTE = "emote"
    TELL = "tell"
    PARTY = "party"
    GUILD = "guild"
    ALLIANCE = "alliance"
    GLOBAL = "global"
    ANNOUNCE = "announce"
    SYSTEM = "system"


class Motion(Event):
    """A mobile goes, comes to a halt or turns: told to those who were not just shown where it is."""

    __slots__ = ()

    thing: Mobile

    def words(self, *, own: bool) -> str | None:
        """None: nobody wants to read every step."""
        return None


YOU_DIED: Final = "You are dead. Seek a healer to live again."
YOU_LIVE: Final = "You live again."

_ANYWHERE: Final = frozenset(
    {
        *(Speech.TELL, Speech.SYSTEM, Speech.GLOBAL, Speech.ANNOUNCE),
        *(Speech.PARTY, Speech.GUILD, Speech.ALLIANCE),
    }
)
"""Words that do not come from somebody in sight."""


@attrs.define
class Entered(Event):
    """A thing appeared in a realm."""

    thing: Thing

    def words(self, *, own: bool) -> str | None:
        """Who appears."""
        return None if own else f"{called(self.thing)} appears."


@attrs.define
class Left(Event):
    """A thing ceased to be in its realm. `viewers` are the eyes that covered its last place."""

    thing: Thing
    why: Why
    viewers: Sequence[Eyes]

    def words(self, *, own: bool) -> str | None:
        """Who is gone."""
        return None if own else f"{called(self.thing)} is gone."


@attrs.define
class Stepped(Motion):
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
class Jumped(Motion):
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
class SetOut(Motion):
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
class Turned(Motion):
    """A mobile faces another way, standing at (x, y). `forced`: not by its own client, which therefore has to
    be told."""

    thing: Mobile
    x: int
    y: int
    heading: int
    viewers: Sequence[Eyes]
    forced: bool = False


@attrs.define
class Halted(Motion):
    """A mobile that went on by itself, as its client draws it, stopped. Who is told tile by tile knows that
    already."""

    thing: Mobile
    x: int
    y: int
    heading: int
    viewers: Sequence[Eyes]


@attrs.define
class Warped(Event):
    """A mobile is elsewhere at once. `lost` are the eyes that covered its old place."""

    thing: Mobile
    from_realm: Realm
    from_x: int
    from_y: int
    lost: Sequence[Eyes]

    def words(self, *, own: bool) -> str | None:
        """To its player, that it is elsewhere; others see nobody there any more."""
        return "You are elsewhere." if own else f"{called(self.thing)} is gone."


@attrs.define
class Taken(Event):
    """An item left whoever wore it or the container it was in. `holder` is who wore it, or the outermost
    container or mobile; `container` is what it was in, if it was not worn. `viewers` saw it there: its
    owner's eyes, or all that see who wore it or the container on the ground, whether they looked into that or
    not."""

    thing: Item
    holder: Mobile | Item
    viewers: Sequence[Eyes]
    container: Item | None = None

    def words(self, *, own: bool) -> str | None:
        """What is taken."""
        return f"{called(self.thing)} is taken."


@attrs.define
class Bounced(Event):
    """What somebody held went back where it came from, and not because its own client had put it down."""

    thing: Mobile
    item: Item
    viewers: Sequence[Eyes]

    def words(self, *, own: bool) -> str | None:
        """To who held it, what went back."""
        return f"{called(self.item)} goes back where it was." if own else None


@attrs.define
class Said(Event):
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
    private: bool = False
    """Whether nobody but its viewers may read it, whatever is shown of a realm elsewhere: words of ghosts, of
    which the living hear something else."""
    means: enum.Enum | None = None
    """What a line of the server's says, no more and no less: a game may have a text of its own for that."""

    @property
    def anywhere(self) -> bool:
        """Words for one player alone, for a company or for everybody do not come from somebody in sight."""
        return self.how in _ANYWHERE

    def words(self, *, own: bool) -> str | None:
        """What is said, and by whom."""
        return self.text if self.how is Speech.SYSTEM else f"{self.name}: {self.text}"


@attrs.define
class Gestured(Event):
    """A mobile makes a gesture of `EMOTES` (world.speech): bow, salute, laugh ..."""

    thing: Mobile
    gesture: str
    viewers: Sequence[Eyes]

    def words(self, *, own: bool) -> str | None:
        """Which gesture."""
        return f"{called(self.thing)}: *{self.gesture}*"


@attrs.define
class Swung(Event):
    """A mobile strikes at the tile ahead of it."""

    thing: Mobile
    heading: int
    viewers: Sequence[Eyes]

    def words(self, *, own: bool) -> str | None:
        """Who strikes."""
        return None if own else f"{called(self.thing)} strikes a blow."


@attrs.define
class Asked(Event):
    """A dialog opened for a mobile's player."""

    thing: Mobile
    dialog: Dialog
    viewers: Sequence[Eyes]

    @property
    def anywhere(self) -> bool:
        """It is between the world and one player."""
        return True

    def words(self, *, own: bool) -> str | None:
        """The question."""
        dialog = self.dialog
        return f"{dialog.title}: {dialog.text}" if dialog.title else dialog.text


@attrs.define
class Closed(Event):
    """A dialog was withdrawn by the world."""

    thing: Mobile
    dialog: Dialog
    viewers: Sequence[Eyes]

    @property
    def anywhere(self) -> bool:
        """It is between the world and one player."""
        return True

    def words(self, *, own: bool) -> str | None:
        """That an answer counts no more."""
        return f"{self.dialog.title or 'That question'}: no answer is awaited any more."


@attrs.define
class Died(Event):
    """A mobile died."""

    thing: Mobile
    viewers: Sequence[Eyes]

    def words(self, *, own: bool) -> str | None:
        """To its player, what to do about it."""
        return YOU_DIED if own else f"{called(self.thing)} dies."


@attrs.define
class Revived(Event):
    """A ghost lives again."""

    thing: Mobile
    viewers: Sequence[Eyes]

    def words(self, *, own: bool) -> str | None:
        """Who lives."""
        return YOU_LIVE if own else f"{called(self.thing)} lives again."


@attrs.define
class Opened(Event):
    """A door opened at a tile."""

    thing: Mobile
    x: int
    y: int
    viewers: Sequence[Eyes]

    def words(self, *, own: bool) -> str | None:
        """That there is a door."""
        return "A door opens."


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
    | Swung
    | Asked
    | Closed
    | Died
    | Revived
    | Opened
)
"""The world's own kinds."""
