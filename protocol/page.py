"""What the page around the game in the browser asks of that game (`Family.page`).

The page is HTTP, WebSockets, pictures of the ground, and a map for people who only watch; it decides who is
told something and when. What a message looks like, how things are drawn and which words people read is the
game's own, and the page passes on without looking inside. A line is one message, without its end.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.denials import Denied
    from world.content import TileKind
    from world.item import Item
    from world.mobile import Mobile
    from world.moments import Event, Why
    from world.realm import Realm


class Figure(Protocol):
    """One thing as those who watch were told of it last. Whoever tells them of its place keeps that here."""

    thing: Mobile | Item
    x: int
    y: int
    heading: int

    @property
    def game(self) -> str:
        """Through which game it is played; empty if nobody plays it."""

    def line(self) -> bytes:
        """The whole of it, at the place noted here."""

    def become(self, thing: Mobile | Item) -> bytes:
        """Take over how a thing looks now, all but its place; `thing` has the serial of the old one. Returns
        the line that tells the difference; empty if there is none."""


class Page(Protocol):
    """What a game hands out to the page."""

    def tile(self, kind: TileKind) -> tuple[str, str]:
        """Colour (#rrggbb) and shape of a kind of tile."""

    def ticket(self, key: bytes) -> bytes:
        """The line with which a client that has this key of a ticket logs in."""

    def words_of(self, denied: Denied) -> str:
        """Why something is refused, as a sentence for people."""

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
        """Somebody said or gestured something, died, or lives again."""

    def event(self, kind: str, text: str, at: float, game: str) -> bytes:
        """Something for the list of what happened; `at` is seconds UTC."""

    def counts(self, online: Mapping[str, int], mobiles: int, items: int, viewers: int) -> bytes:
        """How many play through each game, what is in the realm, and how many watch."""

    def time(self, hour: int, minute: int, rate: float) -> bytes:
        """What time of the world it is, and how many of its minutes pass in a second."""
