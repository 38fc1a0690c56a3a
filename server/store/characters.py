"""Rows of characters in the database: the characters, their names, and the deletion that some of them await.

Making and deleting are transactions of their own and answer at once whether a name is taken; how a character
changes in the world comes with the batches (`server.store.worlds`).
"""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, Final, cast

from sqlalchemy import bindparam, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from server.store.connections import Connections
from server.store.records import CharacterSummary, ExpiredCharacter, Refusal
from server.store.rows import (
    FOLLOWING,
    ITEM_COLUMNS,
    MARKS,
    QUESTS,
    SKILLS,
    character_of,
    following_of,
    item_rows,
    items_under,
    many_of,
    select_characters,
)
from server.store.tables import (
    account,
    character,
    character_name,
    character_notes,
    item,
    journal,
    login_token,
    mark,
    parts,
    records,
    skill,
)
from world.directory import Known
from world.item import Layer
from world.names import name_key, short_names

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection, Select
    from sqlalchemy.sql.elements import ColumnElement

    from world.snapshot import CharacterRow, ItemRow

TRIED_AT_ONCE: Final = 16
"""Short names that are asked about in one question."""


class Characters(Connections):
    """Questions about characters, and changes of them that no batch makes."""

    def characters(self, account_id: int) -> list[CharacterSummary]:
        """The account's characters in creation order, each with what it wears, and without its skills."""
        with self.read() as connection:
            found = connection.execute(_CHARACTERS, {"account": account_id}).all()
            rows = [(character_of(row), cast("float | None", row[-1])) for row in found]
            worn: dict[int, list[ItemRow]] = {row.serial: [] for row, _ in rows}
            for item_row in item_rows(connection.execute(_WORN, {"wearers": list(worn)})):
                if item_row.parent is not None:
                    worn[item_row.parent].append(item_row)
        return [CharacterSummary(row, delete_at, worn[row.serial]) for row, delete_at in rows]

    def character(self, serial: int) -> tuple[CharacterRow, list[ItemRow]] | None:
        """One character with everything it wears and carries, and where there may be other worlds with the
        records that go with it; None also if it awaits deletion."""
        return self.characters_of([serial]).get(serial)

    def characters_of(self, serials: Iterable[int]) -> dict[int, tuple[CharacterRow, list[ItemRow]]]:
        """Several characters, each as by `character`, by serial."""
        which = {"serials": sorted(serials)}
        with self.read() as connection:
            rows = {cast("int", row[0]): row for row in connection.execute(_CHARACTERS_OF, which)}
            items = item_rows(connection.execute(_BELONGINGS_OF, which))
            skills, quests, marks = (many_of(connection, rows, asked) for asked in (SKILLS, QUESTS, MARKS))
            following = following_of(connection, rows) if self.epoch is not None else {}
        parents = {one.serial: cast("int", one.parent) for one in items}
        held: dict[int, list[ItemRow]] = {serial: [] for serial in rows}
        for one in items:
            holder = one.serial
            while holder in parents:
                holder = parents[holder]
            if holder in held:
                held[holder].append(one)
        return {
            serial: (
                character_of(
                    row, skills[serial], quests[serial], marks[serial], following=following.get(serial, ())
                ),
                held[serial],
            )
            for serial, row in rows.items()
        }

    def sheets(self, serials: Iterable[int]) -> dict[int, CharacterRow]:
        """Several characters, by serial, without their skills and quests and whatever they have: only to be
        looked at."""
        with self.read() as connection:
            found = connection.execute(_CHARACTERS_OF, {"serials": sorted(serials)})
            return {row.serial: row for row in map(character_of, found)}

    def create_character(
        self, row: CharacterRow, items: Sequence[ItemRow], limit: int
    ) -> CharacterRow | Refusal:
        """A new character and its belongings; its row as it is now, since a short name is found for it if
        that has none, or a taken one. Refuses a taken name, and more than `limit` per account."""
        try:
            with self.write() as connection:
                owned = select(func.count()).where(character.c.account == row.account)
                if int(connection.scalar(owned) or 0) >= limit:
                    return Refusal.FULL
                key = name_key(row.name)
                if _taken(connection, [key]):
                    return Refusal.TAKEN
                short = _free_short_name(connection, row, key)
                if short is None:
                    return Refusal.TAKEN
                row = row._replace(short_name=short)
                self._statements.create_character(connection, row)
                names = [{"key": one, "character": row.serial} for one in {key, name_key(short)}]
                connection.execute(insert(character_name), names)
                self._statements.write_items(connection, items)
        except IntegrityError:
            # Another process took the name between question and insert; anything else is not ours to hide.
            if self.name_taken(row.name) or self.name_taken(row.short_name):
                return Refusal.TAKEN
            raise
        return row

    def name_taken(self, name: str) -> bool:
        """Whether a character has this name or short name, or one that looks like it."""
        with self.read() as connection:
            return bool(_taken(connection, [name_key(name)]))

    def known(self, since: float | None = None) -> list[Known]:
        """Everybody there is, with the short names, for those who name somebody that is not in the world;
        `since` (seconds UTC): those only who were made then or later."""
        asked = _KNOWN if since is None else _KNOWN.where(character.c.created_at >= since)
        with self.read() as connection:
            return [Known(*row) for row in connection.execute(asked)]

    def owner(self, serial: int) -> int | None:
        """The number of the account that has this character."""
        with self.read() as connection:
            return connection.scalar(_OWNER, {"serial": serial})

    def delete_character(self, account_id: int, serial: int) -> bool:
        """Delete the account's character with all it has; False if there is none, or another world has it."""
        with self.write() as connection:
            if connection.scalar(self._free(account_id, serial)) is None:
                return False
            self._delete_character(connection, serial)
        return True

    def delete_account(self, account_id: int) -> bool:
        """Delete an account with all its characters and what they have; False if there is none."""
        with self.write() as connection:
            for row in connection.execute(_CHARACTERS, {"account": account_id}).all():
                self._delete_character(connection, row.serial)
            connection.execute(delete(login_token).where(login_token.c.account == account_id))
            return connection.execute(delete(account).where(account.c.id == account_id)).rowcount == 1

    def schedule_deletion(self, account_id: int, serial: int, at: float) -> bool:
        """The account's character is to be deleted at that time (seconds UTC); False if there is none, or
        another world has it."""
        with self.write() as connection:
            if connection.scalar(self._free(account_id, serial)) is None:
                return False
            scheduled = update(character).where(_is(account_id, serial)).values(delete_at=at)
            return connection.execute(scheduled).rowcount == 1

    def restore_character(self, account_id: int, serial: int, now: float) -> bool:
        """The account's character is not to be deleted any more; False if there is none, or its time was
        over."""
        with self.write() as connection:
            in_time = character.c.delete_at.is_(None) | (character.c.delete_at > now)
            restored = update(character).where(_is(account_id, serial), in_time).values(delete_at=None)
            return connection.execute(restored).rowcount == 1

    def expired(self, now: float) -> list[ExpiredCharacter]:
        """The characters whose time is over."""
        with self.read() as connection:
            return [ExpiredCharacter._make(row) for row in connection.execute(_EXPIRED, {"now": now})]

    def delete_expired(self, now: float) -> list[ExpiredCharacter]:
        """Delete the characters whose time is over, with all they have."""
        with self.write() as connection:
            expired = [ExpiredCharacter._make(row) for row in connection.execute(_EXPIRED, {"now": now})]
            for row in expired:
                self._delete_character(connection, row.serial)
        return expired

    def _free(self, account_id: int, serial: int) -> Select[tuple[int]]:
        """A question for the account's character, which locks it, if no other world has it."""
        ours = character.c.world.is_(None) | (character.c.world == self.fence.world)
        return select(character.c.serial).where(_is(account_id, serial), ours).with_for_update()

    def _delete_character(self, connection: Connection, serial: int) -> None:
        belongings = [row.serial for row in connection.execute(_BELONGINGS_OF, {"serials": [serial]})]
        self._statements.delete_items(connection, belongings)
        for table in (*parts, skill, journal, mark, character_name, character_notes):
            connection.execute(delete(table).where(table.c.character == serial))
        for name, kind in FOLLOWING.items():
            if not kind.sent:  # what was sent goes back
                connection.execute(delete(records[name]).where(kind.owner == serial))
        connection.execute(delete(character).where(character.c.serial == serial))


def _is(account_id: int, serial: int) -> ColumnElement[bool]:
    """The condition that a row is this character, and this account's."""
    return (character.c.serial == serial) & (character.c.account == account_id)


def _taken(connection: Connection, keys: Sequence[str]) -> set[str]:
    return set(connection.scalars(_NAMED, {"keys": keys}))


def _free_short_name(connection: Connection, row: CharacterRow, key: str) -> str | None:
    """A short name that nobody has, but perhaps this character as its name."""
    wishes = chain([row.short_name] if row.short_name else [], short_names(row.name))
    while wished := list(islice(wishes, TRIED_AT_ONCE)):
        taken = _taken(connection, [name_key(short) for short in wished])
        for short in wished:
            if name_key(short) == key or name_key(short) not in taken:
                return short
    return None


_CHARACTERS_OF: Final = select_characters().where(
    character.c.serial.in_(bindparam("serials", expanding=True)), character.c.delete_at.is_(None)
)
_KNOWN: Final = select(
    character.c.serial, character.c.name, character.c.short_name, character.c.account
).order_by(character.c.serial)
_NAMED: Final = select(character_name.c.key).where(
    character_name.c.key.in_(bindparam("keys", expanding=True))
)
_OWNER: Final = select(character.c.account).where(character.c.serial == bindparam("serial"))
_EXPIRED: Final = (
    select(character.c.serial, character.c.name, account.c.name)
    .join(account, character.c.account == account.c.id)
    .where(character.c.delete_at <= bindparam("now"))
    .order_by(character.c.serial)
)
_CHARACTERS: Final = (
    select_characters(character.c.delete_at)
    .where(character.c.account == bindparam("account"))
    # Serials only ever grow, so theirs is the order of creation whatever a clock did.
    .order_by(character.c.serial)
)
_WORN: Final = (
    select(*ITEM_COLUMNS)
    .where(item.c.parent.in_(bindparam("wearers", expanding=True)), item.c.layer > 0)
    .where(item.c.layer != Layer.BANK)
    .order_by(item.c.parent, item.c.layer)
)
_BELONGINGS_OF: Final = items_under(item.c.parent.in_(bindparam("serials", expanding=True)))
