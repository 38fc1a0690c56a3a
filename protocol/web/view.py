"""How the web client is shown the world.

Its client draws nothing by its own rules: it shows what it is shown, moves what it is told has moved, and
takes away what is taken away. So every moment and change is one message, the same for all who see it; what
its own character has and can is told to its player alone. One's own steps are answered by the handler
(`protocol.web.handlers.motion`), and nothing has to be loaded.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final, cast

from protocol.web.messages import (
    Ask,
    Choice,
    Close,
    Died,
    Gestured,
    Hide,
    Move,
    Place,
    Realm,
    Revived,
    Say,
    Time,
    Turned,
)
from protocol.wire.body import Body
from world import daytime, moments
from world.delta import MobileDelta
from world.item import Item
from world.mobile import Mobile
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.session import Outgoing, Session
    from protocol.web.declare import Message
    from protocol.web.figures import Figures
    from protocol.web.messages import Entered
    from protocol.web.session import WebSession
    from world.dialogs import Dialog
    from world.moments import Moment, Why
    from world.thing import Thing
    from world.world import World

SIGHT: Final = Sight(18)
"""Tiles each way: as far as in most of the other games."""

GAIT_MS: Final = (400, 200)
"""Milliseconds for a tile, walking and running: Ultima Online's."""

_NUMBERS: Final = MobileDelta.ATTRIBUTES | MobileDelta.STAT | MobileDelta.GOLD | MobileDelta.WEIGHT
"""What `Sheet` tells."""

_OWNED: Final = MobileDelta.WEIGHT | MobileDelta.ARMOR | MobileDelta.GOLD
"""What may be of the things that one has."""


class Audience(IntEnum):
    """What differs between two viewers of one thing."""

    OTHER = 0
    SELF = 1


class Arrival:
    """`Entered`: whatever was told before it is of an earlier life."""

    __slots__ = ("_raw",)
    droppable = False

    def __init__(self, entered: Entered) -> None:
        self._raw = entered.encode()

    def bind(self, session: Session) -> bytes:
        """The message."""
        cast("WebSession", session).hears_anew()
        return self._raw


class Renewed:
    """A message about one's own character, for a client that was told another of its kind last."""

    __slots__ = ("_kind", "_raw")
    droppable = False

    def __init__(self, message: Message) -> None:
        self._kind, self._raw = message.tag, message.encode()

    def bind(self, session: Session) -> bytes:
        """The message; nothing if it was the last of its kind."""
        told = cast("WebSession", session).told
        if told.get(self._kind) == self._raw:
            return b""
        told[self._kind] = self._raw
        return self._raw


class Inside:
    """`Content` of a container, for a client that has it open and was told other things last."""

    __slots__ = ("_raw", "_serial")
    droppable = False

    def __init__(self, serial: int, raw: bytes) -> None:
        self._serial = serial
        self._raw = raw

    def bind(self, session: Session) -> bytes:
        """The message; nothing if it need not be told."""
        opened = cast("WebSession", session).opened
        if opened.get(self._serial, self._raw) == self._raw:
            return b""
        opened[self._serial] = self._raw
        return self._raw


class Question:
    """`Ask`: notes that its player has this dialog before it."""

    __slots__ = ("_kind", "_raw", "_serial")
    droppable = False

    def __init__(self, dialog: Dialog) -> None:
        self._serial, self._kind = dialog.serial, dialog.type_id
        asker = dialog.asker.serial if dialog.asker is not None else 0
        buttons = tuple(Choice(button.number, button.label) for button in dialog.buttons)
        self._raw = Ask(dialog.serial, dialog.title, dialog.text, buttons, asker).encode()

    def bind(self, session: Session) -> bytes:
        """The message."""
        cast("WebSession", session).asked[self._serial] = self._kind
        return self._raw


class Withdrawn:
    """`Close`: the dialog is not before its player any more."""

    __slots__ = ("_raw", "_serial")
    droppable = False

    def __init__(self, dialog: Dialog) -> None:
        self._serial = dialog.serial
        self._raw = Close(dialog.serial).encode()

    def bind(self, session: Session) -> bytes:
        """The message; nothing if it was not shown."""
        return self._raw if cast("WebSession", session).asked.pop(self._serial, None) is not None else b""


class WebView:
    """Implements `protocol.family.View`."""

    bystander: Hashable | None = Audience.OTHER
    loads_on_warp = False
    forgets_by_loading = False
    gait_ms = GAIT_MS

    def __init__(self, figures: Figures) -> None:
        self.figures = figures
        self._turn = -1
        """The turn in which these were made."""
        self._owned: dict[int, Renewed] = {}
        """By serial of whose they are. A turn that changed many things of one character asks for each."""

    # The contract

    def sight(self, session: Session) -> Sight:
        """The same for all."""
        return SIGHT

    def audience(self, session: Session, thing: Thing) -> Hashable:
        """The player of a thing, or of whom holds it, or somebody else."""
        holder = thing.root if isinstance(thing, Item) else thing
        return Audience.SELF if holder is session.mobile else Audience.OTHER

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """A thing as it is now. Whatever the client had for it is replaced."""
        shown = self.figures.show(thing)
        return () if shown is None else _bodies(shown)

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """It is gone."""
        return _bodies(Hide(thing.serial, why.name.lower()))

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """What is different about it; to its own player its numbers and what it has, besides."""
        own = audience == Audience.SELF
        if isinstance(thing, Item):
            return self._item_changed(thing, flags, own=own)
        if not isinstance(thing, Mobile) or thing.realm is None:
            return ()
        told: list[Outgoing] = []
        change = self.figures.change(thing, flags)
        if change is not None:
            # The next one makes up for lost hits.
            told.append(Body(change.encode(), droppable=not own and flags == MobileDelta.HITS))
        if own and flags & _OWNED:
            told.append(self._own(thing))
        if own and flags & _NUMBERS:
            told.append(Renewed(self.figures.sheet(thing)))
        return told

    def effect(self, moment: Moment, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Something happened."""
        own = audience == Audience.SELF
        match moment:
            case moments.Stepped() if not own:
                return _bodies(_step(moment))
            case moments.Jumped():
                return _bodies(_elsewhere(moment) if own else _jump(moment))
            case moments.Turned() if not own or moment.forced:
                turned = Turned(moment.thing.serial, moment.heading)
                return (Body(turned.encode(), droppable=not own),)
            case moments.Warped() if own:
                return self._warped(moment)
            case moments.Said():
                return _bodies(_said(moment))
            case moments.Gestured():
                return _bodies(Gestured(moment.thing.serial, moment.gesture))
            case moments.Asked():
                return (Question(moment.dialog),)
            case moments.Closed():
                return (Withdrawn(moment.dialog),)
            case moments.Died():
                return _bodies(Died(moment.thing.serial))
            case moments.Revived():
                return _bodies(Revived(moment.thing.serial))
            case moments.Taken() if moment.container is not None:
                return (self._inside(moment.container),)
        return ()

    def knows_content(self, session: Session, container: Item) -> bool:
        """Whether it was opened for this client."""
        return container.serial in cast("WebSession", session).opened

    def forget(self, session: Session, item: Item) -> bool:
        """A client closes a container that goes out of its sight, and what was opened in it."""
        opened = cast("WebSession", session).opened
        if not opened:
            return False
        knew = opened.pop(item.serial, None) is not None
        for inner in item.contents.values():
            knew |= self.forget(session, inner)
        return knew

    def moved(self, session: Session) -> None:
        """All there is are things and moments."""

    # For handlers

    def realm(self, mobile: Mobile) -> Realm:
        """The map on which somebody is."""
        if mobile.realm is None:
            raise ValueError(f"{mobile.name} is nowhere")
        return Realm(mobile.realm.name, mobile.realm.chart.title)

    def time(self, world: World) -> Time:
        """What time it is."""
        now = daytime.daytime(world)
        return Time(now.hour, now.minute, 1 / daytime.MINUTE_SECONDS)

    # Its parts

    def _own(self, mobile: Mobile) -> Renewed:
        turn = mobile.world.tick
        if turn != self._turn:
            self._turn = turn
            self._owned.clear()
        owned = self._owned.get(mobile.serial)
        if owned is None:
            owned = self._owned[mobile.serial] = Renewed(self.figures.belongings(mobile))
        return owned

    def _inside(self, container: Item) -> Inside:
        return Inside(container.serial, self.figures.content(container).encode())

    def _item_changed(self, item: Item, flags: int, *, own: bool) -> Sequence[Outgoing]:
        holder, parent = item.root, item.parent
        if parent is None:
            change = self.figures.change(item, flags) if item.realm is not None else None
            return () if change is None else _bodies(change)
        told: list[Outgoing] = []
        if isinstance(parent, Item):
            told.append(self._inside(parent))
        elif item.layer:
            # Somebody wears it.
            told += _bodies(*filter(None, [self.figures.change(parent, MobileDelta.ARMOR)]))
        if own and isinstance(holder, Mobile):
            told.append(self._own(holder))
        return told

    def _warped(self, moment: moments.Warped) -> Sequence[Outgoing]:
        mobile = moment.thing
        if mobile.realm is moment.from_realm:
            return _bodies(_elsewhere(moment))
        return [*_bodies(self.realm(mobile)), *self.show(mobile, Audience.SELF, None)]


def _step(moment: moments.Stepped) -> Move:
    gait = moment.thing.gait
    return Move(
        id=moment.thing.serial,
        x=moment.x,
        y=moment.y,
        heading=moment.heading,
        ms=gait.run_ms if moment.run else gait.walk_ms,
    )


def _jump(moment: moments.Jumped) -> Move:
    return Move(moment.thing.serial, moment.x, moment.y, moment.heading, jump=True)


def _elsewhere(moment: moments.Jumped | moments.Warped) -> Place:
    mobile = moment.thing
    return Place(mobile.serial, mobile.x, mobile.y, mobile.heading)


def _said(moment: moments.Said) -> Say:
    speaker = moment.thing.serial if moment.thing is not None else 0
    return Say(speaker, moment.name, moment.how.value, moment.text)


def _bodies(*messages: Message) -> list[Outgoing]:
    return [Body(message.encode(), droppable=message.droppable) for message in messages]
