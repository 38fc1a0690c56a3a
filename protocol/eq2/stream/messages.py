"""Turns game messages into reliable payloads, and back.

A message is its type id and its body. What the server says gets a flag byte in front: 00 plain, 01 the rest
is the next piece of the session's one deflate stream. What a client says has none, and is never compressed.
Flag and all are encrypted; if the first encrypted byte is 00, another 00 that is not encrypted goes in front,
so that a payload that begins with 00 19 can only be an AppCombined.

Both streams, deflate's and RC4's, go on from message to message. So a message is encoded exactly once, in the
order in which it gets its number, and decoded in that order.

What a lost unreliable message does: it took its bytes of the client's keystream, and the server, which never
saw it, decrypts everything after it, reliable or not, with the wrong ones. The wire has nothing to notice or
repair that with (no length, no position, no check behind the encryption): the messages become noise, which
the game takes for unknown types. The same goes for one that overtakes another. The original client sends
nothing unreliable that the world needs, and a session that became noise ends as any client that sends noise.
"""

from __future__ import annotations

import sys
import zlib
from collections import deque
from typing import TYPE_CHECKING, Final

from protocol.endings import WireError
from protocol.eq2.stream.combining import APP_COMBINED, combine_run, split_messages
from protocol.eq2.stream.settings import INFLATED_BYTES
from protocol.wire.args import Role

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eq2.stream.ciphers import CipherPair
    from protocol.eq2.stream.settings import StreamSettings
    from protocol.eq2.stream.statistics import Statistics

PLAIN: Final = 0
DEFLATED: Final = 1

WINDOW_BITS: Final = 13
_LEVEL: Final = 9
_MEMORY_LEVEL: Final = 4
"""A stream takes 40 KiB with this one; with 9, as eq2emu has it, 288. What a client is sent on its way into a
zone gets as small with both, to a tenth (python -m bench.eq2_wire deflate)."""

_PLAIN_FLAG: Final = b"\0"
_DEFLATED_FLAG: Final = b"\1"

# Of n random bytes, 256 * (1 - (255 / 256) ** n) different ones are expected; text and packed structures stay
# far below this share of that.
_SAMPLE: Final = 256
_RANDOM_SHARE: Final = 0.85
_MANY_ZEROS: Final = 8  # and one in 64: random bytes have one zero in 256
_RARE_ZEROS: Final = 64
_RANDOM_FROM: Final = tuple(_RANDOM_SHARE * 256 * (1 - (255 / 256) ** count) for count in range(_SAMPLE + 1))


class Tail:
    """The end of a message that many clients are sent, deflated once for all of them.

    It refers to nothing in front of it, so it may be a piece of any stream; what a stream has after it refers
    to nothing up to its end (Z_FULL_FLUSH), because what deflates there never saw it.
    """

    __slots__ = ("_deflated", "plain")

    def __init__(self, plain: bytes) -> None:
        self.plain = plain
        self._deflated = b""

    def deflated(self) -> bytes:
        """Whole blocks of a deflate stream, without its header."""
        if not self._deflated:
            deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, -WINDOW_BITS, _MEMORY_LEVEL)
            self._deflated = deflate.compress(self.plain) + deflate.flush(zlib.Z_SYNC_FLUSH)
        return self._deflated


class Tailed(bytes):
    """A message that ends with a `Tail`."""

    tail: Tail

    @classmethod
    def of(cls, head: bytes, tail: Tail) -> Tailed:
        """The message that begins with `head`."""
        message = cls(head + tail.plain)
        message.tail = tail
        return message


class Encoder:
    """Messages to reliable payloads.

    Small messages stay plain, and the deflate stream never sees them. So do those that do not get smaller:
    for one that looks random, a copy of the stream tries first, and takes the stream's place only if it was
    worth it. The copy costs some 0.1 ms, so one that does not look random goes into the stream at once, and
    then leaves it compressed even if that made it some bytes longer.
    """

    __slots__ = (
        "_combine_bytes",
        "_deflate",
        "_flag",
        "_longest_plain",
        "_statistics",
        "cipher",
        "tries_first",
    )

    def __init__(self, role: Role, settings: StreamSettings, statistics: Statistics) -> None:
        self.cipher: CipherPair | None = None
        self.tries_first = True
        """False: compress whatever is long enough, as eq2emu does."""
        flagged = role is Role.SERVER
        self._flag = _PLAIN_FLAG if flagged else b""
        self._longest_plain = settings.compress_above - 1 if flagged else sys.maxsize
        self._combine_bytes = settings.combine_bytes
        self._statistics = statistics
        self._deflate: zlib._Compress | None = None  # not before it is needed: a login needs none

    def encode(self, messages: Sequence[bytes]) -> list[bytes]:
        """Reliable payloads with these messages, in their order; empty ones are left out. Raises ValueError
        while there is no key, and if one is longer than any client takes."""
        cipher = self.cipher
        if cipher is None:
            raise ValueError("there is no key yet")
        marked = self._marked(messages)
        run = cipher.encrypt(b"".join(marked))
        return combine_run(run, list(map(len, marked)), self._combine_bytes)

    def _marked(self, messages: Sequence[bytes]) -> list[bytes]:
        flag, longest = self._flag, self._longest_plain
        return [
            flag + message if len(message) <= longest else self._deflated(message)
            for message in messages
            if message
        ]

    def _deflated(self, message: bytes) -> bytes:
        """A message with its flag, compressed if that makes it shorter."""
        if len(message) > INFLATED_BYTES:
            raise ValueError(f"a message of {len(message)} bytes; clients take {INFLATED_BYTES}")
        deflate = self._deflate
        if deflate is None:
            deflate = self._deflate = zlib.compressobj(_LEVEL, zlib.DEFLATED, WINDOW_BITS, _MEMORY_LEVEL)
        if isinstance(message, Tailed):
            head, tail = message[: -len(message.tail.plain)], message.tail.deflated()
            deflated = deflate.compress(head) + deflate.flush(zlib.Z_FULL_FLUSH) + tail
            self._statistics.bytes_before_compression += len(message)
            self._statistics.bytes_after_compression += len(deflated)
            return _DEFLATED_FLAG + deflated
        trial = self.tries_first and _looks_random(message)
        if trial:
            deflate = deflate.copy()
        deflated = deflate.compress(message) + deflate.flush(zlib.Z_SYNC_FLUSH)
        if trial:
            if len(deflated) >= len(message):
                return _PLAIN_FLAG + message
            self._deflate = deflate
        self._statistics.bytes_before_compression += len(message)
        self._statistics.bytes_after_compression += len(deflated)
        return _DEFLATED_FLAG + deflated


def _looks_random(message: bytes) -> bool:
    if message.count(0) > _MANY_ZEROS + len(message) // _RARE_ZEROS:
        return False  # as nearly all that is structured; the rest takes a closer look
    sample = message[-_SAMPLE:]
    return len(set(sample)) >= _RANDOM_FROM[len(sample)]


class Decoder:
    """Payloads to messages. Decrypted at once, in the order in which they are fed; inflated when asked for,
    so that no more than one message is ever there inflated."""

    __slots__ = ("_flagged", "_inflate", "_inflated", "_messages", "_statistics", "cipher")

    def __init__(self, role: Role, statistics: Statistics) -> None:
        self.cipher: CipherPair | None = None
        self._flagged = role is Role.CLIENT
        self._statistics = statistics
        # With flags, None stands where a payload begins.
        self._messages: deque[bytes | None] = deque()
        self._inflate: zlib._Decompress | None = None
        self._inflated = 0  # bytes, of the payload that is being read

    def feed(self, payload: bytes) -> None:
        """The next reliable payload, or an unreliable one that came now. WireError: an AppCombined that is
        none."""
        if not payload:
            self._statistics.drop("empty")
        elif payload[0]:
            self._decrypt(payload)
        elif payload.startswith(APP_COMBINED):
            self.feed_messages(split_messages(payload))
        elif len(payload) > 1:
            self._decrypt(payload[1:])
        else:
            self._statistics.drop("empty")

    def feed_messages(self, parts: Sequence[bytes]) -> None:
        """The messages of one AppCombined."""
        stripped = [part if part[0] else part[1:] for part in parts]
        plain = self._cipher().decrypt(b"".join(stripped))
        if self._flagged:
            self._messages.append(None)
        end = 0
        for part in stripped:
            start = end
            end += len(part)
            if end > start:
                self._messages.append(plain[start:end])
            else:
                self._statistics.drop("empty")

    def next(self) -> bytes | None:
        """The next message. WireError: it cannot be inflated, or is too long then."""
        messages = self._messages
        if not self._flagged:
            return messages.popleft() if messages else None
        while messages:
            flagged = messages.popleft()
            if flagged is None:
                self._inflated = 0
            elif message := self._unmarked(flagged):
                return message
            else:
                self._statistics.drop("empty")
        return None

    def forget(self) -> None:
        """Drop what was not asked for yet."""
        self._messages.clear()

    def _decrypt(self, encrypted: bytes) -> None:
        if self._flagged:
            self._messages.append(None)
        self._messages.append(self._cipher().decrypt(encrypted))

    def _cipher(self) -> CipherPair:
        if self.cipher is None:
            raise ValueError("there is no key yet")
        return self.cipher

    def _unmarked(self, flagged: bytes) -> bytes:
        flag = flagged[0]
        if flag == PLAIN:
            return flagged[1:]
        if flag != DEFLATED:
            raise WireError(f"bad_flag: {flag:#04x} in front of a message")
        if self._inflate is None:
            self._inflate = zlib.decompressobj(WINDOW_BITS)
        room = INFLATED_BYTES - self._inflated
        try:
            message = self._inflate.decompress(flagged[1:], room + 1)
        except zlib.error as error:
            raise WireError(f"bad_deflate: {error}") from error
        if len(message) > room:
            raise WireError(f"bad_deflate: more than {INFLATED_BYTES} bytes from one payload")
        if self._inflate.eof:
            raise WireError("bad_deflate: the stream ends")
        self._inflated += len(message)
        self._statistics.bytes_before_compression += len(message)
        self._statistics.bytes_after_compression += len(flagged) - 1
        return message
