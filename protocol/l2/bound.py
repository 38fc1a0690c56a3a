"""Messages that are the same for many clients but not sent to all of them: who gets one is known when it
leaves (`protocol.outgoing.Bound`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
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


class Gone:
    """Somebody is out of sight, and is the client's target no more: it forgets that by itself."""

    __slots__ = ("_raw", "_serial")
    droppable = False

    def __init__(self, serial: int, raw: bytes) -> None:
        self._serial = serial
        self._raw = raw

    def bind(self, session: L2Session) -> bytes:
        """The message. Notes that it is no target any more."""
        if session.target == self._serial:
            session.target = 0
        return self._raw


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


class ToConcerned:
    """Bars of somebody, for those whose client draws them: who has targeted it, and its party. They are told
    of again when they target it (MyTargetSelected)."""

    __slots__ = ("_mobile", "_raw")
    droppable = True

    def __init__(self, mobile: Mobile, raw: bytes) -> None:
        self._mobile = mobile
        self._raw = raw

    def bind(self, session: L2Session) -> bytes:
        """The message; none for others."""
        mobile = self._mobile
        if session.target == mobile.serial:
            return self._raw
        party, viewer = mobile.party, session.mobile
        return self._raw if party is not None and viewer is not None and viewer.party is party else b""
