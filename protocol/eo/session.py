"""An Endless Online client's state, beyond what every session has."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from eolib import Packet

from protocol.eo.belongings import Belongings
from protocol.eo.packets import encode
from protocol.session import Session
from protocol.wire.body import Body

if TYPE_CHECKING:
    from protocol.eo.codec import EoCodec
    from protocol.eo.view import EoView
    from protocol.family import Codec, Family
    from protocol.services import CharacterInfo, Services
    from protocol.session import Sendable
    from world.item import Item

FIRST_TOKEN = 10
"""Session ids below this read as reply codes."""
LAST_TOKEN = 64_000


class PendingWarp(NamedTuple):
    """A client has been told to go elsewhere and has not said that it is ready."""

    token: int
    map_id: int


class EoSession(Session):
    """One client. `player_id` is its number in all packets from the greeting on, 0 before."""

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
            number=number,
            family=family,
            door=door,
            peer=peer,
            local=local,
            codec=codec,
            services=services,
        )
        self.player_id = 0
        self.failed_logins = 0
        self.account_token = 0
        """Allows one Account_Create; 0: none."""
        self.character_token = 0
        """Allows one Character_Create or Character_Remove; 0: none."""
        self.doomed_character = 0
        """Serial the player asked to delete."""
        self.selected: CharacterInfo | None = None
        self.map_id = 0
        """The map this client has loaded."""
        self.warp: PendingWarp | None = None
        self.belongings = Belongings({}, {}, 0)
        """What it believes to own."""
        self.on_chair = False
        """Whether its client has its own character on a chair: for standing up there are two words."""
        self._drew: dict[int, tuple[int, int, int, int]] = {}
        """Items that answers put on the ground: the turn, amount, x and y, by serial."""
        self.resync_at = 0.0
        """When (world time) it may be shown everything anew."""
        self.resync_waits = False
        """Whether that moment is being waited for."""
        self._last_token = FIRST_TOKEN - 1

    @property
    def eo_codec(self) -> EoCodec:
        """The codec, with what only this game's codec can do."""
        return cast("EoCodec", self.codec)

    @property
    def view(self) -> EoView:
        """This game's view, with what it shares among its clients."""
        return cast("EoView", self.family.view)

    def send(self, *packets: Sendable | Packet) -> None:
        """Queue packets of eolib; they leave with the next flush."""
        for packet in packets:
            if isinstance(packet, Packet):
                self.outbox.append(Body(encode(packet)))
            else:
                super().send(packet)

    def settle(self) -> None:
        """Tell what it owns by now, as far as it does not know."""
        if self.mobile is not None:
            self.send(*self.belongings.settle(self.view.figures, self.mobile))

    def drew(self, item: Item) -> None:
        """An answer told it to put this item where it lies."""
        tick = item.world.tick
        self._drew = {serial: drawn for serial, drawn in self._drew.items() if drawn[0] == tick}
        self._drew[item.serial] = (tick, item.amount, item.x, item.y)

    def draws(self, item: Item) -> bool:
        """Whether an answer of this turn told it to put the item where it lies now."""
        drawn = self._drew.get(item.serial)
        return drawn is not None and drawn == (item.world.tick, item.amount, item.x, item.y)

    def new_token(self) -> int:
        """A session id that this connection has not used for a long time."""
        self._last_token = FIRST_TOKEN if self._last_token >= LAST_TOKEN else self._last_token + 1
        return self._last_token
