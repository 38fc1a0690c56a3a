"""Friends, and those of whom one hears nothing, as this game's two lists of names.

The client keeps both. It is given them when it enters, and one name at a time after that: a friend who comes
or goes is named anew, with the place where it is, or none. Each change is told in words as well. A name that
the client cannot type is the short one; it sends back what it was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from protocol.eq2.figures import NAMING
from protocol.eq2.packets import FRIEND, HEED, IGNORE, UNFRIEND, ChatFriend, ChatRelationships
from protocol.eq2.words import STATUS, texts
from protocol.rendering import tells_of_acquaintances
from world.events import FriendListed, FriendStirred, IgnoreListed, MailListed
from world.friends import friends_of, is_here
from world.ignoring import ignored_by

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping, Sequence

    from protocol.eq2.figures import Figures
    from protocol.eq2.session import Eq2Session
    from protocol.eq2.versions import Eq2Version
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.mobile import Mobile
    from world.thing import Surroundings


class Circle(Protocol):
    """A view, as far as friends go."""

    figures: Figures


V = TypeVar("V", bound=Circle)


def declare(events: Renderings[V, Eq2Version]) -> None:
    """Register how friends are shown, and what else players have to do with one another."""
    events.renders(FriendListed)(listed)
    events.renders(FriendStirred)(stirred)
    events.renders(IgnoreListed)(ignored)
    tells_of_acquaintances(events, FriendListed, FriendStirred, IgnoreListed, MailListed)


def listed(view: Circle, event: FriendListed, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
    """ChatRelationships with that name, and a line of text."""
    kind = FRIEND if event.listed else UNFRIEND
    return _told(view, event, kind, {event.serial: event.name}, version)


def stirred(
    view: Circle, event: FriendStirred, audience: Hashable, version: Eq2Version
) -> Sequence[Outgoing]:
    """ChatRelationships with the friend's name and place, and a line of text."""
    return _told(view, event, FRIEND, {event.serial: event.name}, version)


def ignored(view: Circle, event: IgnoreListed, audience: Hashable, version: Eq2Version) -> Sequence[Outgoing]:
    """ChatRelationships with that name, and a line of text."""
    kind = IGNORE if event.listed else HEED
    return _told(view, event, kind, {event.serial: event.name}, version)


def as_they_are(mobile: Mobile, figures: Figures) -> Sequence[Outgoing]:
    """Both lists, for a client that enters; without its windows, empty ones."""
    shown, world = figures.rendering.friends_window, mobile.world
    friends = friends_of(mobile) if shown else {}
    heard = ignored_by(mobile) if shown else {}
    return Related(FRIEND, _entries(world, FRIEND, friends)), Related(IGNORE, _entries(world, IGNORE, heard))


class Related:
    """Names for one of a client's lists."""

    __slots__ = ("_kind", "_names")
    droppable = False

    def __init__(self, kind: int, names: tuple[ChatFriend, ...]) -> None:
        self._kind = kind
        self._names = names

    def bind(self, session: Eq2Session) -> bytes:
        """ChatRelationships, which names the client's account."""
        account = session.account.id if session.account is not None else 0
        return session.dialect.encode(ChatRelationships(account, self._kind, self._names))


def _told(
    view: Circle,
    event: FriendListed | FriendStirred | IgnoreListed,
    kind: int,
    names: Mapping[int, str],
    version: Eq2Version,
) -> Sequence[Outgoing]:
    line = event.words(own=True)
    words = texts(version, STATUS, line) if line is not None else ()
    if not view.figures.rendering.friends_window:
        return words
    return Related(kind, _entries(event.thing.world, kind, names)), *words


def _entries(world: Surroundings, kind: int, names: Mapping[int, str]) -> tuple[ChatFriend, ...]:
    """The client's names of some, and, of friends, where they are."""
    entries: list[ChatFriend] = []
    for serial, name in names.items():
        known = world.directory.of(serial)
        called = NAMING.known(known) if known is not None else name
        place = _place(world, serial) if kind == FRIEND else ""
        entries.append(ChatFriend(called, place))
    return tuple(entries)


def _place(world: Surroundings, serial: int) -> str:
    """The name of the realm that somebody is in; nothing of who is not there, as far as others may know."""
    mobile = world.mobiles.get(serial)
    if mobile is None or mobile.realm is None or not is_here(world, serial):
        return ""
    return mobile.realm.chart.title
