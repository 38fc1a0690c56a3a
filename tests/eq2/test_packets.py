"""Every message and structure of version 546: the vectors bit for bit, there and back, and garbage."""

from __future__ import annotations

import contextlib
import json
import math
import struct
from pathlib import Path
from typing import TYPE_CHECKING, Final, get_type_hints

import attrs
import pytest
from hypothesis import given, settings

from protocol.endings import WireError
from protocol.eq2 import packets as eq2
from protocol.eq2.packets import CLIENT_MESSAGES, RECORDS, SERVER_MESSAGES, Message, Record
from protocol.eq2.packing import pack, unpack, xor
from tests.kit.eq2_strategies import (
    broken_payloads,
    client_messages,
    newest,
    record_of,
    server_messages,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

GOLDEN: Final = Path(__file__).parents[1] / "golden" / "eq2"
STRUCTS: Final = {
    name: bytes.fromhex(row["hex"])
    for name, row in json.loads((GOLDEN / "structs_v546.json").read_text()).items()
}
MOVEMENT: Final = json.loads((GOLDEN / "movement_v546.json").read_text())

NEWEST: Final = newest()

EXAMPLES: Final = 30
"""Of each message and structure. Few of their fields depend on others, and each example tries other values of
every field; all of the structures are in the messages of servers as well."""

POSITION: Final = eq2.GhostPosition(
    grid=123,
    heading1=5760,
    heading2=5760,
    mode=64,
    x=1.5,
    y=-2.0,
    z=3.25,
    collision_radius=32,
    size=32,
    face_actor=0,
)


def body(message: Message) -> bytes:
    """What follows the type id."""
    payload = NEWEST.encode(message)
    return payload[3:] if payload[0] == 0xFF else payload[1:]


def both_ways(message: Message, wanted: bytes) -> None:
    """Encodes to these bytes, which read as this message."""
    assert body(message) == wanted
    payload = NEWEST.encode(message)
    if type(message) in CLIENT_MESSAGES:
        assert NEWEST.decode_client(payload) == message
    if type(message) in SERVER_MESSAGES:
        assert NEWEST.decode_server(payload) == [message]


def struct_both_ways(record: Record, wanted: bytes) -> None:
    """The same for a structure."""
    assert NEWEST.pack_struct(record) == wanted
    assert NEWEST.unpack_struct(type(record), wanted) == record


# The vectors


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("LS_LoginRequest", eq2.LoginRequest("trio", "secret", 546)),
        ("LS_LoginReplyMsg_emu", eq2.LoginReply(0, 0, bytes.fromhex("ff7c00ff00000000000000")[:11])),
        ("LS_WorldList", eq2.WorldList((eq2.WorldEntry(1, "Trio", "Trio", players=3),))),
        ("LS_PlayResponse", eq2.PlayReply(1, "127.0.0.1", 9100, 7, 0x11223344)),
        ("LoginByNumRequest", eq2.LoginByNum(7, 0x11223344, 546)),
        (
            "WS_ZoneInfo",
            eq2.ZoneInfo("Trio", "Trio", "qey_colony", "Queens Colony", "Tester", 1.5, -2.0, 3.25),
        ),
        ("WS_GameWorldTime", eq2.GameWorldTime(3800, 2, 3, 12, 30)),
        ("WS_RemoteCmdMsg", eq2.RemoteCmd(17, "hello there")),
        ("WS_HearChat_body", eq2.HearChat(1, 0xFFFFFFFF, "Tester", "", 8, "hi", bubble=1)),
        ("WS_HearChat_serialized_packet", eq2.HearChat(1, 0xFFFFFFFF, "Tester", "", 8, "hi", bubble=1)),
        ("WS_DisplayText_serialized_packet", eq2.DisplayText(3, "welcome")),
        (
            "WS_SetControlGhost_serialized_packet",
            eq2.SetControlGhost(1, 32.0, struct.unpack("<f", struct.pack("<f", 0.51))[0]),
        ),
        ("WS_SetPOVGhost_serialized_packet", eq2.SetPovGhost(1)),
        ("WS_DestroyGhost_index2_serialized_packet", eq2.DestroyGhost(2)),
        ("WS_DestroyGhost_index300_serialized_packet", eq2.DestroyGhost(300)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_messages_of_the_vectors(name: str, message: Message) -> None:
    both_ways(message, STRUCTS[name])


def test_a_character_of_the_vectors() -> None:
    entry = eq2.CharacterEntry(
        5, 1, "Tester", 9, 1, 1, 10, "", zone_name="queens colony", appearance=eq2.Appearance()
    )
    wanted = STRUCTS["CharSelectProfile"]
    assert len(wanted) == 407
    read = NEWEST.unpack_struct(eq2.CharacterEntry, wanted)
    assert NEWEST.pack_struct(read) == wanted
    assert (read.id, read.server_id, read.name, read.race, read.level) == (5, 1, "Tester", 9, 10)
    assert attrs.evolve(entry, zone=read.zone, zone_name=read.zone_name) == read


def test_structures_of_a_ghost_in_the_vectors() -> None:
    position = NEWEST.unpack_struct(eq2.GhostPosition, STRUCTS["spawn_pos"])
    assert (position.x, position.y, position.z) == (1.5, -2.0, 3.25)
    assert (position.grid, position.heading1, position.heading2) == (123, 5760, 5760)
    struct_both_ways(position, STRUCTS["spawn_pos"])
    visible = NEWEST.unpack_struct(eq2.GhostVisible, STRUCTS["spawn_vis"])
    assert (visible.arrow, visible.flags, visible.targetable, visible.show_name) == (3, 1, 1, 1)
    struct_both_ways(visible, STRUCTS["spawn_vis"])
    info = eq2.GhostInfo(
        profession=1,
        effective_level=10,
        level=10,
        hits_code=100,
        model=134,
        soga_model=134,
        name="Tester",
        race=9,
        gender=1,
    )
    struct_both_ways(info, STRUCTS["spawn_info"])


def test_a_created_ghost_of_the_vectors() -> None:
    plain = STRUCTS["spawn_pos"] + STRUCTS["spawn_vis"] + STRUCTS["spawn_info"]
    packed = STRUCTS["spawn_part2_packed_pos_vis_info"][4:]
    assert pack(plain, reverse=NEWEST.reverse) == packed
    assert unpack(packed, len(plain), reverse=NEWEST.reverse) == plain
    ghost = eq2.CreateGhost(index=1, spawn_id=1, packed=packed, timestamp=1000)
    assert STRUCTS["spawn_header"] in body(ghost)
    both_ways(ghost, STRUCTS["create_ghost_client_cmd_body"])


def test_a_moved_ghost_of_the_vectors() -> None:
    before = STRUCTS["spawn_pos"]
    position = NEWEST.unpack_struct(eq2.GhostPosition, before)
    position.x = 2.5
    delta = pack(xor(before, NEWEST.pack_struct(position)), reverse=NEWEST.reverse)
    update = eq2.UpdateGhost(timestamp=2000, position=eq2.GhostDelta(1, delta))
    both_ways(update, STRUCTS["update_ghost_pos_x_1.5_to_2.5_client_cmd_body"])


def test_movement_of_the_vectors() -> None:
    state = bytes(152)
    for number in ("1", "2"):
        payload = b"\x22" + bytes.fromhex(MOVEMENT["body" + number])
        message = NEWEST.decode_client(payload)
        assert isinstance(message, eq2.Movement)
        assert NEWEST.encode(message) == payload
        state = xor(state, unpack(message.packed, NEWEST.size_of(eq2.MovementState), reverse=NEWEST.reverse))
        assert state == bytes.fromhex(MOVEMENT["state" + number])
        record = NEWEST.unpack_struct(eq2.MovementState, state)
        struct_both_ways(record, state)
    assert (record.grid, record.x, record.y, record.z) == (123, 11.5, -2.0, 30.5)
    assert (record.desired_heading, record.heading, record.forward_speed) == (95.0, 95.0, 1.0)


@pytest.mark.parametrize(
    ("cls", "size"),
    [
        (eq2.MovementState, 152),
        (eq2.GhostPosition, 88),
        (eq2.GhostVisible, 78),
        (eq2.GhostInfo, 1089),
        (eq2.Appearance, 337),
        (eq2.Sheet, 4897),
    ],
)
def test_sizes(cls: type[Record], size: int) -> None:
    assert NEWEST.size_of(cls) == size
    assert len(NEWEST.pack_struct(cls())) == size


# Where the protocol's description says that things lie, of those that the vectors leave at zero.
PLACES: Final[Mapping[type[Record], Mapping[str, int]]] = {
    eq2.MovementState: {
        "state": 0,
        "state2": 4,
        "desired_heading": 8,
        "desired_pitch": 12,
        "speed_modifier": 16,
        "pitch_velocity": 20,
        "collision_radius": 24,
        "size": 28,
        "size_ratio": 32,
        "swim_modifier": 36,
        "strafe_speed": 40,
        "forward_speed": 44,
        "side_speed": 48,
        "vertical_speed": 52,
        "destination_x": 56,
        "destination2_x": 68,
        "base_x": 80,
        "face_actor": 92,
        "stop_range": 96,
        "mode": 108,
        "grid": 112,
        "x": 116,
        "heading": 128,
        "pitch": 132,
        "roll": 136,
        "velocity_x": 140,
    },
    eq2.GhostPosition: {
        "grid": 0,
        "velocity_x": 10,
        "heading1": 16,
        "heading2": 18,
        "speed": 20,
        "state": 22,
        "mode": 26,
        "heading_speed": 40,
        "move_type": 42,
        "swim_modifier": 44,
        "side_speed": 46,
        "vertical_speed": 48,
        "pitch1": 50,
        "pitch_speed": 52,
        "x": 60,
        "pitch2": 72,
        "collision_radius": 74,
        "size": 76,
        "size_multiplier": 78,
        "face_actor": 80,
        "stop_range": 84,
        "roll": 86,
    },
    eq2.GhostVisible: {
        "arrow": 0,
        "locked": 1,
        "consider": 2,
        "quest": 3,
        "flags": 5,
        "targetable": 6,
        "red_glow": 7,
        "show_name": 8,
        "attackable": 9,
        "attackable_icon": 10,
    },
    eq2.GhostInfo: {
        "hits_code": 0,
        "power_percent": 4,
        "target_id": 278,
        "follow_id": 282,
        "corpse": 294,
        "profession": 295,
        "effective_level": 296,
        "level": 297,
        "race": 1087,
        "gender": 1088,
    },
    eq2.Sheet: {
        "race": 41,
        "gender": 42,
        "class1": 43,
        "level": 67,
        "gm_level": 73,
        "hits": 125,
        "power": 137,
        "concentration": 149,
        "strength": 181,
        "intelligence": 189,
        "copper": 296,
        "platinum": 308,
        "weight": 312,
        "max_weight": 316,
    },
}


@pytest.mark.parametrize(
    ("cls", "name", "place"),
    [(cls, name, place) for cls, places in PLACES.items() for name, place in places.items()],
)
def test_places_in_structures(cls: type[Record], name: str, place: int) -> None:
    hint = get_type_hints(cls)[name]
    without, with_it = cls(), cls()
    setattr(without, name, hint(0))
    setattr(with_it, name, hint(1))
    difference = xor(NEWEST.pack_struct(without), NEWEST.pack_struct(with_it))
    # The first byte of a number 1; a float 1.0 has its last two bytes.
    assert next(at for at, byte in enumerate(difference) if byte) == place + (2 if hint is float else 0)


# What clients may leave out, or do not agree on


def test_a_refusal_is_one_byte() -> None:
    assert NEWEST.encode(eq2.PlayReply(eq2.PlayCode.REJECTED)) == b"\x13\x04"
    assert NEWEST.decode_server(b"\x13\x04") == [eq2.PlayReply(4)]


@pytest.mark.parametrize("filler", [0, 26])
def test_a_new_character_is_read_with_and_without_the_filler(filler: int) -> None:
    head = b"\x0b\x00" + struct.pack("<III", 7, 0, 1) + b"\x06\x00Tester" + bytes((9, 1, 0, 1, 1, 3))
    looks = b"\x00\x04" + b"\x05\x00human" + bytes(60 + filler) + b"\x04\x00hair" + bytes(200)
    message = NEWEST.decode_client(head + looks)
    assert message == eq2.CreateCharacter(1, "Tester", 9, 1, 0, 1, 1, 3, looks)


def test_a_new_character_may_end_behind_its_first_bytes() -> None:
    head = b"\x0b\x00" + struct.pack("<III", 7, 0, 1) + b"\x06\x00Tester" + bytes(6)
    assert NEWEST.decode_client(head) == eq2.CreateCharacter(1, "Tester", 0, 0, 0, 0, 0, 0)
    with pytest.raises(WireError):
        NEWEST.decode_client(head[:-1])


@pytest.mark.parametrize(
    ("payload", "message"),
    [
        ("12 05000000 01000000 00 0000", eq2.PlayCharacter(5, 1, "")),
        ("12 05000000 01000000 00", eq2.PlayCharacter(5, 1)),
        ("12 05000000 01000000", eq2.PlayCharacter(5, 1)),
        ("01 07000000 44332211 2202", eq2.LoginByNum(7, 0x11223344, 546)),
        ("01 07000000 44332211 2202 0000", eq2.LoginByNum(7, 0x11223344, 546)),
        ("1e", eq2.ZoneResourcesDone(None)),
        ("1e 02000000 0100 0200", eq2.ZoneResourcesDone((1, 2))),
        ("2a", eq2.Camp()),
        ("2a 01", eq2.Camp(1)),
        ("2a 01 01", eq2.Camp(1, 1)),
        ("35 ffff", eq2.Target(eq2.NO_TARGET)),
        ("35 ffff 00", eq2.Target(eq2.NO_TARGET)),
        ("21", eq2.UiLoaded()),
        ("24 0100 0400 68006900", eq2.RemoteCmd(1, "hi")),
    ],
)
def test_what_clients_may_leave_out_or_add(payload: str, message: Message) -> None:
    assert NEWEST.decode_client(bytes.fromhex(payload)) == message


# Numbers that cannot be


FLOATS: Final = [name for name, hint in get_type_hints(eq2.MovementState).items() if hint is float]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize("name", FLOATS)
def test_floats_are_finite(name: str, bad: float) -> None:
    state = eq2.MovementState()
    setattr(state, name, bad)
    with pytest.raises(WireError, match="finite"):
        NEWEST.unpack_struct(eq2.MovementState, NEWEST.pack_struct(state))


def test_the_largest_floats_are_finite() -> None:
    state = eq2.MovementState()
    for name in FLOATS:
        setattr(state, name, struct.unpack("<f", b"\xff\xff\x7f\x7f")[0])
    assert NEWEST.unpack_struct(eq2.MovementState, NEWEST.pack_struct(state)) == state


@pytest.mark.parametrize(
    "payload",
    [
        pytest.param("1e 28000000 010002000300", id="40 numbers in 6 bytes"),
        pytest.param("1e ffffffff 0100", id="4 billion numbers"),
        pytest.param("1e 01100000" + "0000" * 0x1001, id="one more than a list may have"),
        pytest.param("24 0000 0500 61", id="a text longer than its message"),
        pytest.param("24 0000 05", id="half a count"),
        pytest.param("22 00 01000000 01040000" + "00" * 0x401, id="more packed bytes than the client sends"),
        pytest.param("22 00 01000000 10000000 00", id="packed bytes that are not there"),
        pytest.param("22 ff00", id="half a type"),
        pytest.param("", id="nothing"),
        pytest.param("ff", id="half a type id"),
        pytest.param("ff9b01", id="a nested message"),
        pytest.param("08", id="a server's message"),
        pytest.param("fe", id="an unknown message"),
    ],
)
def test_what_cannot_be_raises_wire_error(payload: str) -> None:
    with pytest.raises(WireError):
        NEWEST.decode_client(bytes.fromhex(payload))


# Everything there is


@pytest.mark.parametrize("cls", CLIENT_MESSAGES, ids=lambda cls: cls.__name__)
def test_messages_of_clients_come_back(cls: type[Message]) -> None:
    @settings(max_examples=EXAMPLES)
    @given(record_of(cls))
    def check(message: Message) -> None:
        assert NEWEST.decode_client(NEWEST.encode(message)) == message

    check()


@pytest.mark.parametrize("cls", SERVER_MESSAGES, ids=lambda cls: cls.__name__)
def test_messages_of_servers_come_back(cls: type[Message]) -> None:
    @settings(max_examples=EXAMPLES)
    @given(record_of(cls))
    def check(message: Message) -> None:
        assert NEWEST.decode_server(NEWEST.encode(message)) == [message]

    check()


@pytest.mark.parametrize("cls", RECORDS, ids=lambda cls: cls.__name__)
def test_structures_come_back(cls: type[Record]) -> None:
    @settings(max_examples=EXAMPLES)
    @given(record_of(cls))
    def check(record: Record) -> None:
        data = NEWEST.pack_struct(record)
        assert NEWEST.unpack_struct(cls, data) == record
        with contextlib.suppress(WireError):
            NEWEST.unpack_struct(cls, data[:-1])

    check()


@given(broken_payloads(client_messages()) | broken_payloads(client_messages(), keep=0))
def test_garbage_of_clients_raises_only_wire_error(payload: bytes) -> None:
    with contextlib.suppress(WireError):
        message = NEWEST.decode_client(payload)
        # What was read can be written, and reads the same.
        assert NEWEST.decode_client(NEWEST.encode(message)) == message


@given(broken_payloads(server_messages()) | broken_payloads(server_messages(), keep=8))
def test_garbage_of_servers_raises_only_wire_error(payload: bytes) -> None:
    with contextlib.suppress(WireError):
        NEWEST.decode_server(payload)


@pytest.mark.parametrize("cls", CLIENT_MESSAGES, ids=lambda cls: cls.__name__)
def test_cut_messages_raise_only_wire_error(cls: type[Message]) -> None:
    @settings(max_examples=10)
    @given(record_of(cls))
    def check(message: Message) -> None:
        payload = NEWEST.encode(message)
        for end in range(min(len(payload), 80)):
            with contextlib.suppress(WireError):
                NEWEST.decode_client(payload[:end])

    check()


def test_several_nested_messages_in_one_command() -> None:
    one, other = eq2.DestroyGhost(7), eq2.UpdateTarget(5)
    nested = NEWEST.encode(one)[5:] + NEWEST.encode(other)[5:]
    assert NEWEST.decode_server(b"\x32" + len(nested).to_bytes(4, "little") + nested) == [one, other]
    for length in (len(nested) - 1, len(nested) + 1):
        with pytest.raises(WireError):
            NEWEST.decode_server(b"\x32" + length.to_bytes(4, "little") + nested)
    with pytest.raises(WireError):
        NEWEST.decode_server(b"\x32" + len(nested).to_bytes(4, "little") + nested + b"\0")


def test_passwords_and_keys_are_not_shown() -> None:
    shown = repr(eq2.LoginRequest("a", "secret", 546)) + repr(eq2.LoginByNum(1, 0x5EC2E7, 546))
    shown += repr(eq2.ChangeZone(1, 0x5EC2E7, "h", 1)) + repr(eq2.PlayReply(1, "h", 1, 1, 0x5EC2E7))
    assert "secret" not in shown
    assert str(0x5EC2E7) not in shown


@pytest.mark.parametrize(
    "message",
    [
        pytest.param(eq2.Target(70000), id="number"),
        pytest.param(eq2.RemoteCmd(1, "x" * 70000), id="text"),
        pytest.param(eq2.RemoteCmds(("x" * 300,)), id="short text"),
        pytest.param(eq2.CharacterSheet(bytes(0x8001)), id="blob"),
        pytest.param(eq2.Teleport(1e39, 0, 0), id="float"),
        pytest.param(eq2.WorldList((eq2.WorldEntry(1, "a", "b"),) * 256), id="list"),
    ],
)
def test_what_does_not_fit_is_our_error(message: Message) -> None:
    with pytest.raises(ValueError, match=r"."):
        NEWEST.encode(message)


def test_names_are_cut_to_their_place() -> None:
    info = NEWEST.unpack_struct(eq2.GhostInfo, NEWEST.pack_struct(eq2.GhostInfo(name="n" * 100)))
    assert info.name == "n" * 63  # a NUL ends it
