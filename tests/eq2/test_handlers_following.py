"""Following: the client walks straight after a ghost that it is told, and around our houses after a guide."""

from __future__ import annotations

from math import hypot
from struct import unpack_from

import attrs
import pytest

from protocol.eq2.handlers.following import GUIDE_ID, LOOK_SECONDS
from protocol.eq2.packets import NOBODY, CreateGhost, DestroyGhost, DisplayText, TeleportNoReload, UpdateGhost
from protocol.eq2.packing import unpack, xor
from tests.kit.eq2_desk import CORNER, Desk, Player, small_content, town_content
from tests.kit.eq2_motion import RUN
from world.heading import steps_between
from world.reach import Refusal

POSITION, VISUAL, INFO = 88, 78, 1089
STOPS = 2.0
"""Units before whom it follows at which this client stops."""


class Follower:
    """A client that does what its own ghost's structs say: it goes straight to the ghost of that id. It reads
    the structs by the offsets of public source."""

    def __init__(self, player: Player) -> None:
        self.player = player
        self.x, self.y = (at + 0.5 for at in player.tile)
        self.ids: dict[int, int] = {}
        self.positions: dict[int, bytes] = {}
        self.info = b""
        self.led: list[int] = []
        """All that it was told to follow."""
        self.put_back = 0
        ghosts = player.session.ghosts
        for serial in ghosts.serials():
            ghost = ghosts.of(serial)
            assert ghost is not None
            self.ids[ghost.index] = ghost.spawn_id
            self.positions[ghost.index] = ghost.position
            if serial == player.mobile.serial:
                self.own, self.info = ghost.index, ghost.info

    @property
    def follows(self) -> int:
        """The field behind hits, power, thirty effects of nine bytes, and the target."""
        return int(unpack_from("<I", self.info, 4 + 4 + 270 + 4)[0])

    def reads(self) -> None:
        reverse = self.player.session.version.reverse
        for message in self.player.got:
            if isinstance(message, CreateGhost):
                self.ids[message.index] = message.spawn_id
                whole = unpack(message.packed, POSITION + VISUAL + INFO, reverse=reverse)
                self.positions[message.index] = whole[:POSITION]
            elif isinstance(message, DestroyGhost):
                del self.ids[message.index], self.positions[message.index]
            elif isinstance(message, UpdateGhost):
                if message.info is not None and message.info.index == self.own:
                    self.info = xor(self.info, unpack(message.info.packed, INFO, reverse=reverse))
                    self.led.append(self.follows)
                if message.position is not None:
                    before = self.positions[message.position.index]
                    now = xor(before, unpack(message.position.packed, POSITION, reverse=reverse))
                    self.positions[message.position.index] = now
            elif isinstance(message, TeleportNoReload):
                self.put_back += 1
                self.x, self.y = message.x - CORNER[0], message.z - CORNER[2]
        self.player.got.clear()

    async def goes_on(self, seconds: float) -> None:
        for _ in range(round(seconds / 0.2)):
            self.reads()
            speed = 0.0
            if self.follows != NOBODY:
                (index,) = (index for index, known in self.ids.items() if known == self.follows)
                x, _, z = unpack_from("<3f", self.positions[index], 60)
                dx, dy = x - CORNER[0] - self.x, z - CORNER[2] - self.y
                left = hypot(dx, dy)
                if left > STOPS:
                    part, speed = min(1.0, RUN * 0.2 / left), RUN
                    self.x, self.y = self.x + dx * part, self.y + dy * part
            await self.player.desk.wait(0.2)
            await self.player.goes(self.x, self.y, forward_speed=speed)
        self.reads()


def told(player: Player) -> list[str]:
    return [line.text for line in player.took(DisplayText)]


async def two(
    at: tuple[int, int], leader_at: tuple[int, int], desk: Desk | None = None
) -> tuple[Player, Player]:
    """A player, and somebody whom it may follow."""
    desk = desk or Desk()
    player, leader = await desk.enter("alric", at), await desk.enter("berta", leader_at)
    player.got.clear()
    return player, leader


async def test_the_field_of_its_own_ghost_names_whom_it_follows() -> None:
    player, leader = await two((20, 30), (24, 30))
    follower = Follower(player)
    assert follower.follows == NOBODY
    await player.types("follow Berta")
    assert told(player) == ["You follow Berta."]
    await follower.goes_on(LOOK_SECONDS + 0.4)
    assert follower.follows == leader.mobile.serial
    for x in range(26, 41, 2):
        await leader.goes(x + 0.5, 30.5, forward_speed=RUN)
        await follower.goes_on(0.4)
    await follower.goes_on(1)
    assert leader.tile == (40, 30)
    assert player.tile[0] in {37, 38}
    assert follower.put_back == 0
    await player.types("stopfollow")
    follower.reads()
    assert follower.follows == NOBODY
    assert follower.led == [leader.mobile.serial, NOBODY]


async def test_others_do_not_see_it() -> None:
    player, leader = await two((20, 30), (24, 30))
    await player.types("follow berta")
    await player.desk.wait(1)
    ghost = leader.session.ghosts.of(player.mobile.serial)
    assert ghost is not None
    assert unpack_from("<I", ghost.info, 282) == (NOBODY,)


@pytest.mark.parametrize(
    ("words", "why"),
    [("follow", Refusal.NOBODY), ("follow nobody", Refusal.NOBODY), ("follow Alric", Refusal.NOBODY)],
)
async def test_refusals(words: str, why: Refusal) -> None:
    player, _ = await two((20, 30), (24, 30))
    await player.types(words)
    assert told(player) == [why.value]
    assert player.session.following is None


async def test_nobody_follows_oneself_or_who_is_far_away() -> None:
    player, _ = await two((20, 30), (35, 30))
    await player.types("follow Berta")
    assert told(player) == [Refusal.FAR.value]
    await player.types("target Alric")
    await player.types("follow")
    assert Refusal.ONESELF.value in told(player)
    await player.types("stopfollow")
    assert told(player) == ["You follow nobody."]


async def test_to_follow_the_same_one_again_is_told_again() -> None:
    """The client may have stopped by itself meanwhile, of which the server is not told."""
    player, leader = await two((20, 30), (24, 30))
    follower = Follower(player)
    await player.types("follow Berta")
    await follower.goes_on(1)
    await player.types("follow Berta")
    await follower.goes_on(1)
    assert follower.led == [leader.mobile.serial, NOBODY, leader.mobile.serial]


async def test_whoever_goes_out_of_sight_is_followed_no_more() -> None:
    player, leader = await two((20, 30), (24, 30))
    follower = Follower(player)
    await player.types("follow Berta")
    await follower.goes_on(1)
    player.got.clear()
    desk = player.desk
    desk.world.warp(leader.mobile, desk.world.realms["plain"], 58, 58)
    await desk.wait(1)
    assert told(player) == ["You do not follow Berta any more."]
    assert player.session.following is None


async def test_who_comes_back_follows_nobody() -> None:
    player, _ = await two((20, 30), (24, 30))
    await player.types("follow Berta")
    await player.desk.wait(1)
    again = await player.desk.enter("alric")
    await again.desk.wait(1)
    assert Follower(again).follows == NOBODY
    assert again.session.following is None


async def test_a_guide_leads_around_a_house() -> None:
    """That of ten by nine tiles from (60, 82) on."""
    desk = Desk(town_content(), (58, 86))
    player, leader = await two((58, 86), (55, 86), desk)
    follower = Follower(player)
    await player.types("follow Berta")
    desk.world.warp(leader.mobile, desk.world.realms["confluence"], 72, 86)
    await follower.goes_on(14)
    assert GUIDE_ID in follower.led
    assert follower.led[-1] == leader.mobile.serial
    assert max(abs(player.tile[0] - 72), abs(player.tile[1] - 86)) <= 3
    assert follower.put_back <= 8
    await player.types("stopfollow")
    follower.reads()
    assert GUIDE_ID not in follower.ids.values()


async def test_a_guide_stands_where_one_can_stand_wherever_the_leader_is() -> None:
    """As one who sits: nobody can stand on that tile."""
    chart = small_content().charts["plain"]
    blocked = bytearray(chart.blocked)
    for x, y in ((18, 30), (19, 30), (20, 30), (21, 30), (22, 30), (20, 28)):
        blocked[y * chart.width + x] = 1
    plain = attrs.evolve(chart, blocked=bytes(blocked))
    desk = Desk(attrs.evolve(small_content(), charts={**small_content().charts, "plain": plain}))
    player, leader = await two((20, 32), (26, 32), desk)
    await player.types("follow Berta")
    desk.world.warp(leader.mobile, desk.world.realms["plain"], 20, 28)
    await desk.wait(1)
    following = player.session.following
    assert following is not None
    assert following.guide is not None
    assert following.stands is not None
    assert desk.world.realms["plain"].walkable(*following.stands)
    assert steps_between(following.stands, (20, 28)) == 1


async def test_a_way_that_is_found_late_begins_where_the_follower_is_by_then() -> None:
    """Around that house it is as far along its north as along its south."""
    desk = Desk(town_content(), (58, 86))
    player, leader = await two((58, 86), (55, 86), desk)
    realm, paths = desk.world.realms["confluence"], desk.world.paths
    await player.types("follow Berta")
    desk.world.warp(leader.mobile, realm, 72, 86)
    corners = []
    for start in ((58, 80), (58, 92)):
        desk.world.warp(player.mobile, realm, 58, 86)
        per_turn, paths._per_turn = paths._per_turn, 0
        await desk.wait(2 * LOOK_SECONDS)
        following = player.session.following
        assert following is not None
        assert following.sought
        desk.world.warp(player.mobile, realm, *start)
        paths._per_turn = per_turn
        await desk.wait(0.2)
        corners.append(following.stands)
        following.goal = None
    north, south = corners
    assert north is not None
    assert south is not None
    assert north[1] < 82
    assert south[1] > 90


async def test_without_guides_the_straight_line_is_all_there_is() -> None:
    desk = Desk(town_content(), (58, 86))
    desk.view.figures.rendering = attrs.evolve(desk.view.figures.rendering, guides=False)
    player, leader = await two((58, 86), (55, 86), desk)
    follower = Follower(player)
    await player.types("follow Berta")
    desk.world.warp(leader.mobile, desk.world.realms["confluence"], 72, 86)
    await follower.goes_on(8)
    assert set(follower.led) == {leader.mobile.serial}
    assert player.tile == (59, 86)
