"""One subject, rendered once for each group of viewers: messages are shared by all whom a view tells the
same.

A view that raises loses that one thing for that group, and the world goes on.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

import attrs

from protocol.outgoing import Noting, Numbered
from protocol.wire.body import Body
from world.audience import Relation, stands_apart
from world.mobile import Mobile

if TYPE_CHECKING:
    from protocol.family import AnyView, Family
    from protocol.outgoing import Outgoing
    from protocol.session import Multicast, Session
    from world.events import Event
    from world.thing import Thing

log = logging.getLogger("world.view")

Group: TypeAlias = tuple[str, Hashable, Hashable]
"""Game, dialect and audience: all that a rendering may depend on."""

Make: TypeAlias = "Callable[[AnyView, Hashable, Hashable], Sequence[Outgoing]]"


@attrs.define(eq=False)
class Kind:
    """Viewers of one game and dialect whose sockets are here, or at the same edge."""

    family: Family
    multicast: Multicast | None
    sessions: Sequence[Session]


def kinds_of(sessions: Sequence[Session]) -> list[Kind]:
    """Sort viewers. Mostly all are of one kind."""
    if not sessions:
        return []
    first = sessions[0]
    family, dialect, multicast = first.family, first.dialect, first.multicast
    if len(sessions) == 1:
        return [Kind(family, multicast, sessions)]
    others = [
        one
        for one in sessions
        if one.dialect is not dialect or one.family is not family or one.multicast is not multicast
    ]
    if not others:
        return [Kind(family, multicast, sessions)]
    kinds: dict[tuple[str, Hashable, Multicast | None], list[Session]] = {}
    for session in sessions:
        kinds.setdefault((session.family.name, session.dialect, session.multicast), []).append(session)
    return [Kind(some[0].family, some[0].multicast, some) for some in kinds.values()]


@attrs.define(eq=False)
class Rendering:
    """One subject (a thing to show, an event, a change), rendered once per group of viewers."""

    thing: Thing | None
    make: Make
    by_group: dict[Group, Sequence[Outgoing]] = attrs.field(factory=dict)

    def queue(self, session: Session, *, waits: bool = False) -> None:
        """Queue it for one viewer. `waits`: whether it may wait for more (`server.turn.coalescing`)."""
        if messages := self.messages_of(session):
            session.outbox.extend(messages)
            if not waits:
                session.urgent = True

    def queue_each(self, sessions: Sequence[Session]) -> None:
        """Queue it for several viewers, its own player not among them, where it may wait for more. What is
        the same for all of them is said once."""
        thing = self.thing
        for kind in kinds_of(sessions):
            view, some = kind.family.view, kind.sessions
            if (
                isinstance(thing, Mobile)
                and view.onlooker is not None
                and not (view.apart and stands_apart(thing, view.apart))
            ):
                if messages := self.messages(some[0], view.onlooker):
                    _tell(kind.multicast, messages, some, waits=True)
            else:
                self._queue_apart(some)

    def _queue_apart(self, sessions: Iterable[Session]) -> None:
        casts: dict[tuple[Multicast, Sequence[Outgoing]], list[Session]] | None = None
        for session in sessions:
            messages = self.messages_of(session)
            if session.multicast is None or session.outbox:
                session.outbox.extend(messages)
            elif messages:
                casts = casts or {}
                casts.setdefault((session.multicast, tuple(messages)), []).append(session)
        for (multicast, messages), alike in (casts or {}).items():
            _say(multicast, messages, alike, waits=True)

    def queue_all(
        self, kinds: Iterable[Kind], mobile: Mobile, *, moves: bool = False, waits: bool = False
    ) -> None:
        """Queue it for viewers of a mobile, its own player among them or not. `moves`: whether it is a motion
        of that mobile. `waits`: whether it may wait for more (`server.turn.coalescing`).

        Nearly all messages of a busy world pass here, and in a crowd most of a turn does. So a view that
        makes no difference between bystanders is not asked for each of them, and one that draws relations
        apart is asked once for all of a guild and party.
        """
        company: _Company | None = None
        for kind in kinds:
            view, sessions = kind.family.view, kind.sessions
            onlooker = view.bystander if moves else view.onlooker
            if onlooker is None:
                for session in sessions:
                    self.queue(session, waits=waits)
                continue
            if view.apart and stands_apart(mobile, view.apart):
                company = company or _Company(self)
                company.begin(view)
                for session in sessions:
                    session.outbox.extend(company.of(session, mobile))
                    if not waits:
                        session.urgent = True
                continue
            if not moves:  # else its own player is not among them
                for session in sessions:
                    if session.mobile is mobile:
                        self.queue(session)
                        sessions = [one for one in sessions if one is not session]
                        break
            if sessions and (messages := self.messages(sessions[0], onlooker)):
                _tell(kind.multicast, messages, sessions, waits=waits)

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


def _tell(
    multicast: Multicast | None, messages: Sequence[Outgoing], sessions: Sequence[Session], *, waits: bool
) -> None:
    """Queue the same messages for all of a kind, or have them said to all at once. Who has something in its
    outbox gets them behind that."""
    single = messages[0] if len(messages) == 1 else None  # as nearly always: a step is one message
    if multicast is None:
        if single is not None:
            for session in sessions:
                session.outbox.append(single)
        else:
            for session in sessions:
                session.outbox.extend(messages)
        if not waits:
            for session in sessions:
                session.urgent = True
        return
    ready = [session for session in sessions if not session.outbox]
    if len(ready) < len(sessions):
        for session in sessions:
            if session.outbox:
                session.outbox.extend(messages)
    if isinstance(single, Numbered):
        try:
            for share in single.shares(ready):
                multicast.share(share, waits=waits)
        except Exception:
            log.exception("%r cannot be told to %d clients", single, len(ready))
    elif ready:
        _say(multicast, messages, ready, waits=waits)


def _say(
    multicast: Multicast, messages: Sequence[Outgoing], sessions: Sequence[Session], *, waits: bool
) -> None:
    """Say it to clients of an edge, which are those of these sessions, at once if it is the same for them."""
    noting = [message for message in messages if isinstance(message, Noting)]
    same = [one.body if isinstance(one, Noting) else one for one in messages] if noting else messages
    # Where the first is each one's own, as a ghost of EverQuest II, it need not be tried.
    if type(same[0]) is not Body or not multicast.cast(
        same, [session.client for session in sessions], waits=waits
    ):
        for session in sessions:
            session.outbox.extend(messages)
        return
    for message in noting:
        for session in sessions:
            message.note(session)


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

    def of(self, session: Session, mobile: Mobile) -> Sequence[Outgoing]:
        """What somebody is told of a mobile."""
        own = session.mobile
        if own is mobile or own is None:
            return self._rendering.messages_of(session)
        if own.guild is self.guild and (self.alone or own.party is self.party):
            return self.messages
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
