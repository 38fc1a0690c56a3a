"""Letters, in the client's mail window, or in lines and dialogs where that is switched off.

    start_mail, getmailheaders      come up to a banker or a board: the window opens
    getmailmessage NUMBER           read a letter
    takemailattachments NUMBER      take what it brings
    deletemailmessage NUMBER        throw it away
    refusemailmessage NUMBER        send what it brings back (our word: the window has no such button)
    set_mail_item ROW AMOUNT        into the letter that is written, ROW as in `inventory.py`; none: out
    add_mail_gold N                 likewise copper, silver, plat
    remove_mail_gold N
    cancel_send_mail                write no letter
    cancel_mail                     the window was closed

The words and what stands behind them are those of EQ2Emulator (Commands.cpp). A number is a letter's own, as
in the window, or one typed: its place in the list. The client's messages for the same (270 to 273, 279) are
known by their fields alone: of two numbers in one that of a letter counts, and at whose kiosk it is they need
not say, for the world knows who is near.

What is put into a letter stays in the pack until that is sent; whether it may go the world decides then.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.dispatch import Interval
from protocol.eq2.belongings import MOST_COUNTED
from protocol.eq2.handlers.counters import number_in
from protocol.eq2.handlers.inventory import held, numbers_in, own_at
from protocol.eq2.handlers.table import COINS, ROWS, command
from protocol.eq2.handlers.trading import WORTH, gold_in
from protocol.eq2.mail import FIRST_NUMBER, DraftWindow, ListWindow, letter_window
from protocol.eq2.packets import (
    MAIL_FULL_BAG,
    MAIL_NOT_SENT,
    MAIL_SENT,
    MAIL_TO_FULL,
    MAIL_TO_NOBODY,
    MAIL_TO_ONESELF,
    MAIL_TO_UNKNOWN,
    MAIL_TO_UNWILLING,
    MAIL_TOO_POOR,
    MailDeleteMessage,
    MailGetHeaders,
    MailGetMessage,
    MailRemoveAttachments,
    MailSendMessage,
    MailSendReply,
)
from protocol.eq2.session import Post
from protocol.eq2.view import Eq2View
from world import mail, postage
from world.reach import Cannot, Refusal
from world.speech import notice
from world.wording import GOLD, amount_of, listed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.eq2.session import Eq2Session
    from world.item import Item
    from world.letter import Letter
    from world.mobile import Mobile

BY_DIALOG: Final = "Letters and parcels are written where they are handed in: type /start_mail there."
NOT_OPEN: Final = "Letters are written where they are handed in, in a window: type /start_mail there."
NOTHING_IN_IT: Final = "There is nothing in your letter."
LESS_IN_IT: Final = "There is less gold in your letter."
CANCELED: Final = "You do not send the letter, and keep what was to go with it."

LONGEST_NAME: Final = 40
"""Letters of a name that nobody has, as it is told again."""

OUTCOMES: Final[Mapping[Refusal, int]] = {
    Refusal.NOBODY: MAIL_TO_UNKNOWN,
    Refusal.IGNORED: MAIL_TO_UNWILLING,
    Refusal.ONESELF: MAIL_TO_ONESELF,
    Refusal.FULL: MAIL_TO_FULL,
    Refusal.POOR: MAIL_TOO_POOR,
    Refusal.OPEN_BAG: MAIL_FULL_BAG,
}
"""What the client is told beside the words; for all else: MAIL_NOT_SENT."""


# The list


@command("start_mail", "getmailheaders")
def start(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Come up to whoever has the letters. Raises Cannot, as `postage.at_counter`."""
    postage.at_counter(mobile)


@ROWS.while_playing(MailGetHeaders, every=Interval(0.5, burst=3, coalesced=True))
def list_letters(session: Eq2Session, mobile: Mobile, packet: MailGetHeaders) -> None:
    """MailGetHeaders: the list anew, or as `/start_mail` if there is no window. Raises Cannot as that."""
    if not session.post.counter:
        postage.at_counter(mobile)
        return
    session.post.listed = None
    session.queue(ListWindow(mobile, mail.envelopes(mobile)))


@command("cancel_mail")
def close(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Know that the window was closed; nothing goes with a letter any more."""
    session.post = Post()


# Letters that wait


@command("getmailmessage")
def read(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Read a letter: in the window, or in lines if a place in the list was typed. Raises Cannot: AMOUNT for
    no number, NO_LETTER."""
    number = number_in(text)
    if number >= FIRST_NUMBER:
        _open(session, mobile, _letter(mobile, number))
    else:
        _say(mobile, _letter(mobile, number))


@ROWS.while_playing(MailGetMessage, every=Interval(0.2, burst=3))
def read_one(session: Eq2Session, mobile: Mobile, packet: MailGetMessage) -> None:
    """MailGetMessage. Raises Cannot(NO_LETTER)."""
    letter = _named(mobile, packet.first, packet.second)
    _open(session, mobile, letter, key=packet.key, flag=packet.flag)


@command("takemailattachments")
def take(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Take what a letter brings. Raises Cannot: AMOUNT, and as `mail.take`."""
    mail.take(mobile, _letter(mobile, number_in(text)))


@ROWS.while_playing(MailRemoveAttachments, every=Interval(0.2, burst=3))
def take_out(session: Eq2Session, mobile: Mobile, packet: MailRemoveAttachments) -> None:
    """MailRemoveAttachments. Raises Cannot as `mail.take`."""
    mail.take(mobile, _named(mobile, packet.first, packet.second))


@command("deletemailmessage")
def throw_away(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Throw a letter away. Raises Cannot: AMOUNT, and as `mail.discard`."""
    mail.discard(mobile, _letter(mobile, number_in(text)))


@ROWS.while_playing(MailDeleteMessage, every=Interval(0.2, burst=3))
def delete(session: Eq2Session, mobile: Mobile, packet: MailDeleteMessage) -> None:
    """MailDeleteMessage. Raises Cannot as `mail.discard`."""
    mail.discard(mobile, _named(mobile, packet.first, packet.second))


@command("refusemailmessage")
def send_back(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Send what a letter brings back. Raises Cannot: AMOUNT, and as `mail.refuse`."""
    mail.refuse(mobile, _letter(mobile, number_in(text)))


# The letter that is written


@command("set_mail_item")
def enclose(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Let so many of the thing of a row go with the letter, instead of another thing; amount 0, or as many as
    the client counts: all. Without a row, or with none that there can be: no thing. Raises Cannot: NO_COUNTER
    if there is no window, UNFIT if the numbers are none, and as `mail.check_parcel`."""
    post = _draft(session, mobile)
    if post is None:
        return
    numbers = numbers_in(text)
    try:
        if len(numbers) > 2:
            raise Cannot(Refusal.UNFIT)
        row, amount = (*numbers, *(-1, 0)[len(numbers) :])
        if row < 0:
            post.thing = post.count = 0
        else:
            _put_in(post, mobile, own_at(session, mobile, row), amount)
    finally:
        # The client may show the thing in the window.
        session.queue(DraftWindow(mobile))
    _tell(post, mobile)


def _put_in(post: Post, mobile: Mobile, item: Item, amount: int) -> None:
    if amount == 0 or amount == MOST_COUNTED < item.amount:
        amount = item.amount
    if item.template.key == GOLD:
        if amount < 0:
            raise Cannot(Refusal.AMOUNT)
        mail.check_parcel(mobile, (), post.gold + amount)
        post.gold += amount
        return
    mail.check_parcel(mobile, [(item, amount)], post.gold)
    post.thing, post.count = item.serial, amount


def _coin_commands(coin: str) -> None:
    @command(f"add_mail_{coin}")
    def add_coins(session: Eq2Session, mobile: Mobile, text: str) -> None:
        _change_gold(session, mobile, text, WORTH[coin], 1)

    @command(f"remove_mail_{coin}")
    def remove_coins(session: Eq2Session, mobile: Mobile, text: str) -> None:
        _change_gold(session, mobile, text, WORTH[coin], -1)


for _coin in COINS:
    _coin_commands(_coin)


def _change_gold(session: Eq2Session, mobile: Mobile, text: str, worth: int, sign: int) -> None:
    """Let more or less gold go with the letter. Raises Cannot: NO_COUNTER, AMOUNT, POOR."""
    post = _draft(session, mobile)
    if post is None:
        return
    try:
        gold = post.gold + sign * gold_in(text, worth)
        if gold < 0:
            raise Cannot(Refusal.AMOUNT, LESS_IN_IT)
        if sign > 0:
            mail.check_parcel(mobile, (), gold)
        post.gold = gold
    finally:
        session.queue(DraftWindow(mobile))
    _tell(post, mobile)


@command("cancel_send_mail")
def cancel(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Write no letter; nothing goes with it any more."""
    if session.post.thing or session.post.gold:
        notice(mobile, CANCELED)
    session.post.empty()


@ROWS.while_playing(MailSendMessage, every=Interval(0.2, burst=3))
def send(session: Eq2Session, mobile: Mobile, packet: MailSendMessage) -> None:
    """MailSendMessage: a letter, with what was put into it by commands, whatever the message says of that.
    Raises Cannot as `mail.send`."""
    post = session.post
    try:
        letter = mail.send(
            mobile,
            packet.to,
            packet.text,
            subject=packet.subject,
            things=_things(post, mobile),
            gold=post.gold,
        )
    except Cannot as cannot:
        outcome = OUTCOMES.get(cannot.why, MAIL_NOT_SENT) if packet.to else MAIL_TO_NOBODY
        _reply(session, packet, outcome, packet.to[:LONGEST_NAME])
        raise
    if post.thing or post.gold:
        post.empty()
        if _has_window(session):
            session.queue(DraftWindow(mobile))
    _reply(session, packet, MAIL_SENT, letter.receiver_name)


def _things(post: Post, mobile: Mobile) -> Sequence[tuple[Item, int]]:
    """What is to go with the letter. Raises Cannot(NOT_YOURS) if that is gone meanwhile."""
    if not post.thing:
        return ()
    item = held(mobile, post.thing)
    if item is None:
        raise Cannot(Refusal.NOT_YOURS)
    return ((item, post.count),)


def _reply(session: Eq2Session, packet: MailSendMessage, outcome: int, name: str) -> None:
    if _has_window(session):
        session.send(MailSendReply(packet.key, packet.number, outcome, name))


def _has_window(session: Eq2Session) -> bool:
    return Eq2View.of(session).figures.rendering.mail_window


def _draft(session: Eq2Session, mobile: Mobile) -> Post | None:
    """The letter that is written in the window; None, which is told, if windows are switched off. Raises
    Cannot(NO_COUNTER) if it is closed."""
    if not _has_window(session):
        notice(mobile, BY_DIALOG)
        return None
    if not session.post.counter:
        raise Cannot(Refusal.NO_COUNTER, NOT_OPEN)
    return session.post


def _tell(post: Post, mobile: Mobile) -> None:
    """Say what is in the letter, in words."""
    world, parts = mobile.world, []
    item = held(mobile, post.thing)
    if item is not None:
        parts.append(amount_of(world, item.template.key, post.count))
    if post.gold:
        parts.append(amount_of(world, GOLD, post.gold))
    notice(mobile, f"In your letter: {listed(parts)}." if parts else NOTHING_IN_IT)


def _open(session: Eq2Session, mobile: Mobile, letter: Letter, *, key: int = 0, flag: int = 0) -> None:
    """Show a letter in the window, behind the list in which it is read; without windows, in lines."""
    if not _has_window(session):
        _say(mobile, letter)
        return
    envelope = mail.read(mobile, letter)
    session.queue(ListWindow(mobile, mail.envelopes(mobile)))
    session.send(letter_window(session, mobile, envelope, key=key, flag=flag))


def _say(mobile: Mobile, letter: Letter) -> None:
    for line in postage.inside(mobile.world, mail.read(mobile, letter)):
        notice(mobile, line)


def _letter(mobile: Mobile, number: int) -> Letter:
    """The letter of that number, or of that place in the list. Raises Cannot(NO_LETTER)."""
    if number >= FIRST_NUMBER:
        return mail.by_id(mobile, number - FIRST_NUMBER)
    return mail.numbered(mobile, number)


def _named(mobile: Mobile, *numbers: int) -> Letter:
    """The letter that one of the numbers names. Raises Cannot(NO_LETTER)."""
    named = [number - FIRST_NUMBER for number in numbers if number >= FIRST_NUMBER]
    if len(named) != 1:
        raise Cannot(Refusal.NO_LETTER)
    return mail.by_id(mobile, named[0])
