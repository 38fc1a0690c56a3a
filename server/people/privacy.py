"""Characters that the public map may show and name: all but those who hide, and those whose players say no.

The no is a note of the character (`protocol.services.Characters.keep`): it is durable, is there again after a
restart before anybody could be shown, and goes with the character. All of them are read at the start, so that
asking costs nothing; serials are never given twice, so that one that was deleted since does no harm.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from server.store.records import NoteRow

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from world.mobile import Mobile

GAME: Final = "web"
KEY: Final = "map"
"""Where the note is kept."""
ON: Final = "on"
OFF: Final = "off"


class Privacy:
    """Decides who is on the map. `notes` are those kept so far, by serial; `keep` stores another one."""

    def __init__(self, notes: Mapping[int, str], keep: Callable[[NoteRow], None]) -> None:
        self._off = {serial for serial, text in notes.items() if text == OFF}
        self._keep = keep
        self.watchers: list[Callable[[Mobile], None]] = []
        """Who has to hear at once that a character is on the map again, or no more."""

    def is_public(self, mobile: Mobile) -> bool:
        """Whether people who do not play may be shown that it is here, and its name."""
        return not mobile.hidden and mobile.serial not in self._off

    def is_off(self, serial: int) -> bool:
        """Whether the player of that character wants it on no map, be it here or not."""
        return serial in self._off

    def put(self, mobile: Mobile, *, on_map: bool) -> None:
        """Its player's word, for good; for the world task only."""
        if on_map:
            self._off.discard(mobile.serial)
        else:
            self._off.add(mobile.serial)
        self._keep(NoteRow(mobile.serial, GAME, KEY, ON if on_map else OFF))
        for tell in self.watchers:
            tell(mobile)
