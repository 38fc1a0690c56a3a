"""What people do in a harness that lets them do anything: small deeds, chosen by dice.

Each looks at what its actor believes in, does one thing with it, and says whether there was anything to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.kit.company import deals, groups

if TYPE_CHECKING:
    import random
    from collections.abc import Awaitable, Callable, Mapping

    from tests.kit.actor import Actor


async def _step(actor: Actor, dice: random.Random) -> bool:
    await actor.step(dice.choice([0, 2, 4, 6]))
    return True


async def _say(actor: Actor, dice: random.Random) -> bool:
    await actor.say(f"{dice.randrange(1000)} apples")
    return True


async def _take(actor: Actor, dice: random.Random) -> bool:
    here = actor.place()
    near = [
        (handle, thing)
        for handle, thing in actor.lying().items()
        if max(abs(thing.x - here.x), abs(thing.y - here.y)) <= 2
    ]
    if near:
        handle, thing = dice.choice(near)
        await actor.take(handle, dice.randint(1, max(1, thing.amount)))
    return bool(near)


def _carried(actor: Actor, dice: random.Random, *, least: int = 1) -> tuple[int, int] | None:
    found = [(handle, owned.amount) for handle, owned in actor.carries().items() if owned.amount >= least]
    return dice.choice(found) if found else None


async def _drop(actor: Actor, dice: random.Random) -> bool:
    found = _carried(actor, dice)
    if found is not None:
        await actor.drop(found[0], dice.randint(1, max(1, found[1])))
    return found is not None


async def _split(actor: Actor, dice: random.Random) -> bool:
    found = _carried(actor, dice, least=2)
    if found is not None:
        await actor.split(found[0], dice.randint(1, found[1] - 1))
    return found is not None


async def _merge(actor: Actor, dice: random.Random) -> bool:
    carried = actor.carries()
    pairs = [
        (one, other)
        for one, first in carried.items()
        for other, second in carried.items()
        if one != other and (first.kind == second.kind or second.kind == BAG_GRAPHIC)
    ]
    if pairs:
        await actor.merge(*dice.choice(pairs))
    return bool(pairs)


async def _put_on(actor: Actor, dice: random.Random) -> bool:
    found = _carried(actor, dice)
    if found is not None:
        await actor.put_on(found[0])
    return found is not None


async def _take_off(actor: Actor, dice: random.Random) -> bool:
    worn = list(actor.wears())
    if worn:
        await actor.take_off(dice.choice(worn))
    return bool(worn)


async def _give(actor: Actor, dice: random.Random) -> bool:
    """To one of the nearest: the others are too far off."""
    found, others = _carried(actor, dice), actor.nearest()[:4]
    if found is None or not others:
        return False
    await actor.give(found[0], dice.choice(others), dice.randint(1, max(1, found[1])))
    return True


async def _lift(actor: Actor, dice: random.Random) -> bool:
    """And keep it in the hand for a while."""
    found = _carried(actor, dice)
    if found is not None:
        await actor.lift(found[0], dice.randint(1, max(1, found[1])))
    return found is not None


async def _use(actor: Actor, dice: random.Random) -> bool:
    found = _carried(actor, dice)
    if found is not None:
        await actor.use(found[0])
    return found is not None


async def _gesture(actor: Actor, dice: random.Random) -> bool:
    await actor.gesture()
    return True


async def _camp(actor: Actor, dice: random.Random) -> bool:
    """And think better of it."""
    await actor.camp()
    await actor.echo()
    await actor.stays()
    return True


async def _trade(actor: Actor, dice: random.Random) -> bool:
    return bool(await deals(actor, dice))


async def _group(actor: Actor, dice: random.Random) -> bool:
    return bool(await groups(actor, dice))


BAG_GRAPHIC: Final = 0x0E76
"""Ultima Online's bag."""

ACTS: Final[Mapping[str, Callable[[Actor, random.Random], Awaitable[bool]]]] = {
    "step": _step,
    "say": _say,
    "take": _take,
    "drop": _drop,
    "split": _split,
    "merge": _merge,
    "put_on": _put_on,
    "take_off": _take_off,
    "give": _give,
    "lift": _lift,
    "use": _use,
    "gesture": _gesture,
    "trade": _trade,
    "party": _group,
    "camp": _camp,
}
DEEDS: Final = {
    "step": 20,
    "say": 3,
    "take": 14,
    "drop": 12,
    "split": 6,
    "merge": 6,
    "put_on": 6,
    "take_off": 5,
    "give": 6,
    "lift": 3,
    "use": 3,
    "gesture": 2,
    "camp": 2,
    "relog": 3,
    "vanish": 2,
}
"""How often each is chosen."""
