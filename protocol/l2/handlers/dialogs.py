"""Conversations: the links of the window they are held in, questions with yes and no, and the client's own
commands.

What a link sends back counts only if the player was shown that very link last, and stands near who spoke. A
client can send any text.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from protocol.l2 import dialogs as pages
from protocol.l2.flood import SERVER_BYPASS
from protocol.l2.handlers.arriving import acting
from protocol.l2.handlers.table import on, playing
from protocol.l2.packets import (
    ActionFailed,
    BypassUserCmd,
    DlgAnswer,
    RequestBypassToServer,
    RequestLinkHtml,
)
from protocol.refusals import refused_in_words, tell_refusal
from protocol.session import Phase
from protocol.wishes import Wish, tell
from world import dialogs, news
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.mobile import Mobile

log = logging.getLogger("net.l2")

LOCATION, UNSTUCK, TIME = 0, 52, 77
"""Numbers of BypassUserCmd: what the client makes of /loc, /unstuck and /time."""


@on(RequestBypassToServer, during=Phase.IN_WORLD, every=SERVER_BYPASS.interval())
def follow_bypass(session: L2Session, packet: RequestBypassToServer) -> None:
    """RequestBypassToServer: the player chose a link."""
    mobile = acting(session)
    if mobile is not None:
        _choose(session, mobile, packet.command)
        session.send(ActionFailed())


@on(RequestLinkHtml, during=Phase.IN_WORLD, every=SERVER_BYPASS.interval())
def follow_link(session: L2Session, packet: RequestLinkHtml) -> None:
    """RequestLinkHtml: a link to another page, of which no page here has any."""
    mobile = acting(session)
    if mobile is not None:
        _choose(session, mobile, packet.path)
        session.send(ActionFailed())


def _choose(session: L2Session, mobile: Mobile, link: str) -> None:
    if pages.offered(link) not in session.html:
        log.debug("%r: %r was not offered", session, link[:100])
        tell(session, Wish.UNASKED)
        return
    try:
        if not pages.answer(mobile, link):
            tell_refusal(mobile, Cannot(Refusal.GONE))
    except Cannot as cannot:
        tell_refusal(mobile, cannot)
    else:
        session.html = frozenset()  # the window closes with the choice


@on(DlgAnswer, during=Phase.IN_WORLD)
def answer(session: L2Session, packet: DlgAnswer) -> None:
    """DlgAnswer: yes (1) or no to a question in a box of its own; the requester is the number of the
    question."""
    mobile = playing(session)
    if mobile is None:
        return
    dialog = mobile.dialogs.get(packet.requester_id)
    if dialog is None:
        tell(session, Wish.UNASKED)
        return
    yes = next((button.number for button in dialog.buttons if button.number), 0)
    with refused_in_words(mobile):
        dialogs.answer(mobile, dialog.serial, dialog.type_id, yes if packet.answer == 1 else 0)


@on(BypassUserCmd, during=Phase.IN_WORLD, every=SERVER_BYPASS.interval())
def user_command(session: L2Session, packet: BypassUserCmd) -> None:
    """BypassUserCmd: a command that the client has a word for."""
    mobile = playing(session)
    if mobile is None:
        return
    if packet.command in (LOCATION, TIME):
        notice(mobile, news.where(mobile))
    elif packet.command == UNSTUCK:
        session.services.command(session, "stuck")
    else:
        tell(session, Wish.UNKNOWN)
