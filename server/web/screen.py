"""One realm as the live map shows it: who watches, what they were sent, and the update that is being
written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import trio

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.page import Figure, Page
    from server.web.feed import Feed, Feeds
    from world import events
    from world.realm import Realm


class Message(NamedTuple):
    """One sending to a viewer, or to several who read along with one."""

    update: str = ""
    """What has changed, for those who had all before; may be empty."""
    whole: str = ""
    """Everything, as it is after that, for those who had not; empty if nobody asked for it."""
    anew: bool = False
    """Whether nobody had, so that there is no update."""


_NOTHING: Final = Message()


class Viewer:
    """Somebody who watches a realm; `abort` ends its connection, whatever is being sent.

    Whoever serves it asks for the `next` message once the one before is sent.
    """

    def __init__(self, screen: Screen, stir: Callable[[], None], abort: Callable[[], None]) -> None:
        self.screen = screen
        self.end: Callable[[], None]
        """Has it watch no more."""
        self.people = 1
        """How many read along."""
        self.newcomers = False
        """Whether it wants everything besides, for others who begin to read along."""
        self.abort = abort
        self.behind = True
        """Whether it has to receive everything anew."""
        self.busy_since: float | None = None
        """When it got the message that it is sending."""
        self._stir = stir
        self._message = Message()
        self._news = trio.Event()

    def give(self, message: Message, now: float) -> None:
        """The next message; for those who are not busy."""
        self._message, self.busy_since = message, now
        self._news.set()

    async def next(self) -> str:
        """Wait for it. Whatever was given before has been sent."""
        message = await self.next_for_many()
        return message.update or message.whole

    async def next_for_many(self) -> Message:
        """As `next`, for several who read along."""
        if self._message == _NOTHING:
            self.busy_since = None
            if self.behind or self.newcomers:
                self._stir()
        await self._news.wait()
        self._news = trio.Event()
        message, self._message = self._message, _NOTHING
        return message

    def welcome(self) -> None:
        """Others begin to read along."""
        self.newcomers = True
        self._stir()


class Draft:
    """The update of one realm while it is written: lines, by what they tell."""

    def __init__(self) -> None:
        self.shows: list[bytes] = []
        self.moves: list[tuple[int, int, int, int]] = []
        self.changes: list[bytes] = []
        self.acts: list[bytes] = []
        self.hides: list[bytes] = []
        self.rest: list[bytes] = []

    def lines(self, page: Page) -> list[bytes]:
        """All of it, in the order in which it makes sense."""
        moves = [page.moves(self.moves)] if self.moves else []
        return [*self.shows, *moves, *self.changes, *self.acts, *self.hides, *self.rest]


class Screens(dict["Realm", "Screen"]):
    """The screens of realms, with these feeds; one that is new to the world has one when it is asked for."""

    def __init__(self, feeds: Feeds) -> None:
        super().__init__({realm: Screen(realm, feed) for realm, feed in feeds.items()})
        self._feeds = feeds

    def __missing__(self, realm: Realm) -> Screen:
        screen = self[realm] = Screen(realm, self._feeds[realm])
        return screen


class Screen:
    """One realm as it is shown. `told` is empty while nobody watches."""

    def __init__(self, realm: Realm, feed: Feed) -> None:
        self.realm = realm
        self.feed = feed
        self.viewers: dict[Viewer, None] = {}
        self.told: dict[int, Figure] = {}
        self.acts: list[events.Event] = []
        """What people did since then that is no state."""
        self.counts = b""
        """The line that was sent last; empty before there was one."""
        self.filled = False
        """Whether `told` is kept."""
        self.draft = Draft()
