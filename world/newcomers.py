"""Making a character, and finding a place for one to stand."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Final

from world import holding
from world.item import Layer
from world.mobile import Mobile

if TYPE_CHECKING:
    from world.item import Item
    from world.realm import Realm
    from world.world import World

NAME_SHORTEST: Final = 4
NAME_LONGEST: Final = 12
"""Letters of a character's name: what the narrowest of the five clients can type and show (EO)."""

_LOOK_ALIKES: Final = str.maketrans({"i": "l", "j": "l", "0": "o", "1": "l", "q": "g"})

RESERVED: Final = frozenset({"system", "server", "admin", "owner", "causeway", "gamemaster", "counselor"})


def proper_name(name: str) -> str | None:
    """The name as it is stored, with a capital; None if the rule does not allow it."""
    name = name.strip()
    if not (NAME_SHORTEST <= len(name) <= NAME_LONGEST and name.isascii() and name.isalpha()):
        return None
    if name.casefold() in RESERVED:
        return None
    return name[0].upper() + name[1:].lower()


def name_key(name: str) -> str:
    """Equal for names that differ only by letter case or look alike (l, I, J; ...)."""
    folded = unicodedata.normalize("NFKC", name).casefold().translate(_LOOK_ALIKES)
    return folded.replace("rn", "m").replace("vv", "w")


def outfit(mobile: Mobile, *, shirt_hue: int = 0, pants_hue: int = 0, stored: bool = True) -> None:
    """What every new character owns: the clothes and the pack that its template names."""
    world, template = mobile.world, mobile.template
    hues = {Layer.SHIRT: shirt_hue, Layer.PANTS: pants_hue, Layer.OUTER_LEGS: pants_hue}
    for key, hue in template.worn_female if mobile.female else template.worn:
        wish = hues.get(world.content.items[key].layer, 0)
        holding.wear(mobile, holding.make(world, key, hue=wish or hue, stored=stored))
    pack = holding.make(world, "backpack", stored=stored)
    holding.wear(mobile, pack)
    for key, amount in template.carried:
        holding.put(pack, holding.make(world, key, amount=amount, stored=stored))


def all_items(mobile: Mobile) -> list[Item]:
    """Everything it wears and carries, holders before what they hold."""
    found: list[Item] = []
    queue = list(mobile.worn.values())
    while queue:
        item = queue.pop(0)
        found.append(item)
        queue.extend(item.contents.values())
    return found


def spawn_place(world: World) -> tuple[Realm, int, int]:
    """Where the next newcomer appears: a spawn of the first realm, spread over free tiles within 3."""
    realm = world.realms[world.content.start_realm]
    x, y = world.random.choice(list(realm.chart.spawns))
    taken = {(thing.x, thing.y) for thing in realm.space.around(x, y, 3) if isinstance(thing, Mobile)}
    places = list(realm.free_near(x, y, 3))
    return realm, *next((place for place in places if place not in taken), places[0])
