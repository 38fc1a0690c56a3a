"""Letters on PostgreSQL, where they are with the characters whom they are for (`world.deliveries`).

A letter is a row, and what it brings are rows of items in a box: they stay what they are while it passes from
one world to another. It is sent with the batch in which its things leave their sender's pack, and has come
with the batch of the world that has its receiver, in which it is under way no more; each is one fenced
transaction. Whose a letter is follows from its receiver's row, which passes on behind the fence itself: no
two worlds write one letter, however often they read it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from sqlalchemy import ARRAY, Integer, bindparam, delete, exists, func, or_, select, update

from server.store.connections import Connections
from server.store.rows import item_rows, items_under
from server.store.tables import account, character, item, letter, records
from world.letter import Letter
from world.mobile import Access
from world.snapshot import RecordRow, record_row, restore_records

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from sqlalchemy import Connection

    from world.snapshot import ItemRow

AT_ONCE: Final = 100
"""Letters that have waited too long and are looked at in one go."""


class Letters(Connections):
    """Questions about letters, and what becomes of those that are in no world."""

    def letters_for(
        self, receivers: Collection[int]
    ) -> tuple[list[RecordRow], list[ItemRow], frozenset[int]]:
        """The letters for these characters, and those that are under way to any, as far as this world has
        them; the oldest first. With all things that they bring, and the numbers of those under way whose
        sender is none of the staff."""
        with self.read() as connection:
            asked: dict[str, object] = {"mine": self.fence.world}
            if receivers:
                asked["receivers"] = list(receivers)
            rows = connection.execute(_FOR if receivers else _UNDER_WAY, asked).all()
            found = [RecordRow(Letter.table, tuple(row[:-1])) for row in rows]
            boxes = [row.box for row in rows if row.box]
            items = item_rows(connection.execute(_INSIDE, {"boxes": boxes})) if boxes else []
            return found, items, frozenset(row.number for row in rows if row.ordinary)

    def unheeded_letters(self, numbers: Collection[int]) -> list[RecordRow]:
        """Those of these letters that wait in no world, for somebody who wants to hear nothing of their
        sender."""
        with self.read() as connection:
            rows = connection.execute(_UNHEEDED, {"numbers": list(numbers)}).all()
            return [RecordRow(Letter.table, tuple(row)) for row in rows]

    def letters_waiting(self, receivers: Collection[int]) -> dict[int, int]:
        """Numbers of letters that wait for each of these, of those for whom any do."""
        with self.read() as connection:
            rows = connection.execute(_WAITING, {"receivers": list(receivers)})
            return {row.receiver: row.waiting for row in rows}

    def overdue_letters(self, now: float) -> list[RecordRow]:
        """Those that are in no world and have waited until `now` (seconds UTC) or longer, or whose receiver
        is no more; `AT_ONCE` at most."""
        with self.read() as connection:
            rows = connection.execute(_OVERDUE, {"now": now}).all()
            return [RecordRow(Letter.table, tuple(row)) for row in rows]

    def settle_letter(self, found: RecordRow, back: Callable[[Letter, bool], bool]) -> bool:
        """Have a letter that is in no world go back or cease to exist, as `back` decides (see
        `world.deliveries.back`). False if it was changed since it was found, or a world has it by now."""
        before = cast("Letter", restore_records([found])[0])
        with self.write() as connection:
            # Whoever wants to have the receiver waits for this row.
            owner = connection.execute(_OWNER, {"who": before.receiver}).one_or_none()
            now = connection.execute(_LOCK, {"number": before.number}).one_or_none()
            if (owner is not None and owner.world is not None) or now is None or tuple(now) != found.values:
                return False
            if back(before, connection.scalar(_EXISTS, {"who": before.sender}) is not None):
                values = dict(zip(letter.c.keys(), record_row(before).values, strict=True))
                connection.execute(update(letter).where(_IS).values(values), {"which": before.number})
            else:
                self._end_letter(connection, before)
        return True

    def _end_letter(self, connection: Connection, ended: Letter) -> None:
        if ended.box:
            inside = item_rows(connection.execute(_INSIDE, {"boxes": [ended.box]}))
            self._statements.delete_items(connection, [row.serial for row in inside])
        connection.execute(delete(letter).where(_IS), {"which": ended.number})


_RECEIVERS: Final = bindparam("receivers", type_=ARRAY(Integer))
_COLUMNS: Final = [*records[Letter.table].columns]
_IS: Final = letter.c.number == bindparam("which")

_sender: Final = character.alias()
_listing: Final = records["listing"]
_ORDINARY: Final = exists().where(
    letter.c.under_way,
    _sender.c.serial == letter.c.sender,
    account.c.id == _sender.c.account,
    account.c.access == Access.PLAYER,
)
_OURS: Final = (
    select(*_COLUMNS, _ORDINARY.label("ordinary"))
    .join(character, character.c.serial == letter.c.receiver)
    .where(character.c.world == bindparam("mine"))
    .order_by(letter.c.sent_at, letter.c.number)
)
_FOR: Final = _OURS.where(or_(letter.c.under_way, letter.c.receiver == func.any(_RECEIVERS)))
_UNDER_WAY: Final = _OURS.where(letter.c.under_way)  # every second, and by its index alone
_INSIDE: Final = items_under(item.c.serial == func.any(bindparam("boxes", type_=ARRAY(Integer))))
_UNHEEDED: Final = (
    select(*_COLUMNS)
    .join(character, character.c.serial == letter.c.receiver)
    .join(_listing, (_listing.c.owner == letter.c.receiver) & (_listing.c.other == letter.c.sender))
    .where(letter.c.number == func.any(bindparam("numbers", type_=ARRAY(Integer))))
    .where(_listing.c.ignored, _ORDINARY, character.c.world.is_(None), ~letter.c.returned)
)
_WAITING: Final = (
    select(letter.c.receiver, func.count().label("waiting"))
    .where(letter.c.receiver == func.any(_RECEIVERS))
    .group_by(letter.c.receiver)
)
_OVERDUE: Final = (
    select(*_COLUMNS)
    .outerjoin(character, character.c.serial == letter.c.receiver)
    .where(
        or_(
            character.c.serial.is_(None),
            character.c.world.is_(None) & (letter.c.until > 0) & (letter.c.until <= bindparam("now")),
        )
    )
    .order_by(letter.c.number)
    .limit(AT_ONCE)
)
_OWNER: Final = select(character.c.world).where(character.c.serial == bindparam("who")).with_for_update()
_LOCK: Final = select(*_COLUMNS).where(letter.c.number == bindparam("number")).with_for_update()
_EXISTS: Final = select(character.c.serial).where(character.c.serial == bindparam("who"))
