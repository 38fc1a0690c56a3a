"""Parties: who is of one's party, through which game, and how they fare wherever they are.

One is asked into a party by a question (`Ask`), and answers it. What is said in a party is said with `Speak`.
"""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 # cattrs reads the annotations

import attrs

from protocol.web.packets.base import SERIAL, Message, message, one_of, text, whole

LOOT_RULES = ("finder", "turns", "leader")
"""As in `world.companions.LootRule`."""


@message("party")
class AskParty(Message):
    """Read who is of one's party. Answer: `Party`."""


@message("invite")
class Invite(Message):
    """Ask somebody in sight, or of that name, into one's party, or to make one. Answers: words, `Party`."""

    id: int = whole(0, SERIAL, default=0)
    """0: go by the name."""
    name: str = text(32, default="")


@message("leave_party")
class LeaveParty(Message):
    """Be of one's party no more. Answer: `Party` without members."""


@message("expel")
class Expel(Message):
    """Send a member out of the party that one leads. Answer: `Party`."""

    id: int = whole(0, SERIAL)


@message("lead")
class Lead(Message):
    """Let another member lead the party. Answer: `Party`."""

    id: int = whole(0, SERIAL)


@message("loot")
class Loot(Message):
    """Say whose it is what creatures leave: whoever finds it, each in turn, or the leader's. Answer:
    `Party`."""

    rule: str = one_of(LOOT_RULES, default="finder")


@attrs.frozen
class Member:
    """A member as it was when this was told. `hits`, `mana` and `stam` are 0 of 0 of one that nobody has seen
    yet."""

    id: int
    name: str
    game: str = ""
    """Through which game it is played, as in `Show`; of one that is away, through which it was."""
    level: int = 0
    hits: int = 0
    hits_max: int = 0
    mana: int = 0
    mana_max: int = 0
    stam: int = 0
    stam_max: int = 0
    dead: bool = False
    realm: str = ""
    """Where it is: name and title of the realm, and the tile."""
    title: str = ""
    x: int = 0
    y: int = 0
    online: bool = True


@message("party")
class Party(Message):
    """All members of one's party, oneself among them, the leader first; none: one is in no party."""

    members: Sequence[Member] = ()
    loot: str = "finder"


@message("member")
class Stirred(Message):
    """Differences of a member; None is as before. At most twice a second of each."""

    id: int
    game: str | None = None
    level: int | None = None
    hits: int | None = None
    hits_max: int | None = None
    mana: int | None = None
    mana_max: int | None = None
    stam: int | None = None
    stam_max: int | None = None
    dead: bool | None = None
    realm: str | None = None
    title: str | None = None
    x: int | None = None
    y: int | None = None
