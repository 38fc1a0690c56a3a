"""Life and death: being hurt and healed, spending strength and recovering it, dying and living again.

All that lowers or raises hits, mana and stamina by the rules goes through here, because a mobile that misses
some of them recovers (`world.recovery`).

A character that dies becomes a ghost. A resident that dies leaves its body and the world, and everything that
depends on it ends: its timers, its listener, its questions. Another like it takes its place later
(`world.residents`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import corpses, dealing, hands, law, learning, motion, visits
from world.audience import in_sight
from world.dialogs import Button, ask, withdraw
from world.events import Died, Disengaged, Revived, Why
from world.heading import apart
from world.mobile import Notoriety
from world.reach import Cannot, Refusal
from world.recovery import cease, missing_of, recover, restore_part
from world.speech import HEALER
from world.trade_events import Off

if TYPE_CHECKING:
    from world.dialog import Reply
    from world.mobile import Dialog, Mobile

RESURRECTED_HITS: Final = 10
"""Hits of somebody just resurrected: ServUO, Server/Mobile.cs Resurrect."""

RESURRECT: Final = "ResurrectGump"
"""Name of the resurrection dialog; its type id is a hash of this. ServUO's class of the same dialog."""

BESIDE: Final = 3
"""Tiles from a healer at which a ghost that goes there stands."""

CONTINUE: Final = 1
CANCEL: Final = 0


# Hits, mana and stamina


def hurt(mobile: Mobile, amount: int, by: Mobile | None = None) -> bool:
    """Take hits from a living mobile; returns whether it died of that. `by` is the attacker, if there is one;
    nobody dies of one with whom it has a duel, but loses that.
    Raises ValueError for an amount below 0."""
    if amount < 0:
        raise ValueError(f"nobody is hurt by {amount}")
    if mobile.dead or mobile.realm is None:
        return False
    until = mobile.world.now + mobile.world.content.regeneration.fight_seconds
    for fighter in (mobile, by):
        if fighter is not None:
            fighter.fighting_until = until
            dealing.end(fighter, Off.FOUGHT)
    duel = mobile.duel
    if duel is not None and by is not None and law.are_duelling(mobile, by):
        mobile.hits = max(1, mobile.hits - amount)
        recover(mobile)
        if mobile.hits == 1 and amount:
            duel.struck_down(mobile.serial, by.serial)
        return False
    if by is not None and amount:
        mobile.wounds[by.serial] = mobile.wounds.get(by.serial, 0) + min(amount, mobile.hits)
    if amount >= mobile.hits:
        return kill(mobile, by)
    mobile.hits -= amount
    recover(mobile)
    return False


def heal(mobile: Mobile, amount: int) -> int:
    """Give hits back to a living mobile, up to all it has; returns how many it gained. Raises ValueError for
    an amount below 0."""
    if amount < 0:
        raise ValueError(f"nobody is healed by {amount}")
    if mobile.dead:
        return 0
    given = min(amount, max(0, mobile.hits_max - mobile.hits))
    mobile.hits += given
    return given


def refresh(mobile: Mobile, amount: int) -> int:
    """Give stamina back to a living mobile, up to all it has; returns how much it gained. Raises ValueError
    for an amount below 0."""
    if amount < 0:
        raise ValueError(f"nobody is refreshed by {amount}")
    if mobile.dead:
        return 0
    given = min(amount, max(0, mobile.stam_max - mobile.stam))
    mobile.stam += given
    return given


def recuperate(mobile: Mobile) -> None:
    """End the poison in a mobile, if there is any."""
    poison, mobile.poison = mobile.poison, None
    mobile.poisoned = False
    if poison is not None and poison.timer is not None:
        poison.timer.cancel()


def is_whole(mobile: Mobile) -> bool:
    """Whether it misses nothing of its hits, mana and stamina."""
    return not any(missing_of(mobile))


def restore(mobile: Mobile) -> None:
    """Give a living mobile back all hits, mana and stamina that it misses."""
    if not mobile.dead:
        restore_part(mobile, *missing_of(mobile))


def spend(mobile: Mobile, *, mana: int = 0, stamina: int = 0) -> None:
    """Use up mana and stamina for something. Raises Cannot(DEAD, DRAINED or TIRED), and ValueError for an
    amount below 0."""
    if mana < 0 or stamina < 0:
        raise ValueError(f"nobody spends {mana} mana and {stamina} stamina")
    if mobile.dead:
        raise Cannot(Refusal.DEAD)
    if mana > mobile.mana:
        raise Cannot(Refusal.DRAINED)
    if stamina > mobile.stam:
        raise Cannot(Refusal.TIRED)
    mobile.mana -= mana
    mobile.stam -= stamina
    recover(mobile)


# Death


def kill(mobile: Mobile, by: Mobile | None = None) -> bool:
    """Let a mobile die; returns False if it was dead already, or is not in the world. A character becomes a
    ghost and loses experience if `by` somebody, any other mobile leaves the world with all that it wore.
    Those who took its hits receive the experience of a creature.

    Steps that wait for their time still count, here and in `resurrect`: a client that shows them already
    (Endless Online) would not hear of their end.
    """
    if mobile.dead or (mobile.realm is None and not mobile.is_character):
        return False
    world = mobile.world
    hands.bounce(mobile)
    dealing.end(mobile, Off.DIED)
    if mobile.gait.journey is not None:
        motion.halt(mobile)  # the dead do not walk on by themselves
    cease(mobile)
    recuperate(mobile)
    _leave_off(mobile)
    disengage(mobile)
    visits.dismiss(mobile)
    innocent = mobile.notoriety == Notoriety.INNOCENT
    wounds, mobile.wounds = mobile.wounds, {}
    corpse, falls = corpses.lay(mobile, by, wounds, innocent=innocent)
    mobile.hits = 0
    mobile.dead = True
    mobile.war = False
    world.events.append(Died(mobile, in_sight(mobile), corpse, by))
    if corpse is not None and falls:
        corpses.fall_out(corpse, mobile)
    if mobile.is_character:
        if by is not None:
            learning.lose_by_death(mobile)
            law.murdered(by, mobile, innocent=innocent)
    else:
        learning.reward(mobile, wounds)
    mobile.aggressors.clear()
    for dialog in list(mobile.dialogs.values()):
        withdraw(mobile, dialog)  # the living were asked, and ghosts answer nobody but healers
    if not mobile.is_character:
        world.leave(mobile, Why.DIED)
        if mobile.after_death is not None:
            mobile.after_death()
    world.scripts.died(mobile, by)
    return True


def _leave_off(mobile: Mobile) -> None:
    """Heal nobody any more."""
    dressing, mobile.dressing = mobile.dressing, None
    if dressing is not None and dressing.timer is not None:
        dressing.timer.cancel()


def disengage(mobile: Mobile) -> None:
    """Let a mobile fight nobody any more."""
    fighter = mobile.fighter
    if fighter is None:
        return
    if fighter.swing is not None:
        fighter.swing.cancel()
        fighter.swing = None
    if fighter.enemy:
        fighter.enemy = 0
        mobile.world.events.append(Disengaged(mobile, in_sight(mobile)))


def to_healer(mobile: Mobile) -> None:
    """Let a ghost go to the nearest healer's house, which is what "back to town" means in games that have a
    button for it. Raises Cannot: ALIVE, NO_HEALER, AT_HEALER."""
    if not mobile.dead or mobile.realm is None:
        raise Cannot(Refusal.ALIVE)
    world = mobile.world
    healers = [one for one in world.mobiles.values() if one.has_role(HEALER) and not one.dead]
    place = min(healers, key=lambda one: (one.realm is not mobile.realm, apart(mobile, one)), default=None)
    if place is None or place.realm is None:
        raise Cannot(Refusal.NO_HEALER)
    if place.realm is mobile.realm and apart(mobile, place) <= BESIDE:
        raise Cannot(Refusal.AT_HEALER)
    # Not the healer's own tile, which is the first.
    own = place.x, place.y
    x, y = next((tile for tile in place.realm.free_near(*own, BESIDE) if tile != own), own)
    world.warp(mobile, place.realm, x, y)


def resurrect(mobile: Mobile) -> bool:
    """Let a ghost live again with 10 hits, and recover; returns False if it was not dead."""
    if not mobile.dead:
        return False
    mobile.dead = False
    mobile.hits = min(RESURRECTED_HITS, mobile.hits_max)
    mobile.world.events.append(Revived(mobile, in_sight(mobile)))
    for dialog in list(mobile.dialogs.values()):
        if dialog.name == RESURRECT:
            withdraw(mobile, dialog)
    recover(mobile)
    return True


def is_asked_to_live(ghost: Mobile) -> bool:
    """Whether the question lies before it already."""
    return any(dialog.name == RESURRECT for dialog in ghost.dialogs.values())


def offer_resurrection(ghost: Mobile, healer: Mobile | None) -> Dialog:
    """Ask a ghost whether it wants to live."""
    return ask(
        ghost,
        RESURRECT,
        title="Resurrection",
        text="It is possible for you to be resurrected here by this healer. Do you wish to try?",
        buttons=(Button(CONTINUE, "CONTINUE"), Button(CANCEL, "CANCEL")),
        answered=_answered,
        asker=healer,
    )


def _answered(ghost: Mobile, reply: Reply) -> None:
    if reply.button == CONTINUE:
        resurrect(ghost)
