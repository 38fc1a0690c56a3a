"""Fights as this game's packets: blows, deaths, levels.

The world strikes blow after blow, as this game's own servers do: a client sends one Interact, and draws every
blow that it is told of, its own ones, too. Of a creature it knows the life that its figure came with, and
counts that down by the damage. It has no picture of an NPC's blow, so that is told in words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.burial import Burial
from protocol.co.figures import LONGEST_NAME
from protocol.co.packets import (
    ALL_USERS,
    LONGEST_WORDS,
    SYSTEM,
    Action,
    ActionType,
    Attribute,
    AttributeEntry,
    Channel,
    Interact,
    InteractType,
    StatusFlag,
    UserAttrib,
)
from protocol.co.packets import said as talk
from protocol.co.places import NOWHERE
from world.events import Manner

if TYPE_CHECKING:
    from protocol.co.figures import Figures
    from protocol.co.packets import Message
    from world.events import Advanced, Died, Event, Gained, Revived, Struck
    from world.mobile import Mobile

U32_MOST: Final = 0xFFFF_FFFF

FALLEN: Final = StatusFlag.FROZEN | StatusFlag.DEAD | StatusFlag.FADING
"""States of a creature that lies there dead."""

FALL_SECONDS: Final = 4.0
"""How long a dead creature lies there: public servers take it away after 3 to 5 seconds."""


def burial(figures: Figures, dead: Mobile) -> Burial:
    """Takes a dead creature away when it has fallen and faded: clients would show neither if told at once."""
    return Burial(Action.of(ActionType.REMOVE, figures.ids.of(dead)), FALL_SECONDS)


def struck(figures: Figures, event: Struck) -> tuple[Message, ...]:
    """A blow: who, whom, on which tile that one is, and how hard; 0 is a miss."""
    attacker, target = event.thing, event.target
    if figures.is_npc(attacker) or figures.is_npc(target):
        return line(event, own=False)
    # Who died of it has left its realm by now, but not its tile.
    place = figures.places.at(attacker.realm or target.realm, target.x, target.y) or NOWHERE
    kind = InteractType.SHOOT if event.manner is Manner.SHOOT else InteractType.MELEE
    return (
        Interact(
            _milliseconds(attacker),
            figures.ids.of(attacker),
            figures.ids.of(target),
            place.x,
            place.y,
            kind,
            max(0, min(event.damage, U32_MOST)),
        ),
    )


def died(figures: Figures, event: Died, *, own: bool) -> tuple[Message, ...]:
    """A death: the blow that killed, if somebody struck it, and what is seen of the dead."""
    dead, killer = event.thing, event.by
    if figures.is_npc(dead):
        return ()
    number = figures.ids.of(dead)
    state = _status(figures, dead, own=own) if dead.is_character else int(FALLEN)
    told: list[Message] = []
    if killer is not None and not figures.is_npc(killer):
        killed = InteractType.KILL
        told.append(Interact(_milliseconds(dead), figures.ids.of(killer), number, 0, 0, killed, 1))
    told.append(UserAttrib(id=number, attributes=(AttributeEntry(Attribute.STATUS, state),)))
    return tuple(told)


def revived(figures: Figures, event: Revived, *, own: bool) -> tuple[Message, ...]:
    """That somebody lives, and the picture of it; NPCs have none."""
    mobile = event.thing
    if figures.is_npc(mobile):
        return ()
    number, place = figures.ids.of(mobile), figures.places.of(mobile) or NOWHERE
    state = _status(figures, mobile, own=own)
    return (
        UserAttrib(id=number, attributes=(AttributeEntry(Attribute.STATUS, state),)),
        Action.of(ActionType.REVIVE, number, x=place.x, y=place.y),
    )


def _status(figures: Figures, mobile: Mobile, *, own: bool) -> int:
    return figures.own_status(mobile) if own else figures.status(mobile)


def gained(event: Gained) -> tuple[Message, ...]:
    """A line with the amount: the client's bar has no numbers of ours. The bar follows from what changed."""
    return line(event, own=True)


def advanced(figures: Figures, event: Advanced) -> tuple[Message, ...]:
    """The new level, and the picture of that."""
    mobile = event.thing
    if figures.is_npc(mobile):
        return ()
    number, place = figures.ids.of(mobile), figures.places.of(mobile) or NOWHERE
    return (
        UserAttrib(id=number, attributes=(figures.level(event.level),)),
        Action.of(ActionType.LEVEL_UP, number, x=place.x, y=place.y),
    )


def line(event: Event, *, own: bool) -> tuple[Message, ...]:
    """An event's own words as a line of the server's; nothing if it has none."""
    words = event.words(own=own)
    if words is None:
        return ()
    return (talk(words[:LONGEST_WORDS], Channel.SYSTEM, speaker=SYSTEM[:LONGEST_NAME], hearer=ALL_USERS),)


def _milliseconds(mobile: Mobile) -> int:
    return int((mobile.world.now + mobile.world.stopped) * 1000) & U32_MOST
