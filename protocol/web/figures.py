"""The world's people, creatures and things in the web client's words.

Everything here only reads the world. The live map says the same of what it shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.web.packets.people import Change, Seen, Show
from protocol.web.packets.status import Sheet
from world import holding
from world.delta import MobileDelta
from world.item import Item, Layer
from world.mobile import Mobile, Posture

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
                hits=percent(thing),
                notoriety=thing.notoriety,
                dead=thing.dead,
                sitting=thing.posture != Posture.STANDING,
                resident=not thing.is_character and not thing.template.creature,
                level=thing.level,
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
            hits=percent(thing) if flags & MobileDelta.HITS else None,
            notoriety=thing.notoriety if flags & MobileDelta.NOTO else None,
            dead=thing.dead if flags & MobileDelta.BODY else None,
            sitting=thing.posture != Posture.STANDING if flags & MobileDelta.POSTURE else None,
            level=thing.level if flags & MobileDelta.STAT else None,
        )
        return changed if changed != Change(thing.serial) else None

    def character(self, info: CharacterInfo) -> Appearance:
        """A line of a character list."""
        return self.looks.character(info)

    def sheet(self, mobile: Mobile) -> Sheet:
        """All numbers of one's own character."""
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
            level=mobile.level,
            experience=mobile.experience,
            gold=holding.gold(mobile),
            weight=holding.weight(mobile),
        )

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


def percent(mobile: Mobile) -> int:
    """Hits in a hundred: 0 only of who has none."""
    if mobile.hits <= 0 or mobile.hits_max <= 0:
        return 0
    return max(1, min(100, 100 * mobile.hits // mobile.hits_max))


def _about(mobile: Mobile) -> Sequence[str]:
    lines = [mobile.title] if mobile.title else []
    if mobile.dead:
        return (*lines, "A ghost.")
    hits = percent(mobile)
    health = next((words for above, words in reversed(_HEALTH) if hits > above), "dead")
    posture = ", sitting" if mobile.posture != Posture.STANDING else ""
    lines.append(f"{health.capitalize()}{posture}.")
    if mobile.is_character and mobile.level:
        lines.append(f"Level {mobile.level}.")
    worn = [item.label for layer, item in sorted(mobile.worn.items()) if layer not in _UNSEEN]
    if worn:
        lines.append(f"Wears {', '.join(worn[:MOST_NAMED])}.")
    return tuple(lines)


_UNSEEN: Final = frozenset({Layer.BACKPACK, Layer.BANK, Layer.HAIR, Layer.FACIAL_HAIR})
"""Layers of what is worn and not clothing."""
