"""Games over datagrams: in whatever order they come, twice, late or not at all, it is the same session; and
who falls silent, or acknowledges nothing, is missed in time. R-01, R-02, R-06, R-19 and R-20 for such games;
what is done to games over streams instead is in test_wire*.py and test_connection*.py."""

from __future__ import annotations

import logging
import random
from typing import TYPE_CHECKING

import pytest
import trio
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from trio.testing import MockClock

from protocol.endings import Ending
from protocol.wire.body import Body
from server.bots.bundle import bundle, unbundle
from server.content.families import build_families
from server.store.check import check_database
from tests.kit.datagrams import Faults
from tests.kit.eq2_line import DatagramLine
from tests.kit.eq2_player import Eq2Player
from tests.kit.games import GAMES, STREAMS, Person, Witnesses, session_of
from tests.kit.town import Town, shipped_content

if TYPE_CHECKING:
    from protocol.family import Family
    from server.net.connection import Connection
    from tests.kit.game import Game
    from tests.kit.players import Datagrams

pytestmark = pytest.mark.timeout(180)

DATAGRAM_GAMES = [game for game in GAMES if game not in STREAMS]
DOORS = [(game, door) for game in DATAGRAM_GAMES for door in GAMES[game].doors]
WINDOW = 40
"""Messages of one codec that are mixed up; more than are ever under way at once."""


def newest(town: Town) -> Connection:
    """The connection that came last."""
    return town.app.gateway.connections[max(town.app.gateway.connections)]


@pytest.fixture(scope="module")
def families() -> dict[str, Family]:
    """The games without a server."""
    return build_families(shipped_content(), DATAGRAM_GAMES)


#


def agreed(record: Game, family: Family, door: str) -> tuple[list[bytes], list[bytes], list[bytes]]:
    """A session of two codecs: the datagrams that agree on it, those that carry frames, and the frames."""
    pair, opening = record.pair(door, family, random.Random(3).randbytes), list[bytes]()
    pair.opening()
    for _ in range(6):
        said = record.spoken(pair.client)
        opening += unbundle(said)
        record.hears(pair.server, said)
        record.hears(pair.client, record.spoken(pair.server))
    chance, datagrams, frames = random.Random(5), list[bytes](), list[bytes]()
    for _ in range(WINDOW):
        frame = record.random_frame(chance, family)
        frames.append(frame)
        pair.client.send(Body(frame[1:]))
        datagrams += unbundle(record.spoken(pair.client))
        record.hears(pair.server, bundle(datagrams[-1:]))
        record.hears(pair.client, record.spoken(pair.server))
    assert len(datagrams) >= WINDOW
    return opening, datagrams, frames


@pytest.mark.parametrize(("game", "door"), DOORS, ids=[f"{g}-{d}" for g, d in DOORS])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(chance=st.randoms(use_true_random=False), twice=st.floats(0, 1), late=st.integers(1, WINDOW))
def test_r02_the_order_of_datagrams_does_not_matter(
    families: dict[str, Family], game: str, door: str, chance: random.Random, twice: float, late: int
) -> None:
    """Each comes up to so many others later than it was sent, some come again, and those that agree on the
    session come once more at the end."""
    record, family = GAMES[game], families[game]
    opening, datagrams, frames = agreed(record, family, door)
    places = [(number + chance.randrange(late), data) for number, data in enumerate(datagrams)]
    places += [
        (number + chance.randrange(WINDOW), data) for number, data in places if chance.random() < twice
    ]
    mixed = [data for _, data in sorted(places, key=lambda place: place[0])]
    server, heard = record.pair(door, family, random.Random(3).randbytes).server, list[bytes]()
    for data in (*opening, *mixed, *opening[1:], *mixed[: late // 2]):
        record.hears(server, bundle([data]))
        heard += iter(server.next_frame, None)
    assert heard == frames


UNEVEN = 1.0137
"""Seconds between two steps: what the world does by itself happens at round times."""


def story(record: Game, pieces: random.Random | None) -> bytes:
    """What a client was told in a golden session, whose datagrams come as they were sent or mixed up."""
    told: list[bytes] = []

    async def run() -> None:
        async with trio.open_nursery() as nursery:
            town = Town(nursery, seed=11)
            await town.open()
            player = record.player(town)
            record.introduce(player, Person(1))
            await trio.sleep(UNEVEN)
            for step in record.steps:
                data = record.prepared(player, step)
                for piece in [data] if pieces is None else record.pieces(data, pieces):
                    await player.end.send_all(piece)
                    for _ in range(0 if pieces is None else pieces.randrange(12)):
                        await trio.lowlevel.checkpoint()
                await trio.sleep(UNEVEN)
            told.append(record.transcript(player))
            nursery.cancel_scope.cancel()

    trio.run(run, clock=MockClock(autojump_threshold=0))
    return told[0]


@pytest.mark.parametrize("game", DATAGRAM_GAMES)
def test_r02_a_client_is_told_the_same_however_its_datagrams_come(game: str) -> None:
    record = GAMES[game]
    whole = story(record, None)
    assert len(whole) > 1000
    for seed in range(4):
        assert story(record, random.Random(seed)) == whole, f"seed {seed}"


class BadLine(Town):
    """A town whose clients have bad lines."""

    faults = Faults()

    def datagrams(self, game: str, door: str, *, peer: str = "127.0.0.1", **_: object) -> Datagrams:  # type: ignore[override] # as players ask
        """See Town."""
        return super().datagrams(game, door, peer=peer, faults=self.faults)


@pytest.mark.parametrize(
    "faults",
    [
        Faults(loss=0.05, delay=0.05),
        Faults(loss=0.15, doubled=0.1, delay=0.03, jitter=0.1),
        Faults(doubled=0.5, delay=0.1, jitter=0.4),
    ],
    ids=["5 % lost", "15 % lost, mixed up", "nothing lost, much mixed up"],
)
@pytest.mark.parametrize("game", DATAGRAM_GAMES)
async def test_r02_on_a_bad_line_everybody_still_believes_what_is_so(
    nursery: trio.Nursery, autojump_clock: MockClock, game: str, faults: Faults
) -> None:
    record, town = GAMES[game], BadLine(nursery, seed=4)
    town.faults = faults
    await town.open()
    town.change("limits", exempt=("127.0.0.0/8",))
    crowd = [(record.player(town), Person(number)) for number in range(4)]
    for player, who in crowd:
        record.introduce(player, who)
        for step in record.steps[: record.entering]:
            await player.sends(record.prepared(player, step), wait=12)
    assert all(town.here(who.character) for _, who in crowd)
    for number in range(30):
        for player, _ in crowd:
            await player.sends(record.steps_to(player, (2, 4, 6, 0)[number // 2 % 4]), wait=0.1)
            if number % 10 == 0:
                await player.sends(record.says(player, f"line {number}"), wait=0.1)
    await trio.sleep(20)
    for player, who in crowd:
        assert not player.gone, who
        assert record.believes(player) == record.should_believe(session_of(town, who))
        assert isinstance(player, Eq2Player)
        assert player.client.faults == []
        assert {f"line {number}" for number in (0, 10, 20)} <= set(record.heard(player))


#


@pytest.mark.parametrize("game", DATAGRAM_GAMES)
async def test_r06_recorded_datagrams_are_worth_nothing_to_others(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str
) -> None:
    """Everything an honest client sent through the world's door, again, from another address."""
    record, town = GAMES[game], easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    player, sent = record.player(town), list[bytes]()
    record.introduce(player, Person(1))
    for step in record.steps:
        data = record.prepared(player, step)
        if step.redials:
            sent.clear()
            line = player.end
            assert isinstance(line, DatagramLine)
            _record(line, sent)
        await player.sends(data)
    assert len(sent) > 10
    player.leaves()
    await trio.sleep(30)
    assert not town.here(Person(1).character)
    caplog.set_level(logging.INFO)
    for times in (1, 2):
        end = town.datagrams(game, record.doors[-1], peer="127.0.0.2")
        for datagram in sent * times:
            end.send(datagram)
            await trio.sleep(0.05)
        assert not town.here(Person(1).character), "somebody else's recording entered the world"
        end.close()
        await trio.sleep(50)
    assert len(town.app.gateway.connections) == len(witnesses.players)
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING] == []
    await witnesses.are_well()


def _record(line: DatagramLine, sent: list[bytes]) -> None:
    """Keep a copy of what goes out there."""
    send = line.end.send

    def recorded(datagram: bytes) -> None:
        sent.append(datagram)
        send(datagram)

    line.end.send = recorded  # type: ignore[method-assign] # of this one


#


@pytest.mark.parametrize("game", DATAGRAM_GAMES)
async def test_r19_who_vanishes_after_any_step_is_missed_in_time(
    easy_town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, game: str
) -> None:
    """No word, no datagram any more: nothing is left after the longest silence, and all can come again."""
    record, town = GAMES[game], easy_town
    witnesses = Witnesses(town)
    await witnesses.enter()
    for number, step in enumerate(record.steps):
        player, who = record.player(town), Person(number)
        assert isinstance(player, Eq2Player)
        await record.plays(player, who, upto=number)
        await player.sends(record.prepared(player, step), wait=0)
        player.vanishes()
    await trio.sleep(45 + town.settings.limits.linger_seconds + 5)
    assert len(town.app.gateway.connections) == len(witnesses.players)
    assert [mobile.name for mobile in town.app.world.mobiles.values() if mobile.is_character] == [
        who.character for _, _, who in witnesses.players
    ]
    await witnesses.are_well()
    assert [r.getMessage() for r in caplog.records if r.levelno >= logging.ERROR] == []
    assert check_database(town.database) == []


#


@pytest.mark.parametrize("game", DATAGRAM_GAMES)
async def test_r20_who_acknowledges_nothing_delays_nobody_and_is_cut_off(
    easy_town: Town, autojump_clock: MockClock, game: str
) -> None:
    record, town = GAMES[game], easy_town
    witnesses = Witnesses(town)
    slow, who = record.player(town), Person(0)
    await record.enters(slow, who)
    connection = newest(town)
    await witnesses.enter()
    assert isinstance(slow.end, DatagramLine)
    slow.end.hold()
    for _ in range(8):
        await witnesses.are_well()
        assert town.app.loop.stats.last_lateness < 0.001
        if connection.ending is not None:
            break
    assert connection.ending in (Ending.TOO_SLOW, Ending.CONNECTION_LOST)
    assert trio.current_time() - connection.session.last_heard < 60
    await trio.sleep(town.settings.limits.linger_seconds + 1)
    assert not town.here(who.character)
    await witnesses.are_well()
