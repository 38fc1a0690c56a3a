"""Words between an edge and a world: batches, packed with MessagePack.

    length (u32, big-endian) | batch

A batch is a list of words in the order in which they were said. What a turn tells many clients is in the
batch once: its bodies stand in front, and whom they are for names them by their places there (`Outgoing`).
Types are checked as a batch is read (msgspec), and nothing but plain values crosses, so that neither side can
make the other do anything that is not written here.

`client` is the edge's number of a connection, everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Generic, TypeAlias, TypeVar

import msgspec

from protocol.endings import Ending  # noqa: TC001 # msgspec reads the types of words
from protocol.session import Phase  # noqa: TC001
from protocol.wire.body import Body
from server.web.turnout import Turnout  # noqa: TC001

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from protocol.outgoing import Part

W = TypeVar("W")

VERSION: Final = 10
"""Of these words. Both ends have to be of the same."""

HEAD: Final = 4
"""Bytes of a batch's length."""

LARGEST_STRANGE: Final = 64 * 1024
"""Bytes of a batch of who has not proven to know the secret."""

LARGEST: Final = 256 * 1024 * 1024
"""Bytes of a batch. A turn of 2,000 in one place has some MiB."""

DROPPABLE, SECRET, GAP = 1, 2, 4
"""Bits of a body's flags; the last one, of a body into which something of each client's own belongs."""

GAP_AT: Final = 8
"""What the place of that gap is multiplied by in the flags."""

Value: TypeAlias = "bool | int | bytes | list[int | bytes] | None"
"""Of what a codec is told or tells."""


class Word(msgspec.Struct, array_like=True, frozen=True, gc=False):
    """Base of all words."""


class Hello(Word, frozen=True, tag=0):
    """Both sides, first."""

    version: int
    nonce: bytes
    """Random bytes, to which the other side's proof belongs."""
    name: str
    """Of the process."""
    ports: list[tuple[str, str, int]] = []
    """Of an edge: its doors, each by table, door and port."""
    world: int = 0
    """Of a world: its id in the database."""


class Open(Word, frozen=True, tag=1):
    """Edge: a client has connected."""

    client: int
    game: str
    door: str
    table: str
    peer: str
    local: str
    forwarded: bool
    born: list[bytes]
    """What its codec drew when it was made."""
    learnt: list[Value]


class Frame(Word, frozen=True, tag=2):
    """Edge: a whole frame came, deciphered."""

    client: int
    frame: bytes


class Learnt(Word, frozen=True, tag=3):
    """Edge: what the codec knows now, before the frame that follows."""

    client: int
    learnt: list[Value]


class Heard(Word, frozen=True, tag=4):
    """Edge: nothing but the wire's own words came for a while."""

    client: int


class Stale(Word, frozen=True, tag=5):
    """Edge: a client lost messages and has caught up."""

    client: int


class Gone(Word, frozen=True, tag=6):
    """Edge: the connection is over."""

    client: int
    ending: Ending
    detail: str


class Done(Word, frozen=True, tag=7):
    """Edge: what the last batch said is sent, which took so many microseconds."""

    took: int


class Sent(Word, frozen=True, tag=8):
    """World: a client is sent these bodies of the batch, with its own in the gaps of those that have one."""

    client: int
    places: list[int]
    own: list[bytes] = []


class Cast(Word, frozen=True, tag=31):
    """World: all of these clients are sent these bodies of the batch, none of which has a gap."""

    clients: list[int]
    places: list[int]
    waits: bool
    """Whether it may wait until they are sent more (`server.turn.coalescing`)."""


class Each(Word, frozen=True, tag=32):
    """World: each of these clients is sent that body, which has a gap, with its own in it."""

    clients: list[int]
    place: int
    own: list[bytes]
    waits: bool


class Control(Word, frozen=True, tag=9):
    """World: a method of the client's codec, with what it drew. What was sent before is enciphered as it was
    before."""

    client: int
    method: str
    arguments: list[Value]
    drawn: list[bytes]


class Taken(Word, frozen=True, tag=10):
    """World: so many of the client's frames, in all, are handled or wait where they are."""

    client: int
    frames: int


class State(Word, frozen=True, tag=11):
    """World: how far a client is."""

    client: int
    phase: Phase
    means: Ending
    """How it ends if it hangs up now."""
    account: str


class End(Word, frozen=True, tag=12):
    """World: the client's session is over."""

    client: int
    ending: Ending
    detail: str


class Hold(Word, frozen=True, tag=13):
    """World: hand on nothing more of this client's, and say when that is so."""

    client: int


class Held(Word, frozen=True, tag=14):
    """Edge: all that it handed on stands before this word."""

    client: int


class Move(Word, frozen=True, tag=15):
    """World: a client's player goes on in another world. It answers with `Moved`."""

    client: int
    world: int
    frames: list[bytes]
    """That it had no time for."""
    carried: bytes
    """A `server.people.crossing.Carried`, packed."""


class Adopt(Word, frozen=True, tag=16):
    """Edge: take a client's player in, whom another world let go. It answers with `Adopted`."""

    client: int
    game: str
    door: str
    table: str
    peer: str
    local: str
    forwarded: bool
    learnt: list[Value]
    frames: list[bytes]
    carried: bytes


class Adopted(Word, frozen=True, tag=17):
    """World: it has taken it in, or why it does not."""

    client: int
    why: str
    final: bool = False
    """Whether there is no use in asking again."""


class Moved(Word, frozen=True, tag=18):
    """Edge: the other world has it, or why it has not."""

    client: int
    why: str


class Return(Word, frozen=True, tag=19):
    """World: it has taken a client's player back, and so many of its frames."""

    client: int
    frames: int


class Proof(Word, frozen=True, tag=20):
    """Both sides, second: that this one knows the secret."""

    proof: bytes


class Watch(Word, frozen=True, tag=40):
    """Edge: its page wants to be shown a realm from now on, or else how many are where."""

    realm: str
    """Empty: the numbers of all."""
    viewers: int = 1
    """Who look at it there."""
    newcomers: bool = False
    """Whether some of them have seen nothing of it yet, or too little."""


class Unwatch(Word, frozen=True, tag=41):
    """Edge: nobody looks at a realm any more."""

    realm: str


class Shown(Word, frozen=True, tag=42):
    """World: what is to be seen in a realm. See `server.web.screen.Message`."""

    realm: str
    update: str = ""
    whole: str = ""
    anew: bool = False
    over: bool = False
    """Whether there is nothing more until it is asked for again."""


class Told(Word, frozen=True, tag=43):
    """World: how many are where."""

    turnout: Turnout


class Vouch(Word, frozen=True, tag=44):
    """Edge: whoever comes from that address with this key has proven to own the account."""

    game: str
    peer: str
    key: bytes
    account: int
    name: str
    access: int
    mark: str
    """Of the password that was proven (`protocol.services.AccountInfo`)."""


class Realms(Word, frozen=True, tag=21):
    """World: it has these realms from now on. Players who wait for one of them may come in."""

    realms: list[str]


class Kept(Word, frozen=True, tag=22):
    """World: with this another process can go on with a client's player, should this one end."""

    client: int
    realm: str
    """Where it is."""
    says: list[list[bytes]]
    """Messages of its game for each of `server.people.keeping.SAID`; none: as before."""
    parts: dict[str, bytes]
    """Of a `server.people.keeping.Kept`; those that are not named are as before."""
    whole: bool = False
    """Whether these are all: what was said before counts no more."""


class Parted(Word, frozen=True, tag=23):
    """World: it ends, and has let a client's player go. Whoever has its realm next goes on with it."""

    client: int
    frames: list[bytes]
    """That it had no time for."""


class TakeUp(Word, frozen=True, tag=24):
    """Edge: go on with a client's player, whose world is gone. It answers with `Adopted`."""

    client: int
    game: str
    door: str
    table: str
    peer: str
    local: str
    forwarded: bool
    learnt: list[Value]
    frames: list[bytes]
    kept: dict[str, bytes]
    """All parts of it, of each the last (`Kept`)."""


class Changed(Word, frozen=True, tag=45):
    """Edge: an account was banned there, or has another password."""

    account: int


class Rest(Word, frozen=True, tag=30):
    """World: it takes nothing in for a while, and when it was told something then, has a turn."""

    rest: int
    """Microseconds."""
    turn: int
    """Microseconds that its last turn took."""


EdgeWord: TypeAlias = (
    Hello
    | Proof
    | Open
    | Frame
    | Learnt
    | Heard
    | Stale
    | Gone
    | Done
    | Held
    | Adopt
    | Moved
    | TakeUp
    | Watch
    | Unwatch
    | Vouch
    | Changed
)
WorldWord: TypeAlias = (
    Hello
    | Proof
    | Sent
    | Cast
    | Each
    | Control
    | Taken
    | State
    | End
    | Hold
    | Move
    | Adopted
    | Return
    | Realms
    | Kept
    | Parted
    | Shown
    | Told
    | Rest
)


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

    __slots__ = ("_places", "place", "words")

    def __init__(self) -> None:
        self.words: list[Word] = []
        self._places = _Places()
        self.place: Callable[[Part], int] = self._places.__getitem__
        """The place of a message in the batch: what others were sent, too, has one already."""

    def send(self, client: int, parts: Sequence[Part], own: list[bytes]) -> None:
        """Add messages for a client."""
        self.words.append(Sent(client, list(map(self.place, parts)), own))

    def packed(self) -> bytes:
        """The whole batch, with its length; a new one begins."""
        data = _ENCODER.encode((self._places.bodies, self.words))
        self.words, self._places = [], _Places()
        self.place = self._places.__getitem__
        return len(data).to_bytes(HEAD, "big") + data


class Incoming(Generic[W]):
    """Cuts a stream into batches."""

    def __init__(self, decoder: msgspec.msgpack.Decoder[tuple[list[tuple[bytes, int]], list[W]]]) -> None:
        """`decoder`: `FROM_EDGE` or `FROM_WORLD`."""
        self.largest = LARGEST_STRANGE
        """Bytes that a batch may have."""
        self._decoder = decoder
        self._held = bytearray()

    def feed(self, data: bytes | bytearray) -> None:
        """Take bytes of the stream."""
        self._held += data

    def batches(self) -> Iterator[tuple[list[Shared], list[W]]]:
        """Whole batches: bodies and words. Raises Unreadable."""
        held = self._held
        while len(held) >= HEAD:
            size = int.from_bytes(held[:HEAD], "big")
            if size > self.largest:
                raise Unreadable(f"a batch of {size} bytes")
            if len(held) < HEAD + size:
                return
            batch = bytes(memoryview(held)[HEAD : HEAD + size])
            del held[: HEAD + size]
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
