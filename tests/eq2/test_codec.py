"""The codec: frames say of which version they are, and the rest is the stream's."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final

import pytest

from protocol.endings import Ending
from protocol.eq2 import packets as eq2
from protocol.eq2.codec import REASONS, Eq2Codec
from protocol.eq2.stream.frames import Reason
from protocol.eq2.versions import Eq2Versions
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body, forms
from tests.kit.eq2_strategies import all_versions, newest, tables

if TYPE_CHECKING:
    from protocol.family import Codec

NEWEST: Final = newest()


class Pair:
    """A client and a server on a line that loses nothing; `now` moves by hand."""

    def __init__(self, seed: int = 1, **settings: object) -> None:
        dice = random.Random(seed)
        self.now = 0.0
        self.client = Eq2Codec(CodecArgs(Role.CLIENT, dice.randbytes, settings), NEWEST)
        self.server = Eq2Codec(CodecArgs(Role.SERVER, dice.randbytes, settings), NEWEST)

    def exchange(self) -> None:
        """Carry datagrams until both are silent."""
        for _ in range(200):
            said = False
            for sender, receiver in ((self.client, self.server), (self.server, self.client)):
                for datagram in sender.outgoing(self.now):
                    receiver.receive(datagram, self.now)
                    said = True
            if not said:
                return
            self.now += 0.01
        raise AssertionError("they never fall silent")

    def connected(self) -> Pair:
        """With the handshake behind them."""
        self.client.stream.connect(self.now)
        self.exchange()
        assert self.client.stream.keyed
        assert self.server.stream.keyed
        return self


def is_pending(codec: Codec) -> bool:
    return codec.pending


def is_clogged(codec: Codec) -> bool:
    return codec.clogged


def is_closed(codec: Codec) -> bool:
    return codec.closed


def frames_of(codec: Codec) -> list[bytes]:
    frames = []
    while (frame := codec.next_frame()) is not None:
        frames.append(frame)
    return frames


def test_it_is_a_codec() -> None:
    codec: Codec = Pair().server
    assert codec.share_key is None
    assert codec.prepare(b"as it is") == b"as it is"
    assert forms([Body(b"as"), Body(b"it is")], codec) == [b"as", b"it is"]


def test_messages_arrive_in_order_with_the_index_of_the_version() -> None:
    pair = Pair().connected()
    up = [eq2.LoginRequest("trio", "secret", 546), eq2.WorldListRequest(), eq2.RemoteCmd(3, "x" * 2000)]
    down = [eq2.LoginReply(0, 7), eq2.HearChat(1, 2, "a", "b", 8, "hi"), eq2.Motd("y" * 3000)]
    pair.client.send_many(Body(NEWEST.encode(message)) for message in up)
    for message in down:
        pair.server.send(Body(NEWEST.encode(message)))
    pair.exchange()
    frames = frames_of(pair.server)
    assert [frame[0] for frame in frames] == [NEWEST.index] * 3
    assert [all_versions().decode(frame) for frame in frames] == up
    assert [all_versions().role_of(frame) for frame in frames] == [type(message).role for message in up]
    assert [NEWEST.decode_server(frame[1:]) for frame in frames_of(pair.client)] == [[one] for one in down]


def test_a_change_of_version_counts_from_the_next_frame_on() -> None:
    files = tables()
    files["562"] = files["546"] | {"build": {"versions": [562, 842], "reverse": True}}
    versions = Eq2Versions.from_tables(files, eq2.CATALOGUE)
    pair = Pair().connected()
    pair.client.send_many([Body(b"\x07"), Body(b"\x09")])
    pair.exchange()
    first = pair.server.next_frame()
    pair.server.speak(versions.newest.index)
    assert (first, pair.server.next_frame()) == (b"\x00\x07", b"\x01\x09")


def test_nothing_is_pending_when_all_is_said() -> None:
    pair = Pair().connected()
    assert not is_pending(pair.server)
    pair.server.send(Body(b"\x07"))
    assert is_pending(pair.server)
    assert not is_clogged(pair.server)
    pair.exchange()
    assert not is_pending(pair.server)


def test_who_is_sent_more_than_the_line_takes_is_clogged() -> None:
    pair = Pair().connected()
    dice = random.Random(2)
    pair.server.send_many(Body(b"\x26" + dice.randbytes(4000)) for _ in range(40))
    pair.server.outgoing(pair.now)
    assert is_clogged(pair.server)
    for _ in range(2000):
        pair.now += 0.05
        pair.exchange()
        for codec in (pair.client, pair.server):
            deadline = codec.deadline()
            if deadline is not None and deadline <= pair.now:
                codec.expire(pair.now)
        if not is_clogged(pair.server):
            break
    assert not is_clogged(pair.server)


@pytest.mark.parametrize("ending", Ending)
def test_every_ending_has_a_reason(ending: Ending) -> None:
    pair = Pair().connected()
    assert not is_closed(pair.server)
    pair.server.close(ending)
    sent: list[bytes] = []
    for _ in range(5):
        sent += pair.server.outgoing(pair.now)
        pair.now += 1.0
        pair.server.expire(pair.now)
    assert is_closed(pair.server)
    (goodbye,) = [datagram for datagram in sent if datagram[:2] == b"\0\x05"]
    assert int.from_bytes(goodbye[6:8], "big") == REASONS.get(ending, Reason.APPLICATION)
    pair.client.receive(goodbye, pair.now)
    assert pair.client.peer_closed


def test_reasons_of_the_contract() -> None:
    assert REASONS[Ending.TOO_SLOW] == 13
    assert REASONS[Ending.BAD_PACKET] == REASONS[Ending.WRONG_PHASE] == 15
    assert REASONS[Ending.TIMED_OUT] == 1
    assert REASONS[Ending.CONNECTION_LOST] == 8
    assert REASONS[Ending.REFUSED] == 10
    assert Ending.SHUTDOWN not in REASONS


def test_what_was_sent_before_the_goodbye_arrives() -> None:
    pair = Pair().connected()
    pair.server.send(Body(NEWEST.encode(eq2.LoginReply(eq2.LoginCode.VERSION_MISMATCH))))
    pair.server.close(Ending.REFUSED)
    pair.exchange()
    assert frames_of(pair.client) == [b"\0" + NEWEST.encode(eq2.LoginReply(6))]
    assert pair.client.peer_closed
    assert is_closed(pair.server)


def test_the_report_counts_and_the_trace_tells() -> None:
    pair = Pair()
    told: list[str] = []
    pair.server.trace = told.append
    pair.connected()
    pair.client.send(Body(NEWEST.encode(eq2.LoginRequest("trio", "verysecret", 546))))
    pair.exchange()
    assert "packets" in pair.server.report
    assert told
    assert "verysecret" not in "\n".join(told)
    pair.server.trace = None
    count = len(told)
    pair.client.send(Body(b"\x07"))
    pair.exchange()
    assert len(told) == count
