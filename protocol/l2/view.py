"""Shows the world in Lineage II: figures that appear, walk along lines, change and go, and words.

Here is said which messages follow from what happens. What a thing looks like is made in `figures.py`, what it
does in `motion.py` and `words.py`, what somebody has in `belongings.py`. The client draws everybody from two
long messages (CharInfo or NpcInfo, UserInfo of its own character) and wants them whole for any change of
looks, so these are made once for all viewers of a version, and only bars and gaits have short messages. What
differs by client is bound when it leaves (`bound.py`): what one owns, whether one is shown somebody at all,
and whose bars one sees.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Self, cast

from protocol.endings import Ending
from protocol.l2 import boards, combat, counters, journals, parties, pledges, trading, words
from protocol.l2.belongings import Belongings, Inventory, ShortCuts
from protocol.l2.bound import OfKnown, ToConcerned, gone
from protocol.l2.figures import sky
from protocol.l2.motion import Motions
from protocol.l2.paces import Paces
from protocol.l2.packets import AutoAttackStop, DeleteObject, Die, GetItem, Revive
from protocol.l2.players import Players
from protocol.l2.scenery import L2Scenery
from protocol.l2.session import LOADING_SECONDS
from protocol.l2.sheets import haste, status
from protocol.rendering import LeftOut, Renderings, Shown
from world.audience import Relation, relation
from world.delta import ItemDelta, MobileDelta
from world.events import (
    Advanced,
    Asked,
    BoardOpened,
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
    Stepped,
    Struck,
    Swung,
    Taken,
    TimeSet,
    Turned,
    Warped,
    WeatherChanged,
    Why,
)
from world.item import Item
from world.mobile import Mobile, Posture
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from protocol.l2.figures import Figures
    from protocol.l2.packets import CharSelectEntry, Message
    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Version, L2Versions
    from protocol.outgoing import Outgoing
    from protocol.services import CharacterInfo
    from protocol.session import Session
    from world.thing import Thing


SIGHT: Final = Sight(24, arrivals=False)
"""Tiles, Chebyshev: as far as any game's client here sees. The public servers show everything within 1700 to
3500 units, which are 70 tiles and more, but a screen of this game need not show more than the others."""

GAIT_MS: Final = (300, 209)
"""Milliseconds for a tile of 24 units at 80 and 115 units a second, the human fighter's walk and run
(L2JMobius/L2Jmobius_Interlude: baseStats/HumanFighter.xml). All classes go alike: nobody is to be at an
advantage among those of other games."""

_LOOKS: Final = (
    MobileDelta.NAME
    | MobileDelta.NOTO
    | MobileDelta.HUE
    | MobileDelta.BODY
    | MobileDelta.ARMOR
    | MobileDelta.PROPERTIES
    | MobileDelta.HAIR
)
"""What CharInfo and NpcInfo tell."""

_ON_THE_SHEET: Final = _LOOKS | MobileDelta.STAT
"""What only UserInfo tells to one's own client."""

_HASTE: Final = MobileDelta.STAM | MobileDelta.STAT | MobileDelta.WEIGHT
"""What makes one quicker or slower: attributes, and being tired or burdened."""

_OWNED: Final = MobileDelta.WEIGHT | MobileDelta.ARMOR
"""What may be of the things that one has."""


EVENTS: Final[Renderings[L2View, L2Version]] = Renderings()


class L2View:
    """Implements `protocol.family.View`."""

    bystander: Hashable | None = Relation.OTHER
    onlooker: Hashable | None = Relation.OTHER
    unshown = 0
    apart: Collection[Relation] = frozenset()
    declared = EVENTS
    loads_on_warp = True
    opens_corpses = False
    windows = frozenset({"shop", "vault", "chest", "board"})
    tells_own_steps = True
    forgets_by_loading = False
    gait_ms = GAIT_MS

    def __init__(self, versions: L2Versions, figures: Figures, scenery: L2Scenery | None = None) -> None:
        self.versions = versions
        self.figures = figures
        self.scenery = scenery or L2Scenery((), {}, figures.places, SIGHT.radius)
        self.places = figures.places
        self.looks = figures.looks
        self.motions = Motions(figures.places)
        self.paces = Paces()
        self.stances = figures.stances
        self.players = Players()
        self.stances.tell = self.players.tell_all

    @classmethod
    def of(cls, session: Session) -> Self:
        """The view of a client's game, with what it shares among its clients."""
        return cast("Self", session.family.view)

    # The contract

    def sight(self, session: L2Session) -> Sight:
        """The same for all clients."""
        return SIGHT

    def audience(self, session: L2Session, thing: Thing) -> Hashable:
        """The player of a thing, or of whom holds it, or somebody else."""
        holder = thing.root if isinstance(thing, Item) else thing
        if holder is session.mobile:
            return Relation.SELF
        if self.apart and (found := relation(session.mobile, holder)) in self.apart:
            return found
        return Relation.OTHER

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Make a figure, and tell where it is on its way to."""
        version = cast("L2Version", dialect)
        if isinstance(thing, Item):
            return version.bodies(self.figures.lying(thing))
        if not isinstance(thing, Mobile):
            return ()
        if audience == Relation.SELF:
            return self.sheet(thing, version)
        self.motions.shown(thing, version)
        return *self._described(thing, version), *self.motions.goes(thing, version)

    def place(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Describe it anew, and put it where it is now: a figure that exists is not moved by the first."""
        if audience == Relation.SELF or not isinstance(thing, Mobile):
            return self.show(thing, audience, dialect)
        version = cast("L2Version", dialect)
        self.motions.shown(thing, version)
        return *self._described(thing, version), *self.placed(thing, version)

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Take the figure away; somebody who took a thing is seen to stoop for it."""
        version = cast("L2Version", dialect)
        if isinstance(thing, Mobile):
            if why is Why.DIED and not thing.is_character:
                return (combat.Fallen(thing.serial),)
            return (gone(version, thing.serial),)
        taker = thing.root if isinstance(thing, Item) and audience == Relation.OTHER else None
        place, away = self.places.of(taker) if isinstance(taker, Mobile) else None, DeleteObject(thing.serial)
        if taker is None or place is None:
            return version.bodies(away)
        taken = GetItem(taker.serial, thing.serial, place.x, place.y, place.z)
        return OfKnown(taker.serial, version.encode(taken)), *version.bodies(away)

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Tell what it looks like now, and its own player what it has and can."""
        version, own = cast("L2Version", dialect), audience == Relation.SELF
        if isinstance(thing, Item):
            return self._item_changed(thing, version, own=own)
        if not isinstance(thing, Mobile) or thing.realm is None:
            return ()
        return self._own_changed(thing, flags, version) if own else self._changed(thing, flags, version)

    def event(self, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Something happened."""
        return EVENTS.handlers[type(event)](self, event, audience, dialect)

    def knows_content(self, session: L2Session, container: Item) -> bool:
        """This game has no containers; what is in one is told in words, on request."""
        return False

    def forget(self, session: L2Session, item: Item) -> bool:
        """So there is nothing to forget."""
        return False

    def moved(self, session: L2Session) -> None:
        """Show what blocks there. One that was put elsewhere has so long to load; none can stay where its
        game has no place."""
        scenery = self.scenery
        session.queue(*(scenery.leave(session) if session.loading else scenery.follow(session)))
        mobile = session.mobile
        if mobile is not None and session.loading:
            session.ready_at = mobile.world.now + LOADING_SECONDS
        if mobile is not None and mobile.realm is not None and not self.places.has(mobile.realm.name):
            session.end(Ending.KICKED, f"{mobile.realm.name} has no place for this game")

    # For handlers

    def own(self, mobile: Mobile, version: L2Version) -> Sequence[Outgoing]:
        """All that a client is told of its own character's body, UserInfo first; what it has is
        `item_list`."""
        # Who sat and was put elsewhere stands up by that, and UserInfo says nothing of it.
        return *self.sheet(mobile, version), *version.bodies(*self.motions.waits(mobile))

    def sheet(self, mobile: Mobile, version: L2Version) -> Sequence[Outgoing]:
        """UserInfo: looks, place and numbers of one's own character."""
        self.paces.change(mobile, version, own=True)
        return version.bodies(self.figures.own(mobile))

    def item_list(
        self, mobile: Mobile, version: L2Version, *, show_window: bool = False
    ) -> Sequence[Outgoing]:
        """All that a character has, for its own client. `show_window`: it opens the window."""
        items = self.figures.inventory(mobile)
        return (Inventory(version, items, show_window=show_window),)

    def belongings(self, mobile: Mobile, version: L2Version) -> Sequence[Outgoing]:
        """Tell what a character has or lost that its own client was not told of, as while that was
        loading."""
        return self._belongings(mobile, version)

    def placed(self, mobile: Mobile, version: L2Version) -> Sequence[Outgoing]:
        """Tell where somebody is, which stops it where a client draws it, and where it is on its way to."""
        return *version.bodies(*self.motions.stands(mobile)), *self.motions.goes(mobile, version)

    def health(self, mobile: Mobile, version: L2Version) -> Sequence[Outgoing]:
        """Tell how somebody is, for a client that aims at it."""
        return version.bodies(status(mobile, MobileDelta.HITS, own=False))

    def character_line(self, info: CharacterInfo, class_id: int) -> CharSelectEntry:
        """A character of the list; `Figures.listed` says what is still to be filled in."""
        return self.figures.listed(info, class_id)

    def words(self, session: L2Session, line: str) -> Sequence[Outgoing]:
        """Words of the server's for one client."""
        return words.told(session.dialect, line)

    # Events

    @EVENTS.renders(Stepped)
    def _stepped(self, event: Stepped, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """MoveToLocation to the tile, unless the way's end was told."""
        return self.motions.stepped(event, version, own=audience == Relation.SELF)

    @EVENTS.renders(SetOut)
    def _set_out(self, event: SetOut, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """MoveToLocation to the end of the way."""
        return self.motions.set_out(event, version, own=audience == Relation.SELF)

    @EVENTS.renders(Halted)
    def _halted(self, event: Halted, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """StopMove, to others only if it ends sooner than they were told."""
        return self.motions.halted(event, version, own=audience == Relation.SELF)

    @EVENTS.renders(Turned)
    def _turned(self, event: Turned, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """BeginRotation and StopRotation; ValidateLocation to its own client if the world turned it."""
        return self.motions.turned(event, version, own=audience == Relation.SELF)

    @EVENTS.renders(Jumped)
    def _jumped(self, event: Jumped, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """CharInfo or NpcInfo anew, where it is now; its own client knows."""
        return () if audience == Relation.SELF else self.place(event.thing, audience, version)

    @EVENTS.renders(Warped)
    def _warped(self, event: Warped, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """TeleportToLocation to its own client; others see it gone."""
        return self.motions.warped(event.thing, version) if audience == Relation.SELF else ()

    @EVENTS.renders(Said)
    def _said(self, event: Said, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """CreatureSay in the channel of its kind, SocialAction for words that are one, or SystemMessage: the
        client's own text for what is refused, if it has one that says the same, else the line."""
        return words.said(event, version)

    @EVENTS.renders(Gestured)
    def _gestured(self, event: Gestured, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """SocialAction, or words (CreatureSay) where this game has none like it."""
        return words.gestured(event, version)

    @EVENTS.renders(Asked)
    def _asked(self, event: Asked, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """NpcHtmlMessage: a page with links; SendTradeRequest, AskJoinParty, AskJoinPledge, AskJoinAlly or
        FriendAddRequest."""
        dialog = event.dialog
        return (
            parties.asked(dialog, version) or pledges.asked(dialog, version) or words.asked(dialog, version)
        )

    @EVENTS.renders(QuestChanged)
    def _quest_changed(
        self, event: QuestChanged, audience: Hashable, version: L2Version
    ) -> Sequence[Outgoing]:
        """SystemMessage, PlaySound, and RadarControl with an arrow to where it goes on."""
        return journals.changed(event, version, self.places)

    @EVENTS.renders(Died)
    def _died(self, event: Died, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """AutoAttackStop and Die, upon which a body falls, and StatusUpdate to who has targeted it; a
        SystemMessage to its own client."""
        own = audience == Relation.SELF
        self.stances.end(event.thing)
        # Its own client shows the button "to village" and lets its player do nothing else until that is
        # pressed, or somebody raises it.
        serial = event.thing.serial
        fallen = version.bodies(AutoAttackStop(serial), Die(serial, to_village=int(own)))
        if own:
            return *fallen, *words.own(event, version)
        # A creature is gone when changes are told: its bar would stay where the last blow but one left it.
        empty = version.encode(status(event.thing, MobileDelta.HITS, own=False))
        return ToConcerned(event.thing, empty), *fallen

    @EVENTS.renders(Revived)
    def _revived(self, event: Revived, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """Revive to others; a SystemMessage to its own client."""
        self.stances.end(event.thing)
        risen = version.bodies(Revive(event.thing.serial))
        return (*risen, *words.own(event, version)) if audience == Relation.SELF else risen

    # Fights

    @EVENTS.renders(Struck)
    def _struck(self, event: Struck, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """Attack, with the damage inside; AutoAttackStart with the first; a SystemMessage to who strikes and
        to who is struck."""
        place, ready = self.places.of(event.thing), self.stances.strike(event)
        return combat.struck(event, place, ready, version, own=audience == Relation.SELF)

    @EVENTS.renders(Gained)
    def _gained(self, event: Gained, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """SystemMessage with what was earned or is lost."""
        return combat.gained(event, version)

    @EVENTS.renders(TimeSet)
    def _time_set(self, event: TimeSet, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """SunRise or SunSet; ClientSetTime comes at once, as at each full hour."""
        return version.bodies(sky(event.hour))

    @EVENTS.renders(Mended)
    def _mended(self, event: Mended, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """SystemMessage with the hits, to its own client."""
        return combat.mended(event, version) if audience == Relation.SELF else ()

    @EVENTS.renders(Advanced)
    def _advanced(self, event: Advanced, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
        """SocialAction; a SystemMessage and words to its own client."""
        return combat.advanced(event, version, own=audience == Relation.SELF)

    # Looks

    def _described(self, mobile: Mobile, version: L2Version) -> tuple[Outgoing, ...]:
        pace = self.paces.described(mobile, version)
        bodies: tuple[Outgoing, ...] = self.figures.described(mobile, version, pace)
        if mobile.guild is not None and mobile.guild.ties:
            bodies = *bodies, *pledges.enmity(self.figures, mobile, version)
        if mobile.posture != Posture.STANDING and self.figures.is_npc(mobile):
            return *bodies, *version.bodies(*self.motions.waits(mobile))
        return bodies

    def _changed(self, mobile: Mobile, flags: int, version: L2Version) -> Sequence[Outgoing]:
        told: list[Message] = []
        described: tuple[Outgoing, ...] = ()
        if flags & _LOOKS:
            described = self._described(mobile, version)
        elif flags & _HASTE and self.paces.change(mobile, version, own=False):
            told.append(haste(mobile))
        if flags & MobileDelta.FLAGS:
            told.append(self.motions.told(mobile, version))
        if flags & MobileDelta.POSTURE:
            told += self.motions.waits(mobile)
        bodies = *described, *version.bodies(*told)
        if flags & (_LOOKS | MobileDelta.POSTURE):
            # Both stop who is under way, as one is who just stood up.
            bodies = *bodies, *self.motions.goes(mobile, version)
        if flags & MobileDelta.HITS:
            bars = version.encode(status(mobile, MobileDelta.HITS, own=False))
            return *bodies, ToConcerned(mobile, bars)
        return bodies

    def _own_changed(self, mobile: Mobile, flags: int, version: L2Version) -> Sequence[Outgoing]:
        told: list[Outgoing] = []
        if flags & _OWNED:
            told += self._belongings(mobile, version)
        if flags & _ON_THE_SHEET or (flags & _HASTE and self.paces.change(mobile, version, own=True)):
            told += self.sheet(mobile, version)
        elif flags & (MobileDelta.ATTRIBUTES | MobileDelta.WEIGHT | MobileDelta.SKILLS):
            told += version.bodies(status(mobile, flags, own=True))
        if flags & MobileDelta.POSTURE:
            told += version.bodies(*self.motions.waits(mobile))
            told += self.motions.goes(mobile, version)
        return told

    def _item_changed(self, item: Item, version: L2Version, *, own: bool) -> Sequence[Outgoing]:
        holder = item.root
        if own and isinstance(holder, Mobile):
            return self._belongings(holder, version)
        if item.realm is None:
            return ()  # what somebody wears is told with the change of that one's looks
        return version.bodies(DeleteObject(item.serial), self.figures.lying(item))

    def _belongings(self, mobile: Mobile, version: L2Version) -> Sequence[Outgoing]:
        items = self.figures.inventory(mobile)
        return Belongings(version, items), ShortCuts(version, items)


EVENTS.renders(BoardOpened)(boards.opened)
counters.shows_counters(EVENTS)
trading.shows_trades(EVENTS)
pledges.shows_guilds(EVENTS)
words.shows_friends(EVENTS)
parties.shows_parties(EVENTS)
EVENTS.tells(Practised, WeatherChanged, JournalOpened, QuestsRenewed)
EVENTS.leaves_out(
    Entered, because="whoever comes into sight is described: CharInfo, NpcInfo, SpawnItem, DropItem"
)
EVENTS.leaves_out(Left, because="DeleteObject takes away whatever goes out of sight")
EVENTS.leaves_out(Engaged, because="AutoAttackStart comes with the first blow, for both")
EVENTS.leaves_out(Disengaged, because="AutoAttackStop comes 15 s after the last blow, for each of both")
EVENTS.leaves_out(Swung, because="nobody is struck by it; the blows of a fight come with what they do")
EVENTS.leaves_out(Opened, because="doors are part of the client's own land")
EVENTS.leaves_out(
    Taken, because="its owner is told the difference of all it has; clothes come with their wearer"
)
EVENTS.leaves_out(Bounced, because="there is no hand: what was held counts as carried all the time")
EVENTS.leaves_out(Closed, because="a page cannot be taken back; an answer to it counts no more")

EVENTS.changes(
    MobileDelta,
    {
        MobileDelta.NAME: Shown("CharInfo or NpcInfo; UserInfo to its own client"),
        MobileDelta.FLAGS: Shown("ChangeMoveType to others; whoever hides goes out of sight"),
        MobileDelta.HITS: Shown("StatusUpdate to its own client and to who has targeted it"),
        MobileDelta.MANA: Shown("StatusUpdate to its own client"),
        MobileDelta.STAM: Shown(
            "StatusUpdate to its own client; if it is slower or faster by that, UserInfo, and to others "
            "StatusUpdate with the pace of its blows"
        ),
        MobileDelta.STAT: Shown(
            "UserInfo to its own client; StatusUpdate with the pace of its blows to others"
        ),
        MobileDelta.NOTO: Shown("CharInfo or NpcInfo; UserInfo to its own client"),
        MobileDelta.WEIGHT: Shown(
            "StatusUpdate with the load, and the difference of all it has, to its own client"
        ),
        MobileDelta.HUE: Shown("CharInfo or NpcInfo; UserInfo to its own client"),
        MobileDelta.BODY: Shown("CharInfo or NpcInfo; UserInfo to its own client"),
        MobileDelta.ARMOR: Shown("CharInfo; UserInfo and the difference of all it has to its own client"),
        MobileDelta.PROPERTIES: Shown("CharInfo or NpcInfo; UserInfo to its own client"),
        MobileDelta.HAIR: Shown("CharInfo; UserInfo to its own client"),
        MobileDelta.FACIAL_HAIR: LeftOut("nobody has a beard"),
        MobileDelta.SKILLS: Shown("StatusUpdate with what blows are worth by them, to its own client"),
        MobileDelta.POSTURE: Shown("ChangeWaitType"),
        MobileDelta.GAME: LeftOut("figures do not say through which game they are played"),
        MobileDelta.TARGET: LeftOut(
            "at whom this game's own players aim is told at once by the click (TargetSelected)"
        ),
    },
)
EVENTS.changes(
    ItemDelta,
    {
        ItemDelta.UPDATE: Shown(
            "DeleteObject and SpawnItem on the ground; to whom it belongs the difference of all it has"
        )
    },
)
