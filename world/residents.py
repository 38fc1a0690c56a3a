"""The realm's own people: placed anew by every start, with the timers that make them live.

A resident's behaviour is a set-up function by the name that the realm's data gives (`script`).
"""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Final

from world import holding, motion, speech
from world.heading import OFFSETS
from world.life import RESURRECT, offer_resurrection
from world.mobile import Gait, Mobile

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.content import Resident
    from world.realm import Realm
    from world.world import World

log = logging.getLogger("world")

HEALER_SEES: Final = 4
"""Tiles within which a healer notices a ghost: ServUO, Scripts/Mobiles/Healers/BaseHealer.cs."""

HEALER_LOOKS: Final = 1.0
"""Seconds between two looks around."""

HEALER_PATIENCE: Final = 15.0
"""Seconds before a healer asks the same ghost again."""


def settle(world: World) -> int:
    """Place the residents of all realms and start their timers; how many there are."""
    count = 0
    for realm in world.realms.values():
        for resident in realm.chart.residents:
            mobile = place(world, realm, resident)
            if resident.wander:
                world.timers.every(
                    3.0, _wander, mobile, resident, owner=mobile, delay=1 + world.random.random() * 3
                )
            script = SCRIPTS.get(resident.script)
            if script is not None:
                script(mobile)
            elif resident.script:
                log.warning("%s has an unknown script: %s", resident.template, resident.script)
            count += 1
    return count


def place(world: World, realm: Realm, resident: Resident) -> Mobile:
    """One resident at its place, dressed."""
    template = world.content.mobiles[resident.template]
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
        gait=Gait(walk_ms=480, run_ms=480),
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


def _healer(mobile: Mobile) -> None:
    asked: dict[int, float] = {}
    mobile.world.timers.every(HEALER_LOOKS, _look_for_ghosts, mobile, asked, owner=mobile)


def _look_for_ghosts(healer: Mobile, asked: dict[int, float]) -> None:
    """Offer resurrection to ghosts nearby, each once while the question is open, and not too often."""
    if healer.realm is None:
        return
    now = healer.world.now
    for thing in healer.realm.space.around(healer.x, healer.y, HEALER_SEES):
        if not (isinstance(thing, Mobile) and thing.is_character and thing.dead and thing.online):
            continue
        is_open = any(dialog.name == RESURRECT for dialog in thing.dialogs.values())
        if not is_open and now - asked.get(thing.serial, -HEALER_PATIENCE) >= HEALER_PATIENCE:
            asked[thing.serial] = now
            offer_resurrection(thing, healer)
    for serial in [serial for serial, at in asked.items() if now - at >= HEALER_PATIENCE]:
        del asked[serial]


def _crier(mobile: Mobile) -> None:
    mobile.world.listeners[mobile.serial] = partial(_crier_hears, mobile)


def _crier_hears(crier: Mobile, speaker: Mobile, text: str) -> None:
    """Answer greetings and questions for news with who is here."""
    words = text.casefold()
    if any(word in words for word in ("hail", "hello", "news", "who")):
        crier.world.timers.after(0.8, _cry, crier, speaker, owner=crier)


def _cry(crier: Mobile, speaker: Mobile) -> None:
    names = sorted(mobile.name for mobile in crier.world.online())
    others = [name for name in names if name != speaker.name]
    company = f"About today: {', '.join(others[:8])}." if others else "You have the realm to yourself today."
    place = crier.realm.chart.title if crier.realm else "the realm"
    speech.say(crier, f"Welcome to {place}, {speaker.name}! {company}")


def _banker(mobile: Mobile) -> None:
    mobile.world.listeners[mobile.serial] = partial(_banker_hears, mobile)


def _banker_hears(banker: Mobile, speaker: Mobile, text: str) -> None:
    """Tell the balance; the vault itself opens when banking lands."""
    words = text.casefold()
    if "bank" in words or "balance" in words:
        banker.world.timers.after(0.5, _balance, banker, speaker, owner=banker)


def _balance(banker: Mobile, speaker: Mobile) -> None:
    speech.say(banker, f"Greetings, {speaker.name}. I see {holding.gold(speaker)} gold in your pack.")


SCRIPTS: Final[dict[str, Callable[[Mobile], None]]] = {"healer": _healer, "crier": _crier, "banker": _banker}
"""Behaviours by the name used in data/."""
