"""Somebody who plays in a browser for a test (`tests.kit.actor`)."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

from tests.kit.actor import BASE, PATIENCE, CannotEnter, Figure, Lying, Owned, Place
from tests.kit.web_player import WebPlayer
from tests.kit.web_trader import WebTrader

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.family import AnyView
    from world.thing import Thing


class WebActor(WebTrader):
    """Somebody at the page. Handles are the world's serials; a kind of thing is its name's checksum, since
    the page knows no numbers for kinds. What it wears is by serial, for the page knows no layers."""

    game = "web"
    order_sign = "/"
    can = (BASE - {"refresh"}) | {"sit", "stand", "gesture", "use", "loot"}

    def make_player(self) -> WebPlayer:
        """Somebody in front of a page that was just opened."""
        return WebPlayer(self.town, peer=self.peer)

    @property
    def online(self) -> bool:
        """Whether it believes to be in the world."""
        return super().online and self.client.in_world

    async def _enter(self, account: str, name: str, password: str) -> None:
        client, end = self.client, self.player.end
        screen = client.screen
        await end.send_all(client.login_bytes(account, password))
        await self._must("the characters", lambda: bool(screen.listed or screen.denied))
        self._allowed()
        if name not in screen.characters.values():
            await end.send_all(client.create_bytes(name))
            await self._must("the new character", lambda: screen.listed > 1 or bool(screen.denied))
            self._allowed()
        number = next(number for number, other in screen.characters.items() if other == name)
        await end.send_all(client.enter_bytes(number))
        await self._must("the world", lambda: client.in_world or bool(screen.denied))
        self._allowed()

    def _allowed(self) -> None:
        if self.screen.denied:
            raise CannotEnter(f"{self.name}: {self.screen.denied}")

    async def logs_out(self) -> None:
        """Back to the list, and away."""
        if self.online:
            await self.sends(self.client.leave_bytes())
            await self.until(lambda: not self.client.in_world, PATIENCE)
        self.leaves()

    async def echo(self, seconds: float = PATIENCE) -> bool:
        """By a ping."""
        if not self.online:
            return False
        pongs = self.screen.pongs
        before = len(pongs)
        await self.sends(self.client.ping_bytes(before))
        return await self.until(lambda: len(pongs) > before, seconds)

    async def stands(self, seconds: float = PATIENCE) -> tuple[int, int] | None:
        """By an order to the server, which tells realm, east and south."""
        if not self.online:
            return None
        words = f"{self.name} is in "
        before = len(self._told(words))
        await self.sends(self.client.say_bytes("/where"))
        if not await self.until(lambda: len(self._told(words)) > before, seconds):
            return None
        x, y = self._told(words)[-1].split()[-2:]
        return int(x), int(y)

    def _told(self, words: str) -> list[str]:
        return [line for line in self.screen.notices() if words in line]

    def place(self) -> Place:
        """Where its steps have led."""
        screen = self.screen
        return Place(crc32(screen.realm.encode()), screen.x, screen.y, screen.heading)

    def dead(self) -> bool:
        """Whether it shows itself as a ghost."""
        return self.client.in_world and self.client.me.dead

    def others(self) -> Mapping[int, Figure]:
        """By serial."""
        return {n: Figure(it.x, it.y, it.heading) for n, it in self.screen.others("mobile").items()}

    def lying(self) -> Mapping[int, Lying]:
        """By serial."""
        return {
            n: Lying(_kind(it.name), it.amount, it.x, it.y) for n, it in self.screen.others("item").items()
        }

    def carries(self) -> Mapping[int, Owned]:
        """By serial."""
        owned = self.screen.owned.items()
        return {n: Owned(_kind(thing.name), thing.amount) for n, thing in owned if not thing.worn}

    def bags(self) -> Mapping[int, Mapping[int, Owned]]:
        """Those that were opened."""
        return {
            number: {n: Owned(_kind(thing.name), thing.amount) for n, thing in inside.items()}
            for number, inside in self.screen.inside.items()
            if number in self.screen.owned
        }

    def wears(self) -> Mapping[int, int]:
        """By its own serial."""
        return {n: n for n, thing in self.screen.owned.items() if thing.worn}

    def handle_of(self, thing: Thing, view: AnyView) -> int | None:
        """Its serial."""
        return thing.serial

    def in_flight(self) -> bool:
        """Whether a step was not answered."""
        return self.client.under_way > 0

    async def step(self, heading: int, *, run: bool = False) -> None:
        """walk."""
        if self.online:
            await self.sends(self.client.walk_bytes(heading, run=run))

    async def turn(self, heading: int) -> None:
        """turn, which nobody answers: it has turned by itself."""
        if self.online:
            await self.sends(self.client.turn_bytes(heading))

    async def say(self, text: str) -> None:
        """speak."""
        if self.online:
            await self.sends(self.client.say_bytes(text))

    async def take(self, handle: int, amount: int = 1) -> None:
        """take."""
        if self.online:
            await self.sends(self.client.take_bytes(handle, amount))

    async def drop(self, handle: int, amount: int = 1) -> None:
        """drop."""
        if self.online:
            await self.sends(self.client.drop_bytes(handle, amount))

    async def put_on(self, handle: int) -> None:
        """wear."""
        if self.online:
            await self.sends(self.client.wear_bytes(handle))

    async def take_off(self, layer: int) -> None:
        """unwear."""
        if self.online:
            await self.sends(self.client.unwear_bytes(layer))

    async def use(self, handle: int) -> None:
        """use."""
        if self.online:
            await self.sends(self.client.use_bytes(handle))

    async def attack(self, handle: int) -> None:
        """attack."""
        if self.online:
            await self.sends(self.client.attack_bytes(handle))

    async def loot(self, handle: int) -> None:
        """use, of a corpse; then take, of each thing in it."""
        await self.use(handle)
        for number, thing in list(self.screen.inside.get(handle, {}).items()):
            await self.take(number, thing.amount)

    async def click(self, handle: int) -> None:
        """look."""
        if self.online:
            await self.sends(self.client.look_bytes(handle))

    async def sit(self) -> None:
        """sit, if it stands."""
        if self.online and not self.client.me.sitting:
            await self.sends(self.client.sit_bytes())

    async def stand(self) -> None:
        """The same, if it sits."""
        if self.online and self.client.me.sitting:
            await self.sends(self.client.sit_bytes())

    async def gesture(self) -> None:
        """gesture: a bow."""
        if self.online:
            await self.sends(self.client.gesture_bytes("bow"))

    async def garble(self, junk: bytes) -> None:
        """A message that there is not, and something that is none."""
        if self.online:
            await self.sends(self.client.say_bytes_of("nonsense", junk=junk.hex()))
            await self.sends(self.client.raw_bytes(junk))


def _kind(name: str) -> int:
    return crc32(name.encode())
