"""What a session has been told of, held against what its character can see.

Each function answers a list of sentences, empty if all is well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.session import Session
    from tests.kit.actor import Actor
    from world.thing import Thing
    from world.world import World

UNTOLD: Final = (0, 0)
"""Hits of somebody whose bar an Ultima Online client has never been sent."""


def placed_things(world: World) -> list[Thing]:
    """Everything that stands or lies somewhere."""
    return [
        thing
        for registry in (world.mobiles, world.items)
        for thing in registry.values()
        if thing.realm is not None
    ]


def visible(session: Session, placed: Iterable[Thing]) -> set[int]:
    """The serials of what a client is to see, by its view's field of view and the rule that nobody sees the
    hidden."""
    viewport = session.viewport
    if viewport is None:
        return set()
    mobile, radius, shape = viewport.mobile, viewport.sight.radius, viewport.sight.shape
    realm, x, y = mobile.realm, mobile.x, mobile.y
    return {
        thing.serial
        for thing in placed
        if thing.realm is realm
        and thing is not mobile
        and -radius <= thing.x - x <= radius
        and -radius <= thing.y - y <= radius
        and not thing.hidden
        and (shape is None or shape(thing.x - x, thing.y - y))
    }


def sight_faults(session: Session, placed: Iterable[Thing]) -> list[str]:
    """What the server thinks a client knows, against what it should see. For the moment after a turn that
    left nothing to tell."""
    if session.viewport is None or session.loading or session.blind:
        return []
    wanted = visible(session, placed)
    if session.known.keys() == wanted:
        return []
    who = session.mobile.name if session.mobile is not None else "?"
    return [
        *(f"{who} should be shown {serial:#x}" for serial in sorted(wanted - session.known.keys())),
        *(
            f"{who} still knows {session.known[serial].name or serial} ({serial:#x})"
            for serial in sorted(session.known.keys() - wanted)
        ),
    ]


def seen_faults(actor: Actor, session: Session) -> list[str]:
    """The things a client believes in, against what the server thinks it knows."""
    view = session.family.view
    wanted = {actor.handle_of(thing, view): thing for thing in session.known.values()}
    believed: set[int | None] = {*actor.sees()}
    excused = actor.excused()
    if believed == wanted.keys():
        return []
    return [
        *(
            f"{actor.name} does not see {_described(wanted[handle])}"
            for handle in wanted
            if handle not in believed and handle not in excused
        ),
        *(f"{actor.name} sees {handle:#x}, which is not there" for handle in believed - wanted.keys()),
    ]


def _described(thing: Thing) -> str:
    return f"{thing.name or getattr(thing, 'label', '?')} ({thing.serial:#x}) at {thing.x} {thing.y}"


def differs(who: str, what: str, believed: object, true: object) -> list[str]:
    return [] if believed == true else [f"{who} believes {what} is {believed}, it is {true}"]
