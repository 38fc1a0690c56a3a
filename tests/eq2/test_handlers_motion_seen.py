"""Turning, stopping and sitting, as others see it."""

from __future__ import annotations

from protocol.eq2.packets import DisplayText, Sit, Stand, TeleportNoReload, UpdateGhost
from tests.kit.eq2_desk import CORNER, SEAT, Desk, Player
from tests.kit.eq2_motion import RUN, Diary
from world import furniture
from world.events import Halted, Said, Stepped, Turned
from world.mobile import Posture
from world.reach import Refusal


async def test_who_stands_turns_by_octants() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    diary = Diary(desk)
    await player.goes(20.5, 20.5, heading=90.0)
    east = player.mobile.heading
    await player.goes(20.5, 20.5, heading=100.0)
    assert player.mobile.heading == east == 2
    await player.goes(20.5, 20.5, heading=180.0)
    assert player.mobile.heading == 0
    assert len(diary.of(Turned)) == 2


async def test_who_sits_does_not_turn_and_hears_so_once_a_second() -> None:
    desk = Desk()
    player, other = await desk.enter("alric"), await desk.enter("berta", (22, 20))
    await player.goes(20.5, 20.5, heading=90.0)
    furniture.sit_on_floor(player.mobile)
    await desk.wait(0.5)
    diary = Diary(desk)
    player.got.clear()
    other.got.clear()
    await player.goes(20.5, 20.5, heading=100.0)
    assert player.took(TeleportNoReload) == [], "the same way, nearly"
    for degrees in (180.0, 200.0, 220.0, 240.0, 260.0, 280.0):
        await player.goes(20.5, 20.5, heading=degrees)
        await desk.wait(0.3)
    told = [event.text for event in diary.events if isinstance(event, Said)]
    assert told == [Refusal.SITTING.value] * 2
    assert len(player.took(TeleportNoReload)) == 2
    assert diary.of(Turned) == []
    assert player.mobile.heading == 2
    assert desk.view.figures.places.reported(player.mobile) is None, "others see it as it was"


async def test_who_stops_is_seen_to_stop_once() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    diary = Diary(desk)
    await player.goes(21.5, 20.5, forward_speed=RUN)
    assert diary.of(Halted) == []
    for _ in range(5):
        await player.goes(21.6, 20.5, forward_speed=0.0)
    assert len(diary.of(Halted)) == 1


async def test_who_stops_while_steps_wait_is_seen_to_stop_at_their_end() -> None:
    desk = Desk()
    player = await desk.enter("alric", (20, 30))
    diary = Diary(desk)
    await player.goes(26.5, 30.5, forward_speed=RUN)
    await player.goes(26.5, 30.5, forward_speed=0.0)
    assert diary.of(Halted) == []
    await desk.wait(2)
    events = diary.of(Halted, Stepped)
    assert isinstance(events[-1], Halted)
    assert [type(event) for event in events].count(Halted) == 1
    assert (events[-1].x, events[-1].y) == (26, 30)


async def test_others_see_the_very_place() -> None:
    desk = Desk()
    watcher = await desk.enter("berta", (22, 22))
    player = await desk.enter("alric")
    watcher.got.clear()
    await player.goes(21.25, 20.75, forward_speed=RUN)
    assert len(watcher.took(UpdateGhost)) == 1
    place = desk.view.places.of(player.mobile)
    assert place is not None
    assert (place.x, place.z) == (CORNER[0] + 21.25, CORNER[2] + 20.75)
    assert place.speed == RUN
    await player.goes(21.5, 20.5, y=9_000.0, forward_speed=0.0)
    place = desk.view.places.of(player.mobile)
    assert place is not None
    assert place.y == CORNER[1] + 50


async def test_who_is_put_back_is_seen_where_it_stands() -> None:
    desk = Desk()
    player = await desk.enter("alric", (20, 19))
    await player.goes(20.5, 18.7)
    place = desk.view.places.of(player.mobile)
    assert place is not None
    assert (place.x - CORNER[0], round(place.z - CORNER[2], 3)) == (20.5, 19.1)


# Sitting


def lines(player: Player) -> list[str]:
    """What the player was told, in words."""
    return [line.text for line in player.took(DisplayText)]


async def test_sitting_and_standing() -> None:
    desk = Desk()
    player = await desk.enter("alric", (SEAT[0] - 1, SEAT[1]))
    await player.goes(SEAT[0] - 0.5, SEAT[1] + 0.5, heading=90.0)
    await player.types("sit")
    assert player.mobile.posture == Posture.CHAIR
    await player.types("stand")
    assert player.mobile.posture == Posture.STANDING
    await player.goes(SEAT[0] - 0.5, SEAT[1] + 0.5, heading=180.0)
    await player.types("sit")
    assert player.mobile.posture == Posture.FLOOR


async def test_sitting_down_and_standing_up() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(Sit())
    assert player.mobile.posture != Posture.STANDING
    await player.says(Stand())
    assert player.mobile.posture == Posture.STANDING
    await desk.wait(1)
    player.got.clear()
    await player.says(Stand())
    assert lines(player) == [Refusal.STANDING.value]
