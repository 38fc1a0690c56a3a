"""The world's end of its edges: where they connect, and their clients as connections of this process.

A client of an edge is served like any other (`server.net.gateway`): the same connection, with the same
limits, runs over a transport that holds frames in place of bytes, and a twin in place of its codec. Only what
comes in and where it goes is different; that is all in here and in `server.edge.remote`.
"""

from __future__ import annotations

import ipaddress
import logging
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol, cast

import trio

from protocol.endings import Ending
from protocol.services import AccountInfo
from protocol.session import NEVER_DONE
from protocol.wire.args import CodecArgs, Role
from server.edge.batches import FROM_EDGE, Unreadable
from server.edge.display import Display
from server.edge.line import LATE, Line, LineLost, reason
from server.edge.remote import EdgeMulticast, Remote, RemoteConnection
from server.edge.twin import Again, Drawn, Twin, as_codec
from server.edge.words import (
    Adopt,
    Adopted,
    Changed,
    Done,
    End,
    Frame,
    Given,
    Gone,
    Heard,
    Held,
    Hello,
    Learnt,
    Moved,
    Open,
    Proof,
    Realms,
    Rest,
    Ring,
    Rung,
    Stale,
    TakeUp,
    Unwatch,
    Vouch,
    Watch,
)

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from protocol.family import Family
    from protocol.listener import Listener
    from protocol.session import Session
    from server.counters import Counts
    from server.edge.words import EdgeWord, Word
    from server.net.connection import Connection
    from server.net.gateway import Gateway
    from server.web.livemap import LiveMap
    from server.web.turnout import Counting
    from world.world import World

log = logging.getLogger("edge")

LEAST_REST: Final = 0.001
"""Seconds that an edge is told of."""

PATIENCE: Final = 0.01
"""Seconds for which a turn waits for what edges have to say. One answers within a millisecond, unless it is
still sending what the last turn said, or is far away."""

MOST_DISTRUST: Final = 1.0
"""Seconds until an edge is waited for again that was in vain each time."""

SETTLE_SECONDS: Final = 1.0
"""For the last words to edges when the server stops."""


class Border(Protocol):
    """The border over which players come (`server.edge.crossings`)."""

    async def welcome(self, edge: EdgeLink, word: Adopt) -> None:
        """Take a player in whom another world let go, and say whether it is here."""

    async def go_on(self, edge: EdgeLink, word: TakeUp) -> None:
        """Go on with a player whose world is gone, and say whether it is here."""

    def given(self) -> None:
        """Another world may have given this one a realm."""

    def cut_off(self, session: Session) -> None:
        """A session's edge is gone: it may come back, and its client with it."""

    async def part(self, realm: str = "", then: Callable[[World], None] = ...) -> bool:
        """Let all players go whom an edge can keep until another process goes on. False if that cannot be:
        what they are by now is not written."""


class EdgeLink:
    """One edge, and its clients here."""

    def __init__(self, line: Line[EdgeWord], port: EdgePort, clients: trio.Nursery) -> None:
        self.line = line
        self.name = ""
        self.ports: dict[tuple[str, str], int] = {}
        """Of its doors, by table and door."""
        self.seconds = 0.0
        """That it took for what it was told since the last turn began."""
        self.rests = NEVER_DONE
        """Until when it was told that nothing is taken in."""
        self._rung: trio.Event | None = None
        """While it is rung: set when it has said what it has."""
        self._trusted, self._distrust = NEVER_DONE, 0.0
        """When it is to be waited for again, and seconds for which it was not."""
        self._port = port
        self._nursery = clients
        self._clients: dict[int, Remote] = {}
        self._multicasts: dict[str, EdgeMulticast] = {}
        self._lost = False
        self._display: Display | None = None
        """What its page is shown; None before it asks."""

    def __len__(self) -> int:
        return len(self._clients)

    def say(self, word: Word) -> None:
        """Say something to the edge."""
        self.line.say(word)

    def forget(self, client: int, remote: Remote) -> None:
        """A client's session is over."""
        if self._clients.get(client) is remote:
            del self._clients[client]

    def multicast(self, game: str, counts: Counts) -> EdgeMulticast:
        """The way to all its clients of a game who are told the same."""
        multicast = self._multicasts.get(game)
        if multicast is None:
            multicast = self._multicasts[game] = EdgeMulticast(self.line, game, counts)
        return multicast

    def greeted(self, hello: Hello) -> None:
        """The edge has said who it is."""
        self.name = hello.name
        self.ports = {(table, door): port for table, door, port in hello.ports}

    def ring(self, now: float) -> trio.Event | None:
        """Ask for what it has by now, if it holds that back; what is set when it has said so."""
        if now >= self.rests + LATE or self._rung is not None or now < self._trusted:
            return None
        self.rests, self._rung = NEVER_DONE, trio.Event()
        self.line.put(Ring())
        self.line.push(final=False)
        return self._rung

    def waited_for(self, now: float) -> None:
        """A turn waited for it until now: in vain, if it has not answered."""
        if self._rung is None:
            self._distrust = 0.0
        else:
            self._distrust = min(2 * self._distrust + PATIENCE, MOST_DISTRUST)
            self._trusted = now + self._distrust

    def _answered(self) -> None:
        if self._rung is not None:
            self._rung.set()
            self._rung = None

    def lost(self) -> None:
        """The edge has gone, and all its clients with it."""
        self._lost = True
        self._answered()
        if self._display is not None:
            self._display.end()
        for remote in list(self._clients.values()):
            if remote.session is not None and self._port.crossings is not None:
                self._port.crossings.cut_off(remote.session)
            remote.end(Ending.CONNECTION_LOST, f"the edge {self.name} is gone")

    def take(self, words: Sequence[EdgeWord]) -> None:
        """Heed what the edge says. Raises LineLost for what it cannot have meant."""
        now, clients = trio.current_time(), self._clients
        for word in words:
            if type(word) is Frame:  # nearly all are
                if (remote := clients.get(word.client)) is not None:
                    remote.frame(word.frame, now)
                continue
            match word:
                case Done():
                    self.seconds += word.took * 1e-6
                case Open():
                    if word.client in clients:
                        raise LineLost(f"it opens {word.client} twice")
                    self._open(word)
                case Adopt() | TakeUp():
                    self._adopt(word)
                case Watch() | Unwatch():
                    self._watch(word)
                case Vouch():
                    account = AccountInfo(word.account, word.name, word.access, word.mark)
                    self._port.vouched(account, word.game, word.peer, word.key)
                case Changed():
                    self._port.changed(word.account)
                case Rung():
                    self._answered()
                case Given():
                    if self._port.crossings is not None:
                        self._port.crossings.given()
                case Hello() | Proof():
                    raise LineLost("it says hello twice")
                case Learnt() | Heard() | Stale() | Gone() | Held() | Moved():
                    if (remote := clients.get(word.client)) is not None:
                        self._about(remote, word)

    def _watch(self, word: Watch | Unwatch) -> None:
        if self._display is None and self._port.turnout is not None:
            port = self._port
            self._display = Display(self.line, lambda: port.live, self._port.turnout, self._nursery)
        if self._display is not None:
            self._display.take(word)

    def _about(self, remote: Remote, word: Learnt | Heard | Stale | Gone | Held | Moved) -> None:
        match word:
            case Held():
                remote.held.set()
            case Moved():
                remote.why = word.why
                remote.moved.set()
            case Learnt():
                try:
                    remote.twin.learn(cast("Sequence[int]", word.learnt))
                except (TypeError, ValueError) as error:
                    raise LineLost(f"a codec learns what makes no sense: {error}") from error
            case Gone():
                remote.end(word.ending, word.detail)
            case Heard() if remote.session is not None:
                remote.session.last_heard = trio.current_time()
            case Stale() if remote.session is not None:
                self._port.refresh(remote.session)

    def _adopt(self, word: Adopt | TakeUp) -> None:
        crossings = self._port.crossings
        if crossings is None or word.game not in self._port.families or word.client in self._clients:
            self.say(Adopted(word.client, "The way is closed now."))
        elif isinstance(word, Adopt):
            self._nursery.start_soon(crossings.welcome, self, word)
        else:
            self._nursery.start_soon(crossings.go_on, self, word)

    def _open(self, word: Open) -> None:
        family = self._port.families.get(word.game)
        if family is None or word.door not in family.doors:
            detail = f"this world has no door for {word.game} {word.door}"
            self.say(End(word.client, Ending.REFUSED, detail))
            return
        remote = self._clients[word.client] = Remote(self, word, self._twin(word, word.born))
        self._nursery.start_soon(self._serve, word, remote, family)

    def brought(self, word: Open | Adopt | TakeUp) -> Remote:
        """A client whose player another world let go, or this one."""
        remote = self._clients[word.client] = Remote(self, word, self._twin(word, ()))
        return remote

    def serve(self, remote: Remote, connection: Connection) -> None:
        """Run the connection of a client who was brought here."""
        self._nursery.start_soon(self._go_on, remote, connection)
        if self._lost:
            remote.end(Ending.CONNECTION_LOST, f"the edge {self.name} is gone")

    def _twin(self, word: Open | Adopt | TakeUp, born: Sequence[bytes]) -> Twin:
        listener = self._port.listeners().get(word.table)
        settings = listener.codec_settings() if listener is not None else {}
        again = Again(self._port.entropy)
        again.like(born)
        drawn = Drawn(again)
        door = self._port.families[word.game].doors[word.door]
        try:
            twin = Twin(door.codec(CodecArgs(Role.SERVER, drawn, settings)), drawn)
            twin.learn(cast("Sequence[int]", word.learnt))
        except (TypeError, ValueError) as error:
            raise LineLost(f"{word.table} is not set up there as here: {error}") from error
        twin.report = f"by the edge {self.name}"
        return twin

    async def _serve(self, word: Open, remote: Remote, family: Family) -> None:
        ending, detail = await self._port.gateway.serve_remote(
            family,
            word.door,
            remote,
            as_codec(remote.twin),
            table=word.table,
            forwarded=word.forwarded,
            ports=self.ports,
            begun=remote.begun,
            kind=RemoteConnection,
        )
        self._over(remote, ending, detail)

    async def _go_on(self, remote: Remote, connection: Connection) -> None:
        await self._port.gateway.run(connection)
        self._over(remote, connection.ending or Ending.SHUTDOWN, connection.detail)

    def _over(self, remote: Remote, ending: Ending, detail: str) -> None:
        if not remote.left:
            self.say(End(remote.client, ending, detail))
        remote.over()


class EdgePort:
    """The place where edges connect."""

    def __init__(
        self,
        gateway: Gateway,
        families: Mapping[str, Family],
        *,
        listeners: Callable[[], Mapping[str, Listener]],
        refresh: Callable[[Session], None],
        took: Callable[[float], None],
        rest: Callable[[], tuple[float, float]],
        entropy: Callable[[int], bytes],
        secret: str,
        name: str,
        world: int = 1,
    ) -> None:
        """`took` hears how many seconds the slowest edge took for a turn, `rest` says in how many the next
        one may begin, and how many the last one took. `secret` is what edges have to know; without one only
        those of this machine are heard. `world` is its id in the database."""
        self.gateway = gateway
        self.families = families
        self.listeners = listeners
        self.refresh = refresh
        self.entropy = entropy
        self.links: list[EdgeLink] = []
        self.crossings: Border | None = None
        """What takes players in; None before it listens."""
        self.live: LiveMap | None = None
        """What the pages of edges are shown, as far as there is anything."""
        self.turnout: Counting | None = None
        self.vouched: Callable[[AccountInfo, str, str, bytes], None] = lambda *_: None
        """Hears who has proven at the page of an edge to own an account: that, the game, where they come from
        and with which key."""
        self.realms: Callable[[], Iterable[str]] = lambda: ()
        """Names of those that this world has now."""
        self.changed: Callable[[int], None] = lambda account: None
        """Hears of accounts that were banned at an edge, or have another password."""
        self._dropped = False
        self._took = took
        self._rest = rest
        self._secret = secret
        self._name = name
        self._world = world

    def _done(self) -> None:
        """Edges have sent what a turn told them, mostly: how long that took counts for the world's pace."""
        self._took(max((link.seconds for link in self.links), default=0.0))
        for link in self.links:
            link.seconds = 0.0

    async def hear(self) -> None:
        """Take in what edges have by now: a turn is about to begin. Those that hold something back are rung
        and waited for, for a moment."""
        now = trio.current_time()
        if rung := [(link, event) for link in self.links if (event := link.ring(now)) is not None]:
            with trio.move_on_after(PATIENCE):
                for _, event in rung:
                    await event.wait()
            for link, _ in rung:
                link.waited_for(trio.current_time())
        for link in list(self.links):
            try:
                for _, words in link.line.heard_by_now():
                    link.take(words)
            except Unreadable as error:
                link.line.fail(LineLost(str(error)))
            except Exception as error:
                link.line.fail(error)
            link.line.holds = True  # nothing is waited for until the turn is over
        self._done()

    def push(self) -> None:
        """A turn is over: all that it said leaves."""
        for link in self.links:
            link.line.push()

    def resting(self, link: EdgeLink) -> Rest | None:
        """Say how long the world takes nothing in from now on, if that is worth a word."""
        seconds, turn = self._rest()
        if seconds < LEAST_REST:
            return None
        link.rests = trio.current_time() + seconds
        return Rest(int(1e6 * seconds), int(1e6 * turn))

    async def serve(self, stream: trio.abc.Stream, clients: trio.Nursery) -> None:
        """One edge, until it is gone. Its clients' tasks are `clients`'."""
        line = Line(stream, FROM_EDGE)
        link = EdgeLink(line, self, clients)
        try:
            link.greeted(await line.greet(self._secret, self._name, edge=False, world=self._world))
            if self._dropped:
                line.fail(LineLost("this world ends"))
            log.info("the edge %s has come", link.name)
            line.last = partial(self.resting, link)
            self.links.append(link)
            self.tell_realms(link)
            async with trio.open_nursery() as nursery:
                nursery.start_soon(line.run)
                await line.listen(lambda _, words: link.take(words))
        except* LineLost as group:
            log.warning("the edge %s is gone: %s", link.name or "that has not said who it is", reason(group))
        except* Exception:
            # Whatever is wrong with one edge is no business of the others.
            log.exception("the line to the edge %s failed", link.name)
        finally:
            if link in self.links:
                self.links.remove(link)
            link.lost()
            await line.close()

    def tell_realms(self, *links: EdgeLink) -> None:
        """Tell these edges, or all, which realms this world has."""
        word = Realms(sorted(self.realms()))
        for link in links or self.links:
            link.say(word)

    async def accept(self, bound: socket.socket, clients: trio.Nursery) -> None:
        """Serve edges for ever."""

        async def serve(stream: trio.SocketStream) -> None:
            peer = stream.socket.getpeername()[0]
            if not (self._secret or ipaddress.ip_address(peer).is_loopback):
                log.error("an edge at %s is refused: without edge.secret only this machine's are heard", peer)
                await trio.aclose_forcefully(stream)
                return
            stream.setsockopt(trio.socket.IPPROTO_TCP, trio.socket.TCP_NODELAY, 1)
            await self.serve(stream, clients)

        listener = trio.SocketListener(trio.socket.from_stdlib_socket(bound))
        await trio.serve_listeners(serve, [listener], handler_nursery=clients)

    async def part(self) -> None:
        """The server stops: nobody comes in any more, and who can go on in another process waits for that."""
        self.realms = tuple
        self.tell_realms()
        if not self._dropped and self.crossings is not None and not await self.crossings.part():
            self.drop()

    def drop(self) -> None:
        """Hang up on all edges without a word, as a crash does: they keep whom they can, and another process
        goes on with what is in the database."""
        self._dropped, self.realms = True, tuple
        for link in list(self.links):
            link.line.fail(LineLost("this world ends"))
            link.lost()

    def tell_given(self, world: int) -> None:
        """Let that world know, by way of the edges, that it has a realm more."""
        for link in self.links:
            link.say(Given(world))

    async def part_from(self, realm: str, then: Callable[[World], None]) -> None:
        """A realm goes to another world: as `part`, for those who are there. `then` is called in the world
        when they are gone."""
        if self.crossings is not None:
            await self.crossings.part(realm, then)

    async def settle(self) -> None:
        """Until everything that was said is on its way, for a moment at most."""
        with trio.move_on_after(SETTLE_SECONDS):
            for link in list(self.links):
                await link.line.settle()

    def statistics(self) -> Sequence[str]:
        """A line for `causeway status` for each edge."""
        return [f"edge {link.name}: {len(link)} clients" for link in self.links]
