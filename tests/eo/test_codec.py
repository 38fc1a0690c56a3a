"""The codec against a recorded session of eoserv, and against a client made of eolib."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, TypedDict

import eolib
import pytest
from eolib import (
    AccountReplyServerPacket,
    ConnectionAcceptClientPacket,
    ConnectionPlayerServerPacket,
    InitInitServerPacket,
    Packet,
    TalkReportClientPacket,
)
from hypothesis import given
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.eo.codec import EoCodec, init_start, ping_start
from protocol.eo.packets import decode_client, decode_server, encode
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from tests.kit.eo_peer import INIT, PING_ANSWER, EolibPeer, eolib_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

GOLDEN = Path(__file__).parents[1] / "golden" / "eo"


class Step(TypedDict):
    dir: str
    packet: str
    plain: str
    wire: str


TRACE: list[Step] = json.loads((GOLDEN / "session_create_account_eoserv.json").read_text())["trace"]
FROM_CLIENT = [step for step in TRACE if step["dir"] == "C>S"]


def codec(role: Role = Role.SERVER, seed: int = 1) -> EoCodec:
    return EoCodec(CodecArgs(role, random.Random(seed).randbytes))


def drain(end: EoCodec) -> list[bytes]:
    return list(iter(end.next_frame, None))


def whole(data: bytes) -> Iterable[bytes]:
    yield data


def byte_by_byte(data: bytes) -> Iterable[bytes]:
    return (data[at : at + 1] for at in range(len(data)))


def at_random(data: bytes) -> Iterable[bytes]:
    dice = random.Random(len(data))
    while data:
        size = min(dice.choices((1, 2, 3, 40))[0], len(data))
        yield data[:size]
        data = data[size:]


def unnumbered(step: Step) -> str:
    """Action, family, payload of a recorded client packet, without its sequence number."""
    plain = bytes.fromhex(step["plain"])
    if step["packet"] == "InitInitClientPacket":
        return plain.hex()
    size = 2 if step["seq"] >= 253 else 1  # type: ignore[typeddict-item] # client steps have it
    return (plain[:2] + plain[2 + size :]).hex()


def obey(end: EoCodec, step: Step) -> None:
    """Let the codec know what this packet of the server means for both sides, as its handler would."""
    if step["dir"] != "S>C":
        return
    packet = decode_server(bytes.fromhex(step["plain"]))
    match packet:
        case InitInitServerPacket(reply_code_data=InitInitServerPacket.ReplyCodeDataOk() as ok):
            start = init_start(ok.seq1, ok.seq2)
            end.begin(ok.server_encryption_multiple, ok.client_encryption_multiple, start)
        case AccountReplyServerPacket(reply_code_data=AccountReplyServerPacket.ReplyCodeDataDefault() as ok):
            end.sequence.start = ok.sequence_start
        case ConnectionPlayerServerPacket():
            end.sequence.upcoming = ping_start(packet.seq1, packet.seq2)


def obey_until_next_packet(end: EoCodec, trace: Iterator[Step], first: bool) -> None:
    """What the server said before its client's next packet takes effect before that is decoded."""
    if first:
        assert next(trace)["dir"] == "C>S"
    for step in trace:
        if step["dir"] == "C>S":
            return
        obey(end, step)


@pytest.mark.parametrize("split", [whole, byte_by_byte, at_random])
def test_the_recorded_client_in_one_stream(split: Callable[[bytes], Iterable[bytes]]) -> None:
    """All of the client's bytes, read lazily: keys and starts change between frames that arrived together."""
    server = codec()
    frames: list[str] = []
    trace = iter(TRACE)
    for chunk in split(bytes.fromhex("".join(step["wire"] for step in FROM_CLIENT))):
        server.receive(chunk, 0.0)
        while (frame := server.next_frame()) is not None:
            frames.append(frame.hex())
            obey_until_next_packet(server, trace, len(frames) == 1)
    assert frames == [unnumbered(step) for step in FROM_CLIENT]


def test_the_recorded_server() -> None:
    """Client role reads eoserv's bytes; server role makes the same bytes of the same packets."""
    client, server = codec(Role.CLIENT), codec()
    for step in TRACE:
        if step["dir"] == "S>C":
            client.receive(bytes.fromhex(step["wire"]), 0.0)
            assert [frame.hex() for frame in drain(client)] == [step["plain"]]
            server.send(Body(bytes.fromhex(step["plain"])))
            assert [frame.hex() for frame in server.outgoing(0.0)] == [step["wire"]]
        obey(client, step)
        obey(server, step)


def test_the_recorded_client_made_again() -> None:
    """Client role makes the recorded client's bytes, two-byte sequence numbers included."""
    client = codec(Role.CLIENT)
    for step in TRACE:
        obey(client, step)
        if client.sequence.upcoming is not None:
            client.sequence.switch()
        if step["dir"] == "C>S":
            client.send(Body(bytes.fromhex(unnumbered(step))))
            assert [frame.hex() for frame in client.outgoing(0.0)] == [step["wire"]]


def introduced(seed: int = 1) -> tuple[EoCodec, EolibPeer]:
    """A server and an eolib client that have exchanged Init_Init."""
    server, peer = codec(seed=seed), EolibPeer()
    server.receive(peer.frame(INIT), 0.0)
    assert drain(server) == [eolib_bytes(INIT)]
    peer.begin(*server.greet())
    return server, peer


def say(server: EoCodec, peer: EolibPeer, packet: Packet) -> None:
    server.receive(peer.frame(packet), 0.0)
    assert drain(server) == [eolib_bytes(packet)]


@pytest.mark.parametrize("seed", range(40))
def test_eolib_client_through_pings_and_a_new_account(seed: int) -> None:
    server, peer = introduced(seed)
    accept = ConnectionAcceptClientPacket(
        client_encryption_multiple=server.client_multiple,
        server_encryption_multiple=server.server_multiple,
        player_id=1,
    )
    say(server, peer, accept)
    for number in range(35):
        say(server, peer, TalkReportClientPacket(message=f"line {number}"))
        if number % 7 == 3:
            ping = server.new_ping()
            # Under way when the ping was sent: numbered from the old start.
            say(server, peer, TalkReportClientPacket(message="crossing"))
            peer.pinged(*ping)
            say(server, peer, PING_ANSWER)
        if number % 7 == 5:
            start = eolib.AccountReplySequenceStart.from_value(server.account_reply_start())
            peer.sequencer.set_sequence_start(start)


def test_account_reply_behind_a_ping_keeps_the_pings_start() -> None:
    server, peer = introduced()
    ping = server.new_ping()
    start = server.account_reply_start()
    say(server, peer, TalkReportClientPacket(message="sent before both arrived"))
    peer.pinged(*ping)
    answer = peer.frame(PING_ANSWER)
    peer.sequencer.set_sequence_start(eolib.AccountReplySequenceStart.from_value(start))
    server.receive(answer, 0.0)
    server.receive(peer.frame(TalkReportClientPacket(message="hi")), 0.0)
    assert len(drain(server)) == 2


def test_a_second_ping_waits_for_the_first_answer() -> None:
    server, peer = introduced()
    peer.pinged(*server.new_ping())
    assert server.ping_unanswered
    with pytest.raises(ValueError, match="unanswered"):
        server.new_ping()
    say(server, peer, PING_ANSWER)
    server.new_ping()


def test_a_wrong_sequence_number_ends_the_client() -> None:
    server, peer = introduced()
    peer.frame(PING_ANSWER)  # lost on the way
    server.receive(peer.frame(PING_ANSWER), 0.0)
    with pytest.raises(WireError, match="bad_sequence"):
        server.next_frame()


def test_a_repeated_packet_ends_the_client() -> None:
    server, peer = introduced()
    frame = peer.frame(TalkReportClientPacket(message="again"))
    server.receive(frame + frame, 0.0)
    assert server.next_frame() == eolib_bytes(TalkReportClientPacket(message="again"))
    with pytest.raises(WireError, match="bad_sequence"):
        server.next_frame()


def test_the_start_of_an_unanswered_ping_is_not_valid_for_other_packets() -> None:
    server, peer = introduced()
    ping = server.new_ping()
    assert ping[0] - ping[1] != server.sequence.start
    peer.pinged(*ping)
    server.receive(peer.frame(TalkReportClientPacket(message="too early")), 0.0)
    with pytest.raises(WireError, match="bad_sequence"):
        server.next_frame()


def test_a_packet_without_room_for_its_number_ends_the_client() -> None:
    server, _ = introduced()
    server.receive(bytes.fromhex("03fe8182"), 0.0)
    with pytest.raises(WireError, match=r"bad_sequence: nothing"):
        server.next_frame()


@pytest.mark.parametrize(
    "head", ["0000", "00fe", "05ff", "ff01", "0100", "fefe", "01fe", "02fe", "fe09"], ids=str
)
def test_impossible_lengths(head: str) -> None:
    server = codec()
    server.receive(bytes.fromhex(head) + bytes(8), 0.0)
    with pytest.raises(WireError, match="bad_length"):
        server.next_frame()


def test_a_stranger_may_not_announce_much() -> None:
    server, _ = introduced()
    large = eolib.encode_number(5000)[:2]
    server.receive(large, 0.0)
    assert server.next_frame() is None, "a client we have greeted may"
    stranger = codec()
    stranger.receive(large, 0.0)
    with pytest.raises(WireError, match="allowed are 4 to 514"):
        stranger.next_frame()


def test_the_largest_packet_passes_and_a_larger_one_is_our_bug() -> None:
    server, peer = introduced()
    largest = bytes((1, 18)) + b"x" * 64006
    server.send(Body(largest))
    assert peer.take(b"".join(server.outgoing(0.0))) == [largest]
    with pytest.raises(ValueError, match="cannot hold 64009"):
        server.send(Body(largest + b"x"))


def test_what_the_server_says_reaches_the_eolib_client() -> None:
    server, peer = introduced()
    file = bytes((255, 255, 5)) + bytes(range(256))
    chat = encode(eolib.TalkPlayerServerPacket(player_id=300, message="hello"))
    server.send(Body(file))
    server.send(Body(chat))
    frames = server.outgoing(0.0)
    assert len(frames) == 2
    assert frames[0][2:] == file, "Init_Init is never encrypted"
    assert peer.take(b"".join(frames)) == [file, chat]
    assert server.outgoing(0.0) == []
    assert server.deadline() is None


def test_a_broadcast_is_encrypted_once_per_multiple(monkeypatch: pytest.MonkeyPatch) -> None:
    servers = [codec(seed=seed) for seed in range(9)]
    for server, multiple in zip(servers, (6, 7, 8, 9, 10, 11, 12, 12, 6), strict=True):
        server.begin(multiple, 7, 0)
    body = Body(encode(eolib.TalkPlayerServerPacket(player_id=1, message="to everybody")))
    calls = []
    original = EoCodec.prepare

    def counted(self: EoCodec, raw: bytes) -> bytes:
        calls.append(raw)
        return original(self, raw)

    monkeypatch.setattr(EoCodec, "prepare", counted)
    sent: dict[object, bytes] = {}
    for server in servers:
        server.send(body)
        (frame,) = server.outgoing(0.0)
        assert sent.setdefault(server.share_key, frame) is frame
    assert len(calls) == 7


def test_multiples_and_starts_are_some_of_the_original_server() -> None:
    """All clients are told the same with one multiple."""
    greetings = [codec(seed=seed).greet() for seed in range(600)]
    assert {greeting.server_multiple for greeting in greetings} == {12}
    assert {greeting.client_multiple for greeting in greetings} == set(range(6, 13))
    starts = {init_start(greeting.seq1, greeting.seq2) for greeting in greetings}
    assert min(starts) >= 0
    assert max(starts) <= 240
    assert len(starts) > 200


def test_the_same_entropy_gives_the_same_greeting() -> None:
    assert codec(seed=5).greet() == codec(seed=5).greet()


@given(st.data())
def test_any_split_gives_the_same_frames(data: st.DataObject) -> None:
    server, peer = introduced()
    messages = data.draw(st.lists(st.binary(max_size=60), min_size=1, max_size=6))
    packets = [TalkReportClientPacket(message=raw.decode("latin-1")) for raw in messages]
    stream = b"".join(peer.frame(packet) for packet in packets)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    frames = []
    for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True):
        server.receive(memoryview(stream)[begin:end], 0.0)
        frames += drain(server)
    assert frames == [eolib_bytes(packet) for packet in packets]


@given(st.binary(max_size=200), st.booleans())
def test_garbage_raises_wire_errors_only(data: bytes, greeted: bool) -> None:
    server = codec()
    if greeted:
        server.greet()
    server.receive(data, 0.0)
    try:
        for frame in drain(server):
            decode_client(frame)
    except WireError:
        pass
