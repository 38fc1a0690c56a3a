"""Duels: two players fight by consent, wherever they are, and nobody dies of it. (PLAY, section 6)

One asks, the other accepts (`world.invites`), and after three seconds the blows between the two are lawful,
whatever the place, the level and the notoriety; those of anybody else are what they were. A blow that would
kill leaves one hit, and has won. Who gives up or leaves the world once it has begun has lost. It ends without
a winner when one calls it off before, when both are too far from one another, when one dies of something
else, or when its time is over.

State is one record that both hold (`Mobile.duel`); `world.law` and `world.life` ask that, and know nothing of
this module, which is above them.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from world import audience, invites, life
from world.events import DuelCounted, DuelEnded
from world.heading import apart
from world.parts import Duel
from world.reach import Cannot, Refusal, check_talk

if TYPE_CHECKING:
    from world.mobile import Mobile

DUEL: Final = "duel"
"""Name of the dialog that asks for one."""

COUNTED: Final = 3
"""Seconds that are counted down before the first blow."""

LONGEST: Final = 300.0
"""Seconds after which nobody has won."""

FARTHEST: Final = 18
"""Tiles beyond which one has run away: what a client of any game sees."""

LOOKS: Final = 0.5
"""Seconds between two looks whether both are still there."""

THEY_ARE_DEAD: Final = "Ghosts fight no duels."


def ask(actor: Mobile, other: Mobile) -> None:
    """Ask another player to a duel, or accept if that one has asked. Raises Cannot: as `invites.ask`; DEAD,
    DEFEATED, DUELLING; GONE, FAR or UNSEEN."""
    invites.check_asks(actor, other)
    _check(actor, other)
    invites.ask(
        actor,
        other,
        DUEL,
        title="Duel",
        text=f"{actor.name} wants to fight a duel with you. Nobody dies of it.",
        told=f"You ask {other.name} to a duel.",
        accepted=lambda: _begin(actor, other),
        yes="Fight",
        no="No",
    )


def give_up(actor: Mobile) -> None:
    """End one's duel: it is lost, or called off if it has not begun. Raises Cannot(NO_DUEL)."""
    duel = actor.duel
    if duel is None:
        raise Cannot(Refusal.NO_DUEL)
    if duel.begun:
        _end(actor.world.mobiles.get(duel.other_of(actor.serial)), actor, f"{actor.name} gives up.")
    else:
        _end(None, actor, f"{actor.name} calls the duel off.")


def opponent(mobile: Mobile) -> Mobile | None:
    """The one with whom somebody has a duel, begun or about to; None if it has none."""
    duel = mobile.duel
    return None if duel is None else mobile.world.mobiles.get(duel.other_of(mobile.serial))


def _check(actor: Mobile, other: Mobile) -> None:
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    if other.dead:
        raise Cannot(Refusal.DEFEATED, THEY_ARE_DEAD)
    if actor.duel is not None:
        raise Cannot(Refusal.DUELLING)
    if other.duel is not None:
        raise Cannot(Refusal.DUELLING, f"{other.name} is in a duel already.")
    check_talk(actor, other)


def _begin(first: Mobile, second: Mobile) -> None:
    """Both have agreed."""
    _check(second, first)
    world = first.world
    duel = Duel(first.serial, second.serial, struck_down=partial(_struck_down, first))
    first.duel = second.duel = duel
    duel.timer = world.timers.every(LOOKS, _look, first, second, duel)
    _count(first, second, duel, COUNTED)


def _count(first: Mobile, second: Mobile, duel: Duel, left: int) -> None:
    if first.duel is not duel:
        return
    for one, other in ((first, second), (second, first)):
        one.world.events.append(DuelCounted(one, other, left, audience.one(one)))
    if left:
        first.world.timers.after(1.0, _count, first, second, duel, left - 1)
    else:
        duel.begun, duel.until = True, first.world.now + LONGEST


def _look(first: Mobile, second: Mobile, duel: Duel) -> None:
    """Whether both are still at it."""
    for one, other in ((first, second), (second, first)):
        if one.dead:
            _end(None, one, f"{one.name} is dead: nobody has won.")
        elif not one.online or one.realm is None:
            _end(other if duel.begun else None, one, f"{one.name} has left.")
        else:
            continue
        return
    if first.realm is not second.realm or apart(first, second) > FARTHEST:
        _end(None, first, "You are too far from one another: nobody has won.")
    elif duel.begun and first.world.now >= duel.until:
        _end(None, first, "The time is over: nobody has won.")


def _struck_down(first: Mobile, loser: int, winner: int) -> None:
    mobiles = first.world.mobiles
    beaten, better = mobiles[loser], mobiles[winner]
    _end(better, beaten, f"{better.name} has beaten {beaten.name}.")


def _end(winner: Mobile | None, one: Mobile, why: str) -> None:
    """Let a duel be over, with or without a winner; `one` is who lost, or either of both."""
    duel = one.duel
    if duel is None:
        return
    both = [one.world.mobiles.get(serial) or one for serial in (duel.first, duel.second)]
    if duel.timer is not None:
        duel.timer.cancel()
        duel.timer = None
    for mobile, other in (both, both[::-1]):
        if mobile.duel is not duel:
            continue
        mobile.duel = None
        if mobile.enemy == other.serial:
            life.disengage(mobile)
        won = None if winner is None else mobile is winner
        mobile.world.events.append(DuelEnded(mobile, other, won, why, audience.one(mobile)))
