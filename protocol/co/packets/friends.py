"""Friends and enemies: one packet for all deeds, told apart by `action`, and one with more of somebody."""

import enum
from typing import Annotated, ClassVar

from protocol.co.packets.base import S16, U8, U16, U32, Gap, Message, Name, Since, from_server, message
from protocol.co.versions import CoVersion


class FriendAction(enum.IntEnum):
    """Kinds of Friend."""

    APPLY = 10
    """Asks somebody; who asks back has accepted (COPS v6, Redux)."""
    ACCEPT = 11
    ONLINE = 12
    OFFLINE = 13
    BREAK = 14
    INFO = 15
    """Somebody is on the list; asked for by clients of 4330 (COPS v6)."""
    ENEMY_ONLINE = 16
    ENEMY_OFFLINE = 17
    ENEMY_DELETE = 18
    ENEMY_ADD = 19


@message(1019)
class Friend(Message):
    """Something about a friend or an enemy. MsgFriend.

    The name begins at 20 by all that is known of these versions: the wiki's table of 5017, and Redux for
    5065. In 4267 and 4330, which know no ranks of nobility, it is at 12.
    """

    id: U32
    action: Annotated[U8, "FriendAction"]
    online: U8
    _unused: ClassVar[Gap] = Gap(bytes(2))
    nobility_rank: U32 = 0
    flower_rank: U32 = 0
    name: Name = ""


@from_server(2033)
class FriendInfo(Message):
    """More of a friend or an enemy. MsgFriendInfo."""

    id: U32
    look: U32
    level: U8
    profession: U8
    pk_points: S16
    guild: U16 = 0
    _unused: ClassVar[Gap] = Gap(bytes(1))
    guild_rank: Annotated[U8, "GuildRank"] = 0
    mate: Name = ""
    enemy: Annotated[U32, Since(CoVersion.V5065), "1 for an enemy (Redux)"] = 0
