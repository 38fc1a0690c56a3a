"""Shows the world to EverQuest II: ghosts that come, change, move and go, and words.

Everybody is drawn as a spawn of this game. What a thing looks like is made in `figures.py`, what each client
has of it is kept in `ghosts.py`; here is said which of them follows from what happens. A client decides where
its own character is and is told only when the world has put it elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.endings import Ending
from protocol.eq2 import dialogs, words
from protocol.eq2.figures import FEMALE, MALE, NAMING, percent
from protocol.eq2.ghosts import About, Change, Hide, Move, Show
from protocol.eq2.packets import (
    NOBODY,
    CharacterSheet,
    SetControlGhost,
    SetPovGhost,
    Sheet,
    Teleport,
    TeleportNoReload,
    UpdateTarget,
)
from protocol.eq2.packing import pack, xor
from protocol.eq2.words import STATUS, bodies
from protocol.rendering import LeftOut, Renderings, Shown
from world import holding
from world.audience import Relation, relation
from world.delta import ItemDelta, MobileDelta
from world.events import (
    Advanced,
    Asked,
    Bounced,
    Closed,
    Died,
    Disengaged,
    Engaged,
    Entered,
    Event,
    Gained,
    Gestured,
    Halted,
    Jumped,
    Left,
    Mended,
    Opened,
    Practised,
    Revived,
    Said,
    SetOut,
    Stepped,
    Struck,
    Swung,
    Taken,
    Turned,
    Warped,
    Why,
)
from world.item import Item
from world.mobile import Mobile
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from protocol.eq2.figures import Figures
    from protocol.eq2.packets import Message
    from protocol.eq2.session import Eq2Session
    from protocol.eq2.versions import Eq2Version, Eq2Versions
    from protocol.outgoing import Outgoing
    from world.thing import Thing


SIGHT: Final = Sight(24)
"""Tiles, Chebyshev: as far as any game's client here sees. The original servers show spawns from much farther
off, but a screen of this one need not see more than the others."""

GAIT_MS: Final = (400, 200)
"""A client of this game measures in units and not in tiles: the world's own pace."""

_ON_THE_SHEET: Final = (
    MobileDelta.ATTRIBUTES | MobileDelta.STAT | MobileDelta.NAME | MobileDelta.BODY | MobileDelta.WEIGHT
)


EVENTS: Final[Renderings[Eq2View, Eq2Version]] = Renderings()


class OwnSheet:
    """The character sheet: the difference to the one the client has."""

    __slots__ = ("sheet",)
    droppable = False

    def __init__(self, sheet: bytes) -> None:
        self.sheet = sheet

    def bind(self, session: Eq2Session) -> bytes:
        """The message; nothing if the client has it. Notes that it does."""
        before = session.sheet or bytes(len(self.sheet))
        if before == self.sheet:
            return b""
        session.sheet = self.sheet
        change = pack(xor(self.sheet, before), reverse=session.version.reverse)
        return session.version.encode(CharacterSheet(packed=change))


class Eq2View:
    """Implements `protocol.family.View`."""

    bystander: Hashable | None = Relation.OTHER
    apart: Collection[Relation] = frozenset()
    declared = EVENTS
    loads_on_warp = False
    opens_corpses = True
    forgets_by_loading = False
    gait_ms = GAIT_MS

    @classmethod
    def of(cls, session: Eq2Session) -> Eq2View:
        """The view of a session's game, with what it shares among its clients."""
        return cast("Eq2View", session.family.view)

    def __init__(self, versions: Eq2Versions, figures: Figures) -> None:
        self.versions = versions
        self.figures = figures
        self.places = figures.places
        self.looks = figures.looks

    # The contract

    def sight(self, session: Eq2Session) -> Sight:
        """The same for all clients."""
        return SIGHT

    def audience(self, session: Eq2Session, thing: Thing) -> Hashable:
        """The player of a thing, or of whom holds it, or somebody else."""
        holder = thing.root if isinstance(thing, Item) else thing
        if holder is session.mobile:
            return Relation.SELF
        if self.apart and (found := relation(session.mobile, holder)) in self.apart:
            return found
        return Relation.OTHER

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Make a ghost, or bring the one that a client has up to date."""
        version, own = cast("Eq2Version", dialect), audience == Relation.SELF
        figure = self.figures.of(thing, version, own=own)
        self.figures.stand(thing, figure, version)
        return Show(figure, own=own), Move(figure)

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Take the ghost away."""
        return (Hide(thing.serial),)

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Tell what it looks like now, and its own player what its sheet says."""
        version, own = cast("Eq2Version", dialect), audience == Relation.SELF
        if isinstance(thing, Item):
            return self._item_changed(thing, version, own=own)
        if not isinstance(thing, Mobile) or thing.realm is None:
            return ()
        figure = self.figures.of(thing, version, own=own)
        told: list[Outgoing] = [Change(figure)]
        if flags & MobileDelta.POSTURE and not own:
            self.figures.stand(thing, figure, version)
            told.append(Move(figure))
        if own and flags & _ON_THE_SHEET:
            told.append(self.sheet(thing, version))
        return told

    def event(self, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Something happened."""
        return EVENTS.handlers[type(event)](self, event, audience, dialect)

    def knows_content(self, session: Eq2Session, container: Item) -> bool:
        """Bags are told of in words, on request."""
        return False

    def forget(self, session: Eq2Session, item: Item) -> bool:
        """So there is nothing to forget."""
        return False

    def moved(self, session: Eq2Session) -> None:
        """A client cannot stay where its game has no zone, and goes through a loading screen to another
        one. Of one that has just loaded, what went out of sight meanwhile is taken away."""
        mobile = session.mobile
        if mobile is None or mobile.realm is None:
            return
        if session.untidy and not session.loading:
            session.untidy = False
            session.queue(*self.left_over(session))
        atlas = self.places.atlas(mobile.realm)
        if atlas is None:
            session.end(Ending.KICKED, f"{mobile.realm.name} has no place for this game")
        elif session.zone and atlas.zone != session.zone:
            if session.rezone is None:
                session.end(Ending.KICKED, f"{mobile.realm.name} is in another zone")
            else:
                session.rezone()

    # For handlers

    def own(self, mobile: Mobile, version: Eq2Version) -> Sequence[Outgoing]:
        """Everything that a client is told of its own character: ghost, camera, control, sheet."""
        serial = mobile.serial
        speed = self.figures.speed(mobile, run=True)
        return (
            *self.show(mobile, Relation.SELF, version),
            *bodies(version, SetPovGhost(spawn_id=serial), SetControlGhost(spawn_id=serial, speed=speed)),
            self.sheet(mobile, version),
        )

    def around(self, session: Eq2Session) -> Sequence[Outgoing]:
        """The ghosts of all that a client sees, its own character not among them; for a client that loads."""
        viewport, mobile = session.viewport, session.mobile
        if viewport is None or mobile is None or mobile.realm is None:
            return ()
        return [
            message
            for thing in mobile.realm.space.seen_by(viewport).values()
            for message in self.show(thing, self.audience(session, thing), session.version)
        ]

    def left_over(self, session: Eq2Session) -> Sequence[Outgoing]:
        """Take away the ghosts of what a client does not know (any more)."""
        own = session.mobile.serial if session.mobile is not None else 0
        return [
            Hide(serial)
            for serial in session.ghosts.serials()
            if serial != own and serial not in session.known
        ]

    def placed(self, mobile: Mobile, version: Eq2Version, *, loads: bool = False) -> Sequence[Outgoing]:
        """Tell a client that its own character is where the world has it, and not where it said. `loads`:
        what is there is new to it, so that it may show a loading screen."""
        self.places.forget(mobile)
        place = self.places.of(mobile)
        if place is None:
            return ()
        figure = self.figures.of(mobile, version, own=True)
        self.figures.stand(mobile, figure, version)
        there: Message = TeleportNoReload(x=place.x, y=place.y, z=place.z, heading=place.heading)
        if loads and self.figures.rendering.loading_teleport:
            there = Teleport(x=place.x, y=place.y, z=place.z)
        return *bodies(version, there), Move(figure)

    def target(self, serial: int, version: Eq2Version) -> Sequence[Outgoing]:
        """Tell a client what it aims at, if it has a ghost of that; 0 for nothing."""
        if not serial:
            return bodies(version, UpdateTarget(spawn_id=NOBODY))
        return (About(serial, version.encode(UpdateTarget(spawn_id=serial))),)

    def sheet(self, mobile: Mobile, version: Eq2Version) -> OwnSheet:
        """The character sheet for a mobile's own session."""
        look = self.looks.mobiles[mobile.template.key]
        level = max(1, min(mobile.level, 255))
        sheet = Sheet(
            name=NAMING.of(mobile)[:40],
            race=look.race,
            gender=FEMALE if mobile.female else MALE,
            level=level,
            effective_level=level,
            hits=max(0, mobile.hits),
            max_hits=max(0, mobile.hits_max),
            base_hits=max(0, mobile.hits_max),
            power=max(0, mobile.mana),
            max_power=max(0, mobile.mana_max),
            base_power=max(0, mobile.mana_max),
            concentration=0,
            max_concentration=5,
            strength=_attribute(mobile.strength),
            stamina=_attribute(mobile.stam_max),
            agility=_attribute(mobile.dexterity),
            wisdom=_attribute(mobile.intelligence),
            intelligence=_attribute(mobile.intelligence),
            base_strength=_attribute(mobile.strength),
            base_stamina=_attribute(mobile.stam_max),
            base_agility=_attribute(mobile.dexterity),
            base_wisdom=_attribute(mobile.intelligence),
            base_intelligence=_attribute(mobile.intelligence),
            gold=holding.gold(mobile),
            weight=holding.weight(mobile),
            max_weight=holding.capacity(mobile),
            breath=float(percent(mobile.stam, mobile.stam_max)),
        )
        return OwnSheet(version.pack_struct(sheet))

    # Events

    @EVENTS.renders(Stepped)
    def _stepped(self, event: Stepped, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """Its ghost walks to the tile; its own client is there already."""
        if audience == Relation.SELF:
            return ()
        figure = self.figures.of(event.thing, version)
        self.figures.walk(event.thing, figure, version, run=event.run)
        return (Move(figure),)

    @EVENTS.renders(Turned)
    def _turned(self, event: Turned, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """Its ghost turns; its own client is put right if the world turned it."""
        if audience == Relation.SELF:
            return self.placed(event.thing, version) if event.forced else ()
        figure = self.figures.of(event.thing, version)
        self.figures.stand(event.thing, figure, version)
        return (Move(figure),)

    @EVENTS.renders(Halted)
    def _halted(self, event: Halted, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """Its ghost has no speed any more; its own client knows."""
        if audience == Relation.SELF:
            return ()
        figure = self.figures.of(event.thing, version)
        self.figures.halt(event.thing, figure, version)
        return (Move(figure),)

    @EVENTS.renders(Jumped)
    def _jumped(self, event: Jumped, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """Its ghost anew, where it is now; its own client knows."""
        return () if audience == Relation.SELF else self.show(event.thing, audience, version)

    @EVENTS.renders(Warped)
    def _warped(self, event: Warped, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """Teleport to its own client, or a loading screen if that is in another zone; others see it gone.

        `moved` cares for the way to another zone.
        """
        if audience != Relation.SELF:
            return ()
        before, now = self.places.atlas(event.from_realm), self.places.atlas(event.thing.realm)
        if before is None or now is None or before.zone != now.zone:
            return ()
        return self.placed(event.thing, version, loads=True)

    @EVENTS.renders(Said)
    def _said(self, event: Said, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """HearChat in the channel of its kind, or a line of text (DisplayText)."""
        return words.said(event, version)

    @EVENTS.renders(Gestured)
    def _gestured(self, event: Gestured, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """CannedEmote: words, and an animation where one is known."""
        return words.gestured(event, version, animated=self.figures.rendering.animations)

    @EVENTS.renders(Asked)
    def _asked(self, event: Asked, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """DialogOpen: the window of a conversation, or ChoiceWindow, into which one types; and lines of text,
        answered by /answer."""
        return dialogs.asked(event, version)

    @EVENTS.renders(Closed)
    def _closed(self, event: Closed, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """DialogClose."""
        return dialogs.closed(event, version)

    @EVENTS.renders(Died)
    def _died(self, event: Died, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """A line of text to its own client; others see a corpse."""
        return self._told(event, audience, version)

    @EVENTS.renders(Revived)
    def _revived(self, event: Revived, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """A line of text to its own client; others see the living."""
        return self._told(event, audience, version)

    # Parts

    def _told(self, event: Event, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """The event in its own words, for its own player alone."""
        line = event.words(own=True) if audience == Relation.SELF else None
        return () if line is None else words.texts(version, STATUS, line)

    def _item_changed(self, item: Item, version: Eq2Version, *, own: bool) -> Sequence[Outgoing]:
        holder = item.parent
        if isinstance(holder, Mobile):
            return (Change(self.figures.of(holder, version, own=own)),)
        # What lies in a bag is told of on request.
        return (Change(self.figures.of(item, version)),) if item.realm is not None else ()


EVENTS.tells(Struck, Engaged, Disengaged, Gained, Advanced, Practised, Mended)
EVENTS.leaves_out(Entered, because="whoever comes into sight gets a ghost (CreateGhost)")
EVENTS.leaves_out(Left, because="the ghost of whatever goes out of sight is destroyed (DestroyGhost)")
EVENTS.leaves_out(Swung, because="nobody is struck by it; the blows of a fight come with what they do")
EVENTS.leaves_out(SetOut, because="its ghost is sent from tile to tile of the way")
EVENTS.leaves_out(Opened, because="doors are scenery of the client's own, of which ours are none")
EVENTS.leaves_out(Taken, because="a thing on the ground was a ghost, and what was worn comes with its wearer")
EVENTS.leaves_out(Bounced, because="bags and hands are told of in words, on request")
EVENTS.changes(
    MobileDelta,
    {
        MobileDelta.NAME: Shown("UpdateGhost, and the sheet"),
        MobileDelta.FLAGS: Shown("whoever hides goes out of sight, and sees that of its own ghost"),
        MobileDelta.HITS: Shown("UpdateGhost in percent, and the sheet"),
        MobileDelta.MANA: Shown("UpdateGhost in percent, and the sheet"),
        MobileDelta.STAM: Shown("the sheet, as breath"),
        MobileDelta.STAT: Shown("UpdateGhost with the level, and the sheet"),
        MobileDelta.NOTO: Shown("UpdateGhost: how it regards one, and whether it can be attacked"),
        MobileDelta.WEIGHT: Shown("the sheet"),
        MobileDelta.HUE: Shown("UpdateGhost"),
        MobileDelta.BODY: Shown("UpdateGhost, and the sheet"),
        MobileDelta.ARMOR: Shown("UpdateGhost"),
        MobileDelta.PROPERTIES: Shown("UpdateGhost: a title stands behind the name"),
        MobileDelta.HAIR: Shown("UpdateGhost"),
        MobileDelta.FACIAL_HAIR: LeftOut("no appearance of this game is known for a beard"),
        MobileDelta.SKILLS: LeftOut("this game shows no skills of that kind"),
        MobileDelta.POSTURE: Shown("the state in its ghost's position; its own client knows"),
        MobileDelta.GAME: LeftOut("ghosts do not say through which game they are played"),
        MobileDelta.TARGET: Shown("UpdateGhost, to others"),
    },
)
EVENTS.changes(
    ItemDelta,
    {
        ItemDelta.UPDATE: Shown(
            "UpdateGhost on the ground, and of whoever wears it; what lies in a bag is told on request"
        )
    },
)


def _attribute(number: int) -> int:
    return max(0, min(0xFFFF, number))
