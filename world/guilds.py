"""Guilds: companies with ranks, a bank and wars, to which players of all games belong. (PLAY, section 3)"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from world.guild import Entry, Guild, Member, Rank, Tie
from world.item import KEPT

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from world.item import Item
    from world.records import Record
    from world.thing import Surroundings
    from world.world import World

log = logging.getLogger("world")


def settle(world: World) -> None:
    """Make of the stored records what the rules look things up in. Those of a guild that is not there are
    dropped."""
    records = world.records
    guilds = records.all(Guild)
    kinds: Sequence[type[Member | Tie | Entry]] = (Member, Tie, Entry)
    for kind in kinds:
        _drop(world, [one for one in records.all(kind).values() if one.guild not in guilds])
    _drop(world, [tie for tie in records.all(Tie).values() if tie.other not in guilds])
    for member in records.all(Member).values():
        guilds[member.guild].members[member.character] = member
    for tie in records.all(Tie).values():
        guilds[tie.guild].ties[tie.other] = guilds[tie.other].ties[tie.guild] = tie
    for entry in records.all(Entry).values():
        guilds[entry.guild].log.append(entry)
    for guild in list(guilds.values()):
        if guild.box and bank(world, guild) is None:
            log.error("the bank of %s (%#x) is not there", guild.name, guild.box)
        if not guild.members:
            dissolve(world, guild)


def bank(world: Surroundings, guild: Guild) -> Item | None:
    """The box in which a guild's bank lies; None before anything was put there."""
    box = world.items.get(guild.box)
    return box if box is not None and box.keeper == KEPT else None


def forget(world: World, serial: int) -> None:
    """A character ceases to exist: it is in no guild any more. If it led one, whoever comes next leads it;
    with the last of its members a guild ends, and what lies in its bank goes the way of what that one had."""
    for guild in list(world.records.all(Guild).values()):
        if serial in guild.members:
            remove(world, guild, serial)


def remove(world: World, guild: Guild, serial: int) -> None:
    """Take a member out of its guild, which has another leader then, or ends."""
    member = guild.members.pop(serial)
    world.records.delete(member)
    mobile = world.mobiles.get(serial)
    if mobile is not None:
        mobile.guild = None
    if not guild.members:
        dissolve(world, guild)
    elif member.rank == Rank.LEADER:
        heir = max(guild.members.values(), key=lambda one: (one.rank, -one.number))
        heir.rank = Rank.LEADER


def dissolve(world: World, guild: Guild) -> None:
    """Let a guild cease to exist, with all that it had."""
    for other in guild.ties:
        world.records.all(Guild)[other].ties.pop(guild.number, None)
    for serial in guild.members:
        mobile = world.mobiles.get(serial)
        if mobile is not None:
            mobile.guild = None
    parts: Sequence[Iterable[Record]] = (guild.members.values(), guild.ties.values(), guild.log, [guild])
    for records in parts:
        _drop(world, list(records))
    box = bank(world, guild)
    if box is not None:
        world.delete(box)
    guild.members, guild.ties, guild.log = {}, {}, []


def _drop(world: World, records: Iterable[Record]) -> None:
    for record in records:
        world.records.delete(record)
