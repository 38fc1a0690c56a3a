"""Companions: what the members of a party know of one another, as values that stay as they were told.

A member may be in another realm, in no realm at all for a while, and played through another game: windows of
a party are drawn from these values alone.
"""

from __future__ import annotations

import enum
from typing import Final

import attrs


class LootRule(enum.Enum):
    """Whose the remains of a creature are that a party killed; the value is the word for it."""

    FINDER = "finder"
    """Whoever of the party takes of them first."""
    TURNS = "turns"
    """One member after the other, of those who are near."""
    LEADER = "leader"
    """The leader's, if near; the whole party's if not."""


class Stir:
    """Changes of a member since the others were told of it last. Single bits."""

    HITS: Final = 0x1
    MANA: Final = 0x2
    STAM: Final = 0x4
    LEVEL: Final = 0x8
    PLACE: Final = 0x10
    """It is on another tile, or in another realm."""
    LIFE: Final = 0x20
    """It died, or lives again."""
    GAME: Final = 0x40
    """It is played through another game."""


@attrs.frozen
class MemberState:
    """A member of a party as it was when it was told of. Of one that is away (`online` is False) that is what
    it was last; `realm` is the name of one, empty for one that nobody has seen since the server started."""

    serial: int
    name: str
    short_name: str = ""
    """For clients that cannot show the name."""
    female: bool = False
    level: int = 0
    hits: int = 0
    hits_max: int = 0
    mana: int = 0
    mana_max: int = 0
    stam: int = 0
    stam_max: int = 0
    dead: bool = False
    realm: str = ""
    x: int = 0
    y: int = 0
    game: str = ""
    """Through which game it is played, by name."""
    online: bool = False

    def differs(self, before: MemberState) -> int:
        """Flags of `Stir`: the changes since an earlier state."""
        what = 0
        if (self.hits, self.hits_max) != (before.hits, before.hits_max):
            what |= Stir.HITS
        if (self.mana, self.mana_max) != (before.mana, before.mana_max):
            what |= Stir.MANA
        if (self.stam, self.stam_max) != (before.stam, before.stam_max):
            what |= Stir.STAM
        if self.level != before.level:
            what |= Stir.LEVEL
        if (self.realm, self.x, self.y) != (before.realm, before.x, before.y):
            what |= Stir.PLACE
        if self.dead != before.dead:
            what |= Stir.LIFE
        if self.game != before.game:
            what |= Stir.GAME
        return what
