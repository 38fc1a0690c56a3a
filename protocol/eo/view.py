"""How Endless Online shows the world.

Characters of every game are EO players, residents are NPCs, and both believe in whole tiles and four
directions. A client forgets what walks out of its sight only by looking at where it last saw it, so whatever
leaves sight is taken away explicitly (eoserv does the same).
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final, cast

from eolib import (
    AttackPlayerServerPacket,
    AvatarAgreeServerPacket,
    AvatarRemoveServerPacket,
    ChairCloseServerPacket,
    ChairPlayerServerPacket,
    Coords,
    Direction,
    DoorOpenServerPacket,
    Emote,
    EmotePlayerServerPacket,
    FacePlayerServerPacket,
    ItemAddServerPacket,
    ItemRemoveServerPacket,
    NearbyInfo,
    NpcAgreeServerPacket,
    NpcKilledData,
    NpcPlayerServerPacket,
    NpcSpecServerPacket,
    NpcUpdateChat,
    NpcUpdatePosition,
    Packet,
    PlayersAgreeServerPacket,
    RecoverListServerPacket,
    RecoverPlayerServerPacket,
    RecoverReplyServerPacket,
    SitCloseServerPacket,
    SitPlayerServerPacket,
    SitRemoveServerPacket,
    TalkAnnounceServerPacket,
    TalkMsgServerPacket,
    TalkOpenServerPacket,
    TalkPlayerServerPacket,
    TalkRequestServerPacket,
    TalkServerServerPacket,
    TalkTellServerPacket,
    WalkPlayerServerPacket,
    WarpEffect,
    WarpRequestServerPacket,
    WarpType,
)

from protocol.endings import Ending
from protocol.eo.dialogs import quest_dialog
from protocol.eo.figures import NAMING, coords
from protocol.eo.looks import to_direction
from protocol.eo.packets import encode
from protocol.eo.session import EoSession, PendingWarp
from protocol.eo.status import CLASS_ID, MOST_HP, stats_update
from protocol.rendering import LeftOut, Renderings, Shown
from protocol.wire.body import Body
from world.audience import Relation, relation
from world.delta import ItemDelta, MobileDelta
from world.heading import OFFSETS
from world.item import Item
from world.mobile import Mobile, Posture
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
    Why,
)
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from protocol.eo.downloads import Downloads
    from protocol.eo.figures import Figures
    from protocol.session import Outgoing, Session
    from world.dialog import Dialog
    from world.thing import Thing


class Audience(IntEnum):
    """What differs between two viewers of one thing."""

    SELF = Relation.SELF
    OTHER = Relation.OTHER
    # No number of a `Relation` from here on: those drawn apart are viewers, too.
    MAN = 10
    """Of items: the client of a male character, who is shown men's clothes."""
    WOMAN = 11
    TOLD = 12
    """Of an item on the ground: the client that was told of it by an answer in this turn."""


SIGHT_NEAR: Final = 11
SIGHT_FAR: Final = 14
"""Tiles, Manhattan. One sees farther to the lower right, where the slanted picture is longer
(sorokya/reoserv: client range)."""

NOWHERE: Final = Coords(x=252, y=252)
"""Where an NPC is sent that is not seen any more, as eoserv does. There the client forgets it."""

STEP_MS: Final = 480
"""What one step takes in the client: four frames of 120 ms."""

NEUTRAL_KARMA: Final = 1000

EMOTES: Final = {
    "happy": Emote.Happy,
    "depressed": Emote.Depressed,
    "sad": Emote.Sad,
    "angry": Emote.Angry,
    "confused": Emote.Confused,
    "surprised": Emote.Surprised,
    "laugh": Emote.Playful,
    "love": Emote.Hearts,
    "moon": Emote.Moon,
    "suicidal": Emote.Suicidal,
    "embarrassed": Emote.Embarrassed,
    "drunk": Emote.Drunk,
}
"""EO's picture for the world's gestures; for the others there are words."""
_WORDS: Final = {
    "bow": "*bows*",
    "salute": "*salutes*",
    "wave": "*waves*",
    "dance": "*dances*",
    "kneel": "*kneels*",
    "pose": "*strikes a pose*",
}

_REPLACED_BY: Final = MobileDelta.BODY | MobileDelta.HUE | MobileDelta.NAME
"""Changes for which EO has no packet but the one that places a character."""

_OWNED_BY: Final = MobileDelta.WEIGHT | MobileDelta.ARMOR | MobileDelta.BODY
"""Changes that may be of what it owns, or of the records of that: some are one sex's."""


def in_sight(dx: int, dy: int) -> bool:
    """EO's field of view, with dx, dy = thing minus viewer."""
    return abs(dx) + abs(dy) <= (SIGHT_NEAR if dx <= 0 or dy <= 0 else SIGHT_FAR)


SIGHT: Final = Sight(SIGHT_FAR, in_sight)


EVENTS: Final[Renderings[EoView, Hashable]] = Renderings()
"""There is one dialect."""


class WarpRequest:
    """Tells one client to load another place; the number by which it will answer is its own."""

    droppable = False

    def __init__(self, downloads: Downloads, map_id: int) -> None:
        self._downloads = downloads
        self._map_id = map_id

    def bind(self, session: Session) -> bytes:
        """The packet for this client; notes in its session what it has to answer. None where it has no map:
        it is about to be sent away."""
        if self._map_id not in self._downloads.maps:
            return b""
        client = cast("EoSession", session)
        client.warp = PendingWarp(client.new_token(), self._map_id)
        kind, data = WarpType.Local, None
        if self._map_id != client.map_id:
            file = self._downloads.maps[self._map_id]
            kind = WarpType.MapSwitch
            data = WarpRequestServerPacket.WarpTypeDataMapSwitch(map_rid=file.rid, map_file_size=file.size)
        return encode(
            WarpRequestServerPacket(
                warp_type=kind, map_id=self._map_id, warp_type_data=data, session_id=client.warp.token
            )
        )


class EoView:
    """Implements `protocol.family.View`."""

    bystander: Hashable | None = Audience.OTHER
    apart: Collection[Relation] = frozenset()
    declared = EVENTS
    loads_on_warp = True
    forgets_by_loading = True
    gait_ms = (STEP_MS, STEP_MS)
    """Nobody runs in this game."""

    def __init__(self, figures: Figures, downloads: Downloads) -> None:
        self.figures = figures
        self.downloads = downloads
        self._default_behavior = next(iter(downloads.quest_behaviors.values()), 0)

    def sight(self, session: Session) -> Sight:
        """The same for all clients."""
        return SIGHT

    def audience(self, session: Session, thing: Thing) -> Hashable:
        """What kind of viewer this is."""
        if thing is session.mobile:
            return Audience.SELF
        if not isinstance(thing, Item):
            if self.apart and (found := relation(session.mobile, thing)) in self.apart:
                return found
            return Audience.OTHER
        client = cast("EoSession", session)
        if thing.parent is not None and thing.root is client.mobile:
            return Audience.SELF
        if client.draws(thing):
            return Audience.TOLD
        return Audience.WOMAN if client.mobile is not None and client.mobile.female else Audience.MAN

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Place a thing, or place it anew."""
        if audience == Audience.TOLD:
            return ()
        if isinstance(thing, Item):
            info = self.figures.item(thing, female=audience == Audience.WOMAN)
            return _bodies(
                ItemAddServerPacket(
                    item_id=info.id, item_index=info.uid, item_amount=info.amount, coords=info.coords
                )
            )
        if not isinstance(thing, Mobile):
            return ()
        if self.figures.is_npc(thing):
            return _bodies(NpcAgreeServerPacket(npcs=[self.figures.npc(thing)]))
        nearby = NearbyInfo(characters=[self.figures.character(thing)], npcs=[], items=[])
        return _bodies(PlayersAgreeServerPacket(nearby=nearby))

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Take a thing away."""
        ids = self.figures.ids
        if isinstance(thing, Item):
            uid = ids.items.last(thing)
            return () if uid is None else _bodies(ItemRemoveServerPacket(item_index=uid))
        if not isinstance(thing, Mobile):
            return ()
        if self.figures.is_npc(thing):
            index = ids.last_npc_index(thing)
            return () if index is None else self._hide_npc(index, why)
        number = ids.players.number(thing)
        if number is None:
            return ()
        effect = WarpEffect.Scroll if why is Why.WARPED and thing.realm is not None else None
        return _bodies(AvatarRemoveServerPacket(player_id=number, warp_effect=effect))

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """New state of a thing."""
        if isinstance(thing, Item):
            return self._item_changed(thing, audience)
        if not isinstance(thing, Mobile) or self.figures.is_npc(thing):
            return ()
        if audience == Audience.SELF:
            return self._own_state(thing, flags)
        if flags & _REPLACED_BY:
            return self.show(thing, audience, dialect)
        return self._looks_of(thing, flags, own=False)

    def effect(self, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Something happened."""
        return EVENTS.handlers[type(event)](self, event, audience, dialect)

    def knows_content(self, session: Session, container: Item) -> bool:
        """This game has no containers; of its own the client is told by amounts."""
        return False

    def forget(self, session: Session, item: Item) -> bool:
        """Nothing lies in anything."""
        return False

    def moved(self, session: Session) -> None:
        """Nothing but this: a client cannot stay where it has no map."""
        mobile = session.mobile
        if mobile is not None and mobile.realm is not None and not self.figures.map_id(mobile):
            session.end(Ending.KICKED, f"{mobile.realm.name} has no map for this game")

    # Events

    @EVENTS.renders(Stepped)
    def _stepped(self, event: Stepped, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Walk_Player or Npc_Player to others; its own client has drawn it already."""
        return () if audience == Audience.SELF else self._placed(event)

    @EVENTS.renders(Jumped)
    def _jumped(self, event: Jumped, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Players_Agree or Npc_Agree to others, where it is now."""
        return () if audience == Audience.SELF else self.show(event.thing, audience, dialect)

    @EVENTS.renders(Turned)
    def _turned(self, event: Turned, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Face_Player or Npc_Player; to its own client if the world turned it."""
        return self._placed(event) if audience != Audience.SELF or event.forced else ()

    @EVENTS.renders(Swung)
    def _swung(self, event: Swung, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Attack_Player to others; its own client has drawn it already."""
        number = self.figures.ids.players.number(event.thing)
        if audience == Audience.SELF or number is None:
            return ()
        swing = AttackPlayerServerPacket(player_id=number, direction=to_direction(event.heading))
        return (Body(encode(swing), droppable=True),)

    @EVENTS.renders(Warped)
    def _warped(self, event: Warped, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Warp_Request to its own client; others see it gone."""
        map_id = self.figures.map_id(event.thing) if audience == Audience.SELF else 0
        return (WarpRequest(self.downloads, map_id),) if map_id else ()

    @EVENTS.renders(Asked)
    def _asked(self, event: Asked, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Quest_Dialog with a link for each answer."""
        return _bodies(quest_dialog(event.dialog, self._behavior(event.dialog)))

    @EVENTS.renders(Died)
    def _died(self, event: Died, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Words to its own client (Talk_Server); others see the ghost."""
        return self._told(event, audience)

    @EVENTS.renders(Revived)
    def _revived(self, event: Revived, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Words to its own client (Talk_Server); others see the living."""
        return self._told(event, audience)

    @EVENTS.renders(Opened)
    def _opened(self, event: Opened, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Door_Open."""
        return _bodies(DoorOpenServerPacket(coords=Coords(x=event.x, y=event.y)))

    # Parts

    def _told(self, event: Event, audience: Hashable) -> Sequence[Outgoing]:
        """What the event says of itself, for its own player alone."""
        words = event.words(own=True) if audience == Audience.SELF else None
        return () if words is None else _bodies(TalkServerServerPacket(message=words))

    def _hide_npc(self, index: int, why: Why) -> Sequence[Outgoing]:
        away = _npc_at(index, NOWHERE, Direction.Down)
        if why in {Why.WALKED, Why.HIDDEN}:
            # It may be back soon, and eoweb takes away what it was told is dead some time after it was told.
            return _bodies(away)
        gone = NpcSpecServerPacket(
            npc_killed_data=NpcKilledData(
                killer_id=0,
                killer_direction=Direction.Down,
                npc_index=index,
                drop_index=0,
                drop_id=0,
                drop_coords=Coords(x=0, y=0),
                drop_amount=0,
                damage=0,
            )
        )
        return _bodies(away, gone)

    def _placed(self, moment: Stepped | Turned) -> Sequence[Outgoing]:
        """A mobile on its new tile or facing its new way. A diagonal step shows as one along the nearest
        direction.

        Who goes another way than it faces sits down or stands up: its new posture says where.
        """
        mobile, direction = moment.thing, to_direction(moment.heading)
        there = Coords(x=moment.x, y=moment.y)
        if self.figures.is_npc(mobile):
            return _bodies(_npc_at(self.figures.npc_index(mobile), there, direction))
        number = self.figures.player_id(mobile)
        if isinstance(moment, Stepped):
            if (moment.x - moment.from_x, moment.y - moment.from_y) != OFFSETS[moment.heading]:
                return ()
            return _bodies(WalkPlayerServerPacket(player_id=number, direction=direction, coords=there))
        return _bodies(FacePlayerServerPacket(player_id=number, direction=direction))

    @EVENTS.renders(Said)
    def _said(self, event: Said, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Talk_Player or Npc_Player, and Talk packets of their own for tells, companies, everybody and the
        server; its own client shows what it said itself."""
        name, text, thing = NAMING.speaker(event).lower(), event.text, event.thing
        match event.how:
            case Speech.SYSTEM:
                return _bodies(TalkServerServerPacket(message=text))
            case Speech.ANNOUNCE:
                return _bodies(TalkAnnounceServerPacket(player_name=name, message=text))
            case Speech.GLOBAL:
                return _bodies(TalkMsgServerPacket(player_name=name, message=text))
            case Speech.EMOTE:
                text = f"*{text}*"
            case Speech.TELL:
                return _bodies(TalkTellServerPacket(player_name=name, message=text))
        if audience == Audience.SELF:
            return ()
        if event.how is Speech.GUILD:
            return _bodies(TalkRequestServerPacket(player_name=name, message=text))
        if event.how is Speech.ALLIANCE:  # of which this game knows nothing
            return _bodies(TalkServerServerPacket(message=f"[alliance] {event.name}: {text}"))
        if isinstance(thing, Mobile):
            if event.how is Speech.PARTY:
                return _bodies(TalkOpenServerPacket(player_id=self.figures.player_id(thing), message=text))
            return self._spoke(thing, text)
        return _bodies(TalkServerServerPacket(message=f"{NAMING.speaker(event)}: {text}"))

    def _spoke(self, mobile: Mobile, text: str) -> Sequence[Outgoing]:
        if self.figures.is_npc(mobile):
            chat = NpcUpdateChat(npc_index=self.figures.npc_index(mobile), message=text)
            return _bodies(NpcPlayerServerPacket(positions=[], attacks=[], chats=[chat]))
        return _bodies(TalkPlayerServerPacket(player_id=self.figures.player_id(mobile), message=text))

    @EVENTS.renders(Gestured)
    def _gestured(self, event: Gestured, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Emote_Player, or words for those that have no picture; its own client has drawn it already."""
        if audience == Audience.SELF:
            return ()
        emote = EMOTES.get(event.gesture)
        if emote is None or self.figures.is_npc(event.thing):
            return self._spoke(event.thing, _WORDS.get(event.gesture, f"*{event.gesture}*"))
        packet = EmotePlayerServerPacket(player_id=self.figures.player_id(event.thing), emote=emote)
        return (Body(encode(packet), droppable=True),)

    def _behavior(self, dialog: Dialog) -> int:
        """By which the client finds who asks; a question of nobody's is asked in the name of the first that
        may ask."""
        if dialog.asker is not None and self.figures.is_npc(dialog.asker):
            record = self.figures.looks.npcs[dialog.asker.template.key].id
            return self.downloads.quest_behaviors.get(record, self._default_behavior)
        return self._default_behavior

    def _item_changed(self, item: Item, audience: Hashable) -> Sequence[Outgoing]:
        if audience == Audience.SELF and isinstance(item.root, Mobile):
            return self._owned(item.root)
        uid = self.figures.ids.items.number(item)
        # What is worn is shown with the mobile that wears it, which has changed, too.
        if item.realm is None or uid is None or audience == Audience.TOLD:
            return ()
        return (*_bodies(ItemRemoveServerPacket(item_index=uid)), *self.show(item, audience, None))

    def _own_state(self, mobile: Mobile, flags: int) -> Sequence[Outgoing]:
        packets: list[Packet] = []
        owned = self._owned(mobile) if flags & _OWNED_BY else ()
        if flags & (MobileDelta.HITS | MobileDelta.MANA):
            packets.append(recover_player(mobile))
        if flags & MobileDelta.STAT:
            packets.append(RecoverListServerPacket(class_id=CLASS_ID, stats=stats_update(mobile)))
            packets.append(
                RecoverReplyServerPacket(experience=max(0, mobile.experience), karma=NEUTRAL_KARMA)
            )
        # What puts something on draws it, too, as it sees fit; how it really looks comes after that.
        return (*owned, *_bodies(*packets), *self._looks_of(mobile, flags, own=True))

    def _owned(self, mobile: Mobile) -> Sequence[Outgoing]:
        """What its client does not know yet of what it carries and wears."""
        session = self._session_of(mobile)
        return _bodies(*session.belongings.settle(self.figures, mobile)) if session is not None else ()

    def _session_of(self, mobile: Mobile) -> EoSession | None:
        """The client of this game that plays it."""
        players = self.figures.ids.players
        number = players.number(mobile)
        session = players.sessions.get(number) if number is not None else None
        return session if session is not None and session.mobile is mobile else None

    def _looks_of(self, mobile: Mobile, flags: int, *, own: bool) -> Sequence[Outgoing]:
        packets: list[Packet] = []
        if flags & (MobileDelta.ARMOR | MobileDelta.BODY):
            packets.append(AvatarAgreeServerPacket(change=self.figures.equipment_change(mobile)))
        if flags & MobileDelta.HAIR:
            packets.append(AvatarAgreeServerPacket(change=self.figures.hair_change(mobile)))
        if flags & MobileDelta.POSTURE:
            packets.append(self._own_posture(mobile) if own else self._posture(mobile))
        return _bodies(*packets)

    def _own_posture(self, mobile: Mobile) -> Packet:
        """Its own client has another word for standing up, one for each kind of seat (eoserv:
        src/handlers/Chair.cpp)."""
        session = self._session_of(mobile)
        if session is not None and mobile.posture == Posture.STANDING:
            close = ChairCloseServerPacket if session.on_chair else SitCloseServerPacket
            session.on_chair = False
            return close(player_id=session.player_id, coords=coords(mobile))
        if session is not None:
            session.on_chair = mobile.posture == Posture.CHAIR
        return self._posture(mobile)

    def _posture(self, mobile: Mobile) -> Packet:
        number, place = self.figures.player_id(mobile), coords(mobile)
        direction = to_direction(mobile.heading)
        if mobile.posture == Posture.FLOOR:
            return SitPlayerServerPacket(player_id=number, coords=place, direction=direction)
        if mobile.posture == Posture.CHAIR:
            return ChairPlayerServerPacket(player_id=number, coords=place, direction=direction)
        return SitRemoveServerPacket(player_id=number, coords=place)


EVENTS.leaves_out(Entered, because="whoever comes into sight is placed: Players_Agree, Npc_Agree, Item_Add")
EVENTS.leaves_out(
    Left, because="Avatar_Remove, Npc_Spec and Item_Remove take away whatever goes out of sight"
)
EVENTS.leaves_out(SetOut, because="each step of the way is told when it is taken")
EVENTS.leaves_out(Halted, because="the client goes no farther than the step it was told last")
EVENTS.leaves_out(
    Taken, because="what it loses its own client is told by amounts; clothes come with their wearer"
)
EVENTS.leaves_out(Bounced, because="there is no hand: what was held counts as carried all the time")
EVENTS.leaves_out(Closed, because="an open dialog cannot be closed from here; an answer to it counts no more")

EVENTS.changes(
    MobileDelta,
    {
        MobileDelta.NAME: Shown("Players_Agree anew, to others"),
        MobileDelta.FLAGS: LeftOut("nobody runs, and whoever hides goes out of sight"),
        MobileDelta.HITS: Shown("Recover_Player to its own client"),
        MobileDelta.MANA: Shown("Recover_Player to its own client"),
        MobileDelta.STAM: LeftOut("this game has none"),
        MobileDelta.STAT: Shown("Recover_List and Recover_Reply to its own client"),
        MobileDelta.NOTO: LeftOut("names have one colour"),
        MobileDelta.WEIGHT: Shown("what its own client does not know yet of what it has"),
        MobileDelta.HUE: Shown("Players_Agree anew, to others"),
        MobileDelta.BODY: Shown("Players_Agree anew to others, Avatar_Agree to its own client"),
        MobileDelta.ARMOR: Shown("Avatar_Agree; what its own client does not know yet of what it has"),
        MobileDelta.PROPERTIES: LeftOut(
            "a title is read in the paperdoll, which is made when it is asked for"
        ),
        MobileDelta.HAIR: Shown("Avatar_Agree"),
        MobileDelta.FACIAL_HAIR: LeftOut("nobody has a beard"),
        MobileDelta.SKILLS: LeftOut("this game shows no skills of that kind"),
        MobileDelta.POSTURE: Shown(
            "Sit_Player, Chair_Player or Sit_Remove; Sit_Close or Chair_Close to its own client"
        ),
        MobileDelta.GAME: LeftOut("figures do not say through which game they are played"),
        MobileDelta.TARGET: LeftOut("this game knows no aim"),
    },
)
EVENTS.changes(
    ItemDelta,
    {ItemDelta.UPDATE: Shown("Item_Remove and Item_Add on the ground; to whom it belongs by amounts")},
)


def recover_player(mobile: Mobile) -> RecoverPlayerServerPacket:
    """One's own bars."""
    return RecoverPlayerServerPacket(
        hp=max(0, min(mobile.hits, MOST_HP)), tp=max(0, min(mobile.mana, MOST_HP))
    )


def _npc_at(index: int, place: Coords, direction: Direction) -> NpcPlayerServerPacket:
    position = NpcUpdatePosition(npc_index=index, coords=place, direction=direction)
    return NpcPlayerServerPacket(positions=[position], attacks=[], chats=[])


def _bodies(*packets: Packet) -> tuple[Body, ...]:
    return tuple(Body(encode(packet)) for packet in packets)
