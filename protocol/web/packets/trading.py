"""Trades between players: who asks whom, what both offer, and who agrees.

One is asked by a question (`Ask`) and answers it. Then both are told what both offer whenever that changes
(`Bargain`), and whatever has changed has to be agreed to anew. Things stay where they are until both agree;
then all of it changes hands at once. What came of it is told in words, when it is on disk.
"""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 # cattrs reads the annotations

import attrs

from protocol.web.packets.base import SERIAL, Message, message, whole
from protocol.web.packets.people import Appearance  # noqa: TC001 # cattrs reads the annotations


@message("trade")
class AskTrade(Message):
    """Ask another player to trade; or accept, if that one has asked. Answers: words, `Bargain`."""

    id: int = whole(0, SERIAL)


@message("offer")
class OfferThing(Message):
    """Offer something that one carries, or so many of a stack, instead of what was offered of it before.
    Answer: `Bargain`."""

    id: int = whole(0, SERIAL)
    amount: int = whole(0, 0x7FFF_FFFF, default=0)
    """0: all of it."""


@message("offer_gold")
class OfferGold(Message):
    """Offer so much gold, beside coins among the things. Answer: `Bargain`."""

    amount: int = whole(0, 0x7FFF_FFFF)


@message("retract")
class Retract(Message):
    """Offer something no more. Answer: `Bargain`."""

    id: int = whole(0, SERIAL)


@message("agree")
class Agree(Message):
    """Agree to what was shown, or not any more. Answers: `Bargain`, or `BargainOver` if both do."""

    changes: int = whole(0, 0x7FFF_FFFF)
    """Which offers were shown (`Bargain.changes`): what changed since is not agreed to."""
    agreed: bool = True


@message("end_trade")
class EndTrade(Message):
    """End the trade: nothing changes hands. Answer: `BargainOver`; none if it is over."""


@attrs.frozen
class Good:
    """Something that is offered."""

    id: int
    name: str
    look: Appearance
    amount: int = 1
    inside: Sequence[str] = ()
    """What it holds, each thing with what is in it, in words."""


@attrs.frozen
class Side:
    """One side of a trade: things, gold besides, and whether its player agrees."""

    things: Sequence[Good] = ()
    gold: int = 0
    agreed: bool = False


@message("bargain")
class Bargain(Message):
    """A trade as it stands, with somebody who comes through that game. The first replaces no other; each
    further one replaces the one before."""

    id: int
    name: str
    game: str
    own: Side
    theirs: Side
    line: str
    """All of it in words."""
    changes: int = 0


@message("bargain_over")
class BargainOver(Message):
    """The trade is over: `done`, or nothing changed hands."""

    id: int
    done: bool = False
