"""People who walk over the border of `tests.kit.border`, and what is asked of them on the other side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from tests.kit.actors import ACTORS, make_actor
from tests.kit.beliefs import belief_faults
from tests.kit.border import HERE as HERE
from tests.kit.border import REALMS, Borderland
from world.heading import NORTH, SOUTH
from world.newcomers import kept_items
from world.snapshot import character_row, item_row

if TYPE_CHECKING:
    from tests.kit.actor import Actor
    from world.mobile import Mobile

SURFACE, BELOW = REALMS
BESIDE: Final = (24, 16)


async def enters(land: Borderland, game: str, account: str, name: str, at: tuple[int, int] = HERE) -> Actor:
    """Somebody who stands before the way down."""
    actor = make_actor(game, land.towns[SURFACE], peer=f"127.0.0.{1 + list(ACTORS).index(game)}")
    await actor.enters(account, name)
    await land.puts(name, *at)
    await settles(land, actor)
    return actor


async def settles(land: Borderland, actor: Actor) -> None:
    """Until all that is under way has arrived and its client has loaded. It believes what is so then."""
    for _ in range(40):
        await trio.sleep(0.25)
        session = land.session(actor.name)
        if not (session.loading or session.blind or session.inbox or session.outbox or actor.in_flight()):
            break
    assert await actor.echo()
    faults = belief_faults(actor, land.session(actor.name))
    assert faults == [], faults


async def walks_up(land: Borderland, actor: Actor) -> None:
    """To where one more step to the north leads over the border, facing it."""
    mobile = land.mobile(actor.name)
    while mobile.y > HERE[1] - 1 or mobile.heading != NORTH:
        await actor.step(NORTH)
        await trio.sleep(0.8)


async def walks_over(land: Borderland, actor: Actor) -> None:
    """From beside the border to the other side."""
    before = land.where(actor.name)
    heading = NORTH if SURFACE in before.app.world.realms else SOUTH
    for _ in range(12):
        await actor.step(heading)
        await trio.sleep(0.8)
        if not before.here(actor.name):
            break
    await trio.sleep(1.2)
    assert land.where(actor.name) is not before, land.mobile(actor.name)
    await settles(land, actor)


def sheet(mobile: Mobile) -> dict[str, object]:
    """All that is stored of a character, but where it stands and looks, and what walking takes."""
    row = character_row(mobile)._asdict()
    for name in ("realm", "x", "y", "z", "heading", "stam"):
        del row[name]
    row["things"] = sorted(item_row(item) for item in kept_items(mobile))
    return row


def said(land: Borderland, actor: Actor) -> list[str]:
    """Lines of it that were heard in the world where it is."""
    return [one.text for one in land.where(actor.name).app.world.heard if one.name == actor.name]
