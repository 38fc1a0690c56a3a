"""Events between players as the web client is shown them: guilds, friends, letters and duels. They belong to
`protocol.web.view`, which has no room for them, and are registered when this module is imported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.web import acquaintances, mail
from protocol.web.view import EVENTS
from protocol.web.words import said
from protocol.wire.body import Body
from world import events

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from protocol.outgoing import Outgoing
    from protocol.web.packets.base import Message
    from protocol.web.view import WebView
    from world.events import Event


# Guilds


@EVENTS.renders(events.GuildOpened)
def guild_opened(
    view: WebView, event: events.GuildOpened, audience: Hashable, dialect: Hashable
) -> Sequence[Outgoing]:
    """`guild`: a panel beside the map with members, ties, log and what one may do."""
    return (view.guilds.told(event.sheet, opened=True),)


@EVENTS.renders(events.GuildChanged)
def guild_changed(
    view: WebView, event: events.GuildChanged, audience: Hashable, dialect: Hashable
) -> Sequence[Outgoing]:
    """`guild` for the panel, which that does not open; a line tells what has changed."""
    return (view.guilds.told(event.sheet),)


@EVENTS.renders(events.GuildMemberChanged)
def guild_member(
    view: WebView, event: events.GuildMemberChanged, audience: Hashable, dialect: Hashable
) -> Sequence[Outgoing]:
    """`guild_member` for the panel; a line tells who comes, goes and is promoted."""
    return (view.guilds.changed(event.member),)


# Friends


@EVENTS.renders(events.FriendStirred)
def friend_stirred(
    view: WebView, event: events.FriendStirred, audience: Hashable, dialect: Hashable
) -> Sequence[Outgoing]:
    """`friend` for the list, with the game, and a line of words."""
    return _body(acquaintances.friend(event)), _words(event)


@EVENTS.renders(events.FriendListed)
def friend_listed(
    view: WebView, event: events.FriendListed, audience: Hashable, dialect: Hashable
) -> Sequence[Outgoing]:
    """`friend` for the list, and a line of words."""
    return _body(acquaintances.friend(event)), _words(event)


@EVENTS.renders(events.IgnoreListed)
def ignore_listed(
    view: WebView, event: events.IgnoreListed, audience: Hashable, dialect: Hashable
) -> Sequence[Outgoing]:
    """`ignored` for the list, and a line of words."""
    return _body(acquaintances.ignored(event)), _words(event)


# Letters


@EVENTS.renders(events.MailListed)
def mail_listed(
    view: WebView, event: events.MailListed, audience: Hashable, dialect: Hashable
) -> Sequence[Outgoing]:
    """`mail`: a panel beside the map with all that waits, which that does not open."""
    return (_body(mail.listed(event, view.figures.looks)),)


EVENTS.tells(events.MailArrived)  # `MailListed` comes with it


# Duels


@EVENTS.renders(events.DuelCounted)
def duel_counted(
    view: WebView, event: events.DuelCounted, audience: Hashable, dialect: Hashable
) -> Sequence[Outgoing]:
    """`duel_count`: a line over the map, and one of words."""
    return _body(acquaintances.counted(event)), _words(event)


@EVENTS.renders(events.DuelEnded)
def duel_ended(
    view: WebView, event: events.DuelEnded, audience: Hashable, dialect: Hashable
) -> Sequence[Outgoing]:
    """`duel_over`, and a line of words."""
    return _body(acquaintances.over(event)), _words(event)


def _body(message: Message) -> Body:
    return Body(message.encode())


def _words(event: Event) -> Body:
    """The line that an event says of itself."""
    return _body(said(events.Said(None, events.Speech.SYSTEM, event.words(own=True) or "", ())))
