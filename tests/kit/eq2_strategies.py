"""Hypothesis strategies for every message and structure of EverQuest II, from the layouts of a version."""

from __future__ import annotations

import functools
import struct
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar, cast

from hypothesis import strategies as st

from protocol.eq2 import fields as kinds
from protocol.eq2 import layouts
from protocol.eq2.fields import Fixed
from protocol.eq2.packets import (
    CATALOGUE,
    CLIENT_MESSAGES,
    SERVER_MESSAGES,
    Message,
    Movement,
    MovementState,
    Record,
    RemoteCmd,
    Target,
)
from protocol.eq2.packing import pack, xor
from protocol.eq2.versions import Eq2Version, Eq2Versions
from tests.kit.strategies import mutated

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Strategy: TypeAlias = "st.SearchStrategy[Message]"

R = TypeVar("R", bound=Record)

MOST: Final = 4
"""Elements of a list: more of the same finds nothing new."""

_DATA: Final = Path(__file__).parents[2] / "data" / "eq2"


def tables() -> dict[str, dict[str, dict[str, object]]]:
    """data/eq2/ as it is read at start: by version and file."""
    return {
        folder.name: {path.stem: tomllib.loads(path.read_text("utf-8")) for path in folder.glob("*.toml")}
        for folder in sorted(_DATA.iterdir())
    }


@functools.cache
def all_versions() -> Eq2Versions:
    """The versions of data/eq2/."""
    return Eq2Versions.from_tables(tables(), CATALOGUE)


def newest() -> Eq2Version:
    """The newest of them."""
    return all_versions().newest


def record_of(cls: type[R], version: Eq2Version | None = None) -> st.SearchStrategy[R]:
    """Valid messages or structures of one class."""
    key = (cls, version or newest())
    if key not in _MADE:
        _MADE[key] = _record_of(*key)
    return cast("st.SearchStrategy[R]", _MADE[key])


_MADE: Final[dict[tuple[type[Record], Eq2Version], st.SearchStrategy[Record]]] = {}


WORDS: Final = (
    *("", "", "bread", "bread 2", "gold coin 0", "apple 99999", "robe", "boots", "dagger", "bag", "1", "yes"),
    *("3 0 1", "2 255 300", "-1 9 -9", "-5", "4294967296", "2113929217", "99999999999999999999", "20000"),
    *("Anna", "nobody hello", "all", "desktop", "where", "help", "gifts off", "give Anna 2 bread loaf"),
    *("invite Anna", "kick Anna", "promote", "motd all together", "accept", "leave", "create", "Anna lies"),
)
"""What is typed behind slash commands; some of it fits."""

A_FEW: Final = 9
"""Commands that share a strategy, so that as many of them are tried as of other messages."""


def played(version: Eq2Version, commands: int, start: tuple[float, float, float]) -> Mapping[str, Strategy]:
    """Messages as somebody sends them who plays: commands of a list of so many, targets that may be there,
    motions near a place."""
    texts = st.sampled_from(WORDS) | _text(30)
    x, y, z = (st.sampled_from([middle + half / 2 for half in range(-12, 13)]) for middle in start)
    states = st.builds(
        MovementState,
        x=x,
        y=y,
        z=z,
        heading=st.sampled_from((0.0, 45.0, 180.0, 359.0)),
        forward_speed=st.sampled_from((0.0, 2.5, 5.0, 500.0)),
    )
    # Each tells the difference to the one before, so that every other one is somewhere else.
    empty = bytes(version.layouts[MovementState].minimum)
    changes = st.tuples(states, states | st.none()).map(
        lambda two: xor(
            version.pack_struct(two[0]), version.pack_struct(two[1]) if two[1] is not None else empty
        )
    )
    found: dict[str, Strategy] = {
        f"commands from {first}": st.builds(
            RemoteCmd, st.integers(first, min(first + A_FEW, commands) - 1), texts
        )
        for first in range(0, commands, A_FEW)
    }
    return found | {
        "targets": st.builds(Target, st.integers(1, 60)),
        "motions": changes.map(lambda change: Movement(pack(change))),
    }


def client_messages(version: Eq2Version | None = None) -> st.SearchStrategy[Message]:
    """Any message that a client may send."""
    return st.sampled_from(CLIENT_MESSAGES).flatmap(lambda cls: record_of(cls, version))


def server_messages(version: Eq2Version | None = None) -> st.SearchStrategy[Message]:
    """Any message that a server may send."""
    return st.sampled_from(SERVER_MESSAGES).flatmap(lambda cls: record_of(cls, version))


def payloads(
    messages: st.SearchStrategy[Message], version: Eq2Version | None = None
) -> st.SearchStrategy[bytes]:
    """Type id and body of messages."""
    return messages.map((version or newest()).encode)


def broken_payloads(
    messages: st.SearchStrategy[Message], version: Eq2Version | None = None, keep: int = 1
) -> st.SearchStrategy[bytes]:
    """Valid payloads cut, overwritten, lengthened or replaced; the first `keep` bytes stay."""
    return mutated(payloads(messages, version), keep)


def _record_of(cls: type[Record], version: Eq2Version) -> st.SearchStrategy[Record]:
    fields = version.layouts[cls].kinds
    sure = {
        name: _values(kind, version) for name, kind in fields.items() if not isinstance(kind, kinds.Maybe)
    }
    maybe = {name: _values(kind, version) for name, kind in fields.items() if isinstance(kind, kinds.Maybe)}

    def present(count: int) -> st.SearchStrategy[Record]:
        # What may be missing is missing from the end.
        shown = [strategy if at < count else st.none() for at, strategy in enumerate(maybe.values())]
        parts = sure | dict(zip(maybe, shown, strict=True))
        return st.builds(cast("Callable[..., Record]", cls), **parts)  # type: ignore[explicit-any] # any record

    return st.integers(0, len(maybe)).flatmap(present)


def _values(kind: object, version: Eq2Version) -> st.SearchStrategy[object]:
    match kind:
        case Fixed():
            return _fixed(kind)
        case kinds.Text(width=width):
            return _text(min(60, (1 << width * 8) - 1))
        case kinds.Small():
            return st.sampled_from((0, 1, 254, 255, 256, 65534, 65535, 65536)) | st.integers(0, 0xFFFFFFFF)
        case kinds.TypeId():
            return st.integers(0, 0xFFFF)
        case kinds.Blob(limit=limit):
            return st.binary(max_size=min(limit, 60))
        case kinds.Rest():
            return st.binary(max_size=60)
        case layouts.Inner(structure=structure):
            return record_of(structure.cls, version)
        case layouts.Sized(structure=structure):
            return st.none() | record_of(structure.cls, version)
        case kinds.Repeated(element=element, count=count):
            return st.lists(_values(element, version), min_size=count, max_size=count).map(tuple)
        case kinds.Listed(element=element, limit=limit):
            return st.lists(_values(element, version), max_size=min(limit, MOST)).map(tuple)
        case kinds.Maybe(inner=inner):
            return _values(inner, version)
        case kinds.Single(fixed=fixed):
            return _fixed(fixed)
        case _:
            raise TypeError(f"no strategy for {kind!r}")


def _fixed(kind: Fixed) -> st.SearchStrategy[object]:
    if kind.many:
        count = len(cast("tuple[object, ...]", kind.blank))
        one = kind.size // count
        if kind.python is bytes:
            return st.lists(st.binary(min_size=one, max_size=one), min_size=count, max_size=count).map(tuple)
        return st.lists(_integers(one, _signed(kind, count)), min_size=count, max_size=count).map(tuple)
    if kind.is_float:
        return st.floats(width=32, allow_nan=False, allow_infinity=False)
    if kind.python is int:
        return _integers(kind.size, kind.code.islower())
    if kind.python is str:
        return _text(kind.size - 1)
    return st.binary(min_size=kind.size, max_size=struct.calcsize(kind.code))


def _integers(size: int, signed: bool) -> st.SearchStrategy[object]:
    bits = size * 8
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return st.integers(low, high)


def _signed(kind: Fixed, count: int) -> bool:
    """Whether a tuple of numbers takes negative ones."""
    assert kind.outward is not None
    try:
        kind.outward((-1,) * count)
    except struct.error:
        return False
    return True


def _text(longest: int) -> st.SearchStrategy[str]:
    """Text that survives: latin-1 without NUL."""
    return st.text(st.characters(min_codepoint=1, max_codepoint=0xFF), max_size=longest)
