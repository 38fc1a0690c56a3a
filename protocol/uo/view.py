"""How Ultima Online shows the world: what each change and each moment of it is in packets.

What is sent for changed state is ServUO's table (Server/Mobile.cs, ProcessDelta; Server/Item.cs,
ProcessDelta), in its order. What a client believes about positions is kept right by 0x77 for others and 0x20
for the player; steps the player asked for are answered by the handler of 0x02.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, cast

from protocol.rendering import LeftOut, Renderings, Shown
from protocol.uo import appearance as look
from protocol.uo import chatting, dialogs, skills
from protocol.uo.packets.combat import (
    Animation,
    Attributes,
    Hits,
    Mana,
    NewAnimation,
    Sound,
    Stamina,
    YouAreDead,
)
from protocol.uo.packets.login import MapChange
from protocol.uo.packets.speech import SYSTEM_BODY, SYSTEM_SERIAL, SpeechKind, UnicodeMessage
from protocol.uo.packets.things import LiftRefusal, LiftRefused, Removed, WornItem
from protocol.wire.body import Body
from world.audience import Relation, relation
from world.delta import ItemDelta, MobileDelta
from world.item import Item, Layer
from world.mobile import Mobile
from world.moments import (
    Asked,
    Bounced,
    Closed,
    Died,
    Entered,
    Event,
    Gestured,
    Halted,
    Jumped,
    Left,
    Opened,
    Revived,
    Said,
    SetOut,
    Speech,
    Stepped,
    Swung,
    Taken,
    Turned,
    Warped,
)
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Iterator, Sequence

    from protocol.outgoing import Encodable
    from protocol.session import Outgoing, Session
    from protocol.uo.appearance import Appearance
    from protocol.uo.dialect import UoDialect
    from protocol.uo.scenery import UoScenery
    from protocol.uo.session import UoSession
    from world.moments import Why
    from world.thing import Thing

DEFAULT_RANGE: Final = 18
SHORTEST_RANGE: Final = 5
LONGEST_RANGE: Final = 24
"""Tiles a client sees, Chebyshev; it may ask for others: ServUO, Server/Network/PacketHandlers.cs,
SetUpdateRange."""

DEFAULT_SPEECH_HUE: Final = 0x34
FIRST_HUE, LAST_HUE = 2, 0x3E9
"""Hues of speech: ServUO, Server/Utility.cs, ClipDyedHue."""

SYSTEM_HUE: Final = look.PLAIN_HUE
ANNOUNCE_HUE: Final = 0x35
TELL_HUE: Final = 0x59

DOOR_SOUND: Final = 0xEA
"""A wooden door opens: ServUO, Scripts/Items/Functional/Doors.cs."""

_KINDS: Final = {
    Speech.SAY: SpeechKind.SAY,
    Speech.WHISPER: SpeechKind.WHISPER,
    Speech.YELL: SpeechKind.YELL,
    Speech.EMOTE: SpeechKind.EMOTE,
    Speech.GUILD: SpeechKind.GUILD,
    Speech.ALLIANCE: SpeechKind.ALLIANCE,
}

_ANIMATIONS: Final = {"bow": (32, 0), "salute": (33, 1)}
"""Gestures with a picture: action of 0x6E, and of kind 7 of 0xE2 (ServUO, Server/Mobile.cs, Animate)."""

_EMOTES: Final = {
    "happy": "smiles",
    "depressed": "sighs",
    "sad": "looks sad",
    "angry": "growls",
    "confused": "looks confused",
    "surprised": "gasps",
    "laugh": "laughs",
    "love": "blows a kiss",
    "moon": "moons everybody",
    "suicidal": "despairs",
    "embarrassed": "blushes",
    "drunk": "hiccups",
    "wave": "waves",
    "dance": "dances",
    "kneel": "kneels",
    "pose": "strikes a pose",
}
"""Gestures without one are words over the head."""


class Viewer(enum.IntEnum):
    """What kinds of viewer a thing has. Notoriety is the thing's own, so it divides nobody."""

    OTHER = Relation.OTHER
    SELF = Relation.SELF
    # No number of a `Relation` from here on: those drawn apart are viewers, too.
    OUTSIDE = 10
    """Of an item in a container that it has not looked into."""


EVENTS: Final[Renderings[UoView, UoDialect]] = Renderings()


class PlacePlayer:
    """0x20: bound, because its client numbers its steps from 0 again when it reads it."""

    __slots__ = ("raw",)
    droppable = False

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    def bind(self, session: Session) -> bytes:
        """The packet; from here on the first step has number 0."""
        steps = cast("UoSession", session).steps
        steps.restart()
        steps.settled = False
        return self.raw


class UoView:
    """Implements `protocol.family.View`."""

    gait_ms = (400, 200)
    bystander = Viewer.OTHER
    apart: Collection[Relation] = frozenset()
    declared = EVENTS
    loads_on_warp = False
    forgets_by_loading = False

    def __init__(self, appearance: Appearance, scenery: UoScenery) -> None:
        self.appearance = appearance
        self.scenery = scenery

    # The contract

    def sight(self, session: Session) -> Sight:
        """A square of tiles; the client may ask for another size once it is in the world."""
        return Sight(DEFAULT_RANGE)

    def audience(self, session: Session, thing: Thing | None) -> Hashable:
        """The player of a thing, or of whom holds it, or somebody else; and whether it knows what is in the
        container."""
        if isinstance(thing, Item):
            if isinstance(thing.parent, Item) and not knows_content(cast("UoSession", session), thing.parent):
                return Viewer.OUTSIDE
            thing = thing.root
        if thing is not None and thing is session.mobile:
            return Viewer.SELF
        if self.apart and (found := relation(session.mobile, thing)) in self.apart:
            return found
        return Viewer.OTHER

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """0x78 or 0xF3/0x1A, and which tooltip it has."""
        layout = cast("UoDialect", dialect)
        if isinstance(thing, Mobile):
            return [*_bodies(self.appearance.incoming(thing, layout)), *_revision(thing, layout)]
        if isinstance(thing, Item):
            return [*_bodies(self.appearance.on_ground(thing, layout)), *_revision(thing, layout)]
        return []

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """0x1D. The client forgets by itself what it walked away from; being told twice does no harm. What
        somebody else has lifted from the ground flies to whom has it, if that one can be seen."""
        gone = _bodies(Removed(thing.serial))
        if isinstance(thing, Item) and audience is not Viewer.SELF:
            holder = thing.root
            if isinstance(holder, Mobile) and holder.realm is not None and not holder.hidden:
                return [*_bodies(self.appearance.flies(thing, holder, holder.realm)), *gone]
        return gone

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """The packets of changed state, in ServUO's order."""
        layout = cast("UoDialect", dialect)
        if isinstance(thing, Item):
            return [] if audience is Viewer.OUTSIDE else self._item_changed(thing, flags, layout)
        if isinstance(thing, Mobile) and thing.realm is not None:
            own = audience is Viewer.SELF
            return list(
                self._changed_for_self(thing, flags, layout) if own else self._changed(thing, flags, layout)
            )
        return []

    def effect(self, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """The packets of something that happened."""
        return EVENTS.handlers[type(event)](self, event, audience, dialect)

    def knows_content(self, session: Session, container: Item) -> bool:
        """Whether it was opened for this client."""
        return knows_content(cast("UoSession", session), container)

    def forget(self, session: Session, item: Item) -> bool:
        """A client that forgets a container forgets what is in it."""
        return close(cast("UoSession", session), item)

    def moved(self, session: Session) -> None:
        """Scenery that came into view."""
        self.scenery.follow(cast("UoSession", session))

    # For handlers

    def place_player(self, mobile: Mobile) -> PlacePlayer:
        """0x20 for the player of a mobile."""
        return PlacePlayer(self.appearance.placed(mobile).encode())

    # Changed state

    def _changed_for_self(self, mobile: Mobile, flags: int, dialect: UoDialect) -> Iterator[Outgoing]:
        if flags & (MobileDelta.HUE | MobileDelta.BODY):
            yield self.place_player(mobile)
        if flags & MobileDelta.BODY:
            yield from _bodies(self.appearance.incoming(mobile, dialect))
        if flags & (MobileDelta.FLAGS | MobileDelta.NOTO):
            yield from _bodies(self.appearance.standing(mobile))
        if flags & _FULL_STATUS:
            yield from _bodies(look.full_status(mobile, dialect))
        elif flags & MobileDelta.ATTRIBUTES == MobileDelta.ATTRIBUTES:
            yield from _bodies(
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
                yield from _bodies(Hits(mobile.serial, mobile.hits_max, mobile.hits))
            if flags & MobileDelta.STAM:
                yield from _bodies(Stamina(mobile.serial, mobile.stam_max, mobile.stam))
            if flags & MobileDelta.MANA:
                yield from _bodies(Mana(mobile.serial, mobile.mana_max, mobile.mana))
        if flags & MobileDelta.SKILLS:
            yield from _bodies(skills.stat_locks(mobile), *skills.learned(mobile, dialect.skills))
        yield from self._growth_and_tooltip(mobile, flags, dialect)

    def _changed(self, mobile: Mobile, flags: int, dialect: UoDialect) -> Iterator[Outgoing]:
        if flags & MobileDelta.HUE:
            yield from _bodies(Removed(mobile.serial))
        if flags & (MobileDelta.HUE | MobileDelta.BODY):
            yield from _bodies(self.appearance.incoming(mobile, dialect))
        if flags & (MobileDelta.FLAGS | MobileDelta.NOTO):
            yield from _bodies(self.appearance.standing(mobile))
        if flags & MobileDelta.NAME:
            yield from _bodies(look.compact_status(mobile))
        elif flags & MobileDelta.HITS:
            yield from _bodies(Hits(mobile.serial, look.HITS_SCALE, look.scaled_hits(mobile)))
        yield from self._growth_and_tooltip(mobile, flags, dialect)

    def _growth_and_tooltip(self, mobile: Mobile, flags: int, dialect: UoDialect) -> Iterator[Outgoing]:
        for flag, layer in ((MobileDelta.HAIR, Layer.HAIR), (MobileDelta.FACIAL_HAIR, Layer.FACIAL_HAIR)):
            if flags & flag and layer not in mobile.worn:
                item, hue = self.appearance.growth(mobile, layer)
                serial = look.growth_serial(mobile, layer)
                yield from _bodies(
                    WornItem(serial, item, layer, mobile.serial, hue) if item else Removed(serial)
                )
        # A name is the first line of its tooltip.
        if flags & (MobileDelta.PROPERTIES | MobileDelta.NAME):
            yield from _revision(mobile, dialect)

    def _item_changed(self, item: Item, flags: int, dialect: UoDialect) -> Sequence[Outgoing]:
        holder = item.parent
        shown: list[Outgoing] = []
        if isinstance(holder, Mobile):
            if not item.layer:
                return []  # in the hand, which only its client shows, by itself
            if flags & ItemDelta.UPDATE and look.wears_visibly(holder, item.layer):
                shown = _bodies(self.appearance.worn_item(item, holder))
        elif flags & ItemDelta.UPDATE:
            if holder is not None:
                shown = _bodies(self.appearance.contained(item, holder, dialect))
            elif item.realm is not None:
                shown = _bodies(self.appearance.on_ground(item, dialect))
        if shown:
            shown.extend(_revision(item, dialect))
        return shown

    # Moments

    @EVENTS.renders(Stepped)
    def _stepped(self, event: Stepped, audience: Hashable, dialect: UoDialect) -> Sequence[Outgoing]:
        """0x77 to others; its own client was answered (0x22)."""
        if audience is Viewer.SELF:
            return []
        return _bodies(self.appearance.moved(event.thing, event.x, event.y, event.heading, running=event.run))

    @EVENTS.renders(Jumped)
    def _jumped(self, event: Jumped, audience: Hashable, dialect: UoDialect) -> Sequence[Outgoing]:
        """0x78 to others, where it is now."""
        return () if audience is Viewer.SELF else self.show(event.thing, audience, dialect)

    @EVENTS.renders(Turned)
    def _turned(self, event: Turned, audience: Hashable, dialect: UoDialect) -> Sequence[Outgoing]:
        """0x77 to others; 0x20 to its own client if the world turned it."""
        if audience is Viewer.SELF:
            return [self.place_player(event.thing)] if event.forced else []
        return _bodies(self.appearance.moved(event.thing, event.x, event.y, event.heading, running=False))

    @EVENTS.renders(Warped)
    def _warped(self, event: Warped, audience: Hashable, dialect: UoDialect) -> Sequence[Outgoing]:
        """0x20 to its own client, behind 0xBF 8 on another map; others see it gone."""
        if audience is not Viewer.SELF:
            return []
        mobile = event.thing
        told: list[Outgoing] = []
        if mobile.realm is not None:
            there = self.appearance.atlas(mobile.realm).map
            if there != self.appearance.atlas(event.from_realm).map:
                told.extend(_bodies(MapChange(there)))
        told.append(self.place_player(mobile))
        return told

    @EVENTS.renders(Said)
    def _said(self, event: Said, audience: Hashable, dialect: UoDialect) -> Sequence[Outgoing]:
        """0xAE over the speaker's head, or as a line of the system's; 0xB2 where the chat window is open."""
        if event.how is Speech.GLOBAL:
            return [chatting.ToAll(event, _from_nobody(event))]
        return _bodies(self._words(event))

    def _words(self, event: Said) -> UnicodeMessage:
        speaker, kind = event.thing, _KINDS.get(event.how)
        if speaker is None or kind is None:
            return _from_nobody(event)
        body = self.appearance.body(speaker) if isinstance(speaker, Mobile) else self.appearance.art(speaker)
        text = f"*{event.text}*" if event.how is Speech.EMOTE else event.text
        hue = max(FIRST_HUE, min(LAST_HUE, event.hue)) if event.hue else DEFAULT_SPEECH_HUE
        return UnicodeMessage(
            speaker.serial, body, kind, hue, event.font & 0xFFFF, event.language, event.name, text
        )

    @EVENTS.renders(Gestured)
    def _gestured(self, event: Gestured, audience: Hashable, dialect: UoDialect) -> Sequence[Outgoing]:
        """0xE2 or 0x6E for bow and salute, words over the head for the others."""
        mobile = event.thing
        if event.gesture in _ANIMATIONS:
            action, emote = _ANIMATIONS[event.gesture]
            if dialect.new_animations:
                return _bodies(NewAnimation(mobile.serial, 7, emote, 0))
            return _bodies(Animation(mobile.serial, action, 5, 1, False, False, 0))
        words = _EMOTES.get(event.gesture)
        if words is None:
            return []
        return _bodies(
            UnicodeMessage(
                mobile.serial,
                self.appearance.body(mobile),
                SpeechKind.EMOTE,
                DEFAULT_SPEECH_HUE,
                3,
                "ENU",
                mobile.name,
                f"*{words}*",
            )
        )

    @EVENTS.renders(Asked)
    def _asked(self, event: Asked, audience: Hashable, dialect: UoDialect) -> Sequence[Outgoing]:
        """0xDD or 0xB0: a gump with buttons."""
        return _bodies(dialogs.gump_of(event.dialog, dialect, self.appearance.picture))

    @EVENTS.renders(Closed)
    def _closed(self, event: Closed, audience: Hashable, dialect: UoDialect) -> Sequence[Outgoing]:
        """0xBF 4 closes the gump."""
        return _bodies(dialogs.close(event.dialog))

    @EVENTS.renders(Died)
    def _died(self, event: Died, audience: Hashable, dialect: UoDialect) -> Sequence[Outgoing]:
        """0x2C to its own client; others see the ghost's body (0x78)."""
        return _bodies(YouAreDead(0)) if audience is Viewer.SELF else []

    @EVENTS.renders(Opened)
    def _opened(self, event: Opened, audience: Hashable, dialect: UoDialect) -> Sequence[Outgoing]:
        """0x54: the sound of a door."""
        if event.thing.realm is None:
            return []
        at = self.appearance.atlas(event.thing.realm)
        return _bodies(Sound(1, DOOR_SOUND, 0, at.x + event.x, at.y + event.y, at.z))

    @EVENTS.renders(Taken)
    def _taken(self, event: Taken, audience: Hashable, dialect: UoDialect) -> Sequence[Outgoing]:
        """0x1D takes it out of the paperdoll or the container."""
        return _bodies(Removed(event.thing.serial))

    @EVENTS.renders(Bounced)
    def _bounced(self, event: Bounced, audience: Hashable, dialect: UoDialect) -> Sequence[Outgoing]:
        """0x27: the item is not in the hand any more.

        Its client shows it there until it is told; where it is now other packets say. 0x27 is what every
        client understands (POL, clear_gotten_item).
        """
        return _bodies(LiftRefused(LiftRefusal.UNSPECIFIC))


EVENTS.leaves_out(Entered, because="whoever comes into sight is shown there: 0x78, things 0xF3 or 0x1A")
EVENTS.leaves_out(Left, because="0x1D takes away whatever goes out of sight")
EVENTS.leaves_out(Swung, because="nobody is struck by it; the blows of a fight come with what they do")
EVENTS.leaves_out(SetOut, because="0x77 tells each tile of the way when it is reached")
EVENTS.leaves_out(Halted, because="the client goes no farther than the tile it was told last")
EVENTS.leaves_out(
    Revived,
    because="the living body in 0x20 and 0x78 says it; ClassicUO takes any 0x2C but action 1 for a death",
)

EVENTS.changes(
    MobileDelta,
    {
        MobileDelta.NAME: Shown("0x11, and which tooltip it has (0xDC)"),
        MobileDelta.FLAGS: Shown("0x77; whoever hides goes out of sight"),
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
"""What the player's whole status has to be sent for; it carries hits, mana and stamina along."""


def knows_content(session: UoSession, container: Item) -> bool:
    """Whether a client knows what is in a container: its own pack, or one that was opened for it. Old clients
    crash on an item in something they have never seen, and nobody sees into closed chests."""
    mobile = session.mobile
    return (mobile is not None and container is mobile.backpack) or container.serial in session.opened


def close(session: UoSession, item: Item) -> bool:
    """A client that takes a container into its hand, or out of its world, forgets what is in it (ClassicUO,
    Game/World.cs, RemoveItem). Returns whether it, or one within, had been opened."""
    opened = session.opened
    if not opened:
        return False
    before = len(opened)
    opened.discard(item.serial)
    for inner in item.contents.values():
        close(session, inner)
    return len(opened) < before


def system_message(text: str, hue: int = SYSTEM_HUE) -> UnicodeMessage:
    """0xAE: a line from the server."""
    return UnicodeMessage(SYSTEM_SERIAL, SYSTEM_BODY, SpeechKind.SAY, hue, 3, "ENU", "System", text)


def _from_nobody(moment: Said) -> UnicodeMessage:
    """Words whose speaker need not be in sight: the client would not show them over anybody's head."""
    if moment.how is Speech.TELL:
        return system_message(f"{moment.name} tells you: {moment.text}", TELL_HUE)
    if moment.how is Speech.GLOBAL:
        return system_message(f"[{moment.name}] {moment.text}", TELL_HUE)
    if moment.how is Speech.PARTY:
        return system_message(f"[party][{moment.name}] {moment.text}", TELL_HUE)
    return system_message(moment.text, ANNOUNCE_HUE if moment.how is Speech.ANNOUNCE else SYSTEM_HUE)


def _bodies(*packets: Encodable) -> list[Outgoing]:
    return [Body(packet.encode(), droppable=packet.droppable) for packet in packets]


def _revision(thing: Mobile | Item, dialect: UoDialect) -> list[Outgoing]:
    if not dialect.tooltips:
        return []
    return [look.once(thing, "uo tooltip", lambda: Body(look.revision(thing).encode()))]
