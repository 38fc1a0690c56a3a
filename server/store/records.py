"""The plain records that the store hands out and takes in, beside the rows of `world.snapshot`."""

from __future__ import annotations

import enum
from hashlib import md5
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from world.snapshot import CharacterRow, ItemRow, RecordRow


class Refusal(enum.Enum):
    """Why something was not created."""

    TAKEN = "taken"
    """The name, or one that looks like it, belongs to somebody."""
    FULL = "full"
    """The account has all the characters it may have."""


class AccountRow(NamedTuple):
    """One account. Times are seconds UTC; `banned_until` is None, a time or infinity."""

    id: int
    name: str
    password: str
    access: int
    created_at: float
    banned_until: float | None
    ban_reason: str
    last_login: float | None
    last_address: str


class Seen(NamedTuple):
    """The part of an account that a world knows whose clients are logged in to it."""

    account: int
    login: int
    """The number of the login by which it is played there, or `NOT_PLAYED`."""
    mark: str
    """See `mark_of`; empty if that is not known."""
    access: int | None = None
    """The level that its client has; None while that logs in."""


NOT_PLAYED: Final = 2**63 - 1
"""In place of a login's number: none is newer."""


class Standing(NamedTuple):
    """An account as it is by now."""

    account: int
    removed: bool
    login: int
    """The number of its newest login."""
    mark: str
    banned: bool
    reason: str
    """Of the ban."""
    access: int = 0


def mark_of(password: str) -> str:
    """A mark that tells a stored hash of a password from another, and nothing about either. The database
    computes the same."""
    return md5(password.encode(), usedforsecurity=False).hexdigest()


class CharacterSummary(NamedTuple):
    """One line of a character list: the character and what it wears."""

    row: CharacterRow
    delete_at: float | None
    """When it will be deleted (seconds UTC), or None."""
    worn: Sequence[ItemRow]


class NoteRow(NamedTuple):
    """A text that one game's client wants to find again about a character; the first three fields are its
    key."""

    character: int
    game: str
    key: str
    text: str


class ExpiredCharacter(NamedTuple):
    """A character whose time was over, and the name of the account that had it."""

    serial: int
    name: str
    account: str


class AuditRow(NamedTuple):
    """Something that must be explainable later. `at` is seconds UTC."""

    at: float
    tick: int
    who: str
    what: str
    detail: str


class OrderRow(NamedTuple):
    """An order to the running server, waiting in the table `admin_order`.

    `command` should be text and `created_at` seconds UTC, but other programs write these rows.
    """

    id: int
    command: object
    created_at: object


class WorldRow(NamedTuple):
    """One of the worlds of a database."""

    id: int
    address: str | None
    """Where edges find it, if they do."""
    alive: bool
    ended: bool
    """Whether it has ended in order, and so given up all it had."""


class RollRow(NamedTuple):
    """One of the worlds of a database, and what it has."""

    id: int
    address: str | None
    """Where edges find it, if they do."""
    alive: bool
    realms: tuple[str, ...]
    characters: int
    """In its memory, online or lingering."""


class TransferRow(NamedTuple):
    """A character that passes to another world with the batch that this is in. `id` is whatever its sender
    likes, and new."""

    id: str
    character: int
    to_world: int


class Wish(NamedTuple):
    """A character that somebody wants: see `server.store.ownership.Ownership.claim_all`."""

    serial: int
    account_id: int | None = None
    session: int | None = None
    anywhere: bool = False


class ParcelRow(NamedTuple):
    """Things that one world sends another; `content` is between the two. `id` is whatever the sender likes,
    and the same if it is sent again."""

    id: str
    to_world: int
    content: str


class Copies(NamedTuple):
    """The guilds or the parties in one edition, for worlds that have copies of them."""

    edition: int
    rows: list[RecordRow]
    gold: Mapping[int, int]
    """What lies in the banks of guilds, by the guild's number."""


class TokenRow(NamedTuple):
    """A login that came from another door. `address` is that of the client there."""

    account: int
    game: str
    notes: Mapping[str, object]
    address: str


class Meta(NamedTuple):
    """The stamp of a world, and what all worlds of a database have in common."""

    tick: int
    wall: float
    clean: bool
    """Whether the last server that wrote here stopped in good order."""
    mobile_mark: int
    item_mark: int
    """Serials from here on are nobody's yet."""
    gold: int
    """All gold there is, in all worlds."""


class Reservation(NamedTuple):
    """Serials that one world may use now: from `mobile_first` and `item_first` up to, not including, the
    marks."""

    mobile_first: int
    mobile_mark: int
    item_first: int
    item_mark: int

    @property
    def mobiles(self) -> tuple[int, int]:
        """Those for mobiles, as a block of `world.serials`."""
        return self.mobile_first, self.mobile_mark

    @property
    def items(self) -> tuple[int, int]:
        """Those for items."""
        return self.item_first, self.item_mark


class Batch(NamedTuple):
    """All changes up to the end of tick `tick`: one transaction."""

    tick: int
    wall: float
    characters: Sequence[CharacterRow]
    items: Sequence[ItemRow]
    deleted: Sequence[int]
    """Serials of items that ceased to exist."""
    wanted: tuple[int, int] | None
    """How many more serials to reserve (mobiles, items)."""
    audit: Sequence[AuditRow]
    notes: Sequence[NoteRow] = ()
    """At most one of each character, game and key."""
    records: Sequence[RecordRow] = ()
    ended: Sequence[tuple[str, int]] = ()
    """Records that ceased to exist, by table and number."""
    left: Sequence[int] = ()
    """Characters that are nobody's afterwards; this and what follows on PostgreSQL only."""
    transfers: Sequence[TransferRow] = ()
    """Characters that are another world's afterwards."""
    sent: Sequence[ParcelRow] = ()
    taken: Sequence[str] = ()
    """Parcels that arrive with this batch, by id."""
