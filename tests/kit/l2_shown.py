"""Figures, things and windows as a Lineage II client shows them, and numbers that it knows."""

from __future__ import annotations

from math import atan2, hypot, tau
from typing import TYPE_CHECKING, Final

import attrs

from protocol.wishes import Wish
from world.reach import Refusal

if TYPE_CHECKING:
    from collections.abc import Mapping

TURN: Final = 65536
"""Headings go around clockwise; 0 is east."""

ALL, SHOUT, TELL, TRADE, ANNOUNCEMENT = 0, 1, 2, 8, 10
"""Kinds of what is said."""

WELCOME: Final = 34
"""The SystemMessage with which the world begins."""

CUR_HP, MAX_HP, CUR_MP, MAX_MP = 0x09, 0x0A, 0x0B, 0x0C
"""Attributes of StatusUpdate."""

OWN_TEXTS: Final[Mapping[int, Refusal | Wish]] = {
    22: Refusal.FAR,  # Your target is out of range.
    24: Refusal.DRAINED,  # Not enough MP.
    31: Refusal.SITTING,  # You cannot move while sitting.
    51: Refusal.ONESELF,  # You cannot use this on yourself.
    85: Refusal.PEACE,  # You may not attack this target in a peaceful zone.
    97: Refusal.FIXED,  # This item cannot be moved.
    112: Refusal.NO_AMMUNITION,  # You have run out of arrows.
    129: Refusal.FULL,  # Your inventory is full.
    147: Refusal.GAGGED,  # Chatting is currently prohibited.
    151: Refusal.FAR,  # You cannot discard something that far away from you.
    179: Refusal.BLOCKED,  # You cannot discard those items here.
    181: Refusal.UNSEEN,  # Cannot see target.
    212: Refusal.NO_GUILD,  # You are not a clan member and cannot perform this action.
    422: Refusal.HEAVY,  # You have exceeded the weight limit.
    279: Refusal.POOR,  # You do not have enough adena.
    465: Refusal.NO_ALLIANCE,  # You are not currently allied with any clans.
    574: Wish.ANIMALS,  # Pets and Servitors are not available at this time.
    973: Refusal.AMOUNT,  # Please input no more than the number you have.
    1651: Wish.OLYMPIAD,  # The Grand Olympiad Games are not currently in progress.
}
"""What the client's own texts that refuse something come to. Numbers and texts are those of
L2JMobius/L2Jmobius_Interlude (gameserver/network/SystemMessageId.java): written down here for themselves, as
what the server sends is measured by them."""

ADENA: Final = 57
"""The kind of thing that is money."""

NPC_BASE: Final = 1_000_000
"""What is added to the number of a kind of NPC."""


@attrs.frozen
class Prop:
    """What stands for a wall or a tree of the realm: a fence in a state with its width and length, or an
    NPC of a kind."""

    x: int
    y: int
    kind: int = 0
    state: int = 0
    width: int = 0
    length: int = 0
    name: str = ""


FIRST_PROP: Final = 0x7E00_0000
"""Number of the first of them."""


@attrs.define(eq=False)
class Seen:
    """Somebody it draws, itself included."""

    id: int
    name: str
    kind: int
    """Class of a character, kind of an NPC."""
    x: float
    y: float
    z: float
    heading: int
    run: float
    """Units a second."""
    walk: float
    running: bool
    npc: bool = False
    standing: bool = True
    dead: bool = False
    title: str = ""
    wears: tuple[int, ...] = ()
    """Kinds of things, by place on the body."""
    attackable: bool = False
    fighting: bool = False
    clan: int = 0
    """Number of its clan."""
    relation: int = 0
    """Bits of what it is to the client's own character; of that one, whether it leads its clan."""
    privileges: int = 0
    """Bits of what its clan lets it do, of the client's own character."""
    status: dict[int, int] = attrs.field(factory=dict)
    """By attribute."""
    goal: tuple[float, float, float] | None = None
    """Where it is on its way to."""
    began: float = 0.0
    """When it set out."""

    @property
    def speed(self) -> float:
        """Units a second, as it moves now."""
        return self.run if self.running else self.walk

    def sets_out(
        self, start: tuple[float, float, float], goal: tuple[float, float, float], now: float
    ) -> None:
        """It goes from there to there, and looks where it goes."""
        self.x, self.y, self.z = start
        self.goal, self.began = goal, now
        east, south = goal[0] - start[0], goal[1] - start[1]
        if east or south:
            self.heading = round(atan2(south, east) * TURN / tau) % TURN

    def stops(self, x: float, y: float, z: float) -> None:
        """It is there, and goes nowhere."""
        self.x, self.y, self.z, self.goal = x, y, z, None

    def place(self, now: float) -> tuple[float, float, float]:
        """Where it is drawn at that time."""
        if self.goal is None:
            return self.x, self.y, self.z
        x, y, z = self.goal
        way = hypot(x - self.x, y - self.y)
        part = 1.0 if not way else min(1.0, max(0.0, now - self.began) * self.speed / way)
        return self.x + (x - self.x) * part, self.y + (y - self.y) * part, self.z + (z - self.z) * part

    def moves(self, now: float) -> bool:
        """Whether it is still on its way at that time."""
        return self.goal is not None and self.place(now) != self.goal


@attrs.define
class OnGround:
    """A thing that lies there."""

    kind: int
    amount: int
    x: int
    y: int
    z: int


@attrs.define
class Owned:
    """A thing it carries or wears."""

    kind: int
    amount: int
    equipped: bool
    body_part: int


@attrs.define
class Html:
    """The window of a dialog."""

    npc: int
    text: str


@attrs.frozen
class Offered:
    """A row of a list at a counter; `number` is 0 for what is only a kind, `price` where there is none."""

    number: int
    kind: int
    amount: int
    price: int = 0


@attrs.frozen
class Catalogue:
    """A list at a counter: its opcode, the number that an order from it names, and the money it shows."""

    opcode: int
    number: int
    money: int
    rows: tuple[Offered, ...]


@attrs.define
class MenuLine:
    """One character of CharSelectInfo."""

    name: str
    id: int
    account: str
    session: int
    sex: int
    race: int
    base_class: int
    level: int
    deleted_in: int
    class_id: int
    last: bool
    worn: tuple[int, ...]
    hp: float
    max_hp: float
