"""The world as Conquer Online shows it: figures that appear, step, jump, change and go, and words.

The client moves everybody tile by tile, its own character included, and removes by itself what is farther
away than its screen reaches, when it hears of a step. The step by which somebody walks out of sight is not
told any more, so whoever is out of sight is taken away. After every map that it loads it asks for its
surroundings, and forgets by that what it saw. But no public server says whether it loads after a warp on
the same map; so the surroundings are shown after every warp, and once more when a client asks. What a thing
looks like is made in `figures.py`.

One's own steps and jumps come back to their client from the handlers, before all else of a turn: what is told
of places farther away than its screen reaches before it is there, it drops. So do the steps of a journey, on
which the world leads it (`server.turn.fanout`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.co import combat, counters, friends, guilds, journals, parties, trading, words
from protocol.co.belongings import Belongings, whole
from protocol.co.changes import OF_ITEMS, OF_MOBILES
from protocol.co.dialogs import Invite
from protocol.co.figures import ALL
from protocol.co.packets import (
    Action,
    ActionType,
    Emotion,
    MapInfo,
    MapItem,
    MapItemAction,
    Pace,
    UserAttrib,
    Walk,
    pack_xy,
    to_wire,
)
from protocol.co.places import NOWHERE
from protocol.co.scenery import CoScenery
from protocol.co.session import Placing
from protocol.co.sky import Sky
from protocol.endings import Ending
from protocol.rendering import Renderings, asks_at_boards
from protocol.wire.body import Body
from world.audience import Relation, relation
from world.delta import ItemDelta, MobileDelta
from world.events import (
    Advanced,
    Asked,
    Bounced,
    Closed,
    CounterClosed,
    Died,
    Disengaged,
    Engaged,
    Entered,
    Event,
    Gained,
    Gestured,
    Halted,
    JournalOpened,
    Jumped,
    Left,
    Mended,
    Opened,
    Practised,
    QuestChanged,
    QuestsRenewed,
    Revived,
    Said,
    SetOut,
    ShopOpened,
    Stepped,
    Struck,
    Swung,
    Taken,
    Traded,
    Turned,
    VaultOpened,
    Warped,
    Why,
)
from world.heading import towards
from world.item import Item
from world.mobile import Mobile, Posture
from world.sky import Occasion, TimeSet, WeatherChanged
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from protocol.co.figures import Figures
    from protocol.co.packets import Message
    from protocol.co.session import CoSession
    from protocol.co.versions import CoVersion
    from protocol.outgoing import Outgoing
    from world.thing import Thing


SIGHT: Final = Sight(18, arrivals=False)
"""Tiles, Chebyshev: the client drops by itself what is farther away (comet, coemu)."""

GAIT_MS: Final = (400, 250)
"""Milliseconds for a tile, walking and running: about what clients send at their own pace."""


_LOOKS: Final = (
    MobileDelta.NAME
    | MobileDelta.NOTO
    | MobileDelta.HUE
    | MobileDelta.BODY
    | MobileDelta.ARMOR
    | MobileDelta.PROPERTIES
    | MobileDelta.HAIR
)
"""Changes that Player and NpcInfo tell."""

_OWNED: Final = MobileDelta.WEIGHT | MobileDelta.ARMOR
"""Changes that may be of the things that one has."""


EVENTS: Final[Renderings[CoView, CoVersion]] = Renderings()


class CoView:
    """Implements `protocol.family.View`."""

    bystander: Hashable | None = Relation.OTHER
    onlooker: Hashable | None = Relation.OTHER
    unshown = 0
    apart: Collection[Relation] = frozenset()
    declared = EVENTS
    loads_on_warp = False
    opens_corpses = False
    windows = frozenset({"shop", "vault", "journal"})
    tells_own_steps = False
    forgets_by_loading = True
    gait_ms = GAIT_MS

    def __init__(self, figures: Figures, scenery: CoScenery | None = None) -> None:
        self.figures = figures
        self.places = figures.places
        self.scenery = scenery or CoScenery((), {}, figures.places, SIGHT.radius)

    @classmethod
    def of(cls, session: CoSession) -> CoView:
        """The view that shows a client the world."""
        return cast("CoView", session.family.view)

    # The contract

    def sight(self, session: CoSession) -> Sight:
        """The same for all clients."""
        return SIGHT

    def audience(self, session: CoSession, thing: Thing) -> Hashable:
        """The player of a thing, or of whom holds it, or somebody else."""
        holder = thing.root if isinstance(thing, Item) else thing
        if holder is session.mobile:
            return Relation.SELF
        if self.apart and (found := relation(session.mobile, holder)) in self.apart:
            return found
        return Relation.OTHER

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Make a figure, or put the one that a client has where it is now."""
        version = cast("CoVersion", dialect)
        if isinstance(thing, Item):
            return _bodies(version, self.figures.lying(thing))
        if not isinstance(thing, Mobile):
            return ()
        if audience == Relation.SELF:
            return _bodies(version, self.placed(thing))
        return _bodies(version, self.figures.figure(thing))

    place = show

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Take the figure away, that of a dead creature when it has fallen. Where the client has done so by
        itself, it passes over that."""
        version = cast("CoVersion", dialect)
        number = self.figures.ids.of(thing)
        if isinstance(thing, Item):
            return _bodies(version, self.gone(number))
        if why is not Why.WARPED and isinstance(thing, Mobile) and self.figures.fell(thing):
            return (combat.burial(self.figures, thing),)
        return _bodies(version, Action.of(ActionType.REMOVE, number))

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Tell what it looks like now, and to its own player what it has and can."""
        version, own = cast("CoVersion", dialect), audience == Relation.SELF
        if isinstance(thing, Item):
            return self._item_changed(thing, version, own=own)
        if not isinstance(thing, Mobile) or thing.realm is None:
            return ()
        return self._own_changed(thing, flags, version) if own else self._changed(thing, flags, version)

    def event(self, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Something happened."""
        return EVENTS.handlers[type(event)](self, event, audience, dialect)

    def knows_content(self, session: CoSession, container: Item) -> bool:
        """This game has no containers; what is in one is told in words, on request."""
        return False

    def forget(self, session: CoSession, item: Item) -> bool:
        """So there is nothing to forget."""
        return False

    def moved(self, session: CoSession) -> None:
        """Show what blocks there. A client cannot stay where its game has no place."""
        session.queue(*self.scenery.follow(session))
        mobile = session.mobile
        if mobile is not None and mobile.realm is not None and not self.places.has(mobile.realm.name):
            session.end(Ending.KICKED, f"{mobile.realm.name} has no place for this game")

    # For handlers

    def arrival(self, mobile: Mobile, action: ActionType) -> tuple[Message, ...]:
        """Tell where a client's own character is from now on, and what the map is like there. A client that
        is told so loads the map."""
        place = self.places.of(mobile)
        if place is None:
            return ()
        number = self.figures.ids.of(mobile)
        return (
            Action.of(
                action,
                number,
                data=place.document,
                x=place.x,
                y=place.y,
                direction=to_wire(mobile.heading),
            ),
            self.figures.tint(mobile),
            MapInfo(map=place.map, document=place.document),
            self.figures.weather(mobile),
            *(() if mobile.posture == Posture.STANDING else self._emotion(mobile, Emotion.SIT)),
        )

    def placed(self, mobile: Mobile) -> Message:
        """Tell where its own character really is, to a client that has it elsewhere."""
        place = self.places.of(mobile) or NOWHERE
        return Action.of(
            ActionType.TELEPORT,
            self.figures.ids.of(mobile),
            data=place.document,
            x=place.x,
            y=place.y,
            direction=to_wire(mobile.heading),
        )

    def item_list(self, session: CoSession, mobile: Mobile) -> list[Message]:
        """All that a character has, for its own client."""
        return whole(session, self.figures.inventory(mobile))

    def sheet(self, mobile: Mobile, flags: int = ALL) -> tuple[Message, ...]:
        """All numbers of one's own character, or those for `flags` of MobileDelta."""
        values = self.figures.own_values(mobile, flags)
        return (UserAttrib(id=self.figures.ids.of(mobile), attributes=values),)

    # Looks

    def _changed(self, mobile: Mobile, flags: int, version: CoVersion) -> Sequence[Outgoing]:
        told: list[Message] = []
        if flags & _LOOKS:
            told.append(self.figures.figure(mobile))
        elif flags & MobileDelta.POSTURE and not self.figures.rose_to_go(mobile):
            told += self._emotion(mobile, _pose(mobile))
        values = self.figures.seen_values(mobile, flags)
        if values and not self.figures.is_npc(mobile):
            told.append(UserAttrib(id=self.figures.ids.of(mobile), attributes=values))
        return _bodies(version, *told)

    def _own_changed(self, mobile: Mobile, flags: int, version: CoVersion) -> Sequence[Outgoing]:
        told: list[Outgoing] = []
        if flags & _OWNED:
            told.append(Belongings(self.figures.inventory(mobile)))
        values = self.figures.own_values(mobile, flags)
        if values:
            told += _bodies(version, UserAttrib(id=self.figures.ids.of(mobile), attributes=values))
        if flags & MobileDelta.POSTURE and not self.figures.rose_to_go(mobile):
            told += _bodies(version, *self._emotion(mobile, _pose(mobile)))
        return told

    def _item_changed(self, item: Item, version: CoVersion, *, own: bool) -> Sequence[Outgoing]:
        holder = item.root
        if own and isinstance(holder, Mobile):
            return (Belongings(self.figures.inventory(holder)),)
        if item.realm is None:
            return ()  # what somebody wears is told with the change of that one's looks
        return _bodies(version, self.gone(self.figures.ids.of(item)), self.figures.lying(item))

    # Events

    @EVENTS.renders(Stepped)
    def _stepped(self, event: Stepped, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Walk to others, an NPC stands anew on the tile; its own client was answered, unless the world leads
        it there.

        Only players and monsters walk.
        """
        if audience == Relation.SELF and not event.journey:
            return ()
        if self.figures.is_npc(event.thing):
            return _bodies(version, self.figures.figure(event.thing))
        walk = Walk(
            id=self.figures.ids.of(event.thing),
            direction=to_wire(towards(event.x - event.from_x, event.y - event.from_y) or 0),
            mode=Pace.RUN if event.run else Pace.WALK,
        )
        return _bodies(version, walk)

    @EVENTS.renders(Jumped)
    def _jumped(self, event: Jumped, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Action JUMP to others; its own client was answered."""
        mobile = event.thing
        start = self.places.at(mobile.realm, event.from_x, event.from_y)
        end = self.places.at(mobile.realm, event.x, event.y)
        if audience == Relation.SELF or start is None or end is None:
            return ()
        jump = Action.of(
            ActionType.JUMP,
            self.figures.ids.of(mobile),
            data=pack_xy(end.x, end.y),
            x=start.x,
            y=start.y,
            direction=to_wire(event.heading),
        )
        return _bodies(version, jump)

    @EVENTS.renders(Turned)
    def _turned(self, event: Turned, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Action TURN, an NPC stands there anew; to its own client if the world turned it, or might just
        have."""
        own = audience == Relation.SELF
        if own and not (event.forced or event.crossed):
            return ()
        place = self.places.at(event.thing.realm, event.x, event.y)
        if self.figures.is_npc(event.thing):
            return _bodies(version, self.figures.figure(event.thing), droppable=not own)
        if place is None:
            return ()
        turn = Action.of(
            ActionType.TURN,
            self.figures.ids.of(event.thing),
            x=place.x,
            y=place.y,
            direction=to_wire(event.heading),
        )
        return _bodies(version, turn, droppable=not own)

    @EVENTS.renders(Warped)
    def _warped(self, event: Warped, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Action TELEPORT and what the map is like there, to its own client; others see it gone."""
        if audience != Relation.SELF:
            return ()
        arrival = self.arrival(event.thing, ActionType.TELEPORT)
        return (Placing(b"".join(message.encode(version) for message in arrival)),)

    @EVENTS.renders(Said)
    def _said(self, event: Said, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Talk in the channel of its kind; its own client shows what it said itself."""
        return words.said(event, version, self.figures, own=audience == Relation.SELF)

    @EVENTS.renders(Gestured)
    def _gestured(self, event: Gestured, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Action EMOTION: the one that comes nearest; NPCs have none."""
        emotion = words.GESTURES.get(event.gesture)
        return _bodies(version, *self._emotion(event.thing, emotion), droppable=audience != Relation.SELF)

    @EVENTS.renders(Asked)
    def _asked(self, event: Asked, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Dialog: the window of a resident; what a player in sight asks for is a question of the client's
        own."""
        return (Invite(event.dialog, version, self.figures),)

    @EVENTS.renders(ShopOpened)
    def _shop(self, event: ShopOpened, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Dialog: a merchant's wares with their prices, or how many of one; what its player chose last."""
        return (counters.ShopWindow(version, self.figures, event),)

    @EVENTS.renders(Traded)
    def _traded(self, event: Traded, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Dialog: the list again, with what is left; silver and things come with what changed."""
        return (counters.ShopWindow(version, self.figures, event),)

    @EVENTS.renders(VaultOpened)
    def _vault(self, event: VaultOpened, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Action DIALOG opens the warehouse's window, PackageList and ItemAction QUERY_MONEY fill it."""
        kept = counters.warehouse(self.figures, event.thing, event.host)
        opens = () if event.anew else (counters.opened(self.figures, event.thing),)
        return _bodies(version, *opens, *kept)

    @EVENTS.renders(QuestChanged)
    def _quest(self, event: QuestChanged, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Talk: a line, and what is to be done now at the top left of the screen."""
        return journals.changed(event, version)

    @EVENTS.renders(JournalOpened)
    def _journal(self, event: JournalOpened, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Dialog: an answer for each quest, behind which it is told more, and can be given up."""
        return (journals.JournalWindow(version, event),)

    @EVENTS.renders(Struck)
    def _struck(self, event: Struck, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Interact with the damage, 0 for a miss, to its own client as well; words of an NPC's blow."""
        own = audience == Relation.SELF
        return _bodies(version, *combat.struck(self.figures, event), droppable=not own)

    @EVENTS.renders(Died)
    def _died(self, event: Died, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Interact KILL, and UserAttrib with the state of a ghost or of a dead creature; NPCs have none."""
        return _bodies(version, *combat.died(self.figures, event, own=audience == Relation.SELF))

    @EVENTS.renders(Gained)
    def _gained(self, event: Gained, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """A line with the amount; the bar comes with what changed, as UserAttrib."""
        return _bodies(version, *combat.gained(event))

    @EVENTS.renders(Advanced)
    def _advanced(self, event: Advanced, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """UserAttrib with the level, and Action LEVEL_UP, to all who see it."""
        return _bodies(version, *combat.advanced(self.figures, event))

    @EVENTS.renders(Revived)
    def _revived(self, event: Revived, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """UserAttrib and the effect of Action REVIVE; the looks come with what changed."""
        return _bodies(version, *combat.revived(self.figures, event, own=audience == Relation.SELF))

    @EVENTS.renders(WeatherChanged)
    def _weather(self, event: WeatherChanged, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
        """Weather, with the fireflies of a clear night."""
        return () if event.occasion is Occasion.GOES_ON else (Sky(self.figures),)

    def _emotion(self, mobile: Mobile, emotion: Emotion | None) -> tuple[Message, ...]:
        if self.figures.is_npc(mobile):
            return ()
        place = self.places.of(mobile) or NOWHERE
        return (
            Action.of(
                ActionType.EMOTION,
                self.figures.ids.of(mobile),
                data=Emotion.STAND if emotion is None else emotion,
                x=place.x,
                y=place.y,
                direction=to_wire(mobile.heading),
            ),
        )

    @staticmethod
    def gone(number: int) -> Message:
        """Nothing lies there any more."""
        return MapItem(number, 0, 0, 0, action=MapItemAction.DELETE)


asks_at_boards(EVENTS)
friends.declare(EVENTS)
guilds.declare(EVENTS)
parties.declare(EVENTS)
trading.declare(EVENTS)
EVENTS.tells(Practised, Mended, QuestsRenewed)
EVENTS.leaves_out(Engaged, because="each blow shows who fights whom; this game's servers repeat the blows")
EVENTS.leaves_out(Disengaged, because="the client draws a blow when it is told of one, and none by itself")
EVENTS.leaves_out(TimeSet, because="the map is coloured at once, as at each full hour: Action MAP_COLOUR")
EVENTS.leaves_out(Entered, because="whoever comes into sight is shown: Player, NpcInfo, MapItem")
EVENTS.leaves_out(Left, because="Action REMOVE and MapItem take away whatever goes out of sight")
EVENTS.leaves_out(Swung, because="nobody is struck by it; the blows of a fight come with what they do")
EVENTS.leaves_out(SetOut, because="each tile of the way is told when it is reached")
EVENTS.leaves_out(Halted, because="the client goes no farther than the tile it was told last")
EVENTS.leaves_out(Opened, because="doors are part of the client's own map")
EVENTS.leaves_out(
    Taken, because="its owner is told the difference of all it has; clothes come with their wearer"
)
EVENTS.leaves_out(Bounced, because="there is no hand: what was held counts as in the bag all the time")
EVENTS.leaves_out(CounterClosed, because="no message closes a window; what one chooses in it is refused")
EVENTS.leaves_out(Closed, because="no message closes a window; an answer to it counts no more")

EVENTS.changes(MobileDelta, OF_MOBILES)
EVENTS.changes(ItemDelta, OF_ITEMS)


def _pose(mobile: Mobile) -> Emotion:
    return Emotion.STAND if mobile.posture == Posture.STANDING else Emotion.SIT


def _bodies(version: CoVersion, *messages: Message, droppable: bool = False) -> tuple[Body, ...]:
    """The messages for a version. `droppable`: a slow client may lose them, for to be shown everything anew
    makes up for them."""
    return tuple(
        Body(message.encode(version), droppable=droppable or message.droppable) for message in messages
    )
