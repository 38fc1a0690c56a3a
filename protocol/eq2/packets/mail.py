"""The window for letters: its list, one that is read, one that is written. What is put into that comes as
slash commands."""

from __future__ import annotations

import attrs

from protocol.eq2.packets.base import Message, Record, from_client, from_server, record

MAIL_SENT, MAIL_TO_UNKNOWN, MAIL_TO_UNWILLING, MAIL_TO_ONESELF = 0, 1, 2, 4
MAIL_TO_FULL, MAIL_TOO_POOR, MAIL_FULL_BAG, MAIL_TO_NOBODY, MAIL_NOT_SENT = 5, 6, 7, 11, 14
"""What became of a letter (emagi/eq2emu: client.h, MAIL_SEND_RESULT): it is sent; nobody is called so, or may
not be sent any, or it is oneself; too many wait for them, the coins are too few, there is something in the
bag; no name was written; none of these."""

NO_PICTURE = 0xFFFF
"""Of no thing at all."""


@record
@attrs.define
class MailThing(Record):
    """A thing that a letter brings. `broker`: its number once more. The same as `ItemDescription`, but for
    the bytes of its weight (see the layout)."""

    unique: int = 0
    broker: int = 0
    name: str = ""
    icon: int = NO_PICTURE
    weight: int = 0
    description: str = ""


@record
@attrs.define
class MailEnclosed(Record):
    """Coins, and so many of a thing, that a letter brings; 0: of none."""

    copper: int = 0
    silver: int = 0
    gold: int = 0
    platinum: int = 0
    amount: int = 0
    thing: MailThing = attrs.Factory(MailThing)


@record
@attrs.define
class MailRecord(Record):
    """A letter. In the list its texts are subject, sender, none; if it is read, sender, subject, words.
    `seconds`: until it is gone; 0: without an end. `kind`: in the list its kind; if it is read, whether it
    may be reported."""

    mail_id: int
    to_id: int
    first: str
    second: str
    third: str
    read: int
    seconds: int
    kind: int
    enclosed: MailEnclosed


@from_client
@attrs.define
class MailGetHeaders(Message):
    """The client wants the list."""

    number: int


@from_client
@attrs.define
class MailGetMessage(Message):
    """The client wants to read a letter, which one of the numbers names."""

    key: int
    first: int
    second: int
    flag: int


@from_client
@attrs.define
class MailSendMessage(Message):
    """The client sends a letter. `rest`: what it takes to be in it."""

    to: str
    subject: str
    text: str
    flag: int
    key: int
    number: int
    rest: bytes


@from_client
@attrs.define
class MailDeleteMessage(Message):
    """The client throws a letter away, which one of the numbers names."""

    first: int
    second: int


@from_client
@attrs.define
class MailRemoveAttachments(Message):
    """The client takes what a letter brings, which one of the numbers names."""

    name: str
    first: int
    second: int


@from_server
@attrs.define
class MailHeaders(Message):
    """The list, which opens the window. `kiosk_id`: at whom; then what it costs to send a letter, and a thing
    with it, in copper."""

    kiosk_id: int
    letters: tuple[MailRecord, ...]
    postage: int = 0
    postage_of_thing: int = 0


@from_server
@attrs.define
class MailMessage(Message):
    """A letter that is read. `key`, `flag`: those of the request."""

    kiosk_id: int
    letter: MailRecord
    key: int = 0
    flag: int = 0


@from_server
@attrs.define
class MailSendReply(Message):
    """Tells what became of a letter to somebody. `key`, `number`: those of the request."""

    key: int
    number: int
    outcome: int
    to: str


@from_server
@attrs.define
class UpdatePlayerMail(Message):
    """Tells what is in the letter that is written."""

    enclosed: MailEnclosed
