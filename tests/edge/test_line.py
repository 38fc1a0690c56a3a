"""The line between an edge and a world says that it is there, and is lost when the other side does not."""

from __future__ import annotations

import socket
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import pytest
import trio
import trio.testing
from trio.testing import memory_stream_pair

from protocol.address import Address
from protocol.endings import Ending
from protocol.wire.body import Body
from server.edge.batches import FROM_EDGE, FROM_WORLD, LARGEST, Outgoing
from server.edge.line import BEAT_SECONDS, LATE, SILENT_SECONDS, Line, LineLost
from server.edge.port import EdgeLink
from server.edge.words import Gone, Ring, Rung
from server.edge.worlds import AGAIN_SECONDS, CONNECT_SECONDS, WorldLine
from tests.kit import split
from tests.kit.players import UoPlayer
from tests.kit.town import Town

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from trio.testing import MemorySendStream, MockClock

    from server.edge.port import EdgePort
    from server.edge.words import EdgeWord, WorldWord


async def hears(line: Line[EdgeWord], heard: list[EdgeWord]) -> None:
    """Until it is lost."""
    await line.listen(lambda _, words: heard.extend(words))


def swallow(stream: trio.abc.Stream) -> None:
    """What is sent from here on arrives nowhere, and nothing breaks."""
    ours = cast("trio.StapledStream[MemorySendStream, trio.abc.ReceiveStream]", stream)
    ours.send_stream.send_all_hook = None
    ours.send_stream.close_hook = None


async def test_a_line_on_which_nothing_is_said_is_not_lost(autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    edge, world = Line(ours, FROM_WORLD), Line(theirs, FROM_EDGE)
    heard: list[EdgeWord] = []
    async with trio.open_nursery() as nursery:
        for job in (edge.run, world.run, edge.heard):
            nursery.start_soon(job)
        nursery.start_soon(hears, world, heard)
        await trio.sleep(600)
        assert heard == []
        edge.say(Gone(1, Ending.CLIENT_LEFT, ""))
        await trio.sleep(0.1)
        assert len(heard) == 1
        nursery.cancel_scope.cancel()


async def test_nobody_waits_until_a_lost_line_has_said_all(autojump_clock: MockClock) -> None:
    """What is said to it later is said to nobody: whoever waits for that would do so without a pause."""
    ours, _ = memory_stream_pair()
    line: Line[EdgeWord] = Line(ours, FROM_EDGE)
    settled = trio.Event()

    async def settles() -> None:
        await line.settle()
        settled.set()

    async with trio.open_nursery() as nursery:
        async with trio.open_nursery() as running:
            running.start_soon(line.run)
            await trio.sleep(0.1)
            running.cancel_scope.cancel()
        line.fail(LineLost("this world ends"))
        line.say(Gone(1, Ending.CLIENT_LEFT, ""))
        nursery.start_soon(settles)
        for _ in range(10):
            await trio.lowlevel.checkpoint()
        assert settled.is_set()


def gone(client: int, detail: str = "") -> Gone:
    return Gone(client, Ending.CLIENT_LEFT, detail)


@asynccontextmanager
async def sockets() -> AsyncIterator[tuple[Line[WorldWord], Line[EdgeWord]]]:
    """Both ends of a line over a socket: an edge's, and a world's."""
    ours, theirs = map(trio.socket.from_stdlib_socket, socket.socketpair())
    edge, world = Line(trio.SocketStream(ours), FROM_WORLD), Line(trio.SocketStream(theirs), FROM_EDGE)
    world._incoming.largest = LARGEST  # as if they had greeted each other
    try:
        yield edge, world
    finally:
        for line in (edge, world):
            await line.close()


@asynccontextmanager
async def half_pushed(
    seconds: float,
) -> AsyncIterator[tuple[Line[WorldWord], Line[EdgeWord], trio.Nursery]]:
    """The same, and where their tasks run: the edge gathers for so long, but what waited was pushed, and the
    socket had no room for all of it."""
    async with sockets() as (edge, world), trio.open_nursery() as nursery:
        later = trio.current_time() + seconds
        edge.rest(later, later)
        edge._sent = trio.current_time()
        nursery.start_soon(edge.run)
        edge.add(gone(1))
        await trio.testing.wait_all_tasks_blocked()
        edge.put(gone(2, "x" * 10_000_000))
        edge.push()
        assert edge._left
        yield edge, world, nursery
        nursery.cancel_scope.cancel()


async def test_what_is_pushed_is_there_without_waiting_for_a_task() -> None:
    async with sockets() as (edge, world):
        edge.last = lambda: gone(9)
        for client, final in ((1, False), (2, True)):
            edge.say(gone(client))
            edge.push(final=final)
            edge.push()  # nothing is left to say
        assert [words for _, words in world.heard_by_now()] == [[gone(1)], [gone(2), gone(9)]]
        async with trio.open_nursery() as nursery:
            nursery.start_soon(edge.run)
            await trio.testing.wait_all_tasks_blocked()
            assert world.heard_by_now() == [], "what was pushed is not followed by an empty batch"
            edge.say(gone(3))
            await trio.testing.wait_all_tasks_blocked()
            assert [words for _, words in world.heard_by_now()] == [[gone(3), gone(9)]]
            nursery.cancel_scope.cancel()


@pytest.mark.parametrize("how", ["say", "put"])
async def test_what_a_socket_has_no_room_for_follows_in_order(how: str) -> None:
    async with sockets() as (edge, world), trio.open_nursery() as nursery:
        nursery.start_soon(edge.run)
        await trio.testing.wait_all_tasks_blocked()
        for client in range(100):
            getattr(edge, how)(gone(client, "x" * 60_000))
            if client % 10 == 0:
                edge.push()
        edge.push()
        assert edge._left
        heard: list[EdgeWord] = []
        nursery.start_soon(hears, world, heard)
        if how == "put":
            edge.say(gone(100))
        with trio.fail_after(60):
            await edge.settle()
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    said = [word.client for word in heard if isinstance(word, Gone)]
    assert said == list(range(100 + (how == "put")))


async def test_what_was_put_and_pushed_needs_nobody_to_say_more() -> None:
    async with sockets() as (edge, world), trio.open_nursery() as nursery:
        nursery.start_soon(edge.run)
        await trio.testing.wait_all_tasks_blocked()
        edge.put(gone(1, "x" * 10_000_000))
        edge.push()
        heard: list[EdgeWord] = []
        nursery.start_soon(hears, world, heard)
        with trio.fail_after(60):
            await edge.settle()
        await trio.testing.wait_all_tasks_blocked()
        assert len(heard) == 1
        nursery.cancel_scope.cancel()


async def test_half_of_a_batch_does_not_wait_with_what_has_time() -> None:
    async with sockets() as (edge, world), trio.open_nursery() as nursery:
        later = trio.current_time() + 1000
        edge.rest(later, later)
        edge.put(gone(1, "x" * 10_000_000))
        edge.push()
        edge.add(gone(2))
        nursery.start_soon(edge.run)
        with trio.fail_after(10):
            ((_, words),) = await world.heard()
        assert [word.client for word in words if isinstance(word, Gone)] == [1]
        nursery.cancel_scope.cancel()


@pytest.mark.parametrize("seconds", [0.5, 1000.0])
async def test_nor_does_it_while_what_has_time_is_gathered(seconds: float) -> None:
    """What waited was pushed with it, so that nothing is left to send but the half."""
    async with half_pushed(seconds) as (_, world, _):
        began = trio.current_time()
        with trio.fail_after(10):
            ((_, words),) = await world.heard()
        assert [word.client for word in words if isinstance(word, Gone)] == [1, 2]
        assert trio.current_time() - began < 0.9 * BEAT_SECONDS


async def test_what_was_put_and_pushed_behind_half_a_batch_follows_it() -> None:
    async with half_pushed(1000.0) as (edge, world, nursery):
        await trio.testing.wait_all_tasks_blocked()
        edge.put(gone(3))
        edge.push()
        heard: list[EdgeWord] = []
        nursery.start_soon(hears, world, heard)
        began = trio.current_time()
        with trio.fail_after(10):
            await edge.settle()
        assert trio.current_time() - began < 0.9 * BEAT_SECONDS
        await trio.testing.wait_all_tasks_blocked()
        assert [word.client for word in heard if isinstance(word, Gone)] == [1, 2, 3]


async def test_what_is_said_in_a_turn_wakes_nobody_and_leaves_when_that_is_over() -> None:
    """On a socket it leaves right then. Where there is none, and what has no time, is for whoever sends."""
    told = [Body(b"hello")]
    async with sockets() as (edge, world), trio.open_nursery() as nursery:
        nursery.start_soon(world.run)
        await trio.testing.wait_all_tasks_blocked()
        world.holds = True
        world.send(1, told, [])
        world.share((told[0], [1, 2], []), waits=False)
        assert world.cast([1], told, waits=True)
        assert world.send_shared(1, told)
        assert not world._said.is_set()
        world.push(final=False)
        world.send_shared(1, told)
        assert not world._said.is_set(), "it goes on"
        world.push()
        edge._incoming.largest = LARGEST
        assert [len(words) for _, words in edge.heard_by_now()] == [4, 1]
        world.send_shared(1, told)
        assert world._said.is_set(), "it is over"
        nursery.cancel_scope.cancel()
    ours, _ = memory_stream_pair()
    line: Line[EdgeWord] = Line(ours, FROM_EDGE)
    line.holds = True
    line.send_shared(1, told)
    assert not line._said.is_set()
    line.push()
    assert line._said.is_set()


async def test_a_ring_is_written_and_answered_at_once_and_wakes_nobody() -> None:
    async with sockets() as (edge, world), trio.open_nursery() as nursery:
        nursery.start_soon(world.run)
        nursery.start_soon(edge.run)
        await trio.testing.wait_all_tasks_blocked()
        edge._incoming.largest = LARGEST
        link = EdgeLink(world, cast("EdgePort", None), nursery)
        link.rests = trio.current_time() + 1.0
        answered = link.ring(trio.current_time())
        assert answered is not None
        assert [words for _, words in edge.heard_by_now()] == [[Ring()]]
        edge.put(gone(1))
        edge.rung(Rung())
        ((_, words),) = world.heard_by_now()
        assert words == [gone(1), Rung()]
        assert not world._said.is_set()
        assert not edge._said.is_set()
        link.take(words)
        assert answered.is_set()
        nursery.cancel_scope.cancel()


async def test_who_pushes_into_a_line_that_is_cut_hears_of_it_as_anybody_does() -> None:
    async with sockets() as (edge, world):
        await world.close()
        edge.say(gone(1))
        edge.push()
        edge.say(gone(2))
        edge.push()
        with pytest.raises(LineLost):
            await edge.heard()
        with pytest.raises(LineLost):
            await edge.run()


async def test_who_says_nothing_is_lost_but_not_who_says_it_slowly(autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    heard: list[EdgeWord] = []
    out = Outgoing()
    out.words.append(Gone(1, Ending.CLIENT_LEFT, "x" * 20))
    said = 0.0

    async def says() -> None:
        nonlocal said
        for byte in out.packed():
            await trio.sleep(SILENT_SECONDS - 1)
            await ours.send_all(bytes([byte]))
        said = trio.current_time()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(says)
        with pytest.raises(LineLost, match="said nothing for 5 s"):
            await hears(Line(theirs, FROM_EDGE), heard)
    assert len(heard) == 1
    assert trio.current_time() - said == pytest.approx(SILENT_SECONDS)


class Noted:
    """A line, and when what is said there comes out at its other end, by the number of a client."""

    def __init__(self, nursery: trio.Nursery) -> None:
        ours, theirs = memory_stream_pair()
        self.line = Line(ours, FROM_WORLD)
        self._other = Line(theirs, FROM_EDGE)
        self.came: list[tuple[int, float]] = []
        self.began = trio.current_time()
        nursery.start_soon(self._notes)
        nursery.start_soon(self.line.run)

    async def _notes(self) -> None:
        while True:
            for _, words in await self._other.heard():
                now = round(trio.current_time() - self.began, 3)
                self.came += [(word.client if isinstance(word, Gone) else 0, now) for word in words]

    async def adds(self, client: int, at: float) -> None:
        """Say something that has time, at that time."""
        await self.until(at)
        self.line.add(Gone(client, Ending.CLIENT_LEFT, ""))

    async def until(self, at: float) -> None:
        """Let time pass."""
        await trio.sleep_until(self.began + at)


async def test_who_rests_is_told_that_something_waits_and_the_rest_when_it_rings(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    noted = Noted(nursery)
    await noted.until(0.1)
    noted.line.rest(noted.began + 0.5, noted.began + 0.55)
    await noted.adds(1, 0.2)
    await noted.adds(2, 0.21)
    await noted.adds(3, 0.49)
    await noted.until(0.502)
    noted.line.rung(Rung())
    await noted.adds(4, 0.504)  # behind the beginning of the turn
    await noted.until(0.7)
    turn = 0.05
    assert noted.came == [(1, 0.2), (2, 0.502), (3, 0.502), (0, 0.502), (4, 0.502 + turn)]
    nursery.cancel_scope.cancel()


async def test_who_never_rings_is_told_soon_after_its_rest(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    noted = Noted(nursery)
    noted.line.rest(noted.began + 0.5, noted.began + 0.55)
    await noted.adds(1, 0.1)
    await noted.adds(2, 0.2)
    await noted.until(0.7)
    assert noted.came == [(1, 0.1), (2, 0.5 + LATE)]
    nursery.cancel_scope.cancel()


async def test_who_waited_for_a_long_turn_waits_no_more_when_it_is_over(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    noted = Noted(nursery)
    await noted.adds(1, 0.0)
    await noted.until(0.05)
    noted.line.rest(noted.began + 0.1, noted.began + 2.0)  # its last turn took nearly two seconds
    await noted.until(0.1)
    noted.line.rung(Rung())
    await noted.adds(2, 0.2)
    await noted.until(0.3)
    noted.line.rest(noted.began + 0.35, noted.began + 0.36)
    await noted.until(0.5)
    assert noted.came == [(1, 0.0), (0, 0.1), (2, 0.3)]
    nursery.cancel_scope.cancel()


async def test_an_address_that_swallows_everything_is_tried_again(
    nursery: trio.Nursery,
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """The world comes up there later."""
    monkeypatch.setenv(split.SWITCH, "1")
    town = Town(nursery)
    await town.open()
    assert town.edge is not None
    (line,), tries = town.edge.lines, list[float]()

    async def swallows(host: str, port: int) -> trio.SocketStream:
        tries.append(trio.current_time())
        if len(tries) == 3:
            raise ConnectionRefusedError("refused")
        return await trio.sleep_forever()

    monkeypatch.setattr("trio.open_tcp_stream", swallows)
    elsewhere = WorldLine(line._edge, Address("192.0.2.1", 7700))
    nursery.start_soon(elsewhere.keep)
    await trio.sleep(CONNECT_SECONDS * 3)
    apart = [later - earlier for earlier, later in pairwise(tries)]
    assert apart == pytest.approx([CONNECT_SECONDS + AGAIN_SECONDS] * 2 + [AGAIN_SECONDS])
    assert "the world at 192.0.2.1:7700 is not reached: it does not answer" in caplog.text
    elsewhere.forget()


@pytest.mark.parametrize("deaf", [("edge",), ("world",), ("edge", "world")])
async def test_a_wire_that_swallows_what_it_is_given_ends_its_clients(
    deaf: tuple[str, ...],
    nursery: trio.Nursery,
    autojump_clock: MockClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """`deaf`: whom nothing reaches any more, not even that the other side has hung up."""
    monkeypatch.setenv(split.SWITCH, "1")
    town = Town(nursery)
    await town.open()
    anna = UoPlayer(town)
    await anna.enters("anna", "Anna")
    assert town.edge is not None
    (link,), (line,) = town.app.edges.links, town.edge.lines
    assert line._line is not None
    for side in deaf:
        swallow(link.line._stream if side == "edge" else line._line._stream)
    await trio.sleep(2 * SILENT_SECONDS + 1)
    assert "it has said nothing for 5 s" in caplog.text
    assert not line.open
    assert town.app.edges.links == []
    assert not town.app.gateway.connections
    await trio.sleep(town.settings.limits.linger_seconds + 1)
    assert not town.here("Anna")


async def test_what_has_come_by_now_is_heard_without_waiting_and_once() -> None:
    """On a socket; whoever hears the line hears what comes after it, and when it ends."""
    one, other = socket.socketpair()
    ours, theirs = (trio.SocketStream(trio.socket.from_stdlib_socket(end)) for end in (one, other))
    world, out = Line(theirs, FROM_EDGE), Outgoing()
    heard: list[EdgeWord] = []

    def says(number: int, *, cut: int = 0) -> bytes:
        out.words.append(Gone(number, Ending.CLIENT_LEFT, ""))
        data = out.packed()
        one.send(data[: len(data) - cut])
        return data[len(data) - cut :]

    async def hears_nonsense() -> None:
        with pytest.raises(LineLost, match="nonsense"):
            await hears(world, heard)

    assert world.heard_by_now() == []
    async with trio.open_nursery() as nursery:
        nursery.start_soon(hears_nonsense)
        await trio.testing.wait_all_tasks_blocked()
        rest = says(1, cut=3)
        assert world.heard_by_now() == []
        one.send(rest)
        assert world.heard_by_now() == [([], [Gone(1, Ending.CLIENT_LEFT, "")])]
        says(2)
        with trio.fail_after(5):
            while not heard:
                await trio.lowlevel.checkpoint()
        assert heard == [Gone(2, Ending.CLIENT_LEFT, "")]
        world.fail(LineLost("nonsense"))
        says(3)
        assert world.heard_by_now() == [], "nobody heeds what comes after it"
    await ours.aclose()
    again = Line(theirs, FROM_EDGE)
    again._incoming = world._incoming
    assert await again.heard() == [([], [Gone(3, Ending.CLIENT_LEFT, "")])]
    with pytest.raises(LineLost, match="hung up"):
        await again.heard()
    await theirs.aclose()
