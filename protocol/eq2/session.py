"""An EverQuest II client's state, beyond what every session has."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, cast

from protocol.eq2.ghosts import Ghosts, bound
from protocol.eq2.packets import MovementState
from protocol.eq2.walk import Walk
from protocol.session import Session
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from protocol.eq2.codec import Eq2Codec
    from protocol.eq2.packets import Message
    from protocol.eq2.versions import Eq2Version
    from protocol.eq2.view import Eq2View
    from protocol.family import Codec, Family
    from protocol.services import CharacterInfo, Services
    from protocol.session import Outgoing
    from world.timers import Timer


class ZoneStage(enum.IntEnum):
    """How far a client has loaded its zone. Ascending."""

    NONE = 0
    """It has not been told of a zone."""
    ZONING = 1
    """It was sent ZoneInfo, and loads the zone."""
    SHOWN = 2
    """It was sent what is around."""
    OWN = 3
    """It was sent its own character."""
    READY = 4
    """It shows the world."""


class Eq2Session(Session):
    """One connection of either kind: to the login door, or to the world."""

    codec: Eq2Codec

    def __init__(
        self,
        *,
        number: int,
        family: Family,
        door: str,
        peer: str,
        local: str,
        codec: Codec,
        services: Services,
    ) -> None:
        super().__init__(
            number=number, family=family, door=door, peer=peer, local=local, codec=codec, services=services
        )
        self.dialect: Eq2Version = self.view.newest
        self.stage = ZoneStage.NONE
        self.zone = ""
        """The zone file that the client was told to load."""
        self.untidy = False
        """Whether it loaded since the turn last compared what it has with what is there."""
        self.rezone: Callable[[], None] | None = None
        """Takes the client to the zone of its mobile's realm, if that is not the one it has loaded; set by
        the handler that brings it into the world."""
        self.ghosts = Ghosts()
        self.movement = bytes(self.dialect.size_of(MovementState))
        """The movement struct as the client last sent it; the next one differs from it by what it sends."""
        self.target = 0
        """Serial of what the client has targeted; 0: nothing."""
        self.asked_at = float("-inf")
        """World time at which it was last told who is online."""
        self.sheet = b""
        """The character sheet as last sent."""
        self.characters: Sequence[CharacterInfo] = ()
        """As last listed."""
        self.lines: list[int] = []
        """Serials of the characters on its screen, in order, also of those that were deleted meanwhile."""
        self.watches_world = False
        """Whether it is told what becomes of the world that its list shows."""
        self.world_shown = (0, False)
        """How many players the list says, and whether the world is locked."""
        self.access_code = 0
        """The key by which the client came to the world, or will."""
        self.fallback: Timer | None = None
        """Shows the zone to a client that does not say that it loaded it."""
        self.walk = Walk()
        self.camp: Timer | None = None
        """Runs when its player has camped long enough; None: nobody camps."""

    @property
    def version(self) -> Eq2Version:
        """The client's version: numbers and layouts of its messages. The views' dialect."""
        return self.dialect

    @version.setter
    def version(self, version: Eq2Version) -> None:
        self.dialect = version
        self.codec.version = version
        self.movement = bytes(version.size_of(MovementState))

    @property
    def view(self) -> Eq2View:
        """This game's view, with what it shares among its clients."""
        return cast("Eq2View", self.family.view)

    def finished(self, messages: Sequence[Outgoing]) -> list[bytes]:
        """See Session."""
        return bound(messages, self)

    def send(self, *messages: Message) -> None:  # type: ignore[override] # encoded for this client's version
        """Queue messages; they leave with the next flush."""
        encode = self.dialect.encode
        self.queue(
            *(
                Body(encode(message), droppable=message.droppable, secret=message.secret)
                for message in messages
            )
        )
