"""Newcomers: making a character, and finding a place for one to stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import holding, learning
from world.containers import within
from world.item import Layer
from world.mobile import Mobile
from world.rules import growth
from world.skills import SKILLS, TENTHS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from world.item import Item
    from world.realm import Realm
    from world.thing import Surroundings

START: Final = 10
"""Strength, dexterity, intelligence and vitality of every newcomer: what a client chooses at creation changes
skills only. (PLAY, section 2)"""

KNOWN: Final = {"daggers": 30.0, "tactics": 30.0, "healing": 30.0}
"""Skills of a newcomer whose client chose none, in points."""

SKILL_MOST: Final = 50
SKILLS_TOTAL: Final = 120
"""Points of a skill that a new character may choose, and their sum: ServUO,
Scripts/Misc/CharacterCreation.cs,
SetSkills (of clients that choose four)."""

HAIR_MOST: Final = 20
BEARD_MOST: Final = 7
"""Styles of data/looks/people.toml; 0 is bald and shaven."""
HAIR_HUES: Final = 1102, 1149
SKIN_HUES: Final = 1002, 1058
CLOTH_HUES: Final = 2, 1001
"""First and last: ServUO, Server/Utility.cs (ClipHairHue, ClipSkinHue, ClipDyedHue)."""


def make_legal(mobile: Mobile) -> None:
    """Limit a client's choices for a new character to those allowed, the same for every client."""
    mobile.hair = _within(mobile.hair, 0, HAIR_MOST)
    mobile.hair_hue = _within(mobile.hair_hue, *HAIR_HUES)
    mobile.beard = 0 if mobile.female else _within(mobile.beard, 0, BEARD_MOST)
    mobile.skin_hue = _within(mobile.skin_hue, *SKIN_HUES)
    mobile.strength = mobile.dexterity = mobile.intelligence = mobile.vitality = START


def choose_skills(mobile: Mobile, wishes: Mapping[str, float]) -> None:
    """Give a new character the skills its client asked for, in points, within the limits, the first wishes
    first; who asks for none knows what everybody knows."""
    wishes = wishes if any(name in SKILLS and wish > 0 for name, wish in wishes.items()) else KNOWN
    left = float(SKILLS_TOTAL)
    for name, wish in wishes.items():
        points = max(0.0, min(wish, SKILL_MOST, left))
        if name in SKILLS and points and mobile.learner is not None:
            mobile.learner.learn(name, int(points * TENTHS))
            left -= points


def bring_up(mobile: Mobile) -> None:
    """Give a new character the first level, and all the hits, mana and stamina that go with it."""
    mobile.level = 1
    mobile.experience = growth.least_experience(1, mobile.world.content.growth)
    learning.measure(mobile)
    mobile.hits, mobile.mana, mobile.stam = mobile.hits_max, mobile.mana_max, mobile.stam_max


def _within(value: int, least: int, most: int) -> int:
    return max(least, min(most, value))


def outfit(mobile: Mobile, *, shirt_hue: int = 0, pants_hue: int = 0, stored: bool = True) -> None:
    """Give a new character the clothes and the pack that its template names. Hue 0 is no wish."""
    world, template = mobile.world, mobile.template
    hues = {Layer.SHIRT: shirt_hue, Layer.PANTS: pants_hue, Layer.OUTER_LEGS: pants_hue}
    for key, hue in template.worn_female if mobile.female else template.worn:
        wish = hues.get(world.content.items[key].layer, 0)
        dyed = _within(wish, *CLOTH_HUES) if wish else hue
        holding.wear(mobile, holding.make(world, key, hue=dyed, stored=stored))
    pack = holding.make(world, "backpack", stored=stored)
    holding.wear(mobile, pack)
    for key, amount in template.carried:
        holding.put(pack, holding.make(world, key, amount=amount, stored=stored))


def all_items(mobile: Mobile) -> list[Item]:
    """Everything a mobile wears and carries, holders before their contents."""
    found: list[Item] = []
    queue = list(mobile.worn.values())
    while queue:
        item = queue.pop(0)
        found.append(item)
        queue.extend(item.contents.values())
    return found


def kept_items(mobile: Mobile) -> list[Item]:
    """The same, with its vault and what lies in it: all that the store has of it."""
    vault = mobile.vault
    return [*all_items(mobile), *([] if vault is None else [vault, *within(vault)])]


def spawn_place(world: Surroundings) -> tuple[Realm, int, int]:
    """Choose realm, x and y for the next newcomer: a spawn of the first realm, spread over free tiles within
    3; of a realm that has any where the first is another world's."""
    realms = [*world.realms.values()]
    start = world.realms.get(world.content.start_realm)
    realm = start or next((one for one in realms if one.chart.spawns), realms[0])
    chart = realm.chart
    x, y = world.random.choice(list(chart.spawns) or [(chart.width // 2, chart.height // 2)])
    taken = {(thing.x, thing.y) for thing in realm.space.around(x, y, 3) if isinstance(thing, Mobile)}
    places = list(realm.free_near(x, y, 3)) or [next(realm.free_near(x, y, max(chart.width, chart.height)))]
    return realm, *next((place for place in places if place not in taken), places[0])


def start_place(world: Surroundings) -> tuple[str, int, int]:
    """Choose where everybody begins, as `spawn_place` does, for one that may be taken there over a border:
    key of the realm, x and y."""
    start = world.content.start_realm
    if start in world.realms or not world.leads_to(start):
        realm, x, y = spawn_place(world)
        return realm.name, x, y
    return start, *world.random.choice(list(world.content.charts[start].spawns))
