"""A guild in this game's own window, which its registrar opens, or the order `guild` from anywhere.

    click on a registrar      ->  Guild_Open     ->  Guild_Open, with a session id to say again
    a name and a tag          ->  Guild_Request  ->  Guild_Reply: begun, and at once that enough have joined
    yes, with a description   ->  Guild_Create   ->  Guild_Create
    a tag and a recruiter     ->  Guild_Player   ->  Guild_Reply to that one: a box with yes and no
    its yes                   ->  Guild_Use      ->  Guild_Agree to who is in, Guild_Reply
    yes to Guild_Request      ->  Guild_Accept   ->  Guild_Agree
    what it is, who is in it  ->  Guild_Report, Guild_Tell  ->  the same
    description, ranks, gold  ->  Guild_Take     ->  Guild_Take, Guild_Rank, Guild_Sell
    another rank              ->  Guild_Rank     ->  Guild_Reply; Guild_Accept to whom it is given
    out                       ->  Guild_Kick     ->  Guild_Reply; Guild_Kick to who is out

The original waits until ten who stand there have agreed before it founds a guild. Here one founds it alone,
so a client that begins is told at once that there are enough, and asks its player whether to go on.

Ranks are numbers: 0 is who leads it, to 1 and 2 clients offer what leaders do, and 9 is a newcomer's
(sorokya/eoweb: ui/guild-dialog; ethanmoffat/EndlessClient: GuildDialog). The world has four, of which each
stands for a part of these.

Who leaves a guild, or ends it, is in none for its client at once, before it hears of it (eoweb:
guild-controller). So a session keeps what its client believes, and one whose wish was refused is told of its
guild again, as sorokya/reoserv does. To be told that one is in a guild sounds like joining it; at the login
it is a part of the answer to the choice of a character.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import attrs
from eolib import (
    GuildAcceptServerPacket,
    GuildAgreeServerPacket,
    GuildCreateServerPacket,
    GuildKickServerPacket,
    GuildMember,
    GuildOpenServerPacket,
    GuildReply,
    GuildReplyServerPacket,
    GuildReportServerPacket,
    GuildRequestServerPacket,
    GuildStaff,
    GuildTellServerPacket,
)

from protocol.eo.belongings import GOLD
from protocol.eo.figures import LONGEST_NAME, NAMING
from protocol.eo.packets import bodies
from protocol.eo.session import ShownGuild
from protocol.eo.words import line, told
from world.events import GuildChanged, GuildMemberChanged, GuildOpened
from world.guild import Rank
from world.guild_hall import RANK_NAMES
from world.guild_rolls import of_character
from world.wording import coins

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from eolib import Packet

    from protocol.eo.figures import Figures
    from protocol.eo.session import EoSession
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.guild_events import GuildSheet, MemberLine
    from world.mobile import Mobile
    from world.thing import Surroundings

NUMBERS: Final[Mapping[Rank, int]] = {Rank.LEADER: 0, Rank.OFFICER: 1, Rank.MEMBER: 5, Rank.RECRUIT: 9}
"""By which clients know the ranks."""

LAST: Final = NUMBERS[Rank.RECRUIT]

RANKS: Final = tuple(RANK_NAMES[rank] for rank in (Rank.OFFICER, *(LAST - 2) * (Rank.MEMBER,), Rank.RECRUIT))
"""Names of the ranks from 1 to 9. (Clients hide such as have less than four letters: reoserv,
request_guild_details.)"""

MORE: Final = "Wars, alliances, the log, and gold out of the bank you have by words: type $help guild."
"""What the window has no place for."""

UNTOLD: Final = "Only its members know."


class Draws(Protocol):
    """A view, as far as it is asked here."""

    figures: Figures

    def session_of(self, mobile: Mobile) -> EoSession | None:
        """The client of this game that plays it."""


V = TypeVar("V", bound=Draws)


def declare(events: Renderings[V, Hashable]) -> None:
    """Register how guilds are shown."""
    events.renders(GuildOpened)(opened)
    events.renders(GuildChanged)(changed)
    events.renders(GuildMemberChanged)(member_changed)


# What happens


def opened(view: Draws, event: GuildOpened, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
    """Guild_Open, and lines of words: what it is, and what the window does not have."""
    session = view.session_of(event.thing)
    return () if session is None else (*bodies(window(session)), *told(event), *line(MORE))


def changed(view: Draws, event: GuildChanged, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
    """Guild_Create or Guild_Agree, Guild_Accept with a rank, or Guild_Kick; the window is told no more than
    it asks for."""
    session, sheet = view.session_of(event.thing), event.sheet
    if session is None:
        return ()
    before, session.guild = session.guild, None
    if sheet is None:
        return () if before is None else bodies(GuildKickServerPacket())  # type: ignore[no-untyped-call]
    own = sheet.member(event.thing.serial)
    if own is None:  # it has left since
        return ()
    session.guild = now = ShownGuild(sheet.number, sheet.name, sheet.tag, own.rank)
    if before is None or before.number != now.number:
        founded = own.rank is Rank.LEADER
        packets = _founded(view.figures, session, event.thing, now) if founded else joined(session, now)
        return bodies(*packets)
    return _promoted(before, now)


def member_changed(
    view: Draws, event: GuildMemberChanged, audience: Hashable, dialect: Hashable
) -> Sequence[Outgoing]:
    """Guild_Accept of its own rank; who comes and goes and what others become is told by lines of words."""
    session = view.session_of(event.thing)
    if session is None or session.guild is None or event.member.serial != event.thing.serial:
        return ()
    before = session.guild
    session.guild = attrs.evolve(before, rank=event.member.rank)
    return _promoted(before, session.guild)


def _promoted(before: ShownGuild, now: ShownGuild) -> Sequence[Outgoing]:
    return () if before.rank == now.rank else bodies(GuildAcceptServerPacket(rank=NUMBERS[now.rank]))


def joined(session: EoSession, guild: ShownGuild) -> Sequence[Packet]:
    """Packets after which a client takes itself for a member of that rank. It takes whoever joins for a
    newcomer."""
    agree = GuildAgreeServerPacket(
        recruiter_id=session.player_id,  # no client makes anything of it
        guild_tag=guild.tag,
        guild_name=guild.name,
        rank_name=RANK_NAMES[guild.rank],
    )
    if NUMBERS[guild.rank] == LAST:
        return (agree,)
    return agree, GuildAcceptServerPacket(rank=NUMBERS[guild.rank])


def _founded(figures: Figures, session: EoSession, mobile: Mobile, guild: ShownGuild) -> Sequence[Packet]:
    """Packets for who has just founded a guild: with the gold that is left of it. One client does not know
    by them that it leads it (EndlessClient: GuildCreateHandler), and is told."""
    left = figures.amounts(mobile).get(GOLD, 0)
    session.belongings.owns(GOLD, left)
    create = GuildCreateServerPacket(
        leader_player_id=session.player_id,
        guild_tag=guild.tag,
        guild_name=guild.name,
        rank_name=RANK_NAMES[guild.rank],
        gold_amount=left,
    )
    return create, GuildAcceptServerPacket(rank=NUMBERS[guild.rank])


# What is asked


def request(figures: Figures, asker: Mobile) -> GuildRequestServerPacket:
    """The question whether one would come into the guild of somebody."""
    tag = asker.guild.tag if asker.guild is not None else ""
    return GuildRequestServerPacket(
        player_id=figures.player_id(asker), guild_identity=f"{NAMING.of(asker)[:LONGEST_NAME]} ({tag})"
    )


def application(figures: Figures, asker: Mobile) -> GuildReplyServerPacket:
    """The question whether one would let somebody into one's guild."""
    return GuildReplyServerPacket(
        reply_code=GuildReply.JoinRequest,
        reply_code_data=GuildReplyServerPacket.ReplyCodeDataJoinRequest(
            player_id=figures.player_id(asker), name=NAMING.of(asker)[:LONGEST_NAME]
        ),
    )


# What the window shows


def window(session: EoSession) -> GuildOpenServerPacket:
    """The window. From here on a client does all about guilds by the session id of this one."""
    session.registrar = session.new_token()
    return GuildOpenServerPacket(session_id=session.registrar)


def report(mobile: Mobile, sheet: GuildSheet) -> GuildReportServerPacket:
    """Guild_Report: what a guild is, as far as a player may know it."""
    own = mobile.guild is not None and mobile.guild.number == sheet.number
    return GuildReportServerPacket(
        name=sheet.name,
        tag=sheet.tag,
        create_date=datetime.fromtimestamp(sheet.founded_at, UTC).strftime("%Y-%m-%d"),
        description=sheet.notice if own else UNTOLD,
        wealth=coins(mobile.world, sheet.gold) if own else UNTOLD,
        ranks=RANKS,
        staff=[
            GuildStaff(rank=NUMBERS[one.rank], name=shown_name(one))
            for one in sheet.members
            if one.rank >= Rank.OFFICER
        ],
    )


def roll(sheet: GuildSheet) -> GuildTellServerPacket:
    """Guild_Tell: who is in a guild, as far as a player may know it."""
    return GuildTellServerPacket(
        members=[
            GuildMember(rank=NUMBERS[one.rank], name=shown_name(one), rank_name=RANK_NAMES[one.rank])
            for one in sheet.members
        ]
    )


def shown_name(member: MemberLine) -> str:
    """Name of a member in this game; by it one may mean it, too."""
    return (member.name if NAMING.fits(member.name) else member.short_name)[:LONGEST_NAME]


def rank_of(number: int) -> Rank | None:
    """The rank that a number from 0 to 9 stands for; None for any other."""
    if number > LAST:
        return None
    return next((rank for rank, at in NUMBERS.items() if at == number), Rank.MEMBER)


def known_at_login(world: Surroundings, serial: int) -> ShownGuild | None:
    """The guild of a character that is about to enter."""
    guild = of_character(world, serial)
    if guild is None:
        return None
    return ShownGuild(guild.number, guild.name, guild.tag, Rank(guild.members[serial].rank))
