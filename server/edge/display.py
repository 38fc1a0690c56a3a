"""The world's part in the page of an edge: realms of the live map, and how many are where.

To the live map an edge is one viewer for each realm that anybody watches there, however many do
(`server.web.livemap`), so it is as bounded as every viewer: at most ten messages a second, none while the
last one is still on its way, and who is too slow for that begins anew. Who is on the map, and what is said of
them, is decided there, as for the page of this process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import trio

from server.edge.words import Shown, Told, Unwatch

if TYPE_CHECKING:
    from collections.abc import Callable

    from server.edge.words import Watch, Word
    from server.web.livemap import LiveMap
    from server.web.screen import Viewer
    from server.web.turnout import Counting

TELL_SECONDS: Final = 2.0
"""From one telling of how many are where to the next."""

NUMBERS: Final = ""
"""In place of a realm: how many are where."""


class Line(Protocol):
    """The stream to the edge."""

    def say(self, word: Word) -> None:
        """Say something."""

    async def settle(self) -> None:
        """Wait until nothing that was said waits."""


class Display:
    """All that one edge is shown."""

    def __init__(
        self, line: Line, live: Callable[[], LiveMap | None], turnout: Counting, nursery: trio.Nursery
    ) -> None:
        self._line = line
        self._live = live
        self._turnout = turnout
        self._nursery = nursery
        self._scopes: dict[str, trio.CancelScope] = {}
        """Around the task of each realm that is shown."""
        self._viewers: dict[str, Viewer] = {}

    def take(self, word: Watch | Unwatch) -> None:
        """Heed what an edge wants to be shown."""
        realm = word.realm
        scope = self._scopes.get(realm)
        if isinstance(word, Unwatch):
            if scope is not None:
                scope.cancel()
        elif scope is None or scope.cancel_called:
            self._begin(word)
        elif (viewer := self._viewers.get(realm)) is not None:
            viewer.people = word.viewers
            if word.newcomers:
                viewer.welcome()

    def end(self) -> None:
        """The edge is gone."""
        for scope in self._scopes.values():
            scope.cancel()

    def _begin(self, word: Watch) -> None:
        live, realm = self._live(), word.realm
        scope = trio.CancelScope()
        if realm == NUMBERS:
            self._scopes[realm] = scope
            self._nursery.start_soon(self._tell, scope)
        elif live is not None and live.has(realm):
            self._scopes[realm] = scope
            viewer = self._viewers[realm] = live.begin(realm, scope.cancel)
            viewer.people = word.viewers
            self._nursery.start_soon(self._show, realm, viewer, scope)
        else:
            self._line.say(Shown(realm, over=True))

    async def _tell(self, scope: trio.CancelScope) -> None:
        with scope:
            while True:
                self._line.say(Told(self._turnout.latest()))
                await self._line.settle()
                await trio.sleep(TELL_SECONDS)

    async def _show(self, realm: str, viewer: Viewer, scope: trio.CancelScope) -> None:
        try:
            with scope:
                while True:
                    message = await viewer.next_for_many()
                    self._line.say(Shown(realm, message.update, message.whole, message.anew))
                    await self._line.settle()
        finally:
            viewer.end()
            if self._scopes.get(realm) is scope:
                del self._scopes[realm], self._viewers[realm]
                self._line.say(Shown(realm, over=True))
