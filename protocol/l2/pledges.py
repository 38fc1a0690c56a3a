"""Guilds in the client's own window of clans, and as what it shows of clans elsewhere.

    Asked (guild)       ->  AskJoinPledge               a box with the guild's name; RequestAnswerJoinPledge
    Asked (alliance)    ->  AskJoinAlly                 a box with the other's name; RequestAnswerJoinAlly
    GuildChanged        ->  PledgeShowMemberListAll,    the window's list, and what stands above it
                            ...Add, ...Update,
                            ...Delete, ...DeleteAll,
                            PledgeShowInfoUpdate
    GuildMemberChanged  ->  PledgeShowMemberListUpdate
    rank (PROPERTIES)   ->  UserInfo                    whether one leads, and which buttons can be pressed

The window has neither notice, nor bank, nor log, and no button to found or to disband. So whoever looks at
its guild by the order `guild` is asked by pages as in games without a window (`world.guild_hall`), and each
change is told in words as well. That a guild has several allies, each of its own choice, is nothing that the
client knows: it is told all their names as that of one alliance.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import attrs

from protocol.l2.bound import ToEnemies, in_turn
from protocol.l2.figures import NAMING
from protocol.l2.grades import GRADES
from protocol.l2.packets import (
    AskJoinAlly,
    AskJoinPledge,
    JoinPledge,
    PledgeGrade,
    PledgeMember,
    PledgePowerGradeList,
    PledgeReceiveWarList,
    PledgeShowInfoUpdate,
    PledgeShowMemberListAdd,
    PledgeShowMemberListAll,
    PledgeShowMemberListDelete,
    PledgeShowMemberListDeleteAll,
    PledgeShowMemberListUpdate,
    PledgeWar,
    WarTab,
)
from protocol.l2.sheets import level
from world import guild_ties, guilds
from world.events import GuildChanged, GuildMemberChanged, GuildOpened
from world.guild import Bond

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterator, Sequence

    from protocol.l2.figures import Figures
    from protocol.l2.packets import Message
    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Version
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.guild import Guild
    from world.guild_events import GuildSheet, MemberLine
    from world.mobile import Dialog, Mobile
    from world.thing import Surroundings

LEVEL: Final = 5
"""The level that each guild is shown to have: from this one on an original clan may do all that guilds do
here, of which alliances come last (Hl4p3x/L2JServer_C6_Interlude: Clan.createAlly)."""

BOXES: Final = {guilds.GUILD: AskJoinPledge, guild_ties.ALLIANCE: AskJoinAlly}
"""The client's own boxes, by the question."""

MOST_ROWS: Final = 4
"""Rows that change singly; of more the whole list is sent."""

MOST: Final = MOST_ROWS + 4
"""Messages of one change: besides rows, that one joins, the list or what stands above it, and UserInfo."""


class Drawing(Protocol):
    """This game's view, as far as it is needed here."""

    figures: Figures


V = TypeVar("V", bound=Drawing)


def shows_guilds(events: Renderings[V, L2Version]) -> None:
    """Declare how this game's view shows guilds."""
    events.renders(GuildChanged)(changed)
    events.renders(GuildMemberChanged)(member_changed)
    events.leaves_out(
        GuildOpened, because="a page asks whoever looks at its guild, for the client's window can do less"
    )


# Questions


def asks(dialog: Dialog) -> bool:
    """Whether a question is one that the client has a box of its own for; one that names what else it is
    about is not."""
    asker = dialog.asker
    return dialog.name in BOXES and not dialog.about and asker is not None and asker.guild is not None


def asked(dialog: Dialog, version: L2Version) -> Sequence[Outgoing]:
    """AskJoinPledge or AskJoinAlly; nothing for another question."""
    asker = dialog.asker
    if not asks(dialog) or asker is None or asker.guild is None:
        return ()
    return version.bodies(BOXES[dialog.name](asker.serial, asker.guild.name))


# The window


def changed(view: Drawing, event: GuildChanged, audience: Hashable, version: L2Version) -> Sequence[Outgoing]:
    """PledgeShowMemberListAll at first, then PledgeShowMemberListAdd, Update or Delete and
    PledgeShowInfoUpdate; JoinPledge to who joins, and PledgeShowMemberListDeleteAll to who is in none any
    more."""
    mobile, sheet = event.thing, event.sheet
    own = None if sheet is None else sheet.member(mobile.serial)
    joins = own is not None and own.joined_at == mobile.world.now + mobile.world.epoch
    return _renewed(view.figures, mobile, version, lambda shown: sheet, joins=joins)


def member_changed(
    view: Drawing, event: GuildMemberChanged, audience: Hashable, version: L2Version
) -> Sequence[Outgoing]:
    """PledgeShowMemberListUpdate; PledgeShowMemberListAll if another leads."""
    return _renewed(view.figures, event.thing, version, lambda shown: shown and _with(shown, event.member))


def _renewed(
    figures: Figures,
    mobile: Mobile,
    version: L2Version,
    after: Callable[[GuildSheet | None], GuildSheet | None],
    *,
    joins: bool = False,
) -> Sequence[Outgoing]:
    """Messages upon which the window shows what is to follow (`after`) upon what it shows; `joins`: in this
    turn, so that a client whose window is empty has not entered with it."""

    def make(session: L2Session) -> Sequence[Message]:
        now = after(session.pledge)
        told = list(_changes(figures, mobile, session.pledge, now, joins=joins))
        session.pledge = now
        return told

    return in_turn(version, MOST, make)


def _with(shown: GuildSheet, line: MemberLine) -> GuildSheet:
    """A sheet on which one member is as that line says."""
    members = (line if one.serial == line.serial else one for one in shown.members)
    return attrs.evolve(shown, members=tuple(sorted(members, key=lambda one: -one.rank)))


def _changes(
    figures: Figures, mobile: Mobile, before: GuildSheet | None, now: GuildSheet | None, *, joins: bool
) -> Iterator[Message]:
    """Messages after which the window shows a guild as it is now."""
    if before is not None and (now is None or now.number != before.number):
        yield PledgeShowMemberListDeleteAll()
        before = None
    if now is None:
        return
    if before is None and joins:
        yield JoinPledge(now.number)
    rows = None if before is None else list(_rows(figures, mobile.world, before, now))
    if before is None or rows is None or len(rows) > MOST_ROWS or now.leader.serial != before.leader.serial:
        yield window(figures, mobile.world, now)
    else:
        yield from rows
        if _head(before) != _head(now):
            yield PledgeShowInfoUpdate(now.number, LEVEL, *_head(now))
    if before is None:
        # Which of a list it knows by then a client leads, it learns by UserInfo (Mobius:
        # PledgeShowMemberListAll). Of another rank its player is told by that anyway (`renew_member`).
        yield figures.own(mobile)


def _rows(
    figures: Figures, world: Surroundings, before: GuildSheet, now: GuildSheet
) -> Iterator[PledgeShowMemberListAdd | PledgeShowMemberListUpdate | PledgeShowMemberListDelete]:
    there = {line.serial for line in now.members}
    known = {line.serial: line for line in before.members}
    for line in before.members:
        if line.serial not in there:
            yield PledgeShowMemberListDelete(name_of(world, line.serial, line.name))
    for line in now.members:
        old = known.get(line.serial)
        if old is None:
            row = _row(figures, world, line)
            yield PledgeShowMemberListAdd(row.name, row.level, row.class_id, row.online)
        elif (old.level, old.online, old.rank) != (line.level, line.online, line.rank):
            row = _row(figures, world, line)
            numbers = row.level, row.class_id, row.sex, row.object_id, row.online
            yield PledgeShowMemberListUpdate(row.name, *numbers)


def window(figures: Figures, world: Surroundings, sheet: GuildSheet) -> PledgeShowMemberListAll:
    """The whole list, and what stands above it."""
    members = tuple(_row(figures, world, line) for line in sheet.members)
    leader = name_of(world, sheet.leader.serial, sheet.leader.name)
    return PledgeShowMemberListAll(sheet.number, sheet.name, leader, LEVEL, *_head(sheet), members)


def _head(sheet: GuildSheet) -> tuple[int, str, int]:
    """The number and name of its alliance, and whether it is at war."""
    allies = ", ".join(tie.name for tie in sheet.ties if tie.bond is Bond.ALLIED)
    at_war = any(tie.bond is Bond.WAR for tie in sheet.ties)
    return sheet.number if allies else 0, allies, int(at_war)


def _row(figures: Figures, world: Surroundings, line: MemberLine) -> PledgeMember:
    there = line.serial if line.online else 0
    class_id = figures.calling(line).class_id
    return PledgeMember(
        name_of(world, line.serial, line.name), level(line.level), class_id, 0, line.serial, there
    )


def name_of(world: Surroundings, serial: int, name: str) -> str:
    """Name of a member, the same whether it is there or not: rows are found by it. `name`: of one that the
    directory does not know."""
    known = world.directory.of(serial)
    return name if known is None else NAMING.known(known)


# Wars and grades


def enmity(figures: Figures, mobile: Mobile, version: L2Version) -> Sequence[Outgoing]:
    """RelationChanged once more, for those with whose guild somebody's own is at war: the mark of that beside
    its name, and a click strikes it."""
    ties = {} if mobile.guild is None else mobile.guild.ties
    enemies = frozenset(number for number, tie in ties.items() if tie.bond == Bond.WAR)
    if not enemies or figures.is_npc(mobile):
        return ()
    return (ToEnemies(enemies, version.encode(figures.relation(mobile, enemy=True))),)


def grades(guild: Guild) -> PledgePowerGradeList:
    """The grades that there are, and how many members have each."""
    having = Counter(member.rank for member in guild.members.values())
    return PledgePowerGradeList(tuple(PledgeGrade(grade, having[rank]) for rank, grade in GRADES.items()))


def wars(sheet: GuildSheet, tab: int) -> PledgeReceiveWarList:
    """The wars that a guild has declared itself, or those that others have declared on it."""
    declared = tab != WarTab.UNDER_ATTACK
    number = WarTab.DECLARED if declared else WarTab.UNDER_ATTACK
    found = [tie.name for tie in sheet.ties if tie.bond is Bond.WAR and tie.ours is declared]
    return PledgeReceiveWarList(number, 0, tuple(PledgeWar(name, number, number) for name in found))
