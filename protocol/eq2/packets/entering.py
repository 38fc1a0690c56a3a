"""Into the world: from the login server's key to the end of the loading screen, and on to another zone.

The order in which client and server say this is that of `protocol.eq2.handlers.entering`. Much of it is sent
because a client waits for it and not because it tells anything: such messages have empty contents by default.
"""

from __future__ import annotations

from typing import ClassVar

import attrs

from protocol.eq2.packets.base import Message, Record, from_client, from_server, record


@from_client
@attrs.define
class LoginByNum(Message):
    """The account and the key that the login server gave."""

    account_id: int
    access_code: int = attrs.field(repr=False)
    version: int


@from_server
@attrs.define
class ZoneInfo(Message):
    """Load this zone: `zone` is a file the client must have. The date is the game's own; `underworld` is the
    height below which a client has fallen out of the world."""

    server: str
    server_label: str
    zone: str
    zone_description: str
    character: str
    x: float = 0.0
    y: float = 0.0
    z: float = 0.0
    expansions: int = 0xFFFFFFFF
    auction_site: str = ""
    auction_port: int = 0
    upload_page: str = ""
    upload_key: str = ""
    zone_again: str = ""
    year: int = 0
    month: int = 0
    day: int = 0
    hour: int = 0
    minute: int = 0
    second: int = 0
    underworld: float = -200.0
    flags: int = 0


@from_client
@attrs.define
class ZoneResourcesDone(Message):
    """The zone's files are loaded; its list of numbers has no known meaning."""

    resources: tuple[int, ...] | None = ()


@from_server
@attrs.define
class PlacementCriteria(Message):
    """The farthest that a house item may be placed, in each direction."""

    x: float = 9999.0
    y: float = 9999.0
    z: float = 9999.0


@record
@attrs.define
class KnowledgeSlot(Record):
    """The place of a spell in the knowledge window."""

    spell_id: int
    slot: int


@from_client
@from_server
@attrs.define
class KnowledgeSlots(Message):
    """The order of the knowledge window."""

    entries: tuple[KnowledgeSlot, ...] = ()


@from_server
@attrs.define
class GameWorldTime(Message):
    """The game's date and hour."""

    year: int
    month: int
    day: int
    hour: int
    minute: int


@from_server
@attrs.define
class EntitiesSent(Message):
    """All that stands in sight has been sent."""


@from_client
@attrs.define
class EntityResourcesLoaded(Message):
    """The models of what stands in sight are loaded."""


@from_client
@from_server
@attrs.define
class UiLoaded(Message):
    """The client's windows are loaded; until the server says the same, its loading screen stays."""


@from_server
@attrs.define
class RemoteCmds(Message):
    """The commands a client may send, in the order of their numbers (RemoteCmd.index)."""

    names: tuple[str, ...]


@from_server
@attrs.define
class Motd(Message):
    """The message of the day."""

    text: str


@from_server
@attrs.define
class ZoneMotd(Message):
    """The zone's message of the day."""

    title: str
    text: str


@from_server
@attrs.define
class QuickbarInit(Message):
    """An empty quickbar."""


@from_server
@attrs.define
class MacroInit(Message):
    """No macros."""


@from_server
@attrs.define
class KnownLanguages(Message):
    """The languages the character speaks, or (`forgotten` 1) no longer speaks."""

    languages: tuple[int, ...] = ()
    forgotten: int = 0


@from_server
@attrs.define
class BioUpdate(Message):
    """The character's biography."""

    text: str = ""


@from_server
@attrs.define
class FactionUpdate(Message):
    """No factions."""


@from_server
@attrs.define
class FlightPaths(Message):
    """No flight paths."""


FRIEND, UNFRIEND, IGNORE, HEED = 0, 1, 2, 3
"""What ChatRelationships tells of its names (emagi/eq2emu: Commands.cpp): they are friends, are none
any more, are ignored, are heard again."""


@record
@attrs.define
class ChatFriend(Record):
    """A friend, or somebody ignored, and where a friend is who is there."""

    name: str
    location: str = ""


@from_server
@attrs.define
class ChatRelationships(Message):
    """Somebody belongs to the client's list of friends, or of those it hears nothing of, or not any more."""

    account_id: int
    kind: int
    names: tuple[ChatFriend, ...] = ()


@record
@attrs.define
class Title(Record):
    """A title; `prefix` 1: in front of the name."""

    text: str
    prefix: int = 0


@from_server
@attrs.define
class TitleUpdate(Message):
    """The character's titles and which of them are shown, -1 for none."""

    titles: tuple[Title, ...] = ()
    prefix: int = -1
    suffix: int = -1


@from_server
@attrs.define
class ChangeZone(Message):
    """Leave for another zone: its server and the key to it, as in PlayReply."""

    secret: ClassVar[bool] = True

    account_id: int
    access_code: int = attrs.field(repr=False)
    address: str
    port: int


@from_client
@attrs.define
class ReadyToZone(Message):
    """The client is about to leave for the other zone."""


@from_client
@attrs.define
class Camp(Message):
    """May I leave the world? `quit` 1: the game as well; `desktop` 1: right to the desktop."""

    quit: int | None = None
    desktop: int | None = None


@from_server
@attrs.define
class CampStarted(Message):
    """You leave in so many seconds."""

    seconds: int
    desktop: int = 0


@from_client
@from_server
@attrs.define
class CampAborted(Message):
    """I stay; and: you stay."""
