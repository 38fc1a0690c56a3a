"""Messages of which nothing but the number and the name is known here: what they ask for, or why nothing.

The names are those of data/eq2/<version>/opcodes.toml.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.versions import UNKNOWN
from protocol.session import ANY_PHASE
from protocol.wishes import Idle, Unmet, Wish

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.dispatch import Table
    from protocol.eq2.session import Eq2Session
    from protocol.eq2.versions import Eq2Version

WISHES: Final[Mapping[Wish, Sequence[str]]] = {
    Wish.BARS: ("QuickbarUpdate", "MacroUpdate", "KeymapSave"),
    Wish.CASTING: ("RemoveSpellEffect", "RemoveConcentration"),
    Wish.CRAFTING: ("RequestRecipeDetails",),
    Wish.EXAMINING: ("ExamineItemRequest",),
    Wish.HOUSES: ("EnterMoveObjectMode", "PositionMoveableObject"),
    Wish.NICKNAMES: ("TitleUpdate",),
    Wish.PROFILE: ("BioUpdate",),
    Wish.TRAVEL: ("ClientTeleportRequest",),
    Wish.UNKNOWN: ("ChatRelationships", "UpdateRaid"),
}
"""Messages by what they ask for that the world does not have yet."""

IDLE: Final[Mapping[str, Sequence[str]]] = {
    "the client stops something that did not begin": ("CancelMoveObjectMode",),
    "the client asks by itself when it enters": ("KeymapLoad", "KeymapNone"),
    "it tells what the client drew or measured": ("UISettingsResponse", "UpdateTargetLoc", "ClientFell"),
}
"""Messages that carry no wish, by the reason why."""


def unread(table: Table[Eq2Session], version: Eq2Version) -> None:
    """Give a row to each that has none. A version that knows no such name has no such message. They may come
    at any time: what nothing reads ends no client."""
    numbers = {name: number for number, name in version.names.items()}
    for wish, names in WISHES.items():
        for name in names:
            _add(table, numbers.get(name), name, Unmet(wish))
    for why, names in IDLE.items():
        for name in names:
            _add(table, numbers.get(name), name, Idle(why))


def _add(table: Table[Eq2Session], number: int | None, name: str, handler: Unmet | Idle) -> None:
    if number is not None and table.entry(UNKNOWN + number) is None:
        table.on_raw(UNKNOWN + number, name, handler, during=ANY_PHASE)
