"""Somebody who plays Ultima Online for a test (`tests.kit.actor`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo.packets.fighting import AttackRequest, WarModeRequest
from protocol.uo.packets.misc import Ping
from protocol.uo.scenery import FIRST_SERIAL, LAST_SERIAL
from tests.kit.actor import BASE, PATIENCE, CannotEnter, Figure, Lying, Owned, Place
from tests.kit.players import Host, UoPlayer
from tests.kit.uo_trader import UoTrader
from world.item import Layer

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.family import AnyView
    from protocol.uo.versions import VersionNumber
    from tests.kit.uo_client import UoClient
    from world.thing import Thing

GROUND: Final = 0xFFFFFFFF
ANYWHERE: Final = 0xFFFF
"""Ultima Online's words for the ground, and for any place within a container."""

MOST_AHEAD: Final = 5
"""Steps without an answer: ClassicUO, src/ClassicUO.Client/Constants.cs, MAX_STEP_COUNT."""


class UoActor(UoTrader):
    """Somebody at an Ultima Online client."""

    game = "uo"
    can = BASE | {"split", "merge", "give", "lift", "use", "gesture", "war", "look_far", "loot"}

    def __init__(
        self,
        town: Host,
        version: VersionNumber = (7, 0, 102, 3),
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
        await self._must("the world", lambda: client.in_world or client.refused)
        if client.refused:
            raise CannotEnter(f"{name}: 0x53 {client.popup}, 0x85 {client.unwilling}")

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

    def handle_of(self, thing: Thing, view: AnyView) -> int | None:
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
        """By words: what is dropped on somebody is offered in a trade. Nobody can be told to give something
        to a resident, so that is asked in vain."""
        if not self.online:
            return
        self.client.lines = [line for line in self.client.lines if line.serial != handle]
        await self.click(handle)
        whom = await self.name_of(other) or "nobody"
        await self.until(lambda: any(line.serial == handle for line in self.client.lines), 2)
        label = next((line.text for line in self.client.lines if line.serial == handle), "nothing")
        count, _, name = label.partition(" ")
        await self.say(f".give {whom} {amount} {name if count.isdecimal() else label}")

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

    async def attack(self, handle: int) -> None:
        """0x05."""
        await self._send(AttackRequest(handle))

    async def loot(self, handle: int) -> None:
        """0x06 of a corpse; when it is open, 0x07 and 0x08 of each thing in it."""
        if handle not in self.client.opened:
            await self.use(handle)
        for serial, (_, amount) in list(self.client.inside(handle).items()):
            await self.take(serial, amount)

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


def _came(client: UoClient, opcode: int) -> bool:
    return any(packet[0] == opcode for packet in client.packets)
