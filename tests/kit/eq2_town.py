"""People of EverQuest II in a town, and the server's end of what their datagrams set up."""

from __future__ import annotations

import gc
import logging
from typing import TYPE_CHECKING, Final

import trio

from protocol.eq2.stream import EqStream
from protocol.wire.args import Role
from tests.kit.eq2_line import DatagramLine
from tests.kit.strangers import Rogue, connection_at

if TYPE_CHECKING:
    import pytest

    from protocol.endings import Ending
    from protocol.family import Address
    from server.net.connection import Connection
    from tests.kit.eq2_player import Eq2Player
    from tests.kit.town import Town

HOME: Final[Address] = ("192.0.2.7", 40_007)
FAR: Final[Address] = ("198.51.100.9", 40_009)
MIB: Final = 1 << 20


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    """What the log says that somebody should look at."""
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def stream_of(connection: Connection) -> EqStream:
    """The server's end of a session."""
    stream = connection.session.codec.stream  # type: ignore[attr-defined] # of a door of EQ2
    assert isinstance(stream, EqStream)
    return stream


def address_of(player: Eq2Player) -> Address:
    """Where a player in memory sits."""
    assert isinstance(player.end, DatagramLine)
    address: Address = player.end.end.address  # type: ignore[attr-defined] # in a town it has one
    return address


async def settled(player: Eq2Player, account: str = "anna", name: str = "Anna") -> Address:
    """Have a player enter the world; where that is now."""
    await player.enters(account, name)
    assert player.client.in_world
    return address_of(player)


async def plays_on(player: Eq2Player) -> None:
    """It is heard and answered as ever."""
    word = f"still {trio.current_time()}"
    await player.does(player.client.say_bytes(word))
    assert word in player.client.lines()
    assert not player.gone
    assert player.client.faults == []


async def a_rogue(town: Town, address: Address = HOME, door: str = "login") -> tuple[Rogue, Connection]:
    """A session with a key and nothing else, and the server's end of it."""
    rogue = Rogue(town.network("eq2", door), address)
    await rogue.shakes_hands(town.nursery)
    return rogue, connection_at(town, address, door)


async def ending_of(connection: Connection, seconds: float) -> Ending | None:
    """How it ends within that time; None if it does not."""
    with trio.move_on_after(seconds):
        while connection.ending is None:  # noqa: ASYNC110 # it tells nobody
            await trio.sleep(0.1)
    return connection.ending


def sessions_kept() -> int:
    """Ends of sessions at the server that something still holds."""
    gc.collect()
    return sum(isinstance(one, EqStream) and one.role is Role.SERVER for one in gc.get_objects())
