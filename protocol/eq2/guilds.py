"""The guild as this game's window shows it: its name and notice, its ranks, and its members with level, rank,
gift and place; and the window that asks somebody into one.

The client keeps a list of members of its own. It is given the whole of it whenever the guild is another, with
those named before who are in it no more: nobody knows whether a list that comes anew takes the one before
away. A member who comes, goes or is promoted is told of alone.

What the window cannot do (the bank, bonds with other guilds, the log, to found one) stays with the dialogs of
`world.guild_hall`; the lines that tell each change come as ever. Eight ranks are shown, of which four are
given to somebody here. The client's numbers for members are the world's serials.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from protocol.eq2.figures import NAMING
from protocol.eq2.packets import (
    INTO_GUILD,
    RANK_COUNT,
    GuildMember,
    GuildMembershipResponse,
    GuildRank,
    GuildRoll,
    GuildUpdate,
    JoinGuildNotify,
    LeaveGuildNotify,
    ReceiveOffer,
)
from protocol.eq2.session import GuildShown
from protocol.eq2.words import LONGEST_TEXT, bodies
from world import guilds
from world.guild import RIGHTS, Rank, Right
from world.guild_events import GuildChanged, GuildMemberChanged, GuildOpened
from world.guild_hall import RANK_NAMES
from world.guild_rolls import sheet

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Mapping, Sequence

    from protocol.eq2.figures import Figures
    from protocol.eq2.session import Eq2Session
    from protocol.eq2.versions import Eq2Version
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.guild_events import GuildSheet, MemberLine
    from world.mobile import Dialog, Mobile
    from world.thing import Surroundings

PLACES: Final = {Rank.LEADER: 0, Rank.OFFICER: 2, Rank.MEMBER: 4, Rank.RECRUIT: 7}
"""The numbers of our ranks: those that have their names in this game (emagi/eq2emu: Guild.h)."""

NO_RANK: Final = "-"
"""The name of a rank that nobody has."""

EVERYBODY: Final = 1 << 13 | 1 << 14 | 1 << 20
"""What each member may do: hear and speak in the guild's channel, and have its name over one's head."""

BITS: Final[Mapping[Right, int]] = {
    Right.INVITE: 1,
    Right.EXPEL: 1 << 1,
    Right.PROMOTE: 1 << 2 | 1 << 3,
    Right.NOTICE: 1 << 6,
}
"""Rights as bits of a rank in this game (emagi/eq2emu: Guild.h); bits without a meaning here stay 0."""

MOST: Final = 0xFFFF_FFFF
"""The largest number of four bytes."""


class Hall(Protocol):
    """A view, as far as guilds go."""

    figures: Figures
    rolls: Rolls


V = TypeVar("V", bound=Hall)


def declare(events: Renderings[V, Eq2Version]) -> None:
    """Register how a guild is shown."""
    events.renders(GuildChanged)(changed)
    events.renders(GuildMemberChanged)(member_changed)
    events.leaves_out(GuildOpened, because="a dialog asks, which can do more than its window")


def changed(view: Hall, event: GuildChanged, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
    """GuildUpdate, and GuildMembershipResponse with all members; LeaveGuildNotify of who is one no more."""
    if not view.figures.rendering.guild_window:
        return ()
    if event.sheet is None:
        return (Forgotten(),)
    return view.rolls.whole(event.sheet, event.thing.world, version)


def member_changed(
    view: Hall, event: GuildMemberChanged, audience: Hashable, version: Eq2Version
) -> Sequence[Outgoing]:
    """JoinGuildNotify with the member as it is now."""
    guild = event.thing.guild
    if guild is None or not view.figures.rendering.guild_window:
        return ()
    return view.rolls.member(guild.number, event.member, event.thing.world, version)


def as_it_is(view: Hall, mobile: Mobile, version: Eq2Version) -> Sequence[Outgoing]:
    """The guild for a client that has just loaded, or asks; nothing if its character is in none."""
    if mobile.guild is None or not view.figures.rendering.guild_window:
        return ()
    return view.rolls.whole(sheet(mobile.world, mobile.guild), mobile.world, version)


def is_offer(dialog: Dialog, figures: Figures) -> bool:
    """Whether a question is one for the window that asks somebody into a guild; who asks to be let into one
    (`guilds.APPLICATION`) is none."""
    return dialog.name == guilds.GUILD and not dialog.about and figures.rendering.guild_window


def offered(dialog: Dialog, version: Eq2Version) -> Sequence[Outgoing]:
    """ReceiveOffer: the window that asks somebody into a guild."""
    asker = dialog.asker
    name = NAMING.of(asker) if asker is not None else ""
    guild = asker.guild.name if asker is not None and asker.guild is not None else ""
    return bodies(version, ReceiveOffer(INTO_GUILD, name, guild))


class Rolls:
    """The guild that somebody was told of last, and a member of one: all of its members are told the same,
    which is made once for each version."""

    def __init__(self) -> None:
        self._sheet: GuildSheet | None = None
        self._told: dict[Eq2Version, Sequence[Outgoing]] = {}
        self._line: MemberLine | None = None
        self._changed: dict[Eq2Version, Sequence[Outgoing]] = {}

    def whole(self, shown: GuildSheet, world: Surroundings, version: Eq2Version) -> Sequence[Outgoing]:
        """The guild, and its members, for each of them."""
        if self._sheet is not shown:
            self._sheet, self._told = shown, {}
        if version not in self._told:
            members = tuple(_member(line, world) for line in shown.members)
            serials = frozenset(line.serial for line in shown.members)
            roll = version.pack_struct(GuildRoll(members))
            self._told[version] = (
                *bodies(version, _update(shown)),
                Gone(shown.number, serials),
                Roll(shown.number, serials, roll),
            )
        return self._told[version]

    def member(
        self, number: int, line: MemberLine, world: Surroundings, version: Eq2Version
    ) -> Sequence[Outgoing]:
        """One member of the guild of that number as it is now, for each of them."""
        if self._line is not line:
            self._line, self._changed = line, {}
        if version not in self._changed:
            self._changed[version] = bodies(version, JoinGuildNotify(number, _member(line, world)))
        return self._changed[version]


class Roll:
    """All members of a guild."""

    __slots__ = ("_members", "_number", "_roll")
    droppable = False

    def __init__(self, number: int, members: Collection[int], roll: bytes) -> None:
        self._number = number
        self._members = members
        self._roll = roll

    def bind(self, session: Eq2Session) -> bytes:
        """GuildMembershipResponse. Notes who is in its list."""
        session.guild = GuildShown(self._number, self._members)
        own = session.mobile.serial if session.mobile is not None else 0
        return session.dialect.encode(GuildMembershipResponse(self._number, own, self._roll))


class Gone:
    """A member of a guild who is in it no more; a guild loses one at a time."""

    __slots__ = ("_members", "_number")
    droppable = False

    def __init__(self, number: int, members: Collection[int]) -> None:
        self._number = number
        self._members = members

    def bind(self, session: Eq2Session) -> bytes:
        """LeaveGuildNotify, if the client has one in its list who is no member."""
        shown = session.guild
        if shown.number != self._number:
            return b""
        gone = next((one for one in shown.members if one not in self._members), None)
        if gone is None:
            return b""
        return session.dialect.encode(LeaveGuildNotify(self._number, gone))


class Forgotten:
    """The client's own character is in no guild any more."""

    __slots__ = ()
    droppable = False

    def bind(self, session: Eq2Session) -> bytes:
        """LeaveGuildNotify, if the client shows a guild. Notes that it shows none."""
        number, session.guild = session.guild.number, GuildShown()
        if not number or session.mobile is None:
            return b""
        return session.dialect.encode(LeaveGuildNotify(number, session.mobile.serial))


def _update(shown: GuildSheet) -> GuildUpdate:
    ranks = [GuildRank(NO_RANK)] * RANK_COUNT
    for rank, place in PLACES.items():
        rights = EVERYBODY
        for right, bits in BITS.items():
            rights |= bits if right in RIGHTS[rank] else 0
        ranks[place] = GuildRank(RANK_NAMES[rank].title(), rights)
    return GuildUpdate(
        shown.name,
        shown.notice[:LONGEST_TEXT],
        shown.number,
        _four(shown.founded_at),
        len(shown.members),
        tuple(ranks),
    )


def _member(line: MemberLine, world: Surroundings) -> GuildMember:
    """A member, with the place where it is now."""
    mobile = world.mobiles.get(line.serial) if line.online else None
    realm = mobile.realm if mobile is not None else None
    return GuildMember(
        character_id=line.serial,
        name=line.name if NAMING.fits(line.name) else line.short_name,
        level=max(0, line.level),
        rank=PLACES[line.rank],
        status=_four(line.given),
        last_login=_four(line.seen_at),
        zone=realm.chart.title if realm is not None else "",
    )


def _four(number: float) -> int:
    return max(0, min(int(number), MOST))
