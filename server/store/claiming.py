"""Claims of characters that are to enter, as `server.store.ownership` has it: which of them this world may
have.

Nearly all are nobody's, and many are wanted at once when players go on after a restart: those are claimed by
a few statements for all. Each of the others is looked at by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from sqlalchemy import ARRAY, Integer, bindparam, exists, func, literal, select, text, update

from server.store.connections import Connections
from server.store.errors import Elsewhere, Outplayed
from server.store.fence import SILENT_SECONDS, bury
from server.store.tables import account, character, realm_owner, transfer, world

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sqlalchemy import BindParameter, Connection

    from server.store.records import Wish

TRIES: Final = 4
"""How often a claim begins anew because the character passed on between two statements of it."""


class Claiming(Connections):
    """Makes characters this world's."""

    realms: frozenset[str] | None = None
    """Those of this world, since `claim_realms`; None: all there are."""
    _known: frozenset[str] = frozenset()
    """All realms of the content."""

    def claim_all(self, wishes: Sequence[Wish]) -> list[bool | Elsewhere | Outplayed]:
        """Make characters this world's, before they are read: those that are nobody's, this world's already
        or on their way here, a dead world's, or that were sent to a living world and were taken in by nobody
        for `SILENT_SECONDS`. All in one transaction, and for each what came of it: False if there is no such
        character, it awaits deletion, or it is not `account_id`'s; Elsewhere if a living world has it, or the
        realm that it stands in, but for that `anywhere` will do; Outplayed if `session` is not the account's
        newest."""
        if self.epoch is None:
            return [True] * len(wishes)
        outcomes: dict[Wish, bool | Elsewhere | Outplayed] = {}
        with self.write() as connection:
            owners = connection.scalars(_WHOSE_ALL, {"serials": [wish.serial for wish in wishes]})
            for other in sorted({owner for owner in owners if owner != self.fence.world}):
                bury(connection, other)  # before any character is touched
            outcomes.update(dict.fromkeys(self._claim_free(connection, wishes), True))
            for wish in sorted(set(wishes) - outcomes.keys()):
                outcomes[wish] = self._claim(connection, *wish)
        return [outcomes[wish] for wish in wishes]

    def _claim_free(self, connection: Connection, wishes: Sequence[Wish]) -> list[Wish]:
        """Claim all at once that nobody has and nothing forbids, which is nearly all of them. Whatever the
        others lack `_claim` says."""
        mine = self.fence.world
        rows = connection.execute(_WHOSE_NOW, {"serials": [wish.serial for wish in wishes]})
        accounts = {row.serial: row.account for row in rows}
        asked = {"accounts": sorted(set(accounts.values()))}
        sessions = {row.id: row.session_epoch for row in connection.execute(_SESSIONS, asked)}
        realms = {
            row.serial: row.realm
            for row in connection.execute(_FREE, {"serials": sorted(accounts), "mine": mine})
        }
        free = [
            wish
            for wish in wishes
            if wish.serial in realms
            and wish.account_id in (None, accounts[wish.serial])
            and wish.session in (None, sessions.get(accounts[wish.serial]))
            and (wish.anywhere or self._may_have(realms[wish.serial]))
        ]
        which = {"serials": sorted({wish.serial for wish in free}), "mine": mine}
        connection.execute(_CLAIM_ALL, which)
        connection.execute(_ARRIVE_BY_CLAIM, which)
        return free

    def _may_have(self, realm: str | None) -> bool:
        """Whether who stands in a realm may be this world's, as far as that realm's own is no other."""
        return self.realms is None or realm not in self._known or realm in self.realms

    def _claim(
        self,
        connection: Connection,
        serial: int,
        account_id: int | None,
        session: int | None,
        anywhere: bool,
    ) -> bool | Elsewhere | Outplayed:
        for _ in range(TRIES):
            row = connection.execute(_WHOSE, {"who": serial}).one_or_none()
            if row is None or account_id not in (None, row.account):
                return False
            found = self._holder(connection, row.world, None if anywhere else row.realm)
            if found is not None:
                if self._stranded(connection, serial):
                    continue
                return found
            if session is not None and connection.scalar(_SESSION, {"which": row.account}) != session:
                return Outplayed(row.account)
            mine = {"who": serial, "mine": self.fence.world}
            if connection.execute(_CLAIM, mine).rowcount:
                connection.execute(_ARRIVE_BY_CLAIM, {"serials": [serial], "mine": self.fence.world})
                return True
        return Elsewhere(None, None)

    def _holder(self, connection: Connection, owner: int | None, realm: str | None) -> Elsewhere | None:
        """The living world that has a character with this owner in this realm, unless it is this one."""
        mine = self.fence.world
        if owner == mine:
            return None
        if owner is not None and not bury(connection, owner):
            return _elsewhere(connection, owner)
        if self._may_have(realm):
            return None
        keeper = connection.scalar(_KEEPER, {"realm": realm})
        if keeper is None or keeper == mine or bury(connection, keeper):
            # Whoever takes the realm over has the character, too.
            return Elsewhere(None, None)
        return _elsewhere(connection, keeper)

    def _stranded(self, connection: Connection, serial: int) -> bool:
        """Whether a character was on its way to a living world, and neither that nor the sender has settled
        it for so long that both would have; it is nobody's then."""
        if connection.scalar(LOCK, {"who": serial}) is None:
            return False
        lost = bool(connection.execute(_STRAND, {"who": serial}).rowcount)
        if lost:
            connection.execute(RETURN, {"who": serial, "mine": None})
        return lost


def _elsewhere(connection: Connection, other: int) -> Elsewhere:
    return Elsewhere(other, connection.scalar(ADDRESS, {"other": other}))


SERIALS: Final = bindparam("serials", type_=ARRAY(Integer))
MINE: Final[BindParameter[int]] = bindparam("mine")
OURS: Final = character.c.world.is_(None) | (character.c.world == MINE)
LOCK: Final = select(character.c.world).where(character.c.serial == bindparam("who")).with_for_update()
ON_THE_WAY: Final = transfer.c.state == literal("sent")
RETURN: Final = update(character).where(character.c.serial == bindparam("who")).values(world=MINE)
ADDRESS: Final = select(world.c.address).where(world.c.id == bindparam("other"))
_KEEPER: Final = select(realm_owner.c.world).where(realm_owner.c.realm == bindparam("realm"))
_SESSION: Final = (
    select(account.c.session_epoch).where(account.c.id == bindparam("which")).with_for_update(read=True)
)
_WHOSE: Final = select(character.c.world, character.c.realm, character.c.account).where(
    character.c.serial == bindparam("who"), character.c.delete_at.is_(None)
)
_WHOSE_ALL: Final = select(character.c.world).where(
    character.c.serial == func.any(SERIALS), character.c.world.is_not(None)
)
_WHOSE_NOW: Final = select(character.c.serial, character.c.account).where(
    character.c.serial == func.any(SERIALS), character.c.delete_at.is_(None)
)
_SESSIONS: Final = (
    select(account.c.id, account.c.session_epoch)
    .where(account.c.id == func.any(bindparam("accounts", type_=ARRAY(Integer))))
    .order_by(account.c.id)
    .with_for_update(read=True)
)
_CLAIM_ALL: Final = update(character).where(character.c.serial == func.any(SERIALS)).values(world=MINE)
_CLAIM: Final = update(character).where(character.c.serial == bindparam("who"), OURS).values(world=MINE)
_ARRIVE_BY_CLAIM: Final = (
    update(transfer)
    .where(transfer.c.character == func.any(SERIALS), transfer.c.to_world == MINE, ON_THE_WAY)
    .values(state="claimed", at=func.now())
)
_STRAND: Final = (
    update(transfer)
    .where(
        transfer.c.character == bindparam("who"),
        ON_THE_WAY,
        transfer.c.at < text(f"clock_timestamp() - interval '{SILENT_SECONDS} seconds'"),
        # Else it is of an earlier way of it.
        exists().where(character.c.serial == transfer.c.character, character.c.world == transfer.c.to_world),
    )
    .values(state="lost", at=func.now())
)
# In order, as all lock them, so that two worlds which want the same ones do not wait for each other.
_FREE: Final = (
    select(character.c.serial, character.c.realm)
    .where(character.c.serial == func.any(SERIALS), OURS, character.c.delete_at.is_(None))
    .order_by(character.c.serial)
    .with_for_update()
)
