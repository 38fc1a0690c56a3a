"""Guilds: who is in one's guild, what each may do there, and what its members read.

One is asked into a guild by a question (`Ask`), and answers it; whoever is in none and looks at its guild is
asked whether to found one. Members are named, for most deeds are done to those who are away as well. What is
said in a guild is said with `Speak`.
"""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 # cattrs reads the annotations

import attrs

from protocol.web.packets.base import SERIAL, Message, message, one_of, text, whole

LONGEST_NAME = 32
"""Of whoever is meant: longer than any name is, so that the world says that there is no such thing."""

LONGEST_NOTICE = 256
"""More than the world takes, which refuses the rest in words."""

TIES = ("war", "alliance", "end")
"""What one can be to another guild, and no more."""


@message("guild")
class AskGuild(Message):
    """Look at one's guild. Answers: `Guild`; without one a question (`Ask`) whether to found one."""


@message("guild_invite")
class GuildInvite(Message):
    """Ask somebody in sight, or of that name, into one's guild. Answers: words, `Guild`."""

    id: int = whole(0, SERIAL, default=0)
    """0: go by the name."""
    name: str = text(LONGEST_NAME, default="")


@message("guild_rank")
class GuildPromote(Message):
    """Give a member the next higher rank, or the next lower one. Answer: `GuildMemberChanged`."""

    name: str = text(LONGEST_NAME)
    up: bool = True


@message("guild_expel")
class GuildExpel(Message):
    """Send a member out of one's guild. Answer: `Guild`."""

    name: str = text(LONGEST_NAME)


@message("guild_lead")
class GuildLead(Message):
    """Let another member lead the guild. Answer: `GuildMemberChanged`, of both."""

    name: str = text(LONGEST_NAME)


@message("guild_notice")
class GuildNotice(Message):
    """Write what members read when they come; empty: nothing. Answer: `Guild`."""

    text: str = text(LONGEST_NOTICE)


@message("guild_leave")
class GuildLeave(Message):
    """Be in one's guild no more. Answer: `Guild` without a number."""


@message("guild_disband")
class GuildDisband(Message):
    """Let the guild that one leads cease to exist. Answer as to `GuildLeave`."""


@message("guild_tie")
class GuildTieAsk(Message):
    """Declare war on another guild, ask it for an alliance, or end what there is. Answers: words, `Guild`."""

    name: str = text(LONGEST_NAME)
    """Its name or its tag."""
    tie: str = one_of(TIES, default="war")


@message("guild_gold")
class GuildGold(Message):
    """Put gold into the guild's bank, or take it out, beside a banker. Answers: words, `Guild`."""

    amount: int = whole(0, 0x7FFF_FFFF)
    out: bool = False


@attrs.frozen
class GuildRank:
    """A place in a guild, and what whoever has it may do: words of `world.guild.Right`."""

    name: str
    rights: Sequence[str] = ()


@attrs.frozen
class GuildMember:
    """A member, here or away. Times are seconds UTC."""

    id: int
    name: str
    rank: int
    """Its place in `Guild.ranks`: nobody does anything to those of its own rank or a higher one."""
    level: int
    online: bool = False
    game: str = ""
    """Through which game it plays now, as in `Show`."""
    given: int = 0
    """Gold that it has put into the bank, in all."""
    joined: int = 0
    seen: int = 0
    """When it was here last, of one that is away."""


@attrs.frozen
class GuildTie:
    """Another guild that is `allied` or at `war`; `ours`: one's own guild has proposed or declared it."""

    name: str
    short: str
    """Its tag, as in `Guild`."""
    bond: str
    ours: bool = False
    since: int = 0


@attrs.frozen
class GuildEntry:
    """A line of the log: who did what, and when, in seconds UTC."""

    at: int
    who: str
    deed: str


@message("guild")
class Guild(Message):
    """All there is to know about one's guild. Without a number: one is in none."""

    number: int = 0
    name: str = ""
    short: str = ""
    """Its tag, which stands beside its members' names."""
    notice: str = ""
    founded: int = 0
    """Seconds UTC."""
    gold: int = 0
    """In its bank."""
    members: Sequence[GuildMember] = ()
    """The leader first, then by rank."""
    ties: Sequence[GuildTie] = ()
    log: Sequence[GuildEntry] = ()
    """The newest first."""
    ranks: Sequence[GuildRank] = ()
    """The lowest first."""
    opened: bool = False
    """Whether its player wants to see it now."""


@message("guild_member")
class GuildMemberChanged(Message):
    """A member has come or gone, or is of another rank or level."""

    member: GuildMember
