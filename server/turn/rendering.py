"""One subject, rendered once for each group of viewers: messages are shared by all whom a view tells the
same.

A view that raises loses that one thing for that group, and the world goes on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import attrs

from world.audience import Relation, stands_apart

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
        session.outbox.extend(self.messages_of(session))

    def queue_all(self, sessions: Iterable[Session], mobile: Mobile, *, moves: bool = False) -> None:
        """Queue it for viewers of a mobile, its own player among them or not. `moves`: whether it is a motion
        of that mobile.

        Nearly all messages of a busy world pass this loop, one viewer at a time, and in a crowd most of a
        turn goes here. So a view that makes no difference between bystanders is not asked for each of them,
        and one that draws relations apart is asked once for all of a guild and party.
        """
        family = dialect = None
        messages: Sequence[Outgoing] | None = None
        single: Outgoing | None = None  # as nearly always: a step is one message
        own_inside = not moves
        company: _Company | None = None
        for session in sessions:
            # Neighbours mostly are of one group.
            if session.dialect is not dialect or session.family is not family:
                family, dialect = session.family, session.dialect
                view = family.view
                onlooker = view.bystander if moves else view.onlooker
                by_company = bool(view.apart) and stands_apart(mobile, view.apart)
                alike = onlooker is not None and not by_company
                messages = self.messages(session, onlooker) if alike else None
                single = messages[0] if messages is not None and len(messages) == 1 else None
                if by_company and onlooker is not None:
                    company = company or _Company(self)
                    company.begin(view)
            if messages is None or (own_inside and session.mobile is mobile):
                own = session.mobile
                if company is None or onlooker is None or own is mobile or own is None:
                    self.queue(session)
                elif own.guild is company.guild and (company.alone or own.party is company.party):
                    session.outbox.extend(company.messages)
                else:
                    session.outbox.extend(company.of(session, own))
            elif single is not None:
                session.outbox.append(single)
            elif messages:
                session.outbox.extend(messages)

    def messages_of(self, session: Session) -> Sequence[Outgoing]:
        """Messages for one viewer: those of the kind of viewer that it is."""
        try:
            audience = session.family.view.audience(session, self.thing) if self.thing is not None else None
        except Exception:
            log.exception("the %s view failed for %r", session.family.name, self.thing)
            return ()
        return self.messages(session, audience)

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


class _Company:
    """What the viewers of one group of clients are told who are of one guild and party: the last that was
    asked for, which mostly is that of the next one as well, and those before."""

    __slots__ = ("_messages", "_rendering", "alone", "guild", "messages", "party")

    def __init__(self, rendering: Rendering) -> None:
        self._rendering = rendering
        self._messages: dict[Hashable, Sequence[Outgoing]] = {}
        self.alone = True
        """Whether parties make no difference to this game."""
        self.guild: object = self
        self.party: object = None
        self.messages: Sequence[Outgoing] = ()

    def begin(self, view: AnyView) -> None:
        """Go on with viewers of another group."""
        self.alone = Relation.PARTY not in view.apart
        self.guild = self  # nobody's

    def of(self, session: Session, own: Mobile) -> Sequence[Outgoing]:
        """What somebody of another guild or party than the last one is told."""
        self.guild, self.party = own.guild, own.party
        party = 0 if self.alone else id(own.party)
        key = (session.family.name, session.dialect, id(own.guild), party)
        found = self._messages.get(key)
        if found is None:
            found = self._messages[key] = self._rendering.messages_of(session)
        self.messages = found
        return found


def shown(thing: Thing, *, anew: bool) -> Rendering:
    """A thing that came into sight; or `anew`, one that these viewers have, to be placed where it is."""
    if anew:
        return Rendering(thing, lambda view, *group: view.place(thing, *group))
    return Rendering(thing, lambda view, *group: view.show(thing, *group))


def event_of(event: Event) -> Rendering:
    """An event, for the viewers that receive it."""
    return Rendering(event.thing, lambda view, *group: view.event(event, *group))


def state_of(thing: Thing, flags: int) -> Rendering:
    """State of a thing, as far as `flags` of `world.delta` say."""
    return Rendering(thing, lambda view, *group: view.changed(thing, flags, *group))
