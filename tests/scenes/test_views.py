"""One client of each game, side by side: an event that no view knows reaches all of them, and what the views
declare of changed state is so."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

import attrs
import pytest
import trio

from protocol.rendering import LeftOut
from tests.kit.co_player import CoPlayer
from tests.kit.games import GAMES, Person, session_of
from tests.kit.split import socket_of
from world import audience, holding
from world.audience import Relation
from world.companions import Party
from world.delta import MobileDelta, flags_of
from world.events import Event, Stepped
from world.item import Layer
from world.mobile import Mobile, Notoriety, Posture

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from trio.testing import MockClock

    from protocol.session import Session
    from server.net.connection import Connection
    from tests.kit.game import Game
    from tests.kit.players import Player
    from tests.kit.town import Town
    from world.mobile import Viewport


@attrs.define
class StruckByLightning(Event):
    """A kind that no view has ever heard of."""

    thing: Mobile
    viewers: Sequence[Viewport]


@attrs.define
class Proclaimed(Event):
    """One that says itself in its own words, and to everybody."""

    thing: None
    viewers: Sequence[Viewport]
    anywhere = True

    def words(self, *, own: bool) -> str | None:
        return "Hear, hear!"


@attrs.define
class Breathed(Event):
    """One of which there is nothing to be said."""

    thing: Mobile
    viewers: Sequence[Viewport]

    def words(self, *, own: bool) -> str | None:
        return None


@attrs.define
class Client:
    """One of the six."""

    game: Game
    player: Player
    session: Session
    socket: Connection

    @property
    def mobile(self) -> Mobile:
        assert self.session.mobile is not None
        return self.session.mobile

    def lines(self) -> list[str]:
        """All it was told."""
        if isinstance(self.player, CoPlayer):
            return self.player.client.screen.notices
        return self.game.heard(self.player)

    @property
    def told(self) -> int:
        """Messages that were sent to it."""
        return self.socket.messages_out


@pytest.fixture
async def clients(town: Town) -> list[Client]:
    """One of each game, all in sight of one another, and nobody else."""
    found: list[Client] = []
    for number, game in enumerate(GAMES.values()):
        player, who = game.player(town), Person(number)
        await game.enters(player, who)
        session = session_of(town, who)
        found.append(Client(game, player, session, socket_of(town, session)))
    for resident in [one for one in town.app.world.mobiles.values() if not one.is_character]:
        town.app.world.leave(resident)  # whose steps would be messages, too
    world = town.app.world
    for resident in [mobile for mobile in world.mobiles.values() if not mobile.is_character]:
        world.leave(resident)  # what they say and do is counted, too
    await trio.sleep(3)  # EverQuest II's client loads
    return found


async def happen(town: Town, event: Event) -> None:
    town.app.world.events.append(event)
    town.app.loop.wake()
    await trio.sleep(0.3)


async def test_an_event_no_view_knows_reaches_all_games_as_words(
    town: Town, clients: list[Client], autojump_clock: MockClock
) -> None:
    for client in clients:
        struck = client.mobile
        await happen(town, StruckByLightning(struck, audience.in_sight(struck)))
        for other in clients:
            read = other.lines().count(f"{struck.name}: struck by lightning.")
            assert read == 1, f"{other.game} of one of {client.game}"


async def test_an_event_says_itself_to_all_it_concerns_wherever_they_are(
    town: Town, clients: list[Client], autojump_clock: MockClock
) -> None:
    world, away = town.app.world, clients[0].mobile
    assert away.realm is not None
    far = next((x, 1) for x in range(1, 100) if away.realm.walkable(x, 1))
    world.warp(away, away.realm, *far)
    await happen(town, Proclaimed(None, audience.everybody(world)))
    for client in clients:
        assert client.lines().count("Hear, hear!") == 1, str(client.game)
    before = [client.told for client in clients]
    await happen(town, Breathed(away, audience.everybody(world)))
    assert [client.told for client in clients] == before


def strip(mobile: Mobile) -> None:
    mobile.world.delete(mobile.worn[Layer.SHIRT])


def enrich(mobile: Mobile) -> None:
    assert mobile.backpack is not None
    holding.put(mobile.backpack, holding.make(mobile.world, "gold", amount=5_000))


def shrink(name: str, mobile: Mobile) -> None:
    """Less of it, and nothing missing that would come back."""
    setattr(mobile, f"{name}_max", 20)
    setattr(mobile, name, 20)


CHANGES: Final[Mapping[str, Callable[[Mobile], None]]] = {
    "NAME": lambda mobile: setattr(mobile, "name", f"{mobile.name}x"),
    "FLAGS": lambda mobile: setattr(mobile, "war", True),
    "HITS": partial(shrink, "hits"),
    "MANA": partial(shrink, "mana"),
    "STAM": lambda mobile: setattr(mobile, "stam", 5),
    "STAT": lambda mobile: setattr(mobile, "level", 7),
    "NOTO": lambda mobile: setattr(mobile, "notoriety", Notoriety.CRIMINAL),
    "WEIGHT": enrich,
    "HUE": lambda mobile: setattr(mobile, "skin_hue", 1050),
    "BODY": lambda mobile: setattr(mobile, "female", not mobile.female),
    "ARMOR": strip,
    "PROPERTIES": lambda mobile: setattr(mobile, "title", "the Bold"),
    "HAIR": lambda mobile: setattr(mobile, "hair", 5 if mobile.hair != 5 else 6),
    "FACIAL_HAIR": lambda mobile: setattr(mobile, "beard", 3 if mobile.beard != 3 else 4),
    "POSTURE": lambda mobile: setattr(mobile, "posture", Posture.FLOOR),
    "GAME": lambda mobile: setattr(mobile, "game", "uo" if mobile.game != "uo" else "eo"),
    "TARGET": lambda mobile: setattr(mobile, "target", 1),
}
"""Something of which each flag tells."""

ELSEWHERE: Final = {("eq2", "FLAGS"): "only of the hidden: tests/eq2/test_figures.py"}


async def test_what_is_declared_of_changed_state_is_so(
    town: Town, clients: list[Client], autojump_clock: MockClock
) -> None:
    """What is said to be shown makes messages, and what is said to be left out makes none."""
    for name, flag in flags_of(MobileDelta).items():
        before = [client.told for client in clients]
        for client in clients:
            if name in CHANGES:
                CHANGES[name](client.mobile)
                assert client.mobile.delta & flag
            else:
                client.mobile.mark(flag)
        town.app.loop.wake()
        await trio.sleep(0.3)
        for client, told in zip(clients, before, strict=True):
            declared = client.session.family.view.declared.flags[MobileDelta][flag]
            if name in CHANGES and (client.game.name, name) not in ELSEWHERE:
                assert (client.told > told) is not isinstance(declared, LeftOut), f"{client.game} {name}"


async def test_a_view_that_tells_nobody_of_own_steps_has_nothing_to_tell(
    clients: list[Client], autojump_clock: MockClock
) -> None:
    """It is not asked then. A step on a way that the world leads is told whatever it says."""
    for client in clients:
        view, session, mobile = client.session.family.view, client.session, client.mobile
        step = Stepped(
            mobile, mobile.x, mobile.y, mobile.x, mobile.y + 1, mobile.heading, run=False, viewers=(), lost=()
        )
        told = view.event(step, view.audience(session, mobile), session.dialect)
        assert bool(told) is view.tells_own_steps, str(client.game)


async def test_every_view_can_draw_a_relation_apart(
    clients: list[Client], autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where it does not, a fellow is as any other; where it does, the relation is the audience."""
    party, strangers = Party([client.mobile.serial for client in clients[1:]]), clients[0].mobile
    for client in clients[1:]:
        client.mobile.party = party
    for client in clients[1:]:
        view, session = client.session.family.view, client.session
        fellow = next(other.mobile for other in clients[1:] if other is not client)
        other = view.audience(session, strangers)
        assert view.audience(session, fellow) == other == view.bystander
        assert view.onlooker in (other, None)
        monkeypatch.setattr(view, "apart", frozenset({Relation.PARTY}))
        assert view.audience(session, fellow) is Relation.PARTY, str(client.game)
        assert view.audience(session, strangers) == other
        assert view.audience(session, client.mobile) == Relation.SELF
        dialect = session.dialect
        assert len(view.show(fellow, Relation.PARTY, dialect)) == len(view.show(fellow, other, dialect))
