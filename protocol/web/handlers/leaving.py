"""Signs of life, and out of the world: back to the characters on the same connection."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from protocol.services import Denied
from protocol.session import ANY_PHASE, Phase
from protocol.web.handlers.characters import list_characters
from protocol.web.handlers.table import TABLE
from protocol.web.packets.entering import HasLeft, Leave, Ping, Pong
from protocol.web.words import refusal

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.mobile import Mobile


@TABLE.while_playing(Leave)
def leave(session: WebSession, mobile: Mobile, message: Leave) -> None:
    """leave: the character leaves at once. What its client says next waits for the list."""
    session.services.characters.leave(session)
    session.postponed.clear()
    session.phase = Phase.MENU
    session.send(HasLeft())
    session.later(partial(_show_menu, session))


async def _show_menu(session: WebSession) -> None:
    """The list shows the character as it is by now, so what it did has to be written."""
    try:
        await session.services.durable()
    except Denied as denied:
        session.send(refusal(denied, Leave))
        return
    await list_characters(session, Leave)


@TABLE.on(Ping, during=ANY_PHASE)
def ping(session: WebSession, message: Ping) -> None:
    """ping: the same number back."""
    session.send(Pong(message.number))
