"""What a harness asks of each game: written down once, so that it can be parametrised with all of them. The
games themselves are in `tests.kit.games`."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, ClassVar, Final, NamedTuple
from weakref import WeakKeyDictionary

import attrs

from protocol.session import Phase
from server.bots.bundle import bundle, unbundle

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from hypothesis import strategies as st

    from protocol.family import Codec, Family
    from protocol.session import Session
    from tests.kit.players import Player
    from tests.kit.town import Town
    from world.mobile import Mobile

_LETTERS: Final = "abdeghkmnpst"
"""Letters of which no two look alike (`world.newcomers.name_key`)."""

MARK: Final = "Zq7Zq7"
"""Stands in a frame where a test puts strings of its own."""

ANSWER_SECONDS: Final = 0.25
"""What a step of a golden session waits for its answer: several turns of the world. Time is virtual, but a
quarter of a quiet second costs a quarter of its timers, and there are thousands of such sessions."""


@attrs.frozen
class Step:
    """One thing a client sends on its way; `phase` is what the server knows of it right before."""

    name: str
    send: Callable[[Player], bytes]
    phase: Phase = Phase.GREETING
    redials: bool = False
    """Whether it hangs up and connects anew to send it."""


class Sight(NamedTuple):
    """Somebody as a client draws them, itself too. None: this game's client does not show that."""

    name: str | None
    x: float
    y: float
    """In the client's own coordinates."""
    heading: int
    """The world's."""
    hits: float | None
    """In percent."""
    ghost: bool | None
    sitting: bool | None


class Heard(NamedTuple):
    """A line that somebody spoke, as a client shows it. `how`: say, yell, tell, global or emote."""

    how: str
    who: str
    words: str


@attrs.define
class Pair:
    """Both ends of a connection without a server: codecs, and what the server's handlers would do to them."""

    server: Codec
    client: Codec
    heard: Callable[[bytes], None]
    """To be called with each frame the server's end hands out."""
    opening: Callable[[], None] = lambda: None
    """Queues what the client says before its first packet."""


class Game(ABC):
    """One game, as harnesses see it. A *frame* is what the server's codec hands out: a whole plain packet."""

    name: ClassVar[str]
    doors: ClassVar[Sequence[str]]
    variants: ClassVar[Mapping[str, Callable[[Town], Player]]]
    """Its clients: versions, with and without encryption, by door. The first is the usual one."""
    steps: ClassVar[Sequence[Step]]
    """A golden session: from the first byte into the world, and some packets there."""
    deleting: ClassVar[tuple[str, Sequence[Step]]]
    """Before which step of the golden session a character can be deleted, and how; no steps if not at all."""
    stride: ClassVar[int] = 1
    """Bytes between two places where its usual client's packets are cut. More than one where it is the same
    to a codec, which only looks for an end, where in a packet that is."""
    kinds: ClassVar[int] = 50
    """Packets that a fuzzer is to bring to a handler, at least; of EverQuest II each of its commands counts,
    which are words in one message."""
    unknown: ClassVar[Sequence[bytes]]
    """Frames with opcodes that the table does not have."""
    datagrams: ClassVar[bool] = False
    """Whether it goes by datagrams: what is sent or received is then a bundle (`server.bots.bundle`)."""
    lengths: ClassVar[Sequence[tuple[bytes, bool]]]
    """Beginnings of a packet whose length field is at its limits or beyond, and whether it is legal."""

    def player(self, town: Town, variant: str = "") -> Player:
        """Somebody in front of a client."""
        return self.variants[variant or next(iter(self.variants))](town)

    async def plays(self, player: Player, who: Person, *, upto: int | None = None) -> None:
        """The golden session up to, but without, step number `upto`; to its end by default."""
        self.introduce(player, who)
        for step in self.steps[:upto]:
            await self.does(player, step)

    def introduce(self, player: Player, who: Person) -> None:
        """Say who sits in front of the client: its steps log that person in."""
        _WHO[player] = who

    async def does(self, player: Player, step: Step) -> None:
        """One step, and the time that its answer takes."""
        await player.sends(self.prepared(player, step), wait=ANSWER_SECONDS)

    def prepared(self, player: Player, step: Step) -> bytes:
        """What the step sends, on a connection where it may be sent."""
        if step.redials:
            player.leaves()
        return step.send(player)

    async def enters(self, player: Player, who: Person) -> None:
        """From the first byte into the world; account and character are made if they do not exist."""
        await player.enters(who.account, who.character)  # type: ignore[attr-defined] # all players do

    @property
    def entering(self) -> int:
        """How many steps lead into the world."""
        return next(n for n, step in enumerate(self.steps) if step.phase is Phase.IN_WORLD)

    def step(self, name: str) -> int:
        """The number of a step."""
        return next(n for n, step in enumerate(self.steps) if step.name == name)

    def first(self, phase: Phase) -> int:
        """The number of the first step before which a client of the first of `doors` is in that phase."""
        return next(n for n, step in enumerate(self.steps) if step.phase is phase)

    async def first_words(self, player: Player, door: str) -> bytes:
        """What a client says first on a connection to that door."""
        return self.steps[0].send(player)

    def valid_at(self, door: str) -> Mapping[str, st.SearchStrategy[bytes]]:
        """`valid` for a door that has a table of its own."""
        return self.valid()

    @abstractmethod
    def wire(self, player: Player, frame: bytes) -> bytes:
        """A frame as the next one this client sends."""

    def handed_out(self, door: str, frame: bytes) -> bytes:
        """A frame as the server's codec of that door hands it out, whatever has filled it up on the way."""
        return frame

    def silences(self, player: Player) -> None:
        """From now on the client looks at nothing it is sent, and answers nothing by itself."""
        player.take = lambda data: b""  # type: ignore[method-assign] # of this one

    def begins(self, player: Player, beginning: bytes) -> bytes:
        """One of `lengths` as this client would send it."""
        return beginning

    def spoken(self, codec: Codec, now: float = 0.0) -> bytes:
        """What a codec has to put on the wire."""
        datagrams = codec.outgoing(now)
        return bundle(datagrams) if self.datagrams else b"".join(datagrams)

    def hears(self, codec: Codec, data: bytes, now: float = 0.0) -> None:
        """Have a codec take what the other end has spoken. Raises WireError."""
        for piece in unbundle(data) if self.datagrams else (data,):
            codec.receive(piece, now)

    def noise(self, data: bytes) -> bytes:
        """Bytes that mean nothing, as a client may send them; by datagrams twice, once as a word of the
        stream's own."""
        return bundle([data, bytes((0, data[0] % 32)) + data]) if self.datagrams else data

    def pieces(self, data: bytes, chance: random.Random) -> list[bytes]:
        """The same as a network may deliver it: a stream in pieces of any size, datagrams in any order, and
        some of them twice."""
        if self.datagrams:
            datagrams = unbundle(data)
            mixed = [*datagrams, *(datagram for datagram in datagrams if chance.random() < 0.3)]
            chance.shuffle(mixed)
            return [bundle([datagram]) for datagram in mixed]
        found: list[bytes] = []
        while data:
            size = min(len(data), chance.choice((1, 1, 2, 3, 7, 20)))
            found.append(data[:size])
            data = data[size:]
        return found

    def transcript(self, player: Player) -> bytes:
        """All it was sent, as far as it does not depend on how that was delivered."""
        return bytes(player.raw)

    def delivered(self, session: Session, datagrams: Sequence[bytes]) -> None:
        """What the server has sent came to the session's client, of whose line the test made itself master.
        Nothing to do where the other end says nothing in return."""
        return

    @abstractmethod
    def wire_to(self, session: Session, frame: bytes) -> bytes:
        """A frame as the server's codec of a (plain) session would have to receive it now."""

    @abstractmethod
    def pair(self, door: str, family: Family, entropy: Callable[[int], bytes]) -> Pair:
        """Both ends of a connection of their own."""

    @abstractmethod
    def legal(self, number: int) -> Sequence[bytes]:
        """Frames of that opcode filled with zeros, of legal lengths."""

    @abstractmethod
    def random_frame(self, chance: random.Random, family: Family) -> bytes:
        """An opcode of the table, a legal length, and noise."""

    @abstractmethod
    def spices(self, session: Session) -> Sequence[bytes]:
        """Numbers that mean something to this client now, as its packets write them."""

    def number_of(self, session: Session, mobile: Mobile) -> int:
        """By which this client knows somebody."""
        return mobile.serial

    def spelled(self, number: int) -> Sequence[bytes]:
        """A number as its packets write it, in the widths they have."""
        return [(number & 2 ** (8 * size) - 1).to_bytes(size, "little") for size in (4, 2)]

    @abstractmethod
    def mended(self, frame: bytes) -> bytes:
        """The frame as long as its opcode or its length field says, where there is such a thing."""

    @abstractmethod
    def forgets(self, player: Player) -> None:
        """Forget what it received: a test that counts memory does not want to count that."""

    @abstractmethod
    def valid(self) -> Mapping[str, st.SearchStrategy[bytes]]:
        """Valid frames by the name of their packet."""

    def kind_of(self, name: str, packet: object) -> str:
        """What a packet of that name is to those who count what was reached."""
        return name

    @abstractmethod
    def with_text(self, number: int) -> Iterator[tuple[str, Callable[[bytes], bytes]]]:
        """For each text a packet of the table carries: its name, and how to make a frame with such bytes
        there."""

    @abstractmethod
    def texts(self, text: str) -> Sequence[bytes]:
        """The text as the encodings of this game write it."""

    @abstractmethod
    def says(self, player: Player, text: str) -> bytes:
        """What it sends to say something."""

    @abstractmethod
    def heard(self, player: Player) -> list[str]:
        """All it was told so far."""

    @abstractmethod
    def spoken_to(self, player: Player) -> list[Heard]:
        """What somebody spoke of that, and whom and what its client says it was."""

    echoes: ClassVar[frozenset[str]] = frozenset()
    """Which of its own lines its client shows when they come back, by `Heard.how`."""

    @abstractmethod
    def gestures_of(self, player: Player, mobile: Mobile) -> list[object]:
        """The gestures of somebody that it was shown, by numbers or words of the game's own."""

    @abstractmethod
    def sees(self, player: Player, mobile: Mobile) -> Sight | None:
        """How its client draws somebody; None if it does not."""

    @abstractmethod
    def own_hits(self, player: Player) -> tuple[int, int]:
        """How much its own character has left, and how much that was."""

    def faults(self, player: Player) -> list[object]:
        """What its client was told that makes no sense; nothing where its client fails at once."""
        return []

    @abstractmethod
    def corrections(self, player: Player) -> int:
        """How often it was put elsewhere than it believed to be, the first time included."""

    @abstractmethod
    def steps_to(self, player: Player, heading: int) -> bytes:
        """What it sends to step to one of the four sides (0 north, 2 east, 4 south, 6 west)."""

    async def walks(self, player: Player, heading: int) -> None:
        """One step to one of the four sides, with all that belongs to it, until it is done."""
        await player.sends(self.steps_to(player, heading))

    @abstractmethod
    def logs_out(self, player: Player) -> bytes:
        """What it sends before it hangs up; nothing in games without a word for it."""

    @abstractmethod
    def keeps_alive(self, player: Player) -> bytes:
        """What it sends now and then when nobody touches it; nothing if it is asked."""

    @abstractmethod
    def believes(self, player: Player) -> set[object]:
        """Everything the client draws, by its own numbers."""

    @abstractmethod
    def should_believe(self, session: Session) -> set[object]:
        """What it should draw, by the session's `known`."""

    def __str__(self) -> str:
        return self.name


@attrs.frozen
class Person:
    """Somebody with an account and a character of their own."""

    number: int

    @property
    def account(self) -> str:
        return f"person{self.number}"

    @property
    def character(self) -> str:
        number, letters = self.number, ""
        for _ in range(4):
            number, digit = divmod(number, len(_LETTERS))
            letters += _LETTERS[digit]
        return f"Per{letters}"


_WHO: Final[WeakKeyDictionary[Player, Person]] = WeakKeyDictionary()


def who_is(player: Player) -> Person:
    """Who sits in front of a client, by `Game.introduce`."""
    return _WHO[player]
