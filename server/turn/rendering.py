"""One subject, rendered once for each group of viewers: messages are shared by all whom a view tells the
same.

A view that raises loses that one thing for that group, and the world goes on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import attrs

from world.audience import stands_apart

if TYPE_CHECKING:
    from protocol.family import AnyView
    from protocol.outgoing import Outgoing
    from protocol.session import Session
    from world.events import Event
    from world.mobile import Mobile
    from world.thing import Thing

log = logging.getLogger("world.view")

Group: TypeAlias = tuple[str, Hashable, Hashable]
"""Game, dialect and audience: all that a rendering may depend on."""

Make: TypeAlias = "Callable[[AnyView, Hashable, Hashable], Sequence[Outgoing]]"


@attrs.define(eq=False)
class Rendering:
    """One subject (a thing to show, an event, a change), rendered once per group of viewers."""

    thing: Thing | None
    make: Make
    by_group: dict[Group, Sequence[Outgoing]] = attrs.field(factory=dict)

    def queue(self, session: Session) -> None:
        """Queue it for one viewer."""
        view = session.family.view
        try:
            audience = view.audience(session, self.thing) if self.thing is not None else None
        except Exception:
            log.exception("the %s view failed for %r", session.family.name, self.thing)
            return
        session.outbox.extend(self.messages(session, audience))

    def queue_all(self, sessions: Iterable[Session], mobile: Mobile) -> None:
        """Queue it for viewers of a mobile, its own player among them or not.

        In a crowd this is where most of a turn goes, so a view that makes no difference between bystanders
        is not asked for each of them.
        """
        family = dialect = onlooker = None
        messages: Sequence[Outgoing] = ()
        for session in sessions:
            # Neighbours mostly are of one group.
            if session.dialect is not dialect or session.family is not family:
                family, dialect = session.family, session.dialect
                view = family.view
                onlooker = view.onlooker
                if view.apart and stands_apart(mobile, view.apart):
                    onlooker = None  # it is not the same to all of them
                if onlooker is not None:
                    messages = self.messages(session, onlooker)
            if onlooker is None or session.mobile is mobile:
                self.queue(session)
            elif messages:
                session.outbox.extend(messages)

    def messages(self, session: Session, audience: Hashable) -> Sequence[Outgoing]:
        """Messages that all viewers of one session's group receive."""
        family, dialect = session.family, session.dialect
        messages = self.by_group.get((family.name, dialect, audience))
        if messages is None:
            try:
                messages = self.make(family.view, audience, dialect)
            except Exception:
                log.exception("the %s view failed for %r", family.name, self.thing)
                messages = ()
            self.by_group[family.name, dialect, audience] = messages
        return messages


def event_of(event: Event) -> Rendering:
    """An event, for the viewers that receive it."""
    return Rendering(event.thing, lambda view, *group: view.event(event, *group))


def state_of(thing: Thing, flags: int) -> Rendering:
    """State of a thing, as far as `flags` of `world.delta` say."""
    return Rendering(thing, lambda view, *group: view.changed(thing, flags, *group))
