"""The world's end of its edges: where they connect, and their clients as connections of this process.

A client of an edge is served like any other (`server.net.gateway`): the same connection, with the same
limits, runs over a transport that holds frames in place of bytes, and a twin in place of its codec. Only what
comes in and where it goes is different; that is all in here.
"""

from __future__ import annotations

import ipaddress
import logging
from typing import TYPE_CHECKING, Any, Final

import trio

from protocol.endings import Ending
from protocol.wire.args import CodecArgs, Role
from server.edge.line import Line, LineLost
from server.edge.remote import RemoteConnection
from server.edge.twin import Again, Drawn, Twin, as_codec
from server.edge.words import Word

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping, Sequence

    from protocol.family import Family
    from protocol.listener import Listener
    from protocol.services import AccountInfo
    from protocol.session import Phase, Session
    from protocol.wire.body import Body
    from server.edge.words import Words
    from server.net.gateway import Gateway

log = logging.getLogger("edge")

TAKEN_EVERY: Final = 16
"""Frames after which the edge is told that they were taken, if nobody waits for that before."""

MOST_FRAMES: Final = 1024
"""Frames of a client that may wait here. An edge stops reading far below that."""

SETTLE_SECONDS: Final = 1.0

_ENDINGS: Final = {ending.value: ending for ending in Ending}


class Remote:
    """A client at an edge. Implements `server.net.transport.Transport` and `server.edge.twin.Mouth`."""

    def __init__(self, link: EdgeLink, client: int, peer: str, local: str) -> None:
        self.peer = peer
        self.local = local
        self.session: Session | None = None
        self.twin: Twin | None = None
        self._link = link
        self._client = client
        self._came = trio.Event()
        self._told = -1
        """Frames that the edge knows to be taken; -1 before it knows that anybody listens."""
        self._told_state: tuple[Phase, Ending, AccountInfo | None] | None = None
        self._gone = False
        self._closed = False

    def begun(self, session: Session) -> None:
        """Its session is there."""
        self.session = session

    # What comes

    def frame(self, frame: bytes) -> None:
        """A frame came."""
        if self.twin is not None and not self._gone:
            if len(self.twin.frames) >= MOST_FRAMES:
                self.end(Ending.OUR_BUG, "its edge sends what nobody takes")
                return
            self.twin.frames.append(frame)
            self._came.set()

    def hung_up(self) -> None:
        """The client has gone."""
        self._gone = True
        self._came.set()

    def end(self, ending: Ending, detail: str) -> None:
        """Its connection ended at the edge."""
        if self.session is not None:
            self.session.link.end(ending, detail)
        self.hung_up()

    # The transport

    def recv_nowait_into(self, buffer: bytearray) -> int | None:
        """As many bytes as frames wait, which are not in the buffer; 0 at the end."""
        if self.twin is not None and self.twin.frames:
            return sum(map(len, self.twin.frames))
        return 0 if self._gone else None

    def send_nowait(self, data: bytes | memoryview) -> int:
        """Never asked: a twin has nothing for a wire."""
        raise NotImplementedError

    async def wait_readable(self) -> None:
        """Until a frame has come, or the client has gone."""
        twin = self.twin
        if twin is None or twin.frames or self._gone:
            await trio.lowlevel.checkpoint()
            return
        # Whoever waits here has handled all that came.
        self.tell_taken()
        self._came = trio.Event()
        await self._came.wait()

    async def wait_writable(self) -> None:
        """At once."""
        await trio.lowlevel.checkpoint()

    def close(self) -> None:
        """The session is over: so is the connection at the edge."""
        if self._closed:
            return
        self._closed = True
        self.hung_up()
        self._link.forget(self._client)

    # What is said

    def tell_taken(self) -> None:
        """Say which frames were taken, if the edge may wait to hear that."""
        twin = self.twin
        if twin is None:
            return
        if self._told < 0 or twin.taken - self._told >= TAKEN_EVERY or self._awaited():
            self._told = twin.taken
            self.tell_state()
            self._link.say(Word.TAKEN, self._client, twin.taken)

    def _awaited(self) -> bool:
        """Whether the edge hands out nothing more until it hears of the last frame."""
        session = self.session
        return (
            session is not None and self._told != (self.twin.taken if self.twin else 0) and not session.inbox
        )

    def tell_state(self) -> None:
        """Say how far the client is, if that has changed."""
        session = self.session
        if session is None:
            return
        state = session.phase, session.hang_up_means, session.account
        if state != self._told_state:
            self._told_state = state
            account = session.account.name if session.account is not None else ""
            self._link.say(
                Word.STATE, self._client, int(session.phase), session.hang_up_means.value, account
            )

    def control(self, method: str, args: Sequence[object], drawn: Sequence[bytes]) -> None:
        """See Mouth."""
        self._link.say(Word.CONTROL, self._client, method, args, drawn)

    def send(self, bodies: Sequence[Body]) -> None:
        """See Mouth."""
        self.tell_state()
        self._link.line.out.send(self._client, bodies)
        self._link.line.wake()


class EdgeLink:
    """One edge, and its clients here."""

    def __init__(self, line: Line, port: EdgePort, clients: trio.Nursery) -> None:
        self.line = line
        self.name = ""
        self.ports: dict[tuple[str, str], int] = {}
        self._port = port
        self._nursery = clients
        self._clients: dict[int, Remote] = {}
        self.seconds = 0.0
        """That it took for what it was told last."""

    def __len__(self) -> int:
        return len(self._clients)

    def say(self, word: Word, *more: object) -> None:
        """Say something to the edge."""
        self.line.out.say(int(word), *more)
        self.line.wake()

    def forget(self, client: int) -> None:
        """A client's session is over."""
        self._clients.pop(client, None)

    def lost(self) -> None:
        """The edge has gone, and all its clients with it."""
        for remote in list(self._clients.values()):
            remote.end(Ending.CONNECTION_LOST, f"the edge {self.name} is gone")

    def take(self, words: Words) -> None:
        """What the edge says. Raises LineLost for what it cannot have meant."""
        try:
            for word, client, *more in words:
                match word:
                    case Word.FRAME:
                        if (remote := self._clients.get(client)) is not None:
                            remote.frame(more[0])
                    case Word.DONE:
                        self.seconds = more[0] * 1e-6
                        self._port.done()
                    case Word.OPEN:
                        self._open(client, *more)
                    case _ if (remote := self._clients.get(client)) is not None:
                        self._other(remote, word, more)
        except (TypeError, ValueError, KeyError, IndexError) as error:
            raise LineLost(f"it says what makes no sense: {error!r}") from error

    def _other(self, remote: Remote, word: int, more: Sequence[Any]) -> None:
        session = remote.session
        match word:
            case Word.LEARNT if remote.twin is not None:
                remote.twin.learn(more[0])
            case Word.HEARD if session is not None:
                session.last_heard = trio.current_time()
            case Word.STALE if session is not None:
                self._port.refresh(session)
            case Word.GONE:
                remote.end(_ENDINGS[more[0]], str(more[1]))

    def _open(
        self,
        client: int,
        game: str,
        door_name: str,
        table: str,
        peer: str,
        local: str,
        forwarded: bool,
        born: Sequence[bytes],
        learnt: Sequence[Any],
    ) -> None:
        family = self._port.families.get(game)
        if family is None or door_name not in family.doors:
            self.say(Word.END, client, Ending.REFUSED.value, f"this world has no door for {game} {door_name}")
            return
        listener = self._port.listeners().get(table)
        settings = listener.codec_settings() if listener is not None else {}
        again = Again(self._port.entropy)
        again.like(born)
        drawn = Drawn(again)
        model = family.doors[door_name].codec(CodecArgs(Role.SERVER, drawn, settings))
        remote = Remote(self, client, peer, local)
        remote.twin = Twin(model, drawn, remote)
        remote.twin.learn(learnt)
        self._clients[client] = remote
        self._nursery.start_soon(self._serve, client, remote, family, door_name, table, forwarded)

    async def _serve(
        self, client: int, remote: Remote, family: Family, door_name: str, table: str, forwarded: bool
    ) -> None:
        assert remote.twin is not None
        ending, detail = await self._port.gateway.serve_remote(
            family,
            door_name,
            remote,
            as_codec(remote.twin),
            table=table,
            forwarded=forwarded,
            ports=self.ports,
            begun=remote.begun,
            kind=RemoteConnection,
        )
        remote.tell_state()
        self.say(Word.END, client, ending.value, detail)


class EdgePort:
    """Where edges connect."""

    def __init__(
        self,
        gateway: Gateway,
        families: Mapping[str, Family],
        *,
        listeners: Callable[[], Mapping[str, Listener]],
        refresh: Callable[[Session], None],
        took: Callable[[float], None],
        entropy: Callable[[int], bytes],
        secret: str,
        name: str,
    ) -> None:
        """`took` hears how many seconds the slowest edge took for a turn. `secret` is what edges have to know; without one only those of this machine are heard."""
        self.gateway = gateway
        self.families = families
        self.listeners = listeners
        self.refresh = refresh
        self._took = took
        self.entropy = entropy
        self.links: list[EdgeLink] = []
        self._secret = secret
        self._name = name

    def done(self) -> None:
        """An edge has sent what it was told."""
        self._took(max((link.seconds for link in self.links), default=0.0))

    async def serve(self, stream: trio.abc.Stream, clients: trio.Nursery) -> None:
        """One edge, until it is gone."""
        line = Line(stream)
        link = EdgeLink(line, self, clients)
        try:
            hello = await line.greet(self._secret, self._name)
            link.name = str(hello[0])
            link.ports.update({(str(table), str(door)): int(port) for table, door, port in hello[1]})  # type: ignore[attr-defined, union-attr, misc]
            log.info("the edge %s has come", link.name)
            self.links.append(link)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(line.send)
                async for _, words in line.batches():
                    link.take(words)
                nursery.cancel_scope.cancel()
            log.info("the edge %s has gone", link.name)
        except* (LineLost, ValueError, TypeError, IndexError) as group:
            log.error("an edge was lost (%s): %s", link.name or "before its hello", _reason(group))
        finally:
            if link in self.links:
                self.links.remove(link)
                self.done()
            link.lost()
            await line.close()

    async def accept(self, bound: socket.socket, clients: trio.Nursery) -> None:
        """Serve edges for ever."""

        async def serve(stream: trio.SocketStream) -> None:
            peer = stream.socket.getpeername()[0]
            if not (self._secret or ipaddress.ip_address(peer).is_loopback):
                log.error(
                    "an edge at %s is refused: edge.secret is not set, so only this machine's are heard", peer
                )
                await trio.aclose_forcefully(stream)
                return
            stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
            await self.serve(stream, clients)

        listener = trio.SocketListener(trio.socket.from_stdlib_socket(bound))
        await trio.serve_listeners(serve, [listener], handler_nursery=clients)

    async def settle(self) -> None:
        """Until everything that was said is on its way, for a moment at most."""
        with trio.move_on_after(SETTLE_SECONDS):
            for link in list(self.links):
                await link.line.settle()

    def statistics(self) -> Sequence[str]:
        """A line for `causeway status` for each edge."""
        return [f"edge {link.name}: {len(link)} clients" for link in self.links]


def _reason(group: BaseExceptionGroup[BaseException]) -> str:
    errors: list[str] = []
    for error in group.exceptions:
        errors.append(_reason(error) if isinstance(error, BaseExceptionGroup) else str(error) or repr(error))
    return "; ".join(errors)
