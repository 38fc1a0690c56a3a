"""What a client may send for features the world does not have yet: teams, trade, guilds, fights, to rise from
the dead by oneself.

The client shows none of it before it is answered, so its player is told that there is nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.co.handlers.actions import action
from protocol.co.handlers.table import GAME, playing
from protocol.co.packets import (
    Action,
    ActionType,
    Allot,
    Friend,
    Guild,
    MessageBoard,
    NameMessage,
    Package,
    Team,
    Tick,
    Trade,
)
from protocol.refusals import refused_in_words
from protocol.session import AUTHENTICATED, Phase
from protocol.wishes import Unmet, Wish, idle, tell
from world import life

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.co.packets import Message
    from protocol.co.session import CoSession
    from world.mobile import Mobile

WISHES: Final[Mapping[type[Message], Wish]] = {
    Allot: Wish.POINTS,
    Friend: Wish.FRIENDS,
    Guild: Wish.GUILD,
    MessageBoard: Wish.BOARD,
    NameMessage: Wish.UNKNOWN,
    Package: Wish.BANK,
    Team: Wish.PARTY,
    Trade: Wish.TRADE,
}

ACTION_WISHES: Final[Mapping[ActionType, Wish]] = {
    ActionType.DELETE_CHARACTER: Wish.DELETION,
    ActionType.MINE: Wish.MINING,
    ActionType.TEAM_MEMBER: Wish.PARTY,
    ActionType.TEAM_MEMBER_POSITION: Wish.PARTY,
    ActionType.DROP_MAGIC: Wish.CASTING,
    ActionType.DROP_SKILL: Wish.LEARNING,
    ActionType.CREATE_BOOTH: Wish.BOOTH,
    ActionType.RESUME_BOOTH: Wish.BOOTH,
    ActionType.END_TRANSFORMATION: Wish.CASTING,
    ActionType.ENEMY_INFO: Wish.FOES,
    ActionType.DIALOG: Wish.BANK,
    ActionType.FRIEND_INFO: Wish.FRIENDS,
    ActionType.FACE: Wish.FACE,
    ActionType.FIND_PATH: Wish.UNKNOWN,
}
"""Of what comes as an Action."""


def refuse(session: CoSession, packet: Message) -> None:
    """Say that there is no such thing."""
    if playing(session) is not None:
        tell(session, WISHES[type(packet)])


def refuse_action(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """The same of an Action."""
    tell(session, ACTION_WISHES[ActionType(packet.action)])


for _packet in WISHES:
    GAME.on(_packet, during=Phase.IN_WORLD)(refuse)

for _type, _name in ((1027, "EmbedGem"), (2036, "Compose")):
    GAME.on_raw(_type, _name, Unmet(Wish.CRAFTING), during=Phase.IN_WORLD)

for _kind in ACTION_WISHES:
    action(_kind)(refuse_action)

idle(GAME, "the client tells what time it has", Tick, during=AUTHENTICATED)


@action(ActionType.REVIVE)
def to_healer(session: CoSession, mobile: Mobile, packet: Action) -> None:
    """REVIVE: the button that the client shows the dead. It leads to the healer's house."""
    with refused_in_words(mobile):
        life.to_healer(mobile)
