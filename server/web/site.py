"""Things that the parts of the web page share: the server behind it, and the caller of a request."""

from __future__ import annotations

import contextlib
import ipaddress
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final, Protocol, cast

import attrs
import trio

from protocol.wire.args import CodecArgs, Role
from server.web.admission import Admission
from server.web.cookies import Cookies
from server.web.logins import Logins

if TYPE_CHECKING:
    from collections.abc import Iterator

    from starlette.requests import HTTPConnection

    from protocol.address import Address
    from protocol.page import Page
    from protocol.session import Session
    from server.net.listening import Listening
    from server.web.host import Host


class PageTable(Protocol):
    """Keys of its game's table in config.toml that the page reads."""

    @property
    def http(self) -> Address: ...
    @property
    def hosts(self) -> tuple[str, ...]: ...
    @property
    def map(self) -> bool: ...
    @property
    def viewers(self) -> int: ...
    @property
    def sockets_per_address(self) -> int: ...
    @property
    def metrics_token(self) -> str: ...
    @property
    def behind_proxy(self) -> bool: ...
    @property
    def is_public(self) -> bool: ...


class Wire(Protocol):
    """The connection on which a request came."""

    @property
    def peer(self) -> str:
        """The other end's address, without port."""

    @property
    def local(self) -> str:
        """Address and port it connected to."""

    def end_by(self, time: float) -> None:
        """Close it at that time (seconds of trio's clock) unless it is closed before, whatever is being sent
        then."""

    def say(self, text: bytes) -> bool:
        """Begin to send a text on its WebSocket, and send as much as can be without waiting; False: it was
        not begun, and has to take the way through the application. Raises OSError."""

    @property
    def said(self) -> bool:
        """Whether all that was begun is out."""

    async def finish(self) -> None:
        """Send the rest of it. Raises OSError or trio.ClosedResourceError."""


LINK: Final[ContextVar[Wire]] = ContextVar("link")


@attrs.frozen
class Caller:
    """The sender of a request. `address` is without port; `local` is the address and port that was connected
    to."""

    address: str
    local: str
    remote: bool
    """Whether it counts as a stranger whatever its address is: there is a proxy between."""
    secure: bool = False
    """Whether its browser speaks TLS, with the proxy before us."""

    @property
    def is_here(self) -> bool:
        """Whether it is somebody on this very machine."""
        return not self.remote and is_loopback(self.address) and is_loopback(self.local.rpartition(":")[0])


@attrs.define
class Counted:
    """A number of something, and an event that is set when the number falls, and then replaced."""

    number: int = 0
    fewer: trio.Event = attrs.field(factory=trio.Event)


@attrs.frozen(eq=False)
class Site:
    """One listening web page of a running server."""

    app: Host
    listening: Listening
    admission: Admission = attrs.field(init=False)
    logins: Logins = attrs.field(init=False)
    cookies: Cookies = attrs.field(init=False)

    _sockets: set[trio.CancelScope] = attrs.field(init=False, factory=set)
    """Around every WebSocket."""
    _players: Counted = attrs.field(init=False, factory=Counted)

    @admission.default
    def _make_admission(self) -> Admission:
        return Admission(lambda: self.app.settings.limits, self.settings.sockets_per_address)

    @logins.default
    def _make_logins(self) -> Logins:
        return Logins(self.app.entropy)

    @cookies.default
    def _make_cookies(self) -> Cookies:
        return Cookies(self.logins, self.app.storage, self.app.wall, shared=self.is_shared)

    @property
    def is_shared(self) -> bool:
        """Whether other processes may change accounts, and have pages."""
        return self.app.worlds is not None or self.app.storage.shared

    @property
    def settings(self) -> PageTable:
        """Its table in config.toml."""
        return cast("PageTable", self.app.settings.listen[self.listening.name])

    @property
    def page(self) -> Page:
        """The part that the game of its door hands out for the page. Raises RuntimeError for a game that is
        in no browser."""
        page = self.listening.family.page
        if page is None:
            raise RuntimeError(f"{self.listening.family.name} has nothing for a page")
        return page

    def caller(self, connection: HTTPConnection) -> Caller:
        """The sender of a request. What a forwarding header says of the address counts only behind a proxy of
        ours; that there is one at all makes everybody a stranger (nobody behind a proxy is local)."""
        link = LINK.get()
        headers = connection.headers
        forwarded = any(name in headers for name in FORWARDING)
        address, secure = link.peer, False
        if self.settings.behind_proxy:
            address = _last_address(headers.getlist("x-forwarded-for")) or address
            secure = headers.get("x-forwarded-proto", "").strip().lower() == "https"
        return Caller(address, link.local, self.settings.behind_proxy or forwarded, secure)

    def stand_in(self, caller: Caller) -> Session:
        """A session without a connection, for what accounts and tickets ask of one. Whoever logs in with it
        releases it (`AccountService.release`)."""
        door = self.listening.door
        session = door.session(
            number=0,
            family=self.listening.family,
            door=self.listening.door_name,
            peer=caller.address,
            local=caller.local,
            codec=door.codec(CodecArgs(Role.SERVER, self.app.entropy, self.listening.settings)),
            services=self.app,
        )
        session.listener = self.listening.name
        session.forwarded = caller.remote
        return session

    @contextlib.contextmanager
    def socket(self) -> Iterator[trio.CancelScope]:
        """Around a WebSocket, which `hang_up` ends."""
        with trio.CancelScope() as scope:
            self._sockets.add(scope)
            try:
                yield scope
            finally:
                self._sockets.discard(scope)

    def hang_up(self) -> None:
        """End all WebSockets."""
        for scope in self._sockets:
            scope.cancel()

    @contextlib.contextmanager
    def playing(self) -> Iterator[None]:
        """Around a WebSocket at which somebody plays."""
        self._players.number += 1
        try:
            yield
        finally:
            self._players.number -= 1
            self._players.fewer.set()
            self._players.fewer = trio.Event()

    async def nobody_plays(self) -> None:
        """Until nobody plays at any WebSocket."""
        while self._players.number:
            await self._players.fewer.wait()

    def may_register(self, caller: Caller) -> bool:
        """Whether the configuration lets such a client make an account."""
        return self.app.accounts.may_join(self.stand_in(caller))


FORWARDING: Final = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "x-real-ip")
"""Headers that only a proxy writes, or somebody who wants to be taken for one."""


def is_loopback(host: str) -> bool:
    """Whether an address is this machine's own."""
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def _last_address(values: list[str]) -> str | None:
    """The address that the nearest proxy wrote: what stands before it may be the client's own invention.
    Some proxies write a port behind it, and one that listens on IPv6 may write IPv4 as a part of that."""
    if not values:
        return None
    word = values[-1].rpartition(",")[2].strip()
    if word.startswith("["):
        word = word[1:].partition("]")[0]
    elif word.count(":") == 1:
        word = word.partition(":")[0]
    try:
        address = ipaddress.ip_address(word)
    except ValueError:
        return None
    return str((address.version == 6 and address.ipv4_mapped) or address)
