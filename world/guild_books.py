"""The books of guilds, where several worlds share their players: one of them keeps the rolls, all can read.

The problem: a deed looks at a whole guild before it changes anything (is there room, who is of which rank,
is the name free), and two worlds that change one guild would each look at what it was. The idea: the world
that keeps records does every deed; any other has copies to look at (`world.guild_copies`) and sends an order
there, as a letter is sent: it is not lost, and done once. The actor reads that it was sent, and then what
came of it. What needs more than words (to found a guild, to put a thing into its bank) is done there alone,
and refused elsewhere with a line that says so.

    @kept
    def leave(actor: Mobile) -> None: ...      # where records are kept it is called, elsewhere it is sent
"""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, Protocol, cast

from world.elsewhere import Order
from world.guild_rolls import of_character, own
from world.reach import Cannot, Refusal
from world.speech import Limit, check_pace

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile

P = ParamSpec("P")

SENT: Final = "Word of it goes to the books of the guild, which are kept in another part of this world."
AWAY: Final = "The books of guilds are kept in another part of this world, and nobody answers there now."
ONLY_THERE: Final = "That is done where the books of guilds are kept, in another part of this world."
DONE: Final = "So it stands in the books of the guild now."
UNREADABLE: Final = "Nobody can read what came to the books of the guild."

LIMIT: Final = Limit("orders", 10, 60.0)


class Deed(Protocol):
    """Something that is done to a guild."""

    def __call__(self, actor: Mobile, /, *words: object) -> None:
        """Do it. Raises Cannot."""


DEEDS: Final[dict[str, Deed]] = {}
"""Everything that can be sent for, by name; each is called with the actor, and with the words of the order or
with whom it is about."""


def kept(deed: Callable[Concatenate[Mobile, P], None]) -> Callable[Concatenate[Mobile, P], None]:
    """Make a deed one that is done where records are kept, and sent there from anywhere else. There it raises
    Cannot(LATER) whatever comes of it: NO_GUILD and FLOODING apart nothing is known yet."""
    DEEDS[deed.__name__] = cast("Deed", deed)

    @wraps(deed)
    def do(actor: Mobile, /, *words: P.args, **more: P.kwargs) -> None:
        if not actor.world.records.kept:
            own(actor)
            order(actor, deed.__name__, *[*words, *more.values()])
            raise Cannot(Refusal.LATER, SENT)
        deed(actor, *words, **more)

    return do


def sent_for(deed: Callable[Concatenate[Mobile, P], None]) -> Callable[Concatenate[Mobile, P], None]:
    """Make a deed one that is done for somebody in another world, who has sent for it by `order`."""
    DEEDS[deed.__name__] = cast("Deed", deed)
    return deed


def order(actor: Mobile, deed: str, *words: object, other: int = 0, gold: int = 0) -> None:
    """Send an order to where records are kept. `other`: the serial of whom it is about; `gold`: goes with it.
    Raises Cannot: FLOODING; LATER if there is no way there now."""
    check_pace(actor, LIMIT, Refusal.FLOODING)
    plain = tuple(
        str(word) if isinstance(word, str) else int(word) for word in words if isinstance(word, str | int)
    )
    if not actor.world.elsewhere.books.ask(Order(actor.serial, deed, plain, other, gold)):
        raise Cannot(Refusal.LATER, AWAY)


def check_kept(actor: Mobile) -> None:
    """Check that records are kept here, for what cannot be sent for. Raises Cannot(LATER)."""
    if not actor.world.records.kept:
        raise Cannot(Refusal.LATER, ONLY_THERE)


def perform(sent: Order, actor: Mobile, other: Mobile | None) -> str:
    """Do what another world has sent for; returns what the actor reads of it. `actor` and `other` may be
    stand-ins for those who are elsewhere (`world.snapshot.sheet`)."""
    deed = DEEDS.get(sent.deed)
    if deed is None or (sent.other and other is None):
        return UNREADABLE
    for mobile in (actor, other):
        if mobile is not None:
            mobile.guild = of_character(mobile.world, mobile.serial)
    words: list[object] = [*sent.words]
    if other is not None:
        words.insert(0, other)
    if sent.gold:
        words.append(sent.gold)
    try:
        deed(actor, *words)
    except Cannot as cannot:
        return str(cannot)
    return DONE
