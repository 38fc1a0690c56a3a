"""Somebody who plays EverQuest II for a test (`tests.kit.actor`)."""

from __future__ import annotations

from math import floor, hypot
from typing import TYPE_CHECKING, Final, cast

import trio

from protocol.eq2.packets import CampAborted, CharacterList, CreateCode, PlayCode
from tests.kit.actor import BASE, PATIENCE, TOO_SOON, CannotEnter, Figure, Lying, Owned, Place
from tests.kit.eq2_client import RUNNING, WALKING, degrees_of, lines_of
from tests.kit.eq2_ghost import heading_of
from tests.kit.eq2_player import Eq2Player
from tests.kit.eq2_trader import Eq2Trader
from world.heading import towards
from world.serials import FIRST_ITEM

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.eq2.view import Eq2View
    from protocol.family import AnyView
    from world.item import Item
    from world.thing import Thing

LONGEST_STEP: Final = 1.5
"""Units of a diagonal step, and a bit."""

LONGER: Final = 1.5
"""By how much a way around corners may take longer than its line."""

GOODS: Final = ("bread", "apple", "bandage", "gold", "healing potion", "dagger", "candle")
CLOTHES: Final = ("robe", "feathered hat", "half apron", "boots", "shoes", "sandals", "shirt", "cloak")
"""What people have in this world, in words."""

HANDFUL: Final = 5

OWNED: Final = 0x4_0000
"""What is added to the place of a word among these to make a handle of it."""


class Eq2Actor(Eq2Trader):
    """Somebody at an EverQuest II client, whose bags are not drawn: it names what people usually have, and is
    told whenever it has none of that."""

    game = "eq2"
    axes = ("x", "z")
    can = (BASE - {"refresh"}) | {"sit", "stand", "gesture", "open_door", "camp", "loot", "wander"}

    _followed_at = 0.0
    """When the world's own character has gone where this one is, at the latest."""

    def make_player(self) -> Eq2Player:
        """Somebody in front of a client that was just started."""
        return Eq2Player(self.town, peer=self.peer)

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

    async def _asks_where(self, seconds: float) -> tuple[int, int] | None:
        """By an order to the server, which tells realm, east and south."""
        start, words = len(self.client.received), f"{self.name} is in "
        await self.sends(self.client.command_bytes("causeway", "where"))
        await self.until(lambda: self._told(words, start) or self._told(TOO_SOON, start), seconds)
        if not self._told(words, start):
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

    def handle_of(self, thing: Thing, view: AnyView) -> int | None:
        """The serial; of a corpse that of the dead, if its ghost is what the client was shown."""
        dead = cast("Eq2View", view).figures.was(thing, self.client.version)
        return dead if dead in self.client.others else thing.serial

    def own_handle_of(self, item: Item, view: AnyView) -> int | None:
        """By its name."""
        return OWNED + next(kind for kind, name in enumerate(GOODS + CLOTHES) if name in item.template.name)

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

    async def wander(self, dx: int, dy: int) -> None:
        """Movement: a straight line, told tile by tile, at the end of which it stands."""
        tiles = max(abs(dx), abs(dy))
        if not self.online or not tiles:
            return
        motion, degrees = self.client.motion, degrees_of(towards(dx, dy) or 0)
        spots = [(motion.x + dx * tile / tiles, motion.z + dy * tile / tiles) for tile in range(1, tiles + 1)]
        self._followed_at = max(self._followed_at, trio.current_time()) + hypot(dx, dy) * LONGER / RUNNING
        for x, z in spots:
            await self.sends(self.client.go_bytes(x, z, degrees, RUNNING))
        await self.sends(self.client.go_bytes(*spots[-1], degrees, 0.0))

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

    async def attack(self, handle: int) -> None:
        """Target, and `/autoattack`."""
        if await self._aims(handle):
            await self.sends(self.client.command_bytes("autoattack", "1"))

    async def loot(self, handle: int) -> None:
        """Target, and `/loot`."""
        if await self._aims(handle):
            await self.sends(self.client.command_bytes("loot", "all"))

    async def orders(self, line: str) -> None:
        """`/causeway`."""
        if self.online:
            await self.sends(self.client.command_bytes("causeway", line))

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

    async def garble(self, junk: bytes) -> None:
        """A number that no message has, and nonsense behind it."""
        if self.online:
            await self.sends(self.client.raw_bytes(b"\xfb" + junk))
