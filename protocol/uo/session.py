"""One Ultima Online client: what only this game knows of it."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

import attrs

from protocol.session import Session
from protocol.uo.versions import ASSUMED, UoVersion, VersionNumber, version_of

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from protocol.outgoing import Outgoing
    from protocol.services import CharacterInfo
    from protocol.uo.codec import UoCodec


@attrs.define(eq=False)
class Searched:
    """A list of messages, as far as it has been searched for a 0x20, and whether there is one. An outbox only
    grows at its end and is replaced by another list when it is flushed, so each message is looked at once,
    however many steps come while a slow client's wait."""

    outbox: Sequence[Outgoing] = ()
    length: int = 0
    found: bool = False


@attrs.define
class Steps:
    """The numbering of the client's steps, and what it may assume.

    `epoch` counts how often the client has been put somewhere by the server: it forgets its unanswered steps
    then, so those that still wait for their time are void.
    """

    expected: int = 0
    epoch: int = 0
    facing: int = 0
    """The heading of the client after all steps it has been promised or that wait."""
    settled: bool = True
    """Whether the client has all that is at the edge of its view: not if it may have gone ahead of us."""
    searched: Searched = attrs.field(factory=Searched)

    def restart(self) -> None:
        """The client's next step has number 0 again, and nothing that waits counts."""
        self.expected = 0
        self.epoch += 1


@attrs.frozen
class Covered:
    """The square of tiles whose scenery the client has: `radius` tiles around a tile of a realm."""

    realm: str
    x: int
    y: int
    radius: int


@attrs.define
class Shown:
    """The window of a trade as the client has it."""

    serials: set[int] = attrs.field(factory=set)
    """What lies in both containers."""
    changes: int = 0
    """Which state of the offers that was (`world.bargain.Trade`)."""


class Chat(enum.Enum):
    """State of a client's chat window (`protocol.uo.words`)."""

    CLOSED = "words to everybody come as lines of the server"
    OPEN = "left the conference"
    JOINED = "words to everybody come into the window"


class UoSession(Session):
    """A connection of either kind: one that logs in and is sent on, or one that plays."""

    dialect: UoVersion
    codec: UoCodec

    def begin(self) -> None:
        """See Session."""
        self.version: VersionNumber | None = None
        self.dialect = version_of(ASSUMED)
        self.told_at_entry = ""
        """A line the player is to read when it has entered the world."""
        self.password = ""
        """Between 0x80 and 0xA0 only: the ticket keeps a proof of it, not the password."""
        self.characters: Sequence[CharacterInfo] = ()
        """By slot, as last sent."""
        self.once_known: Callable[[], Awaitable[None]] | None = None
        """The wish that waits for the client to say its version."""
        self.steps = Steps()
        self.covered: Covered | None = None
        self.opened: set[int] = set()
        """Containers that were opened for it, but for its own pack: of no others it knows what is inside."""
        self.chat = Chat.CLOSED
        self.selling = False
        """Whether its player came to a merchant to sell: one window shows what is bought, another what is
        sold."""

        self.trade = Shown()
        self.cursor = 0
        """Number of the last cursor with which its player pointed at whom it asks into its party (0x6C)."""
        self.pointing = False
        """Whether that was not answered yet."""
        self.tracks = False
        """Whether its map was told that it may ask where the others are (0xF0)."""

    def know_version(self, number: VersionNumber) -> None:
        """The client's version has become known."""
        self.version = number
        self.dialect = version_of(number)
        self.codec.know_version(number)
