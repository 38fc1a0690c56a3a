"""The living worlds that have somebody or something that is named: characters, accounts that play, realms.

On PostgreSQL only; a guest may ask. What is told was so a moment ago: whoever acts on it does so in that
world, which finds out for itself.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from sqlalchemy import ARRAY, Integer, bindparam, func, literal, select, text

from server.store.connections import Connections
from server.store.fence import SILENT, SILENT_SECONDS
from server.store.records import RollRow
from server.store.tables import account, character, character_name, realm_owner, transfer, world
from world.names import name_key

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import BindParameter, Select

LARGEST_SERIAL: Final = 0x7FFFFFFF
"""Serials are signed numbers of 32 bits in the tables."""

_SERIAL: Final = re.compile(r"0x[0-9a-fA-F]{1,8}|[0-9]{1,10}")


class Whereabouts(Connections):
    """Questions about who is where."""

    def keeper_of_character(self, word: str) -> int | None:
        """The living world that has the character of that name, short name or serial (in decimal or as
        0x1a2b); None if none has."""
        if not _SERIAL.fullmatch(word):
            return self._keeper(_OF_NAME, name_key(word))
        serial = int(word, 16 if word.startswith("0x") else 10)
        return self._keeper(_OF_SERIAL, serial) if serial <= LARGEST_SERIAL else None

    def keeper_of_account(self, name: str) -> int | None:
        """The living world that has a character of that account; None if none has."""
        return self._keeper(_OF_ACCOUNT, name)

    def keeper_of_realm(self, realm: str) -> int | None:
        """The living world that has a realm; None if none has."""
        return self._keeper(_OF_REALM, realm)

    def worlds_of(self, serials: Sequence[int]) -> dict[int, int]:
        """The living worlds that have some characters, by serial; of one that was sent to a world and was
        taken in by nobody for `SILENT_SECONDS` none."""
        with self.read() as connection:
            rows = connection.execute(_WORLDS_OF, {"serials": list(serials)})
            return {row.serial: row.id for row in rows}

    def roll(self) -> list[RollRow]:
        """All worlds that there have been, by id, with what they have."""
        with self.read() as connection:
            realms: dict[int, list[str]] = {}
            for row in connection.execute(select(realm_owner).order_by(realm_owner.c.realm)):
                realms.setdefault(row.world, []).append(row.realm)
            held = {row.world: row.characters for row in connection.execute(_HELD)}
            return [
                RollRow(number, address, alive, tuple(realms.get(number, ())), held.get(number, 0))
                for number, address, alive in connection.execute(_WORLDS)
            ]

    def _keeper(self, asked: Select[int], word: object) -> int | None:
        with self.read() as connection:
            row = connection.execute(asked, {"word": word}).first()
            return None if row is None else row.id


_ALIVE: Final = text(f"NOT ({SILENT})")
_LIVING: Final = select(world.c.id).where(_ALIVE).order_by(world.c.id).limit(1)
_HERE: Final = _LIVING.join(character, character.c.world == world.c.id)
_WORD: Final[BindParameter[object]] = bindparam("word")
_OF_NAME: Final = _HERE.join(character_name, character_name.c.character == character.c.serial).where(
    character_name.c.key == _WORD
)
_OF_SERIAL: Final = _HERE.where(character.c.serial == _WORD)
_OF_ACCOUNT: Final = _HERE.join(account, account.c.id == character.c.account).where(account.c.name == _WORD)
_OF_REALM: Final = _LIVING.join(realm_owner, realm_owner.c.world == world.c.id).where(
    realm_owner.c.realm == _WORD
)
_STRANDED: Final = (
    select(transfer.c.id)
    .where(
        transfer.c.character == character.c.serial,
        transfer.c.to_world == character.c.world,
        transfer.c.state == literal("sent"),
        transfer.c.at < text(f"clock_timestamp() - interval '{SILENT_SECONDS} seconds'"),
    )
    .exists()
)
_WORLDS_OF: Final = (
    select(character.c.serial, world.c.id)
    .join(world, world.c.id == character.c.world)
    .where(character.c.serial == func.any(bindparam("serials", type_=ARRAY(Integer))), _ALIVE, ~_STRANDED)
)
_HELD: Final = (
    select(character.c.world, func.count().label("characters"))
    .where(character.c.world.is_not(None))
    .group_by(character.c.world)
)
_WORLDS: Final = select(world.c.id, world.c.address, _ALIVE).order_by(world.c.id)
