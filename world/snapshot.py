"""Snapshots: plain rows between the world and the store.

The world task turns what changed into tuples, and a storage thread writes them: nothing living crosses that
line. (Objects that the storage thread reads by itself would need locks, or be torn between two turns.) Rows
name templates and realms by key and holders by serial.

On the way back nothing is marked as changed but what moves (from a hand into the pack), and a row that this
world cannot hold (an unknown template, a lost container) is reported and left alone, never deleted.
"""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, cast

from world.companions import Fellow, Party
from world.guild import Entry, Guild, Member, Tie
from world.item import KEPT, Item, Layer, Note, Remains
from world.letter import Letter
from world.listing import Listing
from world.mobile import Mobile
from world.parts import Caster, Fighter, Journal, Learner, Mark, Marks, Progress, Skill, bind
from world.sentence import Report, Sentence
from world.stored import Column, Row, columns, put, reader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from world.content import MobileTemplate
    from world.parts import Part
    from world.realm import Realm
    from world.records import Record
    from world.thing import Surroundings
    from world.world import World


class PartTable(NamedTuple):
    """Table of a part that is one row: the attribute of the mobile, the class, and the values of its columns,
    which the character's serial follows."""

    part: str
    make: Callable[[], Part]
    columns: tuple[Column, ...]
    read: Callable[[object, object], tuple[object, ...]]


def _part_table(part: str, kind: type[Part]) -> PartTable:
    return PartTable(part, kind, columns(kind), reader(columns(kind)))


PART_TABLES: Final = (
    _part_table("fighter", Fighter),
    _part_table("learner", Learner),
    _part_table("caster", Caster),
)
"""Named as the parts are."""


class ManyTable(NamedTuple):
    """Table of which a character has several rows, by a key: its skills, quests and marks. The character's
    serial and the key (a name, the key of the quest) follow its columns."""

    columns: tuple[Column, ...]
    read: Callable[[object, object], tuple[object, ...]]


SKILLS: Final = ManyTable(columns(Skill), reader(columns(Skill)))
QUESTS: Final = ManyTable(columns(Progress), reader(columns(Progress)))
MARKS: Final = ManyTable(columns(Mark), reader(columns(Mark)))

PartRow: TypeAlias = tuple[object, ...]

CHARACTER: Final = columns(Mobile)
"""The columns of a character's own table. `serial`, `account`, names and `created_at` are fixed."""


class CharacterRow(Row):
    """One character: the values of `CHARACTER`, and the rows of its parts."""

    __slots__ = ()
    _fields = (*(column.name for column in CHARACTER), "parts")

    @property
    def serial(self) -> int:
        """Its number."""
        return cast("int", self[_SERIAL])

    @property
    def account(self) -> int:
        """Id of the account that owns it."""
        return cast("int", self[_ACCOUNT])

    @property
    def name(self) -> str:
        """Its name."""
        return cast("str", self[_NAME])

    @property
    def short_name(self) -> str:
        """Its name for clients that cannot show the other."""
        return cast("str", self[_SHORT_NAME])

    @property
    def title(self) -> str:
        """Title that follows its name."""
        return cast("str", self[_TITLE])

    @property
    def template(self) -> str:
        """The key of its kind."""
        return cast("str", self[_TEMPLATE])

    @property
    def realm(self) -> str | None:
        """Key of its realm; None of a character that was already taken off the map: the store then keeps the
        realm it knows."""
        return cast("str | None", self[_REALM])

    @property
    def parts(self) -> CharacterParts:
        """Rows of its parts to be written."""
        return cast("CharacterParts", self[-1])

    def over(self, older: CharacterRow) -> CharacterRow:
        """This row with the parts of an older one that was not written, where it says nothing of them."""
        ours, theirs = self.parts, older.parts
        if theirs == NO_PARTS:
            return self
        rows = tuple(new or old for new, old in zip(ours.rows, theirs.rows, strict=True))
        skills, quests = ours.skills or theirs.skills, ours.quests or theirs.quests
        parts = CharacterParts(rows, skills, quests, ours.marks or theirs.marks)
        return self._make((*self[:-1], parts))


_SERIAL, _ACCOUNT, _NAME, _SHORT_NAME, _TITLE, _TEMPLATE, _REALM = (
    CharacterRow._fields.index(name)
    for name in ("serial", "account", "name", "short_name", "title", "template", "realm")
)


class CharacterParts(NamedTuple):
    """Rows of parts, in the order of `PART_TABLES`, of skills by name, of quests by key and of marks by name.
    None and nothing: not there, or not changed. Records that go with it are read with it, and written as all
    records are."""

    rows: tuple[PartRow | None, ...] = (None,) * len(PART_TABLES)
    skills: tuple[PartRow, ...] = ()
    quests: tuple[PartRow, ...] = ()
    marks: tuple[PartRow, ...] = ()
    records: tuple[RecordRow, ...] = ()


NO_PARTS: Final = CharacterParts()


class ItemRow(NamedTuple):
    """One item and its single holder: `parent` (its wearer, with `layer`, or a container) or a place."""

    serial: int
    template: str
    parent: int | None
    layer: int
    slot_x: int
    slot_y: int
    realm: str | None
    x: int
    y: int
    z: int
    amount: int
    hue: int
    name: str
    remains: str | None = None
    """Of a corpse: the kind of mobile it was, and whose it is."""
    owner: int | None = None
    lit: bool = False
    text: str | None = None
    """Of a note on a board: its words, who signed it, and seconds UTC; `owner` is its author then."""
    signed: str | None = None
    written: float | None = None


class RecordTable(NamedTuple):
    """Table of a kind of records (`world.records`): how one is made, and the values of its columns, which its
    number follows."""

    make: type[Record]
    columns: tuple[Column, ...]
    read: Callable[[object, object], tuple[object, ...]]


def _record_tables(*kinds: type[Record]) -> Mapping[str, RecordTable]:
    return {kind.table: RecordTable(kind, columns(kind), reader(columns(kind))) for kind in kinds}


RECORD_TABLES: Final = _record_tables(
    Guild, Member, Tie, Entry, Party, Fellow, Listing, Letter, Sentence, Report
)
"""By name: all the kinds of records there are."""


class RecordRow(NamedTuple):
    """One record: its table, and the values of its columns with its number behind them."""

    table: str
    values: tuple[object, ...]


class DamagedRow(NamedTuple):
    """A row that could not become a thing of this world; it stays in the database as it is."""

    serial: int
    reason: str


class Restored(NamedTuple):
    """Character, items and records of rows. `mobile` is None if even the character could not be built."""

    mobile: Mobile | None
    items: list[Item]
    damaged: list[DamagedRow]
    records: Sequence[Record] = ()


# Rows are read from the slots and not from the tracked properties over them, which take twice as long.

_read: Final = reader(CHARACTER)
_parts_of: Final = cast(
    "Callable[[Mobile], tuple[Part | None, ...]]", attrgetter(*(table.part for table in PART_TABLES))
)


def character_row(mobile: Mobile) -> CharacterRow:
    """The character as it is now, with all its parts."""
    serial = mobile.serial
    rows = tuple(
        None if part is None else table.read(part, serial)
        for table, part in zip(PART_TABLES, _parts_of(mobile), strict=True)
    )
    records = tuple(record_row(one) for one in mobile.world.records.following(serial) if not one.sent)
    parts = CharacterParts(rows, _skills(mobile), _quests(mobile), _marks(mobile), records)
    return CharacterRow(_read(mobile, parts))


def changed_row(mobile: Mobile) -> CharacterRow:
    """The character as it is now, with those of its parts that changed since this was asked last."""
    if not mobile.parts_changed:
        return CharacterRow(_read(mobile, NO_PARTS))
    mobile.parts_changed = False
    learner = mobile.learner
    skills = _skills(mobile) if learner is not None and learner.changed else ()
    quests: tuple[PartRow, ...] = ()
    if mobile.journal is not None and mobile.journal.changed:
        mobile.journal.changed = False
        quests = _quests(mobile)
    marks: tuple[PartRow, ...] = ()
    if mobile.marks is not None and mobile.marks.changed:
        mobile.marks.changed = False
        marks = _marks(mobile)
    rows: list[PartRow | None] = []
    for table, part in zip(PART_TABLES, _parts_of(mobile), strict=True):
        if part is not None and part.changed:
            part.changed = False
            rows.append(table.read(part, mobile.serial))
        else:
            rows.append(None)
    return CharacterRow(_read(mobile, CharacterParts(tuple(rows), skills, quests, marks)))


def _skills(mobile: Mobile) -> tuple[PartRow, ...]:
    if mobile.learner is None:
        return ()
    skills = sorted(mobile.learner.skills.items())
    return tuple((*SKILLS.read(skill, mobile.serial), name) for name, skill in skills)


def _quests(mobile: Mobile) -> tuple[PartRow, ...]:
    if mobile.journal is None:
        return ()
    quests = sorted(mobile.journal.quests.items())
    return tuple((*QUESTS.read(progress, mobile.serial), key) for key, progress in quests)


def _marks(mobile: Mobile) -> tuple[PartRow, ...]:
    if mobile.marks is None:
        return ()
    marks = sorted(mobile.marks.marks.items())
    return tuple((*MARKS.read(mark, mobile.serial), name) for name, mark in marks)


def item_row(item: Item) -> ItemRow:
    """The item as it is now."""
    parent = item.parent
    realm, remains, note = item.realm, item.remains, item.note
    return ItemRow(
        item.serial,
        item.template.key,
        (item.keeper if item.keeper > 0 else None) if parent is None else parent.serial,
        Layer.BANK if item.keeper else item.layer,
        item.slot_x,
        item.slot_y,
        None if realm is None else realm.chart.name,
        item.x,
        item.y,
        item.z,
        item._amount,
        item._hue,
        item._name,
        None if remains is None else remains.template,
        (None if note is None else note.author) if remains is None else remains.owner or None,
        item._lit,
        None if note is None else note.text,
        None if note is None else note.signed,
        None if note is None else note.at,
    )


def record_row(record: Record) -> RecordRow:
    """The record as it is now."""
    return RecordRow(record.table, RECORD_TABLES[record.table].read(record, record.number))


def restore_records(rows: Iterable[RecordRow]) -> list[Record]:
    """The records of these rows. Giving them to the world (`Records.load`) is for the caller."""
    restored = []
    for row in rows:
        table = RECORD_TABLES[row.table]
        record = table.make()
        put(record, table.columns, row.values[:-1])
        record.number = cast("int", row.values[-1])
        restored.append(record)
    return restored


def restore_character(row: CharacterRow, items: Iterable[ItemRow], world: World) -> Restored:
    """The character with everything it wears and carries. Entering it into the world is for the caller.

    A character in a realm that no longer exists comes back with `realm` None, and the caller chooses a place.
    """
    template = world.content.mobiles.get(row.template)
    if template is None:
        return Restored(None, [], [DamagedRow(row.serial, f"unknown mobile template {row.template!r}")])
    damaged = []
    realm = None
    if row.realm is not None:
        realm = world.realms.get(row.realm)
        if realm is None:
            damaged.append(DamagedRow(row.serial, f"unknown realm {row.realm!r}"))
    mobile = _character(row, world, template, realm)
    mobile.stored = True
    restored, lost = restore_items(items, world, mobile)
    return Restored(mobile, restored, damaged + lost, restore_records(row.parts.records))


def sheet(row: CharacterRow, world: Surroundings) -> Mobile:
    """A stored character to be read only: it is in no place and reports no changes. One of a kind or in a
    realm that there is no more is shown all the same."""
    templates = world.content.mobiles
    template = templates.get(row.template) or next(iter(templates.values()))
    return _character(row, world, template, None if row.realm is None else world.realms.get(row.realm))


def _character(
    row: CharacterRow, world: Surroundings, template: MobileTemplate, realm: Realm | None
) -> Mobile:
    mobile = Mobile(row.serial, world, template=template, realm=realm)
    put(mobile, CHARACTER, row[:-1])
    for table, values in zip(PART_TABLES, row.parts.rows, strict=True):
        if values is not None:
            part = bind(table.make(), mobile)
            put(part, table.columns, values[:-1])
            setattr(mobile, table.part, part)
    for one in row.parts.skills:
        if mobile.learner is None:
            mobile.learner = bind(Learner(), mobile)
        skill = mobile.learner.skills[str(one[-1])] = Skill()
        put(skill, SKILLS.columns, one[:-2])
    for one in row.parts.quests:
        if mobile.journal is None:
            mobile.journal = bind(Journal(), mobile)
        progress = mobile.journal.quests[str(one[-1])] = Progress()
        put(progress, QUESTS.columns, one[:-2])
    for one in row.parts.marks:
        if mobile.marks is None:
            mobile.marks = bind(Marks(), mobile)
        mark = mobile.marks.marks[str(one[-1])] = Mark()
        put(mark, MARKS.columns, one[:-2])
    return mobile


def restore_items(
    rows: Iterable[ItemRow], world: World, wearer: Mobile | None = None
) -> tuple[list[Item], list[DamagedRow]]:
    """Items with their holders, containers before their contents, and the rows that found no place.

    The holders are `wearer`, other rows of the same call, or places of a realm; boxes of records have none.
    Rows may come in any order. Registering the items with the world and its realms is the caller's business.
    """
    roots: list[ItemRow] = []
    within: dict[int, list[ItemRow]] = {}
    for row in rows:
        if row.parent is None:
            roots.append(row)
        else:
            within.setdefault(row.parent, []).append(row)

    restored: list[Item] = []
    damaged: list[DamagedRow] = []
    for row in roots:
        realm = None if row.realm is None else world.realms.get(row.realm)
        if realm is not None:
            _restore(row, world, realm, restored, damaged)
        elif row.layer == Layer.BANK:
            box = _restore(row, world, None, restored, damaged)
            if box is not None:
                box.layer, box.keeper = 0, KEPT
        else:
            damaged.append(DamagedRow(row.serial, f"unknown realm {row.realm!r}"))
    if wearer is not None:
        _dress(wearer, within.pop(wearer.serial, []), world, restored, damaged)

    # `restored` grows while it is walked: contents of contents follow their container.
    for holder in restored:
        for row in within.pop(holder.serial, ()):
            item = _restore(row, world, None, restored, damaged)
            if item is not None:
                item.parent = holder
                holder.contents[item.serial] = item
    damaged += [
        DamagedRow(row.serial, f"its holder {parent:#x} is not there")
        for parent, lost in within.items()
        for row in lost
    ]
    return restored, damaged


def _dress(
    wearer: Mobile, rows: Sequence[ItemRow], world: World, restored: list[Item], damaged: list[DamagedRow]
) -> None:
    in_hand: list[Item] = []
    for row in rows:
        if row.layer in wearer.worn or (row.layer == Layer.BANK and wearer.vault is not None):
            damaged.append(DamagedRow(row.serial, f"layer {row.layer} of {wearer.serial:#x} is taken"))
            continue
        item = _restore(row, world, None, restored, damaged)
        if item is None:
            continue
        if item.layer == Layer.BANK:
            item.layer, item.keeper, wearer.vault = 0, wearer.serial, item
            continue
        item.parent = wearer
        if item.layer:
            wearer.worn[item.layer] = item
        else:
            in_hand.append(item)
    # What was being dragged when the player vanished, or lost its layer to another item, goes into the pack.
    pack = wearer.worn.get(Layer.BACKPACK)
    for item in in_hand:
        if pack is None:
            restored.remove(item)
            damaged.append(DamagedRow(item.serial, f"{wearer.serial:#x} has no pack to hold it"))
        else:
            item.parent = pack
            pack.contents[item.serial] = item
            item.touch()


def _restore(
    row: ItemRow, world: World, realm: Realm | None, restored: list[Item], damaged: list[DamagedRow]
) -> Item | None:
    template = world.content.items.get(row.template)
    if template is None:
        damaged.append(DamagedRow(row.serial, f"unknown item template {row.template!r}"))
        return None
    if row.remains is not None and row.remains not in world.content.mobiles:
        damaged.append(DamagedRow(row.serial, f"unknown mobile template {row.remains!r}"))
        return None
    item = Item(
        serial=row.serial,
        world=world,
        name=row.name,
        realm=realm,
        x=row.x,
        y=row.y,
        z=row.z,
        stored=True,
        template=template,
        layer=row.layer,
        slot_x=row.slot_x,
        slot_y=row.slot_y,
        amount=row.amount,
        hue=row.hue,
        lit=row.lit,
        remains=None if row.remains is None else Remains(row.remains, owner=row.owner or 0),
        note=None
        if row.text is None
        else Note(row.owner or 0, row.signed or "", row.text, row.written or 0.0),
    )
    restored.append(item)
    return item
