"""How Lineage II shows the world: figures that appear, walk along lines, change and go, and words.

The client walks everybody to a point by itself, its own character included, which stands still until it is
told to go. Who goes by itself is told of once, with the end of the line (`SetOut`); whose game goes tile by
tile is sent to each tile at its own pace. What a thing looks like is made in `figures.py`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final, cast
from weakref import WeakKeyDictionary

from protocol.endings import Ending
from protocol.l2.belongings import Belongings, Inventory
from protocol.l2.callings import HUMAN_FIGHTER
from protocol.l2.dialogs import question
from protocol.l2.figures import runs
from protocol.l2.keepsakes import FRIENDSHIP
from protocol.l2.packets import (
    Attribute,
    BeginRotation,
    ChangeMoveType,
    ChangeWaitType,
    ChatType,
    CreatureSay,
    DeleteObject,
    Die,
    FriendAddRequest,
    GetItem,
    MoveToLocation,
    Revive,
    Social,
    SocialAction,
    StatusEntry,
    StatusUpdate,
    StopMove,
    StopRotation,
    SystemMessage,
    SystemMessageId,
    TeleportToLocation,
    ValidateLocation,
    Wait,
    text,
)
from protocol.wire.body import Body
from world import holding
from world.delta import MobileDelta
from world.item import Item
from world.mobile import Mobile, Posture
from world.moments import (
    Asked,
    Died,
    Gestured,
    Halted,
    Moment,
    Revived,
    Said,
    SetOut,
    Speech,
    Stepped,
    Turned,
    Warped,
    Why,
)
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.l2.callings import Calling
    from protocol.l2.figures import Figures
    from protocol.l2.packets import CharSelectEntry, ItemEntry, Message
    from protocol.l2.profiles import Profile, Profiles
    from protocol.l2.session import L2Session
    from protocol.services import CharacterInfo
    from protocol.session import Outgoing, Session
    from world.dialogs import Dialog
    from world.thing import Thing


class Audience(IntEnum):
    """What differs between two viewers of one thing."""

    OTHER = 0
    SELF = 1


SIGHT: Final = Sight(24)
"""Tiles, Chebyshev: as far as any game's client here sees. The public servers show everything within 1700 to
3500 units, which are 70 tiles and more, but a screen of this game need not show more than the others."""

GAIT_MS: Final = (300, 209)
"""Milliseconds for a tile of 24 units at 80 and 115 units a second, the human fighter's walk and run
(L2JMobius/L2Jmobius_Interlude: baseStats/HumanFighter.xml). All classes go alike: nobody is to be at an
advantage among those of other games."""

TURN_SPEED: Final = 65_535
"""Of somebody who turns on the spot: at once (the same repository: Bluff.java)."""
TURNS_RIGHT: Final = 1

CHANNELS: Final = {
    Speech.SAY: ChatType.ALL,
    Speech.WHISPER: ChatType.ALL,
    Speech.EMOTE: ChatType.ALL,
    Speech.YELL: ChatType.SHOUT,
    Speech.TELL: ChatType.TELL,
    Speech.GLOBAL: ChatType.TRADE,
    Speech.ANNOUNCE: ChatType.ANNOUNCEMENT,
}
"""The client has no chat for everybody but heroes'; the traders' is the one that every player may use."""

LONGEST_TEXT: Final = 500
"""Letters of one line. A client's own player can type 105, or so many with links to items among them."""

GESTURES: Final = {
    "happy": Social.VICTORY,
    "depressed": Social.SORROW,
    "sad": Social.SORROW,
    "angry": Social.CHARGE,
    "confused": Social.UNAWARE,
    "surprised": Social.UNAWARE,
    "laugh": Social.LAUGH,
    "love": Social.APPLAUSE,
    "drunk": Social.DANCE,
    "bow": Social.BOW,
    "salute": Social.HELLO,
}
"""The social action that comes nearest to one of the world's gestures; for the others there are words."""
EMOTES: Final = {
    "shakes the head": Social.NO,
    "nods": Social.YES,
    "waits": Social.WAITING,
    "applauds": Social.APPLAUSE,
    "dances": Social.DANCE,
}
"""Social actions for which the world has no gesture but words, as players of this game say them."""
_WORDS: Final = {
    "moon": "*moons everybody*",
    "suicidal": "*despairs*",
    "embarrassed": "*blushes*",
}

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

_OWNED: Final = MobileDelta.WEIGHT | MobileDelta.ARMOR | MobileDelta.GOLD
"""What may be of the things that one has."""

YOU_DIED: Final = "You are dead. Seek a healer to live again."
YOU_LIVE: Final = "You live again."


class OfKnown:
    """A message about somebody, for those who are shown that one."""

    __slots__ = ("_raw", "_serial")
    droppable = False

    def __init__(self, serial: int, raw: bytes) -> None:
        self._serial = serial
        self._raw = raw

    def bind(self, session: Session) -> bytes:
        """The message; none for others."""
        return self._raw if self._serial in session.known else b""


class L2View:
    """Implements `protocol.family.View`."""

    bystander: Hashable | None = Audience.OTHER
    loads_on_warp = True
    forgets_by_loading = False
    gait_ms = GAIT_MS

    def __init__(self, profiles: Profiles, figures: Figures) -> None:
        self.profiles = profiles
        self.figures = figures
        self.places = figures.places
        self.looks = figures.looks
        self._inventories: WeakKeyDictionary[Session, dict[int, ItemEntry]] = WeakKeyDictionary()
        """What each client was told that it has."""
        self._running: dict[str, WeakKeyDictionary[Mobile, bool]] = {}
        """By profile: who was told to run or walk since it was last shown to anybody."""

    # The contract

    def sight(self, session: Session) -> Sight:
        """The same for all clients."""
        return SIGHT

    def audience(self, session: Session, thing: Thing) -> Hashable:
        """The player of a thing, or of whom holds it, or somebody else."""
        holder = thing.root if isinstance(thing, Item) else thing
        return Audience.SELF if holder is session.mobile else Audience.OTHER

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Make a figure, or put the one that a client has where it is now."""
        profile = cast("Profile", dialect)
        if isinstance(thing, Item):
            return _bodies(profile, self.figures.lying(thing))
        if not isinstance(thing, Mobile):
            return ()
        if audience == Audience.SELF:
            return self.sheet(thing, profile)
        self._told_running(profile).pop(thing, None)
        # A figure that exists already is not moved by being described anew.
        return *self._described(thing, profile), *self.placed(thing, profile)

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Take the figure away; somebody who took a thing is seen to stoop for it."""
        profile, gone = cast("Profile", dialect), DeleteObject(thing.serial)
        taker = thing.root if isinstance(thing, Item) and audience == Audience.OTHER else None
        place = self.places.of(taker) if isinstance(taker, Mobile) else None
        if taker is None or place is None:
            return _bodies(profile, gone)
        taken = GetItem(taker.serial, thing.serial, place.x, place.y, place.z)
        return OfKnown(taker.serial, profile.encode(taken)), *_bodies(profile, gone)

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """What it looks like now, and to its own player what it has and can."""
        profile, own = cast("Profile", dialect), audience == Audience.SELF
        if isinstance(thing, Item):
            return self._item_changed(thing, profile, own=own)
        if not isinstance(thing, Mobile) or thing.realm is None:
            return ()
        return self._own_changed(thing, flags, profile) if own else self._changed(thing, flags, profile)

    def effect(self, moment: Moment, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Something happened."""
        profile, own = cast("Profile", dialect), audience == Audience.SELF
        match moment:
            case Stepped():
                return self._stepped(moment, profile, own=own)
            case SetOut():
                return self._set_out(moment, profile, own=own)
            case Halted():
                return self._halted(moment, profile, own=own)
            case Turned():
                return self._turned(moment, profile, own=own)
            case Warped() if own:
                return self._warped(moment.thing, profile)
            case Said():
                return self._said(moment, profile)
            case Gestured():
                return self._gestured(moment, profile)
            case Asked():
                return self._asked(moment.dialog, profile)
            case Died():
                return self._died(moment.thing, profile, own=own)
            case Revived():
                return self._revived(moment.thing, profile, own=own)
        # Doors are part of the client's own land, what is taken was a figure and is hidden, and a page cannot
        # be taken back.
        return ()

    def knows_content(self, session: Session, container: Item) -> bool:
        """This game has no containers; what is in one is told in words, on request."""
        return False

    def forget(self, session: Session, item: Item) -> bool:
        """So there is nothing to forget."""
        return False

    def moved(self, session: Session) -> None:
        """A client cannot stay where its game has no place."""
        mobile = session.mobile
        if mobile is not None and mobile.realm is not None and not self.places.has(mobile.realm.name):
            session.end(Ending.KICKED, f"{mobile.realm.name} has no place for this game")

    # For handlers

    def enters(self, mobile: Mobile, calling: Calling) -> None:
        """A character comes into the world from this game; its class is not the world's to know. Here people
        run until they are told to walk."""
        if calling is not HUMAN_FIGHTER:
            self.figures.callings[mobile] = calling
        else:
            self.figures.callings.pop(mobile, None)
        mobile.rendered = None
        if not mobile.running:
            mobile.running = True
            mobile.mark(MobileDelta.FLAGS)

    def own(self, mobile: Mobile, profile: Profile) -> Sequence[Outgoing]:
        """All that a client is told of its own character's body, UserInfo first; what it has is
        `item_list`."""
        # Who sat and was put elsewhere stands up by that, and UserInfo says nothing of it.
        return *self.sheet(mobile, profile), *_bodies(profile, *self._waits(mobile))

    def sheet(self, mobile: Mobile, profile: Profile) -> Sequence[Outgoing]:
        """UserInfo: looks, place and numbers of one's own character."""
        return _bodies(profile, self.figures.own(mobile))

    def item_list(self, mobile: Mobile, profile: Profile, *, show_window: bool = False) -> Sequence[Outgoing]:
        """All that a character has, for its own client. `show_window`: it opens the window."""
        items = self.figures.inventory(mobile)
        return (Inventory(profile, items, self._inventories, show_window=show_window),)

    def belongings(self, mobile: Mobile, profile: Profile) -> Sequence[Outgoing]:
        """What a character has that its own client was not told of, as while that was loading."""
        return (self._belongings(mobile, profile),)

    def placed(self, mobile: Mobile, profile: Profile) -> Sequence[Outgoing]:
        """Where somebody is, which stops it where a client draws it, and where it is on its way to."""
        return _bodies(profile, *self._stands(mobile), *self._goes(mobile))

    def health(self, mobile: Mobile, profile: Profile) -> Sequence[Outgoing]:
        """How somebody is, for a client that aims at it."""
        return _bodies(profile, _status(mobile, MobileDelta.HITS, own=False))

    def character_line(self, info: CharacterInfo, class_id: int) -> CharSelectEntry:
        """A character of the list; `Figures.listed` says what is still to be filled in."""
        return self.figures.listed(info, class_id)

    def words(self, session: Session, line: str) -> Sequence[Outgoing]:
        """Words of the server's for one client."""
        return self._told(cast("L2Session", session).profile, line)

    # Looks

    def _described(self, mobile: Mobile, profile: Profile) -> tuple[Body, ...]:
        bodies = tuple(map(Body, self.figures.described(mobile, profile)))
        if mobile.posture != Posture.STANDING and self.figures.is_npc(mobile):
            return *bodies, *_bodies(profile, *self._waits(mobile))
        return bodies

    def _changed(self, mobile: Mobile, flags: int, profile: Profile) -> Sequence[Outgoing]:
        told: list[Message] = []
        described: tuple[Body, ...] = ()
        if flags & _LOOKS:
            described = self._described(mobile, profile)
        if flags & MobileDelta.FLAGS:
            self._told_running(profile)[mobile] = runs(mobile)
            told.append(ChangeMoveType(mobile.serial, int(runs(mobile))))
        if flags & MobileDelta.POSTURE:
            told += self._waits(mobile)
        if flags & (_LOOKS | MobileDelta.POSTURE):
            told += self._goes(mobile)  # both stop who is under way, as one is who just stood up
        if flags & MobileDelta.HITS:
            told.append(_status(mobile, MobileDelta.HITS, own=False))
        return *described, *_bodies(profile, *told)

    def _own_changed(self, mobile: Mobile, flags: int, profile: Profile) -> Sequence[Outgoing]:
        told: list[Outgoing] = []
        if flags & _OWNED:
            told.append(self._belongings(mobile, profile))
        if flags & _ON_THE_SHEET:
            told += self.sheet(mobile, profile)
        elif flags & (MobileDelta.ATTRIBUTES | MobileDelta.WEIGHT):
            told += _bodies(profile, _status(mobile, flags, own=True))
        if flags & MobileDelta.POSTURE:
            told += _bodies(profile, *self._waits(mobile), *self._goes(mobile))
        return told

    def _item_changed(self, item: Item, profile: Profile, *, own: bool) -> Sequence[Outgoing]:
        holder = item.root
        if own and isinstance(holder, Mobile):
            return (self._belongings(holder, profile),)
        if item.realm is None:
            return ()  # what somebody wears is told with the change of that one's looks
        return _bodies(profile, DeleteObject(item.serial), self.figures.lying(item))

    def _belongings(self, mobile: Mobile, profile: Profile) -> Belongings:
        return Belongings(profile, self.figures.inventory(mobile), self._inventories)

    def _waits(self, mobile: Mobile) -> tuple[Message, ...]:
        place = self.places.of(mobile)
        if place is None:
            return ()
        wait = Wait.STANDING if mobile.posture == Posture.STANDING else Wait.SITTING
        return (ChangeWaitType(mobile.serial, wait, place.x, place.y, place.z),)

    # Motion

    def _stands(self, mobile: Mobile) -> tuple[Message, ...]:
        place = self.places.of(mobile)
        if place is None:
            return ()
        return (ValidateLocation(mobile.serial, place.x, place.y, place.z, place.heading),)

    def _goes(self, mobile: Mobile) -> tuple[Message, ...]:
        """Where it is on its way to by itself."""
        journey = mobile.gait.journey
        if journey is None:
            return ()
        return self._line(mobile, mobile.x, mobile.y, journey.x, journey.y)

    def _line(self, mobile: Mobile, x: int, y: int, to_x: int, to_y: int) -> tuple[Message, ...]:
        atlas = self.places.atlas(mobile.realm)
        if atlas is None:
            return ()
        to, start = atlas.spot(to_x, to_y, mobile.z), atlas.spot(x, y, mobile.z)
        return (MoveToLocation(mobile.serial, *to, *start),)

    def _stepped(self, moment: Stepped, profile: Profile, *, own: bool) -> Sequence[Outgoing]:
        """One tile; its own client is told, too, for it goes nowhere by itself."""
        if moment.journey:
            return ()
        mobile = moment.thing
        line = self._line(mobile, moment.from_x, moment.from_y, moment.x, moment.y)
        return _bodies(profile, *self._pace(mobile, profile, run=moment.run, own=own), *line)

    def _set_out(self, moment: SetOut, profile: Profile, *, own: bool) -> Sequence[Outgoing]:
        mobile, journey = moment.thing, moment.thing.gait.journey
        if journey is None or (journey.x, journey.y) != (moment.to_x, moment.to_y):
            return ()  # it was stopped or sent elsewhere in the same turn, and maybe shown there already
        line = self._line(mobile, moment.x, moment.y, moment.to_x, moment.to_y)
        return _bodies(profile, *self._pace(mobile, profile, run=moment.run, own=own), *line)

    def _pace(self, mobile: Mobile, profile: Profile, *, run: bool, own: bool) -> tuple[Message, ...]:
        """Whether it runs, if that is not what everybody who knows it was told last. Its own client chose
        that, and was answered."""
        told = self._told_running(profile)
        if own or told.get(mobile) is run:
            return ()
        told[mobile] = run
        return (ChangeMoveType(mobile.serial, int(run)),)

    def _told_running(self, profile: Profile) -> WeakKeyDictionary[Mobile, bool]:
        return self._running.setdefault(profile.name, WeakKeyDictionary())

    def _halted(self, moment: Halted, profile: Profile, *, own: bool) -> Sequence[Outgoing]:
        mobile = moment.thing
        place = self.places.at(mobile.realm, moment.x, moment.y, mobile.z, moment.heading)
        if place is None or (mobile.x, mobile.y) != (moment.x, moment.y):
            return ()  # it went on in the same turn, or was put elsewhere and is shown there already
        stop = StopMove(mobile.serial, place.x, place.y, place.z, place.heading)
        return _bodies(profile, *self._pace(mobile, profile, run=runs(mobile), own=own), stop)

    def _turned(self, moment: Turned, profile: Profile, *, own: bool) -> Sequence[Outgoing]:
        mobile = moment.thing
        if own:
            return _bodies(profile, *self._stands(mobile)) if moment.forced else ()
        place = self.places.at(mobile.realm, moment.x, moment.y, mobile.z, moment.heading)
        if place is None:
            return ()
        return _bodies(
            profile,
            BeginRotation(mobile.serial, place.heading, TURNS_RIGHT, TURN_SPEED),
            StopRotation(mobile.serial, place.heading, TURN_SPEED),
        )

    def _warped(self, mobile: Mobile, profile: Profile) -> Sequence[Outgoing]:
        place = self.places.of(mobile)
        if place is None:
            return ()
        there = TeleportToLocation(mobile.serial, place.x, place.y, place.z, place.heading)
        return _bodies(profile, there)

    # Words and gestures

    def _said(self, moment: Said, profile: Profile) -> Sequence[Outgoing]:
        if moment.how is Speech.SYSTEM:
            return self._told(profile, moment.text)
        if moment.how is Speech.EMOTE and moment.thing is not None and moment.text in EMOTES:
            return _bodies(profile, SocialAction(moment.thing.serial, EMOTES[moment.text]))
        line = f"*{moment.text}*" if moment.how is Speech.EMOTE else moment.text
        # A line of somebody who may be far away or in another realm belongs to no figure.
        near = moment.thing is not None and moment.how in _HEARD_NEAR
        speaker = moment.thing.serial if near and moment.thing is not None else 0
        name = "" if moment.how is Speech.ANNOUNCE and moment.thing is None else moment.name
        return _bodies(profile, CreatureSay(speaker, CHANNELS[moment.how], name, line[:LONGEST_TEXT]))

    def _told(self, profile: Profile, line: str) -> Sequence[Outgoing]:
        return _bodies(profile, SystemMessage(SystemMessageId.TEXT, (text(line[:LONGEST_TEXT]), text(""))))

    def _gestured(self, moment: Gestured, profile: Profile) -> Sequence[Outgoing]:
        mobile, action = moment.thing, GESTURES.get(moment.gesture)
        if action is not None:
            return _bodies(profile, SocialAction(mobile.serial, action))
        words = _WORDS.get(moment.gesture, f"*{moment.gesture}*")
        return _bodies(profile, CreatureSay(mobile.serial, ChatType.ALL, mobile.name, words))

    def _asked(self, dialog: Dialog, profile: Profile) -> Sequence[Outgoing]:
        """A page with buttons; whether to be friends, the client has a window of its own for."""
        if dialog.name == FRIENDSHIP and dialog.asker is not None:
            return _bodies(profile, FriendAddRequest(dialog.asker.name))
        return (question(dialog, profile),)

    # Death

    def _died(self, mobile: Mobile, profile: Profile, *, own: bool) -> Sequence[Outgoing]:
        """Others see a body fall. Its own client would not let its player walk any more, if it knew: here
        ghosts walk to a healer."""
        return self._told(profile, YOU_DIED) if own else _bodies(profile, Die(mobile.serial))

    def _revived(self, mobile: Mobile, profile: Profile, *, own: bool) -> Sequence[Outgoing]:
        return self._told(profile, YOU_LIVE) if own else _bodies(profile, Revive(mobile.serial))


_HEARD_NEAR: Final = (Speech.SAY, Speech.WHISPER, Speech.EMOTE, Speech.YELL)


def _status(mobile: Mobile, flags: int, *, own: bool) -> StatusUpdate:
    """What of the bars and the load changed, in points."""
    numbers: list[tuple[Attribute, int]] = []
    if flags & MobileDelta.HITS:
        numbers += (Attribute.HP, mobile.hits), (Attribute.MAX_HP, mobile.hits_max)
    if own and flags & MobileDelta.MANA:
        numbers += (Attribute.MP, mobile.mana), (Attribute.MAX_MP, mobile.mana_max)
    if own and flags & MobileDelta.STAM:
        numbers += (Attribute.CP, mobile.stam), (Attribute.MAX_CP, mobile.stam_max)
    if own and flags & MobileDelta.WEIGHT:
        numbers += (Attribute.LOAD, holding.weight(mobile)), (Attribute.MAX_LOAD, holding.capacity(mobile))
    return StatusUpdate(mobile.serial, tuple(StatusEntry(name, max(0, value)) for name, value in numbers))


def _bodies(profile: Profile, *messages: Message) -> tuple[Body, ...]:
    return tuple(Body(profile.encode(message), droppable=message.droppable) for message in messages)
