"""Talking, emotes, commands, the help button."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.refusals import refused_in_words
from protocol.uo.handlers.table import while_playing
from protocol.uo.packets.speech import (
    ENCODED,
    AsciiSpeech,
    HelpRequest,
    PartyDeed,
    PartyRequest,
    SpeechKind,
    TextCommand,
    TextCommandKind,
    UnicodeSpeech,
)
from protocol.uo.view import system_message
from world import speech
from world.moments import Speech
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from protocol.uo.session import UoSession

COMMAND_PREFIXES: Final = (".", "[")
"""What begins an order instead of a word, if a letter follows: Sphere's and ServUO's."""

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


@while_playing(TextCommand)
def text_command(session: UoSession, packet: TextCommand) -> None:
    """Bow and salute; the other commands of 0x12 (skills, spells, doors) mean nothing here yet."""
    if packet.kind == TextCommandKind.ANIMATE:
        with refused_in_words(session.player):
            speech.gesture(session.player, packet.text.strip().lower())


@while_playing(PartyRequest)
def party(session: UoSession, packet: PartyRequest) -> None:
    """Say something to one's party. There are no parties to join, leave or loot for yet."""
    with refused_in_words(session.player):
        if packet.kind != PartyDeed.SAY:
            raise Cannot(Refusal.NO_PARTY)
        text = packet.rest.decode("utf-16-be", "replace").partition("\0")[0]
        speech.to_company(session.player, Speech.PARTY, text)


@while_playing(HelpRequest)
def help_button(session: UoSession, packet: HelpRequest) -> None:
    """There is no queue of pages: say whom to ask."""
    session.send(system_message("Ask around: the healer, the banker and the crier know their way."))
