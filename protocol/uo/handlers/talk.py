"""Talking, emotes, commands, the help button."""

from __future__ import annotations

import enum
from functools import partial
from typing import TYPE_CHECKING, Final

from protocol.refusals import refused_in_words
from protocol.uo.handlers.kinds import Kinds
from protocol.uo.handlers.table import while_playing
from protocol.uo.packets.dialogs import HelpRequest, Prompt, PromptAnswer
from protocol.uo.packets.talk import (
    ENCODED,
    AsciiSpeech,
    PartyDeed,
    PartyRequest,
    SpeechKind,
    TextCommand,
    TextCommandKind,
    UnicodeSpeech,
)
from protocol.uo.skills import ALL, USABLE
from protocol.uo.view import system_message
from protocol.wishes import Idle, Unmet, Wish, tell
from world import dialogs, doors, news, speech
from world.heading import OFFSETS
from world.moments import Speech
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.uo.session import UoSession
    from world.mobile import Mobile

COMMAND_PREFIXES: Final = (".", "[")
"""What begins an order instead of a word, if a letter follows: Sphere's and ServUO's."""

PASSIVE_SKILL: Final = "That skill cannot be used directly."
HELP: Final = "HelpDialog"
"""Name of the help gump."""

PLEA: Final = 1
"""Number of the prompt for a call to the staff."""

GIVEN_UP: Final = 0
WHAT_FOR: Final = "What do you need the staff for? Type it now, or press Escape."
NOT_CALLED: Final = "Nobody was called."

_UNKNOWN: Final = "ENU"
"""The language of words whose client does not name one."""

_COMPANIES: Final = {SpeechKind.GUILD: Speech.GUILD, SpeechKind.ALLIANCE: Speech.ALLIANCE}

_WAYS: Final = {
    SpeechKind.EMOTE: Speech.EMOTE,
    SpeechKind.WHISPER: Speech.WHISPER,
    SpeechKind.YELL: Speech.YELL,
}


def is_order(text: str) -> bool:
    """Whether what was typed is an order to the server."""
    return text.startswith(COMMAND_PREFIXES) and text[1:2].isalpha()


def _is_order(packet: AsciiSpeech | UnicodeSpeech) -> bool:
    return is_order(packet.text)


# An order may hold a password (and is mistyped with one in it), so no log shows any.
@while_playing(AsciiSpeech, secret=_is_order)
def ascii_speech(session: UoSession, packet: AsciiSpeech) -> None:
    """Say something."""
    if _is_order(packet):
        session.services.command(session, packet.text[1:])
    else:
        _say(session, packet.kind, packet.text, packet.hue, _UNKNOWN)


@while_playing(UnicodeSpeech, secret=_is_order)
def unicode_speech(session: UoSession, packet: UnicodeSpeech) -> None:
    """Say something. The keywords the client found are not needed: residents look at the words."""
    if _is_order(packet):
        session.services.command(session, packet.text[1:])
    else:
        _say(session, packet.kind & ~ENCODED, packet.text, packet.hue, packet.language)


def _say(session: UoSession, kind: int, text: str, hue: int, language: str) -> None:
    how = _WAYS.get(kind, Speech.SAY)
    if how is Speech.EMOTE:
        text = text.strip("* ")  # the client adds asterisks, and so do the views
    if not (language.isascii() and language.isalpha()):
        language = _UNKNOWN
    # The font is not passed on: the clients of the others look it up in a table, unchecked.
    with refused_in_words(session.player):
        if kind in _COMPANIES:
            speech.to_company(session.player, _COMPANIES[kind], text)
        else:
            speech.say(session.player, text, how, hue=hue, language=language)


COMMANDS: Final = Kinds("0x12", Wish.UNKNOWN)
"""What 0x12 asks for."""

for _kind, _name, _wish in (
    (TextCommandKind.CAST_FROM_BOOK, "CastFromBook", Wish.CASTING),
    (TextCommandKind.OLD_SCROLL, "OldScroll", Wish.CASTING),
    (TextCommandKind.OPEN_SPELLBOOK, "OpenSpellbook", Wish.CASTING),
    (TextCommandKind.CAST, "CastByMacro", Wish.CASTING),
    (TextCommandKind.VIRTUE, "InvokeVirtue", Wish.VIRTUES),
):
    COMMANDS.add(_kind, _name, Unmet(_wish))
COMMANDS.add(TextCommandKind.GO, "Go", Idle("only the program of the game's own staff sends it"))


@while_playing(TextCommand)
def text_command(session: UoSession, packet: TextCommand) -> None:
    """A command of the client's menus and macros."""
    COMMANDS.handle(session, packet.kind, packet)


@COMMANDS.on(TextCommandKind.ANIMATE, "Animate")
def _animate(session: UoSession, packet: TextCommand) -> None:
    """Bow and salute."""
    with refused_in_words(session.player):
        speech.gesture(session.player, packet.text.strip().lower())


@COMMANDS.on(TextCommandKind.USE_SKILL, "UseSkill")
def _use_skill(session: UoSession, packet: TextCommand) -> None:
    """Every skill is answered: there is none that does something by itself yet."""
    number = packet.text.partition(" ")[0]
    if number.isdecimal() and int(number) < ALL and int(number) not in USABLE:
        session.send(system_message(PASSIVE_SKILL))
    else:
        tell(session, Wish.SKILL)


@COMMANDS.on(TextCommandKind.OPEN_DOOR, "OpenDoor")
def _open_door(session: UoSession, packet: TextCommand) -> None:
    """Open the door before which one stands, as far as doors are more than pictures."""
    player = session.player
    dx, dy = OFFSETS[player.heading]
    with refused_in_words(player):
        doors.open_one(player, [(player.x + dx, player.y + dy)])


PARTY: Final = Kinds("0xBF:0x06", Wish.PARTY)
"""What 0xBF 0x06 asks for."""

PARTY.add(PartyDeed.INVITE, "PartyInvite", Unmet(Wish.PARTY))


def _no_party(session: UoSession, packet: PartyRequest) -> None:
    """What only a party can do: who is in none is told so."""
    with refused_in_words(session.player):
        raise Cannot(Refusal.NO_PARTY)


for _kind, _name in (
    (PartyDeed.REMOVE, "PartyRemove"),
    (PartyDeed.TELL, "PartyTell"),
    (PartyDeed.LOOT, "PartyLoot"),
    (PartyDeed.ACCEPT, "PartyAccept"),
    (PartyDeed.DECLINE, "PartyDecline"),
):
    PARTY.on(_kind, _name)(_no_party)


@while_playing(PartyRequest)
def party(session: UoSession, packet: PartyRequest) -> None:
    """Something for one's party. There are no parties to join, leave or loot for yet."""
    PARTY.handle(session, packet.kind, packet)


@PARTY.on(PartyDeed.SAY, "PartySay")
def _to_party(session: UoSession, packet: PartyRequest) -> None:
    """Say something to one's party."""
    with refused_in_words(session.player):
        text = packet.rest.decode("utf-16-be", "replace").partition("\0")[0]
        speech.to_company(session.player, Speech.PARTY, text)


class Help(enum.IntEnum):
    """Buttons of the help gump."""

    CLOSE = 0
    WHERE = 1
    WHO = 2
    STAFF = 3


@while_playing(HelpRequest)
def help_button(session: UoSession, packet: HelpRequest) -> None:
    """Open a gump: where one is, who else is here, and a call for the staff."""
    dialogs.ask(
        session.player,
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


@while_playing(PromptAnswer)
def prompt_answer(session: UoSession, packet: PromptAnswer) -> None:
    """The words for the staff, if they were asked for."""
    asked, session.prompted = session.prompted, False
    if not asked or (packet.serial, packet.prompt) != (session.player.serial, PLEA):
        tell(session, Wish.UNASKED)
    elif packet.kind == GIVEN_UP:
        session.send(system_message(NOT_CALLED))
    else:
        with refused_in_words(session.player):
            speech.plead(session.player, packet.text.decode("utf-16-le", "replace").partition("\0")[0])
