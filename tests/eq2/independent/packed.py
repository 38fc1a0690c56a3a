"""The run-length form of structs in client build 546: runs of zeros, and groups of seven bytes."""

from __future__ import annotations


class Malformed(Exception):
    """The server sent what no sheet knows, and what is wrong about it."""


def unpack(packed: bytes, size: int) -> bytes:
    """Exactly `size` bytes, which the packed ones must cover and not leave."""
    plain = bytearray()
    at = 0
    while at < len(packed):
        control = packed[at]
        at += 1
        if control < 0x80:
            if not control:
                raise Malformed(f"a run of no zeros at {at - 1} of {packed.hex()}")
            plain += bytes(control)
            continue
        there = [bit for bit in range(7) if control >> bit & 1]
        if not there:
            raise Malformed(f"an empty group at {at - 1} of {packed.hex()}")
        values = packed[at : at + len(there)]
        if len(values) < len(there):
            raise Malformed(f"a group of {len(there)} at the end has only {len(values)}: {packed.hex()}")
        at += len(there)
        group = bytearray(7)
        # The last of a group comes first.
        for bit, value in zip(reversed(there), values, strict=True):
            if not value:
                raise Malformed(f"a zero inside a group at {at} of {packed.hex()}")
            group[bit] = value
        # The last group of all may stick out of the struct, with zeros.
        room = size - len(plain)
        if room < 7 and any(group[max(room, 0) :]):
            raise Malformed(f"more than {size} bytes: {packed.hex()}")
        plain += group[: max(room, 0)] if room < 7 else group
    if len(plain) != size:
        raise Malformed(f"{len(plain)} bytes where {size} belong: {packed.hex()}")
    return bytes(plain)


def pack(plain: bytes) -> bytes:
    """What `unpack` makes these bytes of."""
    done = bytearray()
    at = 0
    while at < len(plain):
        run = 0
        while at + run < len(plain) and run < 127 and not plain[at + run]:
            run += 1
        if run:
            done.append(run)
            at += run
            continue
        group = plain[at : at + 7]
        at += 7
        done.append(0x80 | sum(1 << bit for bit, value in enumerate(group) if value))
        done += bytes(value for value in reversed(group) if value)
    return bytes(done)


def xor(one: bytes, other: bytes) -> bytes:
    """What changed, or what it changed into."""
    return bytes(a ^ b for a, b in zip(one, other, strict=True))
