"""Commands, speech, lines of text and gestures."""

from __future__ import annotations

import attrs

from protocol.eq2.packets.base import Message, from_client, from_server

NOBODY = 0xFFFFFFFF
"""The spawn id of nobody."""


@from_client
@attrs.define
class RemoteCmd(Message):
    """A command: its number in RemoteCmds and what was typed behind it."""

    index: int
    arguments: str


@from_server
@attrs.define
class HearChat(Message):
    """Somebody says something. `channel`: 8 say, 9 shout, 10 emote, 12 narrative, 28 tell, 32 out of
    character; `bubble` 1: above the speaker's head."""

    from_id: int
    to_id: int
    sender: str
    recipient: str
    channel: int
    text: str
    language: int = 0
    channel_name: str = ""
    bubble: int = 1


@from_server
@attrs.define
class DisplayText(Message):
    """A line in the chat window, in the color of a channel."""

    channel: int
    text: str


@from_server
@attrs.define
class OnscreenMessage(Message):
    """Large words on the screen."""

    text: str
    kind: str = ""
    size: float = 1.0
    red: int = 255
    green: int = 255
    blue: int = 255


@from_server
@attrs.define
class CannedEmote(Message):
    """Somebody's ghost plays an animation and words say so."""

    spawn_id: int
    text: str
    animation: int = 0
