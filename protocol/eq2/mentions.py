"""Messages that name things, for clients that have ghosts of them, and for those that have none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.eq2.packets import NOBODY

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.eq2.ghosts import Viewer


class About:
    """A message that names a thing. A client that has no ghost of it gets another one, or none."""

    __slots__ = ("droppable", "serial", "stranger", "words")

    def __init__(self, serial: int, words: bytes, stranger: bytes = b"", *, droppable: bool = False) -> None:
        self.serial = serial
        self.words = words
        self.stranger = stranger
        self.droppable = droppable

    def bind(self, viewer: Viewer) -> bytes:
        """The message for a client that has the ghost, or the one for a client that has not."""
        return self.words if self.serial in viewer.ghosts else self.stranger


class Between:
    """A message about what one thing did to another. A client without a ghost of that other gets none; one
    that has only that gets a message in which nobody did it."""

    __slots__ = ("_by_nobody", "_words", "by", "droppable", "thing", "told")

    def __init__(self, by: int, thing: int, words: Callable[[int], bytes], *, droppable: bool) -> None:
        """`words`: makes the message, for who did it (or `NOBODY`)."""
        self.by = by
        self.thing = thing
        self.told = words(by)
        """The message for a client that has the ghosts of both."""
        self._words = words
        self._by_nobody = b""
        self.droppable = droppable

    def bind(self, viewer: Viewer) -> bytes:
        """The message, by what this client knows."""
        if self.thing not in viewer.ghosts:
            return b""
        return self.told if self.by in viewer.ghosts else self.by_nobody()

    def by_nobody(self) -> bytes:
        """The message for a client that has the ghost of the other alone."""
        if not self._by_nobody:
            self._by_nobody = self._words(NOBODY)
        return self._by_nobody
