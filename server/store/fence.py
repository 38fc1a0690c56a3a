"""The fence around a world: it stops a server that was thought dead and goes on writing.

A lock of PostgreSQL ends with its connection and does not tell who holds it next, so that a lock alone lets
two servers write. Taking a world over adds one to `world.epoch` instead, and every transaction of a world
server begins by looking for the epoch that it took. SQLite has the lock of a file for that
(`server.store.lock`).

A database of PostgreSQL has as many worlds as have ever been started in it, each a row. Whoever raises the
epoch of another one makes that one dead (`bury`): its server writes nothing more, and what it had is
nobody's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from sqlalchemy import bindparam, delete, func, insert, literal, select, text, update
from sqlalchemy.dialects import postgresql

from server.store.errors import WorldLost
from server.store.tables import character, meta, realm_owner, transfer, world

if TYPE_CHECKING:
    from sqlalchemy import Connection

HOME: Final = 1
"""The id of the home world: the only one of SQLite, and the one that has guilds and parties."""

SILENT_SECONDS: Final = 5
"""Without a beat for so long, by the database's time, a world counts as dead, and others may take it over."""


class Fence:
    """One process's claim to a world of a database."""

    def __init__(self, world: int = HOME) -> None:
        self.world = world
        """The id of the world."""
        self.epoch: int | None = None
        """Under which this process has the world; None of guests, and where a file lock keeps others out."""
        self._lost = False

    def take_over(self, connection: Connection) -> None:
        """Make the world this process's: whoever had it before writes nothing more. A world that was not
        there before begins. Nothing is in its memory yet: what its last process had is nobody's, and where
        edges found that is forgotten."""
        mine = {"mine": self.world}
        with connection.begin():
            connection.execute(_BEGIN_WORLD, {"id": self.world, "epoch": 0})
            connection.execute(
                _BEGIN_META, {"id": self.world, "tick": 0, "wall": 0.0, "clean": True, "gold": 0}
            )
            self.epoch = int(connection.execute(_TAKE_OVER, mine).scalar_one())
            abandon(connection, self.world)

    def require(self) -> None:
        """Raises WorldLost if it is known already that another server has the world."""
        if self._lost:
            raise WorldLost(_LOST)

    def beat(self, connection: Connection) -> None:
        """Say that this world is alive, as the first thing in a transaction. The row stays locked until that
        ends: nobody takes the world over in the midst of it. Raises WorldLost."""
        if self.epoch is not None:
            beat = connection.execute(_BEAT, {"mine": self.world, "under": self.epoch})
            if not beat.rowcount:
                self._lose()

    def neighbours(self, connection: Connection) -> int:
        """The number of other worlds that are alive, without waiting for any."""
        return int(connection.scalar(_NEIGHBOURS, {"mine": self.world}) or 0)

    def retire(self, connection: Connection) -> None:
        """Give up what the world had, within its last transaction: it is dead as soon as that is over."""
        if self.epoch is not None:
            connection.execute(_RETIRE, {"mine": self.world})
            abandon(connection, self.world)

    def look(self, connection: Connection) -> None:
        """See whether the world still is this process's, without waiting for anybody. Raises WorldLost."""
        if connection.scalar(_EPOCH, {"mine": self.world}) != self.epoch:
            self._lose()

    def _lose(self) -> NoReturn:
        self._lost = True
        raise WorldLost(_LOST)


def start_world(connection: Connection) -> None:
    """The row of the home world in a database that was created just now."""
    connection.execute(insert(world).values(id=HOME, epoch=0, beat=func.now()))


def bury(connection: Connection, other: int) -> bool:
    """Within a transaction of a living world: raise the epoch of another one if that has been silent for
    `SILENT_SECONDS`, so that it writes nothing more, and give up what it had. False if it is alive.

    PostgreSQL only. Nobody is called dead within so many seconds after the database itself was started: all
    were silent for as long as it was away.
    """
    if not connection.execute(_BURY, {"other": other}).rowcount:
        return False
    abandon(connection, other)
    return True


def abandon(connection: Connection, mine: int) -> None:
    """Give up what a world had: its process has gone, or has nothing in memory yet."""
    which = {"mine": mine}
    connection.execute(_GIVE_UP_TRANSFERS, which)
    connection.execute(_GIVE_UP_CHARACTERS, which)
    connection.execute(_GIVE_UP_REALMS, which)


_LOST: Final = "another server has taken this world over: nothing more is written"

SILENT: Final = (
    f"beat < clock_timestamp() - interval '{SILENT_SECONDS} seconds'"
    f" AND pg_postmaster_start_time() < clock_timestamp() - interval '{SILENT_SECONDS} seconds'"
)
"""The condition on a row of `world` under which it counts as dead."""
ENDED: Final = "beat = to_timestamp(0)"
"""The condition on it under which its last process has ended in order (`Fence.retire`)."""
_BEGIN_WORLD: Final = (
    postgresql.insert(world)
    .values(id=bindparam("id"), epoch=bindparam("epoch"), beat=func.now())
    .on_conflict_do_nothing()
)
_BEGIN_META: Final = postgresql.insert(meta).on_conflict_do_nothing()
_TAKE_OVER: Final = (
    update(world)
    .where(world.c.id == bindparam("mine"))
    .values(epoch=world.c.epoch + 1, beat=func.now(), address=None)
    .returning(world.c.epoch)
)
_BEAT: Final = (
    update(world)
    .where(world.c.id == bindparam("mine"), world.c.epoch == bindparam("under"))
    .values(beat=func.now())
)
_RETIRE: Final = (
    update(world).where(world.c.id == bindparam("mine")).values(beat=func.to_timestamp(0), address=None)
)
_NEIGHBOURS: Final = (
    select(func.count()).select_from(world).where(world.c.id != bindparam("mine"), text(f"NOT ({SILENT})"))
)
_EPOCH: Final = select(world.c.epoch).where(world.c.id == bindparam("mine"))
_BURY: Final = (
    update(world).where(world.c.id == bindparam("other"), text(SILENT)).values(epoch=world.c.epoch + 1)
)
_GIVE_UP_TRANSFERS: Final = (
    update(transfer)
    .where(transfer.c.to_world == bindparam("mine"), transfer.c.state == literal("sent"))
    .values(state="lost", at=func.now())
)
_GIVE_UP_CHARACTERS: Final = (
    update(character).where(character.c.world == bindparam("mine")).values(world=None)
)
_GIVE_UP_REALMS: Final = delete(realm_owner).where(realm_owner.c.world == bindparam("mine"))
