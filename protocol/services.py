"""Services of the server for handlers. The server implements these protocols; games see no more of it.

Most calls take the session, because limits, rights and the order of inputs are per client. Calls that wait
(the database, a password's hash, the next turn) are `async` and for handlers that run in the client's own
task; the others return at once. A refusal is an exception (`protocol.denials.Denied`), so that a handler
reads as the story of a success, and each game turns it into its own word in one place.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol, TypeVar

import attrs

from protocol.denials import Denial as Denial
from protocol.denials import Denied as Denied

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping, Sequence

    from protocol.session import Session
    from world.content import Content
    from world.mobile import Mobile
    from world.world import World

T = TypeVar("T")

NOTE_LIMIT: Final = 65536
"""Bytes of UTF-8 in one note about a character."""


@attrs.frozen
class AccountInfo:
    """An account as its owner's client may know it."""

    id: int
    name: str
    access: int = 0
    mark: str = attrs.field(default="", eq=False, repr=False)
    """Of the password that was proven for it, in a word that only the server understands; empty if none was.
    It goes wherever the account goes, so that another password finds whoever came with the old one."""


@attrs.frozen
class CharacterInfo:
    """One line of a character list, as the store knows it. `worn` is item template key by layer."""

    character: Mobile
    """The character as it is stored, to be read only: it stands nowhere, wears nothing and nobody hears of
    what would be changed about it."""
    worn: Mapping[int, str]
    access: int = 0
    deleted_in: float | None = None
    """Seconds until it is gone for good, above 0; None if it does not await deletion."""

    @property
    def serial(self) -> int:
        """Its number."""
        return self.character.serial

    @property
    def name(self) -> str:
        """Its name."""
        return self.character.name

    @property
    def realm(self) -> str:
        """The key of the realm where it stands; empty if there is no such realm."""
        realm = self.character.realm
        return "" if realm is None else realm.name


@attrs.frozen
class NewCharacter:
    """Choices of a client for a new character; the server checks them and adds the rest. Ranges as in
    `world.mobile.Mobile`."""

    name: str
    female: bool
    hair: int
    hair_hue: int
    skin_hue: int
    beard: int = 0
    shirt_hue: int = 0
    pants_hue: int = 0
    strength: int = 10
    dexterity: int = 10
    intelligence: int = 10
    skills: Mapping[str, float] = attrs.field(factory=dict)
    """By name, in points (`world.skills`)."""


@attrs.frozen
class Ticket:
    """A login that continues on another connection: random key, single use, short-lived."""

    account: AccountInfo
    game: str
    notes: Mapping[str, object] = attrs.field(factory=dict)
    """What the first connection learnt (client version and the like)."""


class Accounts(Protocol):
    """Names and passwords, with one limiter for every door."""

    async def login(self, session: Session, name: str, password: str) -> AccountInfo:
        """Check a name and password, and return the account. Takes equally long whether or not the name
        exists. Raises Denied."""

    async def register(self, session: Session, name: str, password: str) -> AccountInfo:
        """Make a new account, where the configuration lets this client make one. Raises Denied."""

    async def may_register(self, session: Session, name: str) -> None:
        """Check that `register` would take this name. Raises Denied if it would not."""

    async def change_password(self, session: Session, name: str, old: str, new: str) -> AccountInfo:
        """Replace an account's password; `old` has to be the present one. Return the account, with the new
        one. Raises Denied."""

    def kept_out(self, session: Session) -> float:
        """Seconds for which nobody may log in from this client's address, because it failed too often."""

    def player(self, account: AccountInfo) -> Session | None:
        """The session that plays the account now, at whatever door; None if there is none."""

    async def claim(self, session: Session, account: AccountInfo) -> None:
        """Make this session the one that plays the account; another one that did ends as REPLACED, in
        whichever world it plays. Newest wins. Raises Denied if the database fails."""


class Tickets(Protocol):
    """Logins on their way from one door to the next."""

    def issue(
        self,
        session: Session,
        password: str,
        notes: Mapping[str, object],
        *,
        name: str | None = None,
        seconds: float | None = None,
        size: int = 4,
    ) -> bytes:
        """Make a fresh key of `size` bytes for the session's account. Its first four are never all zero and
        never start with 0xEF. `name` is the client's name at the other door, if that is not the account's
        name; `seconds` is the time for which the key opens it, if that is not the usual one."""

    @property
    def shared(self) -> bool:
        """Whether the other door may be another world's."""

    async def share(self, key: bytes) -> None:
        """Have all doors know a key, whichever world they belong to: to be awaited before its client hears of
        it. Its notes go along if JSON can say them. With one world that is so already. Raises Denied if the
        database fails."""

    def peek(self, key: bytes, game: str) -> Ticket | None:
        """Return what `redeem` would find, without using it up and without proof; for the codec's dialect
        only."""

    def revoke(self, account_id: int) -> None:
        """Make void all tickets of an account: their clients have to log in anew."""

    async def redeem(self, session: Session, key: bytes, name: str, password: str) -> Ticket:
        """Return the ticket of that key, and use it up. Raises Denied for unknown, used, expired, foreign or
        unproven ones, and if the database fails."""


class Characters(Protocol):
    """An account's characters: the same list in every game."""

    async def all(self, account: AccountInfo, *, doomed: bool = False) -> Sequence[CharacterInfo]:
        """List them in creation order; those that await deletion only with `doomed`."""

    async def create(self, session: Session, wish: NewCharacter) -> CharacterInfo:
        """Make a new one, durable when this returns. Raises Denied."""

    async def delete(self, session: Session, serial: int) -> None:
        """Delete one for good, durable when this returns. Raises Denied."""

    async def schedule_deletion(self, session: Session, serial: int, seconds: float) -> None:
        """Delete one of the session's account in so many seconds; asked again, that time counts instead.

        Until then nobody enters with it, only lists of the doomed show it, and it counts for the limit of the
        account. Durable when this returns. Raises Denied.
        """

    async def restore(self, session: Session, serial: int) -> None:
        """Take one of the session's account out of deletion. Durable when this returns. Raises Denied, also
        if it is too late."""

    async def note(self, session: Session, serial: int, game: str, key: str) -> str | None:
        """Return the text that `keep` was given last, or None. Raises Denied if that is no character of the
        session's account."""

    async def keep(self, session: Session, serial: int, game: str, key: str, text: str) -> None:
        """Remember a text of at most `NOTE_LIMIT` bytes (UTF-8) about a character for one game: what its
        client wants to find again and no other game knows of. It is as durable as what happens in the world,
        and gone with the character. Raises Denied."""

    async def enter(self, session: Session, serial: int, welcome: Callable[[Mobile], None]) -> None:
        """Bring a character of the session's account into the world for this session.

        `welcome` runs in the world task when the character stands in its realm, before anything else is
        queued for this client. A character that is still there (lingering, or played elsewhere) moves over as
        it is. Raises Denied.
        """

    def leave(self, session: Session) -> None:
        """Take the session's character out of the world at once, while its client goes on: for handlers of
        packets in the world. The next session that enters with it gets it as it left."""


class Services(Protocol):
    """Everything of the server that handlers reach."""

    @property
    def accounts(self) -> Accounts: ...
    @property
    def tickets(self) -> Tickets: ...
    @property
    def characters(self) -> Characters: ...
    @property
    def world(self) -> World: ...
    @property
    def content(self) -> Content: ...
    @property
    def server_name(self) -> str: ...
    @property
    def closed(self) -> str:
        """Reason why nobody may log in now; empty if they may."""
        ...

    @property
    def character_limit(self) -> int:
        """Characters per account."""
        ...

    def background(self, game: str) -> object:
        """The background service of a game that has one, as its record made it
        (`protocol.game.Game.background`); only that game's handlers cast it to its class. Raises KeyError for
        any other game."""

    def entropy(self, size: int) -> bytes:
        """Random bytes."""

    def relay_address(self, session: Session, door: str | None = None) -> tuple[str, int]:
        """IPv4 address and port to send this client on to: `advertise`, or the ones it connected to. With
        `door` it is another door of the same listener."""

    def command(self, session: Session, line: str) -> None:
        """Run a staff command for this session's mobile; answers go to it as system messages."""

    def online(self) -> Sequence[Mobile]:
        """Characters that clients play now."""

    async def in_world(self, session: Session | None, call: Callable[[World], T]) -> T:
        """Run `call` as one input of the next turn, at the session's place in the order, and return its
        result."""

    async def offload(self, call: Callable[[], T]) -> T:
        """Run a slow calculation beside the event loop, in the turn of those who came before, and return its
        result. `call` may touch nothing that others change. Raises Denied(BUSY) if too many wait, and the
        exceptions of `call`."""

    async def durable(self) -> None:
        """Wait until everything that has happened so far is committed."""

    def start(self, job: Callable[[], Awaitable[None]]) -> None:
        """Run a job that outlives the client."""
