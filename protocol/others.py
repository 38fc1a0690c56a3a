"""A message about a mobile for everybody but its own player."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protocol.session import Session


class ToOthers:
    """A message that the player of that mobile is not told, whose client knows better."""

    __slots__ = ("_raw", "_serial", "droppable")

    def __init__(self, serial: int, raw: bytes, *, droppable: bool) -> None:
        self._serial = serial
        self._raw = raw
        self.droppable = droppable

    def bind(self, session: Session) -> bytes:
        """The message, the same for all others."""
        mobile = session.mobile
        return b"" if mobile is not None and mobile.serial == self._serial else self._raw
