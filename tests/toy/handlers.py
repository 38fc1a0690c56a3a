"""What happens when a client sends one of the two packets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.denials import Denied
from protocol.dispatch import Table
from protocol.endings import Refused
from protocol.services import NewCharacter
from protocol.session import Phase, Session
from world import speech

from .packets import Enter, Say

if TYPE_CHECKING:
    from world.mobile import Mobile

TABLE: Final[Table[Session]] = Table(
    opcode_of_frame=lambda frame: frame[0],
    opcode_of_class=lambda cls: cls.opcode,  # type: ignore[attr-defined] # they are declared packets
    decode=lambda cls: cls.decode,  # type: ignore[attr-defined]
)


@TABLE.on(Enter, during=Phase.GREETING, secret=True)
async def enter(session: Session, packet: Enter) -> None:
    """Log in, make the character if there is none, and bring it into the world."""
    name, _, password = packet.words.decode("ascii", "replace").partition(" ")
    services = session.services
    try:
        account = await services.accounts.login(session, name, password)
        await services.accounts.claim(session, account)
        known = await services.characters.all(account)
        wish = NewCharacter(name.capitalize(), female=False, hair=1, hair_hue=1102, skin_hue=1002)
        info = known[0] if known else await services.characters.create(session, wish)
        await services.characters.enter(session, info.serial, lambda mobile: welcome(session, mobile))
    except Denied as denied:
        raise Refused(str(denied), Say(str(denied).encode())) from denied


def welcome(session: Session, mobile: Mobile) -> None:
    """Tell the client where it is; the turn shows it the rest."""
    session.phase = Phase.IN_WORLD
    session.send(Say(f"{mobile.name} at {mobile.x}, {mobile.y}".encode()))


@TABLE.while_playing(Say)
def say(session: Session, mobile: Mobile, packet: Say) -> None:
    """Speak to those near."""
    speech.say(mobile, packet.text.decode("utf-8", "replace"))
