"""Which answer of the server's is for which move of a Lineage II bot; and a bot among walls."""

from __future__ import annotations

import random
import struct
from typing import TYPE_CHECKING

import attrs
import trio

from protocol.l2.codec import L2GameCodec
from protocol.wire.args import CodecArgs, Role
from protocol.wire.body import Body
from server.bots import bench
from server.bots.l2 import QUARTER, TILE, L2Bot
from server.bots.plain import plain
from tests.kit.town import Town, shipped_content

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from world.content import Content

X, Y, Z = -1000, 2000, -30
NUMBER = 0x1234
OTHER = 0x1235


class Wire:
    """A bot in the world at (X, Y, Z), and what its server says to it."""

    def __init__(self) -> None:
        dice = random.Random(1)
        self.codec = L2GameCodec(CodecArgs(Role.SERVER, dice.randbytes))
        self.bot = L2Bot("anna", dice.randbytes)
        self.bot.reconnect = True
        self.bot.connect()
        self.says(b"\0\1" + bytes(8) + bytes(4) + bytes(9))  # KeyPacket: not enciphered
        self.says(struct.pack("<B5i", 0x04, X, Y, Z, 0, NUMBER))
        assert self.bot.in_world
        self.says(struct.pack("<B3i", 0x63, NUMBER, 0, 0))

    def says(self, *messages: bytes) -> bytes:
        """What the bot answers."""
        for message in messages:
            self.codec.send(Body(message))
        return self.bot.receive(b"".join(self.codec.outgoing(0.0)))

    def goes(self, east: int, number: int = NUMBER) -> None:
        """MoveToLocation, so many tiles to the east of where it came into the world."""
        self.says(struct.pack("<B7i", 0x01, number, X + east * TILE, Y, Z, X, Y, Z))

    def stops(self, east: int) -> None:
        """StopMove there."""
        self.says(struct.pack("<B5i", 0x47, NUMBER, X + east * TILE, Y, Z, 0))

    def turns(self, heading: int, number: int = NUMBER) -> None:
        """StopRotation."""
        self.says(struct.pack("<B3i", 0x63, number, heading, 0))

    def fails(self) -> None:
        """ActionFailed."""
        self.says(b"\x25")

    @property
    def counted(self) -> tuple[int, int, int]:
        """Unanswered and refused moves, and how many tiles to the east of its first it takes itself for."""
        bot = self.bot
        return bot.expected - bot.answered, bot.refused, (bot._x - X) // TILE


def test_a_click_is_answered_by_the_way_to_where_it_led() -> None:
    wire = Wire()
    assert wire.counted == (0, 0, 0)
    wire.bot.step()
    assert wire.counted == (1, 0, 1)
    wire.goes(1, OTHER)
    wire.turns(QUARTER, OTHER)
    assert wire.counted == (1, 0, 1)
    wire.goes(1)
    assert wire.counted == (0, 0, 1)
    wire.stops(1)  # its end, which answers nothing
    wire.goes(1)  # told anew, unasked
    assert wire.counted == (0, 0, 1)
    assert wire.bot.seen == [OTHER]


def test_a_click_before_a_wall_is_answered_by_a_refusal() -> None:
    wire = Wire()
    wire.fails()  # of something else
    assert wire.counted == (0, 0, 0)
    for _ in range(3):
        wire.bot.step()
        wire.stops(0)
        assert wire.counted[0] == 1
        wire.fails()
    assert wire.counted == (0, 3, 0)
    wire.bot.step()
    assert wire.counted == (1, 3, 1)  # from where it stands, not from where it wanted to be


def test_of_clicks_that_came_too_fast_the_last_one_is_answered_for_all() -> None:
    wire = Wire()
    for _ in range(3):
        wire.bot.step()
    wire.goes(2)
    assert wire.counted == (1, 0, 3)
    wire.goes(3)
    assert wire.counted == (0, 0, 3)


def test_a_way_that_ends_before_a_wall_is_the_answer_to_the_oldest_click() -> None:
    wire = Wire()
    wire.bot.step()
    wire.bot.step()
    wire.goes(0)
    assert wire.counted == (1, 0, 2)
    wire.goes(0)
    assert wire.counted == (0, 0, 0)


def test_the_end_of_an_earlier_way_does_not_put_a_bot_back_that_went_on() -> None:
    wire = Wire()
    wire.bot.step()
    wire.goes(1)
    wire.bot.step()
    wire.stops(1)
    assert wire.counted == (1, 0, 2)
    wire.goes(2)
    wire.stops(2)
    assert wire.counted == (0, 0, 2)


def test_of_turns_that_came_too_fast_the_last_one_is_answered_for_all() -> None:
    wire = Wire()
    for _ in range(3):
        wire.bot.turn()
    wire.turns(2 * QUARTER)
    assert wire.counted == (1, 0, 0)
    wire.bot.step()
    wire.turns(3 * QUARTER)
    assert wire.counted == (1, 0, 1)
    wire.goes(1)
    assert wire.counted == (0, 0, 1)


def test_who_is_put_elsewhere_waits_for_nothing_that_was_asked_before() -> None:
    wire = Wire()
    wire.bot.step()
    wire.bot.turn()
    answer = wire.says(struct.pack("<B5i", 0x28, NUMBER, X + 50 * TILE, Y, Z, 0))
    assert answer == b"\3\0\x30"  # Appearing
    assert wire.counted == (0, 1, 50)


async def test_every_click_of_a_bot_among_walls_is_answered(autojump_clock: trio.abc.Clock) -> None:
    async with trio.open_nursery() as nursery:
        town = Town(nursery, content=walled())
        await town.open()
        bot = L2Bot("annabell", random.Random(1).randbytes)
        end = town.connect("l2", "login")
        bot.connect()

        async def drive(seconds: float) -> None:
            nonlocal end
            with trio.move_on_after(seconds):
                while data := await end.receive_some():
                    answer = bot.receive(data)
                    if bot.reconnect:
                        end = town.connect("l2", "game")
                        answer = bot.connect()
                    await end.send_all(answer)

        await drive(5)
        assert bot.in_world
        mobile = town.mobile(bot.name.capitalize())
        for _ in range(40):  # the whole round, and some
            await end.send_all(bot.step())
            await drive(0.4)
            assert bot.answered == bot.expected
        assert 5 <= bot.refused < 40
        assert mobile.gait.journey is None
        atlas = town.families["l2"].view.places.atlas(mobile.realm)  # type: ignore[attr-defined]
        assert atlas.tile(bot._x, bot._y) == (mobile.x, mobile.y)
        nursery.cancel_scope.cancel()


def walled() -> Content:
    """A plain with a wall around the tiles near its middle, where newcomers stand."""
    side, near = 40, range(16, 25)
    content = plain(shipped_content(), side, side, 1)
    blocked = bytes(not (x in near and y in near) for y in range(side) for x in range(side))
    charts = {name: attrs.evolve(chart, blocked=blocked) for name, chart in content.charts.items()}
    return attrs.evolve(content, charts=charts)


def test_a_throng_walks_at_the_rate_that_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "WARM_UP", 0.2)
    cell = bench.measure(tmp_path / "server", "throng", "l2", 4, 2.0, None, bench.Look(), print, 0.25)
    tally = cell.tally
    assert 30 <= tally.moves <= 34
    assert tally.answers
    assert tally.refused == 0
    assert not tally.sights  # which only those who turn are looked at for
