"""Records: what is stored and is neither a character nor an item. A guild is one, each member another.

Each kind has a table of its own. Its columns are declared at its attributes (`world.stored`); the number of
the record, which it has for as long as it exists, is the key. All records are read when the server starts.
What changes goes to disk with the characters and the things of the same turn, in one transaction: gold that
has left a pack and lies in a guild's bank is on disk on both sides or on neither.

    @records.kind("guild")
    class Guild(Record):
        name: str = attrs.field(default="", metadata=stored(length=15))

    guild = world.records.add(Guild(name="Weavers"))
    guild.name = "Spinners"          # noted by itself
    world.records.delete(guild)

A stored attribute notes its change whenever it is set, but for one that is `late`. Those that are not stored
are for what rules want to find soon. A record that has things keeps them in a box, an item that lies nowhere
and whose serial is in a column that refers to `item` (`world.safes.box_for_record`); when the record goes, so
must its box.

Where several worlds share their characters, one of them keeps the books of most kinds. But what is one
character's alone goes with that one: its kind names the column with the character (`of`). Such a record is in
memory where its character is and nowhere else, as the things in its pack are; it is changed there, written
with its character's rows, and the store refuses what another world writes of it (`server.store.ownership`).
It has a number that no other world gives (`Records.numbers`). Where there is one world nothing of this
happens: all records are in memory from its start to its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Protocol, TypeVar, cast, dataclass_transform

import attrs

from world.stored import is_noted
from world.timers import TimerGroup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

R = TypeVar("R", bound="Record")
V = TypeVar("V")


def _note(record: Record, attribute: attrs.Attribute[V], value: V) -> V:
    if is_noted(attribute.metadata):
        record.touch()
    return value


@attrs.define(eq=False)
class Record:
    """Base of all kinds."""

    table: ClassVar[str] = ""
    """Name of the table of its kind."""
    of: ClassVar[str] = ""
    """The column with the character with whom it goes from world to world; empty: it goes with nobody."""
    sent: ClassVar[bool] = False
    """Whether it may come to its character from another world: it is brought then as soon as it is there, and
    not just with the character."""

    number: int = attrs.field(default=0, init=False)
    """The key of its row; 0 before it was added. While a server runs none is given twice."""
    _keeper: Records | None = attrs.field(default=None, init=False, repr=False)

    def touch(self) -> None:
        """Note that the store has to hear of it."""
        if self._keeper is not None:
            self._keeper.dirty[self.table, self.number] = self


@dataclass_transform(eq_default=False, field_specifiers=(attrs.field,))
def kind(table: str, *, of: str = "", sent: bool = False) -> Callable[[type[R]], type[R]]:
    """Make a class of records that are stored in `table`; the rest is as in `Record`."""

    def make(cls: type[R]) -> type[R]:
        cls.table, cls.of, cls.sent = table, of, sent
        return attrs.define(eq=False, on_setattr=_note)(cls)

    return make


class Holder(Protocol):
    """Has the records of a kind that goes with characters."""

    def of(self, character: int, /) -> Sequence[Record]:
        """Those of a character."""

    def part(self, character: int, /) -> Sequence[Record]:
        """Let go of them: their character leaves, and they are the store's alone. Returns them."""


@attrs.define(eq=False)
class Records:
    """All records of a world, and which of them differ from the store."""

    dirty: dict[tuple[str, int], Record] = attrs.field(factory=dict)
    """By table and number."""
    deleted: set[tuple[str, int]] = attrs.field(factory=set)
    """Those that ceased to exist since the store was last told."""
    kept: bool = True
    """Whether the store keeps what is added: that of another world than the home world keeps none, and what
    would be lost is refused there."""
    numbers: Callable[[], int] | None = None
    """Gives a number that no world has given, for records that go with characters. None: they do not, for
    this world has all of them."""
    holders: list[Holder] = attrs.field(factory=list)
    """Those who have such records."""
    _tables: dict[str, dict[int, Record]] = attrs.field(factory=dict)
    _last: dict[str, int] = attrs.field(factory=dict)
    """The highest number that was ever given, by table."""
    _looks: dict[str, TimerGroup] = attrs.field(factory=dict)

    def all(self, kind: type[R]) -> Mapping[int, R]:
        """The records of a kind by number, in the order in which they were made."""
        return cast("Mapping[int, R]", self._tables.get(kind.table, {}))

    def get(self, kind: type[R], number: int) -> R | None:
        """The record of that number, if there is one."""
        return self.all(kind).get(number)

    @property
    def travel(self) -> bool:
        """Whether those of a kind that goes with characters do, as other worlds may have these."""
        return self.numbers is not None

    def following(self, character: int) -> list[Record]:
        """The records that go with a character who is here."""
        if not self.travel:
            return []
        return [record for holder in self.holders for record in holder.of(character)]

    def part(self, character: int) -> list[Record]:
        """A character leaves, and they with it. Returns them."""
        if not self.travel:
            return []
        return [record for holder in self.holders for record in holder.part(character)]

    def looks(self, kind: type[R]) -> TimerGroup:
        """The owner of what looks after the records of a kind, while there are any: for those whose time will
        be over."""
        return self._looks.setdefault(kind.table, TimerGroup())

    def add(self, record: R) -> R:
        """Give a new record its number, unless it has got one, and have it stored. Returns it."""
        if not record.number:
            give = self.numbers if record.of else None
            record.number = give() if give is not None else self._last.get(record.table, 0) + 1
        self._hold(record)
        record.touch()
        return record

    def delete(self, record: Record) -> None:
        """Let a record cease to exist; nothing is stored of it any more. To delete it twice does nothing."""
        if self._tables.get(record.table, {}).pop(record.number, None) is None:
            return
        record._keeper = None
        key = record.table, record.number
        self.dirty.pop(key, None)
        self.deleted.add(key)

    def withdraw(self, records: Iterable[Record]) -> dict[tuple[str, int], Record]:
        """Take those of some records that changed since the store was last told."""
        keys = [(record.table, record.number) for record in records]
        return {key: self.dirty.pop(key) for key in keys if key in self.dirty}

    def release(self, record: Record) -> None:
        """Let go of a record that is stored as it is: it exists on in the store."""
        if self._tables.get(record.table, {}).pop(record.number, None) is not None:
            record._keeper = None
            self.dirty.pop((record.table, record.number), None)

    def load(self, records: Iterable[Record]) -> None:
        """Hold what the store knows, each under the number it has; nothing is marked as changed."""
        for record in records:
            self._hold(record)

    @property
    def waiting(self) -> int:
        """Number of rows that the store has to hear of."""
        return len(self.dirty) + len(self.deleted)

    def take(self) -> tuple[dict[tuple[str, int], Record], set[tuple[str, int]]]:
        """Take those that changed and those that were deleted since this was asked last."""
        taken = self.dirty, self.deleted
        self.dirty, self.deleted = {}, set()
        return taken

    def _hold(self, record: Record) -> None:
        record._keeper = self
        self._tables.setdefault(record.table, {})[record.number] = record
        self._last[record.table] = max(record.number, self._last.get(record.table, 0))
