"""The chat window: opening and closing it, and what is typed and chosen there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.refusals import refused_in_words
from protocol.uo import words as chatting
from protocol.uo.handlers.table import while_playing
from protocol.uo.handlers.talk import is_order
from protocol.uo.packets.talk import ChatAction, ChatDeed, OpenChat
from protocol.uo.session import Chat
from protocol.uo.view import TELL_HUE, system_message
from world import speech
from world.speech import notice

if TYPE_CHECKING:
    from protocol.uo.session import UoSession

ONE_CONFERENCE: Final = "There is one conference here, for everybody."
NO_MASKS: Final = "Everybody hears everybody here, under the own name."
TELL_WHAT: Final = "Type a name and what you want to say."

_MASKS: Final = frozenset(
    {
        *(ChatDeed.IGNORE, ChatDeed.STOP_IGNORING, ChatDeed.TOGGLE_IGNORING),
        *(ChatDeed.TAKE_PRIVATE, ChatDeed.REFUSE_PRIVATE, ChatDeed.TOGGLE_PRIVATE),
        *(ChatDeed.SHOW_NAME, ChatDeed.HIDE_NAME, ChatDeed.TOGGLE_NAME, ChatDeed.WHO_IS),
    }
)
"""Whom one hears, and under which name one is known."""


@while_playing(OpenChat)
def open_chat(session: UoSession, packet: OpenChat) -> None:
    """Open the window, in the conference. Everybody goes by the own name there, not by one typed here."""
    _enter(session)
    session.send(*chatting.opened(session.player.name))


def _is_order(packet: ChatAction) -> bool:
    return is_order(packet.text)


@while_playing(ChatAction, secret=_is_order)
def chat_action(session: UoSession, packet: ChatAction) -> None:
    """Say it, or do it; what this chat has not is refused in words."""
    with refused_in_words(session.player):
        match packet.action:
            case ChatDeed.MESSAGE if _is_order(packet):
                session.services.command(session, packet.text[1:])
            case ChatDeed.MESSAGE:
                _say(session, packet.text)
            case ChatDeed.EMOTE:
                _say(session, f"*{packet.text.strip('* ')}*")
            case ChatDeed.PRIVATE:
                _tell(session, packet.text)
            case ChatDeed.JOIN:
                _join(session, packet.text)
            case ChatDeed.LEAVE:
                _leave(session)
            case ChatDeed.CLOSE:
                session.chat = Chat.CLOSED
                speech.listen_to_all(session.player, True)  # as lines of the server again
                session.send(chatting.closed())
            case action:
                notice(session.player, NO_MASKS if action in _MASKS else ONE_CONFERENCE)


def _say(session: UoSession, text: str) -> None:
    """To everybody. The client shows its own words when it hears them. Raises Cannot."""
    mobile, text = session.player, speech.clean(text)
    if session.chat is not Chat.JOINED:
        session.send(chatting.outside())
    elif text:
        speech.to_all(mobile.world, text, speaker=mobile)
        session.send(chatting.said(mobile.name, text, own=True))


def _tell(session: UoSession, text: str) -> None:
    """To one player, whatever game it is played from. Raises Cannot."""
    name, words = speech.addressed(text)
    if not speech.clean(words):
        notice(session.player, TELL_WHAT)
        return
    target = speech.tell(session.player, name, words)
    session.send(system_message(f"You tell {target.name}: {speech.clean(words)}", TELL_HUE))


def _join(session: UoSession, text: str) -> None:
    """Into the conference, by its name in quotation marks or the word before a blank."""
    name = text[1:].partition('"')[0] if text.startswith('"') else text.partition(" ")[0]
    if name.casefold() != chatting.CONFERENCE.casefold():
        notice(session.player, ONE_CONFERENCE)
    elif session.chat is not Chat.JOINED:  # else it is where it wants to be: ClassicUO asks at every opening
        _enter(session)
        session.send(*chatting.joined(session.player.name))


def _leave(session: UoSession) -> None:
    """Out of the conference, with the window open: words to everybody are not heard."""
    if session.chat is not Chat.JOINED:
        session.send(chatting.outside())
        return
    session.chat = Chat.OPEN
    speech.listen_to_all(session.player, False)
    session.send(chatting.left())


def _enter(session: UoSession) -> None:
    session.chat = Chat.JOINED
    speech.listen_to_all(session.player, True)
