"""Words between an edge and a world. How they are packed is in `server.edge.batches`.

Types are checked as they are read (msgspec), and nothing but plain values crosses, so that neither side can
make the other do anything that is not written here.

`client` is the edge's number of a connection, everywhere.
"""

from __future__ import annotations

from typing import Final, TypeAlias

import msgspec

from protocol.endings import Ending  # noqa: TC001 # msgspec reads the types of words
from protocol.session import Phase  # noqa: TC001
from server.web.turnout import Turnout  # noqa: TC001

VERSION: Final = 12
"""Of these words. Both ends have to be of the same."""

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


class Ring(Word, frozen=True, tag=46):
    """World: its rest is over, a turn is about to begin. What has come is to be said, then `Rung`."""


class Rung(Word, frozen=True, tag=47):
    """Edge: it heard that. What it says after this word waits for the turn behind the one that begins."""


class Given(Word, frozen=True, tag=48):
    """World: it has given a realm to another one; the edge says the same to that, which looks at once and not
    only when it would have anyway."""

    world: int
    """The other one's id in the database."""


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
    | Rung
    | Given
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
    | Ring
    | Given
)
