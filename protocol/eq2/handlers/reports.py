"""Calls for the staff: by slash commands, and by the messages of the client's own buttons.

    report NAME TEXT    report_abuse NAME TEXT    reportspam NAME TEXT        about another character
    petition TEXT       report_bug TEXT           report_typo, report_feedback

The words are those of EQ2Emulator's table of commands, where most of them do nothing. Without the name of a
character whoever is aimed at is reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2.handlers.looking import target_of
from protocol.eq2.handlers.table import ROWS, command
from protocol.eq2.packets import CreateTicket, Report
from world import conduct
from world.mobile import Mobile
from world.speech import notice, plead

if TYPE_CHECKING:
    from protocol.eq2.session import Eq2Session

REPORT_WHOM: Final = "Type /report, a name, and what that one has done."
PLEAD_WHAT: Final = "Type /petition and what you need."

BETWEEN: Final = "\a"
"""Stands between the parts of a report on a mistake (emagi/eq2emu: Commands.cpp, Command_ReportBug)."""


@command("report", "report_abuse", "reportspam")
def report(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Report somebody to the staff. Raises Cannot, as `conduct.report`."""
    name, _, words = text.partition(" ")
    target = target_of(session)
    if mobile.world.directory.find(name) is None and isinstance(target, Mobile) and target.is_character:
        name, words = target.name, text
    if not name or not words.strip():
        notice(mobile, REPORT_WHOM)
    else:
        conduct.report(mobile, name, words)


@command("petition", "report_bug", "report_typo", "report_feedback")
def call(session: Eq2Session, mobile: Mobile, text: str) -> None:
    """Call for the staff. Raises Cannot, as `speech.plead`."""
    words = " ".join(text.replace(BETWEEN, " ").split())
    if words:
        plead(mobile, words)
    else:
        notice(mobile, PLEAD_WHAT)


@ROWS.while_playing(Report)
def report_by_window(session: Eq2Session, mobile: Mobile, packet: Report) -> None:
    """Report: one of its two texts may name a character, and the other says what for. Raises Cannot, as
    `conduct.report` and `speech.plead`."""
    directory = mobile.world.directory
    for name, words in ((packet.first, packet.second), (packet.second, packet.first)):
        if directory.find(name) is not None and words.strip():
            conduct.report(mobile, name, words)
            return
    call(session, mobile, f"{packet.first} {packet.second}")


@ROWS.while_playing(CreateTicket)
def call_by_window(session: Eq2Session, mobile: Mobile, packet: CreateTicket) -> None:
    """CreateTicket: a call for the staff, with all that was written. Raises Cannot, as `speech.plead`."""
    call(session, mobile, f"{packet.first} {packet.second} {packet.third}")
