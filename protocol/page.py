"""The page around the game in the browser, and its questions to that game (`Family.page`).

The page is HTTP, WebSockets, pictures of the ground, and a map for people who only watch; it decides who
receives something and when. The form of a message, the drawing of things and the words for people are the
game's own, and the page passes them on without looking inside. A line is one message, without its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.denials import Denied
    from world.content import TileKind
    from world.events import Event, Why
    from world.item import Item
    from world.mobile import Mobile
    from world.realm import Realm


class Figure(Protocol):
    """One thing in the state in which viewers of the map received it last. The page keeps the place it sent
    here."""

    thing: Mobile | Item
    x: int
    y: int
    heading: int

    @property
    def game(self) -> str:
        """Name of the game through which it is played; empty if nobody plays it."""

    def line(self) -> bytes:
        """The whole of it, at the place noted here."""

    def become(self, thing: Mobile | Item) -> bytes:
        """Take over how a thing looks now, all but its place; `thing` has the serial of the old one. Returns
        the line that tells the difference; empty if there is none."""


class Page(Protocol):
    """A game's answers to the page."""

    def tile(self, kind: TileKind) -> tuple[str, str]:
        """Colour (#rrggbb) and shape of a kind of tile."""

    def ticket(self, key: bytes) -> bytes:
        """The line with which a client that has this key of a ticket logs in."""

    def words_of(self, denied: Denied) -> str:
        """Sentence for people that says why something is refused."""

    # What those who only watch are told, as lines

    def figure(self, thing: Mobile | Item) -> Figure | None:
        """A thing as it is now; None if it has no looks."""

    def realm(self, realm: Realm) -> bytes:
        """All that follows is on this map; what was shown before is gone."""

    def moves(self, moves: Sequence[tuple[int, int, int, int]]) -> bytes:
        """Things walked or turned: serial, x, y and heading of each."""

    def hide(self, serial: int, why: Why) -> bytes:
        """A thing is gone."""

    def act(self, act: Event) -> bytes:
        """The line for an event: words, a gesture, a blow, a death, or a return to life."""

    def event(self, kind: str, text: str, at: float, game: str) -> bytes:
        """Something for the list of what happened; `at` is seconds UTC."""

    def counts(self, online: Mapping[str, int], mobiles: int, items: int, viewers: int) -> bytes:
        """The line of numbers: players by game, things in the realm, and viewers."""

    def time(self, hour: int, minute: int, rate: float) -> bytes:
        """The line of the world's time, and how many of its minutes pass in a second."""
