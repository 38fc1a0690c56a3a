"""Blows, deaths, healing and levels."""

from __future__ import annotations

from typing import Final

import attrs

from protocol.eq2.packets.base import Message, Record, from_server, record

HIT, MISS, BLOCK = 0, 1, 5
"""Results of blows (emagi/eq2emu: zoneserver.cpp, SendDamagePacket, for versions up to 561)."""

SLASHED, CRUSHED, PIERCED = 0, 1, 2
"""Kinds of damage."""

CRITICAL: Final = 4

MOST_DAMAGE: Final = 0xFFFF


@from_server
@attrs.define
class HearCombat(Message):
    """A blow: who struck whom (`proxy`: the same again), what came of it and what it took. The client draws
    numbers, words and effects of it."""

    attacker: int
    defender: int
    proxy: int
    result: int
    kind: int
    damage: int = 0
    critical: int = 0


@from_server
@attrs.define
class HearDeath(Message):
    """Somebody died, by whom."""

    attacker: int
    defender: int
    blow: int = 0


@from_server
@attrs.define
class HearHeal(Message):
    """Somebody was healed."""

    caster: int
    target: int
    amount: int
    spell: str


@record
@attrs.define
class WayBack(Record):
    """A place to which the dead may go; its number comes back as `select_junction`."""

    location: int
    zone: str
    name: str
    choice: str
    distance: float = 0.0


@from_server
@attrs.define
class ShowDeathWindow(Message):
    """You are dead: where do you want to go?"""

    ways: tuple[WayBack, ...]


@from_server
@attrs.define
class Resurrected(Message):
    """You live again."""


NO_STEPS, NO_TURNS = 8, 16
"""What a player's control can be taken from (emagi/eq2emu: client.cpp, DisplayDeadWindow)."""


@from_server
@attrs.define
class UpdateClientPredFlags(Message):
    """The player cannot do something any more (1), or can again (0)."""

    flag: int
    value: int


@from_server
@attrs.define
class LevelChanged(Message):
    """You reached a level; `kind` 0: of adventures."""

    before: int
    now: int
    kind: int = 0
