"""Those who hunt on a server that is killed again and again, and what has to be true of their prey.

One of each game, strong enough that a blow is a kill. A creature that dies leaves a corpse with gold in it,
and those who struck it learn from it; all that, and what is taken out of the corpse, are changes of one
moment. So whatever moment the disk knows, its corpses, its gold and the experience of the hunters belong to
one another.
"""

from __future__ import annotations

import sqlite3
from collections import Counter
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
    """What the disk says of hunts: whose corpses there are, and what their hunters have learned."""

    corpses: Counter[str]
    """Creatures of each kind. Not only prey dies: hunters come to the sheep, too."""
    experience: int
    people: int = 0
    """Corpses of players."""

    @property
    def kills(self) -> int:
        """Creatures killed."""
        return self.corpses.total()


class Hunt:
    """The hunters of a siege."""

    def __init__(self, content: Content) -> None:
        self.kinds: dict[str, Creature] = {
            key: kind.fights for key, kind in content.mobiles.items() if kind.fights is not None
        }
        self.rule = content.growth
        self.people: list[Person] = []
        self.place = ""
        self.bag = Bag(Counter(), 0)

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
            # Nobody can heal those who are not there yet.
            mobile.hits = mobile.hits_max = growth.hits_max(mobile.strength, mobile.vitality, 1)
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
            corpses = connection.execute(
                "SELECT remains, count(*) FROM item WHERE remains NOT NULL AND owner IS NULL GROUP BY remains"
            ).fetchall()
            (people,) = connection.execute(
                "SELECT count(*) FROM item WHERE remains NOT NULL AND owner NOT NULL"
            ).fetchone()
            (experience,) = connection.execute(
                f"SELECT sum(experience) FROM learner WHERE character IN ({marks})", serials
            ).fetchone()
        return Bag(Counter(dict(corpses)), experience, people)

    def verdict(self, path: Path, total: Census, now: Census) -> list[str]:
        """Everything that does not belong together of what was killed, left and learned since the last time;
        what was left is added to what there has to be. A corpse that is nobody's is not expected."""
        before, self.bag = self.bag, self.look(path)
        killed = Counter(self.bag.corpses)
        killed.subtract(before.corpses)
        kills, gained = killed.total(), self.bag.experience - before.experience
        # Of the first level one learns most; each who struck it has a share, rounded.
        most = sum(
            often * (growth.kill_experience(self.kinds[key].level, 1, self.rule) + len(self.people))
            for key, often in killed.items()
        )
        wrong = [f"{often} more corpses of {key}" for key, often in killed.items() if often < 0]
        if not 0 <= gained <= most or (killed[PREY] and not gained):
            wrong.append(f"{kills} killed, and {gained} experience")
        ranges = {loot.item: (0, 0) for kind in {PREY, *killed} for loot in self.kinds[kind].loot}
        for key, often in killed.items():
            for loot in self.kinds[key].loot:
                least, greatest = ranges[loot.item]
                sure = loot.least if loot.chance >= 1 else 0
                ranges[loot.item] = least + often * sure, greatest + often * loot.most
        for item, (least, greatest) in ranges.items():
            left = now[item] - total[item]
            if not least <= left <= greatest:
                wrong.append(f"{kills} killed, and {left} {item} left by them")
            total[item] = now[item]
        total["corpse"] += kills + self.bag.people - before.people
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
        await actor.echo()  # what is there may be on its way
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
