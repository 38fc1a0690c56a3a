"""Lineage II's bridge over streams under virtual time, where peers are late, silent, slow and hostile."""

from __future__ import annotations

import errno
import logging
import random
from contextlib import suppress
from typing import TYPE_CHECKING, cast

import attrs
import pytest
import trio
import trio.testing

from protocol.address import Address
from protocol.l2.bridge import BridgeMessage, GameServer, Identity, LoginServer, links
from protocol.l2.bridge.codec import BridgeCodec
from protocol.l2.bridge.links import STRANGERS, BridgeDialer, BridgeDoor
from protocol.l2.bridge.packets import (
    AuthRequest,
    KickPlayer,
    LoginServerFail,
    PlayerInGame,
    PlayerLogout,
    RequestCharacters,
    ServerStatus,
    Status,
)
from protocol.wire.args import Role

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.l2.bridge.game_side import GameSide

SECRET = "the first secret"
HOST = "192.0.2.7"


@attrs.define
class Side:
    """What a dialer needs of a game server's side: the game server, and what it would tell."""

    game_server: GameServer
    online: list[str] = attrs.field(factory=list)
    replies: dict[str, int] = attrs.field(factory=dict)
    failing: bool = False

    def refresh(self) -> None:
        self.game_server.online(self.online)

    async def answer(self) -> None:
        while self.game_server.questions:
            name = self.game_server.questions.popleft()
            if self.failing:
                raise OSError("the disk is gone")
            self.game_server.reply(name, self.replies.get(name, 0), [])


class Bridge:
    """A login server's door and a game server, with a stream between them."""

    def __init__(self, nursery: trio.Nursery) -> None:
        dice = random.Random(3)
        self.nursery = nursery
        self.login_server = LoginServer({1: SECRET, 2: "the second secret"})
        self.door = BridgeDoor(self.login_server, clock=trio.current_time, entropy=dice.randbytes)
        self.kicked: list[str] = []
        self.me = Identity(1, SECRET, 7777, HOST, 100)
        self.side = Side(GameServer(kick=self.kicked.append, asked=lambda: self.dialer.asked()))
        self.dialer = BridgeDialer(
            cast("GameSide", self.side), Address(HOST, 9014), self._me, entropy=dice.randbytes
        )
        self._dice = dice

    async def _me(self) -> Identity:
        return self.me

    def stranger(self, address: str = "198.51.100.3") -> trio.abc.Stream:
        """Somebody connects to the login server."""
        ours, theirs = trio.testing.memory_stream_pair()
        self.nursery.start_soon(self.door.answer, theirs, address)
        return ours

    async def connect(self) -> trio.abc.Stream:
        """The game server connects; its end of the stream."""
        ours = self.stranger()
        self.nursery.start_soon(self.dialer.converse, ours, HOST)
        await trio.sleep(0.5)
        return ours

    def peer(self) -> Peer:
        """Somebody who says what a test says."""
        return Peer(self.stranger(), BridgeCodec(Role.CLIENT, entropy=self._dice.randbytes))


class Peer:
    """A game server by hand."""

    def __init__(self, stream: trio.abc.Stream, codec: BridgeCodec) -> None:
        self.stream = stream
        self.codec = codec
        self.got: list[BridgeMessage] = []
        self.ended_at: float | None = None

    async def listens(self) -> None:
        """Until the other end hangs up; answers with a key by itself."""
        try:
            while data := await self.stream.receive_some(65536):
                self.codec.receive(bytes(data))
                while (message := self.codec.next_message()) is not None:
                    self.got.append(message)
                if out := self.codec.outgoing():
                    await self.stream.send_all(out)
        except trio.BrokenResourceError:
            pass
        self.ended_at = trio.current_time()

    async def says(self, *messages: BridgeMessage) -> None:
        self.codec.send(messages)
        await self.stream.send_all(self.codec.outgoing())


@pytest.fixture
async def bridge(nursery: trio.Nursery, autojump_clock: MockClock) -> Bridge:
    return Bridge(nursery)


def proof(number: int = 1, secret: str = SECRET) -> AuthRequest:
    return AuthRequest(number, 0, 0, 7777, 100, secret.encode())


async def ends(stream: trio.abc.Stream) -> float:
    """Seconds until the other end hangs up."""
    began = trio.current_time()
    try:
        while await stream.receive_some(65536):
            pass
    except trio.BrokenResourceError:
        pass
    return trio.current_time() - began


async def test_a_game_server_tells_who_is_there(bridge: Bridge, autojump_clock: MockClock) -> None:
    bridge.side.online = ["alric"]
    await bridge.connect()
    server = bridge.login_server.servers[1]
    assert (server.host, server.port, list(server.online)) == (HOST, 7777, ["alric"])
    bridge.side.online = ["berta"]
    await trio.sleep(1.5)
    assert list(server.online) == ["berta"]
    bridge.login_server.claim("berta")
    await trio.sleep(0.5)
    assert bridge.kicked == ["berta"]


async def test_a_connection_that_breaks_takes_the_marks_along(
    bridge: Bridge, autojump_clock: MockClock
) -> None:
    bridge.side.online = ["alric"]
    stream = await bridge.connect()
    await stream.aclose()
    await trio.sleep(0.5)
    assert bridge.login_server.servers == {}
    assert not bridge.side.game_server.connected
    await bridge.connect()
    assert list(bridge.login_server.servers[1].online) == ["alric"]


async def test_both_live_on_for_hours_with_nothing_to_say(bridge: Bridge, autojump_clock: MockClock) -> None:
    await bridge.connect()
    await trio.sleep(3600)
    assert bridge.side.game_server.connected
    assert list(bridge.login_server.servers) == [1]


async def test_questions_are_answered_and_a_failing_disk_ends_nothing(
    bridge: Bridge, autojump_clock: MockClock
) -> None:
    bridge.side.replies = {"alric": 3}
    await bridge.connect()
    answered = trio.Event()
    question = bridge.login_server.ask("alric", answered.set)
    await answered.wait()
    assert question.answers == {1: (3, ())}
    bridge.side.failing = True
    bridge.login_server.ask("alric", answered.set)
    await trio.sleep(1)
    assert bridge.side.game_server.connected


async def test_a_game_server_that_falls_silent_has_gone(bridge: Bridge, autojump_clock: MockClock) -> None:
    """Its machine lost its power: nothing closes the connection."""
    peer = bridge.peer()
    bridge.nursery.start_soon(peer.listens)
    await trio.sleep(0.1)
    await peer.says(proof(), PlayerInGame(()))
    await trio.sleep(links.SILENCE_SECONDS - 1)
    assert list(bridge.login_server.servers) == [1]
    await trio.sleep(2)
    assert bridge.login_server.servers == {}
    assert peer.ended_at is not None


async def test_a_server_of_l2j_may_be_silent_but_not_within_a_word(
    bridge: Bridge, autojump_clock: MockClock
) -> None:
    """Nothing tells it apart but that its ServerStatus promises nothing."""
    peer = bridge.peer()
    bridge.nursery.start_soon(peer.listens)
    await trio.sleep(0.1)
    await peer.says(proof(), ServerStatus((Status(1, 0),)))
    await trio.sleep(3600)
    assert list(bridge.login_server.servers) == [1]
    await peer.stream.send_all(b"\x20")
    await trio.sleep(links.SILENCE_SECONDS + 1)
    assert bridge.login_server.servers == {}


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENOBUFS, errno.ECONNABORTED, errno.EPERM])
async def test_r22_accepting_survives_its_errors(
    nursery: trio.Nursery, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, number: int
) -> None:
    """The listening socket itself, over loopback; the log has one line for all failures in a row."""
    login_server = LoginServer({1: SECRET})
    door = BridgeDoor(login_server, clock=trio.current_time, entropy=random.Random(3).randbytes)
    (listener,) = await trio.open_tcp_listeners(0, host="127.0.0.1")
    tries: list[int] = []
    accept = trio.SocketListener.accept

    async def failing(self: trio.SocketListener) -> trio.SocketStream:
        tries.append(1)
        if len(tries) < 4:
            raise OSError(number, "not now")
        return await accept(self)

    monkeypatch.setattr(trio.SocketListener, "accept", failing)
    monkeypatch.setattr(links, "ACCEPT_AGAIN_SECONDS", 0.01)
    nursery.start_soon(door.serve, [listener])
    for _ in range(2):
        stream = await trio.open_tcp_stream("127.0.0.1", listener.socket.getsockname()[1])
        with trio.fail_after(30):
            assert await stream.receive_some(2), "its InitLS"
        await stream.aclose()
    assert len([record for record in caplog.records if "can be accepted" in record.getMessage()]) == 1
    nursery.cancel_scope.cancel()


@pytest.mark.parametrize("said", [b"", b"\x20", b"\x20\0", b"\x20\0abc"])
async def test_who_does_not_prove_itself_has_five_seconds(
    bridge: Bridge, said: bytes, autojump_clock: MockClock
) -> None:
    stream = bridge.stranger()
    if said:
        await stream.send_all(said)
    assert await ends(stream) == pytest.approx(links.PROVE_SECONDS)


async def test_a_byte_now_and_then_buys_no_time(bridge: Bridge, autojump_clock: MockClock) -> None:
    stream = bridge.stranger()

    async def drip() -> None:
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            while True:
                await stream.send_all(b"\x02\0")
                await trio.sleep(0.5)

    bridge.nursery.start_soon(drip)
    assert await ends(stream) == pytest.approx(links.PROVE_SECONDS)


@pytest.mark.parametrize(
    "said",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        bytes.fromhex("16030100c8010000c40303") + bytes(800),
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
        b"\0\0",
        b"\x01\0",
        b"\x09\0" + bytes(7),
        b"\x0a\0" + bytes(8),
        random.Random(1).randbytes(5000),
    ],
    ids=["http", "tls", "ssh", "proxy", "zero", "one", "odd", "plain", "noise"],
)
async def test_what_is_no_game_server_is_cut_at_once(
    bridge: Bridge, said: bytes, autojump_clock: MockClock
) -> None:
    good = await bridge.connect()
    stream = bridge.stranger()
    await stream.send_all(said)
    assert await ends(stream) < links.PROVE_SECONDS
    assert bridge.side.game_server.connected
    await good.aclose()


@pytest.mark.parametrize(
    ("number", "secret", "reason"),
    [(1, "the wrong one", 3), (9, SECRET, 3), (2, "the second secret", 7)],
)
async def test_who_is_sent_away_hears_why(
    bridge: Bridge, number: int, secret: str, reason: int, autojump_clock: MockClock
) -> None:
    """The last one has the id of one that is connected."""
    other = bridge.peer()
    bridge.nursery.start_soon(other.listens)
    await trio.sleep(0.1)
    await other.says(proof(2, "the second secret"))
    await trio.sleep(0.1)
    peer = bridge.peer()
    bridge.nursery.start_soon(peer.listens)
    await trio.sleep(0.1)
    await peer.says(proof(number, secret))
    await trio.sleep(links.WRONG_SECRET_SECONDS + 1)
    assert peer.got == [LoginServerFail(reason)]
    assert peer.ended_at is not None
    assert list(bridge.login_server.servers) == [2]
    assert other.ended_at is None


async def test_a_game_server_with_a_wrong_secret_says_so_and_not_the_secret(
    bridge: Bridge, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    bridge.me = attrs.evolve(bridge.me, secret="not the secret")
    stream = await bridge.connect()
    await trio.sleep(links.WRONG_SECRET_SECONDS + 1)
    assert not bridge.side.game_server.connected
    assert list(bridge.login_server.servers) == []
    assert "sent away by the login server, reason 3" in caplog.text
    assert "not the secret" not in caplog.text
    assert SECRET not in caplog.text
    await stream.aclose()


async def test_a_proven_peer_that_talks_nonsense_is_cut_and_its_marks_go(
    bridge: Bridge, autojump_clock: MockClock
) -> None:
    peer = bridge.peer()
    bridge.nursery.start_soon(peer.listens)
    await trio.sleep(0.1)
    await peer.says(proof(), PlayerInGame(()), KickPlayer("alric"))
    await trio.sleep(0.1)
    # KickPlayer has the number of ChangeAccessLevel there, which is skipped; a second proof is not.
    assert list(bridge.login_server.servers) == [1]
    await peer.says(PlayerLogout("alric"), proof())
    await trio.sleep(0.1)
    assert peer.ended_at is not None
    assert bridge.login_server.servers == {}


async def test_strangers_take_nobodys_place(bridge: Bridge, autojump_clock: MockClock) -> None:
    await bridge.connect()
    strangers = []
    for _ in range(STRANGERS + 5):
        strangers.append(bridge.stranger())
        await trio.sleep(0.01)
    closed = []
    for stream in strangers:
        with trio.move_on_after(0.1) as waiting:
            await ends(stream)
        closed.append(not waiting.cancelled_caught)
    assert closed == [True] * 5 + [False] * STRANGERS
    assert bridge.side.game_server.connected


async def test_a_peer_that_takes_nothing_is_cut_and_nobody_waits(
    bridge: Bridge, nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    """Its window is full: the other game server is told as before."""
    await bridge.connect()
    left, right = trio.testing.lockstep_stream_pair()
    nursery.start_soon(bridge.door.answer, right, "198.51.100.4")
    peer = Peer(left, BridgeCodec(Role.CLIENT, entropy=random.Random(4).randbytes))
    listening = trio.CancelScope()
    nursery.start_soon(_listen_within, listening, peer)
    await trio.sleep(0.5)
    await peer.says(proof(2, "the second secret"), PlayerInGame(()))
    await trio.sleep(0.5)
    listening.cancel()
    await trio.sleep(0.1)
    assert list(bridge.login_server.servers) == [1, 2]
    done = trio.Event()
    bridge.login_server.ask("alric", done.set)
    bridge.login_server.servers[1].peer.send(RequestCharacters("berta"))
    await trio.sleep(links.WRITE_SECONDS + 1)
    assert list(bridge.login_server.servers) == [1]
    assert done.is_set(), "who has gone is not waited for"


async def _listen_within(scope: trio.CancelScope, peer: Peer) -> None:
    with scope:
        await peer.listens()


async def test_what_waits_for_a_peer_is_bounded(bridge: Bridge, autojump_clock: MockClock) -> None:
    await bridge.connect()
    server = bridge.login_server.servers[1]
    for number in range(links.MOST_QUEUED + 1):
        server.peer.send(KickPlayer(f"person{number}"))
    await trio.sleep(0.5)
    assert bridge.login_server.servers == {}


async def test_one_line_says_how_each_connection_ended(
    bridge: Bridge, caplog: pytest.LogCaptureFixture, autojump_clock: MockClock
) -> None:
    with caplog.at_level(logging.INFO, "net.l2.bridge"):
        for said in (b"\0\0", b""):
            stream = bridge.stranger()
            if said:
                await stream.send_all(said)
            else:
                await stream.aclose()
                await trio.sleep(0.1)
                continue
            await ends(stream)
    ended = [record.message for record in caplog.records if "ended" in record.message]
    assert len(ended) == 2
    assert "bad packet" in ended[0]
    assert "connection lost" in ended[1]
    assert SECRET not in caplog.text


async def test_a_mistake_of_ours_costs_one_connection(
    bridge: Bridge, monkeypatch: pytest.MonkeyPatch, autojump_clock: MockClock
) -> None:
    await bridge.connect()

    def fail(*_: object) -> None:
        raise RuntimeError("planted")

    peer = bridge.peer()
    bridge.nursery.start_soon(peer.listens)
    await trio.sleep(0.1)
    with monkeypatch.context() as broken:
        broken.setattr(bridge.login_server, "_admit", fail)
        await peer.says(proof(2, "the second secret"))
        await trio.sleep(0.1)
    assert peer.ended_at is not None
    assert bridge.side.game_server.connected


@pytest.mark.parametrize("steps", range(1, 40, 3))
async def test_a_game_server_may_be_cancelled_anywhere(
    bridge: Bridge, steps: int, autojump_clock: MockClock
) -> None:
    """The login server keeps nothing of it, and the game server can connect again."""
    bridge.side.online = ["alric"]
    ours = bridge.stranger()
    async with trio.open_nursery() as inner:
        inner.start_soon(bridge.dialer.converse, ours, HOST)
        for _ in range(steps):
            await trio.lowlevel.checkpoint()
        inner.cancel_scope.cancel()
    await trio.sleep(0.5)
    assert bridge.login_server.servers == {}
    await bridge.connect()
    assert list(bridge.login_server.servers[1].online) == ["alric"]


async def test_the_dialer_tries_every_five_seconds(
    bridge: Bridge,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    autojump_clock: MockClock,
) -> None:
    tries: list[float] = []

    async def refused(host: str, port: int) -> trio.abc.Stream:
        tries.append(trio.current_time())
        raise ConnectionRefusedError("nobody listens")

    monkeypatch.setattr(trio, "open_tcp_stream", refused)
    with trio.move_on_after(21):
        await bridge.dialer.run()
    assert [round(now - tries[0]) for now in tries] == [0, 5, 10, 15, 20]
    assert sum("no login server answers" in record.message for record in caplog.records) == 1
