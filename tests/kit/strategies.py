"""Hypothesis strategies from packet declarations: valid packets of any class, and frames that are nearly
valid."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, cast

from hypothesis import strategies as st

from protocol.uo.packets.base import CountedLatin, CountedUtf16, UntilZero
from protocol.uo.packets.boards import CountedUtf8
from protocol.uo.packets.dialogs import PackedGump
from protocol.uo.packets.people import WornOld
from protocol.uo.packets.talk import ENCODED, UnicodeSpeech
from protocol.uo.packets.things import GroundItemOld
from protocol.wire.fields import (
    Blob,
    Boolean,
    Constant,
    CountedText,
    Field,
    FixedText,
    Integer,
    Listed,
    Numbers,
    Optional,
    Rest,
    Text,
    ZeroText,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.wire.declare import Struct

T = TypeVar("T")

MOST = 5
"""Elements of a list, and so on: more of the same finds nothing new."""


def strategy_for(declared: type[T]) -> st.SearchStrategy[T]:
    """Valid packets (or list elements) of one declared class."""
    if declared not in _MADE:
        _MADE[declared] = _strategy(declared)
    return cast("st.SearchStrategy[T]", _MADE[declared])


_MADE: Final[dict[type, object]] = {}


def _strategy(declared: type[T]) -> st.SearchStrategy[T]:
    members = cast("type[Struct]", declared).MEMBERS
    parts = {
        member.name: _BOUNDS[key] if (key := (declared, member.name)) in _BOUNDS else values_of(member.field)
        for member in members
        if not isinstance(member.field, Constant)
    }
    built = cast("st.SearchStrategy[T]", st.builds(cast("Callable[[], T]", declared), **parts))
    fit = _FITS.get(declared)
    return built if fit is None else built.map(cast("Callable[[T], T]", fit))


def values_of(field: Field) -> st.SearchStrategy[object]:
    """What an attribute of that wire type may be."""
    match field:
        case Integer(size=size, signed=signed):
            bits = size * 8
            low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
            return st.integers(low, high)
        case Boolean():
            return st.booleans()
        case Blob(size=size):
            return st.binary(min_size=size, max_size=size)
        case FixedText(size=size):
            return _text(field, size)
        case ZeroText() | CountedText():
            return _text(field, 40)
        case CountedLatin():
            return st.text(st.characters(codec="latin-1", exclude_characters="\0"), max_size=40)
        case CountedUtf8():
            return st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=40)
        case CountedUtf16():
            return st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
        case Rest():
            return st.binary(max_size=40)
        case Numbers(size=size):
            return st.lists(st.integers(0, (1 << size * 8) - 1), max_size=MOST).map(tuple)
        case Listed(element=element):
            return st.lists(strategy_for(cast("type[object]", element)), max_size=MOST).map(tuple)
        case UntilZero(element=element):
            return st.lists(_not_zero(element), max_size=MOST).map(tuple)
        case Optional(inner=inner):
            return values_of(inner)
        case _:
            raise TypeError(f"no strategy for {field!r}")


def _text(field: Text, size: int) -> st.SearchStrategy[str]:
    """Text that survives encoding: no NUL, no surrogates, nothing the encoding lacks."""
    if field.encoding in ("latin-1", "ascii"):
        last = 0xFF if field.encoding == "latin-1" else 0x7E
        return st.text(st.characters(min_codepoint=1, max_codepoint=last), max_size=size)
    return st.text(st.characters(min_codepoint=1, exclude_categories=["Cs"]), max_size=size // 2)


def _not_zero(element: type[Struct]) -> st.SearchStrategy[object]:
    first = element.MEMBERS[0].name
    return strategy_for(cast("type[object]", element)).filter(lambda one: getattr(one, first) != 0)


# What a declaration does not say: some layouts keep flags in spare bits of a number.
_BOUNDS: Final[Mapping[tuple[type, str], st.SearchStrategy[object]]] = {
    (WornOld, "item"): st.integers(0, 0x7FFF),
    (GroundItemOld, "serial"): st.integers(0, 0x7FFFFFFF),
    (GroundItemOld, "x"): st.integers(0, 0x7FFF),
    (GroundItemOld, "y"): st.integers(0, 0x3FFF),
    (UnicodeSpeech, "keywords"): st.lists(st.integers(0, 0xFFF), max_size=50).map(tuple),
    (PackedGump, "layout"): st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=80),
}


def _without_keywords(speech: UnicodeSpeech) -> UnicodeSpeech:
    if speech.kind & ENCODED:
        return speech
    return UnicodeSpeech(speech.kind, speech.hue, speech.font, speech.language, (), speech.text)


_FITS: Final[Mapping[type, object]] = {UnicodeSpeech: _without_keywords}


def mutated(frames: st.SearchStrategy[bytes], keep: int = 1) -> st.SearchStrategy[bytes]:
    """Valid frames cut, overwritten, lengthened or replaced; the first `keep` bytes stay."""

    def mutate(frame: bytes) -> st.SearchStrategy[bytes]:
        places = st.integers(keep, max(keep, len(frame) - 1))
        # The bytes with a meaning of their own are the ones that hurt.
        values = st.sampled_from(b"\x00\x01\x7f\x80\xff") | st.integers(0, 255)
        cut = places.map(lambda at: frame[:at])
        overwritten = st.lists(st.tuples(places, values), min_size=1, max_size=6).map(
            lambda changes: _overwritten(frame, changes)
        )
        longer = st.binary(max_size=40).map(lambda tail: frame + tail)
        replaced = st.binary(max_size=60).map(lambda tail: frame[:keep] + tail)
        return cut | overwritten | longer | replaced

    return frames.flatmap(mutate)


def _overwritten(frame: bytes, changes: list[tuple[int, int]]) -> bytes:
    data = bytearray(frame)
    for at, value in changes:
        if at < len(data):
            data[at] = value
    return bytes(data)
