"""Fights as Ultima Online's packets: blows with their pictures, sounds and numbers, enemies, deaths, corpses.

Who sees a fight sees the bodies move and hears them; numbers are for the two that fight and for those who go
with them, and only the client of who strikes is told so (ServUO,
Scripts/Items/Equipment/Weapons/BaseWeapon.cs; Server/Mobile.cs). Which of the viewers these are an event does
not tell, so what only some read is bound (`ForSome`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo.figures import GROWTH_SERIALS, is_person
from protocol.uo.packets import bodies
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
from protocol.uo.packets.misc import Effect, EffectKind, Sound
from protocol.uo.packets.people import Animation, NewAnimation
from protocol.uo.packets.talk import AsciiMessage, SpeechKind
from world import arms
from world.events import Manner, Outcome
from world.item import Item, Layer

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

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
"""The first of people's voices, and how many there are of each; True: female."""
_PEOPLE_VOICES: Final = 4

ANGRY, STRIKES, HURT, DIES = 0, 2, 3, 4
"""Sounds of a creature, counted from the first of its kind; the second is that of one at rest."""

LIFE_EFFECT, LIFE_SPEED, LIFE_FRAMES = 0x376A, 10, 16
LIFE_SOUND: Final = 0x214
"""Of a resurrection: ServUO, Scripts/Spells/Eighth/Resurrection.cs."""

ATTACKED_HUE: Final = 0x22
ATTACKED_FONT: Final = 3
"""Of the words over the head of who is attacked: recorded of ServUO."""


class ForSome:
    """A packet about a fight that of all who look on only those read whom it concerns: the players of
    `mobiles`, and with `parties` those who go with one of them. Bound, because a view does not know who
    looks on."""

    __slots__ = ("_mobiles", "_parties", "_raw", "droppable")

    def __init__(self, packet: Encodable, *mobiles: Mobile, parties: bool = False) -> None:
        self.droppable = packet.droppable
        self._raw = packet.encode()
        self._mobiles = mobiles
        self._parties = parties

    def bind(self, session: UoSession) -> bytes:
        """The packet, or nothing."""
        viewer = session.mobile
        if viewer is None:
            return b""
        party = viewer.party if self._parties else None
        concerned = any(viewer is one or (party is not None and one.party is party) for one in self._mobiles)
        return self._raw if concerned else b""


# Blows


def struck(figures: Figures, event: Struck, version: UoVersion, *, own: bool) -> Sequence[Outgoing]:
    """A blow; `own` for the client of who strikes."""
    attacker, target = event.thing, event.target
    told: list[Outgoing] = []
    if own:
        told += bodies(Swing(attacker.serial, target.serial))
    told += bodies(_swing(figures, attacker, event.manner, version, two_handed=event.two_handed))
    told += bodies(*_sounds(figures, event), *_answers(figures, event, version))
    if event.damage > 0:
        told.append(ForSome(damage(target, event.damage, version), attacker, target, parties=True))
    return told


def swung(figures: Figures, event: Swung, version: UoVersion) -> Sequence[Outgoing]:
    """A blow at nobody."""
    mobile = event.thing
    manner, both = arms.weapon_of(mobile).manner, arms.is_two_handed(mobile)
    missed = _sound(figures, mobile, None if figures.voice(mobile) else _MISSES.get(manner))
    return bodies(_swing(figures, mobile, manner, version, two_handed=both), *missed)


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
    voice = figures.voice(attacker)
    if not voice:
        yield from _sound(figures, attacker, (_HITS if hit else _MISSES).get(event.manner))
    elif hit:
        yield from _sound(figures, attacker, voice + STRIKES)
    if hit and not target.dead:
        yield from _sound(figures, target, _cry(figures, target, HURT, _HURTS))


def _cry(figures: Figures, mobile: Mobile, which: int, of_people: Mapping[bool, int]) -> int | None:
    """The sound that it makes, None for those that are mute. Of people each has a voice of its own."""
    voice = figures.voice(mobile)
    if voice:
        return voice + which
    if not figures.is_person(mobile):
        return None
    return of_people[mobile.female] + mobile.serial % _PEOPLE_VOICES


def _sound(figures: Figures, thing: Mobile | Item, number: int | None) -> Iterator[Sound]:
    if number is not None and thing.realm is not None:
        yield Sound(ONCE, number, 0, *figures.places.of(thing))


# Enemies


def engaged(figures: Figures, event: Engaged, *, own: bool) -> Sequence[Outgoing]:
    """0xAA, and the war mode that an attack begins. Others hear a creature's anger, and over the head of who
    is attacked its own client shows words."""
    mobile, target = event.thing, event.target
    if own:
        return bodies(WarMode(mobile.war), Attacking(target.serial))
    words = AsciiMessage(
        target.serial,
        figures.body(target),
        SpeechKind.SAY,
        ATTACKED_HUE,
        ATTACKED_FONT,
        target.name,
        f"{mobile.label} is attacking you!",
    )
    voice = figures.voice(mobile)
    angry = _sound(figures, mobile, voice + ANGRY if voice else None)
    return [*bodies(*angry), ForSome(words, target)]


def disengaged(*, own: bool) -> Sequence[Outgoing]:
    """0xAA of nobody; others see by 0x77 whether it is at war still."""
    return bodies(Attacking(NOBODY)) if own else []


# Deaths


def died(figures: Figures, event: Died, *, own: bool) -> Sequence[Outgoing]:
    """0x2C, peace and no enemy for its own client. To others 0xAF, by which the client lets the body fall and
    shows the corpse, before whatever takes the body away; and its last cry."""
    if own:
        return bodies(YouAreDead(DIED), WarMode(False), Attacking(NOBODY))
    mobile, corpse = event.thing, event.corpse
    if corpse is not None and corpse.realm is None:
        corpse = None  # gone within its first turn
    return bodies(
        DeathAnimation(mobile.serial, corpse.serial if corpse is not None else NOBODY, 0),
        *_sound(figures, corpse if corpse is not None else mobile, _cry(figures, mobile, DIES, _DEATHS)),
    )


def revived(figures: Figures, mobile: Mobile) -> Sequence[Outgoing]:
    """0x70 and 0x54: somebody lives again. The body comes with what changed."""
    if mobile.realm is None:
        return []
    at = figures.places.of(mobile)
    pace = LIFE_SPEED, LIFE_FRAMES
    rises = Effect(EffectKind.AT_SOURCE, mobile.serial, NOBODY, LIFE_EFFECT, *at, *at, *pace, True, False)
    return bodies(rises, *_sound(figures, mobile, LIFE_SOUND))


def corpse_clothes(figures: Figures, corpse: Item, version: UoVersion) -> Sequence[ServerPacket]:
    """0x3C and 0x89: what the corpse of a person is seen in; nothing for other items and for beasts."""
    pieces = _pieces(figures, corpse)
    if not pieces:
        return ()
    inside = [(serial, art, 1, 0, 0, hue) for _, serial, art, hue in pieces]
    return figures.contents(corpse.serial, inside, version), _clothes(corpse, pieces)


def corpse_wears(figures: Figures, corpse: Item) -> Sequence[ServerPacket]:
    """0x89 for a client that has just read what lies in a corpse (0x3C): which of these things it wears."""
    pieces = [piece for piece in _pieces(figures, corpse) if piece[1] in corpse.contents]
    return [_clothes(corpse, pieces)] if pieces else ()


def redressed(
    figures: Figures, item: Item, corpse: Item, version: UoVersion, *, outside: bool
) -> Sequence[ServerPacket]:
    """Tell again what a corpse wears, because something of that lies in it anew: the dead has lost it, or
    somebody put it back, and 0x1D told that it is worn no more. Nothing for other things. `outside`: to a
    client that was not told what else lies in it."""
    if corpse.remains is None or all(serial != item.serial for serial, _ in corpse.remains.worn):
        return ()
    if outside:
        return corpse_clothes(figures, corpse, version)
    return figures.contained(item, corpse, version), *corpse_wears(figures, corpse)


def _clothes(corpse: Item, pieces: Iterable[tuple[int, int, int, int]]) -> CorpseClothes:
    return CorpseClothes(
        corpse.serial, tuple(CorpseWorn(layer + 1, serial) for layer, serial, _, _ in pieces)
    )


def _pieces(figures: Figures, corpse: Item) -> list[tuple[int, int, int, int]]:
    """Layer, serial, item id, hue of what it wore and nobody has taken yet, and of its hair: one for each
    layer."""
    remains = corpse.remains
    if remains is None or not is_person(figures.body_of(remains)):
        return []
    worn = [(corpse.contents.get(serial), layer) for serial, layer in remains.worn]
    pieces = [(layer, item.serial, figures.art(item), figures.hue(item)) for item, layer in worn if item]
    hair = figures.looks.hair_item(remains.hair, female=remains.female)
    if hair:
        pieces.append((Layer.HAIR, _hair_serial(corpse), hair, remains.hair_hue))
    return pieces


def _hair_serial(corpse: Item) -> int:
    """The serial of its hair as an item: of the four for each thing the one that no mobile's growth has."""
    return GROWTH_SERIALS + (corpse.serial * 4 + 3 & 0xFFFFFF)
