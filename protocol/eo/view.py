"""The world as Endless Online's clients are shown it.

Characters of every game are EO players, residents are NPCs, and both believe in whole tiles and four
directions. A client forgets what walks out of its sight only by looking at where it last saw it, so whatever
leaves sight is taken away explicitly (eoserv does the same).

Messages are the same for all viewers of a kind (`Audience`), so that a step in a crowd is encoded once; what
its own client is told of its state and of what it owns goes by what that client believes
(`belongings.py`). Only the order to load another map (`WarpRequest`) is finished for each client, because it
will answer by a number of its own. Words and gestures are made in `words.py`, dialogs in `dialogs.py`.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final, Self, cast

from eolib import (
    AttackPlayerServerPacket,
    AvatarAgreeServerPacket,
    AvatarRemoveServerPacket,
    ChairCloseServerPacket,
    Coords,
    DoorOpenServerPacket,
    ItemAddServerPacket,
    ItemRemoveServerPacket,
    NearbyInfo,
    NpcAgreeServerPacket,
    Packet,
    PlayersAgreeServerPacket,
    SitCloseServerPacket,
    WarpEffect,
)

from protocol.endings import Ending
from protocol.eo import boards, chests, combat, counters, guilds, journals, motion, parties, trading
from protocol.eo.belongings import difference
from protocol.eo.dialogs import question
from protocol.eo.downloads import WarpRequest
from protocol.eo.figures import coords
from protocol.eo.looks import to_direction
from protocol.eo.packets import bodies, body
from protocol.eo.sheets import OwnGrowth, OwnNumbers, OwnStats
from protocol.eo.status import recover_player
from protocol.eo.words import gestured, said, told
from protocol.rendering import LeftOut, Renderings, Shown, tells_of_acquaintances
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
from world.service_events import BoardOpened, CounterClosed, ShopOpened, Traded, VaultOpened
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    from protocol.eo.downloads import Downloads
    from protocol.eo.figures import Figures
    from protocol.eo.session import EoSession
    from protocol.outgoing import Outgoing
    from world.mobile import Dialog
    from world.thing import Thing


class Audience(IntEnum):
    """Kinds of viewers of one thing."""

    SELF = Relation.SELF
    OTHER = Relation.OTHER
    # No number of a `Relation` from here on: those drawn apart are viewers, too.
    MAN = 10
    """Of items: the client of a male character, who is shown men's clothes."""
    WOMAN = 11
    TOLD = 12
    """Of an item on the ground: the client that was told of it by an answer in this turn."""
    FOUGHT = 13
    """Of a creature: the client of whom it fights."""

    __hash__ = int.__hash__  # see Relation


SIGHT_NEAR: Final = 11
SIGHT_FAR: Final = 14
"""Tiles, Manhattan. One sees farther to the lower right, where the slanted picture is longer
(sorokya/reoserv: client range)."""

STEP_MS: Final = 480
"""Milliseconds of one step in the client: four frames of 120."""

_REPLACED_BY: Final = MobileDelta.BODY | MobileDelta.HUE | MobileDelta.NAME | MobileDelta.PROPERTIES
"""Changes for which EO has no packet but the one that places a character."""

_OWNED_BY: Final = MobileDelta.WEIGHT | MobileDelta.ARMOR | MobileDelta.BODY
"""Changes that may be of what it owns, or of the records of that: some are one sex's."""


def in_sight(dx: int, dy: int) -> bool:
    """EO's field of view, with dx, dy = thing minus viewer."""
    return abs(dx) + abs(dy) <= (SIGHT_NEAR if dx <= 0 or dy <= 0 else SIGHT_FAR)


SIGHT: Final = Sight(SIGHT_FAR, in_sight, arrivals=False)


EVENTS: Final[Renderings[EoView, Hashable]] = Renderings()
"""There is one dialect."""


class EoView:
    """Implements `protocol.family.View`."""

    bystander: Hashable | None = Audience.OTHER
    onlooker: Hashable | None = None  # whom it fights is shown more (`Audience.FOUGHT`)
    unshown = 0
    apart: Collection[Relation] = frozenset()
    declared = EVENTS
    loads_on_warp = forgets_by_loading = True
    opens_corpses = False
    windows = frozenset({"shop", "vault", "journal", "board", "chest", "guild"})
    tells_own_steps = False
    gait_ms = (STEP_MS, STEP_MS)
    """Nobody runs in this game."""

    def __init__(self, figures: Figures, downloads: Downloads) -> None:
        self.figures = figures
        self.downloads = downloads
        self.default_behavior = next(iter(downloads.quest_behaviors.values()), 0)

    @classmethod
    def of(cls, session: EoSession) -> Self:
        """The view of a client's game."""
        return cast("Self", session.family.view)

    @property
    def clients(self) -> Mapping[int, EoSession]:
        """The living connections by player id."""
        return cast("Mapping[int, EoSession]", self.figures.ids.players.sessions)

    def sight(self, session: EoSession) -> Sight:
        """One field of view for all clients."""
        return SIGHT

    def audience(self, session: EoSession, thing: Thing) -> Hashable:
        """The kind of viewer this is: `Audience`, or a relation that is drawn apart."""
        if thing is session.mobile:
            return Audience.SELF
        if not isinstance(thing, Item):
            if isinstance(thing, Mobile) and _fights(thing, session.mobile):
                return Audience.FOUGHT
            if self.apart and (found := relation(session.mobile, thing)) in self.apart:
                return found
            return Audience.OTHER
        if thing.parent is not None and thing.root is session.mobile:
            return Audience.SELF
        if session.draws(thing):
            return Audience.TOLD
        return Audience.WOMAN if session.mobile is not None and session.mobile.female else Audience.MAN

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Place a thing, or place it anew."""
        if audience == Audience.TOLD:
            return ()
        if isinstance(thing, Item):
            info = self.figures.item(thing, female=audience == Audience.WOMAN)
            return bodies(
                ItemAddServerPacket(
                    item_id=info.id, item_index=info.uid, item_amount=info.amount, coords=info.coords
                )
            )
        if not isinstance(thing, Mobile):
            return ()
        if self.figures.is_npc(thing):
            return bodies(NpcAgreeServerPacket(npcs=[self.figures.npc(thing, dialect)]))
        nearby = NearbyInfo(characters=[self.figures.character(thing)], npcs=[], items=[])
        return bodies(PlayersAgreeServerPacket(nearby=nearby))

    place = show

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Take a thing away."""
        ids = self.figures.ids
        if isinstance(thing, Item):
            uid = ids.items.last(thing)
            return () if uid is None else bodies(ItemRemoveServerPacket(item_index=uid))
        if not isinstance(thing, Mobile):
            return ()
        if self.figures.is_npc(thing):
            packets = motion.npc_gone(self.figures, thing, why)
            return [combat.Unburied(thing, packet) for packet in packets] if thing.dead else packets
        number = ids.players.number(thing)
        if number is None:
            return ()
        effect = WarpEffect.Scroll if why is Why.WARPED and thing.realm is not None else None
        return bodies(AvatarRemoveServerPacket(player_id=number, warp_effect=effect))

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

    def event(self, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Something happened."""
        return EVENTS.handlers[type(event)](self, event, audience, dialect)

    def knows_content(self, session: EoSession, container: Item) -> bool:
        """Whether it was shown that chest; of its own pack the client is told by amounts."""
        return session.chest is not None and session.chest.chest is container

    def forget(self, session: EoSession, item: Item) -> bool:
        """A chest that is gone closes. One that is shown anew keeps its window."""
        chests.forget(session, item)
        return False

    def moved(self, session: EoSession) -> None:
        """Nothing but this: a client cannot stay where it has no map."""
        mobile = session.mobile
        if mobile is not None and mobile.realm is not None and not self.figures.map_id(mobile):
            session.end(Ending.KICKED, f"{mobile.realm.name} has no map for this game")

    # Events

    @EVENTS.renders(Stepped)
    def _stepped(self, event: Stepped, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Walk_Player or Npc_Player to others; its own client has drawn it already."""
        return () if audience == Audience.SELF else motion.placed(self.figures, event)

    @EVENTS.renders(Jumped)
    def _jumped(self, event: Jumped, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Players_Agree or Npc_Agree to others, where it is now."""
        return () if audience == Audience.SELF else self.show(event.thing, audience, dialect)

    @EVENTS.renders(Turned)
    def _turned(self, event: Turned, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Face_Player or Npc_Player; to its own client if the world turned it, or might just have."""
        if audience == Audience.SELF and not (event.forced or event.crossed):
            return ()
        return motion.placed(self.figures, event)

    @EVENTS.renders(Swung)
    def _swung(self, event: Swung, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Attack_Player to others; its own client has drawn it already."""
        number = self.figures.ids.players.number(event.thing)
        if audience == Audience.SELF or number is None:
            return ()
        swing = AttackPlayerServerPacket(player_id=number, direction=to_direction(event.heading))
        return (body(swing, droppable=True),)

    @EVENTS.renders(Warped)
    def _warped(self, event: Warped, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Warp_Request to its own client; others see it gone."""
        map_id = self.figures.map_id(event.thing) if audience == Audience.SELF else 0
        return (WarpRequest(self.downloads, map_id),) if map_id else ()

    @EVENTS.renders(Asked)
    def _asked(self, event: Asked, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Trade_Request or Party_Request, or Quest_Dialog with a link for each answer."""
        return bodies(question(self.figures, event.dialog, self._behavior(event.dialog)))

    @EVENTS.renders(Struck)
    def _struck(self, event: Struck, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Attack_Player to others, and Npc_Reply, Avatar_Reply or Npc_Player with the damage; Npc_Spec or
        Npc_Accept of a blow that kills an NPC. Who dies as a player is placed anew when it has fallen
        (Players_Agree, Warp_Request to its own client)."""
        own, victim = audience == Audience.SELF, audience == Audience.FOUGHT
        return combat.struck(self.figures, event, self._rises, own=own, victim=victim)

    @EVENTS.renders(Died)
    def _died(self, event: Died, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Npc_Spec, or Npc_Accept with a new level; of players a line of words (Talk_Server), and they are
        drawn as ghosts."""
        return combat.died(self.figures, event, own=audience == Audience.SELF)

    @EVENTS.renders(Gained)
    def _gained(self, event: Gained, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """With the death that gave it, else Recover_Reply; a line of words of what is lost."""
        return told(event) if event.experience < 0 else ()

    @EVENTS.renders(Advanced)
    def _advanced(self, event: Advanced, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Item_Accept to others; its own client is told by Npc_Accept or Recover_Reply."""
        return () if audience == Audience.SELF else combat.advanced(self.figures, event)

    @EVENTS.renders(Mended)
    def _mended(self, event: Mended, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Effect_Player, and Recover_Agree to others; its own client is told by Recover_Player."""
        return combat.mended(self.figures, event, own=audience == Audience.SELF)

    @EVENTS.renders(Revived)
    def _revived(self, event: Revived, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Words to its own client (Talk_Server); others see the living."""
        return told(event) if audience == Audience.SELF else ()

    @EVENTS.renders(Opened)
    def _opened(self, event: Opened, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Door_Open."""
        return bodies(DoorOpenServerPacket(coords=Coords(x=event.x, y=event.y)))

    @EVENTS.renders(Said)
    def _said(self, event: Said, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Talk_Player or Npc_Player, and Talk packets of their own for tells, companies, everybody and the
        server; its own client shows what it said itself."""
        return said(self.figures, event, own=audience == Audience.SELF)

    @EVENTS.renders(QuestChanged)
    def _quest(self, event: QuestChanged, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """A line of words (Talk_Server); the quest list shows it when it is next opened."""
        return told(event)

    @EVENTS.renders(Taken)
    def _taken(self, event: Taken, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Chest_Agree of a chest that was opened; what it loses its own client is told by amounts, clothes
        come with their wearer."""
        return chests.stirred(self.figures, event.container)

    @EVENTS.renders(Gestured)
    def _gestured(self, event: Gestured, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Emote_Player, or words for those that have no picture; its own client has drawn it already."""
        return () if audience == Audience.SELF else gestured(self.figures, event)

    # Parts

    def _rises(self, session: EoSession, dead: Mobile) -> None:
        """Show who has fallen as it is now; its own client lies there until it is warped."""
        if dead is session.mobile:
            session.loading = True
            session.known.clear()
            session.queue(WarpRequest(self.downloads, self.figures.map_id(dead)))
        elif session.known.get(dead.serial) is dead:  # else it left and came back, and was shown then
            session.queue(*self.show(dead, self.audience(session, dead), session.dialect))

    def _behavior(self, dialog: Dialog) -> int:
        """By which the client finds who asks; a question of nobody's is asked in the name of the first that
        may ask."""
        if dialog.asker is not None and self.figures.is_npc(dialog.asker):
            record = self.figures.looks.npcs[dialog.asker.template.key].id
            return self.downloads.quest_behaviors.get(record, self.default_behavior)
        return self.default_behavior

    def _item_changed(self, item: Item, audience: Hashable) -> Sequence[Outgoing]:
        if audience == Audience.SELF and isinstance(item.root, Mobile):
            return self._owned(item.root)
        uid = self.figures.ids.items.number(item)
        if item.parent is not None:
            # What is worn is shown with the mobile that wears it, which has changed, too.
            return chests.stirred(self.figures, item)
        if item.realm is None or uid is None or audience == Audience.TOLD:
            return ()
        return (*bodies(ItemRemoveServerPacket(item_index=uid)), *self.show(item, audience, None))

    def _own_state(self, mobile: Mobile, flags: int) -> Sequence[Outgoing]:
        owned = self._owned(mobile) if flags & _OWNED_BY else ()
        # The bars last: eoweb draws them as a part of what they can be.
        grown: Sequence[Outgoing] = ()
        if flags & MobileDelta.STAT:
            grown = OwnGrowth(mobile), OwnStats(mobile)
        elif flags & MobileDelta.SKILLS:
            grown = (OwnNumbers(mobile),)
        bars = bodies(recover_player(mobile)) if flags & (MobileDelta.HITS | MobileDelta.MANA) else ()
        # What puts something on draws it, too, as it sees fit; how it really looks comes after that.
        return (*owned, *grown, *bars, *self._looks_of(mobile, flags, own=True))

    def _owned(self, mobile: Mobile) -> Sequence[Outgoing]:
        """Packets of what its client does not know yet of what it carries and wears."""
        session = self.session_of(mobile)
        return bodies(*difference(session.belongings, self.figures, mobile)) if session is not None else ()

    def session_of(self, mobile: Mobile) -> EoSession | None:
        """The client of this game that plays it."""
        number = self.figures.ids.players.number(mobile)
        session = self.clients.get(number) if number is not None else None
        return session if session is not None and session.mobile is mobile else None

    def _looks_of(self, mobile: Mobile, flags: int, *, own: bool) -> Sequence[Outgoing]:
        packets: list[Packet] = []
        if flags & (MobileDelta.ARMOR | MobileDelta.BODY):
            packets.append(AvatarAgreeServerPacket(change=self.figures.equipment_change(mobile)))
        if flags & MobileDelta.HAIR:
            packets.append(AvatarAgreeServerPacket(change=self.figures.hair_change(mobile)))
        if flags & MobileDelta.POSTURE:
            packets.append(self._own_posture(mobile) if own else motion.posture(self.figures, mobile))
        return bodies(*packets)

    def _own_posture(self, mobile: Mobile) -> Packet:
        """Its own client has another word for standing up, one for each kind of seat (eoserv:
        src/handlers/Chair.cpp)."""
        session = self.session_of(mobile)
        if session is not None and mobile.posture == Posture.STANDING:
            close = ChairCloseServerPacket if session.on_chair else SitCloseServerPacket
            session.on_chair = False
            return close(player_id=session.player_id, coords=coords(mobile))
        if session is not None:
            session.on_chair = mobile.posture == Posture.CHAIR
        return motion.posture(self.figures, mobile)


EVENTS.renders(BoardOpened)(boards.opened)
EVENTS.renders(JournalOpened)(journals.opened)
EVENTS.renders(ShopOpened)(counters.shop_opened)
EVENTS.renders(VaultOpened)(counters.vault_opened)
parties.declare(EVENTS)
trading.declare(EVENTS)
guilds.declare(EVENTS)
tells_of_acquaintances(EVENTS)
EVENTS.tells(Practised, WeatherChanged, TimeSet, QuestsRenewed)
EVENTS.leaves_out(Engaged, because="the blows show who fights whom")
EVENTS.leaves_out(Disengaged, because="the last blow, or the death, has shown it")
EVENTS.leaves_out(Entered, because="whoever comes into sight is placed: Players_Agree, Npc_Agree, Item_Add")
EVENTS.leaves_out(Left, because="Avatar_Remove, Npc_Spec and Item_Remove take away what goes out of sight")
EVENTS.leaves_out(SetOut, because="each step of the way is told when it is taken")
EVENTS.leaves_out(Halted, because="the client goes no farther than the step it was told last")
EVENTS.leaves_out(Bounced, because="there is no hand: what was held counts as carried all the time")
EVENTS.leaves_out(Closed, because="an open dialog cannot be closed from here; an answer to it counts no more")

EVENTS.changes(
    MobileDelta,
    {
        MobileDelta.NAME: Shown("Players_Agree anew, to others"),
        MobileDelta.FLAGS: LeftOut(
            "nobody runs, whoever hides goes out of sight, and poison is told in words"
        ),
        MobileDelta.HITS: Shown("Recover_Player to its own client"),
        MobileDelta.MANA: Shown("Recover_Player to its own client"),
        MobileDelta.STAM: LeftOut("this game has none"),
        MobileDelta.STAT: Shown("Recover_Reply, and Recover_List or StatSkill_Player, to its own client"),
        MobileDelta.NOTO: LeftOut("names have one colour"),
        MobileDelta.WEIGHT: Shown("what its own client does not know yet of what it has"),
        MobileDelta.HUE: Shown("Players_Agree anew, to others"),
        MobileDelta.BODY: Shown("Players_Agree anew to others, Avatar_Agree to its own client"),
        MobileDelta.ARMOR: Shown("Avatar_Agree; what its own client does not know yet of what it has"),
        MobileDelta.PROPERTIES: Shown("Players_Agree anew, with its guild's tag, to others"),
        MobileDelta.HAIR: Shown("Avatar_Agree"),
        MobileDelta.FACIAL_HAIR: LeftOut("nobody has a beard"),
        MobileDelta.SKILLS: Shown(
            "Recover_List to its own client, if its damage or accuracy follows from it"
        ),
        MobileDelta.POSTURE: Shown(
            "Sit_Player, Chair_Player or Sit_Remove; Sit_Close or Chair_Close to its own client"
        ),
        MobileDelta.GAME: LeftOut("figures do not say through which game they are played"),
        MobileDelta.TARGET: LeftOut("this game knows no aim"),
    },
)
EVENTS.changes(
    ItemDelta,
    {
        ItemDelta.UPDATE: Shown(
            "Item_Remove and Item_Add on the ground, Chest_Agree in a chest; to whom it belongs by amounts"
        )
    },
)


def _fights(creature: Mobile, mobile: Mobile | None) -> bool:
    fighter = creature.fighter
    return fighter is not None and mobile is not None and fighter.enemy == mobile.serial


EVENTS.leaves_out(Traded, because="Shop_Buy and Shop_Sell answer who asked for it")
EVENTS.leaves_out(CounterClosed, because="its window cannot be closed from here; there it is refused")
