"""Letters and parcels, from any character to any other.

They are read anywhere, and handed in and given out by bankers and at boards: elsewhere words refuse it. What
a letter brings is taken as a whole or not at all; what came of it is told in words when it is on disk.
"""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 # cattrs reads the annotations

import attrs

from protocol.web.packets.base import SERIAL, Message, message, text, whole
from protocol.web.packets.people import Appearance  # noqa: TC001 # cattrs reads the annotations

LONGEST_TO = 32
LONGEST_SUBJECT = 32
LONGEST_TEXT = 500
"""Letters, as in `world.mail`."""


@message("mail")
class AskMail(Message):
    """Read which letters wait. Answer: `Mail`."""


@message("read_letter")
class ReadLetter(Message):
    """One has read it. Answer: `Mail`, if it was new."""

    id: int = whole(0, SERIAL)


@message("take_letter")
class TakeLetter(Message):
    """Take what it brings, and pay what is asked for that. Answers: words, `Mail`, `Belongings`."""

    id: int = whole(0, SERIAL)


@message("refuse_letter")
class RefuseLetter(Message):
    """Send what it brings back. Answers: words, `Mail`."""

    id: int = whole(0, SERIAL)


@message("discard_letter")
class DiscardLetter(Message):
    """Throw it away. Answer: `Mail`."""

    id: int = whole(0, SERIAL)


@attrs.frozen
class Enclosure:
    """Something that one carries, or so many of a stack."""

    id: int = whole(0, SERIAL)
    amount: int = whole(0, 0x7FFF_FFFF, default=1)


@message("send_letter")
class SendLetter(Message):
    """Send a letter to the character of that name, who may be away. Answers: `LetterSent`, words."""

    to: str = text(LONGEST_TO)
    subject: str = text(LONGEST_SUBJECT, default="")
    text: str = text(LONGEST_TEXT, default="")
    things: Sequence[Enclosure] = ()
    gold: int = whole(0, 0x7FFF_FFFF, default=0)
    price: int = whole(0, 0x7FFF_FFFF, default=0)
    """Gold that whoever takes what it brings pays for that."""


@attrs.frozen
class Enclosed:
    """Something that a letter brings, gold among it."""

    name: str
    look: Appearance
    amount: int = 1


@attrs.frozen
class Letter:
    """A letter that waits. Times are seconds UTC."""

    id: int
    sender: str
    subject: str
    at: int
    text: str = ""
    until: int = 0
    """When it goes back or is thrown away; 0: never."""
    parcel: Sequence[Enclosed] = ()
    price: int = 0
    read: bool = False


@message("mail")
class Mail(Message):
    """All letters that wait for one, the oldest first."""

    letters: Sequence[Letter] = ()


@message("letter_sent")
class LetterSent(Message):
    """A letter is on its way to that character."""

    to: str
