"""Changed state, flag by flag of `world.delta`: in which packets the view tells it, or why it does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.rendering import LeftOut, Shown
from world.delta import ItemDelta, MobileDelta

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.rendering import Declaration

OF_MOBILES: Final[Mapping[int, Declaration]] = {
    MobileDelta.NAME: Shown("Player or NpcInfo anew, to others"),
    MobileDelta.FLAGS: Shown(
        "UserAttrib with the states, as poison; how fast somebody goes each step says, and whoever hides "
        "goes out of sight"
    ),
    MobileDelta.HITS: Shown("UserAttrib"),
    MobileDelta.MANA: Shown("UserAttrib to its own client"),
    MobileDelta.STAM: Shown("UserAttrib to its own client"),
    MobileDelta.STAT: Shown("UserAttrib to its own client"),
    MobileDelta.NOTO: Shown("Player or NpcInfo anew; UserAttrib to its own client"),
    MobileDelta.WEIGHT: Shown(
        "UserAttrib with the silver, and the difference of all it has, to its own client"
    ),
    MobileDelta.HUE: Shown("Player or NpcInfo anew; UserAttrib to its own client"),
    MobileDelta.BODY: Shown("Player or NpcInfo anew; UserAttrib to its own client"),
    MobileDelta.ARMOR: Shown("Player anew; the difference of all it has to its own client"),
    MobileDelta.PROPERTIES: Shown("Player or NpcInfo anew, to others: the guild and the rank in it"),
    MobileDelta.HAIR: Shown("Player anew; UserAttrib to its own client"),
    MobileDelta.FACIAL_HAIR: LeftOut("nobody has a beard"),
    MobileDelta.SKILLS: LeftOut("this game shows no skills of that kind"),
    MobileDelta.POSTURE: Shown("Action EMOTION"),
    MobileDelta.GAME: LeftOut("figures do not say through which game they are played"),
    MobileDelta.TARGET: LeftOut("the client shows no aim of others"),
}

OF_ITEMS: Final[Mapping[int, Declaration]] = {
    ItemDelta.UPDATE: Shown("MapItem on the ground; to whom it belongs the difference of all it has")
}
