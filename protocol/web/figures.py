"""The world's people, creatures and things in the web client's words.

Everything here only reads the world. The live map says the same of what it shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.web.packets.fighting import SkillLine, Skills
from protocol.web.packets.people import Change, Seen, Show
from protocol.web.packets.status import Sheet
from world import arms, holding
from world.delta import MobileDelta
from world.item import Item, Layer
from world.mobile import Mobile, Posture
from world.rules import growth

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.services import CharacterInfo
    from protocol.web.looks import WebLooks
    from protocol.web.packets.people import Appearance
    from world.thing import Thing

LOOKS: Final = (
    MobileDelta.BODY | MobileDelta.HUE | MobileDelta.HAIR | MobileDelta.FACIAL_HAIR | MobileDelta.ARMOR
)
"""Flags that change how somebody is drawn."""

MOST_NAMED: Final = 20
"""Things that somebody is said to wear."""

_HEALTH: Final = ((0, "at death's door"), (25, "badly hurt"), (60, "hurt"), (95, "in good health"))
"""The health of somebody who has more hits than so many in a hundred."""


class Figures:
    """Makes the messages from looks."""

    def __init__(self, looks: WebLooks) -> None:
        self.looks = looks

    def show(self, thing: Thing) -> Show | None:
        """Somebody or something where it is now; None for what is neither mobile nor item."""
        if isinstance(thing, Mobile):
            return Show(
                id=thing.serial,
                kind="mobile",
                name=thing.name,
                x=thing.x,
                y=thing.y,
                look=self.looks.mobile(thing),
                heading=thing.heading,
                title=thing.title,
                game=thing.game,
                hits=percent(thing.hits, thing.hits_max),
                notoriety=thing.notoriety,
                dead=thing.dead,
                sitting=thing.posture != Posture.STANDING,
                resident=not thing.is_character and not thing.template.creature,
                level=_level(thing),
                fights=thing.template.fights is not None,
                enemy=thing.enemy,
                poisoned=thing.poisoned,
            )
        if isinstance(thing, Item):
            return Show(
                id=thing.serial,
                kind="item",
                name=thing.label,
                x=thing.x,
                y=thing.y,
                look=self.looks.item(thing),
                amount=thing.amount,
                container=thing.template.container,
                corpse=thing.remains is not None,
                fixed=not thing.template.movable,
            )
        return None

    def change(self, thing: Mobile | Item, flags: int) -> Change | None:
        """The difference of somebody, or of something that lies on the ground, by flags of
        `world.delta`; None if nothing that is shown."""
        if isinstance(thing, Item):
            return Change(thing.serial, name=thing.label, look=self.looks.item(thing), amount=thing.amount)
        changed = Change(
            thing.serial,
            name=thing.name if flags & MobileDelta.NAME else None,
            title=thing.title if flags & MobileDelta.PROPERTIES else None,
            look=self.looks.mobile(thing) if flags & LOOKS else None,
            game=thing.game if flags & MobileDelta.GAME else None,
            hits=percent(thing.hits, thing.hits_max) if flags & MobileDelta.HITS else None,
            notoriety=thing.notoriety if flags & MobileDelta.NOTO else None,
            dead=thing.dead if flags & MobileDelta.BODY else None,
            sitting=thing.posture != Posture.STANDING if flags & MobileDelta.POSTURE else None,
            level=_level(thing) if flags & MobileDelta.STAT else None,
            poisoned=thing.poisoned if flags & MobileDelta.FLAGS else None,
        )
        return changed if changed != Change(thing.serial) else None

    def character(self, info: CharacterInfo) -> Appearance:
        """A line of a character list."""
        return self.looks.character(info)

    def sheet(self, mobile: Mobile) -> Sheet:
        """All numbers of one's own character."""
        rule, level = mobile.world.content.growth, max(1, mobile.level)
        weapon = arms.weapon_of(mobile)
        return Sheet(
            hits=mobile.hits,
            hits_max=mobile.hits_max,
            mana=mobile.mana,
            mana_max=mobile.mana_max,
            stam=mobile.stam,
            stam_max=mobile.stam_max,
            strength=mobile.strength,
            dexterity=mobile.dexterity,
            intelligence=mobile.intelligence,
            vitality=mobile.vitality,
            level=mobile.level,
            experience=mobile.experience,
            level_from=growth.least_experience(level, rule),
            level_to=growth.least_experience(level + 1, rule),
            points=mobile.learner.points if mobile.learner is not None else 0,
            gold=holding.gold(mobile),
            weight=holding.weight(mobile),
            weight_max=holding.capacity(mobile),
            armour=arms.armour_of(mobile),
            damage_least=weapon.least,
            damage_most=weapon.most,
            blow_ms=arms.blow_ms(mobile),
            reach=weapon.reach,
            war=mobile.war,
            poisoned=mobile.poisoned,
        )

    def skills(self, mobile: Mobile) -> Skills:
        """All that one's own character has learned, or wants not to."""
        known = mobile.learner.skills if mobile.learner is not None else {}
        cap = growth.skill_cap(max(1, mobile.level), mobile.world.content.growth)
        lines = (
            SkillLine(name, one.value, one.lock)
            for name, one in sorted(known.items())
            if one.value or one.lock
        )
        return Skills(tuple(lines), cap)

    def seen(self, thing: Mobile | Item) -> Seen:
        """Lines for somebody who looks closely."""
        if isinstance(thing, Mobile):
            return Seen(thing.serial, thing.name, _about(thing))
        weight = holding.weight_of(thing, thing.amount)
        lines = [f"There are {thing.amount} of them."] if thing.amount > 1 else []
        lines += [f"It weighs {weight} {'stone' if weight == 1 else 'stones'}."] if weight else []
        lines += ["It can be opened."] if thing.template.container else []
        lines += ["It can be worn."] if thing.template.layer else []
        return Seen(thing.serial, thing.label, tuple(lines))


def percent(hits: int, most: int) -> int:
    """Hits in a hundred: 0 only of who has none."""
    if hits <= 0 or most <= 0:
        return 0
    return max(1, min(100, 100 * hits // most))


def _level(mobile: Mobile) -> int:
    """Level of a character or a creature; 0 of a resident, who has none."""
    kind = mobile.template.fights
    return kind.level if kind is not None else mobile.level


def _about(mobile: Mobile) -> Sequence[str]:
    lines = [mobile.title] if mobile.title else []
    if mobile.dead:
        return (*lines, "A ghost.")
    hits = percent(mobile.hits, mobile.hits_max)
    health = next((words for above, words in reversed(_HEALTH) if hits > above), "dead")
    posture = ", sitting" if mobile.posture != Posture.STANDING else ""
    lines.append(f"{health.capitalize()}{posture}.")
    if _level(mobile):
        lines.append(f"Level {_level(mobile)}.")
    worn = [item.label for layer, item in sorted(mobile.worn.items()) if layer not in _UNSEEN]
    if worn:
        lines.append(f"Wears {', '.join(worn[:MOST_NAMED])}.")
    return tuple(lines)


_UNSEEN: Final = frozenset({Layer.BACKPACK, Layer.BANK, Layer.HAIR, Layer.FACIAL_HAIR})
"""Layers of what is worn and not clothing."""
