"""Lineage II's bridge over TCP: the login server listens, game servers connect and come back.

Each connection (`BridgeLine`) has one reader and one writer. What waits to be sent is bounded, everything a
peer may take its time for has a limit, and each connection ends with one Ending and one line in the log.

The two ends are not alike. The login server (`BridgeDoor`) hears strangers, so all its limits are against
them: they have seconds to prove themselves and small frames until then, there are few of them at a time, and
a recording of another connection proves nothing. A game server (`BridgeDialer`) chose whom it talks to; it
has to come back by itself whenever the line is gone, and meanwhile those who play go on playing.

A peer whose machine lost its power closes nothing. Ours promise to say something every ten seconds, in a
number of ServerStatus that L2J has not; L2J's may be silent for hours, so that only the system's keep-alive
finds out about them. There are no acknowledgements and nothing is sent again on the next connection: both
ends tell all they know when they meet.
"""

from __future__ import annotations

import logging
import socket
from collections import Counter, deque
from typing import TYPE_CHECKING, Final

import trio

from protocol.endings import Ending, WireError
from protocol.l2.bridge.codec import BridgeCodec, BridgeKeys
from protocol.l2.bridge.game_server import SPEAKS_AGAIN
from protocol.l2.bridge.login_server import GamePeer, LoginServer
from protocol.l2.bridge.packets import BridgeRefused, FailReason, LoginServerFail
from protocol.wire.args import Role

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from protocol.address import Address
    from protocol.l2.bridge.game_server import Identity
    from protocol.l2.bridge.game_side import GameSide
    from protocol.l2.bridge.packets import BridgeMessage

log = logging.getLogger("net.l2.bridge")

RECONNECT_SECONDS: Final = 5.0
"""Between two tries of a game server, as L2J has it."""

CONNECT_SECONDS: Final = 5.0

PROVE_SECONDS: Final = 5.0
"""From the first byte of a connection to the end of AuthRequest, or of its answer."""

SILENCE_SECONDS: Final = 30.0
"""After which a game server has gone that promised to say something every ten; and what the system is asked
to take for the end of a line whose other end says nothing to anything."""

STATUS_SECONDS: Final = float(SPEAKS_AGAIN)

TELL_SECONDS: Final = 1.0
"""How often a game server looks who is there."""

ACCEPT_AGAIN_SECONDS: Final = 0.1
"""After a failure to accept somebody."""

WRITE_SECONDS: Final = 10.0
"""In which a peer has to take something."""

MOST_QUEUED: Final = 8192
"""Messages that wait to be sent to one peer."""

STRANGERS: Final = 16
"""Connections to the login server that have not proven themselves; one more ends the oldest of the address
that has most of them."""

MOST_REMEMBERED: Final = 65_536
"""Keys of game servers that proved themselves: more than one that lost its line every five seconds for three
days would use up."""

WRONG_SECRET_SECONDS: Final = 1.0
"""Before somebody is told that the secret is wrong: nobody tries many."""

CHUNK: Final = 65536


class BridgeLine:
    """One connection at either end. `take` gets each message; it may raise WireError."""

    def __init__(
        self,
        stream: trio.abc.Stream,
        codec: BridgeCodec,
        peer: str,
        take: Callable[[BridgeMessage], None],
        *,
        silence: float = float("inf"),
    ) -> None:
        self.codec = codec
        self.peer = peer
        self.ending: Ending | None = None
        self.detail = ""
        self.proven = trio.Event()
        """Set when both ends know each other."""
        self.agreed = trio.Event()
        """Set when both ends have the key."""
        self._stream = stream
        self._take = take
        self.silence = silence
        """Seconds after which the other end is taken for gone."""
        self._queue: deque[BridgeMessage] = deque()
        self._wake = trio.Event()
        self._scope = trio.CancelScope()

    def send(self, message: BridgeMessage) -> None:
        """Queue a message. A peer that takes too few of them is cut."""
        if len(self._queue) >= MOST_QUEUED:
            self.end(Ending.TOO_SLOW, f"{MOST_QUEUED} messages wait")
            return
        self._queue.append(message)
        self._wake.set()

    def end(self, ending: Ending, detail: str) -> None:
        """End it; the first ending counts."""
        if self.ending is None:
            self.ending, self.detail = ending, detail
            self._scope.cancel()

    async def run(self) -> None:
        """Read and write until it ends. Raises nothing but what cancels it."""
        try:
            with self._scope:
                try:
                    async with trio.open_nursery() as nursery:
                        nursery.start_soon(self._write)
                        nursery.start_soon(self._hurry)
                        await self._read()
                        nursery.cancel_scope.cancel()
                except* Exception as group:
                    if self.ending is None:
                        log.error("the bridge to %s failed", self.peer, exc_info=group)
                        self.end(Ending.OUR_BUG, "bridge")
        finally:
            self.end(Ending.SHUTDOWN, "")
            with trio.CancelScope(shield=True):
                await trio.aclose_forcefully(self._stream)
            detail = f", {self.detail}" if self.detail else ""
            ending = self.ending.value if self.ending is not None else "?"
            log.info("the bridge to %s ended: %s%s", self.peer, ending, detail)

    async def _hurry(self) -> None:
        with trio.move_on_after(PROVE_SECONDS):
            await self.proven.wait()
            return
        self.end(Ending.TIMED_OUT, f"did not prove itself in {PROVE_SECONDS:.0f} s")

    async def _read(self) -> None:
        try:
            while True:
                data: bytes | bytearray = b""
                # Whoever has nothing to say may be silent, but not in the middle of a word.
                seconds = min(self.silence, SILENCE_SECONDS) if self.codec.pending else self.silence
                with trio.move_on_after(seconds) as patience:
                    data = await self._stream.receive_some(CHUNK)
                if patience.cancelled_caught:
                    self.end(Ending.TIMED_OUT, f"silent for {seconds:.0f} s")
                    return
                if not data:
                    self.end(Ending.CONNECTION_LOST, "closed by the other end")
                    return
                self.codec.receive(bytes(data))
                while (message := self.codec.next_message()) is not None:
                    self._take(message)
                if self.codec.ready:
                    self.agreed.set()
                    self._wake.set()
        except BridgeRefused as refusal:
            await self._refuse(refusal)
        except WireError as error:
            self.end(error.ending, str(error))
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            self.end(Ending.CONNECTION_LOST, str(error.__cause__ or error))

    async def _refuse(self, refusal: BridgeRefused) -> None:
        """Send it away, with a word that says why if this end is the one that does."""
        log.warning("the bridge to %s: %s", self.peer, refusal)
        if self.codec.is_server:
            if refusal.reason == FailReason.WRONG_SECRET:
                await trio.sleep(WRONG_SECRET_SECONDS)
            self.codec.send([LoginServerFail(refusal.reason)])
            with trio.move_on_after(1):
                await self._stream.send_all(self.codec.outgoing())
        self.end(Ending.REFUSED, str(refusal))

    async def _write(self) -> None:
        try:
            while True:
                self._wake = trio.Event()
                if self.codec.ready:
                    self.codec.send(self._queue)
                    self._queue.clear()
                data = self.codec.outgoing()
                if not data:
                    await self._wake.wait()
                    continue
                with trio.move_on_after(WRITE_SECONDS) as patience:
                    await self._stream.send_all(data)
                if patience.cancelled_caught:
                    self.end(Ending.TOO_SLOW, "takes nothing")
                    return
        except (trio.BrokenResourceError, trio.ClosedResourceError) as error:
            self.end(Ending.CONNECTION_LOST, str(error.__cause__ or error))


class BridgeDoor:
    """The login server's end: hears game servers."""

    def __init__(
        self, login_server: LoginServer, *, clock: Callable[[], float], entropy: Callable[[int], bytes]
    ) -> None:
        self._login_server = login_server
        self._clock = clock
        self._entropy = entropy
        self._keys = BridgeKeys(entropy)
        self._strangers: dict[BridgeLine, None] = {}
        """Those that have not proven themselves, oldest first."""
        self._used: dict[bytes, None] = {}
        """The fingerprints of the keys of all that have, as `BridgeCodec` makes them, oldest first."""

    async def serve(self, listeners: list[trio.SocketListener]) -> None:
        """Accept game servers for ever. Where files run out newcomers wait; any other failure to accept
        concerns that newcomer alone."""
        async with trio.open_nursery() as nursery:
            for listener in listeners:
                nursery.start_soon(self._accept, listener, nursery)

    async def _accept(self, listener: trio.SocketListener, lines: trio.Nursery) -> None:
        failing = False
        async with listener:
            while True:
                try:
                    stream = await listener.accept()
                except OSError as error:
                    level = logging.DEBUG if failing else logging.ERROR
                    log.log(level, "no game server can be accepted: %s", error)
                    failing = True
                    await trio.sleep(ACCEPT_AGAIN_SECONDS)
                else:
                    failing = False
                    lines.start_soon(self.answer_socket, stream)

    async def answer_socket(self, stream: trio.SocketStream) -> None:
        """One connection of a socket."""
        try:
            address = str(stream.socket.getpeername()[0]).removeprefix("::ffff:")
            _keep_alive(stream)
        except OSError:
            await trio.aclose_forcefully(stream)
            return
        await self.answer(stream, address)

    async def answer(self, stream: trio.abc.Stream, address: str) -> None:
        """One connection, whoever that is."""
        codec = BridgeCodec(Role.SERVER, keys=self._keys, entropy=self._entropy)

        def take(message: BridgeMessage) -> None:
            if not line.proven.is_set() and codec.fingerprint in self._used:
                raise WireError("the recording of another connection")
            self._login_server.received(peer, message, self._clock())
            if peer.server is not None and not line.proven.is_set():
                self._remember(codec.fingerprint)
                codec.trust()
                line.proven.set()
                self._strangers.pop(line, None)
            if peer.server is not None and peer.server.speaks_again == 0:
                # L2J's servers have nothing to say while nobody comes or goes.
                line.silence = float("inf")

        line = BridgeLine(stream, codec, address, take, silence=SILENCE_SECONDS)
        peer = GamePeer(address, line.send)
        self._strangers[line] = None
        if len(self._strangers) > STRANGERS:
            self._one_too_many().end(Ending.TIMED_OUT, "too many have not proven themselves")
        try:
            await line.run()
        finally:
            self._strangers.pop(line, None)
            self._login_server.gone(peer)

    def _one_too_many(self) -> BridgeLine:
        """The oldest stranger of the address with most of them: a crowd from elsewhere keeps no game server
        out whose line is long."""
        ((crowded, _),) = Counter(line.peer for line in self._strangers).most_common(1)
        return next(line for line in self._strangers if line.peer == crowded)

    def _remember(self, fingerprint: bytes) -> None:
        if len(self._used) >= MOST_REMEMBERED:
            del self._used[next(iter(self._used))]
        self._used[fingerprint] = None


class BridgeDialer:
    """A game server's end: connects, and again when the connection is gone. `me` says what to tell of this
    server; it is asked each time."""

    def __init__(
        self,
        side: GameSide,
        address: Address,
        me: Callable[[], Awaitable[Identity]],
        *,
        entropy: Callable[[int], bytes],
    ) -> None:
        self._side = side
        self._address = address
        self._me = me
        self._entropy = entropy
        self._questions = trio.Event()
        self._silent = False
        """Whether the log knows that the login server does not answer."""

    def asked(self) -> None:
        """The login server wants to know something."""
        self._questions.set()

    async def run(self) -> None:
        """For ever."""
        while True:
            try:
                with trio.fail_after(CONNECT_SECONDS):
                    stream = await trio.open_tcp_stream(self._address.host, self._address.port)
            except (OSError, trio.TooSlowError) as error:
                level = logging.DEBUG if self._silent else logging.ERROR
                log.log(level, "no login server answers at %s: %s", self._address, error or "too slow")
                self._silent = True
            else:
                self._silent = False
                try:
                    _keep_alive(stream)
                    await self.converse(stream, str(self._address))
                except Exception:
                    # Whatever is wrong with the bridge, those who play go on playing.
                    log.exception("the bridge to %s failed", self._address)
            await trio.sleep(RECONNECT_SECONDS)

    async def converse(self, stream: trio.abc.Stream, peer: str) -> None:
        """One connection, until it ends."""
        game_server = self._side.game_server

        def take(message: BridgeMessage) -> None:
            game_server.received(message)
            if game_server.connected and not line.proven.is_set():
                codec.trust()
                line.proven.set()

        codec = BridgeCodec(Role.CLIENT, entropy=self._entropy)
        line = BridgeLine(stream, codec, peer, take)
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._introduce, line)
                nursery.start_soon(self._keep_telling)
                nursery.start_soon(self._keep_answering)
                await line.run()
                nursery.cancel_scope.cancel()
        finally:
            game_server.gone()

    async def _introduce(self, line: BridgeLine) -> None:
        await line.agreed.wait()
        try:
            self._side.refresh()
            self._side.game_server.connect(await self._me(), line.send)
        except OSError as error:
            line.end(Ending.REFUSED, f"this server does not know its own address: {error}")

    async def _keep_telling(self) -> None:
        status_at = trio.current_time() + STATUS_SECONDS
        while True:
            await trio.sleep(TELL_SECONDS)
            self._side.refresh()
            if trio.current_time() >= status_at:
                status_at = trio.current_time() + STATUS_SECONDS
                self._side.game_server.tell_status()

    async def _keep_answering(self) -> None:
        while True:
            await self._questions.wait()
            self._questions = trio.Event()
            try:
                await self._side.answer()
            except Exception as error:
                # The login server shows its list without our number of characters.
                log.error("characters cannot be counted: %s", error)


def _keep_alive(stream: trio.SocketStream) -> None:
    """Have the system notice a peer without power, within `SILENCE_SECONDS` or so."""
    stream.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for name, value in (("TCP_KEEPIDLE", 15), ("TCP_KEEPINTVL", 5), ("TCP_KEEPCNT", 3)):
        if hasattr(socket, name):
            stream.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)
    if hasattr(socket, "TCP_USER_TIMEOUT"):
        stream.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 30_000)
