"""What an edge and a world say to each other: batches of words, packed with MessagePack.

    length (u32, big-endian) | batch

A batch is a list of words in the order in which they were said, each a list that begins with its kind. What a
turn tells many clients is in the batch once: its bodies stand in front, and whom they are for names them by
their places there (`Outgoing`). Nothing but plain values crosses, so that neither side can make the other do
anything that is not written here.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import msgspec

from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

VERSION: Final = 1
"""Of these words. Both ends have to be of the same."""

HEAD: Final = 4
"""Bytes of a batch's length."""

LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a batch. A turn of 2,000 in one place has some MiB."""

DROPPABLE, SECRET = 1, 2
"""Bits of a body's flags."""


class Word(enum.IntEnum):
    """Kinds of words; what follows each is told there. `client` is the edge's number of a connection."""

    HELLO = 0
    """Both, first: version, secret (text), name of the process; of an edge the ports of its doors as
    [table, door, port], too."""
    OPEN = 1
    """Edge: client, game, door, table, peer, local, forwarded, the bytes its codec drew when it was made,
    what that has learnt."""
    FRAME = 2
    """Edge: client, frame."""
    LEARNT = 3
    """Edge: client, what its codec has learnt."""
    HEARD = 4
    """Edge: client, of which only the wire's own words came for a while."""
    STALE = 5
    """Edge: client that lost messages and has caught up."""
    GONE = 6
    """Edge: client, ending, detail: its connection is over."""
    DONE = 12
    """Edge: 0, and the microseconds that it took to send what a batch said."""
    SENT = 7
    """World: client, places of bodies."""
    CONTROL = 8
    """World: client, method of its codec, arguments, the bytes that this drew. What was sent before is
    enciphered as it was before."""
    TAKEN = 9
    """World: client, how many of its frames are handled, or wait where they are."""
    STATE = 10
    """World: client, its phase, what it means if it hangs up, its account's name."""
    END = 11
    """World: client, ending, detail."""


Words: TypeAlias = "Sequence[Sequence[Any]]"
"""Words of a batch. Whoever takes them trusts neither their number nor their types."""


class Unreadable(Exception):
    """The other side says what it cannot have meant."""


class Outgoing:
    """Gathers a batch."""

    __slots__ = ("_bodies", "_kept", "_places", "words")

    def __init__(self) -> None:
        self.words: list[object] = []
        self._bodies: list[tuple[bytes, int]] = []
        self._places: dict[int, int] = {}
        self._kept: list[Body] = []
        """As long as their addresses stand for them."""

    def say(self, *word: object) -> None:
        """Add a word."""
        self.words.append(word)

    def send(self, client: int, bodies: Sequence[Body]) -> None:
        """Add messages for a client; what others were sent, too, takes a number."""
        places = self._places
        try:
            numbers = [places[id(body)] for body in bodies]
        except KeyError:
            numbers = [self._place(body) for body in bodies]
        self.words.append((int(Word.SENT), client, numbers))

    def _place(self, body: Body) -> int:
        place = self._places.get(id(body))
        if place is None:
            place = self._places[id(body)] = len(self._bodies)
            self._bodies.append((body.raw, body.droppable * DROPPABLE + body.secret * SECRET))
            self._kept.append(body)
        return place

    def packed(self) -> bytes:
        """The whole batch, with its length; a new one begins."""
        data = _ENCODER.encode((self._bodies, self.words))
        self.__init__()  # type: ignore[misc] # empty, as it began
        return len(data).to_bytes(HEAD, "big") + data


class Incoming:
    """Cuts a stream into batches."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, data: bytes | bytearray) -> None:
        """Take bytes of the stream."""
        self._held += data

    def batches(self) -> Iterator[tuple[list[Body], Words]]:
        """Whole batches: bodies and words. Raises Unreadable."""
        held = self._held
        while len(held) >= HEAD:
            size = int.from_bytes(held[:HEAD], "big")
            if size > LARGEST:
                raise Unreadable(f"a batch of {size} bytes")
            if len(held) < HEAD + size:
                return
            with memoryview(held) as view, view[HEAD : HEAD + size] as batch:
                try:
                    bodies, words = _DECODER.decode(batch)
                except msgspec.MsgspecError as error:
                    raise Unreadable(str(error)) from error
            del held[: HEAD + size]
            yield (
                [
                    Body(raw, droppable=bool(flags & DROPPABLE), secret=bool(flags & SECRET))
                    for raw, flags in bodies
                ],
                words,
            )


_ENCODER: Final = msgspec.msgpack.Encoder()
_DECODER: Final = msgspec.msgpack.Decoder(tuple[list[tuple[bytes, int]], list[list[Any]]])
