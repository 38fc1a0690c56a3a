"""One UDP socket, many peers: who is let in, whose datagrams go where, and what is kept for strangers."""

from __future__ import annotations

import socket
import sys
from typing import TYPE_CHECKING, cast
from unittest.mock import patch

import pytest
import trio
import trio.testing

from protocol.family import Knock
from server.boot.start import listen
from server.content.families import build_families
from server.net.datagrams import DATAGRAMS_PER_WAKE, DatagramSocket, Peer, SocketWire
from server.settings.config import parse
from tests.kit.datagrams import Network
from tests.kit.eq2_player import Eq2Player
from tests.kit.town import Town, shipped_content

if TYPE_CHECKING:
    from protocol.family import Address, Codec

ANNA, BERT = ("192.0.2.1", 40_001), ("192.0.2.2", 40_002)


class Porter:
    """Answers "knock" with "who?", and lets in who then says "me"."""

    def __init__(self) -> None:
        self.asked: set[Address] = set()
        self.made: list[object] = []

    @property
    def half_open(self) -> int:
        return len(self.asked)

    def concerns(self, address: Address, datagram: bytes) -> bool:
        return datagram == b"knock" or address in self.asked

    def knock(self, address: Address, datagram: bytes, now: float, codec: Codec | None) -> Knock | None:
        if datagram == b"knock":
            self.asked.add(address)
            return Knock(reply=b"who?")
        if datagram == b"me" and address in self.asked:
            self.asked.remove(address)
            self.made.append(object())
            return Knock(codec=cast("Codec", self.made[-1]))
        return None


class Hall:
    """A socket with its doorman, and those that came in."""

    def __init__(self, *, queue: int = 4, full: bool = False) -> None:
        self.network = Network("127.0.0.1:9100")
        self.porter = Porter()
        self.came: list[Peer] = []
        self.full = full
        self.socket = DatagramSocket(self.network, self.porter, queue=queue, begin=self._begin)

    def _begin(self, peer: Peer, codec: Codec) -> bool:
        assert peer.codec is codec
        if not self.full:
            self.came.append(peer)
        return not self.full

    def let_in(self, address: Address) -> None:
        self.network.put(b"knock", address)
        self.network.put(b"me", address)


async def _runs(hall: Hall, nursery: trio.Nursery) -> None:
    nursery.start_soon(hall.socket.run)
    await trio.testing.wait_all_tasks_blocked()


async def test_what_a_peer_sends_is_its_own_from_the_datagram_that_proved_it(nursery: trio.Nursery) -> None:
    hall = Hall()
    await _runs(hall, nursery)
    for address in (ANNA, BERT):
        hall.network.put(b"knock", address)
        hall.network.put(b"me", address)
    hall.network.put(b"to be or not", BERT)
    await trio.testing.wait_all_tasks_blocked()
    anna, bert = hall.came
    assert [anna.receive_nowait(), anna.receive_nowait()] == [b"me", None]
    assert [bert.receive_nowait(), bert.receive_nowait(), bert.receive_nowait()] == [
        b"me",
        b"to be or not",
        None,
    ]
    assert bert.peer == "192.0.2.2"
    assert bert.local == "127.0.0.1:9100"
    assert hall.network.to_nobody == [(b"who?", ANNA), (b"who?", BERT)]


async def test_strangers_cost_a_count_and_nothing_else(nursery: trio.Nursery) -> None:
    hall = Hall()
    await _runs(hall, nursery)
    for n in range(10_000):
        hall.network.put(b"?" * (n % 50), (f"198.51.100.{n % 250}", 1024 + n))
    await trio.testing.wait_all_tasks_blocked()
    assert hall.socket.peers == {}
    assert hall.came == []
    assert hall.network.to_nobody == []
    assert (hall.socket.counters.received, hall.socket.counters.unknown) == (10_000, 10_000)


async def test_a_peer_that_is_not_heard_fast_enough_loses_datagrams_and_nobody_else_does(
    nursery: trio.Nursery,
) -> None:
    hall = Hall(queue=4)
    await _runs(hall, nursery)
    for address in (ANNA, BERT):
        hall.network.put(b"knock", address)
        hall.network.put(b"me", address)
    for n in range(100):
        hall.network.put(b"%d" % n, ANNA)
    hall.network.put(b"hello", BERT)
    await trio.testing.wait_all_tasks_blocked()
    anna, bert = hall.came
    assert [anna.receive_nowait() for _ in range(5)] == [b"me", b"0", b"1", b"2", None]
    assert [bert.receive_nowait() for _ in range(2)] == [b"me", b"hello"]
    assert hall.socket.counters.queue_full == 97


async def test_who_begins_anew_takes_the_place_only_after_proof(nursery: trio.Nursery) -> None:
    hall = Hall()
    await _runs(hall, nursery)
    hall.let_in(ANNA)
    await trio.testing.wait_all_tasks_blocked()
    first = hall.came[0]
    hall.network.put(b"knock", ANNA)  # anybody can write that address on a datagram
    hall.network.put(b"still here", ANNA)
    await trio.testing.wait_all_tasks_blocked()
    assert hall.socket.peers == {ANNA: first}
    assert [first.receive_nowait(), first.receive_nowait()] == [b"me", b"still here"]
    hall.network.put(b"me", ANNA)
    await trio.testing.wait_all_tasks_blocked()
    second = hall.came[1]
    assert first.replaced
    await first.wait_readable()
    assert first.send_nowait(b"to the wrong one") == 0
    assert second.send_nowait(b"hello") == 5
    first.close()
    assert hall.socket.peers == {ANNA: second}
    second.close()
    second.close()
    assert hall.socket.peers == {}


async def test_who_is_not_let_in_leaves_nothing_behind(nursery: trio.Nursery) -> None:
    hall = Hall(full=True)
    await _runs(hall, nursery)
    hall.let_in(ANNA)
    await trio.testing.wait_all_tasks_blocked()
    assert hall.socket.peers == {}
    assert hall.socket.counters.refused == 1


async def test_a_closed_peer_wakes_who_waits_for_it(nursery: trio.Nursery) -> None:
    hall = Hall()
    await _runs(hall, nursery)
    hall.let_in(ANNA)
    await trio.testing.wait_all_tasks_blocked()
    anna = hall.came[0]
    assert anna.receive_nowait() == b"me"
    anna.close()
    with pytest.raises(trio.ClosedResourceError):
        await anna.wait_readable()
    hall.network.put(b"late", ANNA)
    await trio.testing.wait_all_tasks_blocked()
    assert hall.socket.counters.unknown == 3


@pytest.mark.parametrize("bound", ["127.0.0.1", "0.0.0.0"])
async def test_a_real_socket_knows_where_its_peers_send_to(bound: str) -> None:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as server,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as client,
    ):
        server.setblocking(False)
        server.bind((bound, 0))
        port = server.getsockname()[1]
        client.bind(("127.0.0.1", 0))
        wire = SocketWire(server)
        assert wire.receive() is None
        for n in range(3):
            client.sendto(b"%d" % n, ("127.0.0.1", port))
        with trio.fail_after(30):
            await wire.wait_readable()
        came = [wire.receive() for _ in range(4)]
        assert came == [*((b"%d" % n, client.getsockname()) for n in range(3)), None]
        assert wire.local(client.getsockname()) == f"127.0.0.1:{port}"
        assert wire.send(b"back", client.getsockname()) == 4
        client.settimeout(30)
        assert client.recv(100) == b"back"
        assert wire.send(b"x" * 70_000, client.getsockname()) == 0


async def test_a_flood_leaves_everybody_else_a_turn(nursery: trio.Nursery) -> None:
    hall = Hall()
    for n in range(3 * DATAGRAMS_PER_WAKE):
        hall.network.put(b"?", ("198.51.100.1", 1024 + n))
    nursery.start_soon(hall.socket.run)
    turns = []
    while hall.socket.counters.received < 3 * DATAGRAMS_PER_WAKE:
        turns.append(hall.socket.counters.received)
        await trio.lowlevel.checkpoint()
    assert {DATAGRAMS_PER_WAKE, 2 * DATAGRAMS_PER_WAKE} & set(turns)


async def test_a_reader_that_waits_is_woken_only_if_there_is_something_to_do(nursery: trio.Nursery) -> None:
    hall = Hall(queue=2)
    await _runs(hall, nursery)
    hall.let_in(ANNA)
    await trio.testing.wait_all_tasks_blocked()
    anna = hall.came[0]
    assert anna.receive_nowait() == b"me"
    glanced: list[bytes] = []
    woken: list[int] = []

    def glance(datagram: bytes, now: float) -> bool:
        glanced.append(datagram)
        return datagram == b"ack"

    async def read() -> None:
        while True:
            await anna.wait_readable()
            woken.append(len(glanced))

    anna.glance = glance
    hall.network.put(b"nobody waits yet", ANNA)
    await trio.testing.wait_all_tasks_blocked()
    assert anna.receive_nowait() == b"nobody waits yet"
    assert glanced == []

    nursery.start_soon(read)
    await trio.testing.wait_all_tasks_blocked()
    for _ in range(3):
        hall.network.put(b"ack", ANNA)
    await trio.testing.wait_all_tasks_blocked()
    assert (len(glanced), woken) == (3, [])
    # What comes after the one that woke it, and before it ran, waits in the queue.
    hall.network.put(b"step", ANNA)
    hall.network.put(b"ack", ANNA)
    with trio.fail_after(30):
        while not woken:
            await trio.lowlevel.checkpoint()
    assert glanced[3:] == [b"step"]
    assert woken[0] == 4
    assert anna.receive_nowait() == b"ack"


async def test_whoever_is_closed_keeps_nobody_who_glances(nursery: trio.Nursery) -> None:
    hall = Hall()
    await _runs(hall, nursery)
    hall.let_in(ANNA)
    await trio.testing.wait_all_tasks_blocked()
    anna = hall.came[0]
    anna.glance = lambda datagram, now: True
    anna.close()
    assert anna.glance is None


async def test_what_fails_over_one_datagram_ends_that_client_alone(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    town = Town(nursery)
    await town.open()
    anna, bert = Eq2Player(town), Eq2Player(town)
    for player, name in ((anna, "Anna"), (bert, "Bert")):
        await player.enters(name)
    sessions = {session.mobile.name: session for session in town.app.loop.sessions.values() if session.mobile}

    def fails(data: bytes, now: float) -> None:
        raise RuntimeError("our bug")

    with patch.object(sessions["Anna"].codec, "receive", fails):
        await trio.sleep(30)  # both keep alive
    assert list(town.app.loop.sessions.values()) == [sessions["Bert"]]
    assert sessions["Bert"].last_heard > trio.current_time() - 20


@pytest.mark.skipif(sys.platform != "linux", reason="what a system grants is its own business")
def test_the_buffers_of_a_socket_are_as_large_as_its_table_says() -> None:
    """As the server opens its doors. Linux grants twice what it is asked for, up to a limit of its own, which
    is above these everywhere."""
    text = """
[listen.eq2]
login = "127.0.0.1:0"
world = "127.0.0.1:0"
receive_buffer_kib = 40
send_buffer_kib = 24
"""
    doors = listen(parse(text), build_families(shipped_content(), ("eq2",)))
    try:
        assert {door.door_name for door in doors} == {"login", "world"}
        for door in doors:
            granted = [
                door.socket.getsockopt(socket.SOL_SOCKET, option)
                for option in (socket.SO_RCVBUF, socket.SO_SNDBUF)
            ]
            assert granted == [2 * 40 * 1024, 2 * 24 * 1024]
    finally:
        for door in doors:
            door.socket.close()
