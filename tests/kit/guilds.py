"""Worlds with guilds in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.kit.worlds import plain_content, plain_world, player
from world import dialogs, guilds, holding, invites, residents
from world.content import Resident
from world.wording import GOLD

if TYPE_CHECKING:
    from world.guild import Guild
    from world.mobile import Mobile
    from world.world import World

RICH = 50_000


def town() -> tuple[World, Mobile]:
    """A world, and its banker at 11, 10."""
    world = plain_world(plain_content(residents=(Resident("banker", 11, 10),)))
    residents.settle(world)
    (banker,) = world.mobiles.values()
    return world, banker


def member(world: World, name: str, x: int = 10, y: int = 10, gold: int = RICH) -> Mobile:
    """A player with a pack, and with gold in it."""
    mobile = player(world, name, x, y)
    mobile.short_name = name
    mobile.strength = 2_000
    pack = holding.make(world, "backpack")
    holding.wear(mobile, pack)
    if gold:
        holding.put(pack, holding.make(world, GOLD, amount=gold))
    world.register(pack)
    return mobile


def weavers(leader: Mobile, *others: Mobile, name: str = "Weavers", tag: str = "WV") -> Guild:
    """A guild of these, all but the leader recruits."""
    guild = guilds.found(leader, name, tag)
    for other in others:
        joins(leader, other)
    leader.world.events.clear()
    leader.world.promises.clear()
    return guild


def joins(leader: Mobile, other: Mobile) -> None:
    """Somebody is asked and agrees; a while passes."""
    guilds.invite(leader, other)
    invites.accept(other, guilds.GUILD)
    leader.spoken = None


def press(mobile: Mobile, button: int, **given: int | str | list[int]) -> dialogs.Dialog | None:
    """Press a button of the newest dialog, with what is filled in. Returns the dialog that is open then."""
    dialog = newest(mobile)
    assert dialog is not None
    assert dialogs.answer(mobile, dialog.serial, dialog.type_id, button, given)
    return newest(mobile)


def newest(mobile: Mobile) -> dialogs.Dialog | None:
    """The dialog that was opened last."""
    return next(reversed(mobile.dialogs.values()), None)
