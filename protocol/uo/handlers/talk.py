"""Talking, gestures, commands of the client's menus, and the chat window.

Speech comes by three packets, and each of them asks first whether it is an order to the server (`is_order`);
what is none goes to one call of `world.speech`. How words are shown, the speaker's own among them, is the
view's matter. One packet carries many kinds of request (0x12): it has a table of its kinds, so that what
nobody knows is answered as in the table of packets. The chat window is the client's own and believes what it
was told, so that each change of it is told back.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from protocol.uo import words
from protocol.uo.handlers.table import TABLE, Kinds
from protocol.uo.packets.people import AnimateRequest
from protocol.uo.packets.status import MOST_SKILLS, USABLE_SKILLS
from protocol.uo.packets.talk import (
    ENCODED,
    AsciiSpeech,
    ChatAction,
    ChatDeed,
    OpenChat,
    SpeechKind,
    TextCommand,
    TextCommandKind,
    UnicodeSpeech,
)
from protocol.uo.session import Chat
from protocol.uo.words import TELL_HUE, system_message
from protocol.wishes import Idle, Unmet, Wish, tell
from world import doors, speech
from world.events import Speech
from world.heading import OFFSETS
from world.speech import notice
from world.voices import phrase

if TYPE_CHECKING:
    from protocol.uo.session import UoSession
    from world.elsewhere import Person
    from world.mobile import Mobile


COMMAND_PREFIXES: Final = (".", "[")
"""Signs that begin an order instead of a word, if a letter follows: Sphere's and ServUO's."""

PASSIVE_SKILL: Final = "That skill cannot be used directly."

ONE_CONFERENCE: Final = "There is one conference here, for everybody."
NO_MASKS: Final = "Everybody hears everybody here, under the own name."
TELL_WHAT: Final = "Type a name and what you want to say."

GESTURES: Final = {32: "bow", 33: "salute"}
"""Movements of people by number, as far as others see them (ServUO, Server/Mobile.cs, Animate)."""

KEYWORDS: Final = {
    0x00: "withdraw",
    0x01: "balance",
    0x02: "bank",
    0x03: "check",
    0x07: "guards",
    0x30: "news",
    0x3C: "vendor buy",
    0x14D: "vendor sell",
    0x171: "buy",
    0x177: "sell",
}
"""Numbers in the clients' speech.mul of what residents here answer (facts/uo.md, 0xAD)."""

_UNKNOWN: Final = "ENU"
"""The language of words whose client does not name one."""

_COMPANIES: Final = {SpeechKind.GUILD: Speech.GUILD, SpeechKind.ALLIANCE: Speech.ALLIANCE}

_WAYS: Final = {
    SpeechKind.EMOTE: Speech.EMOTE,
    SpeechKind.WHISPER: Speech.WHISPER,
    SpeechKind.YELL: Speech.YELL,
}

_MASKS: Final = frozenset(
    {
        *(ChatDeed.IGNORE, ChatDeed.STOP_IGNORING, ChatDeed.TOGGLE_IGNORING),
        *(ChatDeed.TAKE_PRIVATE, ChatDeed.REFUSE_PRIVATE, ChatDeed.TOGGLE_PRIVATE),
        *(ChatDeed.SHOW_NAME, ChatDeed.HIDE_NAME, ChatDeed.TOGGLE_NAME, ChatDeed.WHO_IS),
    }
)
"""Deeds about whom one hears, and under which name one is known."""


def is_order(packet: AsciiSpeech | UnicodeSpeech | ChatAction) -> bool:
    """Whether what was typed is an order to the server."""
    return packet.text.startswith(COMMAND_PREFIXES) and packet.text[1:2].isalpha()


# An order may hold a password (and is mistyped with one in it), so no log shows any.
@TABLE.while_playing(AsciiSpeech, secret=is_order)
def ascii_speech(session: UoSession, mobile: Mobile, packet: AsciiSpeech) -> None:
    """Say something."""
    if is_order(packet):
        session.services.command(session, packet.text[1:])
    else:
        _say(session, mobile, packet.kind, packet.text, packet.hue, _UNKNOWN)


@TABLE.while_playing(UnicodeSpeech, secret=is_order)
def unicode_speech(session: UoSession, mobile: Mobile, packet: UnicodeSpeech) -> None:
    """Say something. Residents look at the words; of keywords that the client found in another language they
    hear those."""
    if is_order(packet):
        session.services.command(session, packet.text[1:])
    else:
        meant = " ".join(KEYWORDS[number] for number in packet.keywords if number in KEYWORDS)
        _say(session, mobile, packet.kind & ~ENCODED, packet.text, packet.hue, packet.language, meant)


def _say(
    session: UoSession, mobile: Mobile, kind: int, text: str, hue: int, language: str, meant: str = ""
) -> None:
    session.selling = " sell " in phrase(f"{text} {meant}")
    how = _WAYS.get(kind, Speech.SAY)
    if how is Speech.EMOTE:
        text = text.strip("* ")  # the client adds asterisks, and so do the views
    if not (language.isascii() and language.isalpha()):
        language = _UNKNOWN
    # The font is not passed on: the clients of the others look it up in a table, unchecked.
    if kind in _COMPANIES:
        speech.to_company(mobile, _COMPANIES[kind], text, hue=hue)
    else:
        speech.say(mobile, text, how, hue=hue, language=language, meant=meant)


@TABLE.while_playing(AnimateRequest)
def animate(session: UoSession, mobile: Mobile, packet: AnimateRequest) -> None:
    """Bow and salute."""
    speech.gesture(mobile, GESTURES.get(packet.action, ""))


# --- commands of the client's menus and macros ---


COMMANDS: Final[Kinds[TextCommand]] = Kinds("0x12", Wish.UNKNOWN)
"""Kinds of 0x12."""

for _kind, _name, _wish in (
    (TextCommandKind.CAST_FROM_BOOK, "CastFromBook", Wish.CASTING),
    (TextCommandKind.OLD_SCROLL, "OldScroll", Wish.CASTING),
    (TextCommandKind.OPEN_SPELLBOOK, "OpenSpellbook", Wish.CASTING),
    (TextCommandKind.CAST, "CastByMacro", Wish.CASTING),
    (TextCommandKind.VIRTUE, "InvokeVirtue", Wish.VIRTUES),
):
    COMMANDS.answer(_kind, _name, Unmet(_wish))
COMMANDS.answer(TextCommandKind.GO, "Go", Idle("only the program of the game's own staff sends it"))


@TABLE.while_playing(TextCommand)
def text_command(session: UoSession, mobile: Mobile, packet: TextCommand) -> None:
    """A command of the client's menus and macros."""
    COMMANDS.handle(session, mobile, packet.kind, packet)


@COMMANDS.on(TextCommandKind.ANIMATE, "Animate")
def _animate(session: UoSession, mobile: Mobile, packet: TextCommand) -> None:
    """Bow and salute."""
    speech.gesture(mobile, packet.text.strip().lower())


@COMMANDS.on(TextCommandKind.USE_SKILL, "UseSkill")
def _use_skill(session: UoSession, mobile: Mobile, packet: TextCommand) -> None:
    """Every skill is answered: there is none that does something by itself yet."""
    number = packet.text.partition(" ")[0]
    if number.isdecimal() and int(number) < MOST_SKILLS and int(number) not in USABLE_SKILLS:
        session.send(system_message(PASSIVE_SKILL))
    else:
        tell(session, Wish.SKILL)


@COMMANDS.on(TextCommandKind.OPEN_DOOR, "OpenDoor")
def _open_door(session: UoSession, mobile: Mobile, packet: TextCommand) -> None:
    """Open the door before which one stands, as far as doors are more than pictures."""
    dx, dy = OFFSETS[mobile.heading]
    doors.open_one(mobile, [(mobile.x + dx, mobile.y + dy)])


# --- the chat window ---


@TABLE.while_playing(OpenChat)
def open_chat(session: UoSession, mobile: Mobile, packet: OpenChat) -> None:
    """Open the window, in the conference. Everybody goes by the own name there, not by one typed here."""
    _enter_conference(session, mobile)
    session.send(*words.window_opened(mobile.name))


@TABLE.while_playing(ChatAction, secret=is_order)
def chat_action(session: UoSession, mobile: Mobile, packet: ChatAction) -> None:
    """Say it, or do it; what this chat has not is refused in words."""
    match packet.action:
        case ChatDeed.MESSAGE if is_order(packet):
            session.services.command(session, packet.text[1:])
        case ChatDeed.MESSAGE:
            _say_to_all(session, mobile, packet.text)
        case ChatDeed.EMOTE:
            _say_to_all(session, mobile, f"*{packet.text.strip('* ')}*")
        case ChatDeed.PRIVATE:
            _tell_one(session, mobile, packet.text)
        case ChatDeed.JOIN:
            _join_conference(session, mobile, packet.text)
        case ChatDeed.LEAVE:
            _leave_conference(session, mobile)
        case ChatDeed.CLOSE:
            session.chat = Chat.CLOSED
            speech.listen_to_all(mobile, True)  # as lines of the server again
            session.send(words.window_closed())
        case action:
            notice(mobile, NO_MASKS if action in _MASKS else ONE_CONFERENCE)


def _say_to_all(session: UoSession, mobile: Mobile, text: str) -> None:
    """To everybody. The client shows its own words when it hears them. Raises Cannot."""
    text = speech.clean(text)
    if session.chat is not Chat.JOINED:
        session.send(words.outside())
    elif text:
        speech.to_all(mobile.world, text, speaker=mobile)
        session.send(words.in_window(mobile.name, text, own=True))


def _tell_one(session: UoSession, mobile: Mobile, text: str) -> None:
    """To one player, whatever game it is played from. Raises Cannot."""
    name, said = speech.addressed(text)
    if not speech.clean(said):
        notice(mobile, TELL_WHAT)
        return
    speech.tell(mobile, name, said, partial(_told, session, speech.clean(said)))


def _told(session: UoSession, text: str, hearer: Mobile | Person) -> None:
    session.send(system_message(f"You tell {hearer.name}: {text}", TELL_HUE))


def _join_conference(session: UoSession, mobile: Mobile, text: str) -> None:
    """Into the conference, by its name in quotation marks or the word before a blank."""
    name = text[1:].partition('"')[0] if text.startswith('"') else text.partition(" ")[0]
    if name.casefold() != words.CONFERENCE.casefold():
        notice(mobile, ONE_CONFERENCE)
    elif session.chat is not Chat.JOINED:  # else it is where it wants to be: ClassicUO asks at every opening
        _enter_conference(session, mobile)
        session.send(*words.joined(mobile.name))


def _leave_conference(session: UoSession, mobile: Mobile) -> None:
    """Out of the conference, with the window open: words to everybody are not heard."""
    if session.chat is not Chat.JOINED:
        session.send(words.outside())
        return
    session.chat = Chat.OPEN
    speech.listen_to_all(mobile, False)
    session.send(words.left())


def _enter_conference(session: UoSession, mobile: Mobile) -> None:
    session.chat = Chat.JOINED
    speech.listen_to_all(mobile, True)
