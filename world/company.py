"""Company: what characters are to one another and what lasts, brought in from the store and kept true to who
there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from world import conduct, friends, guilds, mail, party, party_copies

if TYPE_CHECKING:
    from collections.abc import Iterable

    from world.mobile import Mobile
    from world.world import World


def settle(world: World, strangers: Iterable[int]) -> None:
    """Set out what was stored, when the world begins. `strangers`: characters whom it names and who do not
    exist any more."""
    guilds.settle(world)
    if world.records.kept:
        party.settle(world)
    else:
        party_copies.settle(world)
    world.lists.settle()
    conduct.settle(world)
    mail.settle(world)
    forget(world, strangers)


def came(mobile: Mobile, *, again: bool = False, over: bool = False) -> None:
    """A character is played from now on: it is told of its company, and these of it. `again`: another client
    takes over one that was played until now, or, `over`, it has come over a border."""
    guilds.came(mobile)
    party.resumed(mobile, over=over)
    if not again:
        friends.stirred(mobile)
    mail.came(mobile, again=again)
    conduct.arrived(mobile)


def went(mobile: Mobile, *, over: bool = False) -> None:
    """A character is played no more: its company is told. `over`: it goes on in another world, or in the next
    process that has its realm."""
    guilds.went(mobile)
    if not over:
        party.parted(mobile)
    friends.stirred(mobile)


def forget(world: World, serials: Iterable[int]) -> None:
    """These characters are about to cease to exist: nothing may refer to them any more."""
    for serial in serials:
        if world.records.kept:  # else that is for the world that keeps them
            guilds.forget(world, serial)
            party.forget(world, serial)
        world.lists.forget(serial)
        mail.forget(world, serial)
