"""Messages between worlds: plain data as JSON, a closed set, each with limits.

What comes in was written by another process, perhaps of another version, and passed through a server that
others may write to: nothing of it is believed before all of it has been looked at. A message is one object
with the version that it is written in, the world that it comes from, and a body of one of the classes below;
what is anything else, too long or out of bounds is no message (`BadMessage`). Unknown fields are passed over,
so that later versions may add some.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from world.companions import MemberState
from world.elsewhere import Person
from world.serials import LAST_MOBILE
from world.words import LONGEST

VERSION: Final = 1
"""Of the messages. Worlds of another one are not understood: an upgrade that changes it takes all worlds."""

MOST_BYTES: Final = 16 * 1024
"""Of one message. The longest, words to many guilds, come near it; most have 300."""

MOST_ROSTER_BYTES: Final = 4 * 1024 * 1024
"""Of a roster: some 250 bytes for each of 10,000."""

MOST_PEOPLE: Final = 10_000
MOST_LEVEL: Final = 100_000
MOST_POINTS: Final = 2**31 - 1
"""Of hits, mana and stamina."""
MOST_FARES: Final = 40
"""Members in one message, each of at most 400 bytes; most have 70."""
MOST_WORLD: Final = 0x7FFFFFFF
"""The highest number of a world."""

WorldNumber = Annotated[int, Meta(ge=1, le=MOST_WORLD)]
Serial = Annotated[int, Meta(ge=0, le=LAST_MOBILE)]
Number = Annotated[int, Meta(ge=0, le=2**53)]
"""Of a question, for its answer; a whole number that JSON holds everywhere."""
Points = Annotated[int, Meta(ge=-MOST_POINTS, le=MOST_POINTS)]
Name = Annotated[str, Meta(max_length=64)]
Line = Annotated[str, Meta(max_length=LONGEST)]


class BadMessage(Exception):
    """Bytes that are no message; the text says why."""


class Who(msgspec.Struct, frozen=True, omit_defaults=True):
    """A character; see `world.elsewhere.Person`."""

    serial: Serial
    name: Annotated[str, Meta(min_length=1, max_length=64)]
    short_name: Name = ""
    account: Annotated[int, Meta(ge=0, le=2**53)] = 0
    game: Annotated[str, Meta(max_length=16)] = ""
    level: Annotated[int, Meta(ge=0, le=MOST_LEVEL)] = 0
    access: Annotated[int, Meta(ge=0, le=100)] = 0
    hidden: bool = False
    realm: Name = ""
    title: Name = ""
    tag: Annotated[str, Meta(max_length=16)] = ""

    @classmethod
    def of(cls, person: Person) -> Who:
        """The same, to be sent: cut to what may be sent."""
        return cls(
            person.serial,
            person.name[:64],
            person.short_name[:64],
            person.account,
            person.game[:16],
            max(0, min(person.level, MOST_LEVEL)),
            person.access,
            person.hidden,
            person.realm[:64],
            person.title[:64],
            person.tag[:16],
        )

    def person(self) -> Person:
        """The same, for the world."""
        return Person(**msgspec.structs.asdict(self))


class Faring(msgspec.Struct, frozen=True, array_like=True):
    """One member of a party. Numbers that are none of a character are shown by nobody's window."""

    serial: Serial
    level: Points
    hits: Points
    hits_max: Points
    mana: Points
    mana_max: Points
    stam: Points
    stam_max: Points
    dead: bool
    online: bool
    realm: Name
    x: Annotated[int, Meta(ge=0, le=0xFFFF)]
    y: Annotated[int, Meta(ge=0, le=0xFFFF)]
    game: Annotated[str, Meta(max_length=16)]

    @classmethod
    def of(cls, state: MemberState) -> Faring:
        """The same, to be sent: cut to what may be sent."""
        return cls(
            state.serial,
            _points(state.level),
            _points(state.hits),
            _points(state.hits_max),
            _points(state.mana),
            _points(state.mana_max),
            _points(state.stam),
            _points(state.stam_max),
            state.dead,
            state.online,
            state.realm[:64],
            state.x & 0xFFFF,
            state.y & 0xFFFF,
            state.game[:16],
        )

    def state(self) -> MemberState:
        """The same, for the world, without a name."""
        return MemberState(name="", **msgspec.structs.asdict(self))


def _points(points: int) -> int:
    return max(-MOST_POINTS, min(points, MOST_POINTS))


class ToAll(msgspec.Struct, frozen=True, tag="all"):
    """Words to everybody; see `world.elsewhere.Ways`."""

    speaker: Who
    text: Line
    announce: bool = False


class ToOne(msgspec.Struct, frozen=True, tag="one"):
    """Words to one character alone, which are answered by `Heard` with the same number. `answers`: the hearer
    was the last to write to the speaker."""

    number: Number
    speaker: Who
    hearer: Serial
    text: Line
    answers: bool = False


class Invite(msgspec.Struct, frozen=True, tag="invite"):
    """A question whether one would come into a party, or (`joins`) let the asker into its own, answered by
    `Heard` with the same number as soon as that one has decided."""

    number: Number
    asker: Who
    hearer: Serial
    loot: Literal["finder", "turns", "leader"]
    joins: bool = False


class Heard(msgspec.Struct, frozen=True, tag="heard"):
    """The answer to `ToOne` and to `Invite`: yes, or the name of a `world.reach.Refusal` and its own words,
    if it has any."""

    number: Number
    why: Annotated[str, Meta(max_length=32)] = ""
    words: Annotated[str, Meta(max_length=256)] = ""


class ToCompany(msgspec.Struct, frozen=True, tag="company"):
    """Words to those of a company who are elsewhere, by serial, and to guilds by number."""

    speaker: Who
    channel: Literal["party", "guild", "alliance"]
    text: Line
    members: Annotated[list[Serial], Meta(max_length=1_000)] = []
    guilds: Annotated[list[Number], Meta(max_length=1_000)] = []
    hue: Annotated[int, Meta(ge=0, le=0xFFFF)] = 0


class Fares(msgspec.Struct, frozen=True, tag="fares"):
    """Tells how members of parties fare who are in the world that says it: see
    `world.companions.MemberState`. They are named by the records."""

    members: Annotated[list[Faring], Meta(max_length=MOST_FARES)]


class Beat(msgspec.Struct, frozen=True, tag="beat"):
    """A world is alive, and this is the mark of its roster."""

    mark: Annotated[str, Meta(max_length=64)]


class Began(msgspec.Struct, frozen=True, tag="began"):
    """An account has logged in: who plays it by a login with a lower number has lost it."""

    account: Annotated[int, Meta(ge=0, le=2**53)]
    login: Number


class Release(msgspec.Struct, frozen=True, tag="release"):
    """Let go of a character that a login of that number wants to play in another world; answered by
    `Released` with the same `number`."""

    number: Number
    character: Serial
    login: Number = 0


class Released(msgspec.Struct, frozen=True, tag="released"):
    """The answer to `Release`: whether the world that answers has let go of it, and it may be claimed."""

    number: Number
    done: bool


class Altered(msgspec.Struct, frozen=True, tag="altered"):
    """An account was banned, removed or given another password: who plays it has to go, and the database says
    why."""

    account: Annotated[int, Meta(ge=0, le=2**53)]


class Roster(msgspec.Struct, frozen=True, tag="roster"):
    """All who are played in a world: the value of its presence key."""

    mark: Annotated[str, Meta(max_length=64)]
    people: Annotated[list[Who], Meta(max_length=MOST_PEOPLE)]


Body: TypeAlias = (
    ToAll | ToOne | Invite | Heard | ToCompany | Fares | Beat | Began | Release | Released | Roster | Altered
)


class Message(msgspec.Struct, frozen=True):
    """One message, with who says it."""

    version: Annotated[int, Meta(ge=VERSION, le=VERSION)]
    world: WorldNumber
    body: Body


_ENCODER: Final = msgspec.json.Encoder()
_DECODER: Final = msgspec.json.Decoder(Message)


def encode(world: int, body: Body) -> bytes:
    """A message as bytes. Raises BadMessage if it is too long to be read by others."""
    data = _ENCODER.encode(Message(VERSION, world, body))
    if len(data) > limit(body):
        raise BadMessage(f"{type(body).__name__} of {len(data)} bytes")
    return data


def decode(data: bytes) -> Message:
    """The message in some bytes. Raises BadMessage, and nothing else."""
    if len(data) > MOST_ROSTER_BYTES:
        raise BadMessage(f"{len(data)} bytes")
    try:
        message = _DECODER.decode(data)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise BadMessage(str(error)) from error
    if len(data) > limit(message.body):
        raise BadMessage(f"{type(message.body).__name__} of {len(data)} bytes")
    return message


def limit(body: Body) -> int:
    """Bytes that a message with this body may have."""
    return MOST_ROSTER_BYTES if isinstance(body, Roster) else MOST_BYTES
