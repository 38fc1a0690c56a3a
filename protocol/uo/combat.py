"""Fights as Ultima Online's packets: blows with their pictures, sounds and numbers, enemies, deaths, corpses.

Who sees a fight sees the bodies move and hears them; numbers are for the two that fight, and only the client
of who strikes is told so (ServUO, Scripts/Items/Equipment/Weapons/BaseWeapon.cs; Server/Mobile.cs). The one
struck is not the viewer that an event is rendered for, so what only its client reads is bound (`ForOne`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo.figures import GROWTH_SERIALS, is_person
from protocol.uo.packets.fighting import (
    Attacking,
    CorpseClothes,
    CorpseWorn,
    Damage,
    DamageOld,
    DeathAnimation,
    Swing,
    WarMode,
    YouAreDead,
)
from protocol.uo.packets.misc import Sound
from protocol.uo.packets.people import Animation, NewAnimation
from protocol.uo.packets.things import Contained, ContainedOld, ContainerContent, ContainerContentOld
from protocol.wire.body import Body
from world import arms
from world.corpses import ALL
from world.events import Manner, Outcome
from world.item import Item, Layer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from protocol.outgoing import Encodable, Outgoing
    from protocol.uo.figures import Figures
    from protocol.uo.packets.base import ServerPacket
    from protocol.uo.session import UoSession
    from protocol.uo.versions import UoVersion
    from world.events import Died, Engaged, Struck, Swung
    from world.mobile import Mobile

NOBODY: Final = 0
DIED: Final = 0

ATTACK, PARRY, IMPACT = 0, 1, 4
"""Kinds of 0xE2 (ServUO, Server/Mobile.cs, AnimationType)."""

WRESTLE: Final = 0
_ATTACKS: Final = {Manner.SHOOT: 1, Manner.BASH: 3, Manner.SLASH: 4, Manner.PIERCE: 5}
_TWO_HANDED_ATTACKS: Final = {Manner.BASH: 6, Manner.SLASH: 7, Manner.PIERCE: 8}
"""Actions of 0xE2's attack, by how people strike (BaseWeapon.cs, GetNewAnimationAction)."""

_OLD_WRESTLE: Final = 31
_OLD_ATTACKS: Final = {Manner.SHOOT: 18, Manner.BASH: 11, Manner.SLASH: 9, Manner.PIERCE: 10}
_OLD_TWO_HANDED_ATTACKS: Final = {Manner.BASH: 12, Manner.SLASH: 13, Manner.PIERCE: 14}
_OLD_BEAST_ATTACK: Final = 5
"""Actions of 0x6E (BaseWeapon.cs, PlaySwingAnimation). Animals and monsters both strike by 5."""

_SWING_FRAMES: Final = 7
_OLD_HURTS: Final = {"person": (20, 5), "monster": (10, 4), "animal": (7, 5)}
"""Action and frames of 0x6E for who is hit (BaseWeapon.cs, PlayHurtAnimation)."""

FIRST_ANIMAL: Final = 200
"""Bodies below it have a monster's actions (ClassicUO; the layout of anim.mul)."""

ONCE: Final = 1
_HITS: Final = {Manner.SLASH: 0x237, Manner.PIERCE: 0x23B, Manner.BASH: 0x233, Manner.SHOOT: 0x234}
_MISSES: Final = {Manner.SLASH: 0x238, Manner.PIERCE: 0x238, Manner.BASH: 0x239, Manner.SHOOT: 0x238}
"""Sounds of weapons (ServUO: BasePoleArm, BaseKnife, BaseBashing, BaseRanged). Fists have none."""

_HURTS: Final = {False: 0x154, True: 0x14B}
_DEATHS: Final = {False: 0x423, True: 0x314}
"""Voices of people; True: female."""
_DIFFERENT_DEATHS: Final = 4

STRIKES, HURT, DIES = 2, 3, 4
_VOICES: Final = {
    0x01: 427,
    0x03: 471,
    0x07: 0x45A,
    0x0E: 268,
    0x11: 0x45A,
    0x12: 367,
    0x17: 0xE5,
    0x18: 0x3E9,
    0x1A: 0x482,
    0x1C: 0x388,
    0x1F: 0x39D,
    0x27: 422,
    0x2A: 437,
    0x32: 0x48D,
    0x33: 456,
    0x34: 0xDB,
    0x35: 461,
    0x39: 451,
    0x4A: 422,
    0x4F: 412,
    0x8C: 0x45A,
    0x99: 0x482,
    0x9A: 471,
    0xA7: 0xA3,
    0xCB: 0xC4,
    0xCF: 0xD6,
    0xD4: 0xA3,
    0xD7: 0x188,
    0xD9: 0x85,
    0xE1: 0xE5,
    0xEE: 0xCC,
    0x13D: 0x270,
}
"""First sound of a beast, by its body: from there on anger, rest, striking, pain and death (ServUO,
Scripts/Mobiles: BaseSoundID of each class)."""


class ForOne:
    """A packet that only the client of one mobile reads, of all that see something."""

    __slots__ = ("_raw", "_serial")
    droppable = False

    def __init__(self, serial: int, packet: Encodable) -> None:
        self._serial = serial
        self._raw = packet.encode()

    def bind(self, session: UoSession) -> bytes:
        """The packet, or nothing."""
        mobile = session.mobile
        return self._raw if mobile is not None and mobile.serial == self._serial else b""


# Blows


def struck(figures: Figures, event: Struck, version: UoVersion, *, own: bool) -> Sequence[Outgoing]:
    """A blow; `own` for the client of who strikes."""
    attacker, target = event.thing, event.target
    told: list[Outgoing] = []
    if own:
        told += _bodies(Swing(attacker.serial, target.serial))
    told += _bodies(_swing(figures, attacker, event.manner, version, two_handed=event.two_handed))
    told += _bodies(*_sounds(figures, event), *_answers(figures, event, version))
    if event.damage > 0:
        number = damage(target, event.damage, version)
        if own:
            told += _bodies(number)
        elif target.is_character:
            told.append(ForOne(target.serial, number))
    return told


def swung(figures: Figures, event: Swung, version: UoVersion) -> Sequence[Outgoing]:
    """A blow at nobody."""
    mobile = event.thing
    manner, both = arms.weapon_of(mobile).manner, arms.is_two_handed(mobile)
    return _bodies(_swing(figures, mobile, manner, version, two_handed=both))


def damage(target: Mobile, amount: int, version: UoVersion) -> Damage | DamageOld:
    """0x0B or 0xBF 0x22: the number over its head."""
    if version.wide_damage:
        return Damage(target.serial, min(amount, 0xFFFF))
    return DamageOld(target.serial, min(amount, 0xFF))


def _swing(
    figures: Figures, mobile: Mobile, manner: Manner, version: UoVersion, *, two_handed: bool
) -> NewAnimation | Animation:
    person = is_person(figures.body(mobile))
    if version.new_animations:
        attacks = {**_ATTACKS, **_TWO_HANDED_ATTACKS} if two_handed else _ATTACKS
        return NewAnimation(mobile.serial, ATTACK, attacks.get(manner, WRESTLE) if person else WRESTLE, 0)
    attacks = {**_OLD_ATTACKS, **_OLD_TWO_HANDED_ATTACKS} if two_handed else _OLD_ATTACKS
    action = attacks.get(manner, _OLD_WRESTLE) if person else _OLD_BEAST_ATTACK
    return Animation(mobile.serial, action, _SWING_FRAMES, 1, False, False, 0)


def _answers(figures: Figures, event: Struck, version: UoVersion) -> Iterator[ServerPacket]:
    """What the one struck does: it winces, or parries. Who dies of it falls instead."""
    target = event.target
    if target.dead or event.outcome is Outcome.MISSED:
        return
    if version.new_animations:
        yield NewAnimation(target.serial, PARRY if event.outcome is Outcome.BLOCKED else IMPACT, 0, 0)
    elif event.outcome is not Outcome.BLOCKED:
        body = figures.body(target)
        kind = "person" if is_person(body) else "monster" if body < FIRST_ANIMAL else "animal"
        action, frames = _OLD_HURTS[kind]
        yield Animation(target.serial, action, frames, 1, False, False, 0)


def _sounds(figures: Figures, event: Struck) -> Iterator[Sound]:
    attacker, target = event.thing, event.target
    hit = event.outcome in (Outcome.HIT, Outcome.CRITICAL)
    voice = _VOICES.get(figures.body(attacker))
    if voice is None:
        yield from _sound(figures, attacker, (_HITS if hit else _MISSES).get(event.manner))
    elif hit:
        yield from _sound(figures, attacker, voice + STRIKES)
    if hit and not target.dead:
        yield from _sound(figures, target, _cry(figures.body(target), HURT, _HURTS[target.female]))


def _cry(body: int, which: int, of_people: int) -> int | None:
    """The sound of a body, None for those that are mute."""
    voice = _VOICES.get(body)
    if voice is not None:
        return voice + which
    return of_people if is_person(body) else None


def _sound(figures: Figures, thing: Mobile | Item, number: int | None) -> Iterator[Sound]:
    if number is not None and thing.realm is not None:
        yield Sound(ONCE, number, 0, *figures.places.of(thing))


# Enemies


def engaged(figures: Figures, event: Engaged, *, own: bool) -> Sequence[Outgoing]:
    """0xAA, and the war mode that an attack begins; others see the creature draw itself up (0x77)."""
    if own:
        return _bodies(WarMode(True), Attacking(event.target.serial)) if event.thing.war else []
    return stance(figures, event.thing)


def disengaged(figures: Figures, mobile: Mobile, *, own: bool) -> Sequence[Outgoing]:
    """0xAA of nobody; others see the creature calm down (0x77)."""
    return _bodies(Attacking(NOBODY)) if own else stance(figures, mobile)


def stance(figures: Figures, mobile: Mobile) -> Sequence[Outgoing]:
    """0x77 of a creature, whose war flag is its having an enemy."""
    if mobile.is_character or mobile.dead or mobile.realm is None:
        return []
    return _bodies(figures.standing(mobile))


# Deaths


def died(figures: Figures, event: Died, *, own: bool) -> Sequence[Outgoing]:
    """0x2C, peace and no enemy for its own client. To others 0xAF, by which the client lets the body fall and
    shows the corpse, before whatever takes the body away; and its last cry."""
    if own:
        return _bodies(YouAreDead(DIED), WarMode(False), Attacking(NOBODY))
    mobile, corpse = event.thing, event.corpse
    body = figures.looks.body(mobile.template.key, female=mobile.female, dead=False)
    people = _DEATHS[mobile.female] + mobile.serial % _DIFFERENT_DEATHS
    return _bodies(
        DeathAnimation(mobile.serial, corpse.serial if corpse is not None else NOBODY, 0),
        *_sound(figures, corpse if corpse is not None else mobile, _cry(body, DIES, people)),
    )


def corpse_clothes(figures: Figures, corpse: Item, version: UoVersion) -> Sequence[ServerPacket]:
    """0x3C and 0x89: what the corpse of a person wears; nothing for other items and for beasts."""
    remains = corpse.remains
    if remains is None or not is_person(figures.body_of(remains)):
        return ()
    worn = list(_worn_by(figures, corpse))
    if not worn:
        return ()
    content: ContainerContent | ContainerContentOld
    if version.grid:
        content = ContainerContent(
            tuple(
                Contained(serial, art, 1, 0, 0, place, corpse.serial, hue)
                for place, (_, serial, art, hue) in enumerate(worn)
            )
        )
    else:
        content = ContainerContentOld(
            tuple(ContainedOld(serial, art, 1, 0, 0, corpse.serial, hue) for _, serial, art, hue in worn)
        )
    clothes = tuple(CorpseWorn(layer + 1, serial) for layer, serial, _, _ in worn)
    return content, CorpseClothes(corpse.serial, clothes)


def _worn_by(figures: Figures, corpse: Item) -> Iterator[tuple[int, int, int, int]]:
    """Layer, serial, item id, hue: one for each layer."""
    remains, taken = corpse.remains, set()
    if remains is None:
        return
    # Elsewhere nobody loses by death what it wears, and what lies in the corpse was in the pack.
    if corpse.world.content.law.drops == ALL:
        for item in corpse.contents.values():
            layer = item.template.layer
            if layer and layer not in taken:
                taken.add(layer)
                yield layer, item.serial, figures.art(item), figures.hue(item)
    hair = figures.looks.hair_item(remains.hair, female=remains.female)
    if hair and Layer.HAIR not in taken:
        yield Layer.HAIR, _hair_serial(corpse), hair, remains.hair_hue


def _hair_serial(corpse: Item) -> int:
    """The serial of its hair as an item: of the four for each thing the one that no mobile's growth has."""
    return GROWTH_SERIALS + (corpse.serial * 4 + 3 & 0xFFFFFF)


def _bodies(*packets: Encodable) -> list[Outgoing]:
    return [Body(packet.encode(), droppable=packet.droppable) for packet in packets]
