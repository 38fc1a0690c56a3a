"""Conversations: the links of the window they are held in, questions with yes and no, and the client's own
commands.

What a link sends back counts only if the player was shown that very link last, and stands near who spoke. A
client can send any text.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from protocol.l2 import dialogs as pages
from protocol.l2.handlers import boards, chests, counters
from protocol.l2.handlers.table import ROWS, SERVER_BYPASS
from protocol.l2.packets import (
    BypassUserCmd,
    DlgAnswer,
    RequestBypassToServer,
    RequestLinkHtml,
)
from protocol.refusals import tell_refusal
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


@ROWS.while_acting(RequestBypassToServer, every=SERVER_BYPASS.interval())
def follow_bypass(session: L2Session, mobile: Mobile, packet: RequestBypassToServer) -> None:
    """RequestBypassToServer: the player chose a link."""
    _choose(session, mobile, packet.command)


@ROWS.while_acting(RequestLinkHtml, every=SERVER_BYPASS.interval())
def follow_link(session: L2Session, mobile: Mobile, packet: RequestLinkHtml) -> None:
    """RequestLinkHtml: a link to another page, of which no page here has any."""
    _choose(session, mobile, packet.path)


def _choose(session: L2Session, mobile: Mobile, link: str) -> None:
    """Answer a dialog, or do what a counter is for, by one of the links that the player has before it.
    Raises Cannot."""
    if pages.offered(link) not in session.html:
        log.debug("%r: %r was not offered", session, link[:100])
        tell(session, Wish.UNASKED)
        return
    if boards.follow(session, mobile, link):
        return  # whose window stays open
    follows = counters.follow(session, mobile, link) or chests.follow(session, mobile, link)
    if not follows and not pages.answer(mobile, link):
        tell_refusal(mobile, Cannot(Refusal.GONE))
    session.html = frozenset()  # the window closes with the choice


@ROWS.while_playing(DlgAnswer)
def answer(session: L2Session, mobile: Mobile, packet: DlgAnswer) -> None:
    """DlgAnswer: yes (1) or no to a question in a box of its own; the requester is the number of the
    question."""
    dialog = mobile.dialogs.get(packet.requester_id)
    if dialog is None:
        tell(session, Wish.UNASKED)
        return
    yes = next((button.number for button in dialog.buttons if button.number), 0)
    dialogs.answer(mobile, dialog.serial, dialog.type_id, yes if packet.answer == 1 else 0)


@ROWS.while_playing(BypassUserCmd, every=SERVER_BYPASS.interval())
def user_command(session: L2Session, mobile: Mobile, packet: BypassUserCmd) -> None:
    """BypassUserCmd: a command that the client has a word for."""
    if packet.command in (LOCATION, TIME):
        notice(mobile, news.where(mobile))
    elif packet.command == UNSTUCK:
        session.services.command(session, "stuck")
    else:
        tell(session, Wish.UNKNOWN)
