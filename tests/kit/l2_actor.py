"""Somebody who plays Lineage II for a test (`tests.kit.actor`)."""

from __future__ import annotations

import functools
import random
from typing import TYPE_CHECKING, Final

from protocol.l2 import rsa
from tests.kit.actor import BASE, PATIENCE, TOO_SOON, CannotEnter, Figure, Lying, Owned, Place
from tests.kit.l2_client import RUN, SIT, TILE, heading_of
from tests.kit.l2_player import L2Player
from tests.kit.l2_trader import L2Trader

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.family import AnyView
    from tests.kit.l2_shown import Seen
    from world.thing import Thing

SKILL_LIST: Final = 0x58


@functools.cache
def _fix_key_pairs() -> None:
    """A server makes its pairs of chance, outside of its seeded entropy: all processes would differ."""
    chance = random.Random("key pairs")
    rsa.POOL._pairs[:] = [rsa.generate(chance.randbytes) for _ in range(rsa.POOL_SIZE)]


class L2Actor(L2Trader):
    """Somebody at a Lineage II client. Its coordinates are the client's units, of which a tile has some."""

    game = "l2"
    unit = TILE
    can = (BASE - {"refresh"}) | {"sit", "stand", "gesture", "use", "wander"}

    def make_player(self) -> L2Player:
        """Somebody in front of a client that was just started."""
        _fix_key_pairs()
        return L2Player(self.town, peer=self.peer)

    @property
    def online(self) -> bool:
        """Whether it believes to be in the world."""
        return super().online and self._screen.me is not None

    async def _enter(self, account: str, name: str, password: str) -> None:
        client, screen, seat = self.client, self._screen, self._seat
        seat.turns_to("login")
        await self._must("Init", lambda: client.session_id is not None)
        await seat.end.send_all(client.guard_bytes())
        await self._must("GGAuth", lambda: client.authorised is not None)
        await seat.end.send_all(client.login_bytes(account, password))
        await self._login("LoginOk", lambda: bool(client.keys.login1 or client.keys.login2))
        await seat.end.send_all(client.worlds_bytes())
        await self._login("ServerList", lambda: bool(client.worlds))
        await seat.end.send_all(client.play_bytes(client.worlds[0].id))
        await self._login("PlayOk", lambda: bool(client.keys.play1 or client.keys.play2))
        seat.turns_to("game")
        await seat.end.send_all(client.version_bytes())
        await self._must("KeyPacket", lambda: client.admitted is not None)
        await seat.end.send_all(client.auth_bytes())
        await self._must("the characters", lambda: screen.menu is not None or screen.refused is not None)
        if screen.refused is not None:
            raise CannotEnter(f"{name}: LoginFail {screen.refused} of the game's door")
        if not screen.menu:
            screen.menu = None
            await seat.end.send_all(client.create_bytes(name))
            await self._must("the new character", lambda: bool(screen.created or screen.menu))
            if screen.created:
                raise CannotEnter(f"{name}: CharCreateFail {screen.created}")
        await seat.end.send_all(client.select_bytes())
        await self._must("CharSelected", lambda: bool(screen.selected))
        await seat.end.send_all(client.enter_bytes())
        await self._must("the world", lambda: client.in_world and screen.has_items)

    async def _login(self, what: str, predicate: Callable[[], bool]) -> None:
        client = self.client
        await self._must(what, lambda: predicate() or client.refused is not None)
        if client.refused is not None:
            raise CannotEnter(f"{self.name}: LoginFail {client.refused:#x}")

    async def logs_out(self) -> None:
        """Logout, which is at once."""
        if self.online:
            await self.sends(self.client.logout_bytes())
            await self.until(lambda: self.player.hung_up)
        self.leaves()

    async def echo(self, seconds: float = PATIENCE) -> bool:
        """By RequestSkillList."""
        counts = self._screen.counts
        before = counts[SKILL_LIST]
        await self.sends(self.client.raw_bytes(b"\x3f"))
        return await self.until(lambda: counts[SKILL_LIST] > before, seconds)

    async def _asks_where(self, seconds: float) -> tuple[int, int] | None:
        """By an order to the server, which tells realm, east and south."""
        words = f"{self.name} is in "
        before, refused = len(self._told(words)), len(self._told(TOO_SOON))
        await self.sends(self.client.say_bytes(".where"))
        await self.until(
            lambda: len(self._told(words)) > before or len(self._told(TOO_SOON)) > refused, seconds
        )
        if len(self._told(words)) == before:
            return None
        x, y = self._told(words)[-1].split()[-2:]
        return int(x), int(y)

    def _told(self, words: str) -> list[str]:
        return [line for line in self._screen.lines() if words in line]

    def place(self) -> Place:
        """Where it believes to be."""
        me = self._screen.me
        if me is None:
            return Place(0, 0, 0, 0)
        x, y, _ = self.client.place()
        return Place(0, x, y, heading_of(me.heading))

    def dead(self) -> bool:
        """Whether it lies there."""
        me = self._screen.me
        return me is not None and me.dead

    def others(self) -> Mapping[int, Figure]:
        """By object id."""
        return {number: self._figure(seen) for number, seen in self._others().items()}

    def _others(self) -> Mapping[int, Seen]:
        return {**self._screen.people, **self._screen.living()}

    def _figure(self, seen: Seen) -> Figure:
        x, y, _ = seen.place(self._screen.now())
        return Figure(round(x), round(y), heading_of(seen.heading))

    def lying(self) -> Mapping[int, Lying]:
        """By object id."""
        return {
            number: Lying(thing.kind, thing.amount, thing.x, thing.y)
            for number, thing in self._screen.ground.items()
        }

    def carries(self) -> Mapping[int, Owned]:
        """By object id."""
        return {
            number: Owned(thing.kind, thing.amount)
            for number, thing in self._screen.pack.items()
            if not thing.equipped
        }

    def wears(self) -> Mapping[int, int]:
        """By the bits of the part of the body."""
        return {thing.body_part: number for number, thing in self._screen.pack.items() if thing.equipped}

    def handle_of(self, thing: Thing, view: AnyView) -> int | None:
        """The serial."""
        return thing.serial

    def in_flight(self) -> bool:
        """Whether it loads a place, or is on its way."""
        me = self._screen.me
        return self._screen.loading or (me is not None and me.moves(self._screen.now()))

    async def step(self, heading: int, *, run: bool = False) -> None:
        """MoveBackwardToLocation, a tile from where it is; before it, whether to run."""
        me = self._screen.me
        if not self.online or me is None:
            return
        if me.running != run:
            await self.sends(self.client.action_bytes(RUN))
        await self.sends(self.client.walk_bytes(heading))

    async def wander(self, dx: int, dy: int) -> None:
        """MoveBackwardToLocation: a click on the ground."""
        if self.online and self._screen.me is not None:
            x, y, _ = self.client.place()
            await self.sends(self.client.go_bytes(x + dx * TILE, y + dy * TILE))

    async def turn(self, heading: int) -> None:
        """FinishRotating."""
        if self.online:
            await self.sends(self.client.turn_bytes(heading))

    async def say(self, text: str) -> None:
        """Say2."""
        if self.online:
            await self.sends(self.client.say_bytes(text))

    async def take(self, handle: int, amount: int = 1) -> None:
        """Action: it walks there and takes all of it."""
        if self.online and handle in self._screen.ground:
            await self.sends(self.client.click_bytes(handle))

    async def drop(self, handle: int, amount: int = 1) -> None:
        """RequestDropItem, where it stands."""
        if self.online:
            await self.sends(self.client.drop_bytes(handle, amount))

    async def put_on(self, handle: int) -> None:
        """UseItem."""
        await self.use(handle)

    async def take_off(self, layer: int) -> None:
        """RequestUnEquipItem."""
        if self.online:
            await self.sends(self.client.take_off_bytes(layer))

    async def use(self, handle: int) -> None:
        """UseItem."""
        if self.online and handle in self._screen.pack:
            await self.sends(self.client.use_bytes(handle))

    async def attack(self, handle: int) -> None:
        """AttackRequest."""
        if self.online:
            await self.sends(self.client.attack_bytes(handle))

    async def click(self, handle: int) -> None:
        """Action: the first one aims at it, another one talks to it."""
        if self.online:
            await self.sends(self.client.click_bytes(handle))

    async def sit(self) -> None:
        """RequestActionUse."""
        await self._waits(standing=False)

    async def stand(self) -> None:
        """RequestActionUse."""
        await self._waits(standing=True)

    async def _waits(self, *, standing: bool) -> None:
        me = self._screen.me
        if self.online and me is not None and me.standing != standing:
            await self.sends(self.client.action_bytes(SIT))

    async def gesture(self) -> None:
        """RequestSocialAction: a bow."""
        if self.online:
            await self.sends(self.client.gesture_bytes(7))

    async def garble(self, junk: bytes) -> None:
        """An opcode that the chronicle does not have, and nonsense behind it."""
        if self.online:
            await self.sends(self.client.raw_bytes(b"\xfb" + junk))
