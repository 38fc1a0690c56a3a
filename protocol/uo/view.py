"""The world as Ultima Online shows it: from each change and each event to packets.

What is sent for changed state is ServUO's table (Server/Mobile.cs, ProcessDelta; Server/Item.cs,
ProcessDelta), in its order. What a client believes about positions is kept right by 0x77 for others and 0x20
for the player; steps the player asked for are answered by the handler of 0x02.

Packets are encoded at once and shared by all viewers of a kind (`Viewer`); three are finished for each client
(`PlacePlayer`, `words.ToAll`, `sky.Thunder`), since only its session knows how it counts its steps, whether
its chat window is open, and where it hears. Figures, words and dialogs make the packets; here stands when
which is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.rendering import LeftOut, Renderings, Shown, asks_of_guilds, tells_of_acquaintances
from protocol.uo import boards, combat, counters, dialogs, parties, quests, sheets, sky, trading, words
from protocol.uo import figures as look
from protocol.uo.belongings import forget_content, knows_content
from protocol.uo.packets import bodies
from protocol.uo.packets.entering import MapChange
from protocol.uo.packets.misc import Sound
from protocol.uo.packets.people import WornItem
from protocol.uo.packets.status import Attributes, Hits, Mana, Stamina
from protocol.uo.packets.things import LiftRefusal, LiftRefused, Removed
from protocol.uo.viewers import APART, notoriety, viewer_of
from protocol.uo.viewers import Viewer as Viewer
from protocol.wire.body import Body
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
    Speech,
    Stepped,
    Struck,
    Swung,
    Taken,
    Turned,
    Warped,
)
from world.item import Item, Layer
from world.mobile import Mobile
from world.quest_events import JournalOpened, QuestChanged, QuestsRenewed
from world.realm import Weather
from world.service_events import Asked, BoardOpened, Closed, CounterClosed, ShopOpened, Traded, VaultOpened
from world.sky import TimeSet, WeatherChanged
from world.space import Sight
from world.trade import UNASKED

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Sequence

    from protocol.outgoing import Outgoing
    from protocol.uo.figures import Figures
    from protocol.uo.scenery import UoScenery
    from protocol.uo.session import UoSession
    from protocol.uo.versions import UoVersion
    from world.audience import Relation
    from world.events import Why
    from world.thing import Thing

DEFAULT_RANGE: Final = 18
SHORTEST_RANGE: Final = 5
LONGEST_RANGE: Final = 24
"""Tiles a client sees, Chebyshev; it may ask for others: ServUO, Server/Network/PacketHandlers.cs,
SetUpdateRange."""

DOOR_SOUND: Final = 0xEA
"""A wooden door opens: ServUO, Scripts/Items/Functional/Doors.cs."""


EVENTS: Final[Renderings[UoView, UoVersion]] = Renderings()


class PlacePlayer:
    """0x20: bound, because its client numbers its steps from 0 again when it reads it."""

    __slots__ = ("raw",)
    droppable = False

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    def bind(self, session: UoSession) -> bytes:
        """The packet; from here on the first step has number 0."""
        session.steps.restart()
        session.steps.settled = False
        return self.raw


class UoView:
    """Implements `protocol.family.View`."""

    gait_ms = (400, 200)
    bystander = Viewer.OTHER
    onlooker: Hashable | None = Viewer.OTHER
    unshown = MobileDelta.HITS  # a client asks for the bar (0x34)
    apart: Collection[Relation] = APART
    declared = EVENTS
    loads_on_warp = False
    opens_corpses = True
    windows = frozenset({"shop", "vault", "chest", "board", UNASKED})
    tells_own_steps = False
    forgets_by_loading = False

    def __init__(self, figures: Figures, scenery: UoScenery) -> None:
        self.figures = figures
        self.places = figures.places
        self.scenery = scenery

    @classmethod
    def of(cls, session: UoSession) -> UoView:
        """The view that shows a client the world."""
        return cast("UoView", session.family.view)

    # The contract

    def sight(self, session: UoSession) -> Sight:
        """A square of tiles; the client may ask for another size once it is in the world."""
        return Sight(DEFAULT_RANGE, arrivals=False)

    def audience(self, session: UoSession, thing: Thing | None) -> Hashable:
        """The player of a thing, or of whom holds it, or somebody else; what a mobile's guild is to that of
        the player; and whether it knows what is in the container."""
        if isinstance(thing, Mobile):
            return viewer_of(session.mobile, thing)
        if isinstance(thing, Item):
            if isinstance(thing.parent, Item) and not knows_content(session, thing.parent):
                return Viewer.OUTSIDE
            thing = thing.root
        return Viewer.SELF if thing is not None and thing is session.mobile else Viewer.OTHER

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """0x78 and the colour of its bar (0x17), or 0xF3/0x1A and what a corpse wears (0x3C, 0x89); and which
        tooltip it has."""
        version = cast("UoVersion", dialect)
        if isinstance(thing, Mobile):
            shown = bodies(self.figures.incoming(thing, version, notoriety(thing, audience)))
            if thing.poisoned and version.coloured_bars:
                shown += bodies(look.health_bar(thing))
            return [*shown, *_revision(thing, version)]
        if isinstance(thing, Item):
            return [
                *bodies(self.figures.on_ground(thing, version)),
                *bodies(*combat.corpse_clothes(self.figures, thing, version)),
                *_revision(thing, version),
            ]
        return []

    place = show

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """0x1D. The client forgets by itself what it walked away from; being told twice does no harm. What
        somebody else has lifted from the ground flies to whom has it, if that one can be seen."""
        gone = bodies(Removed(thing.serial))
        if isinstance(thing, Item) and audience is not Viewer.SELF:
            holder = thing.root
            if isinstance(holder, Mobile) and holder.realm is not None and not holder.hidden:
                return [*bodies(self.figures.flies(thing, holder, holder.realm)), *gone]
        return gone

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """The packets of changed state, in ServUO's order."""
        version = cast("UoVersion", dialect)
        if isinstance(thing, Item):
            return self._item_changed(thing, flags, version, outside=audience is Viewer.OUTSIDE)
        if isinstance(thing, Mobile) and thing.realm is not None:
            own = audience is Viewer.SELF
            return list(
                self._changed_for_self(thing, flags, version)
                if own
                else self._changed(thing, flags, version, notoriety(thing, audience))
            )
        return []

    def event(self, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """The packets of something that happened."""
        return EVENTS.handlers[type(event)](self, event, audience, dialect)

    def knows_content(self, session: UoSession, container: Item) -> bool:
        """Whether it was opened for this client, or is a corpse that is seen in what it wears."""
        remains = container.remains
        return knows_content(session, container) or (remains is not None and bool(remains.worn))

    def forget(self, session: UoSession, item: Item) -> bool:
        """A client that forgets a container forgets what is in it."""
        return forget_content(session, item)

    def moved(self, session: UoSession) -> None:
        """Scenery that came into view."""
        self.scenery.follow(session)

    # For handlers

    def place_player(self, mobile: Mobile, version: UoVersion) -> PlacePlayer:
        """0x20 for the player of a mobile."""
        return PlacePlayer(self.figures.placed(mobile, version).encode())

    # Changed state

    def _changed_for_self(self, mobile: Mobile, flags: int, version: UoVersion) -> Iterator[Outgoing]:
        if flags & (MobileDelta.HUE | MobileDelta.BODY):
            yield self.place_player(mobile, version)
        if flags & MobileDelta.BODY:
            yield from bodies(self.figures.incoming(mobile, version, mobile.notoriety))
        if flags & (MobileDelta.FLAGS | MobileDelta.NOTO):
            yield from bodies(self.figures.standing(mobile, version, mobile.notoriety))
        if flags & MobileDelta.FLAGS and version.coloured_bars:
            yield from bodies(look.health_bar(mobile))
        if flags & _FULL_STATUS:
            yield from bodies(sheets.full_status(mobile, version))
        elif flags & MobileDelta.ATTRIBUTES == MobileDelta.ATTRIBUTES:
            yield from bodies(
                Attributes(
                    mobile.serial,
                    mobile.hits_max,
                    mobile.hits,
                    mobile.mana_max,
                    mobile.mana,
                    mobile.stam_max,
                    mobile.stam,
                )
            )
        else:
            if flags & MobileDelta.HITS:
                yield from bodies(Hits(mobile.serial, mobile.hits_max, mobile.hits))
            if flags & MobileDelta.STAM:
                yield from bodies(Stamina(mobile.serial, mobile.stam_max, mobile.stam))
            if flags & MobileDelta.MANA:
                yield from bodies(Mana(mobile.serial, mobile.mana_max, mobile.mana))
        if flags & MobileDelta.SKILLS:
            # With the status the level may have changed.
            told = sheets.skills_capped if flags & MobileDelta.STAT else sheets.skills_learned
            yield from bodies(sheets.stat_locks(mobile), *told(mobile, version.skills))
        yield from self._growth_and_tooltip(mobile, flags, version)

    def _changed(self, mobile: Mobile, flags: int, version: UoVersion, colour: int) -> Iterator[Outgoing]:
        if flags & MobileDelta.HUE:
            yield from bodies(Removed(mobile.serial))
        if flags & (MobileDelta.HUE | MobileDelta.BODY):
            yield from bodies(self.figures.incoming(mobile, version, colour))
        if flags & (MobileDelta.FLAGS | MobileDelta.NOTO):
            yield from bodies(self.figures.standing(mobile, version, colour))
        if flags & MobileDelta.FLAGS and version.coloured_bars:
            yield from bodies(look.health_bar(mobile))
        if flags & MobileDelta.NAME:
            yield from bodies(sheets.compact_status(mobile))
        elif flags & MobileDelta.HITS:
            yield from bodies(Hits(mobile.serial, sheets.HITS_SCALE, sheets.scaled_hits(mobile)))
        yield from self._growth_and_tooltip(mobile, flags, version)

    def _growth_and_tooltip(self, mobile: Mobile, flags: int, version: UoVersion) -> Iterator[Outgoing]:
        for flag, layer in ((MobileDelta.HAIR, Layer.HAIR), (MobileDelta.FACIAL_HAIR, Layer.FACIAL_HAIR)):
            if flags & flag and layer not in mobile.worn:
                item, hue = self.figures.growth(mobile, layer)
                serial = look.growth_serial(mobile, layer)
                yield from bodies(
                    WornItem(serial, item, layer, mobile.serial, hue) if item else Removed(serial)
                )
        # A name is the first line of its tooltip.
        if flags & (MobileDelta.PROPERTIES | MobileDelta.NAME):
            yield from _revision(mobile, version)

    def _item_changed(
        self, item: Item, flags: int, version: UoVersion, *, outside: bool
    ) -> Sequence[Outgoing]:
        """`outside`: to who does not know what is in its container, but sees what a corpse wears."""
        holder = item.parent
        if isinstance(holder, Item):
            dressed = combat.redressed(self.figures, item, holder, version, outside=outside)
            if dressed:
                return bodies(*dressed)
        if outside:
            return []
        shown: list[Outgoing] = []
        if isinstance(holder, Mobile):
            if not item.layer:
                return []  # in the hand, which only its client shows, by itself
            if flags & ItemDelta.UPDATE and look.wears_visibly(holder, item.layer):
                shown = bodies(self.figures.worn_item(item, holder))
        elif flags & ItemDelta.UPDATE:
            if holder is not None:
                shown = bodies(self.figures.contained(item, holder, version))
            elif item.realm is not None:
                shown = bodies(self.figures.on_ground(item, version))
        if shown:
            shown.extend(_revision(item, version))
        return shown

    # Events

    @EVENTS.renders(Stepped)
    def _stepped(self, event: Stepped, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0x77 to others; its own client was answered (0x22)."""
        if audience is Viewer.SELF:
            return []
        colour = notoriety(event.thing, audience)
        return bodies(
            self.figures.moved(
                event.thing, event.x, event.y, event.heading, version, colour, running=event.run
            )
        )

    @EVENTS.renders(Jumped)
    def _jumped(self, event: Jumped, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0x78 to others, where it is now."""
        return () if audience is Viewer.SELF else self.show(event.thing, audience, version)

    @EVENTS.renders(Turned)
    def _turned(self, event: Turned, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0x77 to others; 0x20 to its own client if the world turned it."""
        if audience is Viewer.SELF:
            return [self.place_player(event.thing, version)] if event.forced else []
        colour = notoriety(event.thing, audience)
        return bodies(
            self.figures.moved(event.thing, event.x, event.y, event.heading, version, colour, running=False)
        )

    @EVENTS.renders(Warped)
    def _warped(self, event: Warped, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0x20 to its own client, behind 0xBF 8 on another map; others see it gone."""
        if audience is not Viewer.SELF:
            return []
        mobile = event.thing
        told: list[Outgoing] = []
        if mobile.realm is not None:
            there = self.places.atlas(mobile.realm).map
            if there != self.places.atlas(event.from_realm).map:
                told.extend(bodies(MapChange(there)))
        told.append(self.place_player(mobile, version))
        return told

    @EVENTS.renders(Said)
    def _said(self, event: Said, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0xAE over the speaker's head, or as a line of the system's; 0xB2 where the chat window is open."""
        if event.how is Speech.GLOBAL:
            return [words.ToAll(event, words.from_nobody(event))]
        return bodies(words.said(event, self.figures))

    @EVENTS.renders(Gestured)
    def _gestured(self, event: Gestured, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0xE2 or 0x6E for bow and salute, words over the head for the others."""
        told = words.gestured(event, self.figures, version)
        return [] if told is None else bodies(told)

    @EVENTS.renders(Died)
    def _died(self, event: Died, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0x2C, 0x72 and 0xAA to its own client; 0xAF and a cry (0x54) to others, by which their clients
        forget the living: then the ghost's body (0x78)."""
        if audience is Viewer.SELF:
            return combat.died(self.figures, event, own=True)
        mobile = event.thing
        ghost = self.show(mobile, audience, version) if mobile.realm is not None else ()
        return [*combat.died(self.figures, event, own=False), *ghost]

    @EVENTS.renders(Revived)
    def _revived(self, event: Revived, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0x70 and 0x54; the living body comes with what changed (0x20, 0x78). ClassicUO takes any 0x2C but
        action 1 for a death."""
        return combat.revived(self.figures, event.thing)

    @EVENTS.renders(Struck)
    def _struck(self, event: Struck, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0xE2 or 0x6E and 0x54 for all, 0x2F to who strikes, the number (0x0B or 0xBF 22) to both and to
        their parties."""
        return combat.struck(self.figures, event, version, own=audience is Viewer.SELF)

    @EVENTS.renders(Swung)
    def _swung(self, event: Swung, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0xE2 or 0x6E, and the sound of a miss (0x54): it strikes at nobody."""
        return combat.swung(self.figures, event, version)

    @EVENTS.renders(Engaged)
    def _engaged(self, event: Engaged, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0x72 and 0xAA to its own client, a creature's anger (0x54) to others, words (0x1C) to who is
        attacked."""
        return combat.engaged(self.figures, event, own=audience is Viewer.SELF)

    @EVENTS.renders(Disengaged)
    def _disengaged(self, event: Disengaged, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0xAA of nobody to its own client."""
        return combat.disengaged(own=audience is Viewer.SELF)

    @EVENTS.renders(Practised)
    def _practised(self, event: Practised, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0x3A of that skill (changed state), of which the client says itself by how much it grew; words for
        one that the client does not have."""
        if sheets.is_listed(event.skill, version.skills):
            return []
        return bodies(words.system_message(event.words(own=True) or ""))

    @EVENTS.renders(Opened)
    def _opened(self, event: Opened, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0x54: the sound of a door."""
        if event.thing.realm is None:
            return []
        at = self.places.atlas(event.thing.realm)
        return bodies(Sound(1, DOOR_SOUND, 0, at.x + event.x, at.y + event.y, at.z))

    @EVENTS.renders(WeatherChanged)
    def _weather(self, event: WeatherChanged, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0x65, every 5 minutes anew; with a storm 0x54, thunder."""
        shown: list[Outgoing] = bodies(*sky.weather(event))
        return [*shown, sky.Thunder(self.places)] if event.kind is Weather.STORM else shown

    @EVENTS.renders(Taken)
    def _taken(self, event: Taken, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0x1D takes it out of the paperdoll or the container."""
        return bodies(Removed(event.thing.serial))

    @EVENTS.renders(Bounced)
    def _bounced(self, event: Bounced, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
        """0x27: the item is not in the hand any more. Its client shows it there until it is told; where it is
        now other packets say. 0x27 is what every client understands (POL, clear_gotten_item)."""
        return bodies(LiftRefused(LiftRefusal.UNSPECIFIC))


EVENTS.renders(QuestChanged)(quests.changed)
asks_of_guilds(EVENTS)
tells_of_acquaintances(EVENTS)
EVENTS.tells(JournalOpened, QuestsRenewed, Gained, Advanced, Mended)
EVENTS.leaves_out(Entered, because="whoever comes into sight is shown there: 0x78, things 0xF3 or 0x1A")
EVENTS.leaves_out(Left, because="0x1D takes away whatever goes out of sight")
EVENTS.leaves_out(TimeSet, because="the light of the hour comes at once (0x4F), as at each full hour")
EVENTS.leaves_out(SetOut, because="0x77 tells each tile of the way when it is reached")
EVENTS.leaves_out(Halted, because="the client goes no farther than the tile it was told last")
EVENTS.changes(
    MobileDelta,
    {
        MobileDelta.NAME: Shown("0x11, and which tooltip it has (0xDC)"),
        MobileDelta.FLAGS: Shown("0x77 and 0x17; whoever hides goes out of sight"),
        MobileDelta.HITS: Shown("0xA1, to others in hundredths"),
        MobileDelta.MANA: Shown("0xA2 to its own client"),
        MobileDelta.STAM: Shown("0xA3 to its own client"),
        MobileDelta.STAT: Shown("0x11 to its own client"),
        MobileDelta.NOTO: Shown("0x77"),
        MobileDelta.WEIGHT: Shown("0x11 to its own client"),
        MobileDelta.HUE: Shown("0x1D and 0x78; 0x20 to its own client"),
        MobileDelta.BODY: Shown("0x78; to its own client 0x20 as well"),
        MobileDelta.ARMOR: Shown("0x11 to its own client; others see what is worn piece by piece (0x2E)"),
        MobileDelta.PROPERTIES: Shown("which tooltip it has (0xDC)"),
        MobileDelta.HAIR: Shown("0x2E, or 0x1D if there is none"),
        MobileDelta.FACIAL_HAIR: Shown("0x2E, or 0x1D if there is none"),
        MobileDelta.SKILLS: Shown("0x3A and 0xBF 19 to its own client"),
        MobileDelta.POSTURE: LeftOut("figures of this game cannot sit"),
        MobileDelta.GAME: LeftOut("figures do not say through which game they are played"),
        MobileDelta.TARGET: LeftOut("the client shows only whom its own player strikes"),
    },
)
EVENTS.changes(
    ItemDelta,
    {ItemDelta.UPDATE: Shown("0x2E, 0x25, or 0xF3 or 0x1A, by where it is, and which tooltip it has (0xDC)")},
)


_FULL_STATUS: Final = MobileDelta.NAME | MobileDelta.STAT | MobileDelta.WEIGHT | MobileDelta.ARMOR
"""Changes for which the player's whole status has to be sent; it carries hits, mana and stamina along."""


def _revision(thing: Mobile | Item, version: UoVersion) -> list[Outgoing]:
    if not version.tooltips:
        return []
    return [look.once(thing, "uo tooltip", lambda: Body(look.revision(thing).encode()))]


EVENTS.renders(BoardOpened)(boards.opened)
EVENTS.renders(ShopOpened)(counters.shop)
EVENTS.renders(Traded)(counters.traded)
EVENTS.renders(VaultOpened)(counters.vault)
EVENTS.renders(CounterClosed)(counters.closed)
EVENTS.renders(Asked)(dialogs.asked)
EVENTS.renders(Closed)(dialogs.closed)
parties.show(EVENTS)
trading.show(EVENTS)
