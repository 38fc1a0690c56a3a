"""Conversations, and questions in a window of their own."""

from __future__ import annotations

import attrs

from protocol.eq2.packets.base import Message, from_client, from_server


@from_server
@attrs.define
class DialogOpen(Message):
    """Somebody asks something: its words, and the answers one may give."""

    conversation: int
    title: str
    text: str
    responses: tuple[str, ...]
    spawn_id: int
    closeable: int = 1


@from_server
@attrs.define
class ChoiceWindow(Message):
    """A question with yes and no, or with a box to type into. What is chosen comes back as a command, that of
    the box with the words behind it."""

    text: str
    accept: str
    accept_command: str
    cancel: str
    cancel_command: str
    seconds: int = 0
    """Until it closes by itself; 0: never."""
    box: int = 1
    required: int = 1
    longest: int = 0


@from_server
@attrs.define
class DialogClose(Message):
    """A conversation is over."""

    conversation: int


@from_client
@attrs.define
class DialogSelect(Message):
    """An answer, by its place among those of DialogOpen."""

    conversation: int
    response: int


@from_client
@attrs.define
class DialogDismiss(Message):
    """The player closed the window of a conversation."""

    conversation: int
