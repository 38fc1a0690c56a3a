"""The messages between worlds: what is written is read as it was, and whatever else comes is no message."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.cluster.messages import (
    MOST_BYTES,
    MOST_LEVEL,
    VERSION,
    Altered,
    BadMessage,
    Beat,
    Body,
    Heard,
    Release,
    Released,
    Roster,
    ToAll,
    ToCompany,
    ToOne,
    Who,
    decode,
    encode,
)
from world.elsewhere import Person
from world.serials import LAST_MOBILE
from world.words import LONGEST

SERIALS = st.integers(0, LAST_MOBILE)
NUMBERS = st.integers(0, 2**53)
TEXTS = st.text(max_size=LONGEST)
NAMES = st.text(max_size=64)
WHO = st.builds(
    Who,
    SERIALS,
    st.text(min_size=1, max_size=64),
    NAMES,
    NUMBERS,
    st.text(max_size=16),
    st.integers(0, MOST_LEVEL),
    st.integers(0, 100),
    st.booleans(),
    NAMES,
    NAMES,
    st.text(max_size=16),
)
CHANNELS = st.sampled_from(["party", "guild", "alliance"])
BODIES: st.SearchStrategy[Body] = st.one_of(
    st.builds(ToAll, WHO, TEXTS, st.booleans()),
    st.builds(ToOne, NUMBERS, WHO, SERIALS, TEXTS, st.booleans()),
    st.builds(Heard, NUMBERS, st.text(max_size=32), st.text(max_size=256)),
    st.builds(
        ToCompany,
        WHO,
        CHANNELS,
        TEXTS,
        st.lists(SERIALS, max_size=5),
        st.lists(NUMBERS, max_size=20),
        st.integers(0, 0xFFFF),
    ),
    st.builds(Beat, NAMES),
    st.builds(Release, NUMBERS, SERIALS),
    st.builds(Released, NUMBERS, st.booleans()),
    st.builds(Altered, NUMBERS),
    st.builds(Roster, NAMES, st.lists(WHO, max_size=5)),
)


@given(st.integers(1, 0x7FFFFFFF), BODIES)
def test_what_is_written_is_read_as_it_was(world: int, body: Body) -> None:
    message = decode(encode(world, body))
    assert (message.version, message.world, message.body) == (VERSION, world, body)


@given(BODIES, st.data())
def test_what_is_damaged_is_read_or_refused(body: Body, data: st.DataObject) -> None:
    whole = bytearray(encode(1, body))
    for _ in range(data.draw(st.integers(1, 3))):
        whole[data.draw(st.integers(0, len(whole) - 1))] = data.draw(st.integers(0, 255))
    del whole[data.draw(st.integers(0, len(whole))) :]
    try:
        decode(bytes(whole))
    except BadMessage:
        return


@given(st.binary(max_size=200))
def test_noise_is_no_message(noise: bytes) -> None:
    with pytest.raises(BadMessage):
        decode(noise)


ZOE = Who(7, "Zoe")
WRONG = {
    "another version": {"version": VERSION + 1, "world": 1, "body": {"type": "beat", "mark": "x"}},
    "no world": {"version": VERSION, "world": 0, "body": {"type": "beat", "mark": "x"}},
    "a kind that there is not": {"version": VERSION, "world": 1, "body": {"type": "drop table"}},
    "no kind": {"version": VERSION, "world": 1, "body": {"mark": "x"}},
    "a serial of an item": {"version": VERSION, "world": 1, "body": {"type": "release", "number": 1,
                                                                     "character": LAST_MOBILE + 1}},
    "a number as text": {"version": VERSION, "world": 1, "body": {"type": "release", "number": "1",
                                                                  "character": 1}},
    "long words": {"version": VERSION, "world": 1, "body": {"type": "all", "text": "x" * (LONGEST + 1),
                                                            "speaker": {"serial": 1, "name": "Zoe"}}},
    "nobody": {"version": VERSION, "world": 1, "body": {"type": "all", "text": "x",
                                                        "speaker": {"serial": 1, "name": ""}}},
    "a channel that there is not": {"version": VERSION, "world": 1,
                                    "body": {"type": "company", "text": "x", "channel": "say",
                                             "speaker": {"serial": 1, "name": "Zoe"}}},
}  # fmt: skip


@pytest.mark.parametrize("wrong", WRONG.values(), ids=WRONG.keys())
def test_what_is_out_of_bounds_is_no_message(wrong: dict[str, object]) -> None:
    with pytest.raises(BadMessage):
        decode(msgspec.json.encode(wrong))


def test_a_field_of_a_later_version_is_passed_over() -> None:
    body = {"type": "beat", "mark": "x", "mood": "good"}
    message = decode(msgspec.json.encode({"version": VERSION, "world": 3, "body": body, "at": 5}))
    assert message.body == Beat("x")


@pytest.mark.parametrize("deep", [b"[" * 100_000, b'{"version":1,"world":1,"x":' + b"[" * 100_000])
def test_what_is_nested_too_deep_is_no_message(deep: bytes) -> None:
    with pytest.raises(BadMessage):
        decode(deep)


def test_what_is_too_long_is_neither_written_nor_read() -> None:
    long = ToCompany(ZOE, "guild", "x", guilds=[2**53] * 1_000)
    with pytest.raises(BadMessage):
        encode(1, long)
    with pytest.raises(BadMessage):
        decode(encode(1, Beat("x")) + b" " * MOST_BYTES)
    roster = Roster("x", [Who(number, "Somebody") for number in range(1_000)])
    assert len(encode(1, roster)) > MOST_BYTES
    assert decode(encode(1, roster)).body == roster


def test_somebody_is_cut_to_what_may_be_sent() -> None:
    person = Person(1, "N" * 99, "S" * 99, 5, "g" * 99, 10**9, 6, True, "r" * 99, "t" * 99, "T" * 99)
    assert decode(encode(1, Roster("x", [Who.of(person)]))).body == Roster("x", [Who.of(person)])
    zoe = Person(7, "Zoe", "Zoey", 3, "uo", 12, 1, True, "confluence", "the Bold", "TAG")
    assert Who.of(zoe).person() == zoe
