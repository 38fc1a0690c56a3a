"""Changed state, flag by flag of `world.delta`: in which messages the view tells it, or why it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.rendering import LeftOut, Shown
from world.delta import ItemDelta, MobileDelta

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.rendering import Declaration

ON_THE_SHEET: Final = (
    MobileDelta.ATTRIBUTES
    | MobileDelta.STAT
    | MobileDelta.NAME
    | MobileDelta.BODY
    | MobileDelta.WEIGHT
    | MobileDelta.ARMOR
)
"""What changes something on the character sheet."""

OWNED: Final = MobileDelta.WEIGHT | MobileDelta.ARMOR
"""What changes with what somebody has."""

UNSEEN: Final = MobileDelta.STAM | MobileDelta.WEIGHT | MobileDelta.SKILLS
"""What of a mobile no ghost shows. Each blow costs whoever strikes it a point of stamina."""

OF_MOBILES: Final[Mapping[int, Declaration]] = {
    MobileDelta.NAME: Shown("UpdateGhost, and the sheet"),
    MobileDelta.FLAGS: Shown("whoever hides goes out of sight, and sees that of its own ghost"),
    MobileDelta.HITS: Shown("UpdateGhost in percent, and the sheet"),
    MobileDelta.MANA: Shown("UpdateGhost in percent, and the sheet"),
    MobileDelta.STAM: Shown("the sheet, as breath"),
    MobileDelta.STAT: Shown("UpdateGhost with the level, and the sheet"),
    MobileDelta.NOTO: Shown("UpdateGhost: how it regards one, and whether it can be attacked"),
    MobileDelta.WEIGHT: Shown("the sheet, and Inventory"),
    MobileDelta.HUE: Shown("UpdateGhost"),
    MobileDelta.BODY: Shown("UpdateGhost, and the sheet"),
    MobileDelta.ARMOR: Shown("UpdateGhost, and Inventory of what is worn"),
    MobileDelta.PROPERTIES: Shown("UpdateGhost: a title stands behind the name, a guild below it"),
    MobileDelta.HAIR: Shown("UpdateGhost"),
    MobileDelta.FACIAL_HAIR: LeftOut("no appearance of this game is known for a beard"),
    MobileDelta.SKILLS: LeftOut("this game shows no skills of that kind"),
    MobileDelta.POSTURE: Shown("the state in its ghost's position; its own client knows"),
    MobileDelta.GAME: LeftOut("ghosts do not say through which game they are played"),
    MobileDelta.TARGET: Shown("UpdateGhost, to others"),
}

OF_ITEMS: Final[Mapping[int, Declaration]] = {
    ItemDelta.UPDATE: Shown(
        "UpdateGhost on the ground, and of whoever wears it; Inventory of what one carries; UpdateLoot "
        "of what is in a window"
    )
}
