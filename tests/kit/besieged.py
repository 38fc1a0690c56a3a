"""Who plays on a server that is killed again and again, what they have, and where it is counted."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, Final

import attrs
import trio

from server.operate import admin
from tests.kit.actor import CannotEnter
from world import holding, newcomers
from world.fixtures import is_fixture
from world.item import Layer
from world.mobile import Mobile

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from server.store.records import AccountRow
    from tests.kit.actor import Actor
    from tests.kit.diary import Diary
    from world.content import Content
    from world.item import Item
    from world.world import World

GAMES: Final = ("uo", "eo", "eq2", "co", "l2", "web")
PER_GAME: Final = 8
PRESENT: Final = (2, 5)
"""How many of a game come to a round, couples aside: bringing people in is most of what a round costs."""

CONFIG: Final = """
[storage]
flush_seconds = {flush}
[limits]
packets_per_second = 2000
packet_burst = 2000
linger_seconds = 0.5
joins_per_tick = 20
first_byte_seconds = 120
handshake_seconds = 300
idle_seconds = 600
[log]
level = "WARNING"
"""
"""The last three limits are for a machine that does much else: nobody is thrown out who only waits for it."""
FLUSHES: Final = (0.0, 0.02, 0.2)
"""Every turn, often, and so seldom that most of a round waits in memory."""

KIT: Final = {
    "gold": 500,
    "bread": 20,
    "apple": 20,
    "bandage": 40,
    "healing_potion": 5,
    "robe": 1,
    "feathered_hat": 1,
    "half_apron": 1,
    "lantern": 1,
    "boots": 1,
    "bag": 1,
}
"""What everybody has beside a newcomer's belongings."""
BAGGED: Final = {"gold": 200, "apple": 7, "dagger": 1}
"""What is in the bag."""
STREWN: Final = {"gold": 300, "bread": 9, "bandage": 25, "dagger": 1, "candle": 1, "sandals": 1}
"""What lies on each of a few tiles."""
HEIRLOOM: Final = "skirt"
"""Of which each couple has one, that it alone touches."""

WALK_UP: Final = frozenset({"co", "l2"})
"""Games whose people walk up to what they take up."""
LONGEST_WAY: Final = 8
"""Steps to what was within reach a moment ago."""

LONGEST_ARRIVAL: Final = 10.0
"""Seconds until everybody should be in, even if the machine has other things to do."""

COMMIT_SECONDS: Final = 0.03
"""Within so many seconds a server that was asked to has written."""

MOST_TOLD: Final = 20_000
"""Letters of what a server has complained of."""

PARTINGS: Final = (
    CannotEnter,
    admin.NotRunning,
    OSError,
    trio.BrokenResourceError,
    trio.ClosedResourceError,
)
"""How those learn of it who are under way when the server dies."""

Census = Counter[str]


def whereabouts(path: Path) -> dict[int, tuple[object, ...]]:
    """Holder, place and amount of every item."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT serial, parent, layer, realm, x, y, amount FROM item")
        return {serial: tuple(rest) for serial, *rest in rows}


def census(path: Path, content: Content) -> Census:
    """How much there is of every kind of item, but for chests and boards of the realms and what is in them:
    those come by themselves."""
    fixed = [key for key, kind in content.items.items() if is_fixture(kind)]
    named = f"({', '.join('?' * len(fixed))})"
    rows = f"""SELECT template, sum(amount) FROM item
        WHERE template NOT IN {named}
            AND (parent IS NULL OR parent NOT IN (SELECT serial FROM item WHERE template IN {named}))
        GROUP BY template"""
    with closing(sqlite3.connect(path)) as connection:
        return Counter(dict(connection.execute(rows, fixed + fixed)))


def characters(path: Path) -> dict[str, bool]:
    """Name, and whether it is female, of every character there is."""
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, female FROM character")
        return {name: bool(female) for name, female in rows}


def newcomers_kit(content: Content, *, female: bool) -> Census:
    """What a newcomer has."""
    template = content.mobiles["player"]
    kit = Counter({key: 1 for key, _ in (template.worn_female if female else template.worn)})
    return kit + Counter(dict(template.carried)) + Counter({"backpack": 1})


@attrs.define
class Person:
    """Somebody who plays, from round to round."""

    game: str
    account: str
    name: str
    serial: int
    place: Diary
    """Realm coordinates."""
    walks_up: bool = False
    """Whether it may be on its way to something, until it does a step of its own."""

    def sets_out(self, verb: str) -> None:
        """It is about to do something that may lead it elsewhere: a step, or, in games where one walks up to
        what one clicks on, that something: what it saw within reach may lie farther off by now."""
        if verb == "step":
            self.walks_up = False
            self.place.goes()
        elif verb == "take" and self.game in WALK_UP:
            self.walks_up = True
            self.place.goes(LONGEST_WAY)


@attrs.define
class Couple:
    """Two who hand an heirloom to and fro."""

    first: Person
    second: Person
    heirloom: Diary
    """The serial of whoever has it."""


@attrs.define
class Newcomer:
    """Somebody whose character was promised to be durable."""

    name: str


def fill(container: Item, contents: Mapping[str, int]) -> None:
    """Put things into a container that is not in the world yet, amounts by kind."""
    for template, amount in contents.items():
        stackable = container.world.content.items[template].stackable
        for _ in range(1 if stackable else amount):
            item = holding.make(container.world, template, amount=amount if stackable else 1)
            holding.put(container, item)


def embodied(
    world: World, account: AccountRow, name: str, realm: str, place: tuple[int, int], kit: Mapping[str, int]
) -> tuple[Mobile, list[Item]]:
    """A new character of an account, for the database, with a newcomer's belongings and that kit in its pack;
    and all that it has."""
    mobile = Mobile(
        world.serials.mobile(),
        world,
        name,
        template=world.content.mobiles["player"],
        account=account.id,
        short_name=name,
    )
    mobile.endow()
    mobile.strength = 60
    newcomers.outfit(mobile)
    mobile.realm, (mobile.x, mobile.y) = world.realms[realm], place
    fill(mobile.worn[Layer.BACKPACK], kit)
    return mobile, newcomers.all_items(mobile)


async def hang_up(actor: Actor) -> None:
    """End a connection without a word."""
    actor.leaves()
    await trio.lowlevel.checkpoint()
