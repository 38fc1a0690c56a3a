"""A Conquer Online client's window of a syndicate and its list of friends (`tests.kit.co_screen`), as public
notes have them: facts/co.md, section 12; facts/co-play.md, section 9; conquer-online/wiki (msgsyndicate,
msgname, msgfriend)."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import attrs

if TYPE_CHECKING:
    from tests.kit.co_screen import Screen

JOIN, INVITE, LEAVE, KICK, NAME, ALLY, CLEAR_ALLY, ENEMY, CLEAR_ENEMY, DONATE, ATTRIBUTES = (
    *(1, 2, 3, 4, 6, 7, 8, 9, 10, 11),
    12,
)
SET, DISBAND = 14, 19
"""Actions of MsgSyndicate."""

GUILD_NAME, MEMBERS = 3, 11
"""Kinds of MsgName."""

APPLY, ACCEPT, ONLINE, OFFLINE, BREAK, INFO = range(10, 16)
"""Actions of MsgFriend."""


@attrs.frozen
class OwnGuild:
    """What its window has of its own guild."""

    number: int
    given: int
    fund: int
    members: int
    rank: int
    leader: str


class Syndicate:
    """What it shows of guilds."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.own: OwnGuild | None = None
        self.names: dict[int, str] = {}
        """Of guilds, by number."""
        self.allies: set[int] = set()
        self.enemies: set[int] = set()
        self.bulletin = ""
        self.asked: tuple[int, int] | None = None
        """JOIN or INVITE, and by whom."""
        self.roll: list[str] = []
        """The members that it has asked for, "name level online"."""
        self.page = 0
        """The page that it would ask for next."""
        self.details: dict[str, tuple[int, int]] = {}
        """What members have given, and their rank, as asked for."""

    def attributes(self, packet: bytes) -> None:
        """MsgSyndicateAttributeInfo."""
        number, given, fund, members, rank, leader = struct.unpack("<IIIIB16s3x", packet[4:])
        own = OwnGuild(number, given, fund, members, rank, _name(leader))
        if not number:
            if own != OwnGuild(0, 0, 0, 0, 0, ""):
                self._screen.faults.append(f"no guild, and {own}")
            self.own, self.allies, self.enemies = None, set(), set()
            return
        if rank not in (50, 90, 100) or not own.leader or not members:
            self._screen.faults.append(f"a guild like {own}")
        self.own, self.asked = own, None

    def deed(self, packet: bytes) -> None:
        """MsgSyndicate."""
        action, target = struct.unpack("<II", packet[4:])
        if action in (JOIN, INVITE):
            if target not in self._screen.people:
                self._screen.faults.append(f"asked about a guild by {target}, whom it does not show")
            self.asked = action, target
        elif action == DISBAND:
            self.names.pop(target, None)
        elif self.own is None:
            self._screen.faults.append(f"action {action} of a guild that it is not in")
        elif action == SET:
            if target != self.own.number:
                self._screen.faults.append(f"it is in the guild {target} and {self.own.number}")
        elif action in (ALLY, ENEMY) and target in self.names:
            (self.allies if action == ALLY else self.enemies).add(target)
        elif action in (CLEAR_ALLY, CLEAR_ENEMY):
            (self.allies if action == CLEAR_ALLY else self.enemies).remove(target)
        else:
            self._screen.faults.append(f"action {action} of the guild {target}")

    def name(self, subject: int, kind: int, texts: list[str]) -> None:
        """MsgName."""
        if kind == GUILD_NAME:
            (self.names[subject],) = texts
        elif kind == MEMBERS:
            self.roll += texts
            self.page = subject

    def member(self, packet: bytes) -> None:
        """MsgSynMemberInfo."""
        given, rank, name = struct.unpack("<IB16s3x", packet[4:])
        self.details[_name(name)] = given, rank


class Acquaintances:
    """Its list of friends."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.friends: dict[int, tuple[str, bool]] = {}
        """Names by number, and whether they are there."""
        self.asked_by: tuple[int, str] | None = None
        self.looked_at: list[int] = []
        """Number, look, level, profession, points, guild and rank of who was asked for last."""

    def friend(self, packet: bytes) -> None:
        """MsgFriend."""
        number, action, here, _, _, raw = struct.unpack("<IBBxxII16s", packet[4:])
        name = _name(raw)
        if not name:
            self._screen.faults.append(f"action {action} of {number}, who has no name")
        if action == APPLY:
            self.asked_by = number, name
        elif action == INFO:
            self.friends[number] = name, bool(here)
            self.asked_by = None
        elif number not in self.friends:
            self._screen.faults.append(f"action {action} of {name}, who is no friend")
        elif action == BREAK:
            del self.friends[number]
        elif action in (ONLINE, OFFLINE) and here == (action == ONLINE):
            self.friends[number] = name, bool(here)
        else:
            self._screen.faults.append(f"action {action} of the friend {name}")

    def info(self, packet: bytes) -> None:
        """MsgFriendInfo."""
        *self.looked_at, mate = struct.unpack_from("<IIBBhHxB16s", packet, 4)
        if _name(mate) != "None" or any(packet[36:]):
            self._screen.faults.append(f"a friend like {packet.hex()}")


def _name(raw: bytes) -> str:
    if not raw.endswith(b"\0"):
        raise ValueError(f"a name without an end: {raw!r}")
    return raw.rstrip(b"\0").decode("cp1252")
