"""Walls, trees and lamps of ours as ghosts of this game: what they are, and when they come and go."""

from __future__ import annotations

from struct import unpack_from
from typing import TYPE_CHECKING

import attrs

from protocol.eq2.looks import PropLook, compile_looks
from protocol.eq2.packets import (
    NOBODY,
    CreateGhost,
    DestroyGhost,
    DisplayText,
    EntitiesSent,
    EntityResourcesLoaded,
    EntityVerbsReply,
    EntityVerbsRequest,
    EntityVerbsVerb,
    Target,
    UiLoaded,
    UpdateTarget,
    ZoneResourcesDone,
)
from protocol.eq2.packing import unpack
from protocol.eq2.scenery import FIRST_NUMBER
from protocol.landmarks import MOST, Run
from tests.kit.eq2_desk import CORNER, Desk, Player, town_content
from tests.kit.in_memory import shipped_content

if TYPE_CHECKING:
    from protocol.eq2.looks import Eq2Looks
    from protocol.landmarks import Landmark

MIDDLE = (60, 60)
"""In the sector from 56 to 63."""
POSITION, VISUAL, INFO = 88, 78, 1089


def made(player: Player) -> dict[int, CreateGhost]:
    """The landmarks that a client was shown since it was asked last, by number."""
    ghosts = {ghost.spawn_id - FIRST_NUMBER: ghost for ghost in player.took(CreateGhost)}
    return {number: ghost for number, ghost in ghosts.items() if number >= 0}


def structs(player: Player, ghost: CreateGhost) -> bytes:
    """All three of a ghost as they come."""
    return unpack(ghost.packed, POSITION + VISUAL + INFO, reverse=player.session.version.reverse)


def landmark(player: Player, number: int) -> Landmark[PropLook]:
    """The world's own record of one."""
    surroundings = player.session.landmarks
    assert surroundings is not None
    return next(mark for mark in surroundings.landmarks if mark.number == number)


async def in_town(
    at: tuple[int, int] = MIDDLE, desk: Desk | None = None, name: str = "alric"
) -> tuple[Player, dict[int, CreateGhost]]:
    """Somebody in the town, and the landmarks that came with the loading screen."""
    desk = desk or Desk(town_content(), at)
    player = await desk.zoning(name, at)
    await player.says(ZoneResourcesDone())
    kinds = [type(message) for message in player.got]
    assert max(place for place, kind in enumerate(kinds) if kind is CreateGhost) < kinds.index(EntitiesSent)
    shown = made(player)
    await player.says(EntityResourcesLoaded(), UiLoaded())
    await desk.wait(0.1)
    assert made(player) == {}, "once is enough"
    player.got.clear()
    return player, shown


def looks() -> Eq2Looks:
    return compile_looks(shipped_content())


def test_what_stands_where() -> None:
    look = PropLook(model=5, long=6, corner=7)
    assert look.of(Run.NOWHERE, 1) == look.of(Run.WEST_EAST, 1) == 5
    assert look.of(Run.WEST_EAST, 3) == look.of(Run.NORTH_SOUTH, 3) == 6
    assert look.of(Run.CORNER, 1) == 7
    assert PropLook(model=5).of(Run.CORNER, 3) == 5


def test_models_of_the_town() -> None:
    """Names of these in EQ2Emulator-Rewrite, trunk/sql/appearances.sql: barricade_short, small_pillar,
    tree_small, floor_lamppost_darkelf_globe01, road_sign_post, floor_fountain_human_griffin01,
    floor_basin_any_ornate01, floor_bed_human_double, floor_bed_human_step, binding_shrine, holysymbol01."""
    props = looks().props
    assert props["plaster_south"].model == props["fence_east"].model == 1557
    assert props["stone_east"].model == 2904
    assert (props["oak"].model, props["lamp_post"].model, props["sign_bank"].model) == (33, 3458, 1714)
    assert props["fountain_11"].model == 3478
    assert "grass" not in props
    assert props["fountain_00"].model == props["fountain_33"].model == props["basin"].model == 3094
    assert (props["bed_head"].model, props["bed_foot"].model) == (2118, 1999)
    assert (props["ankh_front"].model, props["ankh_back"].model) == (1704, 1749)


def test_whatever_another_game_shows_is_shown_here() -> None:
    tiles = shipped_content().tiles
    assert {key for key, kind in tiles.items() if "l2" in kind.look} <= looks().props.keys()
    assert {key for key, kind in tiles.items() if "co" in kind.look} <= looks().props.keys()


async def test_the_structs_of_one_by_the_numbers_of_public_source() -> None:
    """Offsets as in emagi/eq2emu, server/SpawnStructs.xml, of version 546."""
    player, shown = await in_town()
    seen = [(landmark(player, number), ghost) for number, ghost in shown.items()]
    mark, ghost = next((mark, ghost) for mark, ghost in seen if mark.kind.key == "lamp_post")
    assert (ghost.commands, ghost.default_command, ghost.group) == ((), "", ())
    plain = structs(player, ghost)
    position, visual, info = plain[:POSITION], plain[POSITION:-INFO], plain[-INFO:]
    assert unpack_from("<3f", position, 60) == (CORNER[0] + mark.x + 0.5, CORNER[1], CORNER[2] + mark.y + 0.5)
    assert unpack_from("<hh", position, 16) == (0, 0), "it looks to the south"
    assert unpack_from("<h", position, 42) == (16,), "it lies there"
    assert unpack_from("<hh", position, 74) == (0, 32), "no radius to bump into, and its own size"
    # A white arrow, which is what is no match, and nothing else: not targetable, no name, no guild.
    assert visual == bytes((3,)) + bytes(VISUAL - 1)
    assert unpack_from("<IIII", info) == (0, 100, 0, 0)
    assert unpack_from("<I", info, 327) == (4 | 256 | 1024,), "static, no icon, no target"
    assert unpack_from("<HH", info, 331) == (3458, 3458)
    assert info[671:1055] == bytes(384), "no names"
    assert info[1087] == 255, "of no race"


async def test_a_wall_to_the_south_stands_across_one_to_the_east() -> None:
    player, shown = await in_town((57, 86))
    headings = {
        landmark(player, number).run: unpack_from("<h", structs(player, ghost), 16)[0]
        for number, ghost in shown.items()
        if landmark(player, number).kind.key.startswith("plaster")
    }
    assert headings[Run.WEST_EAST] == 0
    assert headings[Run.NORTH_SOUTH] == 90 * 64


async def test_they_come_and_go_by_sectors_and_are_no_things() -> None:
    player, shown = await in_town((63, 60))
    desk, has = player.desk, set(shown)
    assert 20 < len(has) <= MOST
    assert not has & {serial - FIRST_NUMBER for serial in player.session.known}
    await player.goes(62.5, 60.5)
    await desk.wait(1)
    assert made(player) == {}
    assert player.took(DestroyGhost) == []
    before = {ghost.index: number for number, ghost in shown.items()}
    await player.goes(64.5, 60.5)
    await desk.wait(1)
    assert player.tile == (64, 60)
    gone = {before[message.index] for message in player.took(DestroyGhost) if message.index in before}
    came = set(made(player))
    assert gone
    assert came
    assert gone <= has
    assert not came & has
    surroundings = player.session.landmarks
    assert surroundings is not None
    assert surroundings.numbers == (has - gone) | came


async def test_those_of_another_realm_replace_them() -> None:
    player, _ = await in_town()
    desk = player.desk
    desk.world.warp(player.mobile, desk.world.realms["undercroft"], 30, 30)
    await desk.wait(0.1)
    assert {landmark(player, number).realm for number in made(player)} <= {"undercroft"}
    ghosts = [serial - FIRST_NUMBER for serial in player.session.ghosts.serials() if serial >= FIRST_NUMBER]
    assert player.session.landmarks is not None
    assert set(ghosts) == player.session.landmarks.numbers


async def test_numbers_of_ghosts_do_not_run_out_and_structs_are_made_once() -> None:
    player, _ = await in_town()
    desk, session = player.desk, player.session
    other, _ = await in_town(desk=desk, name="berta")
    assert session.landmarks is not None
    for number in session.landmarks.numbers:
        messages = desk.view.scenery.messages(landmark(player, number), session.version)
        assert desk.view.scenery.messages(landmark(other, number), other.session.version) is messages
    for round_ in range(40):
        x, y = (20, 100)[round_ % 2], (20, 60, 100)[round_ % 3]
        desk.world.warp(player.mobile, desk.world.realms["confluence"], x, y)
        await desk.wait(0.1)
        player.got.clear()
    assert session.landmarks is not None
    marks = [serial for serial in session.ghosts.serials() if serial >= FIRST_NUMBER]
    assert sorted(marks) == sorted(FIRST_NUMBER + number for number in session.landmarks.numbers)
    assert len(session.ghosts) <= MOST + len(session.known) + 1


async def test_an_operator_switches_them_off_for_a_realm() -> None:
    content = town_content()
    town = content.charts["confluence"]
    off = attrs.evolve(town, atlas={"eq2": {**town.atlas["eq2"], "landmarks": False}})
    desk = Desk(attrs.evolve(content, charts={**content.charts, "confluence": off}), MIDDLE)
    player = await desk.enter("alric", MIDDLE)
    assert all(serial < FIRST_NUMBER for serial in player.session.ghosts.serials())


async def test_whoever_clicks_one_has_clicked_nothing() -> None:
    player, shown = await in_town()
    mark = next(iter(shown.values()))
    session = player.session
    resident = next(iter(session.known.values()))
    ghost = session.ghosts.of(resident.serial)
    assert ghost is not None
    await player.says(Target(ghost.index))
    assert session.target == resident.serial
    await player.says(Target(mark.index))
    assert session.target == 0
    assert player.took(UpdateTarget)[-1].spawn_id == NOBODY
    await player.says(EntityVerbsRequest(mark.spawn_id), EntityVerbsVerb(mark.spawn_id, "attack"))
    assert player.took(EntityVerbsReply) == []
    assert player.took(DisplayText) == []
    assert player.line.ending is None


async def test_a_sign_is_read_by_the_usual_word() -> None:
    (sign, *_) = town_content().charts["confluence"].signs
    player, _ = await in_town((sign.x, sign.y + 1))
    await player.types("causeway read")
    await player.desk.wait(0.1)
    assert any(sign.title in line.text for line in player.took(DisplayText))
