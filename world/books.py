"""Books: what one of several worlds keeps for all of them, and all can read: the rolls of guilds, the
parties.

The problem: a deed looks at a whole guild or party before it changes anything (is there room, who leads it,
is the name free), and two worlds that change one would each look at what it was. The idea: the world that
keeps records does every deed; any other has copies to look at (`world.guild_copies`, `world.party_copies`)
and sends an order there, as a letter is sent: it is not lost, and done once. The actor reads that it was
sent, and then what came of it, if that is not to be seen anyway.

    BOOK = Book("guild", ...)

    @BOOK.kept
    def leave(actor: Mobile) -> None: ...      # where records are kept it is called, elsewhere it is sent
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, Protocol, cast

import attrs

from world.elsewhere import Order
from world.reach import Cannot, Refusal
from world.speech import Limit, check_pace

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile

P = ParamSpec("P")

UNREADABLE: Final = "Nobody can read what came to the books."

AGREED_SECONDS: Final = 60.0
"""For which two are taken at their word: where records are kept nobody may answer for an hour, and then they
have long gone their ways."""

TOO_LATE: Final = "That was agreed to too long ago."

LIMIT: Final = Limit("orders", 10, 60.0)


class Deed(Protocol):
    """Something that is done to what is in a book."""

    def __call__(self, actor: Mobile, /, *words: object) -> None:
        """Do it. Raises Cannot."""


@attrs.frozen(eq=False)
class Book:
    """All that is kept of one kind of company. Deeds of different books may be called the same."""

    name: str
    sent: str
    """What an actor reads whose order was sent."""
    away: str
    """What one reads when nobody answers where the book is kept."""
    done: str
    """What one reads when it was carried out; empty if that is seen anyway."""
    own: Callable[[Mobile], object]
    """Finds that of an actor. Raises Cannot if it has none."""
    place: Callable[[Mobile], None]
    """Lets somebody, perhaps a stand-in, be in what it is in by the book."""

    def kept(self, deed: Callable[Concatenate[Mobile, P], None]) -> Callable[Concatenate[Mobile, P], None]:
        """Make a deed one that is done where records are kept, and sent there from anywhere else. There it
        raises Cannot(LATER) whatever comes of it: that the actor has no such company, and FLOODING apart
        nothing is known yet."""
        self.sent_for(deed)

        @wraps(deed)
        def do(actor: Mobile, /, *words: P.args, **more: P.kwargs) -> None:
            if not actor.world.records.kept:
                self.own(actor)
                self.send(actor, deed.__name__, *[*words, *more.values()])
            deed(actor, *words, **more)

        return do

    def sent_for(
        self, deed: Callable[Concatenate[Mobile, P], None]
    ) -> Callable[Concatenate[Mobile, P], None]:
        """Make a deed one that is done for somebody in another world, who has sent for it."""
        _DEEDS[self._key(deed.__name__)] = self, cast("Deed", deed)
        return deed

    def agreed(self, deed: Callable[Concatenate[Mobile, P], None]) -> Callable[Concatenate[Mobile, P], None]:
        """As `sent_for`, of a deed to which two have agreed: it is not done later than `AGREED_SECONDS`."""
        _AGREED.add(self._key(deed.__name__))
        return self.sent_for(deed)

    def send(self, actor: Mobile, deed: str, *words: object, other: int = 0) -> None:
        """Do nothing where records are kept; elsewhere send an order there, and raise Cannot, as `order`
        does, or LATER because it was sent."""
        if not actor.world.records.kept:
            self.order(actor, deed, *words, other=other)
            raise Cannot(Refusal.LATER, self.sent)

    def order(self, actor: Mobile, deed: str, *words: object, other: int = 0, gold: int = 0) -> None:
        """Send an order to where records are kept. `other`: the serial of whom it is about; `gold`: goes with
        it. Raises Cannot: FLOODING; LATER if there is no way there now."""
        check_pace(actor, LIMIT, Refusal.FLOODING)
        plain = tuple(
            str(word) if isinstance(word, str) else int(word) for word in words if isinstance(word, str | int)
        )
        wanted = Order(actor.serial, self._key(deed), plain, other, gold)
        if not actor.world.elsewhere.books.ask(wanted):
            raise Cannot(Refusal.LATER, self.away)

    def _key(self, deed: str) -> str:
        return f"{self.name} {deed}"


_DEEDS: Final[dict[str, tuple[Book, Deed]]] = {}
"""Everything that can be sent for, by the names of its book and its own; each is called with the actor, and
with the words of the order or with whom it is about."""

_AGREED: Final[set[str]] = set()
"""Those of them to which two have agreed."""


def perform(sent: Order, actor: Mobile, other: Mobile | None) -> str:
    """Do what another world has sent for; returns what the actor reads of it, empty if that is nothing.
    `actor` and `other` may be stand-ins for those who are elsewhere (`world.snapshot.sheet`)."""
    book, deed = _DEEDS.get(sent.deed, (None, None))
    if book is None or deed is None or (sent.other and other is None):
        return UNREADABLE
    if sent.deed in _AGREED and sent.age > AGREED_SECONDS:
        return TOO_LATE
    for mobile in (actor, other):
        if mobile is not None:
            book.place(mobile)
    words: list[object] = [*sent.words]
    if other is not None:
        words.insert(0, other)
    if sent.gold:
        words.append(sent.gold)
    try:
        deed(actor, *words)
    except Cannot as cannot:
        return str(cannot)
    return book.done
