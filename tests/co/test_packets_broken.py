"""Conquer Online's packets there and back, and as others may send them: short, long, lying, broken."""

from __future__ import annotations

import contextlib
import struct
from typing import TYPE_CHECKING, Final, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protocol.co import packets as co
from protocol.co.packets import decode_client, decode_server, type_of
from protocol.co.packets.base import StringPack
from protocol.co.versions import NEWEST, CoVersion
from protocol.endings import WireError
from protocol.wire.fields import Numbers
from tests.kit.co_strategies import client_messages, played, record_of, server_messages
from tests.kit.strategies import mutated

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.co.packets import Message

OLD: Final = CoVersion.V5017
NEW: Final = CoVersion.V5065
EVERY: Final = tuple(dict.fromkeys((*co.CLIENT_MESSAGES, *co.SERVER_MESSAGES)))


# What others send


def test_what_is_missing_at_the_end_is_nothing() -> None:
    assert co.ItemAction.decode(b"\x14\0\xf1\3" + b"\7" * 16).amount == 0
    assert co.Connect.decode(b"\x0c\0\x1c\4" + b"\7" * 8) == co.Connect(0x07070707, 0x07070707, 0, "")
    assert co.Walk.decode(b"\x09\0\xed\3\1\0\0\0\5") == co.Walk(id=1, direction=5, mode=co.Pace.WALK)
    assert co.Talk.decode(b"\x18\0\xec\3" + bytes(20)).strings == ()
    assert co.TaskDialog.decode(b"\x0c\0\xf0\7\0\0\0\0\0\0\3\x65") == co.TaskDialog(0, 0, 3, 101)
    assert co.Account.decode(b"\x08\0\x1b\4Anna") == co.Account("Anna", bytes(16), "")


def test_fixed_packets_cut_anywhere_are_read() -> None:
    for cls in co.CLIENT_MESSAGES:
        for size in range(80):
            for filler in (b"\0", b"\xff"):
                frame = struct.pack("<HH", size + 4, cls.type) + filler * size
                with contextlib.suppress(WireError):
                    assert type(cls.decode(frame)) is cls
                    continue
                assert any(isinstance(member.field, StringPack | Numbers) for member in cls.MEMBERS)


def test_both_sizes_of_a_step_are_read_in_both_versions() -> None:
    step = co.Walk(id=9, direction=7, mode=co.Pace.RUN)
    for written in (OLD, NEW):
        for read in (OLD, NEW):
            assert co.Walk.decode(step.encode(written), read) == step


@given(client_messages(), st.binary(max_size=40))
def test_what_follows_the_last_field_is_ignored(message: Message, tail: bytes) -> None:
    assert type(message).decode(message.encode(NEWEST) + tail) == message


@pytest.mark.parametrize(
    "pack",
    [
        pytest.param("01", id="no string"),
        pytest.param("ff" + "00" * 254, id="fewer than counted"),
        pytest.param("04 01 41 01 42", id="the last two missing"),
        pytest.param("01 ff 41", id="longer than the packet"),
        pytest.param("02 01 41 ff", id="the last longer than the packet"),
        pytest.param("01 01", id="cut"),
    ],
)
def test_a_string_pack_that_lies_is_refused(pack: str) -> None:
    talk = bytes(20) + bytes.fromhex(pack)
    with pytest.raises(WireError):
        co.Talk.decode(struct.pack("<HH", len(talk) + 4, co.Talk.type) + talk)
    answer = bytes(8) + bytes.fromhex(pack)
    with pytest.raises(WireError):
        co.TaskDialog.decode(struct.pack("<HH", len(answer) + 4, co.TaskDialog.type) + answer)


def test_a_list_that_lies_is_refused() -> None:
    for count in (1, 3, 255):
        with pytest.raises(WireError):
            decode_client(struct.pack("<HHBBHHB", 11, co.DataArray.type, 0, count, 0, 7, 0))
    for count in (1, 1025, 0x7FFFFFFF, 0xFFFFFFFF):
        with pytest.raises(WireError):
            decode_server(struct.pack("<HHII", 12, co.UserAttrib.type, 1, count), OLD)


def test_strings_that_are_not_there_are_empty() -> None:
    talk = co.Talk(0, co.Channel.TALK, 0, 0, 0, 0, ("Al", "Bo"))
    assert (talk.speaker, talk.hearer, talk.emotion, talk.words) == ("Al", "Bo", "", "")
    more = co.said("hi", co.Channel.WHISPER, speaker="Al", hearer="Bo", speaker_look=1, hearer_look=2)
    assert (more.speaker, more.hearer, more.emotion, more.words) == ("Al", "Bo", "", "hi")
    assert (more.speaker_look, more.hearer_look) == (1, 2)


@pytest.mark.parametrize("filler", [b"\xff", b"\x80", b"\x7f"])
def test_huge_numbers_are_read_as_they_are(filler: bytes) -> None:
    most = int.from_bytes(filler * 4, "little")
    asked = decode_client(struct.pack("<HH", 24, co.ItemAction.type) + filler * 20)
    assert asked == co.ItemAction(most, most, most, most, most)
    acted = decode_client(struct.pack("<HH", 24, co.Action.type) + filler * 20)
    half = most & 0xFFFF
    assert acted == co.Action(most, most, most, half, half, half, half)
    assert co.unpack_xy(most) == (half, half)


def test_weather_blows_both_ways() -> None:
    wind = co.Weather(kind=co.WeatherKind.RAIN, intensity=100, direction=-60, colour=0)
    assert wind.encode(OLD)[12:16] == b"\xc4\xff\xff\xff"
    assert decode_server(wind.encode(OLD), OLD) == wind


# What does not fit


def test_names_end_with_a_zero_however_long_they_are() -> None:
    friend = co.Friend(id=1, action=co.FriendAction.INFO, online=1, name="x" * 40)
    assert friend.encode(OLD)[20:] == b"x" * 15 + b"\0"
    assert co.Friend.decode(b"\x24\0\xfb\3" + bytes(16) + b"y" * 16).name == "y" * 16


def test_long_and_foreign_words_are_cut_and_replaced() -> None:
    cut = decode_server(co.said("x" * 600, co.Channel.TALK).encode(OLD), OLD)
    assert cast("co.Talk", cut).words == "x" * 255
    odd = decode_server(co.said("grüß\0 Łódź €", co.Channel.TALK).encode(OLD), OLD)
    assert cast("co.Talk", odd).words == "grüß ?ód? €"
    many = co.NameMessage(1, co.NameKind.MEMBERS, ("a",) * 300)
    assert cast("co.NameMessage", decode_server(many.encode(OLD), OLD)).strings == ("a",) * 255


def test_a_packet_that_does_not_fit_is_our_mistake() -> None:
    with pytest.raises(ValueError, match="Walk"):
        co.Walk(id=-1, direction=0).encode(OLD)
    with pytest.raises(ValueError, match="UserAttrib of 72012 bytes"):
        co.UserAttrib(1, (co.AttributeEntry(0, 0),) * 6000).encode(OLD)


# Properties


@settings(max_examples=150)
@given(client_messages(), st.sampled_from(CoVersion))
def test_client_packets_survive_the_wire(message: Message, version: CoVersion) -> None:
    frame = message.encode(version)
    assert int.from_bytes(frame[:2], "little") == len(frame)
    assert type(message).decode(frame, version) == message
    # The handlers' tables read all clients' packets with the newest layout.
    assert type(message).decode(frame) == message or type(message) in co.SERVER_MESSAGES


@settings(max_examples=150)
@given(st.data(), st.sampled_from(CoVersion))
def test_server_packets_survive_the_wire(data: st.DataObject, version: CoVersion) -> None:
    message = data.draw(server_messages(version))
    frame = message.encode(version)
    assert int.from_bytes(frame[:2], "little") == len(frame)
    assert type(message).decode(frame, version) == message


@pytest.mark.parametrize("version", CoVersion)
def test_every_class_survives_the_wire(version: CoVersion) -> None:
    # One of each at least, however few examples are drawn.
    @settings(max_examples=4, database=None)
    @given(st.data())
    def survives(data: st.DataObject) -> None:
        for cls in EVERY:
            message = data.draw(record_of(cls, version))
            assert cls.decode(message.encode(version), version) == message

    cast("Callable[[], None]", survives)()


@settings(max_examples=150)
@given(mutated(client_messages().map(lambda message: message.encode(NEWEST)), keep=4))
def test_broken_client_packets_are_read_or_refused(frame: bytes) -> None:
    with contextlib.suppress(WireError):
        assert type(decode_client(frame)).type == type_of(frame)


@settings(max_examples=150)
@given(
    mutated(server_messages(NEW).map(lambda message: message.encode(NEW)), keep=4), st.sampled_from(CoVersion)
)
def test_broken_server_packets_are_read_or_refused(frame: bytes, version: CoVersion) -> None:
    with contextlib.suppress(WireError):
        assert type(decode_server(frame, version)).type == type_of(frame)


@pytest.mark.parametrize("name", played((430, 380), 1_000_000))
def test_what_is_played_survives_the_wire(name: str) -> None:
    @settings(max_examples=20, database=None)
    @given(played((430, 380), 1_000_000)[name])
    def survives(message: Message) -> None:
        assert type(message) in co.CLIENT_MESSAGES
        again = type(message).decode(message.encode(OLD))
        if isinstance(message, co.Register):
            assert again.encode(OLD) == message.encode(OLD)
        else:
            assert again == message

    cast("Callable[[], None]", survives)()
