"""Those who hunt on a server that is killed again and again, and what has to be true of their prey.

One of each game, strong enough that a blow is a kill. A creature that dies leaves a corpse with gold in it,
and those who struck it learn from it; all that, and what is taken out of the corpse, are changes of one
moment. So whatever moment the disk knows, its corpses, its gold and the experience of the hunters belong to
one another.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Final

import attrs

from server.store.records import AccountRow
from tests.kit.besieged import GAMES, Person
from tests.kit.diary import Diary
from world import holding, newcomers
from world.heading import towards
from world.mobile import Mobile
from world.rules import growth
from world.snapshot import character_row, item_row

if TYPE_CHECKING:
    import random
    from pathlib import Path

    from server.store.database import Database
    from tests.kit.actor import Actor
    from tests.kit.besieged import Census
    from world.content import Content, Creature
    from world.realm import Realm
    from world.world import World

PREY: Final = "giant_rat"
PACK: Final = 16
"""Of them that come to a round."""
WEAPON: Final = "battle_axe"
SKILLS: Final = ("swords", "tactics")
MASTERY: Final = 1000
"""In tenths."""


@attrs.frozen
class Bag:
    """What the disk says of hunts: animals killed, and what their hunters have learned."""

    kills: int
    experience: int


class Hunt:
    """The hunters of a siege."""

    def __init__(self, content: Content) -> None:
        kind = content.mobiles[PREY].fights
        assert kind is not None
        self.kind: Creature = kind
        self.rule = content.growth
        self.people: list[Person] = []
        self.place = ""
        self.bag = Bag(0, 0)

    def settle(self, database: Database, world: World, password: str, realm: Realm, x: int, y: int) -> None:
        """Make them, around a place."""
        self.place = f"{realm.name} {x} {y}"
        places = list(realm.free_near(x, y, 2))
        for number, game in enumerate(GAMES):
            account = database.create_account(f"{game}hunter", password, 1.0)
            assert isinstance(account, AccountRow)
            name = f"{game.title()}hunter"
            mobile = Mobile(
                world.serials.mobile(),
                world,
                name,
                template=world.content.mobiles["player"],
                account=account.id,
                short_name=name,
            )
            mobile.endow()
            mobile.strength = mobile.vitality = 125
            assert mobile.learner is not None
            for skill in SKILLS:
                mobile.learner.learn(skill, MASTERY)
            newcomers.outfit(mobile)
            holding.wear(mobile, holding.make(world, WEAPON))
            mobile.realm, (mobile.x, mobile.y) = realm, places[2 * number % len(places)]
            rows = [item_row(item) for item in newcomers.all_items(mobile)]
            assert database.create_character(character_row(mobile), rows, 3) == character_row(mobile)
            diary = Diary(name, mobile.serial, (mobile.x, mobile.y))
            self.people.append(Person(game, f"{game}hunter", name, mobile.serial, diary))

    def orders(self) -> list[str]:
        """What lets prey come, and makes hunters whole."""
        whole = [f"heal {person.name}" for person in self.people]
        return [*whole, f"spawn {PREY} {PACK} {self.place}"]

    def look(self, path: Path) -> Bag:
        """What is on disk."""
        serials = [person.serial for person in self.people]
        marks = ", ".join("?" * len(serials))
        with closing(sqlite3.connect(path)) as connection:
            (kills,) = connection.execute("SELECT count(*) FROM item WHERE remains = ?", (PREY,)).fetchone()
            (experience,) = connection.execute(
                f"SELECT sum(experience) FROM learner WHERE character IN ({marks})", serials
            ).fetchone()
        return Bag(kills, experience)

    def verdict(self, path: Path, total: Census, now: Census) -> list[str]:
        """Everything that does not belong together of what was killed, left and learned since the last time;
        what was left is added to what there has to be."""
        before, self.bag = self.bag, self.look(path)
        kills = self.bag.kills - before.kills
        gained = self.bag.experience - before.experience
        # Of the first level one learns most; each who struck it has a share, rounded.
        most = kills * (growth.kill_experience(self.kind.level, 1, self.rule) + len(self.people))
        wrong = []
        if not 0 <= gained <= most or (kills and not gained):
            wrong.append(f"{kills} killed, and {gained} experience")
        for loot in self.kind.loot:
            left = now[loot.item] - total[loot.item]
            least = kills * loot.least if loot.chance >= 1 else 0
            if not least <= left <= kills * loot.most:
                wrong.append(f"{kills} killed, and {left} {loot.item} left by them")
            total[loot.item] = now[loot.item]
        total["corpse"] += kills
        return wrong


async def hunts(actor: Actor, dice: random.Random) -> bool:
    """Strike at whatever is nearest, take what lies about, go a step; whether it struck."""
    near = actor.nearest()
    if not near or dice.random() < 0.2:
        lying = sorted(actor.lying())
        if lying:
            handle = dice.choice(lying)
            await actor.loot(handle)
            await actor.echo()
            if handle in actor.lying():
                await actor.take(handle, actor.lying()[handle].amount)
            await actor.echo()
        return False
    here = actor.place()
    handle = dice.choice(near[:4])
    there = actor.others()[handle]
    heading = towards(there.x - here.x, there.y - here.y)
    if heading is not None and max(abs(there.x - here.x), abs(there.y - here.y)) > actor.unit:
        await actor.step(heading)
    await actor.attack(handle)
    await actor.echo()
    return True
