"""Actors: one small vocabulary for everybody who plays for a test, whatever the game.

    anna = make_actor("uo", town)
    await anna.enters("anna", "Anna")
    for handle in anna.lying():
        await anna.take(handle)

A harness that kills the server, races clients or runs for hours says what people do and asks what they
believe; which packets that takes is here. Nothing sleeps: whoever waits is woken by what is received
(`until`). Actors play wherever `connect` leads: in a server in memory, or over real sockets.

A *handle* is the number by which a client knows a thing: Ultima Online's are the world's serials, Endless
Online's are its own small numbers, made distinct (`handle_of` translates, for a harness that can see the
world). A further game joins with one class, derived from `Actor`, and a line in `ACTORS`.
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Final, NamedTuple, cast

import trio
from eolib import (
    CharacterReplyServerPacket,
    Coords,
    Direction,
    DoorOpenClientPacket,
    Emote,
    EmoteReportClientPacket,
    LoginReplyServerPacket,
    MessagePingClientPacket,
    MessagePongServerPacket,
    WelcomeCode,
    WelcomeReplyServerPacket,
)

from protocol.eq2.packets import CampAborted, CharacterList, CreateCode, PlayCode
from protocol.uo.packets.combat import WarModeRequest
from protocol.uo.packets.misc import Ping
from protocol.uo.scenery import FIRST_SERIAL, LAST_SERIAL
from tests.kit.eq2_client import RUNNING, WALKING, heading_of, lines_of
from tests.kit.eq2_player import Eq2Player
from tests.kit.players import PASSWORD, EoPlayer, Host, Player, UoPlayer
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST
from world.item import Item, Layer
from world.serials import FIRST_ITEM

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from eolib import Packet as EoPacket

    from protocol.eo.view import EoView
    from protocol.family import View
    from protocol.uo.lengths import Version
    from protocol.uo.packets.base import ClientPacket
    from tests.kit.eo_client import EoClient
    from tests.kit.eq2_client import Eq2Client
    from tests.kit.uo_client import UoClient
    from world.mobile import Mobile
    from world.thing import Thing

PATIENCE: Final = 30.0
"""Seconds an answer may take before it counts as missing: a busy machine, a stalled disk."""

GROUND: Final = 0xFFFFFFFF
ANYWHERE: Final = 0xFFFF
"""Ultima Online's words for the ground, and for any place within a container."""

LONGEST_STEP: Final = 1.5
"""Units of a diagonal step, and a bit."""

MOST_AHEAD: Final = 5
"""Steps without an answer: ClassicUO, src/ClassicUO.Client/Constants.cs, MAX_STEP_COUNT."""

PLAYER, NPC, LYING, OWNED = 0x1_0000, 0x2_0000, 0x3_0000, 0x4_0000
"""What is added to Endless Online's numbers to make handles of them: of characters, of NPCs, of what lies on
the ground, and of kinds of items in the pack."""


class CannotEnter(Exception):
    """The way into the world ended somewhere else; the message says where."""


class Place(NamedTuple):
    """Where somebody stands, in the client's own coordinates. `heading` is the world's."""

    map: int
    x: int
    y: int
    heading: int


class Figure(NamedTuple):
    """Somebody else in sight."""

    x: int
    y: int
    heading: int


class Lying(NamedTuple):
    """Something on the ground in sight. `kind` is the game's own number for it."""

    kind: int
    amount: int
    x: int
    y: int


class Owned(NamedTuple):
    """Something in the pack: of one stack (Ultima Online), or all of a kind (Endless Online)."""

    kind: int
    amount: int


class Actor:
    """Somebody who plays. Verbs send and return at once; `echo` waits until all of it has been handled.

    What this game has no word for is not in `can`, and does nothing.
    """

    game: str
    axes = ("x", "y")
    """What the atlas calls where the map begins, to the east and to the south."""
    can: frozenset[str]
    """Names of the verbs below this game knows."""

    def __init__(self, town: Host, *, peer: str = "127.0.0.1") -> None:
        self.town = town
        self.peer = peer
        self.account = ""
        self.name = ""
        self._inside = False
        """Whether it has seen the world with this client."""
        self.player: Player = self.make_player()

    def make_player(self) -> Player:
        """Somebody in front of a client that was just started."""
        raise NotImplementedError

    # In and out

    @property
    def online(self) -> bool:
        """Whether it believes to be in the world."""
        return self._inside and not self.player.hung_up

    async def enters(self, account: str, name: str, *, password: str = PASSWORD) -> None:
        """From the first byte into the game, with a client that knows nothing yet; the character is made if
        the account has none. Raises CannotEnter."""
        self.leaves()
        self.player = self.make_player()
        self.account, self.name, self._inside = account, name, False
        try:
            await self._enter(account, name, password)
            self._inside = True
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError) as error:
            raise CannotEnter(f"{name}: the line is dead: {error!r}") from error

    def leaves(self) -> None:
        """Hang up without a word."""
        self.player.leaves()

    async def logs_out(self) -> None:
        """Leave as a player does who quits."""
        self.leaves()

    async def sends(self, data: bytes) -> None:
        """Send bytes; a dead line takes them silently."""
        if self.player.hung_up or not data:
            return
        try:
            await self.player.end.send_all(data)
        except (OSError, trio.BrokenResourceError, trio.ClosedResourceError):
            return

    async def until(self, predicate: Callable[[], bool], seconds: float = PATIENCE) -> bool:
        """Wait until something is so, asking at everything that is received; False if it is not within so
        many seconds, or the connection ends first."""
        return await self.player.until(predicate, seconds)

    async def echo(self, seconds: float = PATIENCE) -> bool:
        """Wait until the server has handled everything sent so far and this client has its answers; False if
        that does not come."""
        raise NotImplementedError

    async def _must(self, what: str, predicate: Callable[[], bool]) -> None:
        if not await self.until(predicate):
            why = "hung up" if self.player.hung_up else f"nothing within {PATIENCE:.0f} s"
            raise CannotEnter(f"{self.name} ({self.game}) waits for {what}: {why}")

    # What it believes

    def place(self) -> Place:
        """Where it stands."""
        raise NotImplementedError

    def dead(self) -> bool:
        """Whether it knows to be a ghost."""
        return False

    def others(self) -> Mapping[int, Figure]:
        """Everybody else in sight, by handle."""
        raise NotImplementedError

    def nearest(self) -> list[int]:
        """Their handles, whoever is nearest first."""
        here, others = self.place(), self.others()
        away = {handle: max(abs(it.x - here.x), abs(it.y - here.y)) for handle, it in others.items()}
        return sorted(others, key=lambda handle: (away[handle], handle))

    def lying(self) -> Mapping[int, Lying]:
        """What lies in sight, by handle; scenery is not among it."""
        raise NotImplementedError

    def carries(self) -> Mapping[int, Owned]:
        """What lies in its own pack, by handle. Ultima Online's client looks into bags only when they are
        opened."""
        raise NotImplementedError

    def bags(self) -> Mapping[int, Mapping[int, Owned]]:
        """The bags in its pack whose windows are open, and what is in them, by handle."""
        return {}

    def wears(self) -> Mapping[int, int]:
        """What it wears that can be taken off: handles by layer, or by place on the body."""
        raise NotImplementedError

    def sees(self) -> set[int]:
        """The handles of everything in sight."""
        return {*self.others(), *self.lying()}

    def handle_of(self, thing: Thing, view: View) -> int | None:
        """The handle of a thing of the world; None if this game never gave it one."""
        raise NotImplementedError

    def in_flight(self) -> bool:
        """Whether it has gone ahead of the server, so that its beliefs are not settled."""
        return False

    async def stands(self, seconds: float = PATIENCE) -> tuple[int, int] | None:
        """Where the server says that it stands, in the world's own coordinates; None if no answer comes."""
        raise NotImplementedError

    def excused(self) -> set[int]:
        """Handles of what it may have forgotten by its own doing, without the server's noticing."""
        return set()

    # What it does

    async def step(self, heading: int, *, run: bool = False) -> None:
        """One tile that way, with the turn before it if it needs one."""
        raise NotImplementedError

    async def turn(self, heading: int) -> None:
        """Face that way."""
        raise NotImplementedError

    async def say(self, text: str) -> None:
        """Say something aloud."""
        raise NotImplementedError

    async def take(self, handle: int, amount: int = 1) -> None:
        """From the ground (or a container) into the own pack."""

    async def drop(self, handle: int, amount: int = 1) -> None:
        """From the pack to the ground at its feet."""

    async def put_on(self, handle: int) -> None:
        """From the pack onto the body."""

    async def take_off(self, layer: int) -> None:
        """From the body into the pack."""

    async def split(self, handle: int, amount: int) -> None:
        """Part of a stack in the pack to a place of its own there."""

    async def merge(self, handle: int, onto: int) -> None:
        """One stack onto another, or one thing into a bag."""

    async def give(self, handle: int, other: int, amount: int = 1) -> None:
        """From the pack into the hands of somebody in sight."""

    async def lift(self, handle: int, amount: int = 1) -> None:
        """Into the hand, and no further."""

    async def use(self, handle: int) -> None:
        """Double-click it: open a bag, use a thing."""

    async def click(self, handle: int) -> None:
        """Ask what it is, or talk to it."""

    async def sit(self) -> None:
        """Down on the floor."""

    async def stand(self) -> None:
        """Up again."""

    async def gesture(self) -> None:
        """Bow, or laugh."""

    async def camp(self) -> None:
        """Begin to leave, as games want it that let nobody go at once."""

    async def stays(self) -> None:
        """Think better of it."""

    async def war(self, on: bool) -> None:
        """Draw the weapon, or sheathe it."""

    async def open_door(self, x: int, y: int) -> None:
        """Ask for a door, by the client's coordinates."""

    async def refresh(self) -> None:
        """Ask for everything around anew."""

    async def look_far(self, tiles: int) -> None:
        """Ask to see so far."""

    async def garble(self, junk: bytes) -> None:
        """Send what no client sends."""
        await self.sends(junk)

    async def _enter(self, account: str, name: str, password: str) -> None:
        raise NotImplementedError


BASE: Final = frozenset(
    {
        "step",
        "turn",
        "say",
        "click",
        "refresh",
        "take",
        "drop",
        "put_on",
        "take_off",
        "garble",
        "leaves",
        "logs_out",
    }
)
"""Verbs of every game that draws what one has."""


class UoActor(Actor):
    """Somebody at an Ultima Online client."""

    game = "uo"
    can = BASE | {"split", "merge", "give", "lift", "use", "gesture", "war", "look_far"}

    def __init__(
        self,
        town: Host,
        version: Version = (7, 0, 102, 3),
        *,
        encrypted: bool = False,
        peer: str = "127.0.0.1",
    ) -> None:
        self.version = version
        self.encrypted = encrypted
        self._pings = 0
        super().__init__(town, peer=peer)

    def make_player(self) -> UoPlayer:
        """Somebody in front of a client that was just started."""
        return UoPlayer(self.town, self.version, encrypted=self.encrypted, peer=self.peer)

    @property
    def client(self) -> UoClient:
        """The client it sits at."""
        return cast("UoPlayer", self.player).client

    async def _enter(self, account: str, name: str, password: str) -> None:
        client, end = self.client, self.player.end
        await end.send_all(client.login_bytes(account, password))
        await self._must("the server list", lambda: bool(client.servers) or client.rejected is not None)
        if client.rejected is not None:
            raise CannotEnter(f"{name}: 0x82 {client.rejected}")
        await end.send_all(client.select_server_bytes(client.servers[0][0]))
        await self._must("0x8C", lambda: client.relay is not None)
        self.player.leaves()
        await self.player.end.send_all(client.game_bytes(account, password))
        await self._must("the characters", lambda: _came(client, 0xA9) or client.rejected is not None)
        if client.rejected is not None:
            raise CannotEnter(f"{name}: 0x82 {client.rejected}")
        slots = client.characters
        enter = client.play_bytes(0, slots[0]) if slots else client.create_bytes(name)
        await self.player.end.send_all(enter)
        await self._must("the world", lambda: client.in_world or client.popup is not None)
        if client.popup is not None:
            raise CannotEnter(f"{name}: 0x53 {client.popup}")

    async def logs_out(self) -> None:
        """0xD1, and the end of the connection when it is confirmed."""
        if not self.player.hung_up:
            await self.sends(self.client.logout_bytes())
            await self.until(lambda: _came(self.client, 0xD1))
        self.leaves()

    async def echo(self, seconds: float = PATIENCE) -> bool:
        """By 0x73."""
        self._pings = (self._pings + 1) % 256
        number, start = self._pings, len(self.client.packets)
        await self._send(Ping(number))
        wanted = bytes((0x73, number))
        return await self.until(lambda: wanted in self.client.packets[start:], seconds)

    def place(self) -> Place:
        """Where the server last said or acknowledged that it stands."""
        me = self.client.player
        if me is None:
            return Place(0, 0, 0, 0)
        return Place(self.client.map or 0, me.x, me.y, me.heading)

    def dead(self) -> bool:
        """By its own body."""
        return self.client.player is not None and self.client.player.body in (0x192, 0x193)

    def others(self) -> Mapping[int, Figure]:
        """By serial."""
        return {serial: Figure(m.x, m.y, m.heading) for serial, m in self.client.mobiles.items()}

    def lying(self) -> Mapping[int, Lying]:
        """By serial."""
        return {
            serial: Lying(item.item, item.amount, item.x, item.y)
            for serial, item in self.client.items.items()
            if not FIRST_SERIAL <= serial <= LAST_SERIAL
        }

    def carries(self) -> Mapping[int, Owned]:
        """What lies right in the backpack."""
        return self._inside_of(self.pack())

    def bags(self) -> Mapping[int, Mapping[int, Owned]]:
        """Of those right in the backpack."""
        opened = self.client.opened
        return {serial: self._inside_of(serial) for serial in self.carries() if serial in opened}

    def _inside_of(self, container: int) -> dict[int, Owned]:
        inside = self.client.inside(container)
        return {serial: Owned(kind, amount) for serial, (kind, amount) in inside.items()}

    def wears(self) -> Mapping[int, int]:
        """Without the backpack, and what grows on a head."""
        me = self.client.player
        worn = {} if me is None else me.worn
        return {
            layer: serial
            for layer, (serial, _, _) in worn.items()
            if layer != Layer.BACKPACK and serial < FIRST_SERIAL
        }

    def pack(self) -> int:
        """The serial of its backpack; 0 if it has none."""
        me = self.client.player
        return 0 if me is None else me.worn.get(Layer.BACKPACK, (0, 0, 0))[0]

    def handle_of(self, thing: Thing, view: View) -> int | None:
        """The serial."""
        return thing.serial

    def in_flight(self) -> bool:
        """Whether steps are unanswered."""
        return bool(self.client.pending)

    def excused(self) -> set[int]:
        """What was out of sight from where it went ahead to, and is in sight again."""
        return self.client.left_behind

    async def step(self, heading: int, *, run: bool = False) -> None:
        """0x02, twice if it has to turn first. Like ClassicUO it goes no more than `MOST_AHEAD` steps ahead
        of the answers."""
        await self.turn(heading)
        if self.online and len(self.client.pending) < MOST_AHEAD:
            await self.sends(self.client.walk_bytes(heading, run=run))

    async def turn(self, heading: int) -> None:
        """0x02 towards another way than it faces, or will face."""
        pending = self.client.pending
        if not self.online or len(pending) >= MOST_AHEAD:
            return
        facing = pending[-1][1] if pending else self.place().heading
        if facing != heading:
            await self.sends(self.client.walk_bytes(heading))

    async def say(self, text: str) -> None:
        """0xAD."""
        await self.sends(self.client.say_bytes(text))

    async def take(self, handle: int, amount: int = 1) -> None:
        """0x07 and 0x08 into the backpack."""
        await self._moves(handle, amount, self.pack())

    async def drop(self, handle: int, amount: int = 1) -> None:
        """0x07 and 0x08 onto the own tile."""
        here = self.place()
        await self._moves(handle, amount, GROUND, here.x, here.y)

    async def put_on(self, handle: int) -> None:
        """0x07 and 0x13."""
        me, client = self.client.player, self.client
        if me is not None:
            await self.sends(client.lift_bytes(handle, 1) + client.equip_bytes(handle, 0, me.serial))

    async def take_off(self, layer: int) -> None:
        """0x07 and 0x08 into the backpack."""
        serial = self.wears().get(layer)
        if serial is not None:
            await self.take(serial)

    async def split(self, handle: int, amount: int) -> None:
        """0x07 with an amount and 0x08 to a place inside the backpack."""
        await self._moves(handle, amount, self.pack(), 100, 100)

    async def merge(self, handle: int, onto: int) -> None:
        """0x07 of all of it and 0x08 onto the other."""
        amount = self.carries().get(handle, Owned(0, 1)).amount
        await self._moves(handle, amount, onto)

    async def give(self, handle: int, other: int, amount: int = 1) -> None:
        """0x07 and 0x08 onto somebody."""
        await self._moves(handle, amount, other)

    async def lift(self, handle: int, amount: int = 1) -> None:
        """0x07."""
        if self.online:
            await self.sends(self.client.lift_bytes(handle, amount))

    async def use(self, handle: int) -> None:
        """0x06."""
        if self.online:
            await self.sends(self.client.open_bytes(handle))

    async def click(self, handle: int) -> None:
        """0x09."""
        await self.sends(self.client.click_bytes(handle))

    async def gesture(self) -> None:
        """By words: [bow is said in 0x12, which few clients send."""
        await self.sends(self.client.say_bytes("*bows*", kind=2))

    async def war(self, on: bool) -> None:
        """0x72."""
        await self._send(WarModeRequest(on, bytes((0, 0x32, 0))))

    async def refresh(self) -> None:
        """0x22."""
        await self.sends(self.client.resync_bytes())

    async def look_far(self, tiles: int) -> None:
        """0xC8."""
        await self.sends(self.client.view_range_bytes(tiles))

    async def _moves(
        self, handle: int, amount: int, target: int, x: int = ANYWHERE, y: int = ANYWHERE
    ) -> None:
        """What a drag with the mouse sends."""
        if self.online:
            client = self.client
            await self.sends(client.lift_bytes(handle, amount) + client.drop_bytes(handle, x, y, 0, target))

    async def _send(self, *packets: ClientPacket) -> None:
        if not self.player.hung_up:
            await self.sends(self.client.pack_bytes(*packets))


_DIRECTIONS: Final = {
    SOUTH: Direction.Down,
    WEST: Direction.Left,
    NORTH: Direction.Up,
    EAST: Direction.Right,
}
CHAR_MAX: Final = 253
"""Beyond the largest coordinate that the protocol can write."""

_HEADINGS: Final = {direction: heading for heading, direction in _DIRECTIONS.items()}


class EoActor(Actor):
    """Somebody at an Endless Online client. It knows its pack by kinds."""

    game = "eo"
    can = BASE | {"give", "sit", "stand", "gesture", "open_door"}

    def make_player(self) -> EoPlayer:
        """Somebody in front of a client that was just started."""
        return EoPlayer(self.town, peer=self.peer)

    @property
    def client(self) -> EoClient:
        """The client it sits at."""
        return cast("EoPlayer", self.player).client

    async def _enter(self, account: str, name: str, password: str) -> None:
        client, end = self.client, self.player.end
        await end.send_all(client.init())
        await self._must("Init_Init", lambda: client.player_id != 0)
        await end.send_all(client.accept())
        await end.send_all(client.login(account, password))
        await self._must("Login_Reply", lambda: self._has(LoginReplyServerPacket))
        login = client.last(LoginReplyServerPacket)
        if not isinstance(login.reply_code_data, LoginReplyServerPacket.ReplyCodeDataOk):
            raise CannotEnter(f"{name}: {login.reply_code!r}")
        if not client.menu:
            await end.send_all(client.request_character())
            await self._must("Character_Reply", lambda: self._has(CharacterReplyServerPacket))
            replies = len(client.received)
            await end.send_all(client.create_character(name))
            await self._must(
                "the second Character_Reply",
                lambda: self._has(CharacterReplyServerPacket, since=replies),
            )
            if not client.menu:
                raise CannotEnter(f"{name}: {client.last(CharacterReplyServerPacket).reply_code!r}")
        await end.send_all(client.select(client.menu[0].id))
        await self._must("Welcome_Reply", lambda: client.selected is not None)
        await end.send_all(client.download_all())
        await self._must("the files", lambda: len(client.files) >= FILES)
        await end.send_all(client.enter())
        await self._must("the world", lambda: _entered(client))

    def _has(self, kind: type, since: int = 0) -> bool:
        return any(isinstance(packet, kind) for packet in self.client.received[since:])

    async def echo(self, seconds: float = PATIENCE) -> bool:
        """By Message_Ping."""
        start = len(self.client.received)
        ping = MessagePingClientPacket()  # type: ignore[no-untyped-call] # eolib leaves it bare
        await self._send(ping)
        return await self.until(lambda: self._has(MessagePongServerPacket, since=start), seconds)

    def place(self) -> Place:
        """Where it shows itself."""
        client = self.client
        if client.player_id not in client.characters:
            return Place(0, 0, 0, 0)
        me = client.me
        return Place(client.map_id, me.x, me.y, _HEADINGS[me.direction])

    def others(self) -> Mapping[int, Figure]:
        """Characters and NPCs."""
        client = self.client
        people = {
            PLAYER + number: Figure(m.x, m.y, _HEADINGS[m.direction])
            for number, m in client.characters.items()
            if number != client.player_id
        }
        return people | {
            NPC + index: Figure(m.x, m.y, _HEADINGS[m.direction]) for index, m in client.npcs.items()
        }

    def lying(self) -> Mapping[int, Lying]:
        """By number on the ground."""
        return {
            LYING + uid: Lying(item.id, item.amount, item.x, item.y)
            for uid, item in self.client.items.items()
        }

    def carries(self) -> Mapping[int, Owned]:
        """By kind, bags included."""
        return {
            self.owned(kind): Owned(kind, amount) for kind, amount in self.client.inventory.items() if amount
        }

    def owned(self, kind: int) -> int:
        """The handle of what it carries of a kind."""
        return OWNED + kind

    def wears(self) -> Mapping[int, int]:
        """By place on the body; the handle says the kind."""
        return {place: self.owned(kind) for place, kind in self.client.equipment.items() if kind}

    def handle_of(self, thing: Thing, view: View) -> int | None:
        """The number that the server gave it."""
        figures = cast("EoView", view).figures
        if isinstance(thing, Item):
            uid = figures.ids.items.number(thing)
            return None if uid is None else LYING + uid
        mobile = cast("Mobile", thing)
        if figures.is_npc(mobile):
            index = figures.ids.last_npc_index(mobile)
            return None if index is None else NPC + index
        number = figures.ids.players.number(mobile)
        return None if number is None else PLAYER + number

    def in_flight(self) -> bool:
        """Whether it loads a map."""
        return self.client.warp is not None

    async def step(self, heading: int, *, run: bool = False) -> None:
        """Walk_Player, along the nearest of the four directions. The client lets nobody off its map."""
        dx, dy = OFFSETS[heading & ~1]
        if self.online and 0 <= self.client.me.x + dx < CHAR_MAX and 0 <= self.client.me.y + dy < CHAR_MAX:
            await self.sends(self.client.walk(_DIRECTIONS[heading & ~1]))

    async def turn(self, heading: int) -> None:
        """Face_Player."""
        if self.online:
            await self.sends(self.client.face(_DIRECTIONS[heading & ~1]))

    async def say(self, text: str) -> None:
        """Talk_Report."""
        await self.sends(self.client.say(text))

    async def take(self, handle: int, amount: int = 1) -> None:
        """Item_Get; always all of it."""
        if handle & ~0xFFFF == LYING:
            await self.sends(self.client.pick_up(handle - LYING))

    async def drop(self, handle: int, amount: int = 1) -> None:
        """Item_Drop where it stands."""
        if self.online:
            await self.sends(self.client.drop(handle - OWNED, amount))

    async def put_on(self, handle: int) -> None:
        """Paperdoll_Add."""
        if self.online:
            await self.sends(self.client.put_on(handle - OWNED))

    async def take_off(self, layer: int) -> None:
        """Paperdoll_Remove."""
        kind = self.client.equipment.get(layer, 0)
        if kind:
            await self.sends(self.client.take_off(kind))

    async def give(self, handle: int, other: int, amount: int = 1) -> None:
        """By words: the game has none but trade, which lands later. Nobody can be told to give something to
        an NPC, so that is asked in vain."""
        drawn = self.client.characters.get(other - PLAYER)
        whom = drawn.info.name if drawn is not None and drawn.info is not None else "nobody"
        what = self.client.record(handle - OWNED).name
        await self.say(f"#give {whom} {amount} {what}")

    async def click(self, handle: int) -> None:
        """Quest_Use of an NPC."""
        if handle & ~0xFFFF == NPC:
            await self.sends(self.client.click(handle - NPC))

    async def sit(self) -> None:
        """Sit_Request."""
        await self.sends(self.client.sit())

    async def stand(self) -> None:
        """Sit_Request, too."""
        await self.sends(self.client.stand())

    async def gesture(self) -> None:
        """Emote_Report."""
        await self._send(EmoteReportClientPacket(emote=Emote.Happy))

    async def open_door(self, x: int, y: int) -> None:
        """Door_Open."""
        await self._send(DoorOpenClientPacket(coords=Coords(x=x, y=y)))

    async def refresh(self) -> None:
        """Refresh_Request."""
        await self.sends(self.client.refresh())

    async def garble(self, junk: bytes) -> None:
        """A frame of a client's form with nonsense in it."""
        await self.sends(self.client.frame_of(b"\x02\x02" + junk))

    async def _send(self, packet: EoPacket) -> None:
        if not self.player.hung_up:
            await self.sends(self.client.bytes_of(packet))


GOODS: Final = ("bread", "apple", "bandage", "gold", "healing potion", "dagger", "candle")
CLOTHES: Final = ("robe", "feathered hat", "half apron", "boots", "shoes", "sandals", "shirt", "cloak")
"""What people have in this world, in words."""

HANDFUL: Final = 5


class Eq2Actor(Actor):
    """Somebody at an EverQuest II client, whose bags are not drawn: it names what people usually have, and is
    told whenever it has none of that."""

    game = "eq2"
    axes = ("x", "z")
    can = (BASE - {"refresh"}) | {"sit", "stand", "gesture", "open_door", "camp"}

    _followed_at = 0.0
    """When the world's own character has gone where this one is, at the latest."""

    def make_player(self) -> Eq2Player:
        """Somebody in front of a client that was just started."""
        return Eq2Player(self.town, peer=self.peer)

    @property
    def client(self) -> Eq2Client:
        """The client it sits at."""
        return self._seat.client

    @property
    def _seat(self) -> Eq2Player:
        return cast("Eq2Player", self.player)

    async def _enter(self, account: str, name: str, password: str) -> None:
        client, seat = self.client, self._seat
        request = seat.turns_to("login")
        await seat.end.send_all(request + client.login_bytes(account, password))
        await self._must("LoginReply", lambda: client.code is not None)
        if client.code:
            raise CannotEnter(f"{name}: LoginReply {client.code}")
        await seat.end.send_all(client.worlds_bytes())
        await self._must("the characters", lambda: bool(client.of(CharacterList)))
        if not client.characters:
            await seat.end.send_all(client.create_bytes(name))
            await self._must("CreateReply", lambda: client.created is not None)
            if client.created is None or client.created.code != CreateCode.OK:
                raise CannotEnter(f"{name}: {client.created}")
        else:
            await seat.end.send_all(client.play_bytes())
        await self._must("PlayReply", lambda: client.play_code is not None)
        if client.play_code != PlayCode.OK:
            raise CannotEnter(f"{name}: PlayReply {client.play_code}")
        request = seat.turns_to("world")
        await seat.end.send_all(request + client.enter_bytes())
        await self._must("the world", lambda: client.in_world or bool(client.code))
        if client.code:
            raise CannotEnter(f"{name}: LoginReply {client.code} of the world")

    async def logs_out(self) -> None:
        """To the desktop, which is at once."""
        if self.online:
            await self.sends(self.client.camp_bytes(desktop=True))
            await self.until(lambda: self.player.hung_up)
        self.leaves()

    async def echo(self, seconds: float = PATIENCE) -> bool:
        """By a command whose words are missing: the server says what they should be."""
        if not self.online:
            return False
        start = len(self.client.received)
        await self.sends(self.client.command_bytes("tell"))
        return await self.until(lambda: self._told("Type /tell", start), seconds)

    def _told(self, words: str, start: int) -> bool:
        return any(words in line for line in lines_of(self.client.received[start:]))

    async def stands(self, seconds: float = PATIENCE) -> tuple[int, int] | None:
        """By an order to the server, which tells realm, east and south."""
        if not self.online:
            return None
        start, words = len(self.client.received), f"{self.name} is in "
        await self.sends(self.client.command_bytes("causeway", "where"))
        if not await self.until(lambda: self._told(words, start), seconds):
            return None
        line = next(line for line in lines_of(self.client.received[start:]) if words in line)
        x, y = line.split()[-2:]
        return int(x), int(y)

    def place(self) -> Place:
        """Where it believes to be; the client's units are tiles."""
        motion = self.client.motion
        return Place(0, floor(motion.x), floor(motion.z), heading_of(motion.heading))

    def others(self) -> Mapping[int, Figure]:
        """By id."""
        return {
            number: Figure(*ghost.tile, ghost.heading)
            for number, ghost in self.client.others.items()
            if number < FIRST_ITEM
        }

    def lying(self) -> Mapping[int, Lying]:
        """By id."""
        return {
            number: Lying(ghost.about.model, 1, *ghost.tile)
            for number, ghost in self.client.others.items()
            if number >= FIRST_ITEM
        }

    def carries(self) -> Mapping[int, Owned]:
        """What it may have, by its place among the words for that."""
        return {OWNED + kind: Owned(kind, HANDFUL) for kind in range(len(GOODS + CLOTHES))}

    def wears(self) -> Mapping[int, int]:
        """What it may wear, in the same way."""
        return {kind: OWNED + len(GOODS) + kind for kind in range(len(CLOTHES))}

    def handle_of(self, thing: Thing, view: View) -> int | None:
        """The serial."""
        return thing.serial

    def in_flight(self) -> bool:
        """Whether something it sent is not acknowledged, or it may be ahead of the world's own character, of
        which nobody would tell it."""
        return trio.current_time() < self._followed_at or not self.client.stream.settled

    async def step(self, heading: int, *, run: bool = False) -> None:
        """Movement: it is a tile further on, and then stands. The world's own character follows at its
        pace."""
        if self.online:
            speed = RUNNING if run else WALKING
            self._followed_at = max(self._followed_at, trio.current_time()) + LONGEST_STEP / speed
            walk = self.client.walk_bytes(heading, speed=speed)
            await self.sends(walk + self.client.turn_bytes(heading))

    async def turn(self, heading: int) -> None:
        """Movement, on the spot."""
        if self.online:
            await self.sends(self.client.turn_bytes(heading))

    async def say(self, text: str) -> None:
        """`/say`."""
        if self.online:
            await self.sends(self.client.say_bytes(text))

    async def take(self, handle: int, amount: int = 1) -> None:
        """Target, and `/take`; always all of it."""
        if await self._aims(handle):
            await self.sends(self.client.command_bytes("take"))

    async def drop(self, handle: int, amount: int = 1) -> None:
        """`/drop`, by name."""
        await self._commands("drop", f"{(GOODS + CLOTHES)[handle - OWNED]} {amount}")

    async def put_on(self, handle: int) -> None:
        """`/wear`, by name."""
        await self._commands("wear", (GOODS + CLOTHES)[handle - OWNED])

    async def take_off(self, layer: int) -> None:
        """`/remove`, by name."""
        await self._commands("remove", CLOTHES[layer])

    async def click(self, handle: int) -> None:
        """Target."""
        await self._aims(handle)

    async def _aims(self, handle: int) -> bool:
        ghost = self.client.others.get(handle)
        if ghost is None or not self.online:
            return False
        await self.sends(self.client.target_bytes(ghost.index))
        return True

    async def sit(self) -> None:
        """`/sit`."""
        await self._commands("sit")

    async def stand(self) -> None:
        """`/stand`."""
        await self._commands("stand")

    async def gesture(self) -> None:
        """`/bow`."""
        await self._commands("bow")

    async def open_door(self, x: int, y: int) -> None:
        """`/open`: whichever is near."""
        await self._commands("open")

    async def camp(self) -> None:
        """`/camp`."""
        await self._commands("camp")

    async def stays(self) -> None:
        """CampAborted."""
        if self.online:
            await self.sends(self.client.bytes_of(CampAborted()))

    async def _commands(self, word: str, arguments: str = "") -> None:
        if self.online:
            await self.sends(self.client.command_bytes(word, arguments))

    async def garble(self, junk: bytes) -> None:
        """A number that no message has, and nonsense behind it."""
        if self.online:
            await self.sends(self.client.raw_bytes(b"\xfb" + junk))


FILES: Final = 5
"""Of a client that has none: the map, and items, NPCs, spells, classes."""

ACTORS: Final[Mapping[str, type[Actor]]] = {"uo": UoActor, "eo": EoActor, "eq2": Eq2Actor}


def make_actor(game: str, town: Host, *, peer: str = "127.0.0.1") -> Actor:
    """Somebody at a client of that game."""
    return ACTORS[game](town, peer=peer)


def _came(client: UoClient, opcode: int) -> bool:
    return any(packet[0] == opcode for packet in client.packets)


def _entered(client: EoClient) -> bool:
    return client.player_id in client.characters and any(
        isinstance(packet, WelcomeReplyServerPacket) and packet.welcome_code == WelcomeCode.EnterGame
        for packet in client.received
    )
