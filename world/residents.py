"""Residents of a realm: placed anew by every start and some time after they died, with the timers that make
them live. Their templates name what each does for others (`world.roles`)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from world import brains, conversations, holding, journals, motion, quests, voices
from world.heading import OFFSETS
from world.mobile import Gait, Mobile
from world.reach import Cannot, Refusal, check_talk
from world.roles import GREETING, ROLES
from world.speech import notice
from world.voices import Hearing

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from world import news
    from world.content import Resident
    from world.realm import Realm
    from world.world import World

HAS_NOTHING: Final = "{} has nothing to say."


def settle(world: World, realms: Iterable[Realm] | None = None) -> int:
    """Place the residents of these realms, or of all, and start their timers; returns their number."""
    count = 0
    for realm in world.realms.values() if realms is None else realms:
        for resident in realm.chart.residents:
            move_in(world, realm, resident)
            count += 1
    return count


def move_in(world: World, realm: Realm, resident: Resident) -> Mobile:
    """Place one resident and let it live; after its death another comes."""
    mobile = place(world, realm, resident)
    settle_in(world, mobile, realm, resident)
    return mobile


def settle_in(world: World, mobile: Mobile, realm: Realm, resident: Resident) -> None:
    """Let somebody who stands in a realm, and has no timers, live there as a record of data/ says."""
    template = mobile.template
    mobile.post = resident
    mobile.after_death = partial(_be_missed, world, realm, resident)
    if template.fights is not None:
        x, y, far = resident.x, resident.y, resident.wander
        brains.give(mobile, (x - far, y - far, x + far, y + far))
    elif resident.wander:
        world.timers.every(3.0, _wander, mobile, resident, owner=mobile, delay=1 + world.random.random() * 3)
    take_up(mobile)


def _be_missed(world: World, realm: Realm, resident: Resident) -> None:
    realm.vacant[resident] += 1
    world.timers.after(resident.respawn, _return, world, realm, resident)


def _return(world: World, realm: Realm, resident: Resident) -> None:
    """Another comes, if the place is still to be taken: what data/ says may have changed since."""
    if realm.vacant[resident]:
        realm.vacant[resident] -= 1
        move_in(world, realm, resident)


def take_up(mobile: Mobile) -> None:
    """Let a mobile begin to do what its roles say."""
    for role in mobile.template.roles:
        begin = ROLES[role].begin
        if begin is not None:
            begin(mobile)
    known = [hearing for role in mobile.template.roles for hearing in ROLES[role].hears]
    if mobile.template.talk is not None:
        known.insert(0, voices.Hearing(voices.HAILS, conversations.hail, near=True))
    known += voices.sayings(mobile.template)
    known += [Hearing((word,), partial(quests.hear, word)) for word in journals.words_for(mobile)]
    voices.listen(mobile, (*known, *voices.COMMON) if known else ())


def place(world: World, realm: Realm, resident: Resident) -> Mobile:
    """Place one resident, dressed, and return it."""
    template = world.content.mobiles[resident.template]
    step_ms = template.fights.step_ms if template.fights is not None else 480
    mobile = Mobile(
        world.serials.mobile(),
        world,
        template.name,
        template=template,
        heading=resident.heading,
        female=template.female,
        hair=template.hair,
        hair_hue=template.hair_hue,
        beard=template.beard,
        skin_hue=template.skin_hue,
        title=template.title,
        hits=template.hits,
        hits_max=template.hits,
        notoriety=template.notoriety,
        gait=Gait(walk_ms=step_ms, run_ms=step_ms),
    )
    for key, hue in (template.worn_female or template.worn) if template.female else template.worn:
        holding.wear(mobile, holding.make(world, key, hue=hue, stored=False))
    world.enter(mobile, realm, resident.x, resident.y)
    return mobile


def _wander(mobile: Mobile, resident: Resident) -> None:
    """A random step now and then, never far from home."""
    chance = mobile.world.random
    if chance.random() < 0.5:
        return
    heading = chance.randrange(0, 8, 2)
    dx, dy = OFFSETS[heading]
    if max(abs(mobile.x + dx - resident.x), abs(mobile.y + dy - resident.y)) <= resident.wander:
        motion.step(mobile, heading)


def talk_to(mobile: Mobile, resident: Mobile, topics: Sequence[news.Topic] = ()) -> None:
    """Come up to a resident and hear what it has to say, where a game has a click or a word for that.
    `topics`: further answers of the crier for the players of that game.

    Raises Cannot: GONE, FAR, UNSEEN; DEAD if it does nothing for ghosts.
    """
    check_talk(mobile, resident)
    if quests.hail(mobile, resident):
        return
    if resident.template.talk is not None and not mobile.dead:
        conversations.begin(mobile, resident)
        return
    for role in resident.template.roles:
        talk = ROLES[role].ghosts if mobile.dead else ROLES[role].talk
        if talk is not None:
            talk(mobile, resident, topics)
            return
    if mobile.dead:
        raise Cannot(Refusal.DEAD)
    hears = mobile.world.listeners.get(resident.serial)
    if hears is not None:
        greetings = (ROLES[role].greeting for role in resident.template.roles)
        hears(mobile, next(filter(None, greetings), f"{GREETING}, {resident.name}"))
    else:
        notice(mobile, HAS_NOTHING.format(resident.name))
