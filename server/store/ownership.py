"""Ownership of realms and characters, and of those that pass from one world to another.

On PostgreSQL only; the one world of SQLite has everything, and asks nothing here.

The problem: two processes must never have one character, or one realm, in memory, whatever stops, dies or is
cut off between two statements. The idea: who has what is in the rows themselves, each change of it is one
transaction behind the fence of the world that changes it, and each is a comparison with what was there: where
that has changed meanwhile, nothing happens. A lock elsewhere (in a cache, in a service of its own) was not
taken: its end and that of a transaction are two moments, and a process may be stopped between them.

Locks are taken in one order: the row of the own world, those of others, accounts, characters, transfers. A
dead world is buried before anything of it is touched, so that two that find it dead wait for each other and
not in a ring. All times are the database's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from sqlalchemy import bindparam, func, literal, select, text, update
from sqlalchemy.dialects import postgresql

from server.store.claiming import ADDRESS, LOCK, MINE, ON_THE_WAY, OURS, RETURN, SERIALS, Claiming
from server.store.errors import CharacterElsewhere, RealmHeld
from server.store.fence import ENDED, HOME, SILENT, bury
from server.store.records import WorldRow
from server.store.rows import FOLLOWING
from server.store.tables import account, character, item, parcel, realm_owner, records, transfer, world
from world.serials import FIRST_ITEM

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from sqlalchemy import Connection, Select

    from server.store.records import Batch, TransferRow


class Ownership(Claiming):
    """Claims, and what is given up."""

    neighbours: int = 0
    """Other living worlds, at the last beat."""

    @property
    def home(self) -> bool:
        """Whether this is the home world, which has guilds and parties."""
        return self.fence.world == HOME

    @property
    def only_realms(self) -> frozenset[str] | None:
        """The realms that this world has, if others have some; None: all."""
        return None if self.realms is None or self.realms >= self._known else self.realms

    # Worlds

    def worlds(self) -> list[WorldRow]:
        """All worlds there have been, by id; on PostgreSQL only. A guest may ask."""
        with self.read() as connection:
            return [WorldRow._make(row) for row in connection.execute(_WORLDS)]

    def announce(self, address: str) -> None:
        """Say where edges find this world from now on; on PostgreSQL only."""
        if self.epoch is None:
            return
        with self.write() as connection:
            mine = update(world).where(world.c.id == self.fence.world)
            connection.execute(mine.values(address=address))

    # Realms

    def claim_realms(self, known: Collection[str], wanted: Collection[str] = ()) -> frozenset[str]:
        """Make the realms of `wanted` this world's, or without any all of `known` that no other living world
        has. What dead worlds have passes over, and what was sent to them. Returns those that are this
        world's now.

        Raises RealmHeld if a living world has one of `wanted`.
        """
        if self.epoch is None:
            return frozenset(known)
        asked = sorted(wanted or known)
        mine = self.fence.world
        with self.write() as connection:
            for other in sorted(set(_owners(connection, asked).values()) - {mine}):
                bury(connection, other)
            connection.execute(_TAKE_PARCELS, {"mine": mine})
            for realm in asked:
                connection.execute(_TAKE_REALM, {"realm": realm, "mine": mine})
            owners = _owners(connection, asked)
            for realm in asked if wanted else ():
                if owners[realm] != mine:
                    place = connection.scalar(ADDRESS, {"other": owners[realm]})
                    raise RealmHeld(realm, owners[realm], place)
        self._known = frozenset(known)
        self.realms = frozenset(realm for realm, owner in owners.items() if owner == mine)
        return self.realms

    def realm_owners(self) -> dict[str, int]:
        """Living worlds by their realms, this one among them; none where there is only one world."""
        if self.epoch is None:
            return {}
        alive = {row.id for row in self.worlds() if row.alive}
        with self.read() as connection:
            rows = connection.execute(select(realm_owner)).all()
        return {row.realm: row.world for row in rows if row.world in alive}

    def give_realm(self, realm: str, to: int) -> bool:
        """Give a realm of this world, all of which is written, to another living world. False, with nothing
        done, if that one does not live, or it is not this world's."""
        with self.write() as connection:
            given = connection.execute(_GIVE_REALM, {"which": realm, "mine": self.fence.world, "to": to})
            done = bool(given.rowcount)
        if done and self.realms is not None:
            self.realms -= {realm}
        return done

    def inherit(self, realms: Collection[str]) -> frozenset[str]:
        """Make those of these realms this world's that no living world has; returns which."""
        before = self.realms or frozenset()
        with self.write() as connection:
            for other in sorted(set(_owners(connection, realms).values()) - {self.fence.world}):
                bury(connection, other)
            for realm in sorted(realms):
                connection.execute(_TAKE_REALM, {"realm": realm, "mine": self.fence.world})
            owners = _owners(connection, realms)
        return frozenset(realm for realm, owner in owners.items() if owner == self.fence.world) - before

    def has_now(self, realms: Collection[str]) -> None:
        """Note that these realms are this world's by now."""
        self.realms = (self.realms or frozenset()) | frozenset(realms)

    # Accounts

    def raise_session(self, account_id: int) -> int:
        """Begin a new session of an account: the number of it. Who has an older one may claim nothing more.
        Raises LookupError if there is no such account."""
        with self.write() as connection:
            raised = connection.execute(_RAISE_SESSION, {"which": account_id}).scalar()
        if raised is None:
            raise LookupError(f"there is no account {account_id}")
        return int(raised)

    # Characters

    def release(self, serial: int) -> bool:
        """Give a character up, all of which is written; False if it was not this world's. Usually that
        happens in the batch of its last rows (`Batch.left`)."""
        with self.write() as connection:
            return _give_up(connection, [serial], self.fence.world) == 1

    # Characters on their way from one world to another; one is sent with the batch of its last rows

    def accept(self, transfer_id: str) -> int | None:
        """Take a character in that was sent here: its serial, also if it was accepted before and is still
        this world's, for whoever did not hear the answer. None if that was settled in another way, or
        somebody else has it by now: `claim_all` then tells who."""
        with self.write() as connection:
            serial, owner = self._locked(connection, transfer_id)
            if owner != self.fence.world:
                return None
            which = {"which": transfer_id, "mine": owner}
            connection.execute(_ARRIVE, which)
            return serial if connection.scalar(_ARRIVED, which) else None

    def take_back(self, transfer_id: str) -> bool:
        """Have a character again that was sent away and has not arrived; True also if it was taken back
        before and is still this world's. False if that was settled in another way, or somebody else has it
        by now."""
        with self.write() as connection:
            serial, owner = self._locked(connection, transfer_id)
            which = {"which": transfer_id, "mine": self.fence.world}
            if connection.execute(_TAKE_BACK, {**which, "owner": owner}).rowcount:
                connection.execute(RETURN, {"who": serial, "mine": self.fence.world})
                return True
            return owner == self.fence.world and bool(connection.scalar(_TAKEN_BACK, which))

    # Within

    def _locked(self, connection: Connection, transfer_id: str) -> tuple[int | None, int | None]:
        """Lock the character of a transfer, so that one of two who want to settle it comes first. Returns its
        serial, and the world that has it."""
        serial = connection.scalar(_TRAVELLER, {"which": transfer_id})
        return serial, None if serial is None else connection.scalar(LOCK, {"who": serial})

    def _ours(self, batch: Batch) -> Batch:
        """The batch, in whose transaction this is, without notes about characters of other worlds: players
        write those before they enter. Raises CharacterElsewhere if other rows of it are of a character that
        is not this world's, or take something from one."""
        holders = {row.parent for row in batch.items if row.parent is not None and row.parent < FIRST_ITEM}
        concerned = {row.serial for row in batch.characters} | holders
        if self.neighbours and (batch.items or batch.deleted):
            concerned |= _holders_now(self._connection, batch)
        concerned |= _followed(self._connection, batch)
        asked = {"serials": sorted(concerned), "mine": self.fence.world}
        strange = self._connection.scalars(_STRANGE, asked).all() if concerned else ()
        if strange:
            raise CharacterElsewhere(sorted(strange))
        if not batch.notes:
            return batch
        asked["serials"] = sorted({note.character for note in batch.notes})
        others = set(self._connection.scalars(_OTHERS, asked))
        return batch._replace(notes=[note for note in batch.notes if note.character not in others])

    def _let_go(self, connection: Connection, batch: Batch) -> None:
        """After its rows: what the batch gives up, and whom it sends away. Raises CharacterElsewhere."""
        _give_up(connection, batch.left, self.fence.world)
        for row in batch.transfers:
            self._send(connection, row)

    def _send(self, connection: Connection, row: TransferRow) -> None:
        sent = {"who": row.character, "mine": self.fence.world, "other": row.to_world}
        if not connection.execute(_SEND, sent).rowcount:
            raise CharacterElsewhere([row.character])
        connection.execute(_FORGET_OLDER, {"who": row.character})
        values = {"id": row.id, "character": row.character, "to_world": row.to_world}
        connection.execute(_NOTE_TRANSFER, {**values, "from_world": self.fence.world, "state": "sent"})


def _owners(connection: Connection, realms: Iterable[str]) -> dict[str, int]:
    rows = connection.execute(select(realm_owner).where(realm_owner.c.realm.in_(list(realms))))
    return {row.realm: row.world for row in rows}


def _give_up(connection: Connection, serials: Iterable[int], mine: int) -> int:
    found = {"serials": list(serials), "mine": mine}
    if not found["serials"]:
        return 0
    given = connection.execute(_GIVE_UP, found).rowcount
    connection.execute(_NEVER_CAME, found)
    return given


def _holders_now(connection: Connection, batch: Batch) -> set[int]:
    """The mobiles that have, as it is stored, the items of a batch or the containers these go into."""
    serials = {row.serial for row in batch.items} | {*batch.deleted}
    serials |= {row.parent for row in batch.items if row.parent is not None}
    return set(connection.scalars(_HOLDERS, {"serials": sorted(serials)}))


def _followed(connection: Connection, batch: Batch) -> set[int]:
    """Those with whom the records of a batch go, as it is stored; and as it is to be, but for what
    may be sent to others."""
    found: set[int] = set()
    for name, kind in FOLLOWING.items():
        rows = [row.values for row in batch.records if row.table == name]
        numbers = {cast("int", values[-1]) for values in rows}
        numbers |= {number for table, number in batch.ended if table == name}
        if numbers:
            found.update(connection.scalars(_FOLLOWED[name], {"serials": sorted(numbers)}))
        if not kind.sent:
            found.update(cast("int", values[kind.place]) for values in rows)
    return found


_WORLDS: Final = select(world.c.id, world.c.address, text(f"NOT ({SILENT})"), text(ENDED)).order_by(
    world.c.id
)
_TAKE_REALM: Final = (
    postgresql.insert(realm_owner)
    .values(realm=bindparam("realm"), world=MINE)
    .on_conflict_do_nothing(index_elements=["realm"])
)
_GIVE_REALM: Final = (
    update(realm_owner)
    .where(
        realm_owner.c.realm == bindparam("which"),
        realm_owner.c.world == MINE,
        select(world.c.id).where(world.c.id == bindparam("to"), text(f"NOT ({SILENT})")).exists(),
    )
    .values(world=bindparam("to"))
)
_TAKE_PARCELS: Final = (
    update(parcel)
    .where(
        parcel.c.taken_at.is_(None),
        parcel.c.to_world != MINE,
        # Dead, and given up by whoever noticed: nobody takes them there any more.
        parcel.c.to_world.in_(select(world.c.id).where(text(SILENT))),
        parcel.c.to_world.not_in(select(realm_owner.c.world)),
    )
    .values(to_world=MINE)
)
_RAISE_SESSION: Final = (
    update(account)
    .where(account.c.id == bindparam("which"))
    .values(session_epoch=account.c.session_epoch + 1)
    .returning(account.c.session_epoch)
)
_GIVE_UP: Final = (
    update(character)
    .where(character.c.serial == func.any(SERIALS), character.c.world == MINE)
    .values(world=None)
)
# A way that nobody settles any more must not be taken for that of a later day.
_NEVER_CAME: Final = (
    update(transfer)
    .where(
        transfer.c.character == func.any(SERIALS),
        transfer.c.to_world == MINE,
        transfer.c.state == literal("sent"),
    )
    .values(state="lost", at=func.now())
)
_STRANGE: Final = select(character.c.serial).where(
    character.c.serial == func.any(SERIALS), character.c.world.is_distinct_from(MINE)
)
_FOLLOWED: Final = {
    name: select(kind.owner).where(records[name].c.number == func.any(SERIALS))
    for name, kind in FOLLOWING.items()
}
_OTHERS: Final = select(character.c.serial).where(character.c.serial == func.any(SERIALS), ~OURS)
_SEND: Final = (
    update(character)
    .where(character.c.serial == bindparam("who"), character.c.world == MINE)
    .values(world=bindparam("other"))
)
_FORGET_OLDER: Final = (
    update(transfer)
    .where(transfer.c.character == bindparam("who"), transfer.c.state == literal("sent"))
    .values(state="lost", at=func.now())
)
_NOTE_TRANSFER: Final = transfer.insert().values(
    id=bindparam("id"),
    character=bindparam("character"),
    from_world=bindparam("from_world"),
    to_world=bindparam("to_world"),
    state=bindparam("state"),
    at=func.now(),
)
_TRAVELLER: Final = select(transfer.c.character).where(transfer.c.id == bindparam("which"))
_ARRIVE: Final = (
    update(transfer)
    .where(transfer.c.id == bindparam("which"), transfer.c.to_world == MINE, ON_THE_WAY)
    .values(state="arrived", at=func.now())
)
_TAKE_BACK: Final = (
    update(transfer)
    .where(
        transfer.c.id == bindparam("which"),
        transfer.c.from_world == MINE,
        transfer.c.to_world == bindparam("owner"),
        ON_THE_WAY,
    )
    .values(state="taken back", at=func.now())
)
_ARRIVED: Final = select(transfer.c.id).where(
    transfer.c.id == bindparam("which"), transfer.c.to_world == MINE, transfer.c.state == literal("arrived")
)
_TAKEN_BACK: Final = select(transfer.c.id).where(
    transfer.c.id == bindparam("which"),
    transfer.c.from_world == MINE,
    transfer.c.state == literal("taken back"),
)


def _upwards() -> Select[tuple[int | None]]:
    """From items, by their serials, up to whoever has them."""
    up = select(item.c.parent.label("at")).where(item.c.serial == func.any(SERIALS)).cte("up", recursive=True)
    up = up.union(select(item.c.parent).join(up, item.c.serial == up.c.at))
    return select(up.c.at).where(up.c.at < FIRST_ITEM)


_HOLDERS: Final = _upwards()
