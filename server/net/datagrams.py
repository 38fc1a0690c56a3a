"""One UDP socket, many peers.

The socket is drained whenever something came, and what came is sorted by address: to the peer that has a
session there, into its bounded queue if its reader is busy, or to the doorman. Nothing is allocated for an
address before the doorman says that it has proven itself; from then on it is a client like any other, with a
task of its own.

Why one task reads for all: a task per peer that waits for the socket would have to hand on what is not
its own. Why queues are bounded by datagrams and drop: a peer that sends faster than it is heard has to
send again anyway, and a queue that grows is a way to fill the memory. Why there is no task per peer for
deadlines is in `server.net.deadlines`. While a reader waits with an empty queue, its codec *glances* at
what comes from within this task, because most of it is acknowledgements, and to wake a task for these
costs more than they do.
"""

from __future__ import annotations

import contextlib
import logging
import socket
from collections import deque
from typing import TYPE_CHECKING, Final, Protocol

import attrs
import trio

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.family import Address, Codec, Doorman
    from server.net.transport import Glance

log = logging.getLogger("net")

DATAGRAMS_PER_WAKE: Final = 32
"""Then everybody else has a turn. Each may wake a task of its own, and all that are awake run before the
world task is looked at again: with 256, a turn after which 200 clients acknowledged began 5 ms late."""

MOST_DRAINED: Final = 16_384
"""After the server stood still: more than the buffer of a socket holds (who asks for 4 MiB gets twice that,
of which the smallest datagram takes 768 bytes), so that no flood keeps it for ever."""

LARGEST_DATAGRAM: Final = 2048
"""Bytes that are read of one; no game here sends more than a quarter of it."""


class Wire(Protocol):
    """A bound socket without a peer, or a network of the tests."""

    async def wait_readable(self) -> None:
        """Until something can be received."""

    def receive(self) -> tuple[bytes, Address] | None:
        """The next datagram and where it says it is from; None if there is none."""

    def send(self, data: bytes, address: Address) -> int:
        """Bytes sent; 0 if the system has no room."""

    def local(self, address: Address) -> str:
        """Host and port of ours to which that address sends."""


class SocketWire:
    """A bound, non-blocking UDP socket."""

    def __init__(self, sock: socket.socket) -> None:
        self._socket = sock
        self._failing = False
        self._buffer = memoryview(bytearray(LARGEST_DATAGRAM))

    async def wait_readable(self) -> None:
        """See Wire."""
        if self._failing:
            self._failing = False
            await trio.sleep(0.1)
        await trio.lowlevel.wait_readable(self._socket)

    def receive(self) -> tuple[bytes, Address] | None:
        """See Wire."""
        while True:
            try:
                size, address = self._socket.recvfrom_into(self._buffer)
                return bytes(self._buffer[:size]), address
            except BlockingIOError:
                return None
            except ConnectionError:
                continue  # an earlier datagram of ours found nobody: some systems tell that here
            except OSError as error:
                log.error("cannot receive: %s", error)
                self._failing = True
                return None

    def send(self, data: bytes, address: Address) -> int:
        """See Wire."""
        try:
            return self._socket.sendto(data, address)
        except OSError:
            return 0  # no room, or no way there: lost like anything else on the way

    def local(self, address: Address) -> str:
        """See Wire. A socket bound to all addresses does not tell to which of them something came: it is the
        one from which the system would answer."""
        host, port = self._socket.getsockname()[:2]
        if host in ("0.0.0.0", "::"):
            with contextlib.suppress(OSError), socket.socket(self._socket.family, socket.SOCK_DGRAM) as probe:
                probe.connect(address)
                host = probe.getsockname()[0]
        host = host.removeprefix("::ffff:")
        return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


@attrs.define
class Counters:
    """Counters of one socket."""

    received: int = 0
    sent: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    unknown: int = 0
    """Datagrams of addresses without a session, handshakes among them."""
    replies: int = 0
    """Answers to these."""
    refused: int = 0
    """Addresses that had proven themselves and were let in no further."""
    queue_full: int = 0
    """Datagrams of peers that sent faster than they are heard."""


class Peer:
    """One address with a session. Implements `server.net.transport.DatagramTransport`."""

    __slots__ = (
        "_arrived",
        "_awaited",
        "_closed",
        "_queue",
        "_socket",
        "address",
        "codec",
        "glance",
        "local",
        "peer",
        "replaced",
    )

    def __init__(self, socket_: DatagramSocket, address: Address) -> None:
        self.address = address
        self.peer = address[0].removeprefix("::ffff:")
        self.local = socket_.wire.local(address)
        self.replaced = False
        self.codec: Codec | None = None
        self.glance: Glance | None = None
        self._socket = socket_
        self._queue: deque[bytes] = deque()
        self._arrived = trio.Event()
        self._awaited = False
        """Whether the reader waits and has not been woken."""
        self._closed = False

    def put(self, datagram: bytes, most: int, now: float) -> bool:
        """Something came; False if the queue is full and it is dropped."""
        if self._awaited and self.glance is not None:
            if not self.glance(datagram, now):
                self._wake()
            return True
        if len(self._queue) >= most:
            return False
        self._queue.append(datagram)
        self._wake()
        return True

    def _wake(self) -> None:
        self._awaited = False
        self._arrived.set()

    def replace(self) -> None:
        """Somebody has begun anew at this address."""
        self.replaced = True
        self._wake()

    def receive_nowait(self) -> bytes | None:
        """See DatagramTransport."""
        return self._queue.popleft() if self._queue else None

    def send_nowait(self, data: bytes) -> int:
        """See DatagramTransport."""
        if self.replaced or self._closed:
            return 0
        sent = self._socket.wire.send(data, self.address)
        counters = self._socket.counters
        counters.sent += sent > 0
        counters.bytes_out += sent
        return sent

    async def wait_readable(self) -> None:
        """Wait for a datagram; see `DatagramTransport`. Raises trio.ClosedResourceError after `close`."""
        if self._closed:
            raise trio.ClosedResourceError
        if self._queue or self.replaced:
            await trio.lowlevel.checkpoint()
            return
        self._arrived = trio.Event()
        self._awaited = True
        try:
            await self._arrived.wait()
        finally:
            self._awaited = False

    def close(self) -> None:
        """See DatagramTransport."""
        if not self._closed:
            self._closed = True
            self._wake()
            self._queue.clear()
            self.codec = self.glance = None
            self._socket.forget(self)


class DatagramSocket:
    """The socket and its peers. `begin` starts a session for a peer whose codec is there; False if it is not
    let in."""

    def __init__(
        self,
        wire: Wire,
        doorman: Doorman,
        *,
        queue: int,
        begin: Callable[[Peer, Codec], bool],
    ) -> None:
        self.wire = wire
        self.doorman = doorman
        self.counters = Counters()
        self.peers: dict[Address, Peer] = {}
        self._queue = queue
        self._begin = begin

    async def run(self) -> None:
        """Sort what comes, for ever."""
        wire = self.wire
        while True:
            await wire.wait_readable()
            now = trio.current_time()
            for _ in range(DATAGRAMS_PER_WAKE):
                came = wire.receive()
                if came is None:
                    break
                self._sort(came[0], came[1], now, self._queue)

    def drain(self) -> None:
        """Take all that lies in the socket, without giving others a turn and whatever waits for a peer
        already: the server stood still, and peers are about to be judged by what came meanwhile."""
        now = trio.current_time()
        for _ in range(MOST_DRAINED):
            came = self.wire.receive()
            if came is None:
                break
            self._sort(came[0], came[1], now, MOST_DRAINED)

    def forget(self, peer: Peer) -> None:
        """A peer's session has ended."""
        if self.peers.get(peer.address) is peer:
            del self.peers[peer.address]

    def _sort(self, datagram: bytes, address: Address, now: float, most: int) -> None:
        counters = self.counters
        counters.received += 1
        counters.bytes_in += len(datagram)
        peer = self.peers.get(address)
        if peer is None or self.doorman.concerns(address, datagram):
            peer = self._meet(datagram, address, peer, now)
        if peer is not None and not peer.put(datagram, most, now):
            counters.queue_full += 1

    def _meet(self, datagram: bytes, address: Address, peer: Peer | None, now: float) -> Peer | None:
        """Let the doorman look at it; the peer that it is for, if any."""
        counters = self.counters
        counters.unknown += peer is None
        knock = self.doorman.knock(address, datagram, now, peer.codec if peer is not None else None)
        if knock is None:
            return peer
        if knock.reply:
            counters.replies += 1
            counters.bytes_out += self.wire.send(knock.reply, address)
        if knock.codec is None:
            return None
        if peer is not None:
            peer.replace()
        newcomer = Peer(self, address)
        newcomer.codec = knock.codec
        self.peers[address] = newcomer
        if not self._begin(newcomer, knock.codec):
            counters.refused += 1
            newcomer.close()
            return None
        return newcomer
