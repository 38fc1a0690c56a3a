"""The party as this game's group, which is part of the character sheet: five places for the others, each with
name, level, bars and zone, and which of them leads.

A client is told the difference to the sheet that it has, so the session keeps what it was told of the others
(`fellows`), and every sheet that is sent shows that (`sheets.OwnSheet`). What the members of a party hear of
one another comes much oftener than the rest of a sheet changes; then only their places are made anew. Whom a
client has a ghost of is named by that, so that a click on its bar aims at it.

The sheet has no room for what somebody is here, so race and class stay empty. Where members are no map shows
but for their ghosts. Who comes, goes and leads is told in words as well.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, Protocol, TypeVar

from protocol.eq2.figures import NAMING
from protocol.eq2.packets import (
    AWAY,
    ELSEWHERE,
    IN_ZONE,
    INTO_GROUP,
    NOBODY,
    CharacterSheet,
    CloseGroupInviteWindow,
    GroupMember,
    ReceiveOffer,
)
from protocol.eq2.packing import pack, xor
from protocol.eq2.sheets import OwnSheet, group_area
from protocol.eq2.words import STATUS, bodies, texts
from world import party
from world.companions import Stir
from world.party_events import PartyChanged, PartyShared, PartyStirred, Stirred

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.eq2.figures import Figures
    from protocol.eq2.session import Eq2Session
    from protocol.eq2.versions import Eq2Version
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.companions import MemberState
    from world.mobile import Dialog, Mobile

PLACES: Final = 5

SHOWN: Final = Stir.HITS | Stir.MANA | Stir.LEVEL | Stir.PLACE
"""What changes a place of the group; it has no bar for stamina."""

ITSELF: Final = 0xFFFF_FFFF
"""The place of a leader that is the player itself."""

MOST_POINTS: Final = 0x7FFF_FFFF
HIGHEST_LEVEL: Final = 0xFFFF


class Company(Protocol):
    """A view, as far as parties go."""

    figures: Figures


V = TypeVar("V", bound=Company)


def declare(events: Renderings[V, Eq2Version]) -> None:
    """Register how a party is shown."""
    events.renders(PartyChanged)(changed)
    events.renders(PartyStirred)(stirred)
    events.leaves_out(PartyShared, because="each reads its own share, and nothing draws those of the others")


def changed(
    view: Company, event: PartyChanged, audience: Hashable, version: Eq2Version
) -> Sequence[Outgoing]:
    """CharacterSheet with the group as it is now, and a line of text."""
    line = event.words(own=True)
    told = texts(version, STATUS, line) if line is not None else ()
    return *_window(view, GroupShown(event.members)), *told


def stirred(
    view: Company, event: PartyStirred, audience: Hashable, version: Eq2Version
) -> Sequence[Outgoing]:
    """CharacterSheet with the members' levels, bars and zones."""
    shown = [one for one in event.stirred if one.what & SHOWN]
    return (GroupStirred(shown),) if shown and view.figures.rendering.group_window else ()


def as_it_is(mobile: Mobile, figures: Figures) -> Sequence[Outgoing]:
    """The group for a client that has no sheet yet; nothing if its character is in no party."""
    if mobile.party is None or not figures.rendering.group_window:
        return ()
    return (GroupShown(party.states(mobile.party)),)


def is_offer(dialog: Dialog, figures: Figures) -> bool:
    """Whether a question is one for the window that asks somebody into a group. Who asks to be let in is
    shown like any other question, for that window has words of its own."""
    return dialog.name == party.KIND and dialog.about == party.INVITE and figures.rendering.group_window


def offered(dialog: Dialog, version: Eq2Version) -> Sequence[Outgoing]:
    """ReceiveOffer: the window that asks somebody into a group."""
    asker = NAMING.of(dialog.asker) if dialog.asker is not None else ""
    return bodies(version, ReceiveOffer(INTO_GROUP, asker))


def withdrawn(version: Eq2Version) -> Sequence[Outgoing]:
    """CloseGroupInviteWindow."""
    return bodies(version, CloseGroupInviteWindow())


class GroupShown:
    """All of a party, as it was when it was told of: the leader first; of none, the group is no more."""

    __slots__ = ("_members",)
    droppable = False

    def __init__(self, members: Sequence[MemberState]) -> None:
        self._members = members

    def bind(self, session: Eq2Session) -> bytes:
        """CharacterSheet, if the client has one and the group is another. Notes who is in it."""
        own = session.mobile.serial if session.mobile is not None else 0
        session.fellows = [one for one in self._members if one.serial != own][:PLACES]
        session.group_leader = self._members[0].serial if self._members else 0
        return _shown(session)


class GroupStirred:
    """Members fare otherwise."""

    __slots__ = ("_stirred",)
    droppable = False

    def __init__(self, stirred: Sequence[Stirred]) -> None:
        self._stirred = stirred

    def bind(self, session: Eq2Session) -> bytes:
        """CharacterSheet with those members. Who is on another tile itself may see others of it now."""
        own = session.mobile.serial if session.mobile is not None else 0
        wholly = not session.sheet or not session.group
        changed: list[int] = []
        for one in self._stirred:
            member = one.member
            if member.serial == own:
                wholly = wholly or bool(one.what & Stir.PLACE)
                continue
            for place, fellow in enumerate(session.fellows):
                if fellow.serial == member.serial:
                    session.fellows[place] = member
                    changed.append(place)
        if not session.fellows or not (wholly or changed):
            return b""
        return _shown(session) if wholly else _changed(session, changed)


def _changed(session: Eq2Session, places: Sequence[int]) -> bytes:
    """The sheet with those places of the group made anew; nothing if they are as they were."""
    version = session.dialect
    begin, end = group_area(version)
    before = group = session.group
    for place in places:
        entry = _entry(session, session.fellows[place])
        at = place * len(entry)
        group = group[:at] + entry + group[at + len(entry) :]
    if group == before:
        return b""
    sheet = session.sheet
    session.group = group
    session.sheet = sheet[:begin] + group + sheet[end:]
    change = bytes(begin) + xor(group, before) + bytes(len(sheet) - end)
    return version.encode(CharacterSheet(pack(change, reverse=version.reverse)))


def _window(view: Company, window: GroupShown) -> Sequence[Outgoing]:
    return (window,) if view.figures.rendering.group_window else ()


def _shown(session: Eq2Session) -> bytes:
    """The sheet with the group as the session was told of it."""
    version = session.dialect
    begin, end = group_area(version)
    entries = b"".join(_entry(session, member) for member in session.fellows)
    places = [one.serial for one in session.fellows]
    leads = ITSELF
    if session.group_leader in places:
        leads = places.index(session.group_leader)
    group = entries.ljust(end - begin - 4, b"\0") + leads.to_bytes(4, "little")
    session.group = group if session.fellows else bytes(end - begin)
    # A client without a sheet is shown the group with its first one.
    return OwnSheet(session.sheet).bind(session) if session.sheet else b""


def _entry(session: Eq2Session, member: MemberState) -> bytes:
    """The record of a member for a client."""
    mobile, chart = session.mobile, session.world.content.charts.get(member.realm)
    if not member.online:
        status = AWAY
    elif mobile is not None and mobile.realm is not None and mobile.realm.name == member.realm:
        status = IN_ZONE
    else:
        status = ELSEWHERE
    known = member.serial in session.ghosts
    spawn = session.ghosts.called(member.serial) if known else 0
    return _packed(session.dialect, member, status, spawn, chart.title if chart is not None else "")


@lru_cache(maxsize=4096)
def _packed(version: Eq2Version, member: MemberState, status: int, spawn: int, zone: str) -> bytes:
    level = max(0, min(member.level, HIGHEST_LEVEL))
    name = member.name if NAMING.fits(member.name) else member.short_name or member.name
    return version.pack_struct(
        GroupMember(
            status=status,
            name=name,
            spawn_id=spawn,
            pet_id=NOBODY,
            level=level,
            max_level=level,
            hits=_points(member.hits),
            max_hits=_points(member.hits_max),
            power=_points(member.mana),
            max_power=_points(member.mana_max),
            zone=zone,
        )
    )


def _points(number: int) -> int:
    return max(0, min(number, MOST_POINTS))
