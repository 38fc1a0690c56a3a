"""Letters as this game's own window: a list, and one letter after the other.

    MailHeaders (274)         opens the window, and is what it lists
    MailMessage (275)         a letter that is read
    UpdatePlayerMail (490)    what is in the letter that is written
    MailSendReply (276)       what became of it

No original client has confirmed any of it: docs/views.md tells what it rests on. A letter of this game brings
coins and at most one thing. One with several is shown with the first of them, called by all their names. What
is asked for a parcel stands behind its subject, for the window knows no such thing.

The number of a letter is that of its record, above the serials of all things: what a client names is a letter
or is none, wherever in a message it stands, and typed numbers are places in the list.

The list is sent before the letter that is read, and only if it says something else than before but for the
seconds, which the client counts itself: a list behind the letter keeps its window from opening
(emagi/eq2emu: client.cpp, DisplayMailMessage).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from protocol.eq2.describing import LONGEST, uses
from protocol.eq2.packets import (
    MailEnclosed,
    MailHeaders,
    MailMessage,
    MailRecord,
    MailThing,
    UpdatePlayerMail,
)
from protocol.eq2.session import Post
from world.mail import MAIL, MAIL_OPENS, MOST_PRICE
from world.serials import LAST_ITEM
from world.social_events import MailListed
from world.wording import GOLD, amount_of, coins, listed

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.eq2.session import Eq2Session
    from protocol.eq2.versions import Eq2Version
    from protocol.outgoing import Outgoing
    from protocol.rendering import Renderings
    from world.mobile import Mobile
    from world.social_events import Envelope

WINDOWS: Final = frozenset({MAIL, MAIL_OPENS})

FIRST_NUMBER: Final = LAST_ITEM + 1
"""Of a letter, for clients: above that of any ghost that could be its kiosk."""

MOST_LISTED: Final = 255
MOST_COINS: Final = 0xFFFF_FFFF
MOST_STACK: Final = 0xFFFF
MOST_SECONDS: Final = 0xFFFF_FFFF
MOST_WEIGHT: Final = 0xFFFF

REGULAR: Final = 0
"""Kind of a letter (emagi/eq2emu: client.h, MAIL_TYPE_REGULAR)."""
REPORTABLE: Final = 1


V = TypeVar("V")


def declare(events: Renderings[V, Eq2Version]) -> None:
    """Register how letters are shown."""
    events.renders(MailListed)(mail_listed)


def mail_listed(
    view: object, event: MailListed, audience: Hashable, version: Eq2Version
) -> Sequence[Outgoing]:
    """MailHeaders, if the window is open, or has to be."""
    return (ListWindow(event.thing, event.envelopes, event.at.serial if event.at is not None else 0),)


def number_of(envelope: Envelope) -> int:
    """The number by which clients know a letter."""
    return FIRST_NUMBER + envelope.serial


class ListWindow:
    """All that waits for a player. `counter`: serial of the banker or board to which it has come up for that;
    0: the letters have changed."""

    __slots__ = ("_counter", "_envelopes", "_mobile", "_now")
    droppable = False

    def __init__(self, mobile: Mobile, envelopes: Sequence[Envelope], counter: int = 0) -> None:
        self._mobile = mobile
        self._envelopes = list(envelopes[-MOST_LISTED:])
        self._counter = counter
        self._now = mobile.world.now + mobile.world.epoch

    def bind(self, session: Eq2Session) -> bytes:
        """MailHeaders, unless the window is closed or says that already. A window that opens has an empty
        letter to write."""
        if self._counter:
            session.post = Post(self._counter)
        post, envelopes = session.post, self._envelopes
        if not post.counter or envelopes == post.listed:
            return b""
        post.listed = envelopes
        return session.dialect.encode(
            MailHeaders(
                kiosk_id=session.ghosts.called(post.counter),
                letters=tuple(
                    _record(
                        session, self._mobile, one, (_subject(self._mobile, one), one.sender, ""), self._now
                    )
                    for one in envelopes
                ),
            )
        )


def letter_window(
    session: Eq2Session, mobile: Mobile, envelope: Envelope, *, key: int = 0, flag: int = 0
) -> MailMessage:
    """A letter to read; `key` and `flag`: what the client asked for it with."""
    now = mobile.world.now + mobile.world.epoch
    texts = (envelope.sender, _subject(mobile, envelope), envelope.text)
    record = _record(session, mobile, envelope, texts, now, REPORTABLE)
    return MailMessage(session.ghosts.called(session.post.counter), record, key, flag)


class DraftWindow:
    """The coins and the thing of the letter that is written, as they are when this is sent: a list that opens
    the window may have emptied it before."""

    __slots__ = ("_mobile",)
    droppable = False

    def __init__(self, mobile: Mobile) -> None:
        self._mobile = mobile

    def bind(self, session: Eq2Session) -> bytes:
        """UpdatePlayerMail."""
        post, mobile = session.post, self._mobile
        item = mobile.world.items.get(post.thing)
        parcel = [(GOLD, post.gold)] if post.gold else []
        if item is not None:
            parcel.append((item.template.key, post.count))
        return session.dialect.encode(UpdatePlayerMail(_enclosed(session, mobile, parcel)))


def _record(
    session: Eq2Session,
    mobile: Mobile,
    envelope: Envelope,
    texts: tuple[str, str, str],
    now: float,
    kind: int = REGULAR,
) -> MailRecord:
    left = max(1, int(envelope.until - now)) if envelope.until else 0
    return MailRecord(
        number_of(envelope),
        mobile.serial,
        *texts,
        read=int(envelope.read),
        seconds=min(left, MOST_SECONDS),
        kind=kind,
        enclosed=_enclosed(session, mobile, envelope.parcel, envelope.price),
    )


def _subject(mobile: Mobile, envelope: Envelope) -> str:
    """The subject, with what is asked for the letter."""
    if not envelope.price:
        return envelope.subject
    return f"{envelope.subject} (costs {coins(mobile.world, min(envelope.price, MOST_PRICE))})"


def _enclosed(
    session: Eq2Session, mobile: Mobile, parcel: Sequence[tuple[str, int]], price: int = 0
) -> MailEnclosed:
    """What a letter brings: kinds and amounts."""
    world = mobile.world
    gold = min(sum(amount for key, amount in parcel if key == GOLD), MOST_COINS)
    things = [(key, amount) for key, amount in parcel if key != GOLD]
    if not things:
        return MailEnclosed(gold=gold)
    key, amount = things[0]
    kind, number = world.content.items[key], session.number_of_kind(key)
    name = kind.name
    if len(things) > 1:
        name, amount = listed([amount_of(world, *one) for one in things]), 1
    said = [*uses(kind), f"It is yours for {coins(world, price)}."] if price else uses(kind)
    thing = MailThing(
        unique=number,
        broker=number,
        name=name[:LONGEST],
        icon=session.icon(kind),
        weight=min(kind.weight, MOST_WEIGHT),
        description=" ".join(said),
    )
    return MailEnclosed(gold=gold, amount=min(amount, MOST_STACK), thing=thing)
