"""Players at Lineage II's desk (`tests.kit.l2_desk`), and guilds of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2.packets import PledgeMember, RequestAnswerJoinPledge, RequestJoinPledge
from tests.kit.l2_desk import Desk, Player
from world import granting, guilds

if TYPE_CHECKING:
    from world.guild import Guild


async def some(*names: str) -> list[Player]:
    """These, side by side and in no guild."""
    desk = Desk()
    found = [await desk.enter(name, (20 + number, 20)) for number, name in enumerate(names)]
    await forget(found)
    return found


async def forget(players: list[Player]) -> None:
    """What came up to now counts no more."""
    await players[0].desk.wait(1.1)
    for player in players:
        player.got.clear()


def founds(player: Player, name: str = "Weavers", tag: str = "WV") -> Guild:
    granting.make(player.mobile, "gold", guilds.FEE)
    return guilds.found(player.mobile, name, tag)


async def joins(leader: Player, guest: Player) -> None:
    await leader.desk.wait(1.1)
    await leader.says(RequestJoinPledge(guest.mobile.serial))
    await guest.says(RequestAnswerJoinPledge(1))
    await leader.desk.wait(0.1)
    assert guest.mobile.guild is leader.mobile.guild is not None


async def weavers(*names: str) -> list[Player]:
    """The first leads a guild of all of them; what came by that is taken."""
    players = await some(*names)
    founds(players[0])
    for guest in players[1:]:
        await joins(players[0], guest)
    await forget(players)
    return players


def clans(player: Player) -> list[str]:
    """What came to the window, in order."""
    return [name.removeprefix("PledgeShow") for name in player.kinds() if name.startswith("PledgeShow")]


def row(player: Player, *, online: bool = True) -> PledgeMember:
    serial = player.mobile.serial
    return PledgeMember(player.mobile.name, 1, 0, 0, serial, serial if online else 0)
