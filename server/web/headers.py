"""Rules for every request and every answer: who may ask at all, and which headers browsers receive.

A web page on the machine of somebody who plays is within reach of every other page that this person opens.
So a request is heard only if it names this server as one of its own names (else a foreign name could be made
to point here: DNS rebinding), and what changes anything, or opens a WebSocket, only if it comes from a page
of ours (its Origin). Answers forbid browsers to run, load or show anything that is not from here.
"""

from __future__ import annotations

import json
import logging
from contextlib import aclosing
from typing import TYPE_CHECKING, Final, cast
from urllib.parse import urlsplit

import trio
from starlette.datastructures import MutableHeaders
from starlette.requests import ClientDisconnect, HTTPConnection
from starlette.responses import JSONResponse, PlainTextResponse

from server.web.site import LINK, is_loopback
from server.web.sockets import GOING_AWAY

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from server.web.site import Site

log = logging.getLogger("net.web")

SECURITY: Final[Mapping[str, str]] = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
"""On every answer."""

REQUEST_SECONDS: Final = 60.0
"""How long one request may take, with its answer; WebSockets are without end."""
BODY_SECONDS: Final = 10.0
"""How long what is sent with a request may take."""
LARGEST_BODY: Final = 4096
"""Bytes of it: a name and a password."""

LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "[::1]"})


class Gate:
    """The outermost part of the page: an ASGI application around the others."""

    def __init__(self, app: ASGIApp, site: Site) -> None:
        self._app = app
        self._site = site
        settings = site.settings
        self._hosts = frozenset(host.lower().rstrip(".") for host in settings.hosts)
        bound = str(settings.http).rpartition(":")[0].lower()
        here = is_loopback(bound) or bound == "localhost"
        self._names = self._hosts | (LOCAL_NAMES | {bound} if here else frozenset())
        """The names by which it may be asked for; if there are none it is by every name."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        kind = scope["type"]
        if kind not in ("http", "websocket"):
            return

        async def tell(message: Message) -> None:
            if message["type"] in ("http.response.start", "websocket.http.response.start"):
                headers = MutableHeaders(scope=message)
                for name, value in SECURITY.items():
                    headers.setdefault(name, value)
                headers.setdefault("cache-control", "no-store")
            await send(message)

        connection = HTTPConnection(scope)
        method = str(scope.get("method", "GET"))
        if problem := self._problem(connection, method, websocket=kind == "websocket"):
            status, text = problem
            peer = self._site.caller(connection).address
            log.info("%s refused at %s: %s", peer, _shown(str(scope["path"])), text)
            await _refuse(scope, receive, tell, status, text)
        elif kind == "websocket":
            with self._site.socket() as hung_up:
                await self._app(scope, receive, tell)
            if hung_up.cancelled_caught:
                await tell({"type": "websocket.close", "code": GOING_AWAY, "reason": ""})
        else:
            with trio.move_on_after(REQUEST_SECONDS) as patience:
                await self._app(scope, receive, tell)
            if patience.cancelled_caught:
                log.info("%s took too long over %s", LINK.get().peer, _shown(str(scope["path"])))
                LINK.get().end_by(trio.current_time())

    def _problem(self, connection: HTTPConnection, method: str, *, websocket: bool) -> tuple[int, str] | None:
        """Why a request is not heard: status and words."""
        host = connection.headers.get("host", "").strip().lower()
        name = _without_port(host)
        if not name:
            return 400, "The request names no host."
        if self._names and name not in self._names and host not in self._names:
            return 421, (
                "This server does not answer to that name. Whoever runs it can add the name to hosts in "
                "[listen.web] of config.toml."
            )
        if not (websocket or method in ("POST", "DELETE", "PUT", "PATCH")):
            return None
        origin = connection.headers.get("origin")
        if origin is None:
            # No browser asks so, and a program that has a browser's cookie has it from somewhere else.
            if websocket and connection.headers.get("cookie"):
                return 403, "A request with cookies has to say from which page it comes."
            return None
        if not self._is_ours(connection, origin.strip().lower(), host):
            return 403, "That page is not one of this server."
        return None

    def _is_ours(self, connection: HTTPConnection, origin: str, host: str) -> bool:
        scheme = "https" if self._site.caller(connection).secure else "http"
        if origin == f"{scheme}://{host}":
            return True
        try:
            parts = urlsplit(origin)
        except ValueError:
            return False
        if parts.scheme not in ("http", "https") or origin != f"{parts.scheme}://{parts.netloc}":
            return False
        return _without_port(parts.netloc) in self._hosts or parts.netloc in self._hosts


class BadBody(Exception):
    """The body of a request cannot be understood."""

    def __init__(self, status: int, text: str) -> None:
        super().__init__(text)
        self.status = status

    @property
    def answer(self) -> JSONResponse:
        """The answer to the request."""
        return JSONResponse({"why": "bad_request", "text": str(self)}, self.status)


async def json_body(request: Request) -> Mapping[str, object]:
    """The object of JSON that was sent with a request. Raises BadBody."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        # A form of a foreign page can send everything but this without asking.
        raise BadBody(415, "The content type has to be application/json.")
    body = bytearray()
    with trio.move_on_after(BODY_SECONDS) as patience:
        async with aclosing(request.stream()) as parts:
            try:
                async for part in parts:
                    body += part
                    if len(body) > LARGEST_BODY:
                        raise BadBody(413, f"That is more than {LARGEST_BODY} bytes.")
            except ClientDisconnect:
                raise BadBody(400, "That is not all.") from None
    if patience.cancelled_caught:
        raise BadBody(408, "That took too long.")
    try:
        found = json.loads(body.decode())
    except (ValueError, RecursionError):
        raise BadBody(400, "That is not JSON.") from None
    if not isinstance(found, dict):
        raise BadBody(400, "That is no object of JSON.")
    return cast("dict[str, object]", found)


def text_of(body: Mapping[str, object], key: str, longest: int) -> str:
    """A text in such an object. Raises BadBody."""
    value = body.get(key)
    if not isinstance(value, str):
        raise BadBody(400, f'"{key}" has to be a text.')
    if len(value) > longest:
        raise BadBody(400, f'"{key}" is longer than {longest} characters.')
    return value


async def _refuse(scope: Scope, receive: Receive, send: Send, status: int, text: str) -> None:
    headers = {"connection": "close"}
    await PlainTextResponse(text + "\n", status, headers=headers)(scope, receive, send)


def _without_port(host: str) -> str:
    name, colon, port = host.rpartition(":")
    if colon and port.isdigit() and not (":" in name and not name.endswith("]")):
        host = name
    return host.rstrip(".")


def _shown(path: str) -> str:
    """A path as a log may show it, without what came after "?"."""
    return ascii(path[:80])


def security_headers() -> list[tuple[bytes, bytes]]:
    """For answers that are made before a request is understood."""
    return [(name.encode(), value.encode()) for name, value in SECURITY.items()]


def has_security(headers: list[tuple[bytes, bytes]]) -> bool:
    """Whether an answer has them already."""
    return any(name.lower() == b"content-security-policy" for name, _ in headers)
