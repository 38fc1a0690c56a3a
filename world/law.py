"""Law: who may be attacked, what that makes of the attacker, and whom guards strike down. (PLAY, section 6)

Everything about crime between players is decided here, before a blow and after it. Creatures may be fought
everywhere and by everybody; nothing done to them is a crime.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from world import arms
from world.guild import Bond, Guild
from world.mobile import Notoriety
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from world.item import Remains
    from world.mobile import Mobile


def check_enemy(actor: Mobile, target: Mobile) -> None:
    """Check that one may attack another at all, wherever they stand. Raises Cannot: ONESELF, GONE, DEFEATED;
    GUARDED for residents; PEACE where players do not fight; YOUNG for players below the protected level."""
    if target is actor:
        raise Cannot(Refusal.ONESELF)
    if target.realm is None or target.realm is not actor.realm:
        raise Cannot(Refusal.GONE)
    if target.dead:
        raise Cannot(Refusal.DEFEATED)
    if is_fair_game(target) or are_duelling(actor, target):
        return
    if not target.is_character:
        raise Cannot(Refusal.GUARDED)
    if not actor.is_character:
        return
    if not (fights_allowed(actor) and fights_allowed(target)):
        raise Cannot(Refusal.PEACE)
    young = actor.world.content.law.protected_below
    if arms.level_of(target) < young and not target.assailant:
        raise Cannot(Refusal.YOUNG)


def are_duelling(one: Mobile, other: Mobile) -> bool:
    """Whether two players fight each other by consent now (`world.duels`)."""
    duel = one.duel
    return duel is not None and duel.begun and duel is other.duel and one is not other


def is_fair_game(mobile: Mobile) -> bool:
    """Whether everybody may attack a mobile anywhere, and does no wrong by it: creatures, and players who are
    criminals or murderers."""
    if not mobile.is_character:
        return mobile.template.fights is not None
    return mobile.notoriety in (Notoriety.CRIMINAL, Notoriety.MURDERER)


def fights_allowed(mobile: Mobile) -> bool:
    """Whether players may fight each other where this mobile stands."""
    realm = mobile.realm
    return realm is not None and realm.chart.allows_fights(mobile.x, mobile.y)


def assaulted(actor: Mobile, target: Mobile) -> None:
    """Note that one player attacks another. Who strikes back does no wrong; to attack an innocent who did not
    begin it is a crime; what happens in a duel is none."""
    if not (actor.is_character and target.is_character) or target.serial in actor.aggressors:
        return
    if are_duelling(actor, target):
        return
    actor.assailant = True
    if actor.serial not in target.aggressors:
        target.aggressors.add(actor.serial)
        if at_war(actor, target):
            # What began in a war is no murder because the other leaves its guild, or ends the war, to fall.
            actor.aggressors.add(target.serial)
        elif target.notoriety == Notoriety.INNOCENT:
            commit_crime(actor)


def at_war(actor: Mobile, target: Mobile) -> bool:
    """Whether the guilds of two players are at war: then nothing that they do to one another is a crime."""
    return actor.guild is not None and actor.guild.bond(target.guild) is Bond.WAR


def invites_blows(actor: Mobile, target: Mobile) -> bool:
    """Whether one who points at another means to strike it: it is fair game, or their guilds are at war."""
    return is_fair_game(target) or at_war(actor, target)


def commit_crime(mobile: Mobile) -> None:
    """Make a character a criminal for a time; a murderer stays what it is."""
    if not mobile.is_character:
        return
    mobile.criminal_until = mobile.world.now + mobile.world.content.law.criminal_seconds
    if mobile.notoriety == Notoriety.INNOCENT:
        notice(mobile, "You are a criminal now.")
    judge(mobile)
    mobile.world.timers.after(mobile.world.content.law.criminal_seconds + 0.01, judge, mobile, owner=mobile)


def murdered(killer: Mobile, victim: Mobile, *, innocent: bool) -> None:
    """Note a killing of a player by a player; `innocent`: the victim was that when it died."""
    if not innocent or not killer.is_character or not victim.is_character:
        return
    if victim.serial in killer.aggressors or at_war(killer, victim):
        return
    killer.murders += 1
    judge(killer)


def looted(actor: Mobile, remains: Remains) -> None:
    """Note that somebody takes of what was in a corpse: that of an innocent player is a crime to all but its
    owner and that one's party."""
    if not (remains.owner and remains.innocent) or remains.owner == actor.serial:
        return
    owner = remains.owner
    # Whoever is away is what it was to the others, so nobody makes a criminal of somebody by leaving.
    friends = actor.party is not None and owner in actor.party.members
    if not friends and owner not in actor.aggressors and owner not in _enemies(actor):
        commit_crime(actor)


def _enemies(actor: Mobile) -> set[int]:
    """Serials of all with whose guilds one's own is at war, whether or not they are here."""
    guilds, ties = actor.world.records.all(Guild), {} if actor.guild is None else actor.guild.ties
    return {
        serial for number, tie in ties.items() if tie.bond == Bond.WAR for serial in guilds[number].members
    }


def judge(mobile: Mobile) -> None:
    """Set a character's notoriety by what it did."""
    if not mobile.is_character:
        return
    if mobile.murders >= mobile.world.content.law.murders:
        mobile.notoriety = Notoriety.MURDERER
    elif mobile.criminal_until > mobile.world.now:
        mobile.notoriety = Notoriety.CRIMINAL
    elif mobile.notoriety in (Notoriety.CRIMINAL, Notoriety.MURDERER):
        mobile.notoriety = Notoriety.INNOCENT
