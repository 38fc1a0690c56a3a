"""An Endless Online client's state, beyond what every session has."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import attrs
from eolib import Packet

from protocol.eo.packets import body
from protocol.session import Session

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eo.codec import EoCodec
    from protocol.outgoing import Sendable
    from protocol.services import CharacterInfo
    from world.guild import Rank
    from world.item import Item
    from world.mobile import Mobile

FIRST_TOKEN = 10
"""Session ids below this read as reply codes."""
LAST_TOKEN = 64_000

MOST_BURIED = 256
"""Dead that are remembered: more than die in the turns that one flush may have to catch up with."""


class PendingWarp(NamedTuple):
    """An order to go elsewhere, to which the client has not said yet that it is ready."""

    token: int
    map_id: int
    rid: tuple[int, int]
    """Revision of its file at that time."""


@attrs.define
class Belongings:
    """One client's belief of what it owns. `protocol.eo.belongings` tells it how that differs from the
    world."""

    inventory: dict[int, int]
    """Amounts by item id."""
    worn: dict[int, int]
    """Item ids by place on the body (`protocol.eo.figures.SLOTS`)."""
    weight: int

    def owns(self, item_id: int, amount: int, weight: int | None = None) -> None:
        """Count that the client was told how many of a kind it has, and what it carries by now, unless that
        is None."""
        if amount:
            self.inventory[item_id] = amount
        else:
            self.inventory.pop(item_id, None)
        if weight is not None:
            self.weight = weight

    def puts_on(self, slot: int, item_id: int) -> int:
        """Count that the client was told to move one of a kind from its inventory to a place on the body.
        Returns how many are left. Raises KeyError if it knows of none."""
        remaining = self.inventory[item_id] - 1
        self.worn[slot] = item_id
        self.owns(item_id, remaining)
        return remaining

    def takes_off(self, slot: int) -> int:
        """Count that the client was told to move what it wears at a place into its inventory. Returns the
        item id. Raises KeyError if it wears nothing there."""
        item_id = self.worn.pop(slot)
        self.owns(item_id, self.inventory.get(item_id, 0) + 1)
        return item_id


@attrs.frozen
class Growth:
    """One client's belief of how far its character has come."""

    experience: int = 0
    level: int = 0
    points: int = 0
    """Points to spend."""


@attrs.frozen
class ShownBoard:
    """A board as a client was shown it, and its notes by their numbers less one."""

    board: Item
    notes: Sequence[Item]


@attrs.define
class ShownChest:
    """A chest as a client was shown it: amounts by item id, in the order of its list."""

    chest: Item
    rows: Sequence[tuple[int, int]]


@attrs.define
class ShownTrade:
    """A trade as a client was shown it: with whom, by player id, which offers, and who agrees."""

    partner: int
    changes: int = 0
    agrees: bool = False
    partner_agrees: bool = False
    beside: Sequence[str] = ()
    """What it was told in words of the other's offer."""


@attrs.frozen
class ShownGuild:
    """A guild as its client knows it, and its rank there."""

    number: int
    name: str
    tag: str
    rank: Rank


@attrs.frozen
class Companion:
    """A member of its party as a client was told of it; `number` is the player id."""

    number: int
    name: str
    leads: bool
    level: int
    percent: int


class EoSession(Session):
    """One client. `player_id` is its number in all packets from the greeting on, 0 before."""

    codec: EoCodec

    def begin(self) -> None:
        """Set what only this game's clients have."""
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
        self.map_rid: tuple[int, int] | None = None
        """Revision of the file of that map of which it was told."""
        self.warp: PendingWarp | None = None
        self.belongings = Belongings({}, {}, 0)
        """Its belief of what it owns."""
        self.counter = 0
        """Session id of the shop or bank that it was shown last; 0: none."""
        self.registrar = 0
        """Session id of the guilds' window that it was shown last; 0: none."""
        self.guild: ShownGuild | None = None
        """The guild that it takes itself for a member of."""
        self.locker: tuple[int, int] | None = None
        """The vault's tile that its player asked to look into, until it is shown what lies there."""
        self.board: ShownBoard | None = None
        """The board that it was shown last."""
        self.chest: ShownChest | None = None
        """The chest that it was shown last, until that is gone. When a window is closed nobody says."""
        self.trade: ShownTrade | None = None
        """The trade whose window is open."""
        self.party: dict[int, Companion] = {}
        """Those in its list of its party, itself among them, by serial."""
        self.banked = 0
        """Its belief of the gold in its vault."""
        self.growth = Growth()
        """Its belief of experience, level and points."""
        self.numbers: object = None
        """Its belief of the numbers of a fight (`protocol.eo.sheets`)."""
        self._buried: dict[int, None] = {}
        """Serials of the last NPCs whose death it was told, the oldest first."""
        self.on_chair = False
        """Whether its client has its own character on a chair: for standing up there are two words."""
        self._drew: dict[int, tuple[int, int, int, int]] = {}
        """Items that answers put on the ground: the turn, amount, x and y, by serial."""
        self.resync_at = 0.0
        """World time from which on it may be shown everything anew."""
        self.resync_waits = False
        """Whether that time is being waited for."""
        self._last_token = FIRST_TOKEN - 1

    def send(self, *packets: Sendable | Packet) -> None:
        """Queue packets of eolib; they leave with the next flush."""
        for packet in packets:
            if isinstance(packet, Packet):
                self.queue(body(packet))
            else:
                super().send(packet)

    def drew(self, item: Item) -> None:
        """Note that an answer told it to put this item where it lies."""
        tick = item.world.tick
        self._drew = {serial: drawn for serial, drawn in self._drew.items() if drawn[0] == tick}
        self._drew[item.serial] = (tick, item.amount, item.x, item.y)

    def draws(self, item: Item) -> bool:
        """Whether an answer of this turn told it to put the item where it lies now."""
        drawn = self._drew.get(item.serial)
        return drawn is not None and drawn == (item.world.tick, item.amount, item.x, item.y)

    def bury(self, dead: Mobile) -> None:
        """Note that it was told that an NPC died."""
        self._buried[dead.serial] = None
        if len(self._buried) > MOST_BURIED:
            del self._buried[next(iter(self._buried))]

    def has_buried(self, dead: Mobile) -> bool:
        """Whether it was told that an NPC died, and takes it away by itself."""
        return dead.serial in self._buried

    def new_token(self) -> int:
        """A session id that this connection has not used for a long time."""
        self._last_token = FIRST_TOKEN if self._last_token >= LAST_TOKEN else self._last_token + 1
        return self._last_token
