"""The realm's own people: placed anew by every start, with the timers that make them live.

A resident's behaviour is a set-up function by the name that the realm's data gives (`script`).
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from world import holding, motion, news, speech
from world.heading import OFFSETS
from world.life import RESURRECT, offer_resurrection
from world.mobile import Gait, Mobile

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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


def _listen(
    resident: Mobile, words: tuple[str, ...], seconds: float, answer: Callable[[Mobile, Mobile], None]
) -> None:
    """Let a resident answer, some seconds later, whoever says one of the words. What it hears while it
    thinks of an answer gets none."""
    thinking = False

    def hear(speaker: Mobile, text: str) -> None:
        nonlocal thinking
        said = text.casefold()
        if not thinking and any(word in said for word in words):
            thinking = True
            resident.world.timers.after(seconds, speak, speaker, owner=resident)

    def speak(speaker: Mobile) -> None:
        nonlocal thinking
        thinking = False
        answer(resident, speaker)

    resident.world.listeners[resident.serial] = hear


def _crier(mobile: Mobile) -> None:
    _listen(mobile, ("hail", "hello", "news", "who"), 0.8, _cry)


def _cry(crier: Mobile, speaker: Mobile) -> None:
    """Tell who is here."""
    names = sorted(mobile.name for mobile in crier.world.online())
    others = [name for name in names if name != speaker.name]
    company = f"About today: {', '.join(others[:8])}." if others else "You have the realm to yourself today."
    place = crier.realm.chart.title if crier.realm else "the realm"
    speech.say(crier, f"Welcome to {place}, {speaker.name}! {company}")


def _banker(mobile: Mobile) -> None:
    _listen(mobile, ("bank", "balance"), 0.5, _balance)


def _balance(banker: Mobile, speaker: Mobile) -> None:
    """Tell the balance; the vault itself opens when banking lands."""
    speech.say(banker, f"Greetings, {speaker.name}. I see {holding.gold(speaker)} gold in your pack.")


HEALER, CRIER, BANKER = "healer", "crier", "banker"
"""Kinds of residents that do more than listen."""

GREETING: Final = "hello"
"""What residents take for a greeting, which a click stands for."""


def talk_to(mobile: Mobile, resident: Mobile, topics: Sequence[news.Topic] = ()) -> None:
    """What a resident has to say to whoever comes up to it, where a game has windows to talk in. `topics`:
    what the crier can do for the players of that game besides."""
    kind = resident.template.key
    if mobile.dead:
        if kind == HEALER:
            offer_resurrection(mobile, resident)
    elif kind == CRIER:
        news.offer_news(mobile, resident, topics)
    else:
        hears = mobile.world.listeners.get(resident.serial)
        if hears is not None:
            hears(mobile, "balance" if kind == BANKER else GREETING)


SCRIPTS: Final[dict[str, Callable[[Mobile], None]]] = {"healer": _healer, "crier": _crier, "banker": _banker}
"""Behaviours by the name used in data/."""
