"""How EverQuest II shows the world: ghosts that come, change, move and go, and words.

Everybody is drawn as a spawn of this game. What a thing looks like is made in `figures.py`, what each client
has of it is kept in `ghosts.py`; here is said which of them follows from what happens. A client decides where
its own character is and is told only when the world has put it elsewhere.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING, Final, cast

from protocol.endings import Ending
from protocol.eq2.figures import FEMALE, MALE, percent
from protocol.eq2.ghosts import About, Change, Hide, Move, Show
from protocol.eq2.packets import (
    NOBODY,
    CannedEmote,
    CharacterSheet,
    DisplayText,
    HearChat,
    SetControlGhost,
    SetPovGhost,
    Sheet,
    Teleport,
    TeleportNoReload,
    UpdateTarget,
)
from protocol.eq2.packing import pack, xor
from protocol.wire.body import Body
from world import holding
from world.delta import MobileDelta
from world.item import Item
from world.mobile import Mobile
from world.moments import (
    Asked,
    Died,
    Gestured,
    Halted,
    Jumped,
    Moment,
    Revived,
    Said,
    Speech,
    Stepped,
    Turned,
    Warped,
    Why,
)
from world.space import Sight

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from protocol.eq2.builds import Build, Builds
    from protocol.eq2.figures import Figures
    from protocol.eq2.packets import Message
    from protocol.eq2.session import Eq2Session
    from protocol.session import Outgoing, Session
    from world.dialogs import Dialog
    from world.thing import Thing


class Audience(IntEnum):
    """What differs between two viewers of one thing."""

    OTHER = 0
    SELF = 1


SIGHT: Final = Sight(24)
"""Tiles, Chebyshev: as far as any game's client here sees. The original servers show spawns from much farther
off, but a screen of this one need not see more than the others."""

GAIT_MS: Final = (400, 200)
"""A client of this game measures in units and not in tiles: the world's own pace."""

SAY, SHOUT, EMOTE, TELL, OUT_OF_CHARACTER = 8, 9, 10, 28, 32
STATUS, MOTD, NARRATIVE = 4, 5, 12
"""Channels of the chat windows (emagi/eq2emu: client.h)."""

CHANNELS: Final = {
    Speech.SAY: SAY,
    Speech.WHISPER: SAY,
    Speech.YELL: SHOUT,
    Speech.EMOTE: EMOTE,
    Speech.TELL: TELL,
    Speech.GLOBAL: OUT_OF_CHARACTER,
}

LONGEST_TEXT: Final = 1000
"""Letters of one line in a chat window (?)."""

GESTURES: Final = {
    "happy": ("smiles", 0),
    "depressed": ("cries", 11275),
    "sad": ("looks sad", 12166),
    "angry": ("glares", 11649),
    "confused": ("looks confused", 11214),
    "surprised": ("gasps", 0),
    "laugh": ("laughs", 0),
    "love": ("blows a kiss", 0),
    "moon": ("moons everybody", 0),
    "suicidal": ("despairs", 11628),
    "embarrassed": ("blushes", 0),
    "drunk": ("hiccups", 0),
    "bow": ("bows", 0),
    "salute": ("salutes", 0),
}
"""Words and animation for the world's gestures; 0: words alone. The numbers are from comments in public
scripts (emagi/eq2emu-content) and have not been seen in a client of 546."""

_ON_THE_SHEET: Final = (
    MobileDelta.ATTRIBUTES
    | MobileDelta.STAT
    | MobileDelta.NAME
    | MobileDelta.BODY
    | MobileDelta.GOLD
    | MobileDelta.WEIGHT
)

YOU_DIED: Final = "You are dead. Seek a healer to live again."
YOU_LIVE: Final = "You live again."


class OwnSheet:
    """The character sheet: the difference to the one the client has."""

    __slots__ = ("sheet",)
    droppable = False

    def __init__(self, sheet: bytes) -> None:
        self.sheet = sheet

    def bind(self, session: Session) -> bytes:
        """The message; nothing if the client has it. Notes that it does."""
        client = cast("Eq2Session", session)
        before = client.sheet or bytes(len(self.sheet))
        if before == self.sheet:
            return b""
        client.sheet = self.sheet
        change = pack(xor(self.sheet, before), reverse=client.build.reverse)
        return client.build.encode(CharacterSheet(packed=change))


class Told:
    """Words for one player: they name whom they are for."""

    __slots__ = ("_chat",)
    droppable = False

    def __init__(self, chat: Callable[[int, str], bytes]) -> None:
        self._chat = chat

    def bind(self, session: Session) -> bytes:
        """The message for whoever plays there."""
        return self._chat(NOBODY, session.mobile.name if session.mobile is not None else "")


class Eq2View:
    """Implements `protocol.family.View`."""

    bystander: Hashable | None = Audience.OTHER
    loads_on_warp = False
    forgets_by_loading = False
    gait_ms = GAIT_MS

    def __init__(self, builds: Builds, figures: Figures) -> None:
        self.builds = builds
        self.figures = figures
        self.places = figures.places
        self.looks = figures.looks

    @property
    def newest(self) -> Build:
        """The build that a client is taken for before it has said its own."""
        return self.builds.newest

    # The contract

    def sight(self, session: Session) -> Sight:
        """The same for all clients."""
        return SIGHT

    def audience(self, session: Session, thing: Thing) -> Hashable:
        """The player of a thing, or of whom holds it, or somebody else."""
        holder = thing.root if isinstance(thing, Item) else thing
        return Audience.SELF if holder is session.mobile else Audience.OTHER

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Make a ghost, or bring the one that a client has up to date."""
        build, own = cast("Build", dialect), audience == Audience.SELF
        figure = self.figures.of(thing, build, own=own)
        self.figures.stand(thing, figure, build)
        return Show(figure, own=own), Move(figure)

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Take the ghost away."""
        return (Hide(thing.serial),)

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """What it looks like now, and to its own player what its sheet says."""
        build, own = cast("Build", dialect), audience == Audience.SELF
        if isinstance(thing, Item):
            return self._item_changed(thing, build, own=own)
        if not isinstance(thing, Mobile) or thing.realm is None:
            return ()
        figure = self.figures.of(thing, build, own=own)
        told: list[Outgoing] = [Change(figure)]
        if flags & MobileDelta.POSTURE and not own:
            self.figures.stand(thing, figure, build)
            told.append(Move(figure))
        if own and flags & _ON_THE_SHEET:
            told.append(self.sheet(thing, build))
        return told

    def effect(self, moment: Moment, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Something happened."""
        build, own = cast("Build", dialect), audience == Audience.SELF
        match moment:
            case Jumped():
                return () if own else self.show(moment.thing, audience, dialect)
            case Stepped() | Turned() | Halted():
                return self._moved(moment, build, own=own)
            case Warped() if own:
                return self._warped(moment, build)
            case Said():
                return self._said(moment, build)
            case Gestured():
                return self._gestured(moment, build)
            case Asked():
                return _texts(build, NARRATIVE, *question(moment.dialog))
            case Died() if own:
                return _texts(build, STATUS, YOU_DIED)
            case Revived() if own:
                return _texts(build, STATUS, YOU_LIVE)
        # Doors are the client's own scenery, what is taken was a ghost and is hidden, and a line of text
        # cannot be taken back.
        return ()

    def knows_content(self, session: Session, container: Item) -> bool:
        """Bags are told of in words, on request."""
        return False

    def forget(self, session: Session, item: Item) -> bool:
        """So there is nothing to forget."""
        return False

    def moved(self, session: Session) -> None:
        """A client cannot stay where its game has no zone, and goes through a loading screen to another
        one. Of one that has just loaded, what went out of sight meanwhile is taken away."""
        client = cast("Eq2Session", session)
        mobile = client.mobile
        if mobile is None or mobile.realm is None:
            return
        if client.untidy and not client.loading:
            client.untidy = False
            client.queue(*self.left_over(client))
        atlas = self.places.atlas(mobile.realm)
        if atlas is None:
            client.end(Ending.KICKED, f"{mobile.realm.name} has no place for this game")
        elif client.zone and atlas.zone != client.zone:
            if client.rezone is None:
                client.end(Ending.KICKED, f"{mobile.realm.name} is in another zone")
            else:
                client.rezone()

    # For handlers

    def own(self, mobile: Mobile, build: Build) -> Sequence[Outgoing]:
        """All a client is told of its own character: ghost, camera, control, sheet."""
        serial = mobile.serial
        speed = self.figures.speed(mobile, run=True)
        return (
            *self.show(mobile, Audience.SELF, build),
            *_bodies(build, SetPovGhost(spawn_id=serial), SetControlGhost(spawn_id=serial, speed=speed)),
            self.sheet(mobile, build),
        )

    def around(self, session: Session) -> Sequence[Outgoing]:
        """The ghosts of all that a client sees, its own character not among them; for a client that loads."""
        client = cast("Eq2Session", session)
        eyes, mobile = client.eyes, client.mobile
        if eyes is None or mobile is None or mobile.realm is None:
            return ()
        return [
            message
            for thing in mobile.realm.space.seen_by(eyes).values()
            for message in self.show(thing, self.audience(client, thing), client.build)
        ]

    def left_over(self, session: Session) -> Sequence[Outgoing]:
        """Takes away the ghosts of what a client does not know (any more)."""
        client = cast("Eq2Session", session)
        own = client.mobile.serial if client.mobile is not None else 0
        return [
            Hide(serial) for serial in client.ghosts.serials() if serial != own and serial not in client.known
        ]

    def placed(self, mobile: Mobile, build: Build, *, loads: bool = False) -> Sequence[Outgoing]:
        """Tells a client that its own character is where the world has it, and not where it said. `loads`:
        what is there is new to it, so that it may show a loading screen."""
        self.places.forget(mobile)
        place = self.places.of(mobile)
        if place is None:
            return ()
        figure = self.figures.of(mobile, build, own=True)
        self.figures.stand(mobile, figure, build)
        there: Message = TeleportNoReload(x=place.x, y=place.y, z=place.z, heading=place.heading)
        if loads and self.figures.rendering.loading_teleport:
            there = Teleport(x=place.x, y=place.y, z=place.z)
        return *_bodies(build, there), Move(figure)

    def aim(self, session: Session, serial: int) -> None:
        """A client's character aims at something, 0 for nothing; others are shown that."""
        client = cast("Eq2Session", session)
        client.target = serial
        if client.mobile is not None and self.figures.targets.get(client.mobile, 0) != serial:
            self.figures.targets[client.mobile] = serial
            # No flag of the world's stands for this one; of a character's followers no client here is told.
            client.mobile.mark(MobileDelta.FOLLOWERS)

    def target(self, serial: int, build: Build) -> Sequence[Outgoing]:
        """Tells a client what it aims at, if it has a ghost of that; 0 for nothing."""
        if not serial:
            return _bodies(build, UpdateTarget(spawn_id=NOBODY))
        return (About(serial, build.encode(UpdateTarget(spawn_id=serial))),)

    def sheet(self, mobile: Mobile, build: Build) -> OwnSheet:
        """The character sheet for a mobile's own client."""
        look = self.looks.mobiles[mobile.template.key]
        level = max(1, min(mobile.level, 255))
        sheet = Sheet(
            name=mobile.name[:40],
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
        return OwnSheet(build.pack_struct(sheet))

    # Parts

    def _warped(self, moment: Warped, build: Build) -> Sequence[Outgoing]:
        """To another place of the zone; `moved` cares for the way to another zone."""
        before, now = self.places.atlas(moment.from_realm), self.places.atlas(moment.thing.realm)
        if before is None or now is None or before.zone != now.zone:
            return ()
        return self.placed(moment.thing, build, loads=True)

    def _moved(self, moment: Stepped | Turned | Halted, build: Build, *, own: bool) -> Sequence[Outgoing]:
        mobile = moment.thing
        if own:
            return self.placed(mobile, build) if isinstance(moment, Turned) and moment.forced else ()
        figure = self.figures.of(mobile, build)
        match moment:
            case Stepped():
                self.figures.walk(mobile, figure, build, run=moment.run)
            case Turned():
                self.figures.stand(mobile, figure, build)
            case Halted():
                self.figures.halt(mobile, figure, build)
        return (Move(figure),)

    def _item_changed(self, item: Item, build: Build, *, own: bool) -> Sequence[Outgoing]:
        holder = item.parent
        if isinstance(holder, Mobile):
            return (Change(self.figures.of(holder, build, own=own)),)
        # What lies in a bag is told of on request.
        return (Change(self.figures.of(item, build)),) if item.realm is not None else ()

    def _said(self, moment: Said, build: Build) -> Sequence[Outgoing]:
        channel = CHANNELS.get(moment.how)
        if channel is None:
            system = moment.how is Speech.SYSTEM
            text = moment.text if system else f"{moment.name}: {moment.text}"
            return _texts(build, STATUS if system else MOTD, text)

        def chat(speaker: int, to: str = "") -> bytes:
            return build.encode(
                HearChat(
                    from_id=speaker,
                    to_id=NOBODY,
                    sender=moment.name,
                    recipient=to,
                    channel=channel,
                    text=moment.text[:LONGEST_TEXT],
                )
            )

        if moment.how is Speech.TELL:
            return (Told(chat),)
        if moment.thing is None or moment.how is Speech.GLOBAL:
            return (Body(chat(NOBODY)),)
        return (About(moment.thing.serial, chat(moment.thing.serial), chat(NOBODY)),)

    def _gestured(self, moment: Gestured, build: Build) -> Sequence[Outgoing]:
        mobile = moment.thing
        words, animation = GESTURES.get(moment.gesture, (f"*{moment.gesture}*", 0))
        if not self.figures.rendering.animations:
            animation = 0
        emote = CannedEmote(spawn_id=mobile.serial, text=f"{mobile.name} {words}.", animation=animation)
        return (About(mobile.serial, build.encode(emote), droppable=True),)


def question(dialog: Dialog) -> list[str]:
    """A dialog as lines of text, for this game's windows are unknown; it is answered by a command."""
    lines = [dialog.title] if dialog.title else []
    lines += [line.strip() for line in dialog.text.splitlines() if line.strip()]
    lines += [f"/answer {button.number}: {button.label}" for button in dialog.buttons]
    return lines


def _attribute(number: int) -> int:
    return max(0, min(0xFFFF, number))


def _bodies(build: Build, *messages: Message) -> tuple[Body, ...]:
    return tuple(Body(build.encode(message), droppable=message.droppable) for message in messages)


def _texts(build: Build, channel: int, *lines: str) -> tuple[Body, ...]:
    return _bodies(build, *(DisplayText(channel=channel, text=line[:LONGEST_TEXT]) for line in lines))
