"""A browser without a network: calls the web page directly, under virtual time.

    async def test_...(town: Town) -> None:
        front = front_of(town)                       # the page of a town that has a [listen.web]
        visitor = Visitor(front)                     # somebody on this machine
        answer = await visitor.get("/")              # Answer: .status .headers .body .text .json()
        answer = await visitor.post("/session", {"account": "alric", "password": "secret1"})
        answer = await visitor.delete("/session")    # cookies are kept, as a browser does
        answer = await visitor.request("PUT", "/", headers={"x-forwarded-for": "203.0.113.9"})

        async with visitor.connect("/play") as socket:       # raises Rejected(answer) if it is refused
            await socket.send({"t": "ping"})                 # a message, or text or bytes as they are
            message = await socket.receive()                 # the next message; raises Closed(code)
            message = await socket.until("welcome")          # the next of that name
            texts = await socket.receive_text()              # a whole text of the WebSocket

`Visitor(front, peer=..., host=..., page=...)`: whose address, the name that is asked for, and the origin of
the page that asks (None: a program, which says none; by default the page itself). With `connect(...,
window=2)` the server waits when two texts were not received. Whatever is waited for and does not come is a
`trio.TooSlowError` after `PATIENCE` virtual seconds.
"""

from __future__ import annotations

import contextlib
import json as jsons
import math
import socket
from typing import TYPE_CHECKING, cast
from urllib.parse import unquote

import attrs
import trio
from starlette.types import Message

from server.net.listening import Listening
from server.web.front import Front
from server.web.site import LINK

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from starlette.types import Scope

    from server.web.host import Host
    from tests.kit.town import Town

PATIENCE = 120.0
"""Virtual seconds to wait for anything."""

LOCAL = "127.0.0.1:8080"

_UNUSED = socket.socket()
_UNUSED.close()


def front_of(town: Town, name: str = "web", *, app: Host | None = None) -> Front:
    """A page of a running town, or of the edge `app` before it; the table of that name has to be in its
    configuration."""
    listener, app = town.settings.listen[name], app or town.app
    family = app.families["web"]
    return Front(
        app, Listening(name, family, "http", _UNUSED, listener.codec_settings(), listener.behind_proxy)
    )


@attrs.define
class Near:
    """A connection that is none; implements `server.web.site.Wire`."""

    peer: str
    local: str = LOCAL
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    """Around what its connection does."""

    def end_by(self, time: float) -> None:
        """See Wire."""
        self.scope.deadline = min(self.scope.deadline, time)

    def say(self, text: bytes) -> bool:
        """See Wire: there is no shorter way than through the application."""
        return False

    said = True
    """See Wire."""

    async def finish(self) -> None:
        """See Wire."""
        await trio.lowlevel.checkpoint()


@attrs.frozen
class Answer:
    """What a request was answered; the names of headers in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def text(self) -> str:
        """As text."""
        return self.body.decode()

    def json(self) -> dict[str, object]:
        """As an object of JSON."""
        return cast("dict[str, object]", jsons.loads(self.body))


class Rejected(Exception):
    """A WebSocket was refused, with `answer`."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(f"{answer.status} {answer.text}")
        self.answer = answer


class Closed(Exception):
    """A WebSocket was closed by the server, with `code`; 1006: without any."""

    def __init__(self, code: int) -> None:
        super().__init__(str(code))
        self.code = code


class Socket:
    """A visitor's end of a WebSocket."""

    def __init__(
        self, said: trio.MemorySendChannel[Message], heard: trio.MemoryReceiveChannel[Message]
    ) -> None:
        self._said = said
        self._heard = heard
        self._lines: list[str] = []
        self.code: int | None = None
        """With which the server closed it."""

    async def send(self, what: Mapping[str, object] | str | bytes) -> None:
        """A message; text and bytes as they are."""
        if isinstance(what, bytes):
            message: Message = {"type": "websocket.receive", "bytes": what}
        else:
            text = what if isinstance(what, str) else jsons.dumps(what)
            message = {"type": "websocket.receive", "text": text}
        with contextlib.suppress(trio.BrokenResourceError):
            with trio.fail_after(PATIENCE):
                await self._said.send(message)

    async def receive_text(self) -> str:
        """The next text. Raises Closed."""
        if self.code is not None:
            raise Closed(self.code)
        with trio.fail_after(PATIENCE):
            try:
                message = await self._heard.receive()
            except trio.EndOfChannel:
                message = {"type": "websocket.close", "code": 1006}
        if message["type"] == "websocket.close":
            self.code = int(message.get("code", 1000))
            raise Closed(self.code)
        return str(message["text"])

    async def receive(self) -> dict[str, object]:
        """The next message. Raises Closed."""
        while not self._lines:
            self._lines += [line for line in (await self.receive_text()).split("\n") if line]
        return cast("dict[str, object]", jsons.loads(self._lines.pop(0)))

    async def until(self, name: str) -> dict[str, object]:
        """The next message of that name; those before it are passed over. Raises Closed."""
        with trio.fail_after(PATIENCE):
            while True:
                message = await self.receive()
                if message["t"] == name:
                    return message

    async def closed(self) -> int:
        """Pass over all that is said until the server closes it; the code."""
        with trio.fail_after(PATIENCE):
            while True:
                try:
                    await self.receive_text()
                except Closed as closed:
                    return closed.code


class Visitor:
    """Somebody with a browser, or with a program that speaks HTTP."""

    def __init__(
        self,
        front: Front,
        *,
        peer: str = "127.0.0.1",
        host: str = "localhost:8080",
        page: str | None = "",
        headers: Mapping[str, str] | None = None,
    ) -> None:
        """`headers` go with every request."""
        self.front = front
        self.peer = peer
        self.host = host
        self.page = f"http://{host}" if page == "" else page
        self.headers = dict(headers or {})
        self.cookies: dict[str, str] = {}

    async def get(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        """GET."""
        return await self.request("GET", path, headers=headers)

    async def head(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        """HEAD."""
        return await self.request("HEAD", path, headers=headers)

    async def post(self, path: str, body: object, headers: Mapping[str, str] | None = None) -> Answer:
        """POST of something in JSON; bytes as they are."""
        return await self._give("POST", path, body, headers)

    async def put(self, path: str, body: object, headers: Mapping[str, str] | None = None) -> Answer:
        """PUT, likewise."""
        return await self._give("PUT", path, body, headers)

    async def _give(self, method: str, path: str, body: object, headers: Mapping[str, str] | None) -> Answer:
        content = body if isinstance(body, bytes) else jsons.dumps(body).encode()
        with_kind = {"content-type": "application/json", **(headers or {})}
        return await self.request(method, path, body=content, headers=with_kind)

    async def delete(self, path: str, headers: Mapping[str, str] | None = None) -> Answer:
        """DELETE."""
        return await self.request("DELETE", path, headers=headers)

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: bytes = b"",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Any request."""
        origin = method not in ("GET", "HEAD", "OPTIONS")
        scope = self._scope("http", path, headers, origin=origin)
        scope["method"] = method
        parts = [body]
        ended = trio.Event()
        start: Message = {}
        content = bytearray()

        async def receive() -> Message:
            if parts:
                return {"type": "http.request", "body": parts.pop(0), "more_body": False}
            await ended.wait()
            return {"type": "http.disconnect"}

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
            else:
                content.extend(message.get("body", b""))
                if not message.get("more_body", False):
                    ended.set()

        near = Near(self.peer)
        token = LINK.set(near)
        try:
            with trio.fail_after(PATIENCE), near.scope:
                await self.front.asgi(scope, receive, send)
        finally:
            LINK.reset(token)
        return self._answer(start, b"" if method == "HEAD" else bytes(content))

    @contextlib.asynccontextmanager
    async def connect(
        self, path: str, headers: Mapping[str, str] | None = None, *, window: float = math.inf
    ) -> AsyncIterator[Socket]:
        """A WebSocket; at the end of the block its browser leaves. Raises Rejected."""
        scope = self._scope("websocket", path, headers, origin=True)
        scope["subprotocols"] = []
        scope["extensions"] = {"websocket.http.response": {}}
        said, hears = trio.open_memory_channel[Message](10)  # as many as Hypercorn keeps
        tells, heard = trio.open_memory_channel[Message](window)
        near = Near(self.peer)
        gone = False

        async def receive() -> Message:
            try:
                return await hears.receive()
            except trio.EndOfChannel:
                return {"type": "websocket.disconnect", "code": 1006}

        async def send(message: Message) -> None:
            if not gone:  # what is said to one who has left is lost
                with contextlib.suppress(trio.BrokenResourceError):
                    await tells.send(message)

        async def serve() -> None:
            LINK.set(near)
            with near.scope:
                await self.front.asgi(scope, receive, send)
            tells.close()
            hears.close()

        error: Exception | None = None
        async with trio.open_nursery() as nursery:
            nursery.start_soon(serve)
            await said.send({"type": "websocket.connect"})
            try:
                yield await self._shake_hands(said, heard)
            except Exception as raised:
                error = raised
            finally:
                gone = True
                said.close()
                heard.close()
        if error is not None:  # out here, so that it is not wrapped up
            raise error

    async def _shake_hands(
        self, said: trio.MemorySendChannel[Message], heard: trio.MemoryReceiveChannel[Message]
    ) -> Socket:
        with trio.fail_after(PATIENCE):
            first = await heard.receive()
            if first["type"] == "websocket.accept":
                return Socket(said, heard)
            if first["type"] == "websocket.close":
                raise Rejected(Answer(403, {}, b""))
            content = bytearray()
            more = True
            while more:
                part = await heard.receive()
                content += part.get("body", b"")
                more = part.get("more_body", False)
        raise Rejected(self._answer(first, bytes(content)))

    def _scope(self, kind: str, path: str, headers: Mapping[str, str] | None, *, origin: bool) -> Scope:
        plain, _, query = path.partition("?")
        sent = {"host": self.host}
        if origin and self.page is not None:
            sent["origin"] = self.page
        if self.cookies:
            sent["cookie"] = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        sent |= self.headers | dict(headers or {})
        return {
            "type": kind,
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "scheme": "ws" if kind == "websocket" else "http",
            "path": unquote(plain),
            "raw_path": plain.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in sent.items()],
            "client": None,
            "server": None,
            "state": {},
            "extensions": {},
        }

    def _answer(self, start: Message, body: bytes) -> Answer:
        found: dict[str, str] = {}
        if not start:
            raise trio.BrokenResourceError("it was not answered")
        for name, value in start["headers"]:
            text = value.decode("latin-1")
            found[name.decode()] = text
            if name == b"set-cookie":
                self._keep(text)
        return Answer(int(start["status"]), found, body)

    def _keep(self, cookie: str) -> None:
        """What a browser does with Set-Cookie."""
        first, *rest = cookie.split(";")
        name, _, value = first.strip().partition("=")
        if any(word.strip().lower() == "max-age=0" for word in rest):
            self.cookies.pop(name, None)
        else:
            self.cookies[name] = value.strip('"')
