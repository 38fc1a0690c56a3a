"""Guilds as this game's client shows them: syndicates (facts/co-play.md, section 9; facts/co.md, section 12).

    GuildChanged         ->  GuildAttributes; for another guild than before NameMessage with its name, and
                             Guild SET; Guild ALLY, ENEMY and their opposites; the bulletin
    GuildMemberChanged   ->  GuildAttributes, if it is about one's own rank or the leader

The client opens its window by itself, and asks for the names of members and for what else there is to know of
one. It knows guilds by numbers, and asks for the name of each that it sees at a figure. Ranks are promoted,
and the guild is handed over, in words: no message of these versions does that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

import attrs

from protocol.co.figures import LONGEST_NAME, NAMING, Drawing
from protocol.co.packets import (
    LONGEST_WORDS,
    Channel,
    GuildAction,
    GuildAttributes,
    GuildMember,
    NameKind,
    NameMessage,
    said,
)
from protocol.co.packets import Guild as GuildMessage
from protocol.co.ranks import RANKS
from protocol.co.session import GuildShown
from world.events import GuildChanged, GuildMemberChanged, GuildOpened
from world.guild import Bond, Guild, Rank
from world.guild_rolls import gold, sheet

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

    from protocol.co.packets import Message
    from protocol.co.session import CoSession
    from protocol.co.versions import CoVersion
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.guild_events import GuildSheet, MemberLine
    from world.mobile import Mobile

D = TypeVar("D", bound=Drawing)

PAGE: Final = 10
"""Members that the client asks for at once (COPS v6)."""

U32_MOST: Final = 0xFFFF_FFFF

BINDS: Final[Mapping[Bond, GuildAction]] = {Bond.ALLIED: GuildAction.ALLY, Bond.WAR: GuildAction.ENEMY}
LOOSENS: Final[Mapping[Bond, GuildAction]] = {
    Bond.ALLIED: GuildAction.CLEAR_ALLY,
    Bond.WAR: GuildAction.CLEAR_ENEMY,
}
"""Actions for a bond that there is, and for one that is no more."""


class GuildPage:
    """A player's guild as it is now, found out when it leaves: the difference from what its client shows; all
    of it, also that there is none, for `anew`."""

    __slots__ = ("_anew", "_mobile", "_sheet")
    droppable = False

    def __init__(self, mobile: Mobile, now: GuildSheet | None, *, anew: bool = False) -> None:
        self._mobile = mobile
        self._sheet = now
        self._anew = anew

    def bind(self, session: CoSession) -> bytes:
        """The packets, one behind the other. Notes what the client shows from then on."""
        shown, now = None if self._anew else session.guild, self._sheet
        if now is None:
            session.guild = None
            told = self._none(shown) if shown is not None or self._anew else iter(())
        else:
            ties = {tie.number: tie.bond for tie in now.ties}
            own = now.member(self._mobile.serial)
            rank = None if own is None else own.rank
            session.guild = GuildShown(now.number, ties, now.notice, now.leader.serial, rank)
            if shown is not None and shown.number != now.number:
                shown = None
            told = self._differences(shown or GuildShown(0), now)
        return b"".join(packet.encode(session.dialect) for packet in told)

    def _none(self, shown: GuildShown | None) -> Iterator[Message]:
        yield GuildAttributes()
        if shown is None:
            return
        if shown.notice:
            yield _bulletin("")
        if self._mobile.world.records.get(Guild, shown.number) is None:
            yield GuildMessage(GuildAction.DISBAND, shown.number)

    def _differences(self, shown: GuildShown, now: GuildSheet) -> Iterator[Message]:
        yield attributes(self._mobile, now)
        if shown.number != now.number:
            yield name_of(now.number, now.name)
            yield GuildMessage(GuildAction.SET, now.number)
        bonds = {tie.number: tie.bond for tie in now.ties}
        for number, bond in shown.ties.items():
            if bonds.get(number) is not bond:
                yield GuildMessage(LOOSENS[bond], number)
        for tie in now.ties:
            if shown.ties.get(tie.number) is not tie.bond:
                yield name_of(tie.number, tie.name)
                yield GuildMessage(BINDS[tie.bond], tie.number)
        if shown.notice != now.notice:
            yield _bulletin(now.notice)


class MemberNews:
    """A player's own rank or who leads its guild, if its client shows something else. Whoever leads comes and
    goes before the eyes of all members, so nothing is made here for each that goes through all of them."""

    __slots__ = ("_member", "_mobile")
    droppable = False

    def __init__(self, mobile: Mobile, member: MemberLine) -> None:
        self._mobile = mobile
        self._member = member

    def bind(self, session: CoSession) -> bytes:
        """GuildAttributes. Notes what the client shows from then on."""
        shown, guild, member = session.guild, self._mobile.guild, self._member
        if shown is None or guild is None or guild.number != shown.number:
            return b""  # a GuildPage tells it
        leads = member.rank is Rank.LEADER
        leader = member.serial if leads else shown.leader
        now = attrs.evolve(shown, leader=leader, rank=guild.rank_of(self._mobile.serial))
        if now == shown:
            return b""
        session.guild = now
        if leads:
            told = _attributes(self._mobile, guild, member)
        else:
            told = attributes(self._mobile, sheet(self._mobile.world, guild))
        return told.encode(session.dialect)


def whole(mobile: Mobile) -> GuildPage:
    """All of a player's guild, as its client asks for it; it may have none."""
    return GuildPage(mobile, None if mobile.guild is None else sheet(mobile.world, mobile.guild), anew=True)


def attributes(mobile: Mobile, now: GuildSheet) -> GuildAttributes:
    """The numbers in the client's window of a guild, and who leads it."""
    own = now.member(mobile.serial)
    return GuildAttributes(
        guild=now.number,
        donation=0 if own is None else min(own.given, U32_MOST),
        fund=min(now.gold, U32_MOST),
        members=len(now.members),
        rank=0 if own is None else RANKS[own.rank],
        leader=shown_name(now.leader),
    )


def _attributes(mobile: Mobile, guild: Guild, leader: MemberLine) -> GuildAttributes:
    """The same of a guild whose leader is known, so that nobody has to be looked for."""
    own = guild.members[mobile.serial]
    return GuildAttributes(
        guild=guild.number,
        donation=min(own.given, U32_MOST),
        fund=min(gold(mobile.world, guild), U32_MOST),
        members=len(guild.members),
        rank=RANKS[Rank(own.rank)],
        leader=shown_name(leader),
    )


def name_of(number: int, name: str) -> NameMessage:
    """The name of a guild."""
    return NameMessage(number, NameKind.GUILD, (name,))


def shown_name(member: MemberLine) -> str:
    """The name by which this game's clients know a member, and ask for it."""
    name = member.name if NAMING.fits(member.name) else member.short_name or member.name
    return name[:LONGEST_NAME]


def roll(now: GuildSheet, page: int) -> NameMessage:
    """A page of the members, those who are here first; the number in it is that of the next."""
    members = sorted(now.members, key=lambda one: not one.online)
    return NameMessage(
        page + 1 & U32_MOST,
        NameKind.MEMBERS,
        tuple(
            f"{shown_name(one)} {one.level} {int(one.online)}"
            for one in members[page * PAGE : (page + 1) * PAGE]
        ),
    )


def details(member: MemberLine) -> GuildMember:
    """A member's gifts and rank, for which a client asks by name."""
    return GuildMember(min(member.given, U32_MOST), RANKS[member.rank], shown_name(member))


def _bulletin(text: str) -> Message:
    return said(text[:LONGEST_WORDS], Channel.BULLETIN)


# Events


def declare(events: Renderings[D, CoVersion]) -> None:
    """Register how guilds are shown."""
    events.renders(GuildChanged)(_changed)
    events.renders(GuildMemberChanged)(_member_changed)
    events.leaves_out(
        GuildOpened,
        because="the client opens its window by itself; who gives the order is asked by a dialog",
    )


def _changed(
    view: Drawing, event: GuildChanged, audience: Hashable, version: CoVersion
) -> Sequence[Outgoing]:
    """GuildAttributes, and Guild, NameMessage and Talk with what else is different: name, allies, enemies,
    the bulletin. A line tells each change."""
    return (GuildPage(event.thing, event.sheet),)


def _member_changed(
    view: Drawing, event: GuildMemberChanged, audience: Hashable, version: CoVersion
) -> Sequence[Outgoing]:
    """GuildAttributes for another rank of one's own and for another leader; the list of members is asked for
    when it is looked at."""
    mobile, member = event.thing, event.member
    if member.serial != mobile.serial and member.rank is not Rank.LEADER:
        return ()
    return (MemberNews(mobile, member),)
