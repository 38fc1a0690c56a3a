"""Numbers of one's own character, and of the world."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 # cattrs reads the annotations

from protocol.web.packets.base import Message, message


@message("time")
class Time(Message):
    """The time of the world; after a real second it is `pace` world minutes later."""

    hour: int
    minute: int
    pace: float = 1.0


@message("weather")
class Weather(Message):
    """The weather of the realm; clear until it is told."""

    kind: str
    """clear, rain, snow or storm."""


@message("sheet")
class Sheet(Message):
    """All numbers of one's own character."""

    hits: int
    hits_max: int
    mana: int
    mana_max: int
    stam: int
    stam_max: int
    strength: int
    dexterity: int
    intelligence: int
    vitality: int
    level: int
    experience: int
    level_from: int
    """The experience with which this level began, and with which the next one will."""
    level_to: int
    points: int
    """To be spent on attributes (`Spend`)."""
    gold: int
    weight: int
    weight_max: int
    armour: int
    damage_least: int
    """What the weapon's roll is, before strength and skill add to it."""
    damage_most: int
    blow_ms: int
    """From one blow to the next."""
    reach: int
    """Tiles at which a blow meets, or a shot."""
    war: bool = False
    """Whether its weapon is drawn."""
    poisoned: bool = False


@message("counts")
class Counts(Message):
    """Numbers of those who play, by game, and of the things of the realm that are shown."""

    online: Mapping[str, int]
    mobiles: int
    items: int
    viewers: int


@message("event")
class Event(Message):
    """A line of the feed: `kind` is came, left, died, revived, said or announced."""

    kind: str
    text: str
    at: float
    """Seconds UTC."""
    game: str = ""
