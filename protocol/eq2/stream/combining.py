"""Several frames in one datagram, and several messages in one reliable payload.

    Combined:    00 03 | length u8, frame | ...            the frames have no checksum of their own
    AppCombined: 00 19 | length, message | ...             each message already encrypted and escaped

A length in AppCombined is one byte below FE, else FF and a u16, and from FFFF on FF FF FF and a u32. Readers
take FE for 254. A length in Combined is one plain byte; eq2emu reads FF there as an escape, so no frame of
255 bytes or more is ever put into one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.endings import WireError
from protocol.eq2.stream.frames import Op

if TYPE_CHECKING:
    from collections.abc import Sequence

COMBINED: Final = bytes((0, Op.COMBINED))
APP_COMBINED: Final = bytes((0, Op.APP_COMBINED))

DEEPEST: Final = 4
"""Depth to which containers may lie in one another. Nobody is known to nest them at all."""

MOST_MESSAGES: Final = 4096
"""Messages in one payload. Clients pack what fits a datagram; a payload of 1 MiB could claim half a
million."""

_LARGEST_COMBINED: Final = 254
_ALONE: Final = 3  # parts of a container with one thing in it
_ONE_BYTE: Final = tuple(bytes((length,)) for length in range(256))
_ONE_BYTE_ENDS: Final = 0xFE
_ESCAPE: Final = 0xFF
_TWO_BYTES_END: Final = 0xFFFF


def split(combined: bytes) -> tuple[list[bytes], bool]:
    """The frames of a Combined, and whether its last length told the truth; empty frames are left out."""
    frames: list[bytes] = []
    at, end = len(COMBINED), len(combined)
    while at < end:
        start = at + 1
        at = start + combined[at]
        if at > end:
            return frames, False
        if at > start:
            frames.append(combined[start:at])
    return frames, True


def combine(frames: Sequence[bytes], limit: int) -> list[bytes]:
    """Datagrams of at most `limit` bytes with these frames in their order; a frame that is alone stays as it
    is."""
    datagrams: list[bytes] = []
    parts: list[bytes] = []
    size = 0
    for frame in frames:
        length = len(frame)
        if length > _LARGEST_COMBINED:
            if parts:
                datagrams.append(_joined(parts))
                parts = []
            datagrams.append(frame)
            continue
        if parts and size + 1 + length > limit:
            datagrams.append(_joined(parts))
            parts = []
        if not parts:
            parts.append(COMBINED)
            size = len(COMBINED)
        parts.append(_ONE_BYTE[length])
        parts.append(frame)
        size += 1 + length
    if parts:
        datagrams.append(_joined(parts))
    return datagrams


def split_messages(payload: bytes, depth: int = 1) -> list[bytes]:
    """The messages of an AppCombined, still encrypted and escaped; empty ones are left out. Raises WireError
    for a length that lies, too many, too deep. After any of these nothing could be decrypted any more."""
    if depth > DEEPEST:
        raise WireError(f"bad_combined: messages more than {DEEPEST} containers deep")
    messages: list[bytes] = []
    at, end = len(APP_COMBINED), len(payload)
    while at < end:
        length, start = read_length(payload, at)
        at = start + length
        if at > end:
            raise WireError(f"bad_combined: {length} bytes promised, {end - start} there")
        if payload.startswith(APP_COMBINED, start, at):
            messages += split_messages(payload[start:at], depth + 1)
        elif length:
            messages.append(payload[start:at])
        if len(messages) > MOST_MESSAGES:
            raise WireError(f"bad_combined: more than {MOST_MESSAGES} messages in one payload")
    return messages


def combine_run(run: bytes, sizes: Sequence[int], limit: int) -> list[bytes]:
    """Reliable payloads with the encrypted messages of these sizes that `run` consists of, in their order,
    each escaped; AppCombined as long as one does not exceed `limit` bytes. A message that is alone stays as
    it is.

    One turn of a crowd is a hundred messages for each client, so there is one loop over them.
    """
    payloads: list[bytes] = []
    parts: list[bytes] = []
    taken = start = 0
    for length in sizes:
        end = start + length
        message = run[start:end]
        start = end
        if not message[0]:
            message = b"\0" + message
            length += 1
        head = _ONE_BYTE[length] if length < _ONE_BYTE_ENDS else write_length(length)
        taken += len(head) + length
        if taken > limit or not parts:
            if parts:
                payloads.append(_joined(parts))
            parts = [APP_COMBINED]
            taken = len(APP_COMBINED) + len(head) + length
        parts.append(head)
        parts.append(message)
    if parts:
        payloads.append(_joined(parts))
    return payloads


def _joined(parts: Sequence[bytes]) -> bytes:
    """Head, length and message, length and message...; a message that is alone needs neither."""
    return parts[2] if len(parts) == _ALONE else b"".join(parts)


def read_length(data: bytes, at: int) -> tuple[int, int]:
    """A length of AppCombined, and where what it counts begins. Raises WireError if it is cut off."""
    first = data[at]
    if first != _ESCAPE:
        return first, at + 1
    if at + 3 > len(data):
        raise WireError("bad_combined: a length is cut off")
    length = int.from_bytes(data[at + 1 : at + 3], "big")
    if length != _TWO_BYTES_END:
        return length, at + 3
    if at + 7 > len(data):
        raise WireError("bad_combined: a length is cut off")
    return int.from_bytes(data[at + 3 : at + 7], "big"), at + 7


def write_length(length: int) -> bytes:
    """A length of AppCombined."""
    if length < _ONE_BYTE_ENDS:
        return length.to_bytes(1, "big")
    if length < _TWO_BYTES_END:
        return b"\xff" + length.to_bytes(2, "big")
    return b"\xff\xff\xff" + length.to_bytes(4, "big")
