"""Windows: answers to gumps, context menus, the tip window, the help button and what it leads to."""

from __future__ import annotations

import enum
from functools import partial
from typing import TYPE_CHECKING, Final

from protocol.refusals import tell_refusal
from protocol.uo import dialogs as windows
from protocol.uo.handlers.looking import open_paperdoll, seen, use
from protocol.uo.handlers.table import TABLE
from protocol.uo.packets.dialogs import (
    ArrowClicked,
    GumpAnswer,
    HelpRequest,
    JournalRequest,
    MenuChoice,
    MenuRequest,
    Prompt,
    PromptAnswer,
    Tip,
    TipRequest,
)
from protocol.uo.quests import arrow
from protocol.uo.view import UoView
from protocol.uo.words import name_label, system_message
from protocol.wishes import Wish, tell
from world import counters, dialogs, news, party, quests, residents, speech
from world.item import Item
from world.mobile import Mobile
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.uo.session import UoSession


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

HELP: Final = "HelpDialog"
"""Name of the help gump."""

PLEA: Final = 1
"""Number of the prompt for a call to the staff."""

GIVEN_UP: Final = 0
WHAT_FOR: Final = "What do you need the staff for? Type it now, or press Escape."
NOT_CALLED: Final = "Nobody was called."


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


@TABLE.while_playing(MenuRequest)
def menu_request(session: UoSession, mobile: Mobile, packet: MenuRequest) -> None:
    """Show what can be done with somebody or something. Of an animal that is nothing, so it has its name over
    it instead of an empty menu: the client asks for menus at every click."""
    thing = seen(session, packet.serial)
    if isinstance(thing, Mobile) and not windows.offers(mobile, thing):
        session.send(name_label(thing, UoView.of(session).figures.body(thing)))
    else:
        session.send(windows.menu_of(mobile, thing, session.dialect))


@TABLE.while_playing(MenuChoice)
def menu_choice(session: UoSession, mobile: Mobile, packet: MenuChoice) -> None:
    """Do what was chosen, if it is in the menu of that thing; the rest of the world's rules hold as with a
    click."""
    thing = seen(session, packet.serial)
    if packet.line not in windows.offers(mobile, thing):
        tell(session, Wish.UNASKED)
        return
    match windows.Offer(packet.line):
        case windows.Offer.PAPERDOLL if isinstance(thing, Mobile):
            open_paperdoll(session, thing)
        case windows.Offer.BACKPACK if mobile.backpack is not None:
            use(session, mobile, mobile.backpack)
        case windows.Offer.TALK if isinstance(thing, Mobile):
            session.selling = False
            residents.talk_to(mobile, thing)
        case windows.Offer.USE if isinstance(thing, Item):
            use(session, mobile, thing)
        case windows.Offer.BANK if isinstance(thing, Mobile):
            counters.at_bank(mobile, thing)
        case windows.Offer.BUY | windows.Offer.SELL as line if isinstance(thing, Mobile):
            session.selling = line is windows.Offer.SELL
            counters.at_shop(mobile, thing)
        case windows.Offer.PARTY if isinstance(thing, Mobile):
            party.invite(mobile, thing)


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


class Help(enum.IntEnum):
    """Buttons of the help gump."""

    CLOSE = 0
    WHERE = 1
    WHO = 2
    STAFF = 3


@TABLE.while_playing(HelpRequest)
def help_button(session: UoSession, mobile: Mobile, packet: HelpRequest) -> None:
    """Open a gump: where one is, who else is here, and a call for the staff."""
    dialogs.ask(
        mobile,
        HELP,
        title="Help",
        text="Ask around: the healer, the banker and the crier know their way. "
        "Type .help for all that you can do by word.",
        buttons=(
            dialogs.Button(Help.WHERE, "Where am I?"),
            dialogs.Button(Help.WHO, "Who is here today?"),
            dialogs.Button(Help.STAFF, "Call for the staff."),
            dialogs.Button(Help.CLOSE, "Close."),
        ),
        answered=partial(_helped, session),
    )


def _helped(session: UoSession, mobile: Mobile, reply: dialogs.Reply) -> None:
    if session.mobile is not mobile:
        return  # it is played by another client by now
    match reply.button:
        case Help.WHERE:
            session.send(system_message(news.where(mobile)))
        case Help.WHO:
            session.send(system_message(news.who(mobile)))
        case Help.STAFF:
            session.prompted = True
            session.send(system_message(WHAT_FOR), Prompt(mobile.serial, PLEA))


@TABLE.while_playing(PromptAnswer)
def prompt_answer(session: UoSession, mobile: Mobile, packet: PromptAnswer) -> None:
    """The words for the staff, if they were asked for."""
    asked, session.prompted = session.prompted, False
    if not asked or (packet.serial, packet.prompt) != (mobile.serial, PLEA):
        tell(session, Wish.UNASKED)
    elif packet.kind == GIVEN_UP:
        session.send(system_message(NOT_CALLED))
    else:
        speech.plead(mobile, packet.text.decode("utf-16-le", "replace").partition("\0")[0])
