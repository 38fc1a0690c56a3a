"""Copies of the guilds, in a world that does not keep them (`world.copies`): membership, rank, tag, notice,
log, allies and enemies. What they change here is shown to the members who are here, and new lines of a
guild's log are told them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world.copies import overwrite
from world.guild import Entry, Guild, Member, Tie
from world.guild_rolls import SHOWN, assemble, recolour, renew, show, tell
from world.speech import notice

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from world.mobile import Mobile
    from world.records import Record
    from world.snapshot import RecordRow
    from world.world import World

KINDS: Final[tuple[type[Record], ...]] = (Guild, Member, Tie, Entry)

TABLES: Final = tuple(kind.table for kind in KINDS)
"""Tables of what is copied."""


def copy(world: World, rows: Iterable[RecordRow], gold: Mapping[int, int]) -> None:
    """Let the guilds be as these rows say; `gold` is what lies in the banks, by number of the guild."""
    there = {guild.number for guild in world.records.all(Guild).values()}
    before = {mobile.serial: mobile.guild for mobile in world.characters()}
    found = overwrite(world.records, KINDS, rows)
    changed: set[int] = set().union(*(_guilds_of(one) for one in found.touched))
    assemble(world)
    guilds = world.records.all(Guild)
    for guild in guilds.values():
        if guild.copied_gold != gold.get(guild.number, 0):
            guild.copied_gold = gold.get(guild.number, 0)
            changed.add(guild.number)
    _place(world, before)
    for number in sorted(changed & guilds.keys()):
        recolour(world, guilds[number])
        renew(world, guilds[number])
    for entry in found.new:
        if isinstance(entry, Entry) and entry.guild in there and entry.guild in guilds:
            tell(world, guilds[entry.guild], f"{entry.who} {entry.deed}.")


def _guilds_of(record: Record) -> set[int]:
    if isinstance(record, Guild):
        return {record.number}
    if isinstance(record, Tie):
        return {record.guild, record.other}
    return {record.guild} if isinstance(record, Member | Entry) else set()


def _place(world: World, before: Mapping[int, Guild | None]) -> None:
    """Let those who are here be in the guilds that they are in now."""
    of = {serial: guild for guild in world.records.all(Guild).values() for serial in guild.members}
    for serial, was in before.items():
        mobile, guild = world.mobiles[serial], of.get(serial)
        if guild is not None:
            guild.members[serial].here = mobile.online
        if guild is was:
            continue
        mobile.guild = guild
        mobile.mark(SHOWN)
        if mobile.online:
            _tell(mobile, guild)


def _tell(mobile: Mobile, guild: Guild | None) -> None:
    show(mobile)
    if guild is None:
        notice(mobile, "You are in no guild any more.")
    else:
        notice(mobile, f"You belong to {guild.name} [{guild.tag}] now.")
        if guild.notice:
            notice(mobile, f"[{guild.name}] {guild.notice}")
