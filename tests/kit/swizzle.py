"""H-swizzle: clients stop reading one by one and go on in another order; afterwards nobody may believe
anything else than in a run where nobody stopped.

After FoundationDB's swizzle-clogging ("Testing Distributed Systems w/ Deterministic Simulation", Will Wilson,
Strange Loop 2014). A client is clogged by closing the window of its pipe: the server's non-blocking send
takes nothing from then on, its connection keeps a remainder, and messages queue up behind it.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import trio

from tests.kit.eq2_line import DatagramLine
from tests.kit.games import GAMES, Person, session_of
from tests.kit.pipe import WINDOW, End
from tests.kit.wishes import WISHES
from world import residents
from world.content import Resident
from world.heading import apart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.kit.games import Game
    from tests.kit.players import Player
    from tests.kit.town import Town
    from world.mobile import Mobile
    from world.world import World

ROUNDS = 6
FIRST = 30_000
UNEVEN = 0.0137
"""Seconds after the full one at which players act: what the world does by itself happens at round times, and
two things of one moment have no order."""


class Swizzle:
    """A crowd of all games that walks about, talks, hunts rats, and now and then does not read."""

    def __init__(self, town: Town, *, crowd: int, seed: int) -> None:
        self.town = town
        games = list(GAMES.values())
        self.crowd: list[tuple[Game, Player, Person]] = [
            (game, game.player(town), Person(FIRST + number))
            for number in range(crowd)
            for game in (games[number % len(games)],)
        ]
        self.acts = random.Random(seed)
        self.clogs = random.Random(seed + 1)
        self.clogged = 0
        """How often somebody stopped reading."""
        self.most_waiting = 0
        """Messages that waited for one client at most."""

    async def run(self, *, clog: bool) -> None:
        """Everybody enters and acts, in rounds of eight seconds: in the first five somebody stops every
        second, in the last three they go on, in another order. In the twin run (`clog` False) the same people
        do nothing meanwhile, but read."""
        await trio.sleep(UNEVEN)
        for game, player, who in self.crowd:
            await game.enters(player, who)
        await self.town.app.in_world(None, self._let_rats_come)
        stopped: list[Player] = []
        for second in range(ROUNDS * 8):
            for game, player, who in self.crowd:
                await self._act(game, player, who, second, player not in stopped)
            await trio.sleep(0.5)
            if second % 8 < 5 and len(stopped) <= len(self.crowd) // 2:
                self._stop(stopped, clog=clog)
            elif second % 8 >= 5:
                self._go_on(stopped, all_of_them=second % 8 == 7)
            self._measure()
            await trio.sleep(0.5)
        await trio.sleep(10)

    async def _act(self, game: Game, player: Player, who: Person, second: int, reads: bool) -> None:
        # Drawn whether it acts or not: in every run it is the same.
        heading, kind = self.acts.choice((0, 2, 4, 6)), self.acts.random()
        if not reads:
            return
        if kind < 0.7:
            await player.end.send_all(game.steps_to(player, heading))
        elif kind < 0.78:
            await player.end.send_all(game.says(player, f"second {second}"))
        elif kind < 0.9:
            await player.end.send_all(self._attacks(game, player, who))
        elif data := game.keeps_alive(player):
            await player.end.send_all(data)

    def _let_rats_come(self, world: World) -> None:
        """Beside every other of the crowd; whoever kills one finds another there soon."""
        for _, _, who in self.crowd[::2]:
            mobile = self.town.mobile(who.character)
            assert mobile.realm is not None
            residents.move_in(world, mobile.realm, Resident("rat", mobile.x, mobile.y + 1, respawn=5))

    def _attacks(self, game: Game, player: Player, who: Person) -> bytes:
        """What it sends to attack the nearest rat."""
        session = session_of(self.town, who)
        mobile = self.town.mobile(who.character)
        rats = [one for one in self.town.app.world.mobiles.values() if one.template.key == "rat"]
        prey = min(rats, key=lambda rat: (apart(mobile, rat), rat.serial))
        return WISHES[game.name](player, session).attack(prey)

    def _stop(self, stopped: list[Player], *, clog: bool) -> None:
        player = self.clogs.choice([player for _, player, _ in self.crowd if player not in stopped])
        size = self.clogs.choice((0, 1, 100))
        stopped.append(player)
        if clog:
            self._window(player, size)
            self.clogged += 1

    def _go_on(self, stopped: list[Player], *, all_of_them: bool) -> None:
        self.clogs.shuffle(stopped)
        for player in stopped[: None if all_of_them else len(stopped) // 2]:
            self._window(player, WINDOW)
            stopped.remove(player)

    def _window(self, player: Player, size: int) -> None:
        if isinstance(player.end, DatagramLine):
            # There is no window: what nobody reads lies there, and is sent again and again.
            if size == WINDOW:
                player.end.go_on()
            else:
                player.end.hold()
            return
        assert isinstance(player.end, End)
        player.end.window = size

    def _measure(self) -> None:
        for connection in self.town.doors.connections.values():
            self.most_waiting = max(self.most_waiting, len(connection.session.outbox))

    def people(self) -> Sequence[Mobile]:
        """The characters."""
        return [self.town.mobile(who.character) for _, _, who in self.crowd]

    def end_state(self) -> Sequence[tuple[object, ...]]:
        """What everybody believes, and where everybody stands. Fails if a belief is not what the server
        says."""
        found: list[tuple[object, ...]] = []
        for game, player, who in self.crowd:
            assert not player.gone, f"{who} was thrown out"
            session = session_of(self.town, who)
            believed = game.believes(player)
            assert believed == game.should_believe(session), f"{who} of {game} believes what is not so"
            mobile = self.town.mobile(who.character)
            found.append(
                (
                    who.number,
                    mobile.x,
                    mobile.y,
                    mobile.heading,
                    mobile.hits,
                    mobile.experience,
                    frozenset(believed),
                )
            )
        return found
