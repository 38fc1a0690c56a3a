"""A message about a mobile for everybody but its own player."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protocol.session import Session
    from protocol.wire.body import Body


class ToOthers:
    """A message that the player of that mobile is not told, whose client knows better. `told`: a body, which
    is prepared once for all; bytes, of games whose codecs share nothing."""

    __slots__ = ("_serial", "_told", "droppable")

    def __init__(self, serial: int, told: Body | bytes, *, droppable: bool) -> None:
        self._serial = serial
        self._told = told
        self.droppable = droppable

    def bind(self, session: Session) -> Body | bytes:
        """The message, the same for all others."""
        mobile = session.mobile
        return b"" if mobile is not None and mobile.serial == self._serial else self._told
