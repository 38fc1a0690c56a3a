"""Messages that are the same for many clients but not sent to all of them: who gets one is known when it
leaves (`protocol.outgoing.Bound`)."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from protocol.l2.packets import DeleteObject
from protocol.outgoing import Noting
from protocol.wire.body import Body

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from protocol.l2.packets import Message
    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Version
    from protocol.outgoing import Outgoing
    from world.mobile import Mobile


class OfKnown:
    """A message about somebody, for those who are shown that one, and for its own client."""

    __slots__ = ("_raw", "_serial")
    droppable = False

    def __init__(self, serial: int, raw: bytes) -> None:
        self._serial = serial
        self._raw = raw

    def bind(self, session: L2Session) -> bytes:
        """The message; none for others, and none for whom a message shows it that may follow: to whom little
        could be sent, that is one of a later turn."""
        mobile, serial = session.mobile, self._serial
        shown = serial in session.known and serial not in session.unsent
        return self._raw if shown or (mobile is not None and mobile.serial == serial) else b""


class Gone(Noting["L2Session"]):
    """Somebody is out of sight, and is the client's target no more: it forgets that by itself."""

    __slots__ = ("_serial",)

    def __init__(self, serial: int, body: Body) -> None:
        super().__init__(body)
        self._serial = serial

    def note(self, session: L2Session) -> None:
        """See Noting."""
        if session.target == self._serial:
            session.target = 0


@lru_cache(maxsize=8192)
def gone(version: L2Version, serial: int) -> Gone:
    """DeleteObject of somebody: whoever walks goes out of somebody's sight with nearly every step."""
    return Gone(serial, Body(version.encode(DeleteObject(serial))))


class ToPlayerOf:
    """A message for the client that plays a mobile, of all that would be sent it."""

    __slots__ = ("_mobile", "_raw")
    droppable = False

    def __init__(self, mobile: Mobile, raw: bytes) -> None:
        self._mobile = mobile
        self._raw = raw

    def bind(self, session: L2Session) -> bytes:
        """The message; none for others."""
        return self._raw if session.mobile is self._mobile else b""


class ToEnemies:
    """A message about a member of a guild for those whose own it is at war with."""

    __slots__ = ("_enemies", "_raw")
    droppable = False

    def __init__(self, enemies: frozenset[int], raw: bytes) -> None:
        """`enemies`: numbers of their guilds."""
        self._enemies = enemies
        self._raw = raw

    def bind(self, session: L2Session) -> bytes:
        """The message; none for others."""
        guild = None if session.mobile is None else session.mobile.guild
        return self._raw if guild is not None and guild.number in self._enemies else b""


class _Plan:
    """Messages that are made when the first of them leaves."""

    def __init__(self, version: L2Version, make: Callable[[L2Session], Iterable[Message]]) -> None:
        self._version = version
        self._make = make
        self._left: Iterator[bytes] | None = None

    def bind(self, session: L2Session) -> bytes:
        """The next one; none if there are no more."""
        if self._left is None:
            self._left = iter([self._version.encode(message) for message in self._make(session)])
        return next(self._left, b"")


class _Part:
    """One of several messages that follow one another."""

    __slots__ = ("_plan",)
    droppable = False

    def __init__(self, plan: _Plan) -> None:
        self._plan = plan

    def bind(self, session: L2Session) -> bytes:
        """The message, or none."""
        return self._plan.bind(session)


def in_turn(
    version: L2Version, most: int, make: Callable[[L2Session], Iterable[Message]]
) -> Sequence[Outgoing]:
    """Messages, `most` of them, that depend on what the client was told before: `make` is called when they
    leave, and notes what it is told with them."""
    plan = _Plan(version, make)
    return [_Part(plan) for _ in range(most)]


class ToConcerned:
    """Bars of somebody, for those whose client draws them: who has targeted it. They are told of again when
    they target it (MyTargetSelected). Its party has bars of its own (`protocol.l2.parties`)."""

    __slots__ = ("_mobile", "_raw")
    droppable = True

    def __init__(self, mobile: Mobile, raw: bytes) -> None:
        self._mobile = mobile
        self._raw = raw

    def bind(self, session: L2Session) -> bytes:
        """The message; none for others."""
        return self._raw if session.target == self._mobile.serial else b""
