"""The game in the browser: a WebSocket at /play, and behind it a client like those of all other games."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import trio
from starlette.routing import WebSocketRoute
from trio.lowlevel import ParkingLot

from server.web.signup import COOKIE
from server.web.site import LINK
from server.web.sockets import (
    FAREWELL_SECONDS,
    GOING_AWAY,
    NORMAL,
    PARTINGS,
    TRY_LATER,
    UNSUPPORTED,
    admitted,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.routing import BaseRoute
    from starlette.websockets import WebSocket

    from server.web.site import Caller, Site, Wire

log = logging.getLogger("net.web")

PATH: Final = "/play"
MOST_RECEIVED: Final = 64 * 1024
"""Bytes of a client that may wait to be read; then nothing more is taken from its connection."""
KEY_SIZE: Final = 32
"""Bytes of a ticket's key."""


class WebSocketTransport:
    """Implements `server.net.transport.Transport` over a WebSocket.

    Each text message of the browser is one or more lines. What is sent is said at once on the connection
    (`Wire.say`). Where that cannot be it goes into a place for one message, from which `transmit` takes it.
    While that is occupied, or something of the last message has to wait for the browser, nothing is taken, so
    that the connection behind it keeps, and sheds, what waits. It is taken whole or not at all: lines stay
    whole.
    """

    def __init__(
        self,
        websocket: WebSocket,
        wire: Wire,
        *,
        peer: str,
        local: str,
        counted: Callable[[], None] = lambda: None,
        first: bytes = b"",
    ) -> None:
        """`first` stands before all that the client says. `counted` is called for each message that does not
        pass the application."""
        self.peer = peer
        self.local = local
        self.code = NORMAL
        """What the WebSocket is to be closed with."""
        self.spoken = False
        """Whether anything was ever sent."""
        self._websocket = websocket
        self._wire = wire
        self._counted = counted
        self._received = bytearray(first)
        self._sending: bytes | None = None
        """What `transmit` is to send; empty: the rest of what was said."""
        self._gone = False
        """Whether the client will say nothing more, or cannot be told anything."""
        self._closed = False
        # Each is woken by what it waits for alone: what happens here happens to every player, often.
        self._reading = ParkingLot()
        self._writing = ParkingLot()
        self._receiving = ParkingLot()
        self._transmitting = ParkingLot()

    def recv_nowait_into(self, buffer: bytearray) -> int | None:
        """See Transport."""
        if not self._received:
            return 0 if self._gone else None
        size = min(len(buffer), len(self._received))
        buffer[:size] = self._received[:size]
        del self._received[:size]
        self._receiving.unpark_all()
        return size

    def send_nowait(self, data: bytes | memoryview) -> int:
        """Queue one message; see `Transport`. Raises BrokenPipeError after the peer has gone, and after
        `close`."""
        if self._gone or self._closed:
            raise BrokenPipeError("closed by the client")
        if self._sending is not None:
            return 0
        self.spoken = True
        text = bytes(data)
        if self._wire.say(text):
            self._counted()
            if self._wire.said:
                return len(data)
            text = b""
        self._sending = text
        self._transmitting.unpark_all()
        return len(data)

    async def wait_readable(self) -> None:
        """Wait for a message; see `Transport`. Raises trio.ClosedResourceError after `close`."""
        if self._received or self._gone:
            await trio.lowlevel.checkpoint()
        while not (self._received or self._gone):
            if self._closed:
                raise trio.ClosedResourceError
            await self._reading.park()

    async def wait_writable(self) -> None:
        """Wait until more can be sent; see `Transport`. Raises trio.ClosedResourceError after `close`."""
        await trio.lowlevel.checkpoint()
        while self._sending is not None and not self._gone:
            if self._closed:
                raise trio.ClosedResourceError
            await self._writing.park()

    def close(self) -> None:
        """See Transport. What was sent still goes out."""
        self._closed = True
        self._wake_all()

    async def receive(self) -> None:
        """The reader task: until the client has gone."""
        try:
            while True:
                while len(self._received) >= MOST_RECEIVED:
                    await self._receiving.park()
                message = await self._websocket.receive()
                if message["type"] != "websocket.receive":
                    return
                text = message.get("text")
                if text is None:
                    log.info("%s sent bytes where text is spoken", self.peer)
                    self.code = UNSUPPORTED
                    return
                self._received += text.encode(errors="replace")
                if not text.endswith("\n"):
                    self._received += b"\n"
                self._reading.unpark_all()
        finally:
            self._gone = True
            self._wake_all()

    async def transmit(self) -> None:
        """The writer task: until it is closed, and what was sent before is out."""
        try:
            while True:
                while self._sending is None:
                    if self._closed:
                        return
                    await self._transmitting.park()
                if self._sending:
                    await self._websocket.send_text(self._sending.decode())
                else:
                    await self._wire.finish()
                self._sending = None
                self._writing.unpark_all()
        except PARTINGS:
            self._gone = True
            self._wake_all()

    def _wake_all(self) -> None:
        for waiting in (self._reading, self._writing, self._receiving, self._transmitting):
            waiting.unpark_all()


def routes(site: Site) -> list[BaseRoute]:
    """The WebSocket."""

    async def play(websocket: WebSocket, caller: Caller) -> None:
        with site.playing():
            await _serve(site, websocket, caller)

    return [WebSocketRoute(PATH, admitted(site, play))]


async def _serve(site: Site, websocket: WebSocket, caller: Caller) -> None:
    await websocket.accept()
    messages = site.app.counts.web_messages

    def count() -> None:
        messages[PATH] += 1

    key = await _ticket(site, websocket, caller)
    transport = WebSocketTransport(
        websocket,
        LINK.get(),
        peer=caller.address,
        local=caller.local,
        counted=count,
        first=site.page.ticket(key) + b"\n" if key else b"",
    )
    async with trio.open_nursery() as nursery:
        reading = trio.CancelScope()

        async def read() -> None:
            with reading:
                await transport.receive()

        nursery.start_soon(read)
        nursery.start_soon(transport.transmit)
        listening = site.listening
        try:
            await site.app.gateway.serve(
                listening.family, listening.door_name, transport, listening, forwarded=caller.remote
            )
        finally:
            # One that was not let in has not used it. With a cookie any number could be had: they would
            # crowd out the tickets of the other games.
            site.app.tickets.withdraw(key)
        # A client that takes nothing would never take these either.
        LINK.get().end_by(trio.current_time() + FAREWELL_SECONDS)
        reading.cancel()
    code = transport.code
    if not transport.spoken:
        code = TRY_LATER  # there were too many
    elif code == NORMAL and site.app.closed:
        code = GOING_AWAY
    try:
        await websocket.close(code)
    except PARTINGS:
        return


async def _ticket(site: Site, websocket: WebSocket, caller: Caller) -> bytes:
    """The key of a ticket, if its browser has logged in; else nothing."""
    account = await site.cookies.prove(websocket.cookies.get(COOKIE), trio.current_time())
    if account is None:
        return b""
    session = site.stand_in(caller)
    session.account = account
    # As with Conquer Online the client knows no name and no password any more: the key is its proof.
    key = site.app.tickets.issue(session, "", {}, name="", size=KEY_SIZE)
    await site.app.vouch(session, key)
    return key
