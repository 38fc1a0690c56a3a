"""Declarations of packets: what is refused when one is made, written and read."""

from __future__ import annotations

from typing import Annotated, Protocol

import pytest

from protocol.endings import WireError
from protocol.wire.declare import EncodeError, Header, Packet, packet
from protocol.wire.fields import S8, U8, U16, Constant, CountedText, FixedText, Numbers, Rest


class Maker(Protocol):
    """A packet class whose fields nobody knows here."""

    def __call__(self, *values: object) -> Packet: ...


HEADER = Header(b"\x07\0\0\x09", length_at=1)
Text = Annotated[str, CountedText(encoding="utf-8")]
Few = Annotated[tuple[int, ...], Numbers(1, count=1)]
Apart = Annotated[tuple[int, ...], Numbers(2, count=1, gap=2, little=True)]


@packet(7, header=HEADER)
class Sample(Packet):
    """With a field of each sort."""

    first: U16
    second: S8
    name: Annotated[str, FixedText(size=4)]
    text: Text
    few: Few


@packet(8, header=Header(b"\x08"), trailing=True)
class Longer(Packet):
    """Of which clients send more."""

    first: U8


def made_of(fields: dict[str, object]) -> Maker:
    """A packet declared with these fields."""
    made: type[Packet] = type("One", (Packet,), {"__annotations__": fields})
    return packet(1, header=Header(b"\1"))(made)  # type: ignore[return-value] # its fields are known later


def read(made: Maker, raw: bytes) -> Packet:
    assert isinstance(made, type)
    return made.decode(raw)  # type: ignore[no-any-return, attr-defined] # a class made a line before


WHOLE = Sample(1, -2, "abc", "text", (3, 4))


def test_what_is_written_is_read() -> None:
    raw = WHOLE.encode()
    assert raw.hex() == "070014090001fe61626300000474657874020304"
    assert Sample.decode(raw) == WHOLE


@pytest.mark.parametrize(
    "name",
    [
        "_at",
        "_data",
        "_s0",
        "_cls",
        "self",
        "read",
        "write",
        "encode",
        "decode",
        "length",
        "opcode",
        "MEMBERS",
    ],
)
def test_a_name_that_is_taken_is_refused_when_it_is_declared(name: str) -> None:
    with pytest.raises(TypeError, match=f"One.{name}: no field may be called so"):
        made_of({name: U8})


@pytest.mark.parametrize("name", ["cls", "s0", "f1", "t_name", "out", "data", "at", "struct"])
def test_any_other_name_may_be_used(name: str) -> None:
    made = made_of({name: Annotated[str, FixedText(size=4)], "more": Text})
    assert read(made, made("ab", "cd").encode()) == made("ab", "cd")


def test_constants_may_be_called_as_they_like() -> None:
    made = made_of({"_unused": Annotated[None, Constant(b"\0")], "more": U8})
    assert made(5).encode() == b"\1\0\5"


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        *[({"first": bad}, "first") for bad in (-1, 65536, "1", None)],
        *[({"second": bad}, "second") for bad in (128, -129)],
        ({"name": 5}, "name"),
        ({"text": None}, "text"),
        ({"text": "x" * 70_000}, "text"),
        *[({"few": bad}, "few") for bad in ((256,), (-1,), (1,) * 256, None)],
    ],
)
def test_what_does_not_fit_is_told_by_packet_and_field(fields: dict[str, object], field: str) -> None:
    whole: dict[str, object] = {"first": 1, "second": 1, "name": "a", "text": "b", "few": ()}
    with pytest.raises(EncodeError, match=f"^Sample.{field}: ") as error:
        Sample(**{**whole, **fields}).encode()  # type: ignore[arg-type] # that is what is tried
    assert len(str(error.value)) < 200


@pytest.mark.parametrize("junk", [b"\0", b"junk" * 4])
def test_what_stands_behind_a_packet_is_refused(junk: bytes) -> None:
    with pytest.raises(WireError, match=f"Sample: {len(junk)} bytes behind its end"):
        Sample.decode(WHOLE.encode() + junk)
    assert Longer.decode(b"\x08\x05" + junk) == Longer(5)


@pytest.mark.parametrize("beginning", ["06", "", "07", "07001609"])
def test_another_packet_is_refused(beginning: str) -> None:
    raw = WHOLE.encode()
    with pytest.raises(WireError, match="Sample"):
        Sample.decode(bytes.fromhex(beginning) + (raw[1:] if beginning == "06" else b""))
    with pytest.raises(WireError, match="Sample: is another packet"):
        Sample.decode(raw[:3] + b"\x08" + raw[4:])
    other_length = raw[:1] + b"\xff\xff" + raw[3:]
    assert Sample.decode(other_length) == WHOLE, "lengths are the framer's business"


def test_numbers_may_stand_apart_from_their_count() -> None:
    made = made_of({"apart": Apart})
    assert made((1, 0x0203)).encode() == b"\1\2\0\0\1\0\3\2"
    assert read(made, b"\1\2\xff\xff\1\0\3\2") == made((1, 0x0203)), "nobody looks between"
    for cut in (b"\1\1\0\0\5", b"\1\1\0", b"\1\0\0"):
        with pytest.raises(WireError):
            read(made, cut)


def test_a_packet_may_take_all_there_is() -> None:
    made = made_of({"rest": Annotated[bytes, Rest()]})
    assert read(made, b"\1junk") == made(b"junk")
