"""A small world with quests of every kind, for tests of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from tests.kit.worlds import person, plain_content, plain_world
from world import holding, residents
from world.content import Creature, ItemTemplate, MobileTemplate, Resident
from world.errands import Kind, Quest, Reward, Step, Way
from world.quest_events import QuestChanged
from world.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from world.errands import Change
    from world.item import Item
    from world.mobile import Mobile

WORDS = ("amber", "birch", "cedar")

BREAD = Quest(
    "bread",
    "Bread",
    "Bring bread, {name}.",
    "miller",
    [
        Step(
            "bring",
            Kind.BRING,
            "Bring three loaves",
            done="Thanks, {name}.",
            whom="miller",
            item="bread",
            amount=3,
        )
    ],
    Reward(gold=20, experience=50, items=[("dagger", 1)]),
    again=60.0,
)
RATS = Quest(
    "rats",
    "Rats",
    "Kill them.",
    "miller",
    [
        Step("hunt", Kind.HUNT, "Kill two rats", kinds=("rat",), amount=2),
        Step("tell", Kind.TALK, "Tell the miller", whom="miller"),
    ],
    Reward(gold=5),
    level=2,
)
WALK = Quest(
    "walk",
    "A walk",
    "Go there.",
    "crier",
    [
        Step("go", Kind.GO, "Go east", realm="plain", x=30, y=10, radius=2),
        Step("wait", Kind.WAIT, "Wait", seconds=10),
        Step("which", Kind.CHOOSE, "Which?", whom="crier", ways=[Way("This", "end"), Way("That", "more")]),
        Step("more", Kind.TALK, "Talk", whom="crier"),
    ],
)
LETTER = Quest(
    "letter",
    "A letter",
    "Who can read it?",
    "miller",
    [Step("word", Kind.TALK, "Find out", whom="miller", words=WORDS)],
    Reward(gold=7),
    letter="letter",
)


def a_world(*quests: Quest, welcome: str = "") -> World:
    """A plain with a miller beside where people stand, and a crier; rats can be placed."""
    plain = plain_content()
    rat = Creature(level=1, hits=6, armour=0, skill=20.0, least=1, most=2)
    content = attrs.evolve(
        plain,
        items={**plain.items, "letter": ItemTemplate("letter", "letter", letter=True)},
        mobiles={
            **plain.mobiles,
            "miller": MobileTemplate("miller", "Matt", roles=("questgiver",), says="Hello, {name}."),
            "rat": MobileTemplate("rat", "a rat", hits=6, creature=True, fights=rat),
        },
        quests={quest.key: quest for quest in quests or (BREAD, RATS, WALK, LETTER)},
        welcome=welcome,
    )
    return plain_world(content)


def settled(world: World, template: str, x: int = 11, y: int = 10) -> Mobile:
    """A resident that stands there."""
    return residents.move_in(world, world.realms["plain"], Resident(template, x, y))


def somebody(
    world: World, name: str = "Alric", x: int = 10, *, game: str = "uo", stored: bool = False
) -> Mobile:
    """A character of the first level with a pack."""
    mobile = person(world, name, x, stored=stored)
    mobile.endow()
    mobile.level, mobile.game = 1, game
    holding.wear(mobile, holding.make(world, "backpack", stored=False))
    world.register(mobile)
    return mobile


def carries(mobile: Mobile, template: str, amount: int = 1) -> Item:
    """Something in its pack."""
    pack = mobile.backpack
    assert pack is not None
    item = holding.make(mobile.world, template, amount=amount)
    item.world.register(item)
    holding.put(pack, item)
    return item


def changes(world: World) -> Sequence[tuple[str, Change]]:
    """What happened to quests since the last look."""
    assert isinstance(world, World)
    events = world.take_changes().events
    return [(event.entry.quest.key, event.what) for event in events if isinstance(event, QuestChanged)]
