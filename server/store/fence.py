"""The fence around a world: it stops a server that was thought dead and goes on writing.

A lock of PostgreSQL ends with its connection and does not tell who holds it next, so that a lock alone lets
two servers write. Taking a world over adds one to `world.epoch` instead, and every transaction of a world
server begins by looking for the epoch that it took. SQLite has the lock of a file for that
(`server.store.lock`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NoReturn

from sqlalchemy import bindparam, func, insert, select, update

from server.store.errors import WorldLost
from server.store.tables import world

if TYPE_CHECKING:
    from sqlalchemy import Connection

WORLD: Final = 1
"""Which row of the table `world` a database's world is."""


class Fence:
    """One process's claim to the world of a database."""

    def __init__(self) -> None:
        self.epoch: int | None = None
        """Under which this process has the world; None of guests, and where a file lock keeps others out."""
        self._lost = False

    def take_over(self, connection: Connection) -> None:
        """Make the world this process's: whoever had it before writes nothing more."""
        with connection.begin():
            self.epoch = int(connection.execute(_TAKE_OVER).scalar_one())

    def require(self) -> None:
        """Raises WorldLost if it is known already that another server has the world."""
        if self._lost:
            raise WorldLost(_LOST)

    def beat(self, connection: Connection) -> None:
        """Say that this world is alive, as the first thing in a transaction. The row stays locked until that
        ends: nobody takes the world over in the midst of it. Raises WorldLost."""
        if self.epoch is not None and not connection.execute(_BEAT, {"mine": self.epoch}).rowcount:
            self._lose()

    def look(self, connection: Connection) -> None:
        """See whether the world still is this process's, without waiting for anybody. Raises WorldLost."""
        if connection.scalar(_EPOCH) != self.epoch:
            self._lose()

    def _lose(self) -> NoReturn:
        self._lost = True
        raise WorldLost(_LOST)


def start_world(connection: Connection) -> None:
    """The row of `world` in a database that was created just now."""
    connection.execute(insert(world).values(id=WORLD, epoch=0, beat=func.now()))


_LOST: Final = "another server has taken this world over: nothing more is written by this one"

_TAKE_OVER: Final = (
    update(world)
    .where(world.c.id == WORLD)
    .values(epoch=world.c.epoch + 1, beat=func.now())
    .returning(world.c.epoch)
)
_BEAT: Final = (
    update(world).where(world.c.id == WORLD, world.c.epoch == bindparam("mine")).values(beat=func.now())
)
_EPOCH: Final = select(world.c.epoch).where(world.c.id == WORLD)
