"""A Conquer Online client's windows of a trade and of a team (`tests.kit.co_screen`), as the sheets have
them: facts/co.md, section 12; facts/co-play.md, sections 7 and 8."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import attrs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.kit.co_screen import Screen

APPLY, QUIT, OPEN, SUCCESS, FAIL, ADD_ITEM, ADD_MONEY = range(1, 8)
PARTNERS_MONEY, OWN_MONEY, ACCEPT, REFUSED = range(8, 12)
"""Actions of MsgTrade."""

MOST_IN_A_TRADE: Final = 20
"""Things of one side."""

CREATE, APPLICATION, LEAVE, JOIN, INVITE, LET_IN, DISMISS, KICK = range(8)
KEEP_MONEY, SHARE_MONEY, KEEP_ITEMS, SHARE_ITEMS = range(10, 14)
"""Actions of MsgTeam."""

MOST_IN_A_TEAM: Final = 5

LIFE, MAX_LIFE = 0, 1
"""Attributes."""


@attrs.define
class TradeWindow:
    """The window of a trade."""

    partner: int
    own: list[int] = attrs.field(factory=list)
    """Numbers of things in its bag."""
    theirs: dict[int, tuple[int, int]] = attrs.field(factory=dict)
    """Item type and amount, by number."""
    silver: int = 0
    their_silver: int = 0
    agreed: bool = False
    """Whether the partner does."""
    pressed: bool = False
    """Whether its own player has: it cannot a second time."""


class Trading:
    """What it shows of trades."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.asked_by = 0
        self.window: TradeWindow | None = None
        self.endings: list[int] = []
        """SUCCESS or FAIL of each window that was closed."""
        self.refused: list[int] = []
        """Things that it may not offer."""

    def trade(self, packet: bytes) -> None:
        """MsgTrade."""
        data, action = struct.unpack("<II", packet[4:])
        if action in (APPLY, OPEN) and data not in self._screen.people:
            self._screen.faults.append(f"a trade with {data}, whom it does not show")
        if action == APPLY:
            self.asked_by = data
        elif action == OPEN:
            if self.window is not None:
                self._screen.faults.append("a second trade")
            self.window, self.asked_by = TradeWindow(data), 0
        elif self.window is None:
            self._screen.faults.append(f"action {action} of a trade that there is not")
        elif action in (SUCCESS, FAIL):
            self.window = None
            self.endings.append(action)
        elif action == ADD_ITEM:
            if data not in self._screen.owned or data in self.window.own:
                self._screen.faults.append(f"it offers {data}, which it has not, or has offered")
            self.window.own.append(data)
        elif action == REFUSED:
            self.refused.append(data)
        elif action in (OWN_MONEY, PARTNERS_MONEY, ACCEPT):
            self._changes(self.window, data, action)
        else:
            self._screen.faults.append(f"action {action} of a trade")

    def _changes(self, window: TradeWindow, data: int, action: int) -> None:
        if action == OWN_MONEY:
            window.silver = data
        elif action == PARTNERS_MONEY:
            window.their_silver = data
        else:
            window.agreed = True

    def shows(self, number: int, kind: int, amount: int) -> None:
        """An item of the partner's."""
        window = self.window
        if window is None or number in window.theirs or len(window.theirs) >= MOST_IN_A_TRADE:
            self._screen.faults.append(f"the thing {number} in no trade, twice, or where there is no room")
        else:
            window.theirs[number] = kind, amount


@attrs.define
class Member:
    """Somebody of its team."""

    name: str
    look: int
    life: int
    max_life: int
    stands: tuple[int, int, int] | None = None
    """Map, x, y."""


class Company:
    """What it shows of its team."""

    def __init__(self, screen: Screen) -> None:
        self._screen = screen
        self.members: dict[int, Member] | None = None
        """By number, the leader first; of its own team the leader is not among them. None: it has no team."""
        self.leads = False
        self.asked: tuple[int, int] | None = None
        """INVITE or APPLICATION, and by whom."""
        self.loot: list[int] = []
        """The last action about money, and that about things."""

    def names(self) -> list[str]:
        """Names in the window, the leader's first."""
        me, members = self._screen.me, self.members
        if me is None or members is None:
            return []
        return [*([me.name] if self.leads else []), *(one.name for one in members.values())]

    def team(self, packet: bytes) -> None:
        """MsgTeam."""
        action, number = struct.unpack("<II", packet[4:])
        me, members = self._screen.me, self.members
        own = me is not None and number == me.id
        if action == CREATE:
            if members is not None or not own:
                self._screen.faults.append(f"a team of {number}'s besides its own")
            self.members, self.leads, self.asked, self.loot = {}, True, None, []
        elif action in (INVITE, APPLICATION):
            if number not in self._screen.people:
                self._screen.faults.append(f"asked into a team by {number}, whom it does not show")
            self.asked = action, number
        elif members is None:
            self._screen.faults.append(f"action {action} of a team that there is not")
        elif action == DISMISS or (own and action in (LEAVE, KICK)):
            self.members, self.leads, self.loot = None, False, []
        elif action in (LEAVE, KICK) and number in members:
            del members[number]
        elif action in (KEEP_MONEY, SHARE_MONEY, KEEP_ITEMS, SHARE_ITEMS):
            self.loot = [*self.loot, action][-2:]
        else:
            self._screen.faults.append(f"action {action} of {number} in its team")

    def member(self, packet: bytes) -> None:
        """MsgTeamMember: somebody joins."""
        action, count, _, raw, number, look, most, life = struct.unpack("<BBH16sIIHH", packet[4:])
        members = self.members = {} if self.members is None else self.members
        if (action, count) != (0, 1) or number in members or not raw.endswith(b"\0"):
            self._screen.faults.append(f"{number} joins its team by {packet.hex()}")
        members[number] = Member(raw.rstrip(b"\0").decode("cp1252"), look, life, most)
        self.asked = None
        if len(members) + self.leads > MOST_IN_A_TEAM:
            self._screen.faults.append(f"a team of {len(members)}")

    def fares(self, number: int, values: Mapping[int, int]) -> bool:
        """Numbers of somebody; whether that one is of its team."""
        member = (self.members or {}).get(number)
        if member is not None:
            member.life = values.get(LIFE, member.life)
            member.max_life = values.get(MAX_LIFE, member.max_life)
        return member is not None

    def stands(self, number: int, document: int, x: int, y: int) -> None:
        """Where somebody of its team is."""
        member = (self.members or {}).get(number)
        if member is None:
            self._screen.faults.append(f"{number}, who is not of its team, is at {x}, {y}")
        else:
            member.stands = document, x, y
