"""What a session has been told of, held against what its character can see.

Each function answers a list of sentences, empty if all is well.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world.mobile import Mobile
from world.serials import FIRST_ITEM

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

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


def sight_faults(session: Session, placed: Iterable[Thing], full: Container[int] = ()) -> list[str]:
    """What the server thinks a client knows, against what it should see. For the moment after a turn that
    left nothing to tell. `full`: sessions that lack room for somebody; as those in a crowd, they look around
    later."""
    if session.viewport is None or session.loading or session.blind:
        return []
    wanted = visible(session, placed)
    if session.known.keys() == wanted:
        return []
    waits = session.id in full or _is_in_crowd(session)
    missing = {one for one in wanted - session.known.keys() if not waits or one >= FIRST_ITEM}
    who = session.mobile.name if session.mobile is not None else "?"
    return [
        *(f"{who} should be shown {serial:#x}" for serial in sorted(missing)),
        *(
            f"{who} still knows {session.known[serial].name or serial} ({serial:#x})"
            for serial in sorted(session.known.keys() - wanted)
        ),
    ]


def _is_in_crowd(session: Session) -> bool:
    viewport, crowd = session.viewport, session.world.crowd
    realm = viewport.mobile.realm if viewport is not None else None
    return viewport is not None and realm is not None and realm.space.touches_crowd(viewport, crowd)


def company_faults(session: Session) -> list[str]:
    """Whether a client is shown as many others as there is room for, a while after anything happened."""
    viewport, crowd = session.viewport, session.world.crowd
    if viewport is None or viewport.mobile.realm is None or session.loading:
        return []
    seen = viewport.mobile.realm.space.seen_by(viewport).values()
    others = sum(isinstance(thing, Mobile) for thing in seen)
    wanted = min(others, crowd) if crowd else others
    return (
        []
        if session.known.company == wanted
        else [f"{session!r} is shown {session.known.company} of {others}"]
    )


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
