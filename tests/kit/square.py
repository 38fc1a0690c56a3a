"""A square full of people: clients of every game side by side on open ground, and what each of them is shown
of the others.

    square = await gather(town)                  # everybody of `CAST`
    await square["Anna"].walks(EAST)
    square.all_see("Anna")                       # where the world has her, whatever the game
    square.is_well()

What is asked of a client is a method of its game (`tests.kit.game.Game`), what its player wishes one of
`tests.kit.wish`.
"""

from __future__ import annotations

from math import floor
from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

import trio

from tests.kit.actors import ACTORS
from tests.kit.beliefs import belief_faults
from tests.kit.games import GAMES
from tests.kit.players import Player
from tests.kit.wishes import WISHES
from world import motion

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from protocol.session import Session
    from tests.kit.game import Game, Sight
    from tests.kit.town import Town
    from tests.kit.wish import Wishes
    from world.mobile import Mobile
    from world.realm import Realm

P = TypeVar("P", bound=Player)


class Part(NamedTuple):
    """Which client somebody sits at, and where: one address has only so many connections."""

    game: str
    variant: str = ""
    peer: str = "127.0.0.1"


CAST: Final[Mapping[str, Part]] = {
    "Anna": Part("uo"),
    "Bert": Part("eo"),
    "Cora": Part("eq2"),
    "Karl": Part("co"),
    "Dora": Part("l2"),
    "Wanda": Part("web"),
    "Arno": Part("uo", "5.0.9.1-encrypted", "127.0.0.2"),
    "Bella": Part("eo", "websocket", "127.0.0.2"),
    "Curt": Part("eq2", "", "127.0.0.2"),
    "Lena": Part("co", "5065", "127.0.0.2"),
    "Emma": Part("l2", "746-other", "127.0.0.2"),
    "Walt": Part("web", "", "127.0.0.2"),
}
"""Two of each game, and of as many kinds of clients: those of one game may be shown one another in another
way than those of others."""

FIRST: Final = tuple(CAST)[: len(GAMES)]
SECOND: Final = tuple(CAST)[len(GAMES) :]
"""One of each game each. When all of one half do something, the other half watches."""

LEFT_BEHIND: Final = 12.0
"""Seconds after which nobody is there any more who hung up without a word."""


class Guest:
    """Somebody on the square, and the client they sit at now."""

    def __init__(self, town: Town, name: str, part: Part) -> None:
        self.town = town
        self.name = name
        self.sits_at(part)

    def sits_at(self, part: Part) -> None:
        """Take a client that knows nothing yet. What went on at the one before goes on."""
        self.part = part
        self.game: Game = GAMES[part.game]
        self.player = self.game.player(self.town, part.variant)
        self.player.peer = part.peer
        self._entered = False

    @property
    def inside(self) -> bool:
        """Whether it came into the world and is still connected."""
        return self._entered and not self.player.hung_up

    async def enters(self) -> None:
        """From the first byte into the world."""
        await self.player.enters(self.name.lower(), self.name)  # type: ignore[attr-defined] # all players do
        self._entered = True

    async def leaves(self) -> bool:
        """Leave as one does in this game, and hang up; whether it has a word for that."""
        word = self.game.logs_out(self.player)
        if word:
            await self.does(word)
        self.player.leaves()
        return bool(word)

    async def does(self, data: bytes, *, wait: float = 1.0) -> None:
        """Send something, and give the server time."""
        await self.player.sends(data, wait=wait)

    async def walks(self, heading: int) -> None:
        """One step to one of the four sides."""
        await self.game.walks(self.player, heading)

    @property
    def mobile(self) -> Mobile:
        """The character."""
        return self.town.mobile(self.name)

    @property
    def place(self) -> tuple[int, int]:
        """Where that is."""
        mobile = self.mobile
        return mobile.x, mobile.y

    @property
    def session(self) -> Session:
        """The session that plays it."""
        mobile = self.mobile
        return next(session for session in self.town.app.sessions() if session.mobile is mobile)

    @property
    def wishes(self) -> Wishes:
        """What is sent for what the player wants."""
        return WISHES[self.game.name](self.player, self.session)

    def sees(self, other: Guest) -> Sight | None:
        """How the client draws somebody who is in the world; None if it does not."""
        return self.game.sees(self.player, other.mobile)

    def must_see(self, other: Guest) -> Sight:
        """The same, of somebody who has to be there."""
        sight = self.sees(other)
        assert sight is not None, f"{self} does not see {other}"
        return sight

    def tile(self, sight: Sight) -> tuple[int, int]:
        """The tile of the world on which it draws that."""
        actor = ACTORS[self.game.name]
        atlas = self.town.content.charts["confluence"].atlas.get(self.game.name, {})
        begins = [float(str(atlas.get(axis, 0))) for axis in actor.axes]
        return floor((sight.x - begins[0]) / actor.unit), floor((sight.y - begins[1]) / actor.unit)

    def faults(self) -> list[object]:
        """What is wrong with what it was told, or believes."""
        if self.player.hung_up:
            return ["it was thrown out"]
        actor = ACTORS[self.game.name](self.town)
        actor.player, actor.name = self.player, self.name
        return [*self.game.faults(self.player), *belief_faults(actor, self.session)]

    def __str__(self) -> str:
        return f"{self.name} ({self.player.game})"


class Square:
    """Everybody who came."""

    def __init__(self, town: Town, names: tuple[str, ...]) -> None:
        self.town = town
        self.guests = {name: Guest(town, name, CAST[name]) for name in names}

    async def enter(self) -> None:
        """All come into the world, side by side, and stay there: whose client says something by itself when
        nobody touches it does."""
        for guest in self:
            await guest.enters()
            self.town.nursery.start_soon(self._stays, guest)
        side_by_side(self.town, *self.guests)
        await trio.sleep(2)

    async def _stays(self, guest: Guest) -> None:
        while True:
            await trio.sleep(20)
            if guest.inside and (data := guest.game.keeps_alive(guest.player)):
                await guest.player.end.send_all(data)

    def __getitem__(self, name: str) -> Guest:
        return self.guests[name]

    def __iter__(self) -> Iterator[Guest]:
        return iter(self.guests.values())

    def player(self, name: str, kind: type[P]) -> P:
        """Somebody in front of a client of that kind."""
        player = self.guests[name].player
        assert isinstance(player, kind)
        return player

    @property
    def realm(self) -> Realm:
        """Where all of this is."""
        return self.town.app.world.realms["confluence"]

    def watchers(self, *names: str) -> list[Guest]:
        """All but those."""
        return [guest for guest in self if guest.name not in names]

    def far_off(self, name: str) -> tuple[int, int]:
        """A place out of sight of somebody."""
        x, y = self.guests[name].place
        corners = ((a, b) for a in (5, 100, 110) for b in (100, 5, 110))
        return next(
            (a, b) for a, b in corners if max(abs(a - x), abs(b - y)) > 45 and self.realm.walkable(a, b)
        )

    async def warps(self, name: str, x: int, y: int) -> None:
        """The world puts somebody elsewhere."""
        self.town.app.world.warp(self.town.mobile(name), self.realm, x, y)
        await self.changed(2)

    async def changed(self, seconds: float = 1.0) -> None:
        """A test has changed the world: have everybody told."""
        self.town.app.loop.wake()
        await trio.sleep(seconds)

    def all_see(self, name: str) -> None:
        """Everybody sees somebody where the world has it and as what it is, itself too; and all but itself
        which way it faces."""
        seen = self.guests[name]
        mobile = seen.mobile
        for viewer in self:
            sight = viewer.must_see(seen)
            assert sight.name in (None, name), f"{viewer}: {name}"
            assert viewer.tile(sight) == seen.place, f"{viewer} sees {seen} elsewhere"
            # Endless Online draws four headings.
            heading = mobile.heading & ~1 if viewer.game.name == "eo" else mobile.heading
            assert sight.heading == heading or viewer is seen, f"{viewer} sees {seen} look elsewhere"
            assert sight.ghost in (None, mobile.dead), f"{viewer}: {seen}"
            assert sight.sitting in (None, bool(mobile.posture)), f"{viewer}: {seen}"

    def nobody_sees(self, name: str, mobile: Mobile) -> None:
        """It is gone from all screens but its own."""
        for viewer in self.watchers(name):
            if viewer.inside:
                assert viewer.game.sees(viewer.player, mobile) is None, f"{viewer} still sees {name}"

    def is_well(self, *names: str) -> None:
        """Nobody was thrown out, told nonsense, or believes what is not so: of those names, or of all."""
        for guest in [self.guests[name] for name in names] if names else self:
            faults = guest.faults()
            assert faults == [], f"{guest}: {faults}"


def side_by_side(town: Town, *names: str) -> None:
    """Put characters on open ground, where every step to every side is free."""
    realm = town.app.world.realms["confluence"]
    free = (
        spot
        for spot in realm.free_near(*realm.chart.spawns[0], 8)
        if all(motion.can_step(realm, *spot, heading) for heading in range(8))
    )
    for name, spot in zip(names, list(free), strict=False):
        town.app.world.warp(town.mobile(name), realm, *spot)
    town.app.loop.wake()


async def gather(town: Town, *names: str) -> Square:
    """Some of the cast, or all of it, come to the square."""
    square = Square(town, names or tuple(CAST))
    await square.enter()
    return square
