"""Somebody who plays Endless Online for a test (`tests.kit.actor`)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, cast

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
from eolib.protocol.pub import ItemSubtype

from tests.kit.actor import BASE, PATIENCE, CannotEnter, Figure, Lying, Owned, Place
from tests.kit.eo_trader import EoTrader
from tests.kit.players import EoPlayer
from world.heading import EAST, NORTH, OFFSETS, SOUTH, WEST, towards
from world.item import Item

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eolib import Packet as EoPacket

    from protocol.eo.view import EoView
    from protocol.family import AnyView
    from tests.kit.eo_client import EoClient
    from world.mobile import Mobile
    from world.thing import Thing

PLAYER, NPC, LYING, OWNED = 0x1_0000, 0x2_0000, 0x3_0000, 0x4_0000
"""What is added to Endless Online's numbers to make handles of them: of characters, of NPCs, of what lies on
the ground, and of kinds of items in the pack."""

FILES: Final = 5
"""Of a client that has none: the map, and items, NPCs, spells, classes."""

_DIRECTIONS: Final = {
    SOUTH: Direction.Down,
    WEST: Direction.Left,
    NORTH: Direction.Up,
    EAST: Direction.Right,
}
CHAR_MAX: Final = 253
"""Beyond the largest coordinate that the protocol can write."""

_HEADINGS: Final = {direction: heading for heading, direction in _DIRECTIONS.items()}


class EoActor(EoTrader):
    """Somebody at an Endless Online client. It knows its pack by kinds."""

    game = "eo"
    order_sign = "#"
    can = BASE | {"give", "sit", "stand", "gesture", "open_door"}

    def make_player(self) -> EoPlayer:
        """Somebody in front of a client that was just started."""
        return EoPlayer(self.town, peer=self.peer)

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
        """By kind, bags included, and the arrow that the client counts as worn."""
        amounts = Counter(self.client.inventory)
        amounts.update(filter(self._shoots, self.client.equipment.values()))
        return {self.owned(kind): Owned(kind, amount) for kind, amount in amounts.items() if amount}

    def _shoots(self, kind: int) -> bool:
        return bool(kind) and self.client.record(kind).subtype == ItemSubtype.Arrows

    def owned(self, kind: int) -> int:
        """The handle of what it carries of a kind."""
        return OWNED + kind

    def wears(self) -> Mapping[int, int]:
        """By place on the body; the handle says the kind."""
        return {
            place: self.owned(kind)
            for place, kind in self.client.equipment.items()
            if kind and not self._shoots(kind)
        }

    def handle_of(self, thing: Thing, view: AnyView) -> int | None:
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

    def own_handle_of(self, item: Item, view: AnyView) -> int | None:
        """By its kind."""
        figures = cast("EoView", view).figures
        return self.owned(figures.looks.item_id(item.template.key, female=False))

    def in_flight(self) -> bool:
        """Whether it loads a map."""
        return self.client.warp is not None

    async def step(self, heading: int, *, run: bool = False) -> None:
        """Walk_Player, along the nearest of the four directions. The client lets nobody off its map, nor go
        anywhere while it loads."""
        dx, dy = OFFSETS[heading & ~1]
        if self.in_flight():
            return
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
        """By words: the game has none but trade. Nobody can be told to give something to an NPC, so that is
        asked in vain."""
        drawn = self.client.characters.get(other - PLAYER)
        whom = drawn.info.name if drawn is not None and drawn.info is not None else "nobody"
        what = self.client.record(handle - OWNED).name
        await self.say(f"#give {whom} {amount} {what}")

    async def click(self, handle: int) -> None:
        """Quest_Use of an NPC."""
        if handle & ~0xFFFF == NPC:
            await self.sends(self.client.click(handle - NPC))

    async def attack(self, handle: int) -> None:
        """Attack_Use towards it, and what is in between."""
        here, there = self.place(), self.others().get(handle)
        heading = towards(there.x - here.x, there.y - here.y) if there is not None else None
        if heading is not None and self.online:
            await self.sends(self.client.attack(_DIRECTIONS[heading & ~1]))

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


def _entered(client: EoClient) -> bool:
    return client.player_id in client.characters and any(
        isinstance(packet, WelcomeReplyServerPacket) and packet.welcome_code == WelcomeCode.EnterGame
        for packet in client.received
    )
