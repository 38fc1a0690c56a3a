"""Packets that clients may send and nothing here reads: a line of words where it is a wish, and why not
where it is none.

Each may come in any phase: no client is ended for it, and there is nobody to read a line before the world is
entered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.session import ANY_PHASE
from protocol.uo.handlers import parties
from protocol.uo.handlers.table import TABLE
from protocol.uo.packets.misc import UNREAD, TargetAnswer
from protocol.wishes import Idle, Unmet, Wish, tell

if TYPE_CHECKING:
    from collections.abc import Mapping

    from protocol.uo.session import UoSession
    from world.mobile import Mobile

_GOD_CLIENT: Final = Idle("only the program of the game's own staff sends it")
_MACHINE: Final = Idle("the client tells about the machine it runs on")
_KIND: Final = Idle("the client tells which program it is")
_TIME: Final = Idle("the client measures the way here")

ANSWERS: Final[Mapping[int, Unmet | Idle]] = {
    **dict.fromkeys((0x04, 0x0A, 0x14, 0x47, 0x48, 0x58, 0x61, 0x79, 0x7E, 0x96, 0x9D), _GOD_CLIENT),
    0x56: Unmet(Wish.MAPS),
    0x66: Unmet(Wish.BOOKS),
    0x75: Unmet(Wish.ANIMALS),
    0x7D: Unmet(Wish.UNASKED),
    0x8D: Idle("only the Kingdom Reborn and enhanced clients send it, which are not let in"),
    0x93: Unmet(Wish.BOOKS),
    0x95: Unmet(Wish.DYEING),
    0x9A: Unmet(Wish.UNASKED),
    0xA4: _MACHINE,
    0xAC: Unmet(Wish.UNASKED),
    0xBB: Idle("the client tells a number of its account, which means nothing here"),
    0xBE: _KIND,
    0xC2: Unmet(Wish.UNASKED),
    0xC9: _TIME,
    0xCA: _TIME,
    0xD0: Idle("the client sends its settings along"),
    0xD4: Unmet(Wish.BOOKS),
    0xD9: _MACHINE,
    0xDA: Unmet(Wish.GAMES),
    0xE1: _KIND,
    0xF4: Idle("the client tells that it crashed before"),
    0xFA: Unmet(Wish.STORE),
    0xFB: Idle("the client tells by itself how it shows what is in houses"),
    0xBF05: Idle("the client tells how large its window is"),
    0xBF09: Unmet(Wish.ABILITIES),
    0xBF0A: Unmet(Wish.ABILITIES),
    0xBF0B: Idle("the client tells its language; what is said here carries one of its own"),
    0xBF0C: Idle("a bar was closed that is kept up to date all the same"),
    0xBF0F: _KIND,
    0xBF1C: Unmet(Wish.CASTING),
    0xBF1E: Idle("the client asks by itself about houses that it sees, of which there are none"),
    0xBF24: Idle("nobody knows what the client means by it"),
    0xBF2A: Unmet(Wish.FACE),
    0xBF2D: Unmet(Wish.CASTING),
    0xBF2E: Unmet(Wish.SKILL),
    0xBF32: Unmet(Wish.FLYING),
    0xBF33: Unmet(Wish.BOATS),
    0xBF00: Unmet(Wish.UNKNOWN),
    **{
        number: Unmet(Wish.HOUSES)
        for number, name in UNREAD.items()
        if number >> 8 == 0xD7 and name.startswith("Designer")
    },
    0xD719: Unmet(Wish.ABILITIES),
    0xD71E: Unmet(Wish.UNKNOWN),
    0xD700: Unmet(Wish.UNKNOWN),
}
"""By packet number."""

for _number, _name in UNREAD.items():
    TABLE.on_raw(_number, _name, ANSWERS[_number], during=ANY_PHASE)


@TABLE.while_playing(TargetAnswer)
def target_answer(session: UoSession, mobile: Mobile, packet: TargetAnswer) -> None:
    """The answer to a cursor; to close one that nothing asked for is no wish."""
    if parties.pointed(session, mobile, packet):
        return
    if packet.serial or (packet.x, packet.y) != (0xFFFF, 0xFFFF):
        tell(session, Wish.UNASKED)
