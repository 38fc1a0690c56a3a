"""Friends, those of whom one wants to hear nothing, and duels as messages of this game."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.web.packets.social import (
    DuelCounted,
    DuelOver,
    Friend,
    FriendChanged,
    Friends,
    IgnoreChanged,
    Ignored,
)
from world import events, friends, ignoring

if TYPE_CHECKING:
    from world.mobile import Mobile
    from world.thing import Surroundings


def lists(mobile: Mobile) -> Friends:
    """List whom somebody has for friends and whom it ignores, as they are now."""
    world = mobile.world
    return Friends(
        tuple(
            _friend(world, serial, name, online=friends.is_here(world, serial))
            for serial, name in friends.friends_of(mobile).items()
        ),
        tuple(Ignored(serial, name) for serial, name in ignoring.ignored_by(mobile).items()),
    )


def friend(event: events.FriendStirred | events.FriendListed) -> FriendChanged:
    """A friend who has come or gone, or is one from now on."""
    listed = event.listed if isinstance(event, events.FriendListed) else True
    return FriendChanged(_friend(event.thing.world, event.serial, event.name, online=event.online), listed)


def ignored(event: events.IgnoreListed) -> IgnoreChanged:
    """Somebody of whom one hears nothing any more, or again."""
    return IgnoreChanged(Ignored(event.serial, event.name), event.listed)


def counted(event: events.DuelCounted) -> DuelCounted:
    """A duel is about to begin, or does."""
    return DuelCounted(event.other.serial, event.other.name, event.seconds)


def over(event: events.DuelEnded) -> DuelOver:
    """A duel is over."""
    return DuelOver(event.other.serial, event.why, event.won)


def _friend(world: Surroundings, serial: int, name: str, *, online: bool) -> Friend:
    return Friend(serial, name, online, friends.game_of(world, serial) if online else "")
