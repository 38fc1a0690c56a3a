"""Somebody who plays Conquer Online for a test (`tests.kit.actor`)."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final, cast
from weakref import WeakKeyDictionary

from tests.kit.actor import BASE, PATIENCE, CannotEnter, Figure, Lying, Owned, Place
from tests.kit.co_client import SURROUNDINGS, heading_of
from tests.kit.co_player import CoPlayer
from tests.kit.co_screen import SILVER, SIT
from tests.kit.co_seen import STAND
from tests.kit.co_trader import CoTrader

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from protocol.co.view import CoView
    from protocol.family import AnyView
    from tests.kit.co_client import CoClient
    from tests.kit.co_screen import Screen
    from tests.kit.players import Host
    from world.thing import Thing

SILVER_HANDLE: Final = 1
"""Of the coins it has: no item has this number."""

SILVER_KIND: Final = 1090000
"""Item type of few coins."""

BOW: Final = 210


OTHER_VERSION: Final = 4
"""One client in so many is of 5065, which takes longer to encipher what it says."""

_CLIENTS: WeakKeyDictionary[Host, Iterator[int]] = WeakKeyDictionary()
"""Counts those of a town."""


class CoActor(CoTrader):
    """Somebody at a Conquer client, mostly of version 5017. What it does counts for it when it is
    answered."""

    game = "co"
    order_sign = "/"
    can = BASE | {"sit", "stand", "gesture", "use", "wander"}

    def make_player(self) -> CoPlayer:
        """Somebody in front of a client that was just started."""
        number = next(_CLIENTS.setdefault(self.town, itertools.count(1)))
        return CoPlayer(self.town, version=5017 if number % OTHER_VERSION else 5065, peer=self.peer)

    @property
    def client(self) -> CoClient:
        """The client it sits at."""
        return self._seat.client

    @property
    def _seat(self) -> CoPlayer:
        return cast("CoPlayer", self.player)

    @property
    def _screen(self) -> Screen:
        return self.client.screen

    @property
    def online(self) -> bool:
        """Whether it believes to be in the world."""
        return super().online and self.client.in_world

    async def _enter(self, account: str, name: str, password: str) -> None:
        answer = await self._logs_in(account, password)
        if answer == "NEW_ROLE":
            self._screen.answers.clear()
            await self._seat.end.send_all(self.client.register_bytes(name))
            if (made := await self._answer("the new character")) != "ANSWER_OK":
                raise CannotEnter(f"{name}: {made}")
            answer = await self._logs_in(account, password)
        if answer != "ANSWER_OK":
            raise CannotEnter(f"{name}: {answer}")
        await self._must("the world", lambda: self.client.in_world)

    async def _logs_in(self, account: str, password: str) -> str:
        client, seat = self.client, self._seat
        client.token = b""
        seat.turns_to("account")
        await seat.end.send_all(client.login_bytes(account, password))
        await self._must("ConnectEx", lambda: bool(client.token) or client.refused is not None)
        if client.refused is not None:
            raise CannotEnter(f"{self.name}: ConnectReject {client.refused}")
        seat.turns_to("game")
        await seat.end.send_all(client.connect_bytes())
        return await self._answer("the answer to a login")

    async def _answer(self, what: str) -> str:
        answers = self._screen.answers
        await self._must(what, lambda: bool(answers))
        return answers[-1]

    async def echo(self, seconds: float = PATIENCE) -> bool:
        """By the client's ping."""
        if not self.online:
            return False
        before = self._screen.pings
        await self.sends(self.client.ping_bytes())
        return await self.until(lambda: self._screen.pings > before, seconds)

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
        return [line for line in self._screen.notices if words in line]

    def place(self) -> Place:
        """Where it was put last."""
        me = self._screen.me
        if me is None:
            return Place(0, 0, 0, 0)
        return Place(self._screen.map, me.x, me.y, heading_of(me.direction))

    def dead(self) -> bool:
        """Whether it shows itself as a ghost."""
        me = self._screen.me
        return me is not None and me.ghost

    def others(self) -> Mapping[int, Figure]:
        """By the client's numbers."""
        screen = self._screen
        return {
            number: Figure(seen.x, seen.y, heading_of(seen.direction))
            for number, seen in {**screen.people, **screen.npcs}.items()
        }

    def lying(self) -> Mapping[int, Lying]:
        """By serial. How many there are of something this client does not show."""
        return {
            number: Lying(thing.kind, 1, thing.x, thing.y) for number, thing in self._screen.ground.items()
        }

    def carries(self) -> Mapping[int, Owned]:
        """By serial; and its silver."""
        screen = self._screen
        carried = {
            number: Owned(item.kind, item.amount)
            for number, item in screen.owned.items()
            if not item.position
        }
        if silver := screen.values.get(SILVER, 0):
            carried[SILVER_HANDLE] = Owned(SILVER_KIND, silver)
        return carried

    def wears(self) -> Mapping[int, int]:
        """By place on the body."""
        return {item.position: number for number, item in self._screen.owned.items() if item.position}

    def handle_of(self, thing: Thing, view: AnyView) -> int | None:
        """Its number for this game's clients."""
        return cast("CoView", view).figures.ids.of(thing)

    def in_flight(self) -> bool:
        """Whether a step was not answered."""
        return self.client.under_way > 0

    async def step(self, heading: int, *, run: bool = False) -> None:
        """MsgWalk."""
        if self.online:
            await self.sends(self.client.walk_bytes(heading, run=run))

    async def wander(self, dx: int, dy: int) -> None:
        """MsgAction: a jump."""
        if self.online:
            await self.sends(self.client.jump_bytes(dx, dy))

    async def turn(self, heading: int) -> None:
        """MsgAction, which nobody answers: it has turned by itself."""
        if self.online:
            await self.sends(self.client.turn_bytes(heading))

    async def say(self, text: str) -> None:
        """MsgTalk."""
        if self.online:
            await self.sends(self.client.say_bytes(text))

    async def refresh(self) -> None:
        """As after a map was loaded."""
        if self.online:
            self._screen.clear()
            await self.sends(self.client.action_bytes(SURROUNDINGS))

    async def take(self, handle: int, amount: int = 1) -> None:
        """MsgMapItem: all of it."""
        if self.online and handle in self._screen.ground:
            await self.sends(self.client.pick_bytes(handle))

    async def drop(self, handle: int, amount: int = 1) -> None:
        """MsgItem: all of a thing, or some coins."""
        if not self.online:
            return
        if handle == SILVER_HANDLE:
            await self.sends(self.client.drop_silver_bytes(amount))
        else:
            await self.sends(self.client.drop_bytes(handle))

    async def put_on(self, handle: int) -> None:
        """MsgItem."""
        await self.use(handle)

    async def take_off(self, layer: int) -> None:
        """MsgItem."""
        number = self.wears().get(layer)
        if self.online and number is not None:
            await self.sends(self.client.item_bytes(number, UNEQUIP, layer))

    async def use(self, handle: int) -> None:
        """MsgItem."""
        if self.online and handle in self._screen.owned:
            await self.sends(self.client.item_bytes(handle, USE))

    async def attack(self, handle: int) -> None:
        """MsgInteract."""
        if self._screen.me is not None and self.online:
            await self.sends(self.client.attack_bytes(handle))

    async def click(self, handle: int) -> None:
        """MsgNpc, or a look at what somebody wears."""
        if not self.online:
            return
        if handle in self._screen.npcs:
            await self.sends(self.client.talk_to_bytes(handle))
        else:
            await self.sends(self.client.action_bytes(LOOK_AT, data=handle))

    async def sit(self) -> None:
        """MsgAction."""
        if self.online:
            await self.sends(self.client.emotion_bytes(SIT))

    async def stand(self) -> None:
        """MsgAction."""
        if self.online:
            await self.sends(self.client.emotion_bytes(STAND))

    async def gesture(self) -> None:
        """MsgAction: a bow."""
        if self.online:
            await self.sends(self.client.emotion_bytes(BOW))

    async def garble(self, junk: bytes) -> None:
        """A packet type that no version has, and nonsense behind it; then an action that there is not."""
        if self.online:
            await self.sends(self.client.action_bytes(0xFFFF))
            await self.sends(
                self.client.raw_bytes((4 + len(junk)).to_bytes(2, "little") + b"\xff\xff" + junk)
            )


USE, UNEQUIP = 4, 6
LOOK_AT: Final = 117
