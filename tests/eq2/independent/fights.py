"""Strict readers of what the world server says of fights and of what the dead leave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.eq2.independent.messages import (
    DAMAGES,
    NOBODY,
    RESULTS,
    Blow,
    Death,
    DeathWindow,
    Heal,
    Level,
    Loot,
    Looted,
    LootOver,
    Resurrected,
    Way,
)

if TYPE_CHECKING:
    from tests.eq2.independent.fields import Fields


def blow(fields: Fields) -> Blow:
    """420."""
    attacker, defender, proxy, result = fields.u32(), fields.u32(), fields.u32(), fields.u8()
    fields.given(0, 4, "the way in which chat tells it")
    fields.given(1, 1, "the number of damages")
    fields.given(0, 1, "what is siphoned")
    kind, damage = fields.u8(), fields.u16()
    fields.given(0, 2, "what stands behind the damage")
    critical = fields.u8()
    fields.given(0, 1, "what stands behind the critical")
    fields.given(0, 1, "whether it is a spell's")
    fields.given(0, 2, "the name of a spell")
    struck = Blow(attacker, defender, result, kind, damage, critical)
    if proxy != defender or result not in RESULTS or kind not in DAMAGES:
        raise fields.wrong(f"{struck} by the proxy {proxy}")
    if (result != 0 and damage) or (result == 0 and not damage):
        raise fields.wrong(f"{struck}: only hits take something")
    return struck


def death(fields: Fields) -> Death:
    died = Death(fields.u32(), fields.u32())
    fields.u8()
    return died


def heal(fields: Fields) -> Heal:
    healed = Heal(fields.u32(), fields.u32(), fields.u16(), fields.s16())
    fields.take(2)
    return healed


def death_window(fields: Fields) -> DeathWindow:
    ways = []
    for _ in range(fields.u16()):
        number = fields.u32()
        fields.u8()
        ways.append(Way(number, fields.s16(), fields.s16(), fields.s16(), fields.f32()))
    fields.s16()
    fields.take(2)
    return DeathWindow(tuple(ways))


def resurrected(fields: Fields) -> Resurrected:
    fields.u8()
    return Resurrected()


def looted(fields: Fields) -> Looted:
    number, count = fields.u32(), fields.u8()
    fields.given(0, 2, "what stands behind the count")
    fields.s8()
    if fields.u32() == NOBODY:
        raise fields.wrong("a thing without a number, upon which another field is shorter")
    fields.take(8)
    icon = fields.u16()
    fields.take(1 + 4 + 15)
    fields.given(0, 2, "changes of attributes and lines about them")
    fields.u8()
    weight = fields.u8()
    if weight >= 127:
        raise fields.wrong("a weight in its long form")
    fields.take(4 + 4)
    fields.given(0, 3, "skill, professions and places to wear it")
    fields.u32()
    fields.given(0, 1, "a purpose")
    thing = Looted(number, count, icon, weight, fields.s8())
    fields.s16()
    if not thing.count or not thing.name:
        raise fields.wrong(f"{thing}")
    return thing


def loot(fields: Fields) -> Loot:
    things = tuple(looted(fields) for _ in range(fields.u16()))
    window = Loot(things, fields.u8(), fields.u32(), fields.u32(), fields.u32())
    if window.display > 1 or window.sharing > 4 or len({thing.number for thing in things}) != len(things):
        raise fields.wrong(f"{window}")
    return window


def loot_over(fields: Fields) -> LootOver:
    return LootOver(fields.u32())


def level(fields: Fields) -> Level:
    reached = Level(fields.u16(), fields.u16(), fields.u8())
    if reached.kind > 1:
        raise fields.wrong(f"{reached}")
    return reached
