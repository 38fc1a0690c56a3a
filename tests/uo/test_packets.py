"""Packets against recorded sessions of a running ServUO, and against themselves."""

import json
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.endings import WireError
from protocol.uo.handlers import TABLE
from protocol.uo.packets import CLIENT_PACKETS, SERVER_PACKETS, number_of_frame
from protocol.uo.packets.base import ServerPacket
from protocol.uo.packets.dialogs import GumpAnswer, GumpLine, PackedGump
from protocol.uo.packets.entering import (
    Clock,
    LoginComplete,
    LoginConfirm,
    MapChange,
    MapPatches,
    Season,
)
from protocol.uo.packets.fighting import Attacking, Damage, DamageOld, Swing, WarMode
from protocol.uo.packets.login import (
    CharacterList,
    CharacterListOld,
    CreateCharacterFourSkills,
    Features,
    FeaturesOld,
    Relay,
    ServerList,
    VersionRequest,
)
from protocol.uo.packets.misc import Effect, Sound
from protocol.uo.packets.motion import MobileMoved, PlayerPlaced, WalkAccepted, WalkRequest
from protocol.uo.packets.people import Animation, MobileIncoming, MobileIncomingOld, NewAnimation, WornItem
from protocol.uo.packets.sky import GlobalLight, PersonalLight
from protocol.uo.packets.status import Attributes, HealthBar, Stamina, StatusAos, StatusHs, StatusMl
from protocol.uo.packets.talk import AsciiMessage, LocalizedMessage, UnicodeMessage, UnicodeSpeech
from protocol.uo.packets.things import (
    ContainedItem,
    ContainedItemOld,
    ContainerContent,
    ContainerOpened,
    ContainerOpenedOld,
    DragEffect,
    GroundItem,
    PropertiesRevision,
    Removed,
)
from protocol.uo.versions import VARIABLE, Status, VersionNumber, client_lengths, server_lengths, version_of
from protocol.wire.declare import Packet
from tests.kit.strategies import mutated, strategy_for

SESSIONS = {
    path.stem: json.loads(path.read_text())
    for path in sorted((Path(__file__).parents[1] / "golden/uo/sessions").glob("*.json"))
}
VERSIONS: list[VersionNumber] = [
    (2, 0, 3, 0),
    (4, 0, 11, 0),
    (5, 0, 9, 1),
    (6, 0, 14, 2),
    (7, 0, 0, 0),
    (7, 0, 9, 0),
    (7, 0, 15, 1),
    (7, 0, 35, 0),
    (7, 0, 102, 3),
]


def number_of(session: dict[str, str]) -> VersionNumber:
    major, minor, revision, patch = map(int, session["client_version"].split("."))
    return major, minor, revision, patch


def recorded(direction: str) -> list[tuple[VersionNumber, bytes]]:
    """All different packets of one direction, each once per version; raw seeds are none."""
    found: dict[tuple[VersionNumber, bytes], None] = {}
    for session in SESSIONS.values():
        for step in session["steps"]:
            packet = bytes.fromhex(step["packet"])
            if step["dir"] == direction and not (direction == "client" and len(packet) == 4):
                found[number_of(session), packet] = None
    return list(found)


def server_classes(version: VersionNumber) -> dict[int, type[ServerPacket]]:
    """What each recorded opcode of that version is, chosen by hand and not by our versions."""
    classes: list[type[ServerPacket]] = [
        AsciiMessage,
        Attacking,
        Attributes,
        Clock,
        DragEffect,
        GlobalLight,
        HealthBar,
        GroundItem,
        LocalizedMessage,
        LoginComplete,
        LoginConfirm,
        MapChange,
        MapPatches,
        MobileMoved,
        NewAnimation,
        PackedGump,
        PersonalLight,
        PlayerPlaced,
        PropertiesRevision,
        Relay,
        Removed,
        Season,
        ServerList,
        Sound,
        UnicodeMessage,
        VersionRequest,
        WalkAccepted,
        WarMode,
        WornItem,
    ]
    classes.append(Features if version >= (6, 0, 14, 2) else FeaturesOld)
    classes.append(CharacterList if version >= (7, 0, 13, 0) else CharacterListOld)
    classes.append(MobileIncoming if version >= (7, 0, 33, 1) else MobileIncomingOld)
    classes.append(ContainedItem if version >= (6, 0, 1, 7) else ContainedItemOld)
    classes.append(ContainerContent)
    classes.append(ContainerOpened if version >= (7, 0, 9, 0) else ContainerOpenedOld)
    if version >= (7, 0, 30, 0):
        classes.append(StatusHs)
    else:
        classes.append(StatusMl if version >= (5, 0, 0, 1) else StatusAos)
    return {cls.opcode: cls for cls in classes}


NOT_SENT_HERE = {0x6C, 0x6D, 0x76, 0xDF, 0xBF25}
"""Recorded and not sent by us: target, music, server change, buff, ability."""

ALL: list[type[Packet]] = [*CLIENT_PACKETS, *SERVER_PACKETS]


@pytest.mark.parametrize(("version", "frame"), recorded("client"), ids=lambda value: str(value)[:24])
def test_recorded_client_packets_decode_and_encode_identically(version: VersionNumber, frame: bytes) -> None:
    entry = TABLE.entry(number_of_frame(frame))
    assert entry is not None
    packet = entry.decode(frame)
    assert packet.encode() == frame  # type: ignore[attr-defined]
    assert client_lengths(version)[frame[0]] in (VARIABLE, len(frame))


def test_recorded_server_packets_decode_and_encode_identically() -> None:
    seen: dict[str, int] = {}
    for version, frame in recorded("server"):
        number = 0xBF00 | frame[4] if frame[0] == 0xBF else frame[0]
        if number in NOT_SENT_HERE:
            continue
        cls = server_classes(version)[number]
        again = cls.decode(frame).encode()
        # How well zlib packs is not part of the protocol.
        assert again == frame or (cls is PackedGump and PackedGump.decode(again) == PackedGump.decode(frame))
        seen[cls.__name__] = seen.get(cls.__name__, 0) + 1
    assert len(seen) == 42, sorted(seen)


def test_recorded_packets_say_what_was_there() -> None:
    moved = MobileMoved.decode(bytes.fromhex("770000007801900db10a0e008283ea0001"))
    assert moved == MobileMoved(0x78, 0x190, 3505, 2574, 0, 0x82, 0x83EA, 0, 1)
    ground = GroundItem.decode(bytes.fromhex("f300010040000a410eed00004d004d0db00a0f002b0000200000"))
    assert (ground.item, ground.amount, ground.x, ground.y, ground.flags) == (0x0EED, 77, 3504, 2575, 0x20)
    created = CreateCharacterFourSkills.decode(
        next(frame for _, frame in recorded("client") if frame[0] == 0xF8)
    )
    assert (created.strength, created.dexterity, created.intelligence) == (60, 10, 20)
    assert (created.hair, created.hair_hue, created.skin_hue, created.shirt_hue) == (
        0x203B,
        0x44E,
        0x83EA,
        0x1BB,
    )
    asked = WalkRequest.decode(bytes.fromhex("02020100000000"))
    assert asked == WalkRequest(2, 1, 0)
    gump = PackedGump.decode(next(frame for _, frame in recorded("server") if frame[0] == 0xDD))
    assert (gump.x, gump.y) == (50, 40)
    assert gump.layout.startswith("{ ")
    assert gump.lines[0] == GumpLine(gump.lines[0].text)


@pytest.mark.parametrize(
    ("packed", "keywords"),
    [("001002", (2,)), ("00200703c0", (7, 0x3C)), ("0000", ())],
)
def test_keywords_are_packed_as_clients_do(packed: str, keywords: tuple[int, ...]) -> None:
    frame = bytes.fromhex("ad0000" + "c0" + "0034" + "0003" + "454e5500" + packed) + b"b\xc3\xa4nk\0"
    speech = UnicodeSpeech.decode(frame[:1] + len(frame).to_bytes(2, "big") + frame[3:])
    assert (speech.keywords, speech.text, speech.language) == (keywords, "bänk", "ENU")
    assert speech.encode()[12:] == frame[12:]


def test_a_gump_answer_with_everything() -> None:
    frame = bytes.fromhex(
        "b1 0029 00000007 12345678 00000001 00000002 00000005 00000009 00000001 0003 0002 00480069"
    )
    answer = GumpAnswer.decode(frame)
    assert (answer.serial, answer.kind, answer.button, answer.switches) == (7, 0x12345678, 1, (5, 9))
    assert [(entry.number, entry.text) for entry in answer.entries] == [(3, "Hi")]


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_decoding_undoes_encoding(cls: type[Packet], data: st.DataObject) -> None:
    packet = data.draw(strategy_for(cls))
    frame = packet.encode()
    assert cls.decode(frame) == packet
    assert len(frame) >= cls.minimum
    if cls.length is not None:
        assert len(frame) == cls.length
    else:
        assert int.from_bytes(frame[1:3], "big") == len(frame)


@pytest.mark.parametrize("cls", ALL, ids=lambda cls: cls.__name__)
@given(data=st.data())
@settings(max_examples=10, deadline=None)
def test_cut_anywhere_it_is_a_wire_error_or_a_packet(cls: type[Packet], data: st.DataObject) -> None:
    frame = data.draw(strategy_for(cls)).encode()
    for size in range(1, len(frame)):
        try:
            cls.decode(frame[:size])
        except WireError:
            continue
        assert cls.length is None


@pytest.mark.parametrize("cls", CLIENT_PACKETS, ids=lambda cls: cls.__name__)
@given(data=st.data())
@settings(max_examples=25, deadline=None)
def test_garbage_is_a_wire_error_or_a_packet(cls: type[Packet], data: st.DataObject) -> None:
    frame = data.draw(mutated(strategy_for(cls).map(lambda packet: packet.encode())))
    try:
        cls.decode(frame)
    except WireError:
        return


@pytest.mark.parametrize("version", VERSIONS)
def test_every_packet_a_client_may_send_has_an_entry(version: VersionNumber) -> None:
    frames = [bytes([opcode]) + bytes(max(4, size - 1)) for opcode, size in client_lengths(version).items()]
    assert [frame[0] for frame in frames if TABLE.entry(number_of_frame(frame)) is None] == []


@pytest.mark.parametrize("version", VERSIONS)
def test_client_packets_have_the_tables_size(version: VersionNumber) -> None:
    lengths = client_lengths(version)
    for cls in CLIENT_PACKETS:
        first = cls.opcode if cls.opcode <= 0xFF else cls.opcode >> 8
        if cls.__name__ in ("Drop", "DropOld"):
            assert cls.length in (14, 15)
        elif first in lengths:
            assert lengths[first] == (cls.length or VARIABLE), cls.__name__


def test_server_packets_have_the_size_some_version_reads() -> None:
    for cls in SERVER_PACKETS:
        first = cls.opcode if cls.opcode <= 0xFF else cls.opcode >> 8
        assert (cls.length or VARIABLE) in {server_lengths(version)[first] for version in VERSIONS}, (
            cls.__name__
        )


def test_extended_packets_are_told_apart_by_their_number() -> None:
    assert number_of_frame(bytes.fromhex("bf0009001012345678")) == 0xBF10
    assert number_of_frame(bytes.fromhex("bf000500ee")) == 0xBF00
    assert number_of_frame(bytes.fromhex("bf00051010")) == 0xBF00
    assert number_of_frame(bytes.fromhex("bf0003")) == 0xBF00
    assert TABLE.entry(0xBF00) is not None


def test_the_two_layouts_of_a_drop_are_told_apart_by_size() -> None:
    new = bytes.fromhex("08400007d60db00a0e0000ffffffff")
    old = bytes.fromhex("08400007d60db00a0e00ffffffff")
    assert TABLE.entry(number_of_frame(new)) is not TABLE.entry(number_of_frame(old))
    for frame in (new, old):
        entry = TABLE.entry(number_of_frame(frame))
        assert entry is not None
        packet = entry.decode(frame)
        assert packet.encode() == frame  # type: ignore[attr-defined]
        assert (packet.x, packet.y, packet.target) == (3504, 2574, 0xFFFFFFFF)  # type: ignore[attr-defined]


def test_only_what_leaves_no_wrong_belief_may_be_dropped() -> None:
    assert {cls for cls in SERVER_PACKETS if cls.droppable} == {
        *(Animation, DragEffect, NewAnimation, Sound),
        *(Damage, DamageOld, Swing, Effect),
    }


def test_stamina_is_not_mana() -> None:
    assert Stamina(1, 50, 40).encode() == bytes.fromhex("a30000000100320028")


@pytest.mark.parametrize("version", VERSIONS)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_each_version_reads_what_is_written_for_it(version: VersionNumber, data: st.DataObject) -> None:
    layouts, lengths = version_of(version), server_lengths(version)
    for cls in (
        Features if layouts.wide_features else FeaturesOld,
        CharacterList if layouts.placed_cities else CharacterListOld,
        {Status.AOS: StatusAos, Status.ML: StatusMl, Status.HS: StatusHs}[layouts.status],
    ):
        frame = data.draw(strategy_for(cls)).encode()
        assert lengths[frame[0]] in (VARIABLE, len(frame))
