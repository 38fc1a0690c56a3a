"""Shows the world to EverQuest II: ghosts that come, change, move and go, and words.

Everybody is drawn as a spawn of this game. What a thing looks like is made in `figures.py`, what each client
has of it is kept in `ghosts.py`; here is said which of them follows from what happens. A client decides where
its own character is and is told only when the world has put it elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.endings import Ending
from protocol.eq2 import (
    acquaintances,
    combat,
    counters,
    dialogs,
    guilds,
    journals,
    mail,
    parties,
    trading,
    words,
)
from protocol.eq2.belongings import Belongings, Worn
from protocol.eq2.changes import OF_ITEMS, OF_MOBILES, ON_THE_SHEET, OWNED, UNSEEN
from protocol.eq2.ghosts import Aimed, Change, Hide, Move, Show, Verb
from protocol.eq2.loot import LootClosed, LootWindow, is_opened
from protocol.eq2.packets import (
    NOBODY,
    LevelChanged,
    Resurrected,
    SetControlGhost,
    SetPovGhost,
    Teleport,
    TeleportNoReload,
    UpdateTarget,
)
from protocol.eq2.sheets import OwnSheet, SheetNow, sheet_of
from protocol.rendering import Renderings, asks_at_boards
from world.audience import Relation, relation
from world.delta import ItemDelta, MobileDelta
from world.events import (
    Advanced,
    Bounced,
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
from world.knowledge import around
from world.mobile import Mobile
from world.reach import can_reach
from world.service_events import Asked, Closed
from world.sky import TimeSet, WeatherChanged
from world.space import Sight
from world.trade import UNASKED

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from protocol.eq2.figures import Figures
    from protocol.eq2.packets import Message
    from protocol.eq2.scenery import Eq2Scenery
    from protocol.eq2.session import Eq2Session
    from protocol.eq2.structs import Figure
    from protocol.eq2.versions import Eq2Version, Eq2Versions
    from protocol.outgoing import Outgoing
    from world.thing import Thing


SIGHT: Final = Sight(24)
"""Tiles, Chebyshev: as far as any game's client here sees. The original servers show spawns from much farther
off, but a screen of this one need not see more than the others."""

GAIT_MS: Final = (400, 200)
"""A client of this game measures in units and not in tiles: the world's own pace."""

EVENTS: Final[Renderings[Eq2View, Eq2Version]] = Renderings()


class Eq2View:
    """Implements `protocol.family.View`."""

    bystander: Hashable | None = Relation.OTHER
    onlooker: Hashable | None = Relation.OTHER
    unshown = 0
    apart: Collection[Relation] = frozenset()
    declared = EVENTS
    loads_on_warp = forgets_by_loading = False
    opens_corpses = True
    windows = frozenset({"shop", "vault", "journal", "chest", UNASKED})
    tells_own_steps = False
    gait_ms = GAIT_MS

    @classmethod
    def of(cls, session: Eq2Session) -> Eq2View:
        """The view of a session's game, with what it shares among its clients."""
        return cast("Eq2View", session.family.view)

    def __init__(self, versions: Eq2Versions, figures: Figures, scenery: Eq2Scenery) -> None:
        self.versions = versions
        self.figures = figures
        self.scenery = scenery
        self.places = figures.places
        self.looks = figures.looks
        self.rolls = guilds.Rolls()
        shown = figures.rendering.inventory
        if not figures.rendering.trade_window:
            self.windows -= {UNASKED}
        if figures.rendering.mail_window:
            self.windows |= mail.WINDOWS
        self.belongings: Sequence[Outgoing] = (Belongings(self.looks), Worn(self.looks)) if shown else ()
        """Tell any client what it has, as far as it does not know."""

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

    place = show

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Take the ghost away, and the window of a corpse or chest; that of the dead may be its corpse's."""
        if is_opened(thing):
            return LootClosed(thing.serial), Hide(thing.serial)
        return _gone(thing.serial, self.figures.heir(thing, cast("Eq2Version", dialect)))

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Tell what it looks like now, and its own player what its sheet says."""
        version, own = cast("Eq2Version", dialect), audience == Relation.SELF
        if isinstance(thing, Item):
            return self._item_changed(thing, version, own=own)
        if not isinstance(thing, Mobile) or thing.realm is None:
            return ()
        if not own and not flags & ~UNSEEN:
            return ()
        figure = self.figures.of(thing, version, own=own)
        told: list[Outgoing] = [Change(figure)]
        if flags & MobileDelta.POSTURE and not own:
            self.figures.stand(thing, figure, version)
            told.append(Move(figure))
        if own and flags & ON_THE_SHEET:
            told.append(self.sheet(thing, version))
        if own and flags & OWNED:
            told += self.belongings
        return told

    def event(self, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Something happened."""
        return EVENTS.handlers[type(event)](self, event, audience, dialect)

    def knows_content(self, session: Eq2Session, container: Item) -> bool:
        """Whether a corpse has anything in it is seen, and who looks into a chest sees what; bags of others
        are nobody's."""
        return is_opened(container)

    def forget(self, session: Eq2Session, item: Item) -> bool:
        """So there is nothing to forget."""
        return False

    def moved(self, session: Eq2Session) -> None:
        """A client cannot stay where its game has no zone, and goes through a loading screen to another
        one. Of one that has just loaded, what went out of sight meanwhile is taken away. Landmarks come and
        go with the sectors of the realm."""
        mobile = session.mobile
        if mobile is None or mobile.realm is None:
            return
        if session.looting:
            self._stay_or_stop(session, mobile)
        if session.untidy and not session.loading:
            session.untidy = False
            session.queue(*self.left_over(session))
        if not session.loading:
            session.queue(*self.scenery.follow(session))
        atlas = self.places.atlas(mobile.realm)
        if atlas is None:
            session.end(Ending.KICKED, f"{mobile.realm.name} has no place for this game")
        elif session.zone and atlas.zone != session.zone:
            if session.rezone is None:
                session.end(Ending.KICKED, f"{mobile.realm.name} is in another zone")
            else:
                session.rezone()

    def _stay_or_stop(self, session: Eq2Session, mobile: Mobile) -> None:
        """Close the window of a corpse or a chest that is out of reach."""
        corpse = session.known.get(session.looting)
        if self.figures.rendering.loot_window and (
            not isinstance(corpse, Item) or not can_reach(mobile, corpse)
        ):
            session.queue(LootClosed(session.looting))

    # For handlers

    def own(self, mobile: Mobile, version: Eq2Version) -> Sequence[Outgoing]:
        """Everything that a client is told of its own character: ghost, camera, control, sheet."""
        serial = mobile.serial
        control = SetControlGhost(spawn_id=serial, speed=self.figures.speed(mobile, run=True))
        return (
            *self.show(mobile, Relation.SELF, version),
            *words.bodies(version, SetPovGhost(spawn_id=serial), control),
            *parties.as_it_is(mobile, self.figures),
            self.sheet(mobile, version),
        )

    def around(self, session: Eq2Session) -> Sequence[Outgoing]:
        """The ghosts of all that a client sees, its own character not among them; for a client that loads."""
        viewport, mobile = session.viewport, session.mobile
        if viewport is None or mobile is None or mobile.realm is None:
            return ()
        things = [
            message
            for thing in around(viewport, mobile.world.crowd)
            for message in self.show(thing, self.audience(session, thing), session.version)
        ]
        return *things, *self.scenery.follow(session)

    def left_over(self, session: Eq2Session) -> Sequence[Outgoing]:
        """Take away the ghosts of what a client does not know (any more)."""
        own, version = session.mobile.serial if session.mobile is not None else 0, session.version
        corpses = {
            was: self.figures.of(thing, version)
            for thing in session.known.values()
            if (was := self.figures.was(thing, version))
        }
        return [
            message
            for serial in session.ghosts.serials()
            if serial != own and serial not in session.known and not self.scenery.has(session, serial)
            for message in _gone(serial, corpses.get(serial))
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
        return *words.bodies(version, there), Move(figure)

    def target(self, serial: int, version: Eq2Version) -> Sequence[Outgoing]:
        """Tell a client what it aims at, if it has a ghost of that; 0 for nothing."""
        if not serial:
            return words.bodies(version, UpdateTarget(spawn_id=NOBODY))
        return (Aimed(serial),)

    def dead(self, version: Eq2Version) -> Sequence[Outgoing]:
        """Ask the player of a ghost where it wants to go."""
        rendering = self.figures.rendering
        still = combat.STILL if rendering.dead_stand else ()
        window = (combat.DEATH_WINDOW,) if rendering.death_window else ()
        return words.bodies(version, *still, *window)

    def sheet(self, mobile: Mobile, version: Eq2Version) -> OwnSheet:
        """The character sheet for a mobile's own session."""
        return sheet_of(mobile, self.looks, version)

    # Events

    @EVENTS.renders(Stepped)
    def _stepped(self, event: Stepped, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """Its ghost walks to the tile; its own client is there already."""
        if audience == Relation.SELF:
            return ()
        figure = self.figures.known(event.thing, version)
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
        """DialogOpen: the window of a conversation, or ChoiceWindow, into which one types; OfferQuest for a
        quest, ReceiveOffer for a party or a guild; and lines of text, answered by /answer."""
        return dialogs.asked(event, version, self.figures)

    @EVENTS.renders(Closed)
    def _closed(self, event: Closed, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """DialogClose, or CloseGroupInviteWindow."""
        return dialogs.closed(event, version, self.figures)

    @EVENTS.renders(Struck)
    def _struck(self, event: Struck, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """HearCombat, of which its clients make numbers, words and effects."""
        return (combat.struck(event, version, own=audience == Relation.SELF),)

    @EVENTS.renders(Engaged)
    def _engaged(self, event: Engaged, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """UpdateGhost: it is in combat; to its own client the lit button on the sheet and a line of text."""
        return *self._at_arms(event.thing, audience, version), *self._told(event, audience, version)

    @EVENTS.renders(Disengaged)
    def _disengaged(self, event: Disengaged, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """UpdateGhost: it is in combat no more; to its own client the dark button on the sheet."""
        return self._at_arms(event.thing, audience, version)

    @EVENTS.renders(WeatherChanged)
    def _weather(self, event: WeatherChanged, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """The sheet with rain and wind, as its clients draw them, and a line of text."""
        line = event.words(own=False)
        return () if line is None else (SheetNow(self.looks), *words.texts(version, words.NARRATIVE, line))

    @EVENTS.renders(Mended)
    def _mended(self, event: Mended, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """HearHeal, of which its clients make numbers and words."""
        return (combat.mended(event, version),)

    @EVENTS.renders(Advanced)
    def _advanced(self, event: Advanced, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """LevelChanged to its own client, whose arrows over creatures change color; a line of text to all."""
        line = event.words(own=audience == Relation.SELF)
        told = words.texts(version, words.STATUS, line) if line is not None else ()
        if audience != Relation.SELF:
            return told
        level = min(event.level, 0xFFFF)
        return (
            *words.bodies(version, LevelChanged(max(0, level - 1), level)),
            *told,
            *self._foes(event.thing, version),
        )

    @EVENTS.renders(Died)
    def _died(self, event: Died, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """HearDeath; to its own client a line of text and the window with the ways back. Others see a corpse:
        of a creature its own ghost (UpdateGhost, SetDefaultVerb)."""
        told: list[Outgoing] = [combat.died(event, version)]
        if not event.thing.is_character:
            told.append(Change(self.figures.of(event.thing, version)))
            if event.corpse is not None:
                self.figures.bequeath(event.thing, event.corpse, version)
        elif audience == Relation.SELF:
            told += LootClosed(), *self.dead(version)
        return *told, *self._told(event, audience, version)

    @EVENTS.renders(Revived)
    def _revived(self, event: Revived, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """Resurrected and a line of text to its own client; others see the living."""
        if audience != Relation.SELF:
            return ()
        free = combat.FREE if self.figures.rendering.dead_stand else ()
        return *words.bodies(version, *free, Resurrected()), *self._told(event, audience, version)

    @EVENTS.renders(Taken)
    def _taken(self, event: Taken, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """UpdateGhost of a corpse of which it was: whether there is more; UpdateLoot or StoppedLooting to
        whoever has its window open. All else was a ghost of its own or comes with its wearer."""
        corpse = event.container
        if corpse is None or not is_opened(corpse) or corpse.realm is None:
            return ()
        return Change(self.figures.of(corpse, version)), *self._window(corpse)

    # Parts

    def _at_arms(self, mobile: Mobile, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """Whether it strikes, as its ghost and its sheet show it."""
        own = audience == Relation.SELF
        changed = Change(self.figures.of(mobile, version, own=own))
        return (changed, self.sheet(mobile, version)) if own else (changed,)

    def _foes(self, mobile: Mobile, version: Eq2Version) -> Sequence[Outgoing]:
        """The ghosts of creatures in the sight of somebody who is of another level now."""
        if mobile.viewport is None or mobile.realm is None:
            return ()
        return [
            Change(self.figures.of(thing, version))
            for thing in mobile.realm.space.seen_by(mobile.viewport).values()
            if isinstance(thing, Mobile) and thing.template.fights is not None
        ]

    def _told(self, event: Event, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
        """The event in its own words, for its own player alone."""
        line = event.words(own=True) if audience == Relation.SELF else None
        return () if line is None else words.texts(version, words.STATUS, line)

    def _item_changed(self, item: Item, version: Eq2Version, *, own: bool) -> Sequence[Outgoing]:
        holder = item.parent
        told = self.belongings if own else ()
        if isinstance(holder, Mobile):
            return Change(self.figures.of(holder, version, own=own)), *told
        if own:
            return told
        if holder is not None and is_opened(holder):
            return self._window(holder)
        # What lies in a bag is told of on request.
        return (Change(self.figures.of(item, version)),) if item.realm is not None else ()

    def _window(self, opened: Item) -> Sequence[Outgoing]:
        return (LootWindow(opened),) if self.figures.rendering.loot_window else ()


def _gone(serial: int, corpse: Figure | None) -> Sequence[Outgoing]:
    """What went out of sight, or died and left a corpse."""
    return (Hide(serial),) if corpse is None else (Hide(serial, corpse), Verb(corpse))


asks_at_boards(EVENTS)
EVENTS.tells(Gained, Practised)
EVENTS.leaves_out(TimeSet, because="the clock is set at once, as at each full hour (GameWorldTime)")
EVENTS.leaves_out(Entered, because="whoever comes into sight gets a ghost (CreateGhost)")
EVENTS.leaves_out(Left, because="the ghost of whatever goes out of sight is destroyed (DestroyGhost)")
EVENTS.leaves_out(Swung, because="nobody is struck by it; the blows of a fight come with what they do")
EVENTS.leaves_out(SetOut, because="its ghost is sent from tile to tile of the way")
EVENTS.leaves_out(Opened, because="doors are scenery of the client's own, of which ours are none")
EVENTS.leaves_out(Bounced, because="bags and hands are told of in words, on request")
EVENTS.changes(MobileDelta, OF_MOBILES)
EVENTS.changes(ItemDelta, OF_ITEMS)
counters.declare(EVENTS)
journals.declare(EVENTS)
trading.declare(EVENTS)
parties.declare(EVENTS)
guilds.declare(EVENTS)
acquaintances.declare(EVENTS)
mail.declare(EVENTS)
