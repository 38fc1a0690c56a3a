"""How the toy shows the world: it hears, and sees nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.rendering import FLAGS, KINDS, LeftOut, Renderings
from protocol.wire.body import Body
from world.audience import Relation
from world.delta import flags_of
from world.events import Said
from world.space import Sight

from .packets import Say

if TYPE_CHECKING:
    from collections.abc import Collection, Hashable, Sequence

    from protocol.outgoing import Outgoing
    from protocol.session import Session
    from world.events import Event, Why
    from world.item import Item
    from world.thing import Thing

EVENTS: Final[Renderings[ToyView, Hashable]] = Renderings()
for kind in KINDS:
    if kind is not Said:
        EVENTS.leaves_out(kind, because="it only hears")
for flags in FLAGS.values():
    EVENTS.changes(flags, dict.fromkeys(flags_of(flags).values(), LeftOut("it only hears")))


class ToyView:
    """Square sight of 10 tiles."""

    gait_ms = (400, 200)
    bystander: Hashable | None = None
    onlooker: Hashable | None = None
    unshown = 0
    apart: Collection[Relation] = frozenset()
    declared = EVENTS
    loads_on_warp = False
    opens_corpses = True
    windows: frozenset[str] = frozenset()
    forgets_by_loading = False
    tells_own_steps = False

    def sight(self, session: Session) -> Sight:
        """See View."""
        return Sight(10)

    def audience(self, session: Session, thing: Thing) -> Hashable:
        """See View."""
        return Relation.SELF if session.mobile is thing else Relation.OTHER

    def show(self, thing: Thing, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """See View."""
        return []

    place = show

    def hide(self, thing: Thing, why: Why, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """See View."""
        return []

    def changed(self, thing: Thing, flags: int, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """See View."""
        return []

    def event(self, event: Event, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """See View."""
        return EVENTS.handlers[type(event)](self, event, audience, dialect)

    @EVENTS.renders(Said)
    def said(self, event: Said, audience: Hashable, dialect: Hashable) -> Sequence[Outgoing]:
        """Say, with the speaker's name before the words."""
        name = event.thing.name + ": " if event.thing is not None else ""
        return [Body(Say((name + event.text).encode()).encode())]

    def knows_content(self, session: Session, container: Item) -> bool:
        """See View."""
        return False

    def forget(self, session: Session, item: Item) -> bool:
        """See View."""
        return False

    def moved(self, session: Session) -> None:
        """See View."""
