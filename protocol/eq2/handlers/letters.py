"""Letters, by the words of the client's mail window, in lines and dialogs.

    start_mail, getmailheaders      come up to a banker or a board, which asks what one would like
    getmailmessage NUMBER           read the letter of that place in the list
    takemailattachments NUMBER      take what it brings
    deletemailmessage NUMBER        throw it away

The window itself is not opened. Each letter in its list holds the description of a thing, even if it brings
none, and of that description two readings of the client are at odds about a byte: from the second letter on
the list might be shifted. So what goes into a parcel is asked by the dialog, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.handlers.counters import number_in
from protocol.eq2.handlers.table import COINS, command
from world import mail, postage
from world.speech import notice

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session
    from world.letter import Letter
    from world.mobile import Mobile

BY_DIALOG: Final = "Letters and parcels are written where they are handed in: type /start_mail there."


@command("start_mail", "getmailheaders")
def start(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Come up to whoever has the letters. Raises Cannot, as `postage.at_counter`."""
    postage.at_counter(mobile)


@command("getmailmessage")
def read(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Read a letter. Raises Cannot: AMOUNT for no number, NO_LETTER."""
    envelope = mail.read(mobile, _letter(mobile, text))
    for line in postage.inside(mobile.world, envelope):
        notice(mobile, line)


@command("takemailattachments")
def take(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Take what a letter brings. Raises Cannot: AMOUNT, and as `mail.take`."""
    mail.take(mobile, _letter(mobile, text))


@command("deletemailmessage")
def throw_away(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Throw a letter away. Raises Cannot: AMOUNT, and as `mail.discard`."""
    mail.discard(mobile, _letter(mobile, text))


@command(
    *("set_mail_item", "cancel_mail", "cancel_send_mail"),
    *(f"{deed}_mail_{coin}" for deed in ("add", "remove") for coin in COINS),
)
def write(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Tell where letters are written."""
    notice(mobile, BY_DIALOG)


def _letter(mobile: Mobile, text: str) -> Letter:
    return mail.numbered(mobile, number_in(text))
