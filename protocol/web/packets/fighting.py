"""Fights: wishes to strike and to grow, blows and what they lead to."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 # cattrs reads the annotations

import attrs

from protocol.web.packets.base import SERIAL, Message, message, text, whole


@message("attack")
class Attack(Message):
    """Fight somebody, blow after blow, until one of both has had enough. Answer: `Engaged`, or words."""

    id: int = whole(0, SERIAL)


@message("stop")
class Stop(Message):
    """Strike no more."""


@message("spend")
class Spend(Message):
    """Spend points on an attribute: strength, dexterity, intelligence or vitality. Answer: `Sheet`, or
    words."""

    attribute: str = text(16)
    points: int = whole(1, 1000, default=1)


@message("lock")
class Lock(Message):
    """Let a skill of one's own rise or fall by use, or stay as it is. Answer: `Skills`, or words."""

    skill: str = text(16)
    way: int = whole(0, 2)
    """As `SkillLine.lock`."""


@message("town")
class Town(Message):
    """A ghost wants to be taken to the healer's house. Answer: `Place` or `Realm`, or words."""


@message("struck")
class Struck(Message):
    """A mobile struck at another, which lost so many hits of that."""

    id: int
    target: int
    outcome: str
    """hit, critical, missed or blocked."""
    damage: int = 0
    hits: int = 100
    """What the one struck has left, in percent."""
    manner: str = "fist"
    """fist, slash, pierce, bash, shoot or bite."""
    ms: int = 2000
    """Until its next blow."""
    two_handed: bool = False


@message("engaged")
class Engaged(Message):
    """A mobile begins to fight another, or turns from one to another."""

    id: int
    target: int


@message("disengaged")
class Disengaged(Message):
    """A mobile strikes no more."""

    id: int


@message("gained")
class Gained(Message):
    """One's own character gained experience; it lost some if that is below 0."""

    experience: int
    of: int = 0
    """The creature by whose death, if it was that."""


@message("advanced")
class Advanced(Message):
    """A mobile reached a level."""

    id: int
    level: int


@message("practised")
class Practised(Message):
    """A skill of one's own character grew, to so many tenths of a point. `Skills` tells all of them."""

    skill: str
    value: int


@message("mended")
class Mended(Message):
    """A mobile was healed, of so many hits."""

    id: int
    hits: int


@attrs.frozen
class SkillLine:
    """One skill of one's own character."""

    name: str
    value: int
    """In tenths of a point."""
    lock: int = 0
    """0: it may rise, 1: it may fall, 2: it stays."""


@message("skills")
class Skills(Message):
    """All skills of one's own character that it has begun to learn."""

    skills: Sequence[SkillLine]
    cap: int = 1000
    """What a skill can be at its level, in tenths."""
