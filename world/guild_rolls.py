"""Rolls of guilds: who is in them, what their members read, and what their logs keep.

The problem: members are away more often than not, play through six games, and may be in other worlds, and yet
each wants to see the whole guild as it is now. The idea: all of it is in records, which are there whoever is;
what members see is one sheet of plain values made of them, and again after each deed, so that no window has
to be told what has changed in it. Nothing here changes a guild but its log.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import attrs

from world import audience
from world.arms import level_of
from world.delta import MobileDelta
from world.guild import Bond, Entry, Guild, Member, Rank, Right, Tie
from world.guild_events import GuildChanged, GuildMemberChanged, GuildSheet, LogLine, MemberLine, TieLine
from world.item import KEPT
from world.names import name_key
from world.presence import sneaks
from world.reach import Cannot, Refusal
from world.speech import notice
from world.wording import GOLD

if TYPE_CHECKING:
    from collections.abc import Iterator

    from world.item import Item
    from world.mobile import Mobile
    from world.thing import Surroundings

MOST_KEPT: Final = 100
"""Lines of a guild's log; the oldest go."""

RANK_NAMES: Final = {
    Rank.RECRUIT: "recruit",
    Rank.MEMBER: "member",
    Rank.OFFICER: "officer",
    Rank.LEADER: "leader",
}

SHOWN: Final = MobileDelta.NOTO | MobileDelta.PROPERTIES
"""What others see of a guild at somebody: its colour, and the tag."""


def assemble(world: Surroundings) -> None:
    """Put the records of guilds into the guilds that they are of, as far as those are there."""
    records = world.records
    guilds = records.all(Guild)
    for guild in guilds.values():
        guild.members, guild.ties, guild.log = {}, {}, []
    for member in records.all(Member).values():
        if member.guild in guilds:
            guilds[member.guild].members[member.character] = member
    for tie in records.all(Tie).values():
        if tie.guild in guilds and tie.other in guilds:
            guilds[tie.guild].ties[tie.other] = guilds[tie.other].ties[tie.guild] = tie
    for entry in records.all(Entry).values():
        if entry.guild in guilds:
            guilds[entry.guild].log.append(entry)


# Who is who


def by_name(world: Surroundings, name: str) -> Guild:
    """The guild of that name or tag; letter case does not matter. Raises Cannot(NO_SUCH_GUILD)."""
    wanted = name.strip().casefold()
    for guild in world.records.all(Guild).values():
        if wanted in (guild.name.casefold(), guild.tag.casefold()):
            return guild
    raise Cannot(Refusal.NO_SUCH_GUILD)


def of_character(world: Surroundings, serial: int) -> Guild | None:
    """The guild that a character is in, whether or not it is in the world; None if it is in none."""
    return next((guild for guild in world.records.all(Guild).values() if serial in guild.members), None)


def own(actor: Mobile) -> tuple[Guild, Member]:
    """The guild that somebody is in, and its place there. Raises Cannot(NO_GUILD)."""
    if actor.guild is None:
        raise Cannot(Refusal.NO_GUILD)
    return actor.guild, actor.guild.members[actor.serial]


def check_right(actor: Mobile, right: Right) -> tuple[Guild, Member]:
    """As `own`, of somebody whose rank allows something. Raises Cannot: NO_GUILD or NO_RIGHT."""
    guild, member = own(actor)
    if right not in member.rights:
        raise Cannot(Refusal.NO_RIGHT)
    return guild, member


def member_by_name(guild: Guild, name: str) -> Member:
    """The member of that name, who may be away. Raises Cannot(NO_MEMBER)."""
    wanted = name_key(name)
    found = next((one for one in guild.members.values() if name_key(one.name) == wanted), None)
    if found is None:
        raise Cannot(Refusal.NO_MEMBER)
    return found


def member_called(world: Surroundings, guild: Guild, name: str) -> Member:
    """The member of that name, or of that short name, by which some games call it. Raises
    Cannot(NO_MEMBER)."""
    known = world.directory.find(name)
    found = guild.members.get(known.serial) if known is not None else None
    return found or member_by_name(guild, name)


def title_of(mobile: Mobile) -> str:
    """Rank of somebody in its guild, as a word. Raises Cannot(NO_GUILD)."""
    return RANK_NAMES[Rank(own(mobile)[1].rank)]


def online(world: Surroundings, guild: Guild) -> Iterator[Mobile]:
    """The members whom clients play now."""
    for serial in guild.members:
        mobile = world.mobiles.get(serial)
        if mobile is not None and mobile.online:
            yield mobile


def bank(world: Surroundings, guild: Guild) -> Item | None:
    """The box in which a guild's bank lies; None before anything was put there."""
    box = world.items.get(guild.box)
    return box if box is not None and box.keeper == KEPT else None


def gold(world: Surroundings, guild: Guild) -> int:
    """Coins in a guild's bank."""
    if not world.records.kept:
        return guild.copied_gold
    box = bank(world, guild)
    inside = () if box is None else box.contents.values()
    return sum(item.amount for item in inside if item.template.key == GOLD)


def utc(world: Surroundings) -> float:
    """Seconds UTC, now."""
    return world.now + world.epoch


# What they read


def tell(world: Surroundings, guild: Guild, text: str) -> None:
    """Send a line to all members who are online."""
    for mobile in online(world, guild):
        notice(mobile, text)


def note(world: Surroundings, guild: Guild, who: str, deed: str) -> None:
    """Write a line into a guild's log."""
    entry = Entry(guild=guild.number, at=utc(world), who=who, deed=deed)
    guild.log.append(world.records.add(entry))
    while len(guild.log) > MOST_KEPT:
        world.records.delete(guild.log.pop(0))


def line_of(world: Surroundings, member: Member) -> MemberLine:
    """Line of a member, as the others know it."""
    mobile = world.mobiles.get(member.character)
    here = mobile is not None and mobile.online
    afar = None if here else world.elsewhere.people.get(member.character)
    known = world.directory.of(member.character) if mobile is None else mobile
    return MemberLine(
        member.character,
        member.name,
        (known.short_name if known is not None else "") or member.name,
        Rank(member.rank),
        level_of(mobile) if mobile is not None else member.level,
        here or (afar is not None and not sneaks(afar)),
        mobile.game if mobile is not None and here else "" if afar is None else afar.game,
        member.given,
        member.joined_at,
        member.seen_at,
    )


def sheet(world: Surroundings, guild: Guild) -> GuildSheet:
    """All there is to know about a guild, as it is now."""
    members = sorted(guild.members.values(), key=lambda one: (-one.rank, one.number))
    guilds = world.records.all(Guild)
    ties = (
        TieLine(
            number,
            guilds[number].name,
            guilds[number].tag,
            Bond(tie.bond),
            tie.guild == guild.number,
            tie.since,
        )
        for number, tie in guild.ties.items()
    )
    return GuildSheet(
        guild.number,
        guild.name,
        guild.tag,
        guild.notice,
        guild.founded_at,
        gold(world, guild),
        tuple(line_of(world, member) for member in members),
        tuple(ties),
        tuple(LogLine(entry.at, entry.who, entry.deed) for entry in reversed(guild.log)),
    )


def look_up(actor: Mobile, name: str) -> GuildSheet:
    """A guild as somebody may know it, by its name or tag: all of one's own; of another only who leads it
    and is an officer there, and nothing of its notice, bank, log and ties. Raises Cannot(NO_SUCH_GUILD)."""
    guild = by_name(actor.world, name)
    shown = sheet(actor.world, guild)
    if guild is actor.guild:
        return shown
    staff = tuple(line for line in shown.members if line.rank >= Rank.OFFICER)
    return attrs.evolve(shown, notice="", gold=0, members=staff, ties=(), log=())


def renew(world: Surroundings, guild: Guild) -> None:
    """Show all members who are online what their guild is now."""
    shown = None
    for mobile in online(world, guild):
        shown = shown or sheet(world, guild)
        world.events.append(GuildChanged(mobile, shown, audience.one(mobile)))


def show(mobile: Mobile) -> None:
    """Show one player what its guild is now, or that it has none."""
    shown = None if mobile.guild is None else sheet(mobile.world, mobile.guild)
    mobile.world.events.append(GuildChanged(mobile, shown, audience.one(mobile)))


def renew_member(world: Surroundings, guild: Guild, member: Member) -> None:
    """Show all members who are online what one of them is now, and others its rank, where they see that."""
    line = line_of(world, member)
    shown = world.mobiles.get(member.character)
    if shown is not None:
        shown.mark(MobileDelta.PROPERTIES)
    for mobile in online(world, guild):
        world.events.append(GuildMemberChanged(mobile, line, audience.one(mobile)))


def recolour(world: Surroundings, *guilds: Guild) -> None:
    """Have the members of guilds seen anew by all who see them: in another colour, with another tag. So are
    those of their allies and enemies, who are in another colour to whoever comes into a guild or leaves
    it."""
    known = world.records.all(Guild)
    tied = (known[number] for guild in guilds for number in guild.ties if number in known)
    for guild in dict.fromkeys((*guilds, *tied)):
        for serial in guild.members:
            mobile = world.mobiles.get(serial)
            if mobile is not None:
                mobile.mark(SHOWN)
