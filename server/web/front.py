"""Accepts browsers: one task for each connection, in which Hypercorn speaks HTTP/1.1 and WebSocket.

The accept loop is ours, because connections are counted before anything of them is read, and because one that
fails must cost nobody else his (`server.web.link` tells the rest).
"""

from __future__ import annotations

import errno
import logging
import socket
import time
from typing import TYPE_CHECKING, Final, cast

import trio
from hypercorn.config import Config
from hypercorn.trio.worker_context import WorkerContext
from hypercorn.utils import wrap_app
from starlette.applications import Starlette

from server.web import connect, metrics, pages, play, realms, signup, status, watch
from server.web.headers import Gate
from server.web.link import Conversation, Link
from server.web.metrics import Requests
from server.web.remembered import Remembered
from server.web.site import LINK, Site
from server.web.turnstile import Turnstiles

if TYPE_CHECKING:
    from collections.abc import Callable

    from hypercorn.typing import ASGIFramework
    from starlette.routing import BaseRoute
    from starlette.types import ASGIApp

    from server.net.listening import Listening
    from server.web.host import Host

log = logging.getLogger("net.web")

ACCEPTS_PER_WAKE: Final = 8
"""Between two looks of the world: each costs it 0.2 ms."""
LARGEST_MESSAGE: Final = 16 * 1024
"""Bytes of what a browser may say at once."""
HEAD_SECONDS: Final = 15.0
"""How long the head of a request may take, and how long the next one may be waited for."""
PING_SECONDS: Final = 20.0
"""Between two pings of a WebSocket: proxies hang up where nothing is said."""
SWEEP_SECONDS: Final = 0.5
WORDS_SECONDS: Final = 1.0
"""How long the last words of those who play may take when the server stops."""
HANG_UP_SECONDS: Final = 0.5
"""How long all others may take then."""


class Front:
    """The web page at one door."""

    def __init__(self, app: Host, listening: Listening, *, wall: Callable[[], float] = time.time) -> None:
        """`wall` tells the time of day, in seconds UTC."""
        self.site = Site(app, listening)
        self.links: set[Link] = set()
        starlette = Starlette(routes=self._routes())
        starlette.router.redirect_slashes = False
        self.asgi: ASGIApp = Requests(Gate(starlette, self.site), app.counts)
        app.tickets.revoked.append(self.site.logins.revoke)
        app.tickets.renewed.append(self.site.logins.renew)
        self._app = wrap_app(cast("ASGIFramework", self.asgi), LARGEST_MESSAGE, "asgi")
        self._config = Config()
        self._config.accesslog = None
        self._config.errorlog = log
        self._config.include_server_header = False
        self._config.keep_alive_timeout = HEAD_SECONDS
        self._config.websocket_max_message_size = LARGEST_MESSAGE
        self._config.websocket_ping_interval = PING_SECONDS
        self._context = WorkerContext(None)
        self._turnstiles = Turnstiles()
        self._wall = wall
        path = app.settings.server.state_dir / f"{listening.name}-logins.json"
        self._remembered = Remembered(self.site.logins, app.storage, path, shared=self.site.is_shared)
        self._one_less = trio.Event()
        self._nursery: trio.Nursery | None = None

    def _routes(self) -> list[BaseRoute]:
        parts = (pages, connect, realms, watch, signup, play, status, metrics)
        return [route for part in parts for route in part.routes(self.site)]

    async def run(self, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Serve those whom `accept` lets in, for ever."""
        try:
            with trio.move_on_after(WORDS_SECONDS) as patience:
                await self._remembered.load(trio.current_time(), self._wall())
            if patience.cancelled_caught:
                log.warning("who was logged in to the web page is forgotten: the database does not answer")
            async with trio.open_nursery() as self._nursery:
                self._nursery.start_soon(self._remembered.keep, trio.current_time, self._wall)
                self._nursery.start_soon(self._turnstiles.requests.run)
                self._nursery.start_soon(self._turnstiles.words.run)
                task_status.started()
                while True:
                    await trio.sleep(SWEEP_SECONDS)
                    now = trio.current_time()
                    for link in [link for link in self.links if link.ends_at <= now]:
                        link.abort()
        finally:
            self._nursery = None
            for link in list(self.links):
                link.abort()

    async def accept(self) -> None:
        """Accept for ever."""
        listening = self.site.listening
        self._warn()
        self.site.app.gateway.ports[listening.name, listening.door_name] = listening.port
        sock = listening.socket
        while True:
            await trio.lowlevel.wait_readable(sock)
            for _ in range(ACCEPTS_PER_WAKE):
                link = await self._accept(sock)
                if link is None:
                    break
                self._admit(link)

    def _warn(self) -> None:
        settings = self.site.settings
        if not settings.is_public:
            return
        join = self.site.app.settings.accounts.auto_create
        open_to_all = ["the page", "logins", "the game"]
        open_to_all += ["the live map"] if settings.map else []
        open_to_all += ["new accounts"] if join is True else []
        log.warning(
            "%s http on %s can be reached from other machines: %s. %s",
            self.site.listening.name,
            settings.http,
            ", ".join(open_to_all),
            "A proxy with TLS should be the only one that reaches it"
            if settings.behind_proxy
            else "Without a proxy with TLS before it passwords travel as they are",
        )

    async def close(self) -> None:
        """The server stops: let those who play hear why, end all others. It takes no longer for one who takes
        nothing."""
        await self._context.terminated.set()
        with trio.move_on_after(WORDS_SECONDS):
            await self.site.nobody_plays()
        self.site.hang_up()
        with trio.move_on_after(WORDS_SECONDS):
            await self._remembered.save(trio.current_time(), self._wall(), at_once=True)
        with trio.move_on_after(HANG_UP_SECONDS):
            while self.links:
                await self._one_less.wait()
        for link in list(self.links):
            link.abort()

    async def _accept(self, sock: socket.socket) -> Link | None:
        """The next connection; None if there is none."""
        while True:
            try:
                accepted, _ = sock.accept()
            except BlockingIOError:
                return None
            except OSError as error:
                if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM):
                    log.error("cannot accept: %s; is the limit of open files high enough?", error.strerror)
                    await trio.sleep(0.1)
                return None
            try:
                accepted.setblocking(False)
                accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                accepted.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
                if hasattr(socket, "TCP_USER_TIMEOUT"):
                    accepted.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 30_000)
                return Link(accepted, lambda: self.site.app.settings.network.stalled_seconds)
            except OSError:  # it has gone again
                accepted.close()

    def _admit(self, link: Link) -> None:
        refusal = self.site.admission.connect(link.peer, behind_proxy=self.site.settings.behind_proxy)
        if refusal or self._nursery is None:
            log.info("%s refused: %s", link.peer, refusal)
            link.close()
            return
        self.links.add(link)
        link.closed = self._gone
        self._nursery.start_soon(self._converse, link)

    async def _converse(self, link: Link) -> None:
        LINK.set(link)
        try:
            await Conversation(link, self._app, self._config, self._context, self._turnstiles).run()
        except* Exception:
            # Whatever is wrong with one connection is no business of the others.
            log.exception("the connection of %s failed", link.peer)
        finally:
            link.abort()

    def _gone(self, link: Link) -> None:
        self.links.discard(link)
        self.site.admission.disconnect(link.peer)
        self._one_less.set()
        self._one_less = trio.Event()
