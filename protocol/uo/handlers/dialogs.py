"""Windows: answers to gumps, and what opens them: the buttons for the guild, quests, tips and help."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.refusals import tell_refusal
from protocol.uo import dialogs as windows
from protocol.uo.handlers.table import TABLE
from protocol.uo.packets.dialogs import (
    ArrowClicked,
    GuildRequest,
    GumpAnswer,
    HelpRequest,
    JournalRequest,
    Tip,
    TipRequest,
)
from protocol.uo.quests import arrow
from protocol.wishes import Wish, tell
from world import dialogs, guild_hall, helpdesk, quests
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.uo.session import UoSession
    from world.mobile import Mobile


VIRTUE_GUMP: Final = 0x1CD
"""The gump of the virtue symbol over a paperdoll, which the client shows by itself (ClassicUO:
Network/OutgoingPackets.cs, Send_VirtueGumpResponse)."""

TIPS: Final = (
    "Not everybody here plays the same game as you. You see one another all the same.",
    "Talk to the people of the town: a click with the context menu shows what they can be asked.",
    "Type .help for all you can do by word, and .page with a few words to call for the staff.",
    "Who has died looks for a healer: healers hear ghosts.",
    "The chat window shows what players of all games say to everybody.",
)
"""For the tip window, by number."""

TIP: Final = 0


@TABLE.while_playing(GumpAnswer)
def gump_answer(session: UoSession, mobile: Mobile, packet: GumpAnswer) -> None:
    """Hand the answer to its dialog, which takes it only if it asked for it. What raises Cannot here is told
    the player, whose client has closed its window."""
    if packet.kind == VIRTUE_GUMP:
        tell(session, Wish.VIRTUES)
        return
    try:
        dialog = mobile.dialogs.get(packet.serial)
        given = windows.filled_in(dialog, packet) if dialog is not None else {}
        answered = dialogs.answer(mobile, packet.serial, packet.kind, packet.button, given)
        if not answered and packet.button:
            raise Cannot(Refusal.GONE)
    except Cannot as cannot:
        # The client has closed its window.
        tell_refusal(mobile, cannot)
        dialogs.remind(mobile, packet.serial)


@TABLE.while_playing(GuildRequest)
def guild_button(session: UoSession, mobile: Mobile, packet: GuildRequest) -> None:
    """Show its guild, or ask whether to found one, by a gump."""
    guild_hall.at_guild(mobile)


@TABLE.while_playing(JournalRequest)
def journal(session: UoSession, mobile: Mobile, packet: JournalRequest) -> None:
    """Show the quests, as a gump."""
    quests.show_journal(mobile)


@TABLE.while_playing(ArrowClicked)
def arrow_clicked(session: UoSession, mobile: Mobile, packet: ArrowClicked) -> None:
    """Take the arrow away, or show what it points to."""
    if packet.right:
        session.send(arrow(session.dialect))
    else:
        quests.show_journal(mobile)


@TABLE.while_playing(TipRequest)
def tip(session: UoSession, mobile: Mobile, packet: TipRequest) -> None:
    """Show the next tip, or the one before; behind the last comes the first."""
    number = (packet.tip + (1 if packet.forward else -1)) % len(TIPS)
    session.send(Tip(TIP, number, TIPS[number]))


@TABLE.while_playing(HelpRequest)
def help_button(session: UoSession, mobile: Mobile, packet: HelpRequest) -> None:
    """Ask what it needs, by a gump."""
    helpdesk.at_help(mobile)
