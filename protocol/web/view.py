"""The world as the web client is shown it.

This client draws nothing by its own rules: it shows what it is shown, moves what it is told has moved, and
takes away what is taken away. So every event and change is one message, the same for all who see it; what
its own character has and can is told to its player alone. One's own steps are answered by the handler
(`protocol.web.handlers.motion`), and nothing has to be loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self, cast

from protocol.rendering import LeftOut, Renderings, Shown, asks_at_boards
from protocol.web import counters, parties, quests, trading
from protocol.web.belongings import Possessions, Renewed, forget
from protocol.web.dialogs import Question, Withdrawn
from protocol.web.guilds import Sheets
from protocol.web.packets import fighting
from protocol.web.packets.counters import CounterClosed
from protocol.web.packets.entering import Realm
from protocol.web.packets.motion import Move, Place, Turned
from protocol.web.packets.people import Died, Hide, Revived
from protocol.web.packets.status import Time, Weather
from protocol.web.words import blow, gestured, said
from protocol.wire.body import Body
from world import daytime, events, journals
from world.audience import Relation, relation
from world.delta import ItemDelta, MobileDelta
from world.guild_hall import WINDOW
from world.item import Item
from world.mail import MAIL
from world.mobile import Mobile
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from protocol.outgoing import Outgoing
    from protocol.web.figures import Figures
    from protocol.web.packets.base import Message
    from protocol.web.packets.entering import Entered
    from protocol.web.session import WebSession
    from world.events import Event, Why
    from world.thing import Surroundings, Thing

SIGHT: Final = Sight(18, arrivals=False)
"""Tiles each way: as far as in most of the other games."""

GAIT_MS: Final = (400, 200)
"""Milliseconds for a tile, walking and running: Ultima Online's."""

_NUMBERS: Final = (
    MobileDelta.ATTRIBUTES | MobileDelta.STAT | MobileDelta.WEIGHT | MobileDelta.ARMOR | MobileDelta.FLAGS
)
"""Flags of what `Sheet` tells."""

_LEARNED: Final = MobileDelta.SKILLS | MobileDelta.STAT
"""Flags of what `Skills` tells: what a skill can be depends on the level."""

_OWNED: Final = MobileDelta.WEIGHT | MobileDelta.ARMOR
"""Flags that may be of the things that one has."""


EVENTS: Final[Renderings[WebView, Hashable]] = Renderings()
"""All clients have one version, so there is one dialect. Events between players are in
`protocol.web.society`."""


class Arrival:
    """`Entered`: whatever was told before it is of an earlier life."""

    __slots__ = ("_raw",)
    droppable = False

    def __init__(self, entered: Entered) -> None:
        self._raw = entered.encode()

    def bind(self, session: WebSession) -> bytes:
        """The message."""
        session.hears_anew()
        return self._raw


class WebView:
    """Implements `protocol.family.View`."""

    bystander: Hashable | None = Relation.OTHER
    onlooker: Hashable | None = Relation.OTHER
    unshown = 0
    apart: Collection[Relation] = frozenset()
    declared = EVENTS
    loads_on_warp = False
    opens_corpses = True
    windows = frozenset({"shop", "vault", "journal", "chest", WINDOW, MAIL})
    tells_own_steps = False
    forgets_by_loading = False
    gait_ms = GAIT_MS

    def __init__(self, figures: Figures) -> None:
        self.figures = figures
        self.possessions = Possessions(figures.looks)
        self.interested = quests.Interested()
        self.guilds = Sheets()

    @classmethod
    def of(cls, session: WebSession) -> Self:
        """The view of a client's game."""
        return cast("Self", session.family.view)

    # The contract

    def sight(self, session: WebSession) -> Sight:
        """The same for all."""
        return SIGHT

    def audience(self, session: WebSession, thing: Thing) -> Hashable:
        """The player of a thing, or of whom holds it, or somebody else."""
        holder = thing.root if isinstance(thing, Item) else thing
        if holder is session.mobile:
            return Relation.SELF
        if self.apart and (found := relation(session.mobile, holder)) in self.apart:
            return found
        return Relation.OTHER

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """A thing as it is now, and its mark. Whatever the client had for it is replaced."""
        shown = self.figures.show(thing)
        if shown is None:
            return ()
        if isinstance(thing, Mobile) and self.interested.has(thing):
            return *_bodies(shown), quests.Marked(thing)
        return _bodies(shown)

    place = show

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """The thing is gone."""
        return _bodies(Hide(thing.serial, why.name.lower()))

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """The difference; to its own player its numbers and what it has, besides."""
        own = audience == Relation.SELF
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
            told.append(self.possessions.owned(thing))
        if own and flags & _NUMBERS:
            told.append(Renewed(self.figures.sheet(thing)))
        if own and flags & _LEARNED:
            told.append(Renewed(self.figures.skills(thing)))
        return told

    def event(self, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """The messages of an event, by its kind."""
        return EVENTS.handlers[type(event)](self, event, audience, dialect)

    def knows_content(self, session: WebSession, container: Item) -> bool:
        """Whether it was opened for this client."""
        return container.serial in session.opened

    def forget(self, session: WebSession, item: Item) -> bool:
        """A client closes a container that goes out of its sight, and what was opened in it."""
        return forget(session, item)

    def moved(self, session: WebSession) -> None:
        """Nothing: there are only things and events."""

    # For handlers

    def realm(self, mobile: Mobile) -> Realm:
        """The map on which somebody is. Raises ValueError for somebody who is nowhere."""
        if mobile.realm is None:
            raise ValueError(f"{mobile.name} is nowhere")
        return Realm(mobile.realm.name, mobile.realm.chart.title)

    def time(self, world: Surroundings) -> Time:
        """The time of day and its pace."""
        now = daytime.daytime(world)
        return Time(now.hour, now.minute, 1 / daytime.MINUTE_SECONDS)

    # Its parts

    def _item_changed(self, item: Item, flags: int, *, own: bool) -> Sequence[Outgoing]:
        holder, parent = item.root, item.parent
        if parent is None:
            change = self.figures.change(item, flags) if item.realm is not None else None
            return () if change is None else _bodies(change)
        told: list[Outgoing] = []
        if isinstance(parent, Item):
            told.append(self.possessions.inside(parent))
        elif item.layer:
            # Somebody wears it.
            told += _bodies(*filter(None, [self.figures.change(parent, MobileDelta.ARMOR)]))
        if own and isinstance(holder, Mobile):
            told.append(self.possessions.owned(holder))
        return told

    # Events

    @EVENTS.renders(events.Stepped)
    def _stepped(self, event: events.Stepped, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`move` to others; its own client was answered."""
        if audience == Relation.SELF:
            return ()
        gait = event.thing.gait
        move = Move(
            id=event.thing.serial,
            x=event.x,
            y=event.y,
            heading=event.heading,
            ms=gait.run_ms if event.run else gait.walk_ms,
        )
        return _bodies(move)

    @EVENTS.renders(events.Jumped)
    def _jumped(self, event: events.Jumped, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`move` with a jump to others, `place` to its own client."""
        if audience == Relation.SELF:
            return _bodies(_elsewhere(event))
        return _bodies(Move(event.thing.serial, event.x, event.y, event.heading, jump=True))

    @EVENTS.renders(events.Turned)
    def _turned(self, event: events.Turned, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`turned`; to its own client if the world turned it, or might just have."""
        own = audience == Relation.SELF
        if own and not (event.forced or event.crossed):
            return ()
        turned = Turned(event.thing.serial, event.heading, own and event.crossed)
        return (Body(turned.encode(), droppable=not own),)

    @EVENTS.renders(events.Warped)
    def _warped(self, event: events.Warped, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`place` to its own client, or `realm` and `show` on another one; others see it gone."""
        if audience != Relation.SELF:
            return ()
        mobile = event.thing
        if mobile.realm is event.from_realm:
            return _bodies(_elsewhere(event))
        return [*_bodies(self.realm(mobile)), *self.show(mobile, Relation.SELF, None)]

    @EVENTS.renders(events.Said)
    def _said(self, event: events.Said, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`say`."""
        return _bodies(said(event))

    @EVENTS.renders(events.Gestured)
    def _gestured(self, event: events.Gestured, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`gestured`, which the page shows as words."""
        return _bodies(gestured(event))

    @EVENTS.renders(events.Asked)
    def _asked(self, event: events.Asked, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`ask`: a window with buttons."""
        return (Question(event.dialog, self.figures.looks),)

    @EVENTS.renders(events.Closed)
    def _closed(self, event: events.Closed, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`close` for whoever has it open."""
        return (Withdrawn(event.dialog),)

    @EVENTS.renders(events.WeatherChanged)
    def _weather(
        self, event: events.WeatherChanged, audience: Hashable, dialect: Hashable
    ) -> Sequence[Outgoing]:
        """`weather`, which the page draws, and a line of words."""
        line = event.words(own=False)
        if line is None:
            return ()
        told = events.Said(None, events.Speech.SYSTEM, line, ())
        return *_bodies(Weather(event.kind.value)), *_bodies(said(told))

    @EVENTS.renders(events.Died)
    def _died(self, event: events.Died, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`died`, with the corpse and who dealt the last blow."""
        return _bodies(Died(event.thing.serial, _serial(event.corpse), _serial(event.by)))

    @EVENTS.renders(events.Revived)
    def _revived(self, event: events.Revived, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`revived`."""
        return _bodies(Revived(event.thing.serial))

    @EVENTS.renders(events.Taken)
    def _taken(self, event: events.Taken, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`content` of the container it was in; what is worn comes with its wearer."""
        return () if event.container is None else (self.possessions.inside(event.container),)

    # Counters and quests

    @EVENTS.renders(events.ShopOpened)
    def _shop(self, event: events.ShopOpened, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`shop`: a panel beside the map, where one buys and sells."""
        return (counters.shop(event, self.figures.looks),)

    @EVENTS.renders(events.Traded)
    def _traded(self, event: events.Traded, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`shop` with what is left, for a panel that is open."""
        return (counters.left(event, self.figures.looks),)

    @EVENTS.renders(events.VaultOpened)
    def _vault(self, event: events.VaultOpened, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`bank`: a panel beside the map with what lies in the vault."""
        return _bodies(counters.bank(event, self.possessions))

    @EVENTS.renders(events.CounterClosed)
    def _counter_closed(
        self, event: events.CounterClosed, audience: Hashable, dialect: Hashable
    ) -> Sequence[Outgoing]:
        """`counter_closed`: its panel closes."""
        return _bodies(CounterClosed(event.host.serial))

    @EVENTS.renders(events.JournalOpened)
    def _journal(
        self, event: events.JournalOpened, audience: Hashable, dialect: Hashable
    ) -> Sequence[Outgoing]:
        """`journal`: a panel beside the map."""
        return _bodies(quests.journal(event.entries, shown=True))

    @EVENTS.renders(events.QuestChanged)
    def _quest(self, event: events.QuestChanged, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`quest` for the journal and the pointer on the map, `marks` over heads, and a line of words."""
        line = events.Said(None, events.Speech.SYSTEM, event.words(own=True) or "", ())
        return *_bodies(quests.changed(event), said(line)), quests.AllMarked(self.interested)

    @EVENTS.renders(events.QuestsRenewed)
    def _renewed(
        self, event: events.QuestsRenewed, audience: Hashable, dialect: Hashable
    ) -> Sequence[Outgoing]:
        """`marks` over heads, and a line of words; of new content the journal, which that does not open."""
        marks = quests.AllMarked(self.interested)
        words = event.words(own=True)
        if words is None:
            return *_bodies(quests.journal(journals.entries(event.thing), shown=False)), marks
        line = events.Said(None, events.Speech.SYSTEM, words, ())
        return *_bodies(said(line)), marks

    # Trades

    @EVENTS.renders(events.TradeOpened)
    def _trade_opened(
        self, event: events.TradeOpened, audience: Hashable, dialect: Hashable
    ) -> Sequence[Outgoing]:
        """`bargain`: a panel beside the map, where both offer what they like."""
        return _bodies(trading.opened(event, self.figures.looks))

    @EVENTS.renders(events.TradeChanged)
    def _trade_changed(
        self, event: events.TradeChanged, audience: Hashable, dialect: Hashable
    ) -> Sequence[Outgoing]:
        """`bargain` with all that is offered, and who agrees."""
        return _bodies(trading.changed(event, self.figures.looks))

    @EVENTS.renders(events.TradeEnded)
    def _trade_ended(
        self, event: events.TradeEnded, audience: Hashable, dialect: Hashable
    ) -> Sequence[Outgoing]:
        """`bargain_over`: the panel closes."""
        return _bodies(trading.over(event))

    # Parties

    @EVENTS.renders(events.PartyChanged)
    def _party(self, event: events.PartyChanged, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`party`: frames with bars, a panel of all members, and a line of words."""
        line = events.Said(None, events.Speech.SYSTEM, event.words(own=True) or "", ())
        return _bodies(parties.changed(event), said(line))

    @EVENTS.renders(events.PartyStirred)
    def _member(
        self, event: events.PartyStirred, audience: Hashable, dialect: Hashable
    ) -> Sequence[Outgoing]:
        """`member`: its bars, its level and its place, in frames and on the small map."""
        world = event.viewers[0].mobile.world
        return [parties.stirred(one, world) for one in event.stirred]

    # Fights

    @EVENTS.renders(events.Struck)
    def _struck(self, event: events.Struck, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`struck`: a swing, and a number over whom it meets."""
        return _bodies(blow(event))

    @EVENTS.renders(events.Engaged)
    def _engaged(self, event: events.Engaged, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`engaged`: both have bars over them, and its own client a frame with its enemy."""
        return _bodies(fighting.Engaged(event.thing.serial, event.target.serial))

    @EVENTS.renders(events.Disengaged)
    def _disengaged(
        self, event: events.Disengaged, audience: Hashable, dialect: Hashable
    ) -> Sequence[Outgoing]:
        """`disengaged`."""
        return _bodies(fighting.Disengaged(event.thing.serial))

    @EVENTS.renders(events.Gained)
    def _gained(self, event: events.Gained, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`gained`, to its own client alone."""
        if audience != Relation.SELF:
            return ()
        return _bodies(fighting.Gained(event.experience, _serial(event.of)))

    @EVENTS.renders(events.Advanced)
    def _advanced(self, event: events.Advanced, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`advanced`, to all who see it; to its own client the marks that may come of it."""
        told = _bodies(fighting.Advanced(event.thing.serial, event.level))
        if audience == Relation.SELF:
            told.append(quests.AllMarked(self.interested))
        return told

    @EVENTS.renders(events.Practised)
    def _practised(
        self, event: events.Practised, audience: Hashable, dialect: Hashable
    ) -> Sequence[Outgoing]:
        """`practised`, to its own client alone."""
        if audience != Relation.SELF:
            return ()
        return _bodies(fighting.Practised(event.skill, event.value))

    @EVENTS.renders(events.Mended)
    def _mended(self, event: events.Mended, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """`mended`: a number over it."""
        return _bodies(fighting.Mended(event.thing.serial, event.hits))


asks_at_boards(EVENTS)
EVENTS.leaves_out(events.PartyShared, because="each reads its own share (`gained`)")
EVENTS.leaves_out(events.TimeSet, because="the clock is told at once (`time`), as at each full hour")
EVENTS.leaves_out(events.Entered, because="whoever comes into sight is shown (`show`)")
EVENTS.leaves_out(events.Left, because="`hide` takes away whatever goes out of sight, and says why")
EVENTS.leaves_out(events.Swung, because="nobody is struck by it; the blows of a fight come with what they do")
EVENTS.leaves_out(events.SetOut, because="each tile of the way is told when it is reached")
EVENTS.leaves_out(events.Halted, because="the page draws nobody farther than the tile it was told last")
EVENTS.leaves_out(events.Opened, because="doors are part of the ground's picture, and stand open there")
EVENTS.leaves_out(
    events.Bounced, because="there is no hand: what was held counts as in the pack all the time"
)

EVENTS.changes(
    MobileDelta,
    {
        MobileDelta.NAME: Shown("`change`"),
        MobileDelta.FLAGS: Shown(
            "`change` with poison; `sheet` to its own client; who hides goes out of sight"
        ),
        MobileDelta.HITS: Shown("`change` in percent; `sheet` to its own client"),
        MobileDelta.MANA: Shown("`sheet` to its own client"),
        MobileDelta.STAM: Shown("`sheet` to its own client"),
        MobileDelta.STAT: Shown("`change` with the level; `sheet` to its own client"),
        MobileDelta.NOTO: Shown("`change`"),
        MobileDelta.WEIGHT: Shown("`sheet` and `belongings` to its own client"),
        MobileDelta.HUE: Shown("`change`"),
        MobileDelta.BODY: Shown("`change`"),
        MobileDelta.ARMOR: Shown("`change`; `belongings` to its own client"),
        MobileDelta.PROPERTIES: Shown("`change` with the title"),
        MobileDelta.HAIR: Shown("`change`"),
        MobileDelta.FACIAL_HAIR: Shown("`change`, though no beard is drawn"),
        MobileDelta.SKILLS: Shown("`skills` to its own client"),
        MobileDelta.POSTURE: Shown("`change`"),
        MobileDelta.GAME: Shown("`change`: colour, shape and letter"),
        MobileDelta.TARGET: LeftOut("the page keeps its own; `engaged` tells whom somebody fights"),
    },
)
EVENTS.changes(
    ItemDelta,
    {ItemDelta.UPDATE: Shown("`change` on the ground and of whoever wears it, `content`, `belongings`")},
)


def _elsewhere(event: events.Jumped | events.Warped) -> Place:
    mobile = event.thing
    return Place(mobile.serial, mobile.x, mobile.y, mobile.heading)


def _serial(thing: Thing | None) -> int:
    return thing.serial if thing is not None else 0


def _bodies(*messages: Message) -> list[Outgoing]:
    return [Body(message.encode(), droppable=message.droppable) for message in messages]
