"""Layouts: every type of field, and every mistake a file can hold, said with file and key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs
import pytest

from protocol.endings import WireError
from protocol.eq2.layouts import Layouts
from protocol.eq2.packets import Record
from protocol.tables import LookError

if TYPE_CHECKING:
    from collections.abc import Sequence

WHERE: Final = "eq2/1/messages.toml"


@attrs.define
class Point(Record):
    x: int
    y: int


@attrs.define
class Everything(Record):
    byte: int
    color: bytes
    numbers: tuple[int, ...]
    scale: float
    name: str
    short: str
    text: str
    size: int
    kind: int
    point: Point
    points: tuple[Point, ...]
    corners: tuple[Point, ...]
    far: Point | None
    blob: bytes
    last: int | None


FIELDS: Final = [
    ["byte", "i8"],
    ["color", "color"],
    ["", "u16"],
    ["", "u16", 0xABCD],
    ["numbers", "i16[3]"],
    ["scale", "f32"],
    ["name", "char[4]"],
    ["short", "s8"],
    ["text", "s16"],
    ["", "s8", "xy"],
    ["size", "small"],
    ["kind", "type"],
    ["point", "Point"],
    ["points", "u8*Point max 2"],
    ["corners", "Point[2]"],
    ["far", "sized Point"],
    ["blob", "blob[3]"],
    ["last", "u16?"],
]
POINT: Final = {"fields": [["y", "u8"], ["x", "u8"]]}

VALUE: Final = Everything(
    byte=-2,
    color=b"rgb",
    numbers=(1, -1, 2),
    scale=0.5,
    name="abc",
    short="é",
    text="hi",
    size=255,
    kind=300,
    point=Point(1, 2),
    points=(Point(3, 4),),
    corners=(Point(5, 6), Point(7, 8)),
    far=Point(9, 10),
    blob=b"BLO",
    last=513,
)
WIRE: Final = bytes.fromhex(
    "fe 726762 0000 cdab 0100ffff0200 0000003f 61626300 01e9 02006869 027879 ffff00 ff2c01 0201 01 0403"
    " 0605 0807 02 0a09 03000000 424c4f 0102"
)


def compiled(tables: dict[str, object], classes: Sequence[type[Record]] = (Point, Everything)) -> Layouts:
    return Layouts(WHERE, tables, classes)


def problems_of(tables: dict[str, object], classes: Sequence[type[Record]] = (Point,)) -> list[str]:
    with pytest.raises(LookError) as caught:
        compiled(tables, classes)
    return caught.value.problems


def test_every_type_lies_on_the_wire_as_said() -> None:
    layout = compiled({"Everything": {"fields": FIELDS}, "Point": POINT})[Everything]
    out = bytearray()
    layout.write(out, VALUE)
    assert out.hex() == WIRE.hex()
    assert layout.read(b"--" + WIRE, 2) == (VALUE, len(WIRE) + 2)
    assert layout.size is None
    assert layout.minimum == 40


def test_what_may_be_missing_is_none() -> None:
    layout = compiled({"Everything": {"fields": FIELDS}, "Point": POINT})[Everything]
    value = attrs.evolve(VALUE, far=None, last=None)
    out = bytearray()
    layout.write(out, value)
    assert layout.read(bytes(out), 0) == (value, len(out))


def test_every_cut_raises_wire_error() -> None:
    layout = compiled({"Everything": {"fields": FIELDS}, "Point": POINT})[Everything]
    for end in range(len(WIRE) - 2):
        with pytest.raises(WireError):
            layout.read(WIRE[:end], 0)
    with pytest.raises(WireError):
        layout.read(WIRE[:-1], 0)


def test_a_fixed_size_is_known() -> None:
    layout = compiled({"Point": {"size": 4, "fields": [["y", "u8"], ["", "u16"], ["x", "u8"]]}}, [Point])[
        Point
    ]
    assert (layout.size, layout.minimum) == (4, 4)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ([["x", "u8"]], "Point: y: is missing, Point has it"),
        ([["x", "u8"], ["y", "u8"], ["z", "u8"]], "Point: z: Point has no such attribute"),
        ([["x", "u8"], ["y", "u8"], ["x", "u8"]], "Point: x: is there twice"),
        ([["x", "f23"], ["y", "u8"]], "Point: x: no type 'f23', did you mean 'f32'?"),
        ([["x", "f32"], ["y", "u8"]], "Point: x: f32 does not fit the attribute"),
        ([["x", "u8?"], ["y", "u8?"]], "Point: x: u8? does not fit the attribute"),
        ([["x", "u8[2]"], ["y", "u8"]], "Point: x: u8[2] does not fit the attribute"),
        ([["x", "bytes[0]"], ["y", "u8"]], "Point: x: must not be empty"),
        ([["x", "u8", 5], ["y", "u8"]], "Point: x: only filler has a value"),
        ([["", "u8", 256], ["x", "u8"], ["y", "u8"]], "Point: filler of type u8 cannot be 256"),
        ([["", "u8", "a"], ["x", "u8"], ["y", "u8"]], "Point: filler of type u8 cannot be 'a'"),
        (
            [["", "u8?"], ["x", "u8"], ["y", "u8"]],
            "Point: behind a field that may be missing all others may be missing",
        ),
        ([["x"], ["y", "u8"]], "Point: fields[0]: must be [name, type] or [\"\", type, value], is ['x']"),
        (
            [["", "sized Nobody"], ["x", "u8"], ["y", "u8"]],
            "Point: filler: no structure 'Nobody', or none that can be read",
        ),
        (
            [["", "Point"], ["x", "u8"], ["y", "u8"]],
            "Point: filler: no structure 'Point', or none that can be read",
        ),
    ],
)
def test_mistakes_in_fields(fields: list[object], problem: str) -> None:
    assert f"{WHERE}: {problem}" in problems_of({"Point": {"fields": fields}})


@pytest.mark.parametrize(
    ("tables", "problem"),
    [
        ({}, "Point: is missing"),
        ({"Point": POINT, "Piont": POINT}, "Piont: no class of that name, did you mean 'Point'?"),
        ({"Point": []}, "Point: must be a table with a list: fields"),
        ({"Point": {"field": []}}, "Point: must be a table with a list: fields"),
        ({"Point": {**POINT, "sizes": 2}}, "Point: unknown key 'sizes', did you mean 'size'?"),
        ({"Point": {**POINT, "size": 3}}, "Point: size: is 2, must be 3"),
    ],
)
def test_mistakes_in_tables(tables: dict[str, object], problem: str) -> None:
    assert problems_of(tables) == [f"{WHERE}: {problem}"]


def test_all_mistakes_are_said_at_once() -> None:
    assert len(problems_of({"Point": {"fields": [["x", "u9"], ["y", "what"]]}})) == 2


@attrs.define
class Numbers(Record):
    numbers: tuple[int, ...]


@pytest.mark.parametrize("counter", ["u8", "u16", "u32", "small"])
def test_lists_are_bounded_by_what_is_there(counter: str) -> None:
    layout = compiled({"Numbers": {"fields": [["numbers", f"{counter}*u16"]]}}, [Numbers])[Numbers]
    out = bytearray()
    layout.write(out, Numbers((1, 2, 3)))
    assert layout.read(bytes(out), 0)[0] == Numbers((1, 2, 3))
    for end in range(len(out)):
        with pytest.raises(WireError):
            layout.read(bytes(out[:end]), 0)


def test_lists_are_bounded_by_their_layout() -> None:
    layout = compiled({"Numbers": {"fields": [["numbers", "u8*u8 max 2"]]}}, [Numbers])[Numbers]
    with pytest.raises(WireError, match="list of 3"):
        layout.read(b"\3\1\2\3", 0)
    with pytest.raises(ValueError, match="list of 3"):
        layout.write(bytearray(), Numbers((1, 2, 3)))
