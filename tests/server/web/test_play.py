"""A WebSocket as a transport, and the game behind it as with every other client."""

from __future__ import annotations

import json
from functools import partial
from typing import TYPE_CHECKING, cast

import pytest
import trio
import trio.testing

from server.settings.config import parse
from server.web.play import MOST_RECEIVED, WebSocketTransport
from tests.kit.town import Town
from tests.kit.visitor import Near, Visitor, front_of

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.types import Message
    from trio.testing import MockClock

    from tests.kit.visitor import Socket

CONFIG = """
[listen.web]
sockets_per_address = 3
[limits]
exempt = []
connections_per_address = 2
[network]
stalled_seconds = 4
"""
ALRIC = {"account": "alric", "password": "secret1"}


@pytest.fixture
async def town(nursery: trio.Nursery, autojump_clock: MockClock) -> AsyncIterator[Town]:
    town = Town(nursery, parse(CONFIG), games=("web",))
    await town.open()
    yield town
    nursery.cancel_scope.cancel()


class Browser:
    """The WebSocket of Starlette as a transport sees it; what is sent to it waits for `take`."""

    def __init__(self) -> None:
        self.said, self._hears = trio.open_memory_channel[dict[str, object]](1000)
        self._tells, self.heard = trio.open_memory_channel[str](0)

    async def receive(self) -> Message:
        return await self._hears.receive()

    async def send_text(self, text: str) -> None:
        await self._tells.send(text)

    def say(self, text: str) -> None:
        self.said.send_nowait({"type": "websocket.receive", "text": text})


class Direct(Near):
    """A connection on which much can be said at once; with `stuck` the end of it has to wait."""

    def __init__(self) -> None:
        super().__init__("192.0.2.1")
        self.heard: list[bytes] = []
        self.stuck = False
        self.goes_on = trio.Event()

    def say(self, text: bytes) -> bool:
        self.heard.append(text)
        self.said = not self.stuck
        return True

    async def finish(self) -> None:
        await self.goes_on.wait()
        self.said = True


def transport_of(
    browser: Browser, first: bytes = b"", *, wire: Near | None = None, counted: list[None] | None = None
) -> WebSocketTransport:
    count = None if counted is None else partial(counted.append, None)
    return WebSocketTransport(
        browser,  # type: ignore[arg-type] # has what it uses
        wire or Near("192.0.2.1"),
        peer="192.0.2.1",
        local="192.0.2.2:80",
        counted=count or (lambda: None),
        first=first,
    )


async def test_a_text_is_one_or_more_lines_behind_what_the_server_says_for_it(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    browser = Browser()
    transport = transport_of(browser, b"first\n")
    nursery.start_soon(transport.receive)
    browser.say("one")
    browser.say("two\n")
    browser.say("three\nfour \ud800\N{SNOWMAN}")
    await trio.testing.wait_all_tasks_blocked()
    buffer = bytearray(8)
    heard = b""
    while (size := transport.recv_nowait_into(buffer)) is not None:
        assert 0 < size <= 8
        heard += buffer[:size]
    assert heard == "first\none\ntwo\nthree\nfour ?\N{SNOWMAN}\n".encode()
    browser.said.send_nowait({"type": "websocket.disconnect", "code": 1001})
    await transport.wait_readable()
    assert transport.recv_nowait_into(buffer) == 0
    with pytest.raises(BrokenPipeError):
        transport.send_nowait(b"hello\n")
    nursery.cancel_scope.cancel()


async def test_what_is_not_read_waits_in_the_browser(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    browser = Browser()
    transport = transport_of(browser)
    nursery.start_soon(transport.receive)
    for _ in range(100):
        browser.say("x" * 4095)
    await trio.testing.wait_all_tasks_blocked()
    left = browser.said.statistics().current_buffer_used
    assert left == 100 - MOST_RECEIVED // 4096
    assert transport.recv_nowait_into(bytearray(4096)) == 4096
    await trio.testing.wait_all_tasks_blocked()
    assert browser.said.statistics().current_buffer_used == left - 1
    nursery.cancel_scope.cancel()


async def test_a_message_is_taken_whole_or_not_at_all(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    browser = Browser()
    transport = transport_of(browser)
    nursery.start_soon(transport.transmit)
    assert transport.send_nowait(b"one\ntwo\n") == 8
    assert transport.send_nowait(memoryview(b"three\n")) == 0
    with trio.move_on_after(1):
        await transport.wait_writable()
        raise AssertionError("the browser has not taken it")
    assert await browser.heard.receive() == "one\ntwo\n"
    await transport.wait_writable()
    assert transport.send_nowait(memoryview(b"three\n")) == 6
    transport.close()
    with pytest.raises(trio.ClosedResourceError):
        await transport.wait_writable()
    with pytest.raises(trio.ClosedResourceError):
        await transport.wait_readable()
    with pytest.raises(BrokenPipeError):
        transport.send_nowait(b"four\n")
    assert await browser.heard.receive() == "three\n", "what was taken is sent before it ends"
    with trio.fail_after(1):
        while nursery.child_tasks:
            await trio.testing.wait_all_tasks_blocked()


async def test_what_can_be_said_at_once_passes_no_task(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    browser, wire, counted = Browser(), Direct(), list[None]()
    transport = transport_of(browser, wire=wire, counted=counted)
    nursery.start_soon(transport.transmit)
    for number in range(3):
        line = b"%d\n" % number
        assert transport.send_nowait(line) == 2
        assert wire.heard[-1] == line
    wire.stuck = True
    assert transport.send_nowait(memoryview(b"three\n")) == 6
    assert transport.send_nowait(b"four\n") == 0, "the rest of the last goes first"
    assert len(counted) == len(wire.heard) == 4
    transport.close()
    await trio.testing.wait_all_tasks_blocked()
    assert nursery.child_tasks, "what was begun is finished"
    wire.goes_on.set()
    with trio.fail_after(1):
        while nursery.child_tasks:
            await trio.testing.wait_all_tasks_blocked()
    with pytest.raises(trio.WouldBlock):
        browser.heard.receive_nowait()


@pytest.mark.parametrize("waits", ["wait_readable", "wait_writable"])
async def test_close_wakes_who_waits(waits: str, nursery: trio.Nursery, autojump_clock: MockClock) -> None:
    transport = transport_of(Browser())
    transport.send_nowait(b"x\n")
    woken = trio.Event()

    async def wait() -> None:
        with pytest.raises(trio.ClosedResourceError):
            await getattr(transport, waits)()
        woken.set()

    nursery.start_soon(wait)
    await trio.testing.wait_all_tasks_blocked()
    transport.close()
    with trio.fail_after(1):
        await woken.wait()


async def enter(socket: Socket) -> None:
    """Into the world, with a new character."""
    await socket.until("characters")
    await socket.send({"t": "create", "character": "Alric"})
    listed = cast("list[dict[str, object]]", (await socket.until("characters"))["characters"])
    await socket.send({"t": "enter", "id": listed[0]["id"]})
    await socket.until("entered")


async def test_a_browser_plays_and_leaves(town: Town, autojump_clock: MockClock) -> None:
    visitor = Visitor(front_of(town))
    await visitor.post("/account", ALRIC)
    async with visitor.connect("/play") as socket:
        await enter(socket)
        assert town.here("Alric")
        await socket.send('{"t":"ping","number":1}\n{"t":"ping","number":2}')
        assert [(await socket.until("pong")).get("number") for _ in range(2)] == [1, 2]
    assert town.app.gateway.connections == {}
    await trio.sleep(town.settings.limits.linger_seconds + 1)
    assert not town.here("Alric")


async def test_bytes_are_not_spoken_here(
    town: Town, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "net.web")
    async with Visitor(front_of(town)).connect("/play") as socket:
        await socket.send(b'{"t":"ping"}')
        assert await socket.closed() == 1003
    assert "127.0.0.1 sent bytes where text is spoken" in caplog.text


async def test_too_many_are_told_to_come_later(town: Town, autojump_clock: MockClock) -> None:
    front = front_of(town)
    async with Visitor(front).connect("/play") as first, Visitor(front).connect("/play") as second:
        await first.until("welcome")
        await second.until("welcome")
        async with Visitor(front).connect("/play") as third:
            assert await third.closed() == 1013


async def test_who_is_not_let_in_leaves_no_ticket_behind(town: Town, autojump_clock: MockClock) -> None:
    visitor = Visitor(front_of(town))
    await visitor.post("/account", ALRIC)
    others = [Visitor(visitor.front).connect("/play") for _ in range(2)]
    async with others[0] as first, others[1] as second:
        await first.until("welcome")
        await second.until("welcome")
        for _ in range(3):
            async with visitor.connect("/play") as third:
                assert await third.closed() == 1013
    assert len(town.app.tickets) == 0, "those of other games would be crowded out"


async def test_r20_a_browser_that_takes_nothing_is_ended_and_harms_nobody(
    town: Town, autojump_clock: MockClock
) -> None:
    front = front_of(town)
    stuck, other = Visitor(front), Visitor(front)
    await stuck.post("/account", ALRIC)
    await other.post("/account", {**ALRIC, "account": "hilda"})
    async with stuck.connect("/play", window=1) as socket:
        await enter(socket)
        async with other.connect("/play") as well:
            await well.until("characters")
            began = trio.current_time()
            for number in range(10_000):
                await socket.send({"t": "ping", "number": number})
                await well.send({"t": "ping", "number": number})
                assert (await well.until("pong")).get("number", 0) == number
                if len(town.app.gateway.connections) == 1:
                    break
                await trio.sleep(0.1)
            stalled = town.settings.network.stalled_seconds
            assert stalled <= trio.current_time() - began < stalled + 5
        # Its connection is not kept for the rest of what it was told.
        with trio.fail_after(5):
            await front.site.nobody_plays()
        assert front.site.admission.sockets == 0


async def test_those_who_play_hear_that_the_server_stops(town: Town, autojump_clock: MockClock) -> None:
    front = front_of(town)
    visitor = Visitor(front)
    await visitor.post("/account", ALRIC)
    async with visitor.connect("/play") as socket:
        await enter(socket)
        town.app.stop(0)
        goodbye = await socket.until("goodbye")
        assert "shutting down" in json.dumps(goodbye)
        assert await socket.closed() == 1001
    await trio.sleep(15)
    assert town.exit_code == 0
