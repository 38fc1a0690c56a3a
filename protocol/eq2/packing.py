"""Packed structures: differences to what was sent last, with their zeros run together.

    1 to 127          so many zero bytes
    80 | mask         a group: the next seven bytes (fewer at the end); bit i of the mask is set if byte i of
                      them is not zero, and those that are not zero follow, the last of them first

Versions up to 374 write the bytes of a group in their own order. A position of 88 bytes of which little
changed is packed for every viewer of every step, so nothing here loops over single bytes.
"""

from __future__ import annotations

import struct
from typing import Final

from protocol.endings import WireError

_GROUP: Final = 7

LONGEST_REACH: Final = _GROUP - 1
"""Bytes that the last group of `pack_front` may take of what follows."""

_LONGEST_RUN: Final = 127
_MASKED: Final = 0x80

_ZERO: Final = b"\0"
_IS_NOT_ZERO: Final = b"\0" + b"\1" * 255

_ZEROS: Final = tuple(bytes(length) for length in range(_LONGEST_RUN + 1))


def _run(length: int) -> bytes:
    """So many zeros, packed."""
    many, rest = divmod(length, _LONGEST_RUN)
    return bytes((_LONGEST_RUN,)) * many + (bytes((rest,)) if rest else b"")


_RUNS: Final = tuple(_run(length) for length in range(128))
"""The runs inside a position or movement, which are what is packed most often."""


def _bits(mask: int, length: int) -> bytes:
    return bytes(mask >> bit & 1 for bit in range(length))


_CONTROLS: Final = {
    _bits(mask, length): bytes((_MASKED | mask,))
    for length in range(1, _GROUP + 1)
    for mask in range(1, 1 << length, 2)  # the first byte of a group is never zero
}
"""The control byte of a group, by which of its bytes are zero (0) and which are not (1)."""

_EXPANDERS: Final = tuple(
    struct.Struct("".join("B" if mask >> bit & 1 else "x" for bit in range(_GROUP))).pack
    for mask in range(1 << _GROUP)
)
"""For each mask the function that puts the bytes of a group in their places."""

_SIZES: Final = tuple(mask.bit_count() for mask in range(1 << _GROUP))


def xor(one: bytes, other: bytes) -> bytes:
    """The bytes in which two structures of one size differ; applied to one of them, it yields the other."""
    difference = int.from_bytes(one, "little") ^ int.from_bytes(other, "little")
    return difference.to_bytes(len(one), "little")


def pack(data: bytes, *, reverse: bool = True) -> bytes:
    """The packed form, without the length that may precede it. `reverse`: as versions after 374 have it."""
    step = -1 if reverse else 1
    out: list[bytes] = []
    while data:
        rest = data.lstrip(_ZERO)
        run = len(data) - len(rest)
        if run:
            out.append(_RUNS[run] if run < len(_RUNS) else _run(run))
            if not rest:
                break
        group = rest[:_GROUP]
        out.append(_CONTROLS[group.translate(_IS_NOT_ZERO)])
        out.append(group.translate(None, _ZERO)[::step])
        data = rest[_GROUP:]
    return b"".join(out)


def pack_front(data: bytes, size: int, *, reverse: bool = True) -> tuple[bytes, int]:
    """The packed form of the first `size` bytes, and of so many more as its last group reaches beyond them:
    how many of `data` these are in all. What packs the rest may follow."""
    step = -1 if reverse else 1
    out: list[bytes] = []
    at = 0
    while at < size:
        rest = data[at:].lstrip(_ZERO)
        run = min(len(data) - len(rest), size) - at
        if run:
            out.append(_run(run))
            at += run
            continue
        group = rest[:_GROUP]
        out.append(_CONTROLS[group.translate(_IS_NOT_ZERO)])
        out.append(group.translate(None, _ZERO)[::step])
        at += len(group)
    return b"".join(out), at


def unpack(packed: bytes, size: int, *, reverse: bool = True) -> bytes:
    """Unpack bytes, filled up with zeros to `size` bytes. Raises WireError if there is more than that, or
    a group ends early; never makes more than `size` and one run."""
    parts: list[bytes] = []
    length = at = 0
    end = len(packed)
    step = -1 if reverse else 1
    while at < end:
        control = packed[at]
        at += 1
        if control < _MASKED:
            parts.append(_ZEROS[control])
            length += control
            if length > size:
                raise WireError(f"packed bytes for more than {size}")
            continue
        mask = control - _MASKED
        count = _SIZES[mask]
        if at + count > end:
            raise WireError("packed group ends early")
        parts.append(_EXPANDERS[mask](*packed[at : at + count][::step]))
        at += count
        length += _GROUP
        if length > size and at < end:
            raise WireError(f"packed bytes for more than {size}")
    data = b"".join(parts)
    if length <= size:
        return data + bytes(size - length)
    # The last group may be short of seven bytes: what it has no room for is zero.
    if any(data[size:]):
        raise WireError(f"packed bytes for more than {size}")
    return data[:size]


def small(number: int) -> bytes:
    """A number that is mostly small, as sizes and indexes are written: one byte, or FF and two, or FF FF and
    four."""
    if number < 0xFF:
        return number.to_bytes(1, "little")
    if number < 0xFFFF:
        return b"\xff" + number.to_bytes(2, "little")
    return b"\xff\xff\xff" + number.to_bytes(4, "little")
