"""Batches of words between an edge and a world, packed with MessagePack.

    length (u32, big-endian) | number (u64, big-endian) | batch

Each side numbers its batches from 0 on, so that one that is missing or comes twice is noticed: the line is
lost then, and what is done about that mends all that was in it. TCP loses nothing on its way; a defect here
or in what stands between the two may. The first two, which are the greeting, bear no number, so that programs
of any two versions can tell each other which they are.

A batch is a list of words (`server.edge.words`) in the order in which they were said. What a turn tells many
clients is in the batch once: its bodies stand in front, and whom they are for names them by their places
there (`Outgoing`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeAlias, TypeVar

import msgspec

from protocol.wire.body import Body
from server.edge.words import EdgeWord, Sent, WorldWord

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from protocol.outgoing import Part
    from server.edge.words import Word

W = TypeVar("W")

HEAD: Final = 4
"""Bytes of a batch's length."""

NUMBER: Final = 8
"""Bytes of its number: at any pace it does not begin anew."""

GREETING: Final = 2
"""Batches without a number: `Hello` and `Proof`."""

LARGEST_STRANGE: Final = 64 * 1024
"""Bytes of a batch of who has not proven to know the secret."""

LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a batch. A turn of 2,000 in one place has some MiB."""

DROPPABLE, SECRET, GAP = 1, 2, 4
"""Bits of a body's flags; the last one, of a body into which something of each client's own belongs."""

GAP_AT: Final = 8
"""What the place of that gap is multiplied by in the flags."""

Shared: TypeAlias = "Body | tuple[bytes, bytes]"
"""What a batch has for many: a body, or what is before its gap, and behind it."""


class Unreadable(Exception):
    """The other side says what it cannot have meant."""


class _Places(dict["Part", int]):
    """The place of each body of a batch; one that is new to it takes the next. Raises TypeError for what is
    none."""

    __slots__ = ("bodies",)

    def __init__(self) -> None:
        self.bodies: list[tuple[bytes, int]] = []

    def __missing__(self, part: Part) -> int:
        if isinstance(part, Body):
            raw, flags = part.raw, part.droppable * DROPPABLE + part.secret * SECRET
        elif not isinstance(part, tuple):
            raise TypeError(f"{type(part).__name__} is no body")
        elif isinstance(part[1], bytes):
            raw, flags = part[0] + part[1], GAP + GAP_AT * len(part[0])
        else:
            raw, flags = part[0], part[1] * DROPPABLE
        place = self[part] = len(self)
        # Games have bytes that know more of themselves, which does not cross.
        self.bodies.append((raw if type(raw) is bytes else bytes(raw), flags))
        return place


class Outgoing:
    """Gathers a batch."""

    __slots__ = ("_number", "_places", "place", "words")

    def __init__(self) -> None:
        self.words: list[Word] = []
        self._number = 0
        """Of this batch."""
        self._places = _Places()
        self.place: Callable[[Part], int] = self._places.__getitem__
        """The place of a message in the batch: what others were sent, too, has one already."""

    def send(self, client: int, parts: Sequence[Part], own: list[bytes]) -> None:
        """Add messages for a client."""
        self.words.append(Sent(client, list(map(self.place, parts)), own))

    def packed(self) -> bytes:
        """The whole batch, with its length and number; a new one begins."""
        data = _ENCODER.encode((self._places.bodies, self.words))
        self.words, self._places = [], _Places()
        self.place = self._places.__getitem__
        number = self._number
        self._number = number + 1
        head = len(data).to_bytes(HEAD, "big")
        return head + data if number < GREETING else head + number.to_bytes(NUMBER, "big") + data


class Incoming(Generic[W]):
    """Cuts a stream into batches."""

    def __init__(self, decoder: msgspec.msgpack.Decoder[tuple[list[tuple[bytes, int]], list[W]]]) -> None:
        """`decoder`: `FROM_EDGE` or `FROM_WORLD`."""
        self.largest = LARGEST_STRANGE
        """Bytes that a batch may have."""
        self._decoder = decoder
        self._held = bytearray()
        self._number = 0
        """Of the batch that comes next."""

    def feed(self, data: bytes | bytearray) -> None:
        """Take bytes of the stream."""
        self._held += data

    def batches(self) -> Iterator[tuple[list[Shared], list[W]]]:
        """Whole batches: bodies and words. Raises Unreadable, too when one is missing."""
        held = self._held
        while len(held) >= HEAD:
            size = int.from_bytes(held[:HEAD], "big")
            if size > self.largest:
                raise Unreadable(f"a batch of {size} bytes")
            begins = HEAD if self._number < GREETING else HEAD + NUMBER
            if len(held) < begins + size:
                return
            if begins > HEAD and (number := int.from_bytes(held[HEAD:begins], "big")) != self._number:
                raise Unreadable(f"batch {number} comes where {self._number} is due")
            self._number += 1
            batch = bytes(memoryview(held)[begins : begins + size])
            del held[: begins + size]
            try:
                bodies, words = self._decoder.decode(batch)
            except msgspec.MsgspecError as error:
                raise Unreadable(str(error)) from error
            yield [_body(raw, flags) if flags else Body(raw) for raw, flags in bodies], words


def _body(raw: bytes, flags: int) -> Shared:
    if flags & GAP:
        at = flags // GAP_AT
        return raw[:at], raw[at:]
    return Body(raw, droppable=bool(flags & DROPPABLE), secret=bool(flags & SECRET))


_ENCODER: Final = msgspec.msgpack.Encoder()
FROM_EDGE: Final = msgspec.msgpack.Decoder(tuple[list[tuple[bytes, int]], list[EdgeWord]])
FROM_WORLD: Final = msgspec.msgpack.Decoder(tuple[list[tuple[bytes, int]], list[WorldWord]])
