"""What only real sockets show: limits, slow and stuck clients, and the end of a server that has them."""

from __future__ import annotations

import contextlib
import errno
import json
import socket
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing
from starlette.responses import Response
from starlette.routing import Route
from wsproto import ConnectionType, WSConnection
from wsproto.events import AcceptConnection, CloseConnection, Request, TextMessage
from wsproto.extensions import PerMessageDeflate

from server.net.listening import Listening
from server.settings.config import parse
from server.web.front import HEAD_SECONDS, Front
from server.web.headers import BODY_SECONDS, SECURITY
from server.web.link import SPOKEN_BURST, SPOKEN_RATE
from tests.kit.town import Town

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request as Asked
    from starlette.routing import BaseRoute

CONFIG = """
[listen.web]
http = "127.0.0.1:0"
sockets_per_address = 3
[limits]
exempt = []
[network]
stalled_seconds = 3
shutdown_wait_seconds = 1
"""

HEAD = "GET {} HTTP/1.1\r\nHost: localhost\r\n"


class House:
    """A server with a page at a real port."""

    def __init__(self, town: Town, listening: Listening) -> None:
        self.town = town
        self.port = listening.port
        self.code: int | None = None
        self.ended = trio.Event()
        self._listening = listening
        self._open: list[trio.SocketStream] = []

    async def run(self, task_status: trio.TaskStatus[None]) -> None:
        self.code = await self.town.app.run([self._listening], task_status=task_status)
        self.ended.set()

    async def connect(self, *, buffer: int = 0) -> trio.SocketStream:
        """A connection of somebody who takes no more than `buffer` bytes unread, if that is given."""
        plain = socket.socket()
        if buffer:
            plain.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
        plain.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            plain.connect(("127.0.0.1", self.port))
        stream = trio.SocketStream(trio.socket.from_stdlib_socket(plain))
        await trio.lowlevel.wait_writable(plain)
        self._open.append(stream)
        return stream

    async def ask(self, stream: trio.SocketStream, text: str) -> bytes:
        """A request, and all that comes until the other end hangs up, or nothing comes any more."""
        with contextlib.suppress(trio.BrokenResourceError):
            await stream.send_all(text.encode())
        return await self.rest(stream)

    async def rest(self, stream: trio.SocketStream) -> bytes:
        """All that comes until the other end hangs up."""
        heard = b""
        with contextlib.suppress(trio.BrokenResourceError):
            async for data in stream:
                heard += data
        return heard

    def hang_up(self) -> None:
        for stream in self._open:
            stream.socket.close()


@contextlib.asynccontextmanager
async def opened() -> AsyncIterator[House]:
    """A server with a page at a real port, which is stopped in the end."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.setblocking(False)
    async with trio.open_nursery() as nursery:
        town = Town(nursery, parse(CONFIG), games=("web",))
        house = House(town, Listening("web", town.families["web"], "http", listener))
        await nursery.start(house.run)
        yield house
        house.hang_up()
        town.app.stop(0)
    assert house.code == 0
    listener.close()


@pytest.fixture(autouse=True)
def fronts(monkeypatch: pytest.MonkeyPatch) -> list[Front]:
    """All pages of the test. Each has an answer that no system takes for one who does not read."""
    made: list[Front] = []
    routes = Front._routes
    plenty = b"x" * 4_000_000

    async def much(_: Asked) -> Response:
        return Response(plenty)

    def more(front: Front) -> list[BaseRoute]:
        made.append(front)
        return [*routes(front), Route("/much", much)]

    monkeypatch.setattr(Front, "_routes", more)
    return made


@pytest.fixture
def autojump_clock() -> trio.testing.MockClock:
    """Time goes on when nothing has moved for a moment: what the system does with a socket is no task."""
    return trio.testing.MockClock(autojump_threshold=0.005)


class Browser:
    """A WebSocket of a browser, which offers to compress as all of them do."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self.stream = stream
        self.lines: list[str] = []
        self.code: int | None = None
        self.accepted: AcceptConnection | None = None
        self._text = ""
        """Of a message that is not whole."""
        self._ws = WSConnection(ConnectionType.CLIENT)

    async def begin(self, cookie: str = "") -> None:
        headers = [(b"Origin", b"http://localhost"), *([(b"Cookie", cookie.encode())] if cookie else [])]
        request = Request(
            host="localhost", target="/play", extensions=[PerMessageDeflate()], extra_headers=headers
        )
        await self.stream.send_all(self._ws.send(request))
        while self.accepted is None:
            await self.hear()

    async def say(self, **message: object) -> None:
        await self.stream.send_all(self._ws.send(TextMessage(data=json.dumps(message))))

    async def hear(self) -> None:
        data = await self.stream.receive_some()
        self._ws.receive_data(data or None)
        for event in self._ws.events():
            if isinstance(event, AcceptConnection):
                self.accepted = event
            elif isinstance(event, TextMessage):
                self._text += event.data
                if event.message_finished:
                    self.lines += self._text.splitlines()
                    self._text = ""
            elif isinstance(event, CloseConnection):
                self.code = event.code

    async def until(self, name: str) -> dict[str, object]:
        while True:
            while self.lines:
                message: dict[str, object] = json.loads(self.lines.pop(0))
                if message["t"] == name:
                    return message
            assert self.code is None
            await self.hear()


async def log_in(house: House, name: str) -> str:
    """A new account; its cookie."""
    body = json.dumps({"account": name, "password": "secret1"})
    stream = await house.connect()
    head = (
        "POST /account HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\n"
    )
    answer = await house.ask(stream, f"{head}Content-Length: {len(body)}\r\n\r\n{body}")
    assert answer.startswith(b"HTTP/1.1 201"), answer
    return answer.partition(b"set-cookie: ")[2].partition(b";")[0].decode()


async def test_a_browser_plays_over_a_socket_uncompressed(autojump_clock: trio.testing.MockClock) -> None:
    async with opened() as house:
        cookie = await log_in(house, "alric")
        browser = Browser(await house.connect())
        await browser.begin(cookie)
        assert browser.accepted is not None
        assert browser.accepted.extensions == []
        assert (await browser.until("account"))["account"] == "alric"
        await browser.say(t="create", character="Alric")
        characters = (await browser.until("characters"))["characters"]
        if not characters:
            characters = (await browser.until("characters"))["characters"]
        await browser.say(t="enter", id=characters[0]["id"])  # type: ignore[index] # a list
        await browser.until("entered")
        assert house.town.here("Alric")
        house.town.app.stop(0)
        await browser.until("goodbye")
        while browser.code is None:
            await browser.hear()
        assert browser.code == 1001, "it is told so, and does not just find the line dead"
        assert await browser.stream.receive_some() == b""


async def test_r21_one_address_gets_so_many_connections(
    autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened() as house:
        caplog.set_level("INFO", "net.web")
        idle = [await house.connect() for _ in range(3)]
        refused = await house.connect()
        assert await house.ask(refused, "") == b""
        assert caplog.text.count("127.0.0.1 refused: 3 connections from one address") == 1
        idle[0].socket.close()
        await trio.testing.wait_all_tasks_blocked(0.005)
        answer = await house.ask(await house.connect(), HEAD.format("/session") + "Connection: close\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200")


@pytest.mark.parametrize(
    ("sent", "seconds"),
    [
        ("", HEAD_SECONDS),
        (HEAD.format("/"), HEAD_SECONDS),
        (HEAD.format("/session") + "\r\n", HEAD_SECONDS),
        ("POST /session HTTP/1.1\r\nHost: localhost\r\n", HEAD_SECONDS),
    ],
)
async def test_r18_who_is_slow_is_hung_up_on(
    sent: str, seconds: float, autojump_clock: trio.testing.MockClock
) -> None:
    async with opened() as house:
        stream = await house.connect()
        began = trio.current_time()
        await house.ask(stream, sent)
        assert seconds <= trio.current_time() - began < seconds + 2


async def test_r18_a_head_that_drips_in_is_not_waited_for(autojump_clock: trio.testing.MockClock) -> None:
    async with opened() as house:
        stream = await house.connect()
        began = trio.current_time()
        with contextlib.suppress(trio.BrokenResourceError):
            for letter in HEAD.format("/") + "X: " + 1000 * "x":
                await stream.send_all(letter.encode())
                await trio.sleep(1)
        assert HEAD_SECONDS <= trio.current_time() - began < HEAD_SECONDS + 3


async def test_r18_a_body_that_does_not_come_is_not_waited_for(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async with opened() as house:
        stream = await house.connect()
        began = trio.current_time()
        head = "POST /session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        answer = await house.ask(stream, head + "Content-Length: 100\r\n\r\n{")
        assert answer.startswith(b"HTTP/1.1 408")
        assert BODY_SECONDS <= trio.current_time() - began < BODY_SECONDS + 2


async def test_r20_who_takes_nothing_is_hung_up_on(
    autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened() as house:
        caplog.set_level("INFO", "net.web")
        stuck = await house.connect(buffer=4096)
        began = trio.current_time()
        await stuck.send_all((HEAD.format("/much") + "\r\n").encode())
        other = await house.connect()
        assert b"HTTP/1.1 200" in await house.ask(
            other, HEAD.format("/session") + "Connection: close\r\n\r\n"
        )
        assert trio.current_time() - began < 1, "it costs nobody else anything"
        await trio.sleep(house.town.settings.network.stalled_seconds + 1)
        assert "127.0.0.1 takes nothing: hung up" in caplog.text
        with pytest.raises(trio.BrokenResourceError):
            async for _ in stuck:
                pass


async def test_what_a_slow_browser_is_told_comes_whole_and_in_order(
    fronts: list[Front], autojump_clock: trio.testing.MockClock
) -> None:
    async with opened() as house:
        browser = Browser(await house.connect(buffer=4096))
        await browser.begin()
        await browser.until("welcome")
        (connection,) = house.town.app.gateway.connections.values()
        (link,) = fronts[0].links
        session, words = connection.session, house.town.families["web"].goodbye
        assert words is not None
        messages = house.town.app.counts.web_messages
        await trio.testing.wait_all_tasks_blocked()
        before, told = messages["/play"], list[int]()
        # Shorter and longer than heads of 2, 4 and 10 bytes tell, and then more than the system takes.
        sizes = [1, 60, 97, 98, 99, 65_500, 65_535, 65_536, 9]
        while sizes:
            for size in sizes:
                words(session, chr(97 + size % 26) * size)
                connection.flush()
            told += sizes
            sizes = [] if connection._behind() else [250_000]
        assert messages["/play"] - before >= len(told) - 1, "it was said on the connection itself"
        await browser.say(t="ping", number=7)  # its answer waits behind all of them
        for size in told:
            assert (await browser.until("goodbye"))["text"] == chr(97 + size % 26) * size
        assert (await browser.until("pong"))["number"] == 7
        assert link.said


@pytest.mark.parametrize("kind", ["page", "play"])
async def test_r20_the_server_stops_in_spite_of_one_who_takes_nothing(
    kind: str, autojump_clock: trio.testing.MockClock
) -> None:
    async with opened() as house:
        house.town.change("network", stalled_seconds=3600.0)
        if kind == "page":
            stuck = await house.connect(buffer=4096)
            await stuck.send_all((HEAD.format("/much") + "\r\n").encode())
        else:
            cookie = await log_in(house, "alric")
            browser = Browser(await house.connect(buffer=4096))
            await browser.begin(cookie)
            await browser.until("characters")
            (connection,) = house.town.app.gateway.connections.values()
            session = connection.session
            for _ in range(40):  # more than the system takes for it
                house.town.families["web"].goodbye(session, "x" * 250_000)
                session.link.flush()
                await trio.testing.wait_all_tasks_blocked(0.001)
            assert connection._behind()
        began = trio.current_time()
        house.town.app.stop(0)
        with trio.fail_after(20):
            await house.ended.wait()
        assert trio.current_time() - began < 8
        assert house.town.app.gateway.connections == {}


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("GARBAGE\r\n\r\n", b"400"),
        ("GET / HTTP/1.1\r\n\r\n", b"400"),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", b"400"),
        ("GET / HTTP/1.1\r\nHost: localhost\r\n" + "X: y\r\n" * 10_000, b"431"),
        (
            "GET /play HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n",
            b"400",
        ),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nUpgrade: h2c\r\nConnection: close\r\n\r\n", b"200"),
    ],
)
async def test_r16_what_cannot_be_read_is_answered_like_everything_else(
    sent: str,
    status: bytes,
    autojump_clock: trio.testing.MockClock,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with opened() as house:
        caplog.set_level("INFO", "net.web")
        answer = await house.ask(await house.connect(), sent)
        assert answer.startswith(b"HTTP/1.1 " + status)
        for name, value in SECURITY.items():
            assert f"{name}: {value}\r\n".encode() in answer
        assert b"server:" not in answer.lower()
        assert "Traceback" not in caplog.text


async def test_r05_strange_frames_end_their_connection_only(
    fronts: list[Front], autojump_clock: trio.testing.MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async with opened() as house:
        caplog.set_level("INFO", "net.web")
        near = Browser(await house.connect())
        await near.begin()
        for frames in (
            b"\xff" * 100,
            b"\x81\xfe\x7f\xff" + b"a" * 40_000,
            b"\x88\x80aaaa" + b"\x81\x80aaaa" * 3,
        ):
            strange = Browser(await house.connect())
            await strange.begin()
            await strange.stream.send_all(frames)
            await house.rest(strange.stream)
            strange.stream.socket.close()
        await trio.sleep(1)
        (front,) = fronts
        assert front.site.admission.connections == len(front.links) == 1
        await near.say(t="ping", number=5)
        assert (await near.until("pong"))["number"] == 5
        assert "Traceback" not in caplog.text


async def test_r10_a_message_in_empty_parts_is_heard_slowly(autojump_clock: trio.testing.MockClock) -> None:
    """170 of them fit into a kibibyte, and each costs the world's thread as much as a whole message."""
    async with opened() as house:
        browser = Browser(await house.connect())
        await browser.begin()
        await browser.say(t="ping", number=1)
        await browser.until("pong")
        began = trio.current_time()
        await browser.stream.send_all(b"\x01\x80mask" + b"\x00\x80mask" * 8_000 + b"\x80\x81mask" + b"g")
        await browser.say(t="ping", number=2)
        with trio.move_on_after(60):
            await browser.until("pong")
        allowed = SPOKEN_BURST / SPOKEN_RATE
        assert 48_000 / SPOKEN_RATE - allowed - 0.1 < trio.current_time() - began < 48_000 / SPOKEN_RATE


async def test_a_request_of_two_lengths_is_none(autojump_clock: trio.testing.MockClock) -> None:
    """A proxy that believes the other length would take what follows for somebody else's request."""
    async with opened() as house:
        sent = "POST /session HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        sent += "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        answer = await house.ask(await house.connect(), sent + HEAD.format("/health") + "\r\n")
        assert answer.startswith(b"HTTP/1.1 400")
        assert answer.count(b"HTTP/1.1") == 1


async def test_r22_no_descriptors_left_is_no_end(
    autojump_clock: trio.testing.MockClock,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with opened() as house:
        failures = [errno.EMFILE, errno.ECONNABORTED]
        accept = socket.socket.accept

        def failing(sock: socket.socket) -> tuple[socket.socket, object]:
            if failures:
                raise OSError(failures.pop(0), "no more")
            return accept(sock)

        monkeypatch.setattr(socket.socket, "accept", failing)
        stream = await house.connect()
        answer = await house.ask(stream, HEAD.format("/session") + "Connection: close\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 200")
        assert caplog.text.count("cannot accept") == 1
