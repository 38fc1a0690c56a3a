"""What people do with one another where dice decide: they trade, and go about in parties.

Each deed looks at what its actor believes, does one thing, and answers what that was, or nothing if there
was nothing to do. Much of it is refused, and should be: people ask residents and creatures, too, offer what
they have not, and agree to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import random

    from tests.kit.actor import Actor

GOODS: Final = ("bread", "apple", "bandage", "dagger", "candle", "shoes")
"""What people begin with, or buy."""

MOST: Final = 4
GOLD: Final = 20


async def deals(actor: Actor, dice: random.Random) -> str:
    """Ask, accept, or do something in the window."""
    if actor.trade_shown() is not None:
        return await _bargains(actor, dice)
    if actor.asked_to_trade():
        await actor.accepts_trade()
        return "accepts to trade"
    names = await actor.names()
    if not names:
        return ""
    name, kind = dice.choice(names), dice.choice(("", *GOODS))
    await actor.asks_to_trade(name, kind)
    return f"asks {name} to trade{f' with {kind}' if kind else ''}"


async def _bargains(actor: Actor, dice: random.Random) -> str:
    what = dice.choices(("agrees", "offers", "gold", "ends"), (10, 8, 4, 1))[0]
    if what == "agrees":
        await actor.agrees()
        return "agrees to a trade"
    if what == "ends":
        await actor.ends_trade()
        return "ends a trade"
    amount = dice.choice((1, 1, dice.randrange(MOST)))
    if what == "gold":
        await actor.offers_gold(GOLD * amount)
        return f"offers {GOLD * amount} gold"
    kind = dice.choice(GOODS)
    await actor.offers(kind, amount)
    return f"offers {amount} of {kind}"


async def groups(actor: Actor, dice: random.Random) -> str:
    """Invite, accept, leave, or send somebody away."""
    if actor.asked_into_party():
        await actor.accepts_invite()
        return "accepts to join a party"
    fellows, names = sorted(actor.party_shown()), await actor.names()
    what = dice.choices(("invites", "leaves", "expels"), (6, 1, 1))[0]
    if what == "leaves" and fellows:
        await actor.leaves_party()
        return "leaves its party"
    if what == "expels" and fellows:
        name = dice.choice(fellows)
        await actor.expels(name)
        return f"expels {name}"
    if not names:
        return ""
    name = dice.choice(names)
    await actor.invites(name)
    return f"invites {name}"


def is_busy(actor: Actor) -> bool:
    """Whether it sits before an open window of a trade, or is asked to trade."""
    return actor.trade_shown() is not None or actor.asked_to_trade()
