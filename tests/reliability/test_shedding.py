"""Messages that a slow client loses, and what it believes afterwards: the same as a twin that read all the
time, and what is so."""

from __future__ import annotations

import logging
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
import trio

from protocol.eq2.codec import Eq2Codec
from tests.kit import split
from tests.kit.actors import ACTORS, make_actor
from tests.kit.beliefs import belief_faults
from tests.kit.eq2_line import DatagramLine
from tests.kit.games import GAMES
from tests.kit.pipe import WINDOW, End
from world import motion
from world.heading import EAST, NORTH, SOUTH, WEST

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trio.testing import MockClock

    from protocol.session import Session
    from server.net.connection import Connection
    from tests.kit.actor import Actor
    from tests.kit.town import Town
    from world.world import World

SHED = {
    "uo": "NewAnimation",
    "eo": "Emote_Player",
    "eq2": "About",
    "co": "Action",
    "l2": "MoveToLocation",
    "web": "gestured",
}
"""What a slow client of each game certainly loses here, as the operators are told."""


CROWD = ("Anna", "Bert", "Cleo", "Dora")


@pytest.fixture
def thrifty_town(easy_town: Town) -> Town:
    """One in which the second message that waits is one too many."""
    easy_town.change("network", drop_threshold=1, stalled_seconds=60.0)
    return easy_town


def session_of(town: Town, actor: Actor) -> Session:
    """The session that plays an actor's character."""
    mobile = town.mobile(actor.name)
    return next(session for session in town.app.sessions() if session.mobile is mobile)


def connection_of(town: Town, actor: Actor) -> Connection:
    """The connection of that session."""
    return split.socket_of(town, session_of(town, actor))


def stops_reading(actor: Actor) -> None:
    """What the server sends stays under way."""
    end = actor.player.end
    if isinstance(end, DatagramLine):
        end.hold()
    else:
        assert isinstance(end, End)
        end.window = 0


def goes_on(actor: Actor) -> None:
    """It reads what is there, and what comes."""
    end = actor.player.end
    if isinstance(end, DatagramLine):
        end.go_on()
    else:
        assert isinstance(end, End)
        end.window = WINDOW


def seen_by(town: Town, actor: Actor, names: Iterable[str]) -> list[tuple[int, int]]:
    """Where a client believes them to be."""
    view, others = session_of(town, actor).family.view, actor.others()
    handles = [actor.handle_of(town.mobile(name), view) for name in names]
    return [(others[handle].x, others[handle].y) for handle in handles if handle is not None]


async def enter(town: Town, game: str, name: str) -> Actor:
    """Somebody new in the world."""
    actor = make_actor(game, town)
    await actor.enters(name.lower(), name)
    await trio.sleep(1)
    return actor


async def act(town: Town, crowd: list[Actor], rounds: int) -> None:
    """They walk about, bow, and are hurt."""
    for n in range(rounds):
        for k, actor in enumerate(crowd):
            await actor.step((EAST, NORTH, WEST, SOUTH)[(n + k) % 4])
            if n % 3 == 0:
                await actor.gesture()

            def hurt(world: World, name: str = actor.name, hits: int = 20 + n + k) -> None:
                town.mobile(name).hits = hits

            await town.app.in_world(None, hurt)
        await trio.sleep(0.7)


@pytest.mark.parametrize("game", ACTORS)
async def test_who_lost_messages_ends_equal_to_a_twin_that_read(
    thrifty_town: Town, autojump_clock: MockClock, game: str, caplog: pytest.LogCaptureFixture
) -> None:
    town = thrifty_town
    crowd = [await enter(town, other, name) for other, name in zip(ACTORS, CROWD, strict=False)]
    slow, twin = await enter(town, game, "Slow"), await enter(town, game, "Twin")
    connection = connection_of(town, slow)
    codec = connection.session.codec
    if isinstance(codec, Eq2Codec):
        codec.stream._sender._window = 4  # the usual one takes more than may be said here before it gives up
    for rounds in (7, 4):
        stops_reading(slow)
        await act(town, crowd, rounds)
        assert connection.session.outbox, "something waits"
        goes_on(slow)
        await trio.sleep(4)
        for actor in (slow, twin):
            assert belief_faults(actor, session_of(town, actor)) == []
        assert seen_by(town, slow, CROWD) == seen_by(town, twin, CROWD)
    assert connection.shed.total() > 0
    assert not connection_of(town, twin).shed, "nobody else loses anything"
    if town.edge is None:  # an edge knows bytes, and of some games not what they are called
        assert connection.shed[SHED[game]] > 0
    doors = town.edge or town.app
    assert any("clients that were too slow lost" in line for line in doors.statistics())
    caplog.set_level(logging.INFO)
    slow.leaves()
    await trio.sleep(1)
    (line, *_) = (text for text in caplog.messages if " ended: " in text)  # where its socket was, first
    (name, lost), *_ = connection.shed.most_common()
    assert f"{connection.shed.total()} shed: " in line
    assert f"{name} {lost}" in line
    assert f"{game} {name} {lost}" in "\n".join(doors.statistics())


async def test_who_is_moved_while_it_reads_nothing_learns_where_it_is(
    thrifty_town: Town, autojump_clock: MockClock
) -> None:
    """A client of Lineage II draws its own steps only when it is told of them, and that may be lost."""
    town = thrifty_town
    slow = await enter(town, "l2", "Slow")
    mobile = town.mobile("Slow")
    stops_reading(slow)
    for heading in (EAST, EAST, SOUTH, SOUTH, WEST):

        def move(world: World, heading: int = heading) -> None:
            motion.step(mobile, heading)
            mobile.hits -= 3

        await town.app.in_world(None, move)
        await trio.sleep(0.4)
    connection = connection_of(town, slow)
    assert connection.shed
    goes_on(slow)
    await trio.sleep(3)
    assert belief_faults(slow, session_of(town, slow)) == []


async def test_who_only_sits_in_a_full_room_loses_nothing(
    thrifty_town: Town, autojump_clock: MockClock
) -> None:
    """However much one turn has for a client: it is slow only if it has not taken what came before."""
    town = thrifty_town
    crowd = [await enter(town, game, name) for game, name in zip(ACTORS, CROWD, strict=False)]
    await act(town, crowd, 3)
    assert all(not connection.shed for connection in town.app.gateway.connections.values())


async def test_who_reads_by_fits_and_starts_is_refreshed_once_a_second_at_most(
    thrifty_town: Town, autojump_clock: MockClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    town = thrifty_town
    crowd = [await enter(town, game, name) for game, name in zip(ACTORS, CROWD, strict=False)]
    slow = await enter(town, "l2", "Slow")
    refreshed: list[float] = []
    loop = town.app.loop if town.edge is None else town.edge.loop
    refresh = loop.refresh

    def noted(session: Session) -> None:
        refreshed.append(trio.current_time())
        refresh(session)

    monkeypatch.setattr(loop, "refresh", noted)
    for _ in range(20):
        stops_reading(slow)
        await act(town, crowd, 1)
        goes_on(slow)
        await trio.sleep(0.4)
    assert len(refreshed) > 3
    assert all(later - earlier > 0.9 for earlier, later in pairwise(refreshed))


def test_each_game_is_here() -> None:
    assert SHED.keys() == GAMES.keys() == ACTORS.keys()
