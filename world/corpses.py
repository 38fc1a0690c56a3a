"""Corpses: what the dead leave, and who may take it. (PLAY, section 6)

A corpse is an item that cannot be moved and contains what the dead leaves: a creature's loot, which is made
in the same turn, or what a player carried. It lies there in one world for all games; where the one who killed
has no way to open it, what is in it falls to the ground at once. Who did most may loot alone for a while,
or its party, by the party's rule for loot; the one whose corpse it is always may.

Corpses and loot are stored like all else that lies: what somebody takes up is then one row that moves, as any
other, and what one killed and took is in the store or is not.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from world import decay, hands, holding, party
from world.heading import apart
from world.item import Item, Layer, Remains
from world.serials import SerialsExhausted

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from world.mobile import Mobile

log = logging.getLogger("world")

CORPSE: Final = "corpse"
"""Key of the kind of item that a corpse is."""

PART_OF_ONE: Final = frozenset({Layer.BACKPACK, Layer.HAIR, Layer.FACIAL_HAIR, Layer.BANK})
"""Layers of what nobody loses by death."""

PACK, ALL = "pack", "all"
"""Values of `LawRule.drops`."""


def lay(
    dead: Mobile, by: Mobile | None, wounds: Mapping[int, int], *, innocent: bool
) -> tuple[Item | None, bool]:
    """Lay the corpse of somebody who dies where it stands, with what it leaves in it. `wounds` are the hits
    that each took from it, `innocent` what it was. Returns the corpse (None if there is none) and whether its
    things are to fall out of it at once."""
    realm, world = dead.realm, dead.world
    if realm is None or CORPSE not in world.content.items:
        return None, False
    first, rights = _victors(dead, wounds)
    try:
        corpse, loot = holding.make(world, CORPSE), [] if dead.is_character else _loot(dead)
    except SerialsExhausted:
        # The store does not answer, or it would have reserved some: nobody has to live on for that.
        log.warning("%s dies without a corpse: no serial is reserved", dead.label)
        return None, False
    dropped = _dropped(dead) if dead.is_character else ()
    if loot and first is not None and first.party is not None:
        rights = party.heirs(dead, first.party)
    corpse.name = f"corpse of {dead.label}"
    corpse.remains = Remains(
        dead.template.key,
        dead.female,
        dead.heading,
        dead.skin_hue,
        dead.hair,
        dead.hair_hue,
        owner=dead.serial if dead.is_character else 0,
        rights=rights,
        until=world.now + world.content.law.rights_seconds,
        worn=tuple((item.serial, item.layer) for item in dropped if item.parent is dead),
        innocent=innocent,
    )
    for item in loot:
        holding.put(corpse, item)
    world.enter(corpse, realm, dead.x, dead.y, dead.z)
    for item in dropped:
        hands.put_into(item, corpse)
    return corpse, not _is_opened(dead, rights, first or by)


def fall_out(corpse: Item, dead: Mobile) -> None:
    """Let the things of a new corpse fall to the ground, where there is room."""
    for item in corpse.contents.values():
        item.dropper, item.dropped_at = dead.serial, dead.world.now
    decay.spill(corpse)


def _victors(dead: Mobile, wounds: Mapping[int, int]) -> tuple[Mobile | None, frozenset[int]]:
    """Who did most, and the serials of those with a right to what the dead leaves: it alone, or all of its
    party. Creatures have no right to anything."""
    world = dead.world
    sums: dict[object, int] = {}
    groups: dict[object, list[Mobile]] = {}
    for serial, hits in wounds.items():
        mobile = world.mobiles.get(serial)
        if mobile is not None and mobile.is_character and mobile is not dead:
            group: object = serial if mobile.party is None else id(mobile.party)
            sums[group] = sums.get(group, 0) + hits
            groups.setdefault(group, []).append(mobile)
    if not sums:
        return None, frozenset()
    best = groups[max(sums, key=lambda group: sums[group])]
    first = max(best, key=lambda mobile: wounds[mobile.serial])
    return first, frozenset([first.serial] if first.party is None else first.party.members)


def _is_opened(dead: Mobile, rights: frozenset[int], killer: Mobile | None) -> bool:
    """Whether those whom the corpse concerns have a way to open it in their games: whose it is, or who killed
    it. Of a party all who are near."""
    if dead.is_character and not dead.opens_corpses:
        return False
    near = dead.world.content.growth.party_tiles
    concerned = [
        mobile
        for mobile in (dead.world.mobiles.get(serial) for serial in rights)
        if mobile is not None and mobile.realm is dead.realm and apart(mobile, dead) <= near
    ]
    if not concerned and killer is not None:
        concerned = [killer]
    return all(mobile.opens_corpses or not mobile.is_character for mobile in concerned)


def _loot(dead: Mobile) -> list[Item]:
    """What a creature has had, as the dice say."""
    kind, world = dead.template.fights, dead.world
    made: list[Item] = []
    for chance in kind.loot if kind is not None else ():
        if world.random.random() >= chance.chance:
            continue
        amount = world.random.randint(chance.least, chance.most)
        stacks = world.content.items[chance.item].stackable
        parts = [amount] if stacks else [1] * amount
        made += [holding.make(world, chance.item, amount=part) for part in parts]
    return made


def _dropped(dead: Mobile) -> Sequence[Item]:
    """What a player's corpse takes of it, by the law of this server."""
    drops, pack = dead.world.content.law.drops, dead.backpack
    things: list[Item] = []
    if drops == ALL:
        things += [item for layer, item in sorted(dead.worn.items()) if layer not in PART_OF_ONE]
    if drops in (PACK, ALL) and pack is not None:
        things += pack.contents.values()
    return [item for item in things if item.template.movable]
