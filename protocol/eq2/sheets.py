"""The character sheet, which a client has of its own character alone."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

from protocol.eq2.bars import percent
from protocol.eq2.figures import FEMALE, MALE, NAMING
from protocol.eq2.packets import CharacterSheet, Sheet
from protocol.eq2.packing import pack, xor
from world import arms, holding
from world.realm import Weather
from world.rules.combat import Manner
from world.rules.growth import part_of_level

if TYPE_CHECKING:
    from protocol.eq2.looks import Eq2Looks
    from protocol.eq2.session import Eq2Session
    from protocol.eq2.versions import Eq2Version
    from world.mobile import Mobile

FALLING: Final = {Weather.RAIN: (0.8, 0.2), Weather.STORM: (1.0, 1.0)}
"""Rain and wind, 0 to 1, where there are any: from 0.75 it rains (emagi/eq2emu: zoneserver.cpp, SetRain). Of
snow its clients are told in words."""

LONGEST_NAME: Final = 40
HIGHEST_LEVEL: Final = 255


@lru_cache(maxsize=8)
def group_area(version: Eq2Version) -> tuple[int, int]:
    """First byte of the group on the sheet, and the one behind it: members, then which of them leads."""
    empty = version.pack_struct(Sheet())
    full = version.pack_struct(Sheet(group=b"\xff" * len(empty), group_leader=0xFFFF_FFFF))
    other = [at for at, byte in enumerate(full) if byte != empty[at]]
    return other[0], other[-1] + 1


class OwnSheet:
    """The character sheet: the difference to the one the client has. The group is that which the session was
    told of."""

    __slots__ = ("sheet",)
    droppable = False

    def __init__(self, sheet: bytes) -> None:
        self.sheet = sheet

    def bind(self, session: Eq2Session) -> bytes:
        """The message; nothing if the client has it. Notes that it does."""
        sheet = self.sheet
        if session.group:
            begin, end = group_area(session.version)
            sheet = sheet[:begin] + session.group + sheet[end:]
        before = session.sheet or bytes(len(sheet))
        if before == sheet:
            return b""
        session.sheet = sheet
        change = pack(xor(sheet, before), reverse=session.version.reverse)
        return session.version.encode(CharacterSheet(packed=change))


class SheetNow:
    """The character sheet as it is when it is sent, shared by all who are told of something that is on it."""

    __slots__ = ("_looks",)
    droppable = False

    def __init__(self, looks: Eq2Looks) -> None:
        self._looks = looks

    def bind(self, session: Eq2Session) -> bytes:
        """The message; nothing if the client has it, or before it had any."""
        if session.mobile is None or not session.sheet:
            return b""
        return sheet_of(session.mobile, self._looks, session.version).bind(session)


def sheet_of(mobile: Mobile, looks: Eq2Looks, version: Eq2Version) -> OwnSheet:
    """Write the sheet of a character. Vitality is this game's stamina; intelligence is its wisdom, too."""
    level = min(arms.level_of(mobile), HIGHEST_LEVEL)
    yellow, blue = bar(part_of_level(mobile.experience, mobile.world.content.growth))
    shoots = arms.weapon_of(mobile).manner is Manner.SHOOT
    strikes = mobile.enemy != 0
    rain, wind = FALLING.get(mobile.realm.weather, (0.0, 0.0)) if mobile.realm is not None else (0.0, 0.0)
    strength, vitality = _number(mobile.strength), _number(mobile.vitality)
    dexterity, intelligence = _number(mobile.dexterity), _number(mobile.intelligence)
    sheet = Sheet(
        name=NAMING.of(mobile)[:LONGEST_NAME],
        race=looks.mobiles[mobile.template.key].race,
        gender=FEMALE if mobile.female else MALE,
        level=level,
        effective_level=level,
        hits=max(0, mobile.hits),
        max_hits=max(0, mobile.hits_max),
        base_hits=max(0, mobile.hits_max),
        power=max(0, mobile.mana),
        max_power=max(0, mobile.mana_max),
        base_power=max(0, mobile.mana_max),
        concentration=0,
        max_concentration=5,
        mitigation=_number(arms.armour_of(mobile)),
        strength=strength,
        stamina=vitality,
        agility=dexterity,
        wisdom=intelligence,
        intelligence=intelligence,
        base_strength=strength,
        base_stamina=vitality,
        base_agility=dexterity,
        base_wisdom=intelligence,
        base_intelligence=intelligence,
        experience_yellow=yellow,
        experience_blue=blue,
        gold=holding.gold(mobile),
        weight=holding.weight(mobile),
        max_weight=holding.capacity(mobile),
        breath=float(percent(mobile.stam, mobile.stam_max)),
        auto_attack=int(strikes and not shoots),
        ranged_auto_attack=int(strikes and shoots),
        rain=rain,
        wind=wind,
    )
    return OwnSheet(version.pack_struct(sheet))


def bar(part: float) -> tuple[int, int]:
    """The two bars of experience for a part of the level, 0 to below 1: percent of the level, and of the
    tenth of it that has begun (emagi/eq2emu: Player.cpp, CalculateXPPercentages and the sheet of versions up
    to 561)."""
    thousandths = max(0, min(999, int(part * 1000)))
    return thousandths // 10, thousandths % 100


def _number(number: int) -> int:
    return max(0, min(0xFFFF, number))
