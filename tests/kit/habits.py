"""What people do in a simulation: small habits, chosen by dice.

Each looks at what its actor believes in, does one thing with it, and answers what that was, or nothing if
there was nothing to do. Much of it is refused, and should be: people reach for what is too far off, hand out
more than they have, and try to wear bread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.kit.company import deals, groups
from tests.kit.site import wire_of
from world.heading import towards

if TYPE_CHECKING:
    import random
    from collections.abc import Awaitable, Callable

    from tests.kit.actor import Actor


FAR: Final = 7
"""Tiles that somebody wanders at a time; a client of EverQuest II must not be farther ahead than eight."""


async def _steps(actor: Actor, dice: random.Random) -> str:
    heading, run = dice.randrange(8), dice.random() < 0.3
    for _ in range(dice.randrange(1, 4)):
        await actor.step(heading, run=run)
    return f"steps towards {heading}{' running' if run else ''}"


async def _approaches(actor: Actor, dice: random.Random) -> str:
    """Towards somebody, or something on the ground."""
    here = actor.place()
    targets = [(seen.x, seen.y) for seen in actor.others().values()]
    targets += [(lies.x, lies.y) for lies in actor.lying().values()] * 3
    if not targets:
        return await _steps(actor, dice)
    x, y = dice.choice(targets)
    heading = towards(x - here.x, y - here.y)
    if heading is None:
        return ""
    for _ in range(min(4, max(abs(x - here.x), abs(y - here.y)))):
        await actor.step(heading)
    return f"goes towards {x} {y}"


async def _wanders(actor: Actor, dice: random.Random) -> str:
    """Far, for one that sees none of our walls."""
    dx, dy = dice.randint(-FAR, FAR), dice.randint(-FAR, FAR)
    await actor.wander(dx, dy)
    return f"wanders {dx} {dy}"


async def _turns(actor: Actor, dice: random.Random) -> str:
    heading = dice.randrange(8)
    await actor.turn(heading)
    return f"turns to {heading}"


async def _says(actor: Actor, dice: random.Random) -> str:
    text = dice.choice(("hail", "who is here", "balance please", "lovely weather", "news?"))
    await actor.say(text)
    return f"says {text}"


async def _sits(actor: Actor, dice: random.Random) -> str:
    await actor.sit()
    return "sits"


async def _stands(actor: Actor, dice: random.Random) -> str:
    await actor.stand()
    return "stands"


async def _gestures(actor: Actor, dice: random.Random) -> str:
    await actor.gesture()
    return "gestures"


async def _clicks(actor: Actor, dice: random.Random) -> str:
    handles = sorted(actor.sees())
    if not handles:
        return ""
    handle = dice.choice(handles)
    await actor.click(handle)
    return f"clicks {handle:#x}"


async def _uses(actor: Actor, dice: random.Random) -> str:
    """Something in the pack, a bag perhaps, or anything in sight."""
    carried, seen = sorted(actor.carries()), sorted(actor.sees())
    handles = dice.choice((carried, seen)) or carried or seen
    if not handles:
        return ""
    handle = dice.choice(handles)
    await actor.use(handle)
    return f"uses {handle:#x}"


async def _looks_around(actor: Actor, dice: random.Random) -> str:
    await actor.refresh()
    return "refreshes"


async def _looks_far(actor: Actor, dice: random.Random) -> str:
    tiles = dice.randrange(5, 25)
    await actor.look_far(tiles)
    return f"looks {tiles} tiles far"


async def _draws(actor: Actor, dice: random.Random) -> str:
    on = dice.random() < 0.5
    await actor.war(on)
    return f"war {on}"


async def _opens(actor: Actor, dice: random.Random) -> str:
    here = actor.place()
    x, y = here.x + dice.randrange(-1, 2), here.y + dice.randrange(-1, 2)
    await actor.open_door(x, y)
    return f"opens the door at {x} {y}"


async def _takes(actor: Actor, dice: random.Random) -> str:
    """From the ground, or out of a bag."""
    lying = {handle: thing.amount for handle, thing in actor.lying().items()}
    bags = [{handle: owned.amount for handle, owned in bag.items()} for bag in actor.bags().values()]
    amounts = dice.choice((lying, *bags))
    if not amounts:
        return await _drops(actor, dice)
    handle = dice.choice(sorted(amounts))
    amount = dice.choice((max(1, amounts[handle]), 1, dice.randrange(1, 200)))
    await actor.take(handle, amount)
    return f"takes {amount} of {handle:#x}"


def _some(actor: Actor, dice: random.Random) -> tuple[int, int] | None:
    """Something from the pack, and an amount: mostly one that there is."""
    carried = actor.carries()
    if not carried:
        return None
    handle = dice.choice(sorted(carried))
    most = carried[handle].amount
    amount = dice.choice((most, most, 1, dice.randrange(0, most + 2), most // 2))
    return handle, amount


async def _drops(actor: Actor, dice: random.Random) -> str:
    some = _some(actor, dice)
    if some is None:
        return ""
    await actor.drop(*some)
    return f"drops {some[1]} of {some[0]:#x}"


async def _splits(actor: Actor, dice: random.Random) -> str:
    some = _some(actor, dice)
    if some is None:
        return ""
    await actor.split(*some)
    return f"splits {some[1]} off {some[0]:#x}"


async def _merges(actor: Actor, dice: random.Random) -> str:
    carried = sorted(actor.carries())
    if len(carried) < 2:
        return ""
    one, onto = dice.sample(carried, 2)
    bags = sorted(actor.bags())
    if bags and dice.random() < 0.5:
        onto = dice.choice(bags)
    await actor.merge(one, onto)
    return f"puts {one:#x} onto {onto:#x}"


async def _gives(actor: Actor, dice: random.Random) -> str:
    """Mostly to whoever stands nearest: the others are too far off."""
    some, others = _some(actor, dice), actor.nearest()
    if some is None or not others:
        return ""
    other = others[0] if dice.random() < 0.75 else dice.choice(others)
    await actor.give(some[0], other, some[1])
    return f"gives {some[1]} of {some[0]:#x} to {other:#x}"


async def _gives_and_goes(actor: Actor, dice: random.Random) -> str:
    """What is left is written with who leaves: is what was given?"""
    did = await _gives(actor, dice)
    if not did:
        return ""
    if dice.random() < 0.5:
        actor.leaves()
        return f"{did} and hangs up"
    await actor.logs_out()
    return f"{did} and logs out"


async def _fights(actor: Actor, dice: random.Random) -> str:
    """Whoever is near: a creature perhaps, or somebody whom the guards protect."""
    near = actor.nearest()[:3]
    if not near:
        return ""
    handle, here = dice.choice(near), actor.place()
    there = actor.others()[handle]
    heading = towards(there.x - here.x, there.y - here.y)
    if heading is not None:
        for _ in range(min(2, max(abs(there.x - here.x), abs(there.y - here.y)) // actor.unit - 1)):
            await actor.step(heading)
        await actor.turn(heading)
    await actor.attack(handle)
    return f"attacks {handle:#x}"


async def _loots(actor: Actor, dice: random.Random) -> str:
    lying = sorted(actor.lying())
    if not lying:
        return ""
    handle = dice.choice(lying)
    await actor.loot(handle)
    return f"looks into {handle:#x} for what the dead left"


async def _comes_back(actor: Actor, dice: random.Random) -> str:
    """As a ghost does; the living are refused."""
    line = dice.choice(("town", "answer 1"))
    await actor.orders(line)
    return f"orders {line}"


async def _banks(actor: Actor, dice: random.Random) -> str:
    """With or without a banker near, or with more than there is."""
    some = _some(actor, dice)
    thing = f"{dice.choice(('bread', 'apple', 'dagger', 'candle'))} {dice.randrange(1, 3)}"
    line = f"{dice.choice(('deposit', 'withdraw'))} {dice.choice((str(dice.randrange(1, 60)), thing))}"
    if some is None or dice.random() < 0.2:
        line = "bank"
    await actor.orders(line)
    return f"orders {line}"


async def _trades(actor: Actor, dice: random.Random) -> str:
    thing = dice.choice(("bread", "apple", "bandage", "dagger"))
    line = f"{dice.choice(('buy', 'sell'))} {thing} {dice.randrange(1, 4)}"
    await actor.orders(line)
    return f"orders {line}"


SERVICES: Final = (
    ("talk Mabel", "answer 1", "talk Mabel"),
    ("talk Mabel", "answer 1", "giveup Alms"),
    ("talk Greta", "answer 2", "answer 1"),
    ("say a bed", "answer 1"),
    ("say train me", "answer 1", "answer 1"),
    ("gather",),
    ("take candle",),
    ("pin Wanted: ten hides", "unpin 1"),
    ("pin Lost: a shoe",),
    ("deposit 20", "withdraw 10"),
    ("deposit bandage 2", "withdraw bandage 1"),
    ("buy apple 3",),
    ("sell bandage 1",),
)
"""What one says to those who work where newcomers come in, or does there (`tests.kit.site`): an innkeeper who
teaches and has an errand, a baker, a banker, a chest, a board."""


async def _is_served(actor: Actor, dice: random.Random) -> str:
    """As one wishes, line by line."""
    wishes = dice.choice(SERVICES)
    for line in wishes:
        words = line.removeprefix("say ")
        await (actor.say(words) if words != line else actor.orders(line))
    return f"orders {', '.join(wishes)}"


async def _lifts(actor: Actor, dice: random.Random) -> str:
    """And keeps it in the hand: the next verb is refused, or whatever ends it puts it back."""
    some = _some(actor, dice)
    if some is None:
        return ""
    await actor.lift(*some)
    return f"lifts {some[1]} of {some[0]:#x}"


async def _puts_on(actor: Actor, dice: random.Random) -> str:
    carried = sorted(actor.carries())
    if not carried:
        return ""
    handle = dice.choice(carried)
    await actor.put_on(handle)
    return f"puts on {handle:#x}"


async def _takes_off(actor: Actor, dice: random.Random) -> str:
    worn = sorted(actor.wears())
    if not worn:
        return ""
    layer = dice.choice(worn)
    await actor.take_off(layer)
    return f"takes off {layer:#x}"


async def _garbles(actor: Actor, dice: random.Random) -> str:
    wire_of(actor.player).spoilt = True
    await actor.garble(dice.randbytes(dice.randrange(1, 40)))
    await actor.until(lambda: False, 2.0)
    actor.leaves()
    return "sends nonsense"


async def _logs_out(actor: Actor, dice: random.Random) -> str:
    await actor.logs_out()
    return "logs out"


async def _vanishes(actor: Actor, dice: random.Random) -> str:
    actor.leaves()
    return "hangs up"


Habit = tuple[str, "Callable[[Actor, random.Random], Awaitable[str]]"]

_WEIGHTED: Final[tuple[tuple[float, Habit], ...]] = (
    (20, ("step", _steps)),
    (12, ("step", _approaches)),
    (5, ("wander", _wanders)),
    (5, ("turn", _turns)),
    (3, ("say", _says)),
    (2, ("sit", _sits)),
    (3, ("stand", _stands)),
    (1, ("gesture", _gestures)),
    (2, ("click", _clicks)),
    (2, ("use", _uses)),
    (1, ("refresh", _looks_around)),
    (0.5, ("look_far", _looks_far)),
    (1, ("war", _draws)),
    (1, ("open_door", _opens)),
    (14, ("take", _takes)),
    (10, ("drop", _drops)),
    (6, ("split", _splits)),
    (4, ("merge", _merges)),
    (6, ("give", _gives)),
    (0.5, ("give", _gives_and_goes)),
    (9, ("attack", _fights)),
    (4, ("loot", _loots)),
    (1.5, ("orders", _comes_back)),
    (2, ("orders", _banks)),
    (1.5, ("orders", _trades)),
    (4, ("orders", _is_served)),
    (5, ("trade", deals)),
    (3, ("party", groups)),
    (1, ("lift", _lifts)),
    (5, ("put_on", _puts_on)),
    (4, ("take_off", _takes_off)),
    (0.3, ("garble", _garbles)),
    (0.7, ("logs_out", _logs_out)),
    (0.5, ("leaves", _vanishes)),
)
HABITS: Final = ([habit for _, habit in _WEIGHTED], [weight for weight, _ in _WEIGHTED])

COMPANY: Final = ([("trade", deals), ("party", groups)], [3, 1])
"""Of those who do nothing but deal with one another."""

BUSINESS: Final = ([("orders", _is_served)], [1])
"""Of those who do nothing but use services."""
