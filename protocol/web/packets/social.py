"""Between players: friends, those of whom one wants to hear nothing, duels, and reports to the staff.

Lists are one's own alone, one of each for all games. A duel is asked for by a question (`Ask`).
"""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 # cattrs reads the annotations

import attrs

from protocol.web.packets.base import SERIAL, Message, message, text, whole

LONGEST_NAME = 32
LONGEST_REPORT = 256
"""More than the world keeps, which cuts it as it does with a line that is said."""


@message("friends")
class AskFriends(Message):
    """Read whom one has on one's lists. Answer: `Friends`."""


@message("befriend")
class Befriend(Message):
    """Put somebody on one's list of friends, who may be away. Answers: `FriendChanged`, words."""

    name: str = text(LONGEST_NAME)


@message("unfriend")
class Unfriend(Message):
    """Take somebody off that list. Answers as to `Befriend`."""

    name: str = text(LONGEST_NAME)


@message("ignore")
class Ignore(Message):
    """Hear nothing of somebody any more. Answers: `IgnoreChanged`, words."""

    name: str = text(LONGEST_NAME)


@message("heed")
class Heed(Message):
    """Hear of somebody again. Answers as to `Ignore`."""

    name: str = text(LONGEST_NAME)


@message("report")
class ReportPlayer(Message):
    """Report somebody, who may be away, to the staff: what was said around oneself goes with it. Answer:
    words."""

    name: str = text(LONGEST_NAME)
    text: str = text(LONGEST_REPORT)


@message("duel")
class AskDuel(Message):
    """Ask somebody in sight to a duel; or accept, if that one has asked. Answers: words, `DuelCounted`."""

    id: int = whole(0, SERIAL)


@message("yield")
class YieldDuel(Message):
    """Give up one's duel, or call it off before it begins. Answer: `DuelOver`."""


@attrs.frozen
class Friend:
    """A friend; `game`: through which game it plays now, as in `Show`."""

    id: int
    name: str
    online: bool = False
    game: str = ""


@attrs.frozen
class Ignored:
    """Somebody of whom one hears nothing."""

    id: int
    name: str


@message("friends")
class Friends(Message):
    """One's lists, in the order in which one has made them."""

    friends: Sequence[Friend] = ()
    ignored: Sequence[Ignored] = ()


@message("friend")
class FriendChanged(Message):
    """A friend has come or gone, or stands on one's list from now on; `listed` is false of who does no
    more."""

    friend: Friend
    listed: bool = True


@message("ignored")
class IgnoreChanged(Message):
    """One hears nothing of somebody from now on; or again, if not `listed`."""

    ignored: Ignored
    listed: bool = True


@message("duel_count")
class DuelCounted(Message):
    """So many seconds until one's duel begins; 0: it does."""

    id: int
    name: str
    seconds: int


@message("duel_over")
class DuelOver(Message):
    """One's duel is over. `won` is null if nobody has won it."""

    id: int
    why: str
    won: bool | None = None
