"""Hypothesis strategies for eolib's packets, from their constructors' types and documented ranges."""

from __future__ import annotations

import enum
import functools
import re
import types
import typing
from collections.abc import Iterable, Mapping

from hypothesis import strategies as st

from protocol.eo.packets import encode
from protocol.eo.packets.describe import fields_of, notes_of

if typing.TYPE_CHECKING:
    from eolib import Packet

T = typing.TypeVar("T")

_RANGE = re.compile(r"alue range is 0-(\d+)")
_LENGTH = re.compile(r"Length must be `(\d+)`")

# All of windows-1252 but its five gaps and the letter that doubles as a break byte.
_LETTERS = "".join(
    letter for letter in (bytes((code,)).decode("cp1252", "ignore") for code in range(255)) if letter
)


@functools.cache
def packets(packet: type[Packet]) -> st.SearchStrategy[Packet]:
    """Valid packets of one class."""
    return typing.cast("st.SearchStrategy[Packet]", _structs(packet))


def mutated(frames: st.SearchStrategy[bytes]) -> st.SearchStrategy[bytes]:
    """Valid frames with the payload cut, overwritten, lengthened or replaced; opcodes stay."""

    def mutate(frame: bytes) -> st.SearchStrategy[bytes]:
        places = st.integers(2, max(2, len(frame) - 1))
        # The bytes with a meaning of their own are the ones that hurt.
        values = st.sampled_from(b"\x00\x01\x02\x80\xfd\xfe\xff") | st.integers(0, 255)
        cut = places.map(lambda at: frame[:at])
        overwritten = st.lists(st.tuples(places, values), min_size=1, max_size=6).map(
            lambda changes: _overwritten(frame, changes)
        )
        longer = st.binary(max_size=40).map(lambda tail: frame + tail)
        replaced = st.lists(values, max_size=60).map(lambda payload: frame[:2] + bytes(payload))
        return cut | overwritten | longer | replaced

    return frames.flatmap(mutate)


def frames(classes: Iterable[type[Packet]]) -> st.SearchStrategy[bytes]:
    """Valid frames (action, family, payload) of any of these classes."""
    return st.sampled_from(list(classes)).flatmap(packets).map(encode)


def contents(value: object) -> object:
    """A packet as plain nested tuples: eolib's classes do not compare."""
    if isinstance(value, tuple):
        return tuple(contents(part) for part in value)
    if isinstance(value, enum.IntEnum):
        return int(value)
    if value is None or isinstance(value, (int, str)):
        return value
    if isinstance(value, (bytes, bytearray)):
        return bytes(value)
    return (
        type(value).__name__,
        *((name, contents(getattr(value, name))) for name in fields_of(type(value))),
    )


def numbers_in(value: object) -> Iterable[int]:
    """All numbers in `contents`."""
    if isinstance(value, tuple):
        for part in value:
            yield from numbers_in(part)
    elif isinstance(value, int):
        yield value


def _overwritten(frame: bytes, changes: list[tuple[int, int]]) -> bytes:
    data = bytearray(frame)
    for at, value in changes:
        if at < len(data):
            data[at] = value
    return bytes(data)


@st.composite
def _structs(draw: st.DrawFn, struct: type) -> object:
    notes = notes_of(struct)
    values: dict[str, object] = {}
    for name, hint in fields_of(struct).items():
        chosen = values.get(name.removesuffix("_data")) if name.endswith("_data") else None
        if isinstance(chosen, enum.IntEnum):
            values[name] = draw(_alternative(hint, chosen))
        else:
            values[name] = draw(_values(hint, notes.get(name, "")))
    return struct(**values)


def _alternative(hint: object, chosen: enum.IntEnum) -> st.SearchStrategy[object]:
    """The structure that eolib expects beside this value of the field before it, if any."""
    struct = _alternative_class(hint, chosen)
    return st.none() if struct is None else _structs(struct)


def _alternative_class(hint: object, chosen: enum.IntEnum) -> type | None:
    # eolib types a field with a single alternative with that class, one with several with their union.
    structs = [part for part in (typing.get_args(hint) or (hint,)) if isinstance(part, type)]
    for suffix in (chosen.name, "Default"):
        for struct in structs:
            if struct.__name__.endswith(f"Data{suffix}"):
                return struct
    return None


def plainest(struct: type[T], given: Mapping[str, object]) -> T:
    """A packet or structure of zeros, empty texts and first choices, but for what is given."""
    notes, values = notes_of(struct), dict[str, object]()
    for name, hint in fields_of(struct).items():
        chosen = values.get(name.removesuffix("_data")) if name.endswith("_data") else None
        if name in given:
            values[name] = given[name]
        elif isinstance(chosen, enum.IntEnum):
            alternative = _alternative_class(hint, chosen)
            values[name] = None if alternative is None else plainest(alternative, {})
        else:
            values[name] = _plainest(hint, notes.get(name, ""))
    return struct(**values)


def _plainest(hint: object, note: str) -> object:
    length = _LENGTH.search(note)
    fewest = int(length[1]) if length else 0
    if typing.get_origin(hint) is Iterable:
        return [_plainest(typing.get_args(hint)[0], "") for _ in range(fewest)]
    if typing.get_origin(hint) in (typing.Union, types.UnionType) or hint is type(None):
        return None
    if hint is str:
        return "a" * fewest
    assert isinstance(hint, type), hint
    if issubclass(hint, enum.IntEnum):
        return next(iter(hint))
    return hint() if hint in (int, bool, bytes) else plainest(hint, {})


def _values(hint: object, note: str) -> st.SearchStrategy[object]:
    length = _LENGTH.search(note)
    if typing.get_origin(hint) is Iterable:
        fewest, most = (int(length[1]), int(length[1])) if length else (0, 4)
        return st.lists(_values(typing.get_args(hint)[0], note), min_size=fewest, max_size=most)
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return st.one_of([_values(part, note) for part in typing.get_args(hint)])
    if hint is type(None):
        return st.none()
    if hint is bool:
        return st.booleans()
    if hint is int:
        found = _RANGE.search(note)
        return st.integers(0, int(found[1]) if found else 253**4 - 1)
    if hint is str:
        fewest, most = (int(length[1]), int(length[1])) if length else (0, 12)
        return st.text(_LETTERS, min_size=fewest, max_size=most)
    if hint is bytes:
        return st.binary(max_size=40)
    assert isinstance(hint, type), hint
    if issubclass(hint, enum.IntEnum):
        return st.sampled_from(list(hint))
    return _structs(hint)
