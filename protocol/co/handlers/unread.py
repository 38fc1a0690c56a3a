"""Packets for features that the world does not have yet: spells, mentors, dice; and to rise from the
dead by oneself.

The client shows none of it before it is answered, so its player is told that there is nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.handlers.table import TABLE, action
from protocol.co.packets import (
    Action,
    ActionType,
    DataArray,
    GemEmbed,
    MessageBoard,
    Tick,
)
from protocol.dispatch import idle, unmet
from protocol.session import AUTHENTICATED, Phase
from protocol.wishes import Unmet, Wish, tell
from world import life

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.co.packets import Message
    from protocol.co.session import CoSession
    from world.mobile import Mobile

WISHES: Final[Mapping[type[Message], Wish]] = {
    DataArray: Wish.CRAFTING,
    GemEmbed: Wish.CRAFTING,
    MessageBoard: Wish.BOARD,
}

UNREAD: Final[Mapping[int, tuple[str, Wish]]] = {
    1028: ("Fuse", Wish.CRAFTING),
    1113: ("Dice", Wish.DICE),
    2030: ("NpcInfo", Wish.HOUSES),
    2041: ("AnnounceList", Wish.MENTORS),
    2042: ("AnnounceInfo", Wish.MENTORS),
    2044: ("Training", Wish.TRAINING),
    2046: ("TradeBuddy", Wish.UNKNOWN),
    2048: ("EquipLock", Wish.LOCKS),
    2050: ("Pigeon", Wish.BROADCAST),
    2051: ("PigeonQuery", Wish.BROADCAST),
    2064: ("Peerage", Wish.NOBILITY),
    2065: ("Guide", Wish.MENTORS),
    2066: ("GuideInfo", Wish.MENTORS),
    2067: ("Contribute", Wish.MENTORS),
}
"""Packets of which only the type and the name are known here (conquer-online/wiki: network/messages; COPS v7:
networkdef.h; Redux: GameServer.cs): teachers' notices, partners whose things one may hold, training while
away, a cry to everybody that is paid for, ranks of nobility. 2030 is a piece of furniture that is set up."""

ACTION_WISHES: Final[Mapping[ActionType, Wish]] = {
    ActionType.DELETE_CHARACTER: Wish.DELETION,
    ActionType.DROP_MAGIC: Wish.CASTING,
    ActionType.DROP_SKILL: Wish.LEARNING,
    ActionType.CREATE_BOOTH: Wish.BOOTH,
    ActionType.RESUME_BOOTH: Wish.BOOTH,
    ActionType.END_TRANSFORMATION: Wish.CASTING,
    ActionType.ENEMY_INFO: Wish.FOES,
    ActionType.DIALOG: Wish.UNKNOWN,
    ActionType.FACE: Wish.FACE,
    ActionType.FIND_PATH: Wish.UNKNOWN,
}
"""Wishes that come as an Action, by kind."""


def refuse_action(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """Say that there is no such thing."""
    tell(session, ACTION_WISHES[ActionType(packet.action)])


for _packet, _wish in WISHES.items():
    unmet(TABLE, _wish, _packet)

for _type, (_name, _wish) in UNREAD.items():
    TABLE.on_raw(_type, _name, Unmet(_wish), during=Phase.IN_WORLD)

for _kind in ACTION_WISHES:
    action(_kind)(refuse_action)

idle(TABLE, "the client tells what time it has", Tick, during=AUTHENTICATED)


@action(ActionType.REVIVE)
def to_healer(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """REVIVE: the button that the client shows the dead. It leads to the healer's house."""
    life.to_healer(mobile)
