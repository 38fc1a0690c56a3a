"""Copies of the guilds, in a world that does not keep them (`world.guild_books`).

They are records as where they are kept, so that every rule that only looks finds them: membership, rank, tag,
notice, log, allies and enemies. Whenever something has changed there, all rows come again; what they change
here is shown to the members who are here, and new lines of a guild's log are told them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world.guild import Entry, Guild, Member, Tie
from world.guild_rolls import SHOWN, assemble, recolour, renew, show, tell
from world.snapshot import RECORD_TABLES, record_row, restore_records
from world.speech import notice
from world.stored import put

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
    found = {(row.table, row.values[-1]): row for row in rows}
    there = {guild.number for guild in world.records.all(Guild).values()}
    before = {mobile.serial: mobile.guild for mobile in world.characters()}
    changed, news = _overwrite(world, found)
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
    for entry in news:
        if entry.guild in there and entry.guild in guilds:
            tell(world, guilds[entry.guild], f"{entry.who} {entry.deed}.")


def _overwrite(world: World, found: dict[tuple[str, object], RecordRow]) -> tuple[set[int], list[Entry]]:
    """Make the records what the rows say. Returns the numbers of guilds of which something changed, and the
    lines of their logs that are new."""
    records, changed = world.records, set()
    for kind in KINDS:
        for one in list(records.all(kind).values()):
            row = found.pop((one.table, one.number), None)
            if row is None:
                records.release(one)
            elif record_row(one) != row:
                put(one, RECORD_TABLES[one.table].columns, row.values[:-1])
                records.withdraw([one])
            else:
                continue
            changed |= _guilds_of(one)
    new = restore_records(sorted(found.values()))
    records.load(new)
    for one in new:
        changed |= _guilds_of(one)
    return changed, [one for one in new if isinstance(one, Entry)]


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
