"""A small world that can be stored: one realm, a few kinds of things, and characters with belongings."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from server.store.pending import Pending
from server.store.records import AccountRow, Reservation
from tests.kit.claiming import claim
from world import company, holding, residents
from world.content import Chart, Content, ItemTemplate, MobileTemplate, TileKind
from world.item import Item, Layer
from world.mobile import Mobile
from world.serials import Serials
from world.snapshot import CharacterRow, ItemRow, character_row, item_row, restore_items, restore_records
from world.world import World

if TYPE_CHECKING:
    from server.store.database import Database

GRASS = TileKind("grass", "grass", "ground")
FIELD = Chart("field", "Field", 20, 20, [GRASS] * 400, (), bytes(400), [(5, 5)])
ITEMS = (
    ItemTemplate("gold", "gold", stackable=True),
    ItemTemplate("backpack", "backpack", layer=Layer.BACKPACK, container=True),
    ItemTemplate("bag", "bag", container=True),
    ItemTemplate("bank_box", "bank box", container=True),
    ItemTemplate("shirt", "shirt", layer=Layer.SHIRT),
    ItemTemplate("dagger", "dagger", layer=Layer.ONE_HANDED),
)
CONTENT = Content(
    tiles={"grass": GRASS},
    mobiles={"human": MobileTemplate("human", "human")},
    items={template.key: template for template in ITEMS},
    charts={"field": FIELD},
    people={},
    start_realm="field",
)


def new_world(reserved: Reservation | None = None) -> World:
    """A world; without a reservation it may use every serial there is."""
    serials = Serials()
    if reserved is not None:
        serials = Serials(
            reserved.mobile_first, reserved.item_first, reserved.mobile_mark, reserved.item_mark
        )
    return World(CONTENT, serials, chance=random.Random(1))


def new_character(world: World, name: str, account: int, gold: int = 100) -> Mobile:
    """A character that wears a shirt and a pack with gold, not yet in the world or the store."""
    mobile = Mobile(
        world.serials.mobile(),
        world,
        name,
        template=CONTENT.mobiles["human"],
        account=account,
        short_name=name,
        stored=True,
        realm=world.realms["field"],
        x=5,
        y=6,
    )
    pack = holding.make(world, "backpack")
    holding.wear(mobile, holding.make(world, "shirt", hue=5))
    holding.wear(mobile, pack)
    holding.put(pack, holding.make(world, "gold", amount=gold))
    world.dirty.clear()
    return mobile


def rows_of(mobile: Mobile) -> tuple[CharacterRow, list[ItemRow]]:
    """What the store is told of a new character; items by serial."""
    found: list[Item] = list(mobile.worn.values())
    for item in found:
        found.extend(item.contents.values())
    return character_row(mobile), sorted(item_row(item) for item in found)


def an_account(database: Database, name: str = "somebody") -> AccountRow:
    """A new account."""
    row = database.create_account(name, "hash", 1.0)
    assert isinstance(row, AccountRow)
    return row


def enter(world: World, database: Database, name: str, account: int, gold: int = 100) -> Mobile:
    """A character that was created in the store and stands in the world."""
    mobile = new_character(world, name, account, gold)
    row, items = rows_of(mobile)
    created = database.create_character(row, items, 7)
    assert isinstance(created, CharacterRow), created
    assert claim(database, mobile.serial)
    world.enter(mobile, world.realms["field"], mobile.x, mobile.y)
    world.dirty.clear()
    world.take_changes()
    return mobile


def save(world: World, database: Database, tick: int = 1) -> None:
    """Write all that has changed, as one batch."""
    pending = Pending()
    pending.add(world.dirty, world.deleted)
    pending.add_records(*world.records.take())
    world.dirty, world.deleted = {}, set()
    database.commit_batch(pending.batch(tick, 1.0, world.serials.wanted()))


def begun(database: Database) -> World:
    """Another world, as a start of the server makes it: with what lies there, and the records."""
    return settled(new_world(database.reserve_serials()), database)


def settled(world: World, database: Database) -> World:
    """A new world with all that a start of the server finds, and with its residents."""
    world.tick = database.meta().tick
    world.directory.note(*database.known())
    items, damaged = restore_items(database.ground_items(), world)
    assert damaged == []
    for item in items:
        if item.realm is not None:
            world.enter(item, item.realm, item.x, item.y, item.z)
        elif item.keeper:
            world.register(item)
    residents.settle(world)
    world.dirty.clear()
    world.records.load(restore_records(database.records()))
    company.settle(world, database.strangers())
    return world


def purse(mobile: Mobile) -> Item:
    """The gold in a character's pack."""
    pack = mobile.backpack
    assert pack is not None
    return next(item for item in pack.contents.values() if item.template.key == "gold")
