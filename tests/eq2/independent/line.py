"""The client's side of an EQStream session, read from the facts alone: big-endian frames, a seeded CRC-32,
two RC4 streams, one inflate stream.

It knows no clock and no socket: `now` comes in, datagrams come in and go out.
"""

from __future__ import annotations

import struct
import zlib
from collections import deque
from typing import TYPE_CHECKING

from tests.eq2.independent.cipher import streams
from tests.eq2.independent.packed import Malformed

if TYPE_CHECKING:
    import random

    from tests.eq2.independent.cipher import Rc4

LONGEST = 512
INFLATED_LONGEST = 500_000
WINDOW = 2048
AGAIN = 1.0
"""Seconds until something unanswered is sent again."""
PATIENCE = 30.0
QUIET = 9.0

KEY_REQUEST = b"\x02" + struct.pack("<I", 60) + b"\xff" * 60 + struct.pack("<IB", 1, 1)


def crc(seed: int, data: bytes) -> bytes:
    """The two bytes behind a datagram."""
    return struct.pack(">H", zlib.crc32(struct.pack("<I", seed) + data) & 0xFFFF)


class Line:
    """One session, from the request for it to its end. What is wrong with what comes is a `Malformed`."""

    def __init__(self, chance: random.Random, longest: int = LONGEST) -> None:
        self._chance = chance
        self._longest = longest
        self.session = chance.getrandbits(32)
        self.seed: int | None = None
        self.keyed = False
        self.closed = False
        self.reason: int | None = None
        self.messages: deque[bytes] = deque()
        self.datagrams: list[bytes] = []
        """What is to be sent now."""
        self.compressed = self.combined = self.grouped = self.fragments = self.escaped = 0
        self.escaped_alone = 0
        self._asked = self._stat_asked = 0.0
        self._stats = 0
        self._heard = self._said = 0.0
        self._expected = self._next = 0
        self._early: dict[int, bytes] = {}
        self._parts = bytearray()
        self._total = 0
        self._acks: list[bytes] = []
        self._arrived = False
        self._waiting: list[bytes] = []
        self._unacked: dict[int, tuple[float, float, bytes]] = {}
        self._in: Rc4 | None = None
        self._out: Rc4 | None = None
        self._inflate = zlib.decompressobj(13)

    # What goes out

    def connect(self, now: float) -> None:
        """Ask for a session."""
        self._asked = self._heard = now
        self.datagrams.append(struct.pack(">HIII", 1, 2, self.session, self._longest))

    def send(self, message: bytes) -> None:
        """A message: its type and its body. It leaves with the next flush."""
        assert self._out is not None, "no key yet"
        data = self._out.crypt(message)
        self._waiting.append(b"\0" + data if data[0] == 0 else data)

    def send_loosely(self, message: bytes) -> None:
        """A message in a datagram of its own, which nobody acknowledges, in the same keystream."""
        assert self._out is not None, "no key yet"
        self.flush(self._said)
        data = self._out.crypt(message)
        self._put(b"\0" + data if data[0] == 0 else data)

    def close(self, reason: int = 6) -> None:
        """Say goodbye, once."""
        if not self.closed:
            self.closed = True
            self._put(struct.pack(">HIH", 5, self.session, reason))

    def flush(self, now: float) -> None:
        """Make datagrams of all that waits: acknowledgements, then messages."""
        if self.seed is None or self.closed:
            return
        frames = self._acks
        self._acks = []
        if self._arrived:
            self._arrived = False
            frames.append(struct.pack(">HH", 0x15, (self._expected - 1) & 0xFFFF))
        for payload in self._grouped():
            for frame in self._reliable(payload):
                seq = struct.unpack_from(">H", frame, 2)[0]
                self._unacked[seq] = now, now, frame
                frames.append(frame)
        self._carry(frames)
        if frames:
            self._said = now

    def _grouped(self) -> list[bytes]:
        """Messages that wait together share a payload as long as it stays short."""
        waiting, self._waiting = self._waiting, []
        done: list[list[bytes]] = []
        for message in waiting:
            if done and sum(map(len, done[-1])) + len(message) < 200:
                done[-1].append(message)
            else:
                done.append([message])
        return [
            group[0]
            if len(group) == 1
            else b"\0\x19" + b"".join(bytes([len(message)]) + message for message in group)
            for group in done
        ]

    def _reliable(self, payload: bytes) -> list[bytes]:
        room = self._longest - 6
        if len(payload) <= room:
            return [struct.pack(">HH", 9, self._number()) + payload]
        frames = [struct.pack(">HHI", 0x0D, self._number(), len(payload)) + payload[: room - 4]]
        frames.extend(
            struct.pack(">HH", 0x0D, self._number()) + payload[at : at + room]
            for at in range(room - 4, len(payload), room)
        )
        return frames

    def _number(self) -> int:
        number = self._next
        self._next = number + 1 & 0xFFFF
        return number

    def _carry(self, frames: list[bytes]) -> None:
        """Short frames share a datagram."""
        shared: list[bytes] = []
        for frame in frames:
            if len(frame) < 255 and sum(map(len, shared)) + len(shared) + len(frame) + 5 <= self._longest:
                shared.append(frame)
            elif len(frame) < 255:
                self._share(shared)
                shared = [frame]
            else:
                self._share(shared)
                shared = []
                self._put(frame)
        self._share(shared)

    def _share(self, frames: list[bytes]) -> None:
        if len(frames) == 1:
            self._put(frames[0])
        elif frames:
            self._put(b"\0\x03" + b"".join(bytes([len(frame)]) + frame for frame in frames))

    def _put(self, data: bytes) -> None:
        if self.seed is not None:
            self.datagrams.append(data + crc(self.seed, data))

    def _ask_stats(self, now: float) -> None:
        self._stat_asked = now
        self._stats += 1
        self._put(struct.pack(">HHIIIIIQQ", 7, self._stats, 0, 0, 0, 0, 0, self._stats, 0))

    def tick(self, now: float) -> None:
        """What time brings: repeats, a sign of life. Raises Malformed when the server is gone."""
        if self.closed:
            return
        if now - self._heard > PATIENCE:
            raise Malformed(f"the server was silent for {PATIENCE} seconds")
        if self.seed is None:
            if now - self._asked >= AGAIN:
                self.connect(now)
            return
        if not self.keyed and now - self._stat_asked >= AGAIN:
            self._ask_stats(now)
        for seq, (first, last, frame) in list(self._unacked.items()):
            if now - first > PATIENCE:
                raise Malformed(f"number {seq} was not acknowledged in {PATIENCE} seconds")
            if now - last >= AGAIN:
                self._unacked[seq] = first, now, frame
                self._carry([frame])
        if now - self._said > QUIET:
            self._said = now
            self._put(b"\0\x06")
        self.flush(now)

    # What comes in

    def receive(self, data: bytes, now: float) -> None:
        """A datagram. Raises Malformed if no server may send it."""
        if len(data) > self._longest:
            raise Malformed(f"a datagram of {len(data)} bytes: {data.hex()}")
        if len(data) < 2 or data[0]:
            raise Malformed(f"a datagram that is no frame: {data.hex()}")
        self._heard = now
        opcode = data[1]
        if opcode == 0x1D:
            # There is no such session any more: a goodbye got lost.
            self.closed, self.reason = True, 7
            return
        if opcode == 0x02:
            self._confirmed(data, now)
            return
        if self.seed is None:
            raise Malformed(f"{data.hex()} before there is a session")
        if len(data) < 4 or crc(self.seed, data[:-2]) != data[-2:]:
            raise Malformed(f"a wrong checksum: {data.hex()}")
        self._frame(data[:-2], now)
        self.flush(now)

    def _confirmed(self, data: bytes, now: float) -> None:
        if len(data) != 21:
            raise Malformed(f"a session response of {len(data)} bytes: {data.hex()}")
        session, seed, size, first, second, longest, _ = struct.unpack(">IIBBBII", data[2:])
        if session != self.session:
            raise Malformed(f"a session response for {session:08x}, not {self.session:08x}")
        if (size, first, second) != (2, 0, 0):
            raise Malformed(f"checksums of {size} bytes, passes {first} and {second}")
        if not 128 <= longest <= self._longest:
            raise Malformed(f"datagrams of {longest} bytes")
        if self.seed is not None and seed != self.seed:
            raise Malformed(f"another seed, {seed:08x} after {self.seed:08x}")
        if self.seed is None:
            self.seed = seed
            self._ask_stats(now)

    def _frame(self, frame: bytes, now: float) -> None:
        if self.closed:
            return
        if len(frame) < 2 or frame[0]:
            raise Malformed(f"an unreliable payload from the server: {frame.hex()}")
        opcode, body = frame[1], frame[2:]
        if opcode == 0x03:
            self.combined += 1
            self._split(body, now)
        elif opcode == 0x05:
            self._disconnected(body)
        elif opcode == 0x06:
            self._exact(frame, 2)
        elif opcode == 0x08:
            self._exact(frame, 40)
            tick, _, sent, _, _, _ = struct.unpack(">HIQQQQ", body)
            if not 0 < tick <= self._stats or sent != tick:
                raise Malformed(f"statistics for {tick} and {sent}: {frame.hex()}")
        elif opcode in (0x09, 0x0D):
            if len(body) < 3:
                raise Malformed(f"an empty packet: {frame.hex()}")
            self._arrives(struct.unpack_from(">H", body)[0], frame)
        elif opcode in (0x11, 0x15):
            self._exact(frame, 4)
            self._acknowledged(struct.unpack(">H", body)[0], all_up_to=opcode == 0x15)
        else:
            raise Malformed(f"no server sends {opcode:#04x}: {frame.hex()}")

    def _exact(self, frame: bytes, size: int) -> None:
        if len(frame) != size:
            raise Malformed(f"a frame of {len(frame)} bytes where {size} belong: {frame.hex()}")

    def _split(self, body: bytes, now: float) -> None:
        at = count = 0
        while at < len(body):
            size = body[at]
            part = body[at + 1 : at + 1 + size]
            if size == 255 or len(part) < size or size < 2:
                raise Malformed(f"a part of {size} at {at} of {body.hex()}")
            if part[0] == 0 and part[1] in (0x01, 0x02, 0x03):
                raise Malformed(f"{part.hex()} inside of combined frames")
            self._frame(part, now)
            at += 1 + size
            count += 1
        if count < 2:
            raise Malformed(f"{count} frames combined: {body.hex()}")

    def _disconnected(self, body: bytes) -> None:
        self._exact(b"\0\x05" + body, 8)
        session, reason = struct.unpack(">IH", body)
        if session != self.session or reason > 16:
            raise Malformed(f"goodbye to {session:08x} for {reason}")
        self.closed, self.reason = True, reason

    def _acknowledged(self, seq: int, *, all_up_to: bool) -> None:
        ahead = seq - self._next & 0xFFFF
        if ahead < 0x8000:
            raise Malformed(f"{seq} is acknowledged, and {self._next} is still to be sent")
        if all_up_to:
            for other in list(self._unacked):
                if (seq - other & 0xFFFF) < 0x8000:
                    del self._unacked[other]
        else:
            self._unacked.pop(seq, None)

    def _arrives(self, seq: int, frame: bytes) -> None:
        ahead = seq - self._expected & 0xFFFF
        if ahead and ahead < WINDOW:
            known = self._early.setdefault(seq, frame)
            if known != frame:
                raise Malformed(f"number {seq} was sent with two contents")
        if ahead:
            self._acks.append(struct.pack(">HH", 0x11, seq))
            return
        self._early[seq] = frame
        while (frame_in_turn := self._early.pop(self._expected, b"")) != b"":
            self._expected = self._expected + 1 & 0xFFFF
            self._arrived = True
            if frame_in_turn[1] == 0x09:
                if self._total:
                    raise Malformed(f"a packet amid fragments: {frame_in_turn.hex()}")
                self._payload(frame_in_turn[4:])
            else:
                self._fragment(frame_in_turn[4:])

    def _fragment(self, data: bytes) -> None:
        self.fragments += 1
        if not self._total:
            if len(data) < 5:
                raise Malformed(f"a first fragment of {data.hex()}")
            self._total = struct.unpack_from(">I", data)[0]
            data = data[4:]
            if not 1 <= self._total <= 1 << 20:
                raise Malformed(f"{self._total} bytes in fragments")
        self._parts += data
        if len(self._parts) > self._total:
            raise Malformed(f"{len(self._parts)} bytes of {self._total} in fragments")
        if len(self._parts) == self._total:
            whole = bytes(self._parts)
            self._parts.clear()
            self._total = 0
            self._payload(whole)

    def _payload(self, data: bytes) -> None:
        if not self.keyed:
            self._handshake(data)
        elif data[:2] == b"\0\x19":
            self.grouped += 1
            self._ungroup(data[2:])
        else:
            self.escaped_alone += data[0] == 0
            self._message(data)

    def _ungroup(self, data: bytes) -> None:
        at = count = 0
        while at < len(data):
            size = data[at]
            at += 1
            if size == 255:
                size = struct.unpack_from(">H", data, at)[0]
                at += 2
                if size == 0xFFFF:
                    size = struct.unpack_from(">I", data, at)[0]
                    at += 4
            part = data[at : at + size]
            if not size or len(part) < size:
                raise Malformed(f"a message of {size} bytes among several, {len(part)} there")
            self._message(part)
            at += size
            count += 1
        if count < 2:
            raise Malformed(f"{count} messages in a group")

    def _message(self, data: bytes) -> None:
        if data[0] == 0:
            self.escaped += 1
            if data[1:2] != b"\0":
                raise Malformed(f"a zero before {data[1:2].hex()}, which needs none")
            data = data[1:]
        assert self._in is not None
        plain = self._in.crypt(data)
        flag, body = plain[0], plain[1:]
        if flag == 1:
            self.compressed += 1
            body = self._inflate.decompress(body, INFLATED_LONGEST)
            if self._inflate.unconsumed_tail or self._inflate.eof:
                raise Malformed("more than the client's buffer, or the end of the deflate stream")
        elif flag:
            raise Malformed(f"flag {flag:#04x} before {body[:32].hex()}")
        if not body:
            raise Malformed("a message without a type")
        self.messages.append(body)

    def _handshake(self, data: bytes) -> None:
        if data != KEY_REQUEST:
            raise Malformed(f"no key request: {data.hex()}")
        tail = self._chance.randbytes(8)
        # With an exponent of one, what stands before the key means nothing: it only has to be long enough.
        reply = b"\x02" + struct.pack("<I", 60) + self._chance.randbytes(60) + struct.pack("<I", 8) + tail
        self._in, self._out = streams(tail)
        self.keyed = True
        self._waiting.append(reply)
