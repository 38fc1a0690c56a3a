"""Notes of games about characters, as text under keys of their own."""

from __future__ import annotations

from typing import Final

from sqlalchemy import bindparam, select

from server.store.connections import Connections
from server.store.tables import character_notes


class Notes(Connections):
    """Questions about notes; they are written with the batches (`server.store.worlds`)."""

    def note(self, serial: int, game: str, key: str) -> str | None:
        """Text that a game keeps about a character under that key."""
        with self.read() as connection:
            return connection.scalar(_NOTE, {"character": serial, "game": game, "key": key})

    def notes(self, game: str, key: str) -> dict[int, str]:
        """Texts that a game keeps under that key, by the serial of the character."""
        with self.read() as connection:
            rows = connection.execute(_NOTES, {"game": game, "key": key})
            return {row.character: row.text for row in rows}


_NOTE: Final = select(character_notes.c.text).where(
    character_notes.c.character == bindparam("character"),
    character_notes.c.game == bindparam("game"),
    character_notes.c.key == bindparam("key"),
)
_NOTES: Final = select(character_notes.c.character, character_notes.c.text).where(
    character_notes.c.game == bindparam("game"), character_notes.c.key == bindparam("key")
)
