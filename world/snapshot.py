"""Plain rows between the world and the store.

The world task turns what changed into tuples, and a storage thread writes them: nothing living crosses that
line. Rows name templates and realms by key and holders by serial. On the way back nothing is marked as
changed but what moves (from a hand into the pack), and a row that this world cannot hold (an unknown
template, a lost container) is reported and left alone, never deleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from world.item import Item, Layer
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from world.realm import Realm
    from world.world import World


class CharacterRow(NamedTuple):
    """One character. `serial`, `account`, `name` and `created_at` are fixed when it is created."""

    serial: int
    account: int
    name: str
    created_at: float
    template: str
    realm: str | None
    """None of a character that was already taken off the map: the store then keeps the realm it knows."""
    x: int
    y: int
    z: int
    heading: int
    female: bool
    title: str
    hair: int
    hair_hue: int
    beard: int
    skin_hue: int
    hits: int
    hits_max: int
    mana: int
    mana_max: int
    stam: int
    stam_max: int
    strength: int
    dexterity: int
    intelligence: int
    level: int
    experience: int
    dead: bool
    hidden: bool
    notoriety: int


class ItemRow(NamedTuple):
    """One item and its single holder: `parent` (who wears it on `layer`, or a container) or a place."""

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


class DamagedRow(NamedTuple):
    """A row that could not become a thing of this world; it stays in the database as it is."""

    serial: int
    reason: str


class Restored(NamedTuple):
    """What became of a character's rows. `mobile` is None if even the character could not be built."""

    mobile: Mobile | None
    items: list[Item]
    damaged: list[DamagedRow]


# Both read the slots and not the tracked properties over them, which take twice as long.


def character_row(mobile: Mobile) -> CharacterRow:
    """The character as it is now."""
    realm = mobile.realm
    return CharacterRow(
        mobile.serial,
        mobile.account,
        mobile._name,
        mobile.created_at,
        mobile.template.key,
        None if realm is None else realm.chart.name,
        mobile.x,
        mobile.y,
        mobile.z,
        mobile.heading,
        mobile._female,
        mobile._title,
        mobile._hair,
        mobile._hair_hue,
        mobile._beard,
        mobile._skin_hue,
        mobile._hits,
        mobile._hits_max,
        mobile._mana,
        mobile._mana_max,
        mobile._stam,
        mobile._stam_max,
        mobile._strength,
        mobile._dexterity,
        mobile._intelligence,
        mobile._level,
        mobile._experience,
        mobile._dead,
        mobile._hidden,
        mobile._notoriety,
    )


def item_row(item: Item) -> ItemRow:
    """The item as it is now."""
    parent = item.parent
    realm = item.realm
    return ItemRow(
        item.serial,
        item.template.key,
        None if parent is None else parent.serial,
        item.layer,
        item.slot_x,
        item.slot_y,
        None if realm is None else realm.chart.name,
        item.x,
        item.y,
        item.z,
        item._amount,
        item._hue,
        item._name,
    )


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
    mobile = Mobile(
        serial=row.serial,
        world=world,
        name=row.name,
        realm=realm,
        x=row.x,
        y=row.y,
        z=row.z,
        stored=True,
        template=template,
        account=row.account,
        heading=row.heading,
        female=row.female,
        hair=row.hair,
        hair_hue=row.hair_hue,
        beard=row.beard,
        skin_hue=row.skin_hue,
        title=row.title,
        hits=row.hits,
        hits_max=row.hits_max,
        mana=row.mana,
        mana_max=row.mana_max,
        stam=row.stam,
        stam_max=row.stam_max,
        strength=row.strength,
        dexterity=row.dexterity,
        intelligence=row.intelligence,
        level=row.level,
        experience=row.experience,
        dead=row.dead,
        hidden=row.hidden,
        notoriety=row.notoriety,
        created_at=row.created_at,
    )
    restored, lost = restore_items(items, world, mobile)
    return Restored(mobile, restored, damaged + lost)


def restore_items(
    rows: Iterable[ItemRow], world: World, wearer: Mobile | None = None
) -> tuple[list[Item], list[DamagedRow]]:
    """Items with their holders, containers before their contents, and the rows that found no place.

    The holders are `wearer`, other rows of the same call, or places of a realm; rows may come in any order.
    Registering the items with the world and its realms is the caller's business.
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
        if realm is None:
            damaged.append(DamagedRow(row.serial, f"unknown realm {row.realm!r}"))
        else:
            _restore(row, world, realm, restored, damaged)
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
        if row.layer in wearer.worn:
            damaged.append(DamagedRow(row.serial, f"layer {row.layer} of {wearer.serial:#x} is taken"))
            continue
        item = _restore(row, world, None, restored, damaged)
        if item is None:
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
    )
    restored.append(item)
    return item
