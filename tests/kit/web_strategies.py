"""Hypothesis strategies for every message that a web client may send, from their declarations, and for those
of somebody who plays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar

import attrs
from hypothesis import strategies as st

from protocol.web.packets.base import SERIAL, Message
from protocol.web.packets.counters import Buy, Depart, Deposit, Order, Sale, Sell, Withdraw
from protocol.web.packets.dialogs import Answer, Filled
from protocol.web.packets.fighting import Attack, Lock, Spend, Stop, Town
from protocol.web.packets.guilds import (
    TIES,
    AskGuild,
    GuildDisband,
    GuildExpel,
    GuildGold,
    GuildInvite,
    GuildLead,
    GuildLeave,
    GuildNotice,
    GuildPromote,
    GuildTieAsk,
)
from protocol.web.packets.mail import (
    AskMail,
    DiscardLetter,
    Enclosure,
    ReadLetter,
    RefuseLetter,
    SendLetter,
    TakeLetter,
)
from protocol.web.packets.motion import FindWay, Walk
from protocol.web.packets.parties import LOOT_RULES, AskParty, Expel, Invite, Lead, LeaveParty, Loot
from protocol.web.packets.people import Look
from protocol.web.packets.quests import AskQuests, GiveUp
from protocol.web.packets.social import (
    AskDuel,
    AskFriends,
    Befriend,
    Heed,
    Ignore,
    ReportPlayer,
    Unfriend,
    YieldDuel,
)
from protocol.web.packets.talk import WAYS_TO_SPEAK, MakeGesture, Speak
from protocol.web.packets.things import Drop, Take, TakeAll, Unwear, Use, Wear
from protocol.web.packets.trading import Agree, AskTrade, EndTrade, OfferGold, OfferThing, Retract
from world.speech import EMOTES

if TYPE_CHECKING:
    from collections.abc import Mapping

Part: TypeAlias = Filled | Order | Sale | Enclosure
M = TypeVar("M", bound=Message | Filled | Order | Sale | Enclosure)

PARTS: Final[Mapping[str, type[Part]]] = {
    "filled": Filled,
    "orders": Order,
    "sales": Sale,
    "things": Enclosure,
}
"""Objects in messages, by the field that has a list of them."""

PLACEHOLDERS: Final = range(4_000_000_000, 4_000_000_040)
"""Stand in a valid message for the serials of what a client knows."""

LETTERS: Final = st.characters(exclude_categories=["Cs"])
"""All that a text may be made of."""

WORDS: Final = (
    *("", "hail", "news?", "balance please", "/where", "/help", "/give Anna 2 bread loaf", "/gifts off"),
    *(".stuck", ".where", "Anna", "nobody", "yes", "no", "x" * 32, "x" * 128, "  ", "\0", "\u202e"),
)
"""What is said or named; some of it means something."""


def record_of(cls: type[M]) -> st.SearchStrategy[M]:
    """Valid messages of one class."""
    return st.builds(cls, **{field.name: _values_of(field) for field in attrs.fields(cls)})  # type: ignore[arg-type] # all messages are attrs classes


def _values_of(field: attrs.Attribute[object]) -> st.SearchStrategy[object]:
    if field.name in PARTS:
        return st.lists(record_of(PARTS[field.name]), max_size=3).map(tuple)
    if field.name == "chosen":
        return st.lists(st.integers(-1, 0x7FFF_FFFF), max_size=3).map(tuple)
    form = str(field.metadata.get("form", ""))
    if form.startswith("text of at most "):
        return st.text(LETTERS, max_size=int(form.rpartition(" ")[2]))
    if form.startswith("one of "):
        return st.sampled_from(form.removeprefix("one of ").split(", "))
    if form:
        low, _, high = form.partition(" to ")
        values = st.integers(int(low), int(high))
        return values | _serials() if int(high) == SERIAL else values
    return st.booleans()


def _serials() -> st.SearchStrategy[int]:
    return st.sampled_from(PLACEHOLDERS) | st.integers(0, SERIAL)


def played() -> Mapping[str, st.SearchStrategy[Message]]:
    """Messages as somebody sends them who plays: steps that go on, things and residents that may be there,
    words that somebody listens to."""
    there, words = st.sampled_from(PLACEHOLDERS), st.sampled_from(WORDS)
    nearby = st.integers(45, 70)  # where people come into the world
    amount = st.integers(0, 5) | st.integers(0, 0x7FFF_FFFF)
    filled = st.lists(record_of(Filled), max_size=2).map(tuple)
    orders = st.builds(Order, st.sampled_from(("bread", "gold", "no")), amount, st.integers(0, 5))
    sales = st.builds(Sale, there, amount, st.integers(0, 5))
    return {
        "steps": st.builds(
            Walk, st.just(0) | st.integers(0, 9) | st.just(0xFFFF), st.integers(0, 7), st.booleans()
        ),
        "ways": st.builds(FindWay, nearby, nearby, nearby, nearby, st.integers(0, 3)),
        "words": st.builds(Speak, words, st.sampled_from(WAYS_TO_SPEAK), words.map(lambda text: text[:32])),
        "gestures": st.builds(MakeGesture, st.sampled_from(sorted(EMOTES))),
        "looks": st.builds(Look, there),
        "uses": st.builds(Use, there, st.just(0) | there),
        "attacks": st.builds(Attack, there) | st.builds(Stop) | st.builds(Town),
        "points": st.builds(Spend, st.sampled_from(("strength", "vitality", "luck")), st.integers(1, 4)),
        "locks": st.builds(Lock, st.sampled_from(("swords", "strength", "luck")), st.integers(0, 2)),
        "takes": st.builds(Take, there, amount) | st.builds(TakeAll, there),
        "drops": st.builds(Drop, there, amount),
        "wears": st.builds(Wear, there) | st.builds(Unwear, there),
        "deals": st.builds(Buy, there, st.lists(orders, max_size=2).map(tuple))
        | st.builds(Sell, there, st.lists(sales, max_size=2).map(tuple)),
        "vaults": st.builds(Deposit, there, st.just(0) | there, amount)
        | st.builds(Withdraw, there, st.just(0) | there, amount)
        | st.builds(Depart),
        "trades": st.builds(AskTrade, there)
        | st.builds(OfferThing, there, amount)
        | st.builds(OfferGold, amount)
        | st.builds(Retract, there)
        | st.builds(Agree, st.integers(0, 3), st.booleans())
        | st.builds(EndTrade),
        "parties": st.builds(Invite, st.just(0) | there, words.map(lambda text: text[:32]))
        | st.builds(LeaveParty)
        | st.builds(Expel, there)
        | st.builds(Lead, there)
        | st.builds(Loot, st.sampled_from(LOOT_RULES))
        | st.builds(AskParty),
        "quests": st.builds(AskQuests) | st.builds(GiveUp, st.sampled_from(("bread_for_edwin", "no"))),
        "answers": st.builds(Answer, there | st.integers(0, 5), st.integers(0, 5), filled),
        **_society(words, there, amount),
    }


def _society(
    words: st.SearchStrategy[str], there: st.SearchStrategy[int], amount: st.SearchStrategy[int]
) -> Mapping[str, st.SearchStrategy[Message]]:
    """What one says about guilds, lists, duels and letters."""
    named = words.map(lambda text: text[:32])
    enclosed = st.lists(st.builds(Enclosure, there, amount), max_size=2).map(tuple)
    letters = st.integers(0, 4)
    return {
        "guilds": st.builds(GuildInvite, st.just(0) | there, named)
        | st.builds(GuildPromote, named, st.booleans())
        | st.builds(GuildExpel, named)
        | st.builds(GuildLead, named)
        | st.builds(GuildNotice, words)
        | st.builds(GuildTieAsk, named, st.sampled_from(TIES))
        | st.builds(GuildGold, amount, st.booleans())
        | st.builds(GuildLeave)
        | st.builds(GuildDisband)
        | st.builds(AskGuild),
        "lists": st.builds(Befriend, named)
        | st.builds(Unfriend, named)
        | st.builds(Ignore, named)
        | st.builds(Heed, named)
        | st.builds(AskFriends),
        "duels": st.builds(AskDuel, there) | st.builds(YieldDuel),
        "reports": st.builds(ReportPlayer, named, words),
        "letters": st.builds(SendLetter, named, named, words, enclosed, amount, amount)
        | st.builds(ReadLetter, letters)
        | st.builds(TakeLetter, letters)
        | st.builds(RefuseLetter, letters)
        | st.builds(DiscardLetter, letters)
        | st.builds(AskMail),
    }
