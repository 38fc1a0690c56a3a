"""What a harness has to know of each game, so that it is written once and parametrised with `GAMES`.

A further game joins with a class in a module beside (nearly all of it names of its client's methods) and a
line in `GAMES`:

    class Runescape(Game):
        name, doors = "rs", ("login", "game")
        variants = {"317": lambda town: RsPlayer(town)}
        steps = (Step("login", ...), Step("enter", ..., phase=Phase.MENU), Step("walk", ..., phase=IN_WORLD))

Its player is a `tests.kit.players.Player` over a client without I/O; the port of its door goes into
`tests.kit.town.PORTS`, and two who play it into `tests.kit.square.CAST`. What a test asks of a game is
documented at `tests.kit.game.Game`.
"""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Final

import trio

from tests.kit.co_game import ConquerOnline
from tests.kit.eo_game import EndlessOnline
from tests.kit.eq2_game import EverQuest2
from tests.kit.game import MARK, Game, Pair, Person, Step
from tests.kit.l2_game import Lineage2
from tests.kit.uo_game import UltimaOnline
from tests.kit.web_game import Browser
from world import motion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.session import Session
    from tests.kit.town import Town

GAMES: Final[Mapping[str, Game]] = {
    game.name: game
    for game in (UltimaOnline(), EndlessOnline(), EverQuest2(), ConquerOnline(), Lineage2(), Browser())
}
VARIANTS: Final = [(game, variant) for game, record in GAMES.items() for variant in record.variants]
STREAMS: Final = [game for game, record in GAMES.items() if not record.datagrams]
"""Those whose bytes come without bounds."""
DOORS: Final = [(game, door) for game, record in GAMES.items() for door in record.doors]
STREAM_DOORS: Final = [(game, door) for game, door in DOORS if game in STREAMS]


def session_of(town: Town, who: Person) -> Session:
    """The session that plays somebody's character."""
    mobile = town.mobile(who.character)
    return next(session for session in town.app.sessions() if session.mobile is mobile)


class Witnesses:
    """One player of each game who stand together and whom nothing that others do may disturb."""

    def __init__(self, town: Town, *, first: int = 20_000) -> None:
        self.town = town
        self.players = [(game, game.player(town), Person(first + n)) for n, game in enumerate(GAMES.values())]
        self._told = 0

    async def enter(self) -> None:
        """Come into the world, and stay alive there."""
        for game, player, who in self.players:
            await game.enters(player, who)
        self.town.nursery.start_soon(self._stay)

    async def _stay(self) -> None:
        while True:
            await trio.sleep(25)
            for game, player, _ in self.players:
                if not player.gone and (data := game.keeps_alive(player)):
                    await player.end.send_all(data)

    async def are_well(self) -> None:
        """They are answered, hear each other, see each other's steps, and believe what is so."""
        self._told += 1
        line = f"line {self._told}"
        for game, player, _ in self.players:
            assert not player.gone, f"the {game} player was thrown out"
            await player.sends(game.says(player, f"{line} in {game}"))
        headings = (2, 6) if self._told % 2 else (6, 2)
        for game, player, who in self.players:
            others = [f"{line} in {other}" for other, _, _ in self.players if other is not game]
            assert set(others) <= set(game.heard(player)), f"the {game} player is deaf"
            mobile = self.town.mobile(who.character)
            for heading in headings:
                before = mobile.x, mobile.y, mobile.heading
                await player.sends(game.steps_to(player, heading))
                after = mobile.x, mobile.y, mobile.heading
                realm = mobile.realm
                assert realm is not None
                blocked = not motion.can_step(realm, mobile.x, mobile.y, heading)
                assert after != before or mobile.heading == heading or blocked
        await trio.sleep(1)
        for game, player, who in self.players:
            session = session_of(self.town, who)
            differing = game.believes(player) ^ game.should_believe(session)
            assert not differing, f"the {game} player sees ghosts: {differing}"


def readable(text: str) -> bool:
    """Whether a line holds nothing but letters, figures, signs and blanks of ASCII."""
    return set(text) <= set(string.printable) - set("\t\n\r\x0b\x0c")


__all__ = [
    "DOORS",
    "GAMES",
    "MARK",
    "STREAMS",
    "STREAM_DOORS",
    "VARIANTS",
    "Game",
    "Pair",
    "Person",
    "Step",
    "Witnesses",
    "readable",
    "session_of",
]
