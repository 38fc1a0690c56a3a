"""Friends as this game's client shows them: a list with who is here (facts/co.md, section 12).

    FriendListed    ->  Friend INFO or BREAK
    FriendStirred   ->  Friend ONLINE or OFFLINE

There are no enemies in the client's other list: the world keeps none. Lines say the same; public servers
leave it open what a client writes by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from protocol.co import combat
from protocol.co.figures import LONGEST_NAME, NAMING, Drawing, player_number
from protocol.co.packets import NOBODY, Friend, FriendAction, FriendInfo
from protocol.co.ranks import place_of
from protocol.rendering import tells_of_acquaintances
from world.events import FriendListed, FriendStirred
from world.friends import friends_of, is_here

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.co.figures import Figures
    from protocol.co.packets import Message
    from protocol.co.session import CoSession
    from protocol.co.versions import CoVersion
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.mobile import Mobile
    from world.thing import Surroundings

D = TypeVar("D", bound=Drawing)

MOST_POINTS: Final = 0x7FFF
"""Points of a murderer that the client can show of a friend."""


def listed(mobile: Mobile) -> list[Message]:
    """All friends of a character, and who of them is here."""
    world = mobile.world
    return [
        about(world, serial, name, FriendAction.INFO, here=is_here(world, serial))
        for serial, name in friends_of(mobile).items()
    ]


def about(world: Surroundings, serial: int, name: str, action: FriendAction, *, here: bool) -> Friend:
    """Something about somebody on a list, who may be away."""
    known = world.directory.of(serial)
    shown = name if known is None else NAMING.known(known)
    return Friend(player_number(serial), action, int(here), name=shown[:LONGEST_NAME])


def info(figures: Figures, friend: Mobile) -> FriendInfo:
    """More of somebody who is here."""
    guild, rank = place_of(friend)
    return FriendInfo(
        id=figures.ids.of(friend),
        look=figures.look(friend),
        level=figures.level(friend.level).value,
        profession=figures.profession(friend),
        pk_points=min(friend.murders, MOST_POINTS),
        guild=guild,
        guild_rank=rank,
        mate=NOBODY,
    )


class FriendNews:
    """Something about a friend, for clients that were told who their friends are; with a line."""

    __slots__ = ("_line", "_packet")
    droppable = False

    def __init__(self, packet: bytes, line: bytes) -> None:
        self._packet = packet
        self._line = line

    def bind(self, session: CoSession) -> bytes:
        """The packets, one behind the other."""
        return self._packet + self._line if session.friends_listed else self._line


# Events


def declare(events: Renderings[D, CoVersion]) -> None:
    """Register how friends are shown, and what else players have to do with one another."""
    events.renders(FriendListed)(_listed)
    events.renders(FriendStirred)(_stirred)
    tells_of_acquaintances(events, FriendListed, FriendStirred)


def _listed(view: Drawing, event: FriendListed, audience: Hashable, version: CoVersion) -> Sequence[Outgoing]:
    """Friend INFO for who is on the list now, BREAK for who is not; and a line."""
    action = FriendAction.INFO if event.listed else FriendAction.BREAK
    return _told(event, action, version)


def _stirred(
    view: Drawing, event: FriendStirred, audience: Hashable, version: CoVersion
) -> Sequence[Outgoing]:
    """Friend ONLINE or OFFLINE, and a line."""
    action = FriendAction.ONLINE if event.online else FriendAction.OFFLINE
    return _told(event, action, version)


def _told(
    event: FriendListed | FriendStirred, action: FriendAction, version: CoVersion
) -> Sequence[Outgoing]:
    packet = about(event.thing.world, event.serial, event.name, action, here=event.online)
    line = b"".join(one.encode(version) for one in combat.line(event, own=True))
    return (FriendNews(packet.encode(version), line),)
