"""Paid services of residents that need no counter: being made whole, a bed for a night, a home at an inn.

Whoever has settled at an inn goes back there by a word, out of a fight, and not too often; it is the way home
for those who got lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import hands, holding, life
from world.motion import halt
from world.promises import promise
from world.reach import Cannot, Refusal, check_talk
from world.speech import notice
from world.wording import GOLD, amount_of

if TYPE_CHECKING:
    from world.mobile import Mobile

HOME_SECONDS: Final = 600.0
"""Before one can go home again by a word."""

NO_BEDS: Final = "They have no bed to give."
WHOLE: Final = "You miss nothing."
HOMELESS: Final = "You have not settled anywhere: an innkeeper has a room for you."
FIGHTING: Final = "Not while you are in a fight."
LATELY: Final = "You went home only lately."


def pay(actor: Mobile, price: int) -> None:
    """Take gold out of a pack. Raises Cannot(POOR)."""
    if holding.gold(actor) < price:
        raise Cannot(Refusal.POOR)
    if price:
        hands.destroy_kind(actor, GOLD, price)


def tend(actor: Mobile, healer: Mobile) -> None:
    """Be made whole by a healer, for what that asks. Raises Cannot: DEAD, GONE, FAR, UNSEEN, USELESS if
    nothing is missing, POOR."""
    _serve(actor, healer, healer.template.offers.healing)
    if life.is_whole(actor):
        raise Cannot(Refusal.USELESS, WHOLE)
    _charge(actor, healer.template.offers.healing)
    life.restore(actor)


def rest(actor: Mobile, innkeeper: Mobile) -> None:
    """Take a bed and wake whole. Raises Cannot: DEAD, GONE, FAR, UNSEEN or POOR."""
    price = innkeeper.template.offers.bed
    _serve(actor, innkeeper, price)
    _charge(actor, price)
    life.restore(actor)
    notice(actor, f"{innkeeper.name} shows you to a bed. You wake rested and whole.")


def settle(actor: Mobile, innkeeper: Mobile) -> None:
    """Make an inn one's home. Raises Cannot: DEAD, GONE, FAR, UNSEEN, or USELESS if it has no rooms to
    let."""
    _serve(actor, innkeeper, 0)
    if not innkeeper.template.offers.home or actor.realm is None:
        raise Cannot(Refusal.USELESS, NO_BEDS)
    actor.home_realm, actor.home_x, actor.home_y = actor.realm.name, actor.x, actor.y
    actor.touch()
    promise(actor, f"You have a home at {innkeeper.name}'s now: the order home leads there.")


def go_home(actor: Mobile) -> None:
    """Go to where one has settled. Raises Cannot: DEAD, NO_WAY without a home, BUSY in a fight, SOON."""
    world = actor.world
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    if not world.leads_to(actor.home_realm) or actor.realm is None:
        raise Cannot(Refusal.NO_WAY, HOMELESS)
    if world.now < actor.fighting_until or actor.enemy:
        raise Cannot(Refusal.BUSY, FIGHTING)
    if world.now < actor.home_at:
        raise Cannot(Refusal.SOON, LATELY)
    x, y = actor.home_x, actor.home_y
    realm = world.realms.get(actor.home_realm)
    if realm is not None:
        x, y = next(realm.free_near(x, y), (x, y))
    actor.home_at = world.now + HOME_SECONDS
    halt(actor)
    world.travel(actor, actor.home_realm, x, y)


def _serve(actor: Mobile, host: Mobile, price: int) -> None:
    if actor.dead:
        raise Cannot(Refusal.DEAD)
    check_talk(actor, host)
    if holding.gold(actor) < price:
        raise Cannot(Refusal.POOR)


def _charge(actor: Mobile, price: int) -> None:
    if price:
        pay(actor, price)
        promise(actor, f"You pay {amount_of(actor.world, GOLD, price)}.")
