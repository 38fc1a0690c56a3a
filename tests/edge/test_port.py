"""An edge and a world between which something goes wrong: each keeps to itself what is not the other's."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
import trio
from trio.testing import memory_stream_pair

from protocol.endings import Ending
from server.edge.batches import FROM_WORLD, Outgoing
from server.edge.line import Line, LineLost
from server.edge.port import PATIENCE
from server.edge.remote import TAKEN_EVERY
from server.edge.words import (
    VERSION,
    Done,
    End,
    Frame,
    Gone,
    Hello,
    Learnt,
    Open,
    Realms,
    Rest,
    Ring,
    Rung,
    Stale,
    Taken,
)
from tests.kit import split
from tests.kit.eq2_player import Eq2Player
from tests.kit.games import GAMES
from tests.kit.players import EoPlayer, UoPlayer
from tests.kit.town import Town

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio.testing import MockClock

    from server.edge.words import Word, WorldWord


@pytest.fixture(autouse=True)
def _split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(split.SWITCH, "1")


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> Town:
    running = Town(nursery)
    await running.open()
    return running


class Talker:
    """An edge that says whatever a test wants."""

    def __init__(self, town: Town, *, secret: str = "") -> None:
        ours, theirs = memory_stream_pair()
        self.line = Line(ours, FROM_WORLD)
        self.stream = ours
        self.secret = secret
        self.heard: list[WorldWord] = []
        town.nursery.start_soon(town.app.edges.serve, theirs, town.nursery)

    async def greets(self) -> None:
        """Say hello."""
        await self.line.greet(self.secret, "talker", edge=True, ports=[("uo", "game", 1)])

    async def says(self, *words: Word) -> None:
        """Say this, and hear what comes of it within a second."""
        await self.sends(*words)
        with trio.move_on_after(1):
            while True:
                heard = [word for _, words in await self.line.heard() for word in words]
                self.heard += [word for word in heard if not isinstance(word, Rest | Ring)]
                if any(isinstance(word, Ring) for word in heard):
                    await self.sends(Rung())

    async def sends(self, *words: Word) -> None:
        """Say this."""
        out = self.line._out
        out.words += words
        await self.stream.send_all(out.packed())


async def hung_up(talker: Talker) -> None:
    """Until the world hangs up."""
    await talker.line.heard()  # its hello
    with pytest.raises(LineLost):
        await talker.line.heard()


def opening(client: int = 1, game: str = "uo", door: str = "game") -> Open:
    return Open(client, game, door, game, "127.0.0.1", "127.0.0.1:1", False, [], [0, None, False])


async def test_who_has_another_secret_is_no_edge(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    town.app.edges._secret = "the cluster's own"
    with pytest.raises(LineLost, match="another secret"):
        await Talker(town, secret="something").greets()
    await trio.sleep(1)
    assert "it has another secret" in caplog.text


async def test_who_says_nothing_or_noise_is_hung_up_on(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    silent, noisy = Talker(town), Talker(town)
    await noisy.stream.send_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
    await trio.sleep(10)
    assert "it says nothing" in caplog.text
    for one in (silent, noisy):
        await hung_up(one)


async def test_another_version_is_refused(town: Town, autojump_clock: MockClock) -> None:
    old = Talker(town)
    out = Outgoing()
    out.words.append(Hello(VERSION + 1, b"", "old"))
    await old.stream.send_all(out.packed())
    await hung_up(old)


@pytest.mark.parametrize(
    "words",
    [
        [opening(game="eo")],
        [opening(), opening()],
        [Hello(VERSION, b"", "again")],
        [opening(), Learnt(1, [b"what"])],
        [opening(), Learnt(1, [1])],
        [Open(1, "l2", "login", "l2", "127.0.0.1", "127.0.0.1:1", False, [b"short"], [])],
    ],
)
async def test_an_edge_that_talks_nonsense_loses_its_clients_and_nobody_elses(
    town: Town, autojump_clock: MockClock, words: Sequence[Word], caplog: pytest.LogCaptureFixture
) -> None:
    anna = UoPlayer(town)
    await anna.enters("anna", "Anna")
    talker = Talker(town)
    await talker.greets()
    with pytest.raises((LineLost, trio.BrokenResourceError)):
        await talker.says(*words)
    assert "the edge talker is gone" in caplog.text
    assert town.here("Anna")
    await anna.does(GAMES["uo"].says(anna, "still here"))
    assert not anna.gone


async def test_what_an_edge_says_of_nobody_is_nothing(town: Town, autojump_clock: MockClock) -> None:
    talker = Talker(town)
    await talker.greets()
    await talker.says(Frame(5, b"x"), Stale(5), Gone(5, Ending.CLIENT_LEFT, ""), Learnt(5, []))
    assert [type(word) for word in talker.heard] == [Realms]
    assert [link.name for link in town.app.edges.links].count("talker") == 1


async def test_a_door_that_the_world_does_not_have_is_refused(town: Town, autojump_clock: MockClock) -> None:
    talker = Talker(town)
    await talker.greets()
    await talker.says(opening(3, game="ao"), opening(4, door="attic"))
    assert [(word.client, word.ending) for word in talker.heard if isinstance(word, End)] == [
        (3, Ending.REFUSED),
        (4, Ending.REFUSED),
    ]


async def test_an_edge_that_floods_is_told_what_was_taken_and_its_client_ended(
    town: Town, autojump_clock: MockClock
) -> None:
    """Whatever it sends without waiting: the world keeps a bounded part of it."""
    talker = Talker(town)
    await talker.greets()
    seed = bytes.fromhex("ef0000000100000007000000000000006600000003")
    await talker.says(opening(), Frame(1, seed))
    assert any(isinstance(word, Taken) for word in talker.heard)
    await talker.says(*(Frame(1, b"\x73\x00") for _ in range(5000)))
    assert [word.client for word in talker.heard if isinstance(word, End)] == [1]


async def test_with_the_edge_its_clients_are_gone(town: Town, autojump_clock: MockClock) -> None:
    anna = UoPlayer(town)
    await anna.enters("anna", "Anna")
    assert town.edge is not None
    (link,) = town.app.edges.links
    await link.line.close()
    await trio.sleep(1)
    assert not town.app.gateway.connections
    assert not town.edge.gateway.connections
    assert anna.gone
    await trio.sleep(town.settings.limits.linger_seconds + 1)
    assert not town.here("Anna")


async def test_somebody_who_sends_only_what_waits_in_the_world_is_heard_on(
    town: Town, autojump_clock: MockClock
) -> None:
    """Frames that wait for their interval do not keep the edge from hearing that others were taken."""
    bert = EoPlayer(town)
    await bert.enters("bert", "Bert")
    for _ in range(6 * TAKEN_EVERY):
        await bert.sends(GAMES["eo"].says(bert, "again"), wait=0.05)
    await trio.sleep(120)
    assert not bert.gone


async def test_a_silent_client_of_datagrams_is_not_given_up(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    """What only the wire says does not reach the world; that somebody is there does."""
    caplog.set_level(logging.INFO)
    cora = Eq2Player(town)
    await cora.enters("cora", "Cora")
    await trio.sleep(200)
    assert not cora.gone
    assert town.here("Cora")


async def test_a_turn_does_not_begin_before_edges_were_told(town: Town, autojump_clock: MockClock) -> None:
    loop = town.app.loop
    loop.pace.elsewhere = 0.01
    told, _ = loop.rest()
    loop.pace.elsewhere = 0.0
    assert loop.rest()[0] == told
    loop.pace.elsewhere = 0.012
    assert loop.rest()[0] > told


async def test_what_an_edge_took_for_a_turn_is_all_that_it_took_since_the_one_before(
    town: Town, autojump_clock: MockClock
) -> None:
    """A turn is more than one batch, and so is what comes between two."""
    talker, port, pace = Talker(town), town.app.edges, town.app.loop.pace
    await talker.greets()
    await talker.says()
    link = next(link for link in port.links if link.name == "talker")
    await port.hear()
    link.take([Done(3000), Done(20)])
    await port.hear()
    assert pace.elsewhere == pytest.approx(0.00302)
    await port.hear()
    assert pace.elsewhere == 0.0


async def test_a_turn_takes_in_what_an_edge_held_back(town: Town, autojump_clock: MockClock) -> None:
    """It is rung when the rest is over that it was told of, and the turn waits for its answer."""
    talker = Talker(town)
    await talker.greets()
    await talker.says()
    link = next(link for link in town.app.edges.links if link.name == "talker")
    link.rests = began = trio.current_time()

    async def answers() -> None:
        rung = False
        while not rung:
            rung = any(isinstance(word, Ring) for _, words in await talker.line.heard() for word in words)
        await trio.sleep(PATIENCE / 2)
        await talker.sends(opening(), Rung())

    town.nursery.start_soon(answers)
    assert await town.app.loop.in_world(None, lambda world: len(link)) == 1
    assert trio.current_time() - began == pytest.approx(PATIENCE / 2)


async def test_an_edge_that_does_not_answer_is_waited_for_ever_more_seldom(
    town: Town, autojump_clock: MockClock
) -> None:
    talker = Talker(town)
    await talker.greets()
    await talker.says()
    link = next(link for link in town.app.edges.links if link.name == "talker")
    waited = 0.0
    for _ in range(40):
        link.rests = began = trio.current_time()
        await town.app.edges.hear()
        waited += trio.current_time() - began
        await talker.sends(Rung())  # much too late
        await trio.sleep(0.09)
    assert PATIENCE < waited < 9 * PATIENCE
