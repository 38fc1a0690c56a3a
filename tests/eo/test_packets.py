"""eolib's packets through our reader, writer and registry, with eolib's own as the second opinion."""

from __future__ import annotations

import json
from pathlib import Path

import eolib
import pytest
from eolib import Packet
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.eo.packets import (
    CLIENT_PACKETS,
    SERVER_PACKETS,
    decode_client,
    decode_server,
    decoder,
    encode,
    name_of,
    opcode_of_class,
    opcode_of_frame,
)
from protocol.eo.packets.describe import Field, describe, document
from tests.kit.eo_peer import eolib_bytes, eolib_read
from tests.kit.eo_strategies import contents, frames, mutated, numbers_in, packets

GOLDEN = Path(__file__).parents[1] / "golden" / "eo"
RECORDED = json.loads((GOLDEN / "packets.json").read_text())["cases"]
STEPS = json.loads((GOLDEN / "session_steps_eoserv.json").read_text())["steps"]

ALL = [*CLIENT_PACKETS.values(), *SERVER_PACKETS.values()]


def title(packet: type[Packet]) -> str:
    return packet.__name__


def test_the_registry_knows_every_packet() -> None:
    assert (len(CLIENT_PACKETS), len(SERVER_PACKETS)) == (128, 194)
    assert CLIENT_PACKETS[6 << 8 | 8] is eolib.WalkPlayerClientPacket
    assert SERVER_PACKETS[6 << 8 | 8] is eolib.WalkPlayerServerPacket
    assert opcode_of_frame(bytes((8, 6, 1, 2))) == opcode_of_class(eolib.WalkPlayerClientPacket)
    assert name_of(eolib.WalkPlayerClientPacket) == "Walk_Player"
    with pytest.raises(TypeError, match="no packet"):
        opcode_of_class(int)


@pytest.mark.parametrize("case", RECORDED, ids=lambda case: case["packet"])
def test_recorded_packets(case: dict[str, str | int]) -> None:
    frame = bytes((int(case["action"]), int(case["family"]))) + bytes.fromhex(str(case["payload"]))
    decode = decode_client if str(case["packet"]).endswith("ClientPacket") else decode_server
    packet = decode(frame)
    assert repr(packet) == case["repr"]
    assert encode(packet) == frame


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["step"])
def test_recorded_actions_and_their_answers(step: dict[str, str | list[dict[str, str]]]) -> None:
    plain = bytes.fromhex(str(step["plain"]))
    assert type(decode_client(plain[:2] + plain[3:])).__name__ == step["packet"]
    for reply in (*step["replies_to_A"], *step["replies_to_B"]):
        assert isinstance(reply, dict)
        cls = getattr(eolib, reply["packet"])
        head = bytes((int(cls.action()), int(cls.family())))
        # The recording cut long ones after 400 characters.
        assert repr(decode_server(head + bytes.fromhex(reply["payload"])))[:400] == reply["repr"]


@pytest.mark.parametrize("cls", CLIENT_PACKETS.values(), ids=title)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_client_packets_survive_the_wire(cls: type[Packet], data: st.DataObject) -> None:
    packet = data.draw(packets(cls))
    frame = encode(packet)
    assert frame == eolib_bytes(packet)
    assert contents(decode_client(frame)) == contents(packet)


@pytest.mark.parametrize("cls", SERVER_PACKETS.values(), ids=title)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_server_packets_survive_the_wire(cls: type[Packet], data: st.DataObject) -> None:
    packet = data.draw(packets(cls))
    frame = encode(packet)
    assert frame == eolib_bytes(packet)
    # Some constructors take what the wire cannot tell apart (an optional field after a missing one), so the
    # packet itself is no measure here.
    assert contents(decode_server(frame)) == contents(eolib_read(cls, frame))


@pytest.mark.parametrize("cls", CLIENT_PACKETS.values(), ids=title)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_broken_packets_read_as_eolib_reads_them_or_are_refused(
    cls: type[Packet], data: st.DataObject
) -> None:
    frame = data.draw(mutated(packets(cls).map(encode)))
    try:
        ours = contents(decoder(cls)(frame))
    except WireError:
        assert 0 in frame or 0xFF in frame or cls is eolib.InitInitClientPacket
        return
    assert all(number >= 0 for number in numbers_in(ours))
    assert ours == contents(eolib_read(cls, frame))


@given(mutated(frames(CLIENT_PACKETS.values())))
def test_mutated_frames_raise_wire_errors_only(frame: bytes) -> None:
    try:
        packet = decode_client(frame)
    except WireError:
        return
    assert all(number >= 0 for number in numbers_in(contents(packet)))


@pytest.mark.parametrize("cls", CLIENT_PACKETS.values(), ids=title)
def test_an_empty_payload_reads_as_nothing(cls: type[Packet]) -> None:
    frame = bytes((int(cls.action()), int(cls.family())))
    if cls is eolib.InitInitClientPacket:
        with pytest.raises(WireError, match="no Endless Online client"):
            decode_client(frame)
    else:
        assert type(decode_client(frame)) is cls


def test_trailing_bytes_are_ignored() -> None:
    packet = eolib.BankAddClientPacket(amount=5, session_id=7)
    assert contents(decode_client(encode(packet) + b"and more")) == contents(packet)


@pytest.mark.parametrize("payload", ["00fefefe", "01000101", "0000", "fd00"])
def test_numbers_below_zero_are_refused(payload: str) -> None:
    """eolib reads the digit 00 as -1: a client could put a negative amount into the bank."""
    with pytest.raises(WireError, match="bad_number"):
        decode_client(bytes((7, 36)) + bytes.fromhex(payload))


@pytest.mark.parametrize("frame", [b"", b"\x01", b"\x63\x63", b"\x01\x63payload"])
def test_unknown_opcodes(frame: bytes) -> None:
    with pytest.raises(WireError, match=r"unknown_opcode|bad_packet"):
        decode_client(frame)


def test_the_constant_of_init_init_is_checked() -> None:
    hello = eolib.InitInitClientPacket(
        challenge=9, version=eolib.Version(major=0, minor=0, patch=28), hdid="123"
    )
    frame = bytearray(encode(hello))
    assert contents(decode_client(bytes(frame))) == contents(hello)
    assert frame[8] == 113
    frame[8] = 112
    with pytest.raises(WireError, match="no Endless Online client"):
        decode_client(bytes(frame))


def test_numbers_that_do_not_fit_are_our_bug() -> None:
    for player_id in (-1, 64009):
        with pytest.raises(ValueError, match="cannot hold"):
            encode(eolib.TalkPlayerServerPacket(player_id=player_id, message=""))
    for x in (-1, 253):
        with pytest.raises(ValueError, match="cannot hold"):
            encode(eolib.DoorOpenClientPacket(coords=eolib.Coords(x=x, y=0)))
    for amount in (-1, 253**4):
        with pytest.raises(ValueError, match="cannot hold"):
            encode(eolib.BankAddClientPacket(amount=amount, session_id=1))
    for session_id in (-1, 253**3):
        with pytest.raises(ValueError, match="cannot hold"):
            encode(eolib.BankAddClientPacket(amount=1, session_id=session_id))


def test_a_break_byte_in_a_name_is_replaced() -> None:
    packet = eolib.LoginRequestClientPacket(username="ÿan", password="secret")
    assert encode(packet) == eolib_bytes(packet)
    decoded = decode_client(encode(packet))
    assert isinstance(decoded, eolib.LoginRequestClientPacket)
    assert (decoded.username, decoded.password) == ("yan", "secret")


def test_description() -> None:
    assert describe(eolib.WalkPlayerClientPacket) == [
        Field("walk_action", "WalkAction", ""),
        Field("walk_action.direction", "Direction", ""),
        Field("walk_action.timestamp", "three", ""),
        Field("walk_action.coords", "Coords", ""),
        Field("walk_action.coords.x", "char", ""),
        Field("walk_action.coords.y", "char", ""),
    ]
    assert describe(eolib.RangeRequestClientPacket) == [
        Field("player_ids", "short[]", ""),
        Field("npc_indexes", "char[]", ""),
    ]
    assert Field("sit_action_data.SitActionDataSit.cursor_coords.x", "char", "") in describe(
        eolib.SitRequestClientPacket
    )


@pytest.mark.parametrize("cls", ALL, ids=title)
def test_every_packet_has_a_page(cls: type[Packet]) -> None:
    page = document(cls, "client")
    assert page.startswith(f"### {name_of(cls)} (client, family {int(cls.family())}, ")
    for field in describe(cls):
        assert f"| {field.name} | {field.type} |" in page
