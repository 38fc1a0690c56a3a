"""Looking at things: one's own, those in one's vault or in the window that is open, and those on offer."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

from protocol.dispatch import Interval
from protocol.eq2.describing import described
from protocol.eq2.handlers.inventory import held, numbered, worn_at
from protocol.eq2.handlers.looking import thing_of
from protocol.eq2.handlers.table import ROWS, command
from protocol.eq2.packets import OF_ITEM, ExamineInfo, ExamineInfoRequest
from protocol.eq2.view import Eq2View
from protocol.wishes import Wish, tell
from world.item import Item

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session
    from world.content import ItemTemplate
    from world.mobile import Mobile

CARRIED: Final = "inventory"
WORN: Final = "equipment"
MOST_DIGITS: Final = 6


@ROWS.while_playing(ExamineInfoRequest, every=Interval(0.1, burst=10))
def examine(session: Eq2Session, mobile: Mobile, packet: ExamineInfoRequest) -> None:
    """ExamineInfoRequest: the client shows a thing, or its player looks at it. Of all else nothing is
    known."""
    if packet.kind != OF_ITEM or len(packet.rest) < 4:
        tell(session, Wish.EXAMINING)
        return
    (number,) = struct.unpack_from("<I", packet.rest)
    found = _shown(session, mobile, number)
    if found is None:
        tell(session, Wish.EXAMINING)
        return
    kind, name = found
    window = int(len(packet.rest) > 4 and packet.rest[4] == 1)
    thing = described(kind, Eq2View.of(session).figures, number=number, name=name)
    session.send(ExamineInfo(thing, window))


@command("info")
def look_at(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Describe what lies in one's bags, or is worn: `info inventory 255`, `info equipment 3`. Raises
    Cannot(GONE) if there is nothing."""
    where, _, digits = text.partition(" ")
    if where not in (CARRIED, WORN) or not digits.isdecimal() or len(digits) > MOST_DIGITS:
        tell(session, Wish.EXAMINING)
        return
    number = int(digits)
    item = numbered(session, mobile, number) if where == CARRIED else worn_at(session, mobile, number)
    thing = described(item.template, Eq2View.of(session).figures, number=item.serial, name=item.label)
    session.send(ExamineInfo(thing))


def _shown(session: Eq2Session, mobile: Mobile, number: int) -> tuple[ItemTemplate, str] | None:
    """Kind and name of what a client was shown under that number: a thing by its serial, or a kind by its
    own."""
    item = held(mobile, number) or _in_window(session, number)
    if item is not None:
        return item.template, item.label
    key = session.kind_of_number(number)
    kind = mobile.world.content.items.get(key) if key is not None else None
    return (kind, kind.name) if kind is not None else None


def _in_window(session: Eq2Session, serial: int) -> Item | None:
    """A thing in the window that is open; None if it is not there."""
    opened = thing_of(session, session.looting) if session.looting else None
    return opened.contents.get(serial) if isinstance(opened, Item) else None
