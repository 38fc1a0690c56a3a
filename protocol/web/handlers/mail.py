"""Letters and parcels. What may be done is decided by `world.mail`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.dispatch import Interval
from protocol.web.handlers.table import TABLE
from protocol.web.handlers.things import own
from protocol.web.packets.mail import (
    AskMail,
    DiscardLetter,
    LetterSent,
    ReadLetter,
    RefuseLetter,
    SendLetter,
    TakeLetter,
)
from world import mail

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.mobile import Mobile


@TABLE.while_playing(AskMail, every=Interval(0.2, burst=3))
def show(session: WebSession, mobile: Mobile, message: AskMail) -> None:
    """mail: all that waits."""
    mail.show(mobile)


@TABLE.while_playing(ReadLetter, every=Interval(0.1, burst=5))
def read(session: WebSession, mobile: Mobile, message: ReadLetter) -> None:
    """read_letter: it is not new any more. Raises Cannot as `mail.by_id`."""
    mail.read(mobile, mail.by_id(mobile, message.id))


@TABLE.while_playing(TakeLetter, every=Interval(0.2, burst=3))
def take(session: WebSession, mobile: Mobile, message: TakeLetter) -> None:
    """take_letter: all that it brings. Raises Cannot as `mail.by_id` and `mail.take`."""
    mail.take(mobile, mail.by_id(mobile, message.id))


@TABLE.while_playing(RefuseLetter, every=Interval(0.2, burst=3))
def refuse(session: WebSession, mobile: Mobile, message: RefuseLetter) -> None:
    """refuse_letter: it goes back. Raises Cannot as `mail.by_id` and `mail.refuse`."""
    mail.refuse(mobile, mail.by_id(mobile, message.id))


@TABLE.while_playing(DiscardLetter, every=Interval(0.2, burst=3))
def discard(session: WebSession, mobile: Mobile, message: DiscardLetter) -> None:
    """discard_letter: throw it away. Raises Cannot as `mail.by_id` and `mail.discard`."""
    mail.discard(mobile, mail.by_id(mobile, message.id))


@TABLE.while_playing(SendLetter, every=Interval(0.2, burst=3))
def send(session: WebSession, mobile: Mobile, message: SendLetter) -> None:
    """send_letter: with things and gold. Raises Cannot(GONE) for what one does not have, and as
    `mail.send`."""
    letter = mail.send(
        mobile,
        message.to,
        message.text,
        subject=message.subject,
        things=[(own(session, mobile, one.id), one.amount) for one in message.things],
        gold=message.gold,
        price=message.price,
    )
    session.send(LetterSent(letter.receiver_name))
