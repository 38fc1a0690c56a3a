"""What an EverQuest II client keeps of its letters, from the bytes it was sent: read by hand, in the order of
the public notes on the client of build 546 (types 274, 275, 276) and, of what is written, of emagi/eq2emu
(WS_UpdatePlayerMail)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from protocol.eq2 import packets as eq2
from tests.eq2.independent.fields import Fields

if TYPE_CHECKING:
    from collections.abc import Iterable

    from protocol.eq2.versions import Eq2Version, Message

COMMAND = 50
MOST_OWN_DATA = 0x1000
NOTHING = 0xFFFFFFFF


@attrs.frozen
class Enclosed:
    """Coins, the smallest first, and so many of a thing."""

    coins: tuple[int, ...]
    amount: int
    name: str
    about: str


@attrs.frozen
class Read:
    """A letter as the window has it."""

    number: int
    to: int
    texts: tuple[str, str, str]
    is_read: int
    seconds: int
    kind: int
    brings: Enclosed


class Postbox:
    """They, as they are after the messages."""

    def __init__(self, version: Eq2Version) -> None:
        self._version = version
        self.kiosk: int | None = None
        """At whom the window is open; None: it never was."""
        self.letters: tuple[Read, ...] = ()
        self.opened: Read | None = None
        """The letter that is read: a list that comes behind it keeps it from being seen."""
        self.asked_by = (0, 0)
        self.outcome: tuple[int, str] | None = None
        """What became of the last letter, and to whom."""
        self.draft: Enclosed | None = None

    def hear(self, messages: Iterable[Message]) -> None:
        """Believe more of them."""
        about = eq2.MailHeaders | eq2.MailMessage | eq2.MailSendReply | eq2.UpdatePlayerMail
        for message in messages:
            if isinstance(message, about):
                self.take(self._version.encode(message))

    def take(self, raw: bytes) -> None:
        """Believe the bytes of one of them."""
        fields = Fields(raw, "letters")
        kind = fields.type()
        if kind == COMMAND:
            assert fields.u32() == len(raw) - fields.at
            kind = fields.type()
        match kind:
            case 274:
                self.kiosk = fields.u32()
                self.letters = tuple(_letter(fields) for _ in range(fields.u8()))
                self.opened = None
                fields.zeros(8)  # it costs nothing
                fields.u32()
            case 275:
                kiosk = fields.u32()
                assert self.kiosk in (None, kiosk)
                self.kiosk = kiosk
                self.opened = _letter(fields)
                self.asked_by = _u64(fields), fields.u8()
            case 276:
                self.asked_by = _u64(fields), fields.u32()
                self.outcome = fields.u8(), fields.s16()
                fields.zeros(9)
            case 490:
                fields.u8()
                self.draft = _enclosed(fields)
                fields.zeros(8)
            case _:
                raise AssertionError(kind)
        fields.end()


def _u64(fields: Fields) -> int:
    return fields.u32() | fields.u32() << 32


def _letter(fields: Fields) -> Read:
    number, to = fields.u32(), fields.u32()
    texts = fields.s16(), fields.s16(), fields.s16()
    is_read, seconds, kind = fields.u8(), fields.u32(), fields.u8()
    fields.u32()
    return Read(number, to, texts, is_read, seconds, kind, _enclosed(fields))


def _enclosed(fields: Fields) -> Enclosed:
    coins = tuple(fields.u32() for _ in range(4))
    amount = fields.u16()
    name, about = _thing(fields)
    own = fields.u32()
    assert own <= MOST_OWN_DATA
    fields.take(own)
    return Enclosed(coins, amount, name, about)


def _thing(fields: Fields) -> tuple[str, str]:
    """The body of a description of kind 0: name and description."""
    fields.s8()
    fields.take(4 if fields.u32() == NOTHING else 8)
    fields.u16(), fields.u8(), fields.u16(), fields.small(), fields.small()
    fields.take(15)
    for _ in range(fields.u8()):
        fields.u8(), fields.small(), fields.small(), fields.s8()
    for _ in range(fields.u8()):
        fields.s8(), fields.s16()
    fields.u8(), fields.u16(), fields.u32(), fields.u32(), fields.small()
    fields.take(4 * fields.u8())
    fields.take(fields.u8())
    fields.u32()
    fields.given(0, 1, "purpose")
    fields.given(0, 1, "count of effects")
    return fields.s8(), fields.s16()
