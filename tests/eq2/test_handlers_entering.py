"""The world's door: the key, the loading screen, coming back, and going on to another zone."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING

import pytest

from protocol.denials import Denial
from protocol.endings import Ending
from protocol.eq2.handlers.table import NAMES
from protocol.eq2.packets import (
    CampStarted,
    ChangeZone,
    CreateGhost,
    DestroyGhost,
    DisplayText,
    EntitiesSent,
    EntityResourcesLoaded,
    GameWorldTime,
    HearChat,
    LoginByNum,
    LoginCode,
    LoginReply,
    PlayReply,
    ReadyToZone,
    RemoteCmds,
    SetControlGhost,
    SetPovGhost,
    Target,
    Teleport,
    TeleportNoReload,
    UiLoaded,
    UpdateGhost,
    ZoneInfo,
    ZoneResourcesDone,
)
from protocol.eq2.session import ZoneStage
from protocol.session import Phase
from tests.kit.eq2_desk import CAVE_MOUTH, CORNER, START, VERSION, VOID_MOUTH, WARP, Desk, Player
from world import speech
from world.daytime import DAY_SECONDS, HOUR_SECONDS

if TYPE_CHECKING:
    from protocol.eq2.packets import Message

LOADING = [ZoneResourcesDone(), EntityResourcesLoaded(), UiLoaded()]
ABOUT_GHOSTS = (CreateGhost, UpdateGhost, DestroyGhost, HearChat)


def stage_of(player: Player) -> ZoneStage:
    """How far it has loaded its zone."""
    return player.session.stage


def believes(player: Player) -> None:
    """Fail unless the client has ghosts of just what it is to see, and of itself."""
    session = player.session
    assert session.viewport is not None
    assert player.mobile.realm is not None
    seen = set(player.mobile.realm.space.seen_by(session.viewport))
    assert set(session.known) == seen
    assert set(session.ghosts.serials()) == seen | {player.mobile.serial}


# The key


async def test_the_key_opens_the_door_once() -> None:
    desk = Desk()
    login, reply = await desk.sent_on("alric")
    assert reply.account_id is not None
    assert reply.access_code is not None
    player = desk.connect("world")
    await player.says(LoginByNum(reply.account_id, reply.access_code, VERSION))
    assert player.got[0] == LoginReply(code=LoginCode.OK, tail=player.got[0].tail)  # type: ignore[attr-defined]
    assert player.session.phase is Phase.IN_WORLD
    assert desk.claimed[-1] == player.session.id
    assert login.line.ending is Ending.RELAYED
    again = desk.connect("world")
    await again.says(LoginByNum(reply.account_id, reply.access_code, VERSION))
    assert [answer.code for answer in again.took(LoginReply)] == [LoginCode.BAD_PASSWORD]
    assert again.line.ending is Ending.REFUSED
    assert player.session.mobile is not None


@pytest.mark.parametrize("wrong", ["account", "key", "late", "zero"])
async def test_a_key_that_does_not_fit_opens_nothing(wrong: str) -> None:
    desk = Desk()
    _, reply = await desk.sent_on("alric")
    assert reply.account_id is not None
    assert reply.access_code is not None
    account, key = reply.account_id, reply.access_code
    match wrong:
        case "account":
            account += 1
        case "key":
            key ^= 1
        case "zero":
            key = 0
        case "late":
            desk.now += 31
    player = desk.connect("world")
    await player.says(LoginByNum(account, key, VERSION))
    assert [answer.code for answer in player.took(LoginReply)] == [LoginCode.BAD_PASSWORD]
    assert player.line.ending is Ending.REFUSED
    assert player.session.account is None


async def test_a_key_with_another_version_opens_nothing() -> None:
    desk = Desk()
    _, reply = await desk.sent_on("alric")
    assert reply.account_id is not None
    assert reply.access_code is not None
    player = desk.connect("world")
    await player.says(LoginByNum(reply.account_id, reply.access_code, 9999))
    assert [answer.code for answer in player.took(LoginReply)] == [LoginCode.VERSION_MISMATCH]
    assert player.line.ending is Ending.REFUSED


async def test_a_character_that_is_gone_by_then_lets_nobody_in() -> None:
    desk = Desk()
    _, reply = await desk.sent_on("alric")
    assert reply.account_id is not None
    assert reply.access_code is not None
    desk.deletes(desk.owned("alric")[0].serial)
    player = desk.connect("world")
    await player.says(LoginByNum(reply.account_id, reply.access_code, VERSION))
    assert player.took(LoginReply)[-1].code != LoginCode.OK
    assert player.line.ending is Ending.REFUSED


async def test_the_key_is_written_nowhere() -> None:
    player = Desk().connect("world")
    message = LoginByNum(1, 0x12345678, VERSION)
    frame = b"\0" + player.session.version.encode(message)
    entry = player.desk.table.entry(LoginByNum.role)
    assert entry is not None
    for shown in (repr(message), entry.shown(message), entry.shown(frame)):
        assert "305419896" not in shown
        assert "78563412" not in shown


@pytest.mark.parametrize("message", [*LOADING, Target(1)])
async def test_nothing_else_is_heard_before_the_key(message: Message) -> None:
    player = Desk().connect("world")
    await player.says(message)
    assert player.line.ending is Ending.WRONG_PHASE


# The loading screen


async def test_what_the_client_is_told_first() -> None:
    desk = Desk()
    player = await desk.zoning("alric")
    kinds = player.kinds()
    assert kinds[0] == "LoginReply"
    assert {"QuickbarInit", "MacroInit", "RemoteCmds", "KnownLanguages"} <= set(kinds)
    assert kinds.index("RemoteCmds") < kinds.index("ZoneInfo")
    zone = player.took(ZoneInfo)[0]
    assert (zone.zone, zone.zone_description, zone.character) == ("antonica", "The Plain", "Alric")
    x, _, z = CORNER
    assert (zone.x, zone.z) == (x + START[0] + 0.5, z + START[1] + 0.5)
    assert player.took(RemoteCmds)[0].names == NAMES
    assert stage_of(player) is ZoneStage.ZONING
    assert player.session.loading


async def test_the_states_of_the_zone_in() -> None:
    desk = Desk()
    healer = desk.resident("healer", 24, 24)
    player = await desk.zoning("alric")
    player.got.clear()
    await player.says(ZoneResourcesDone())
    assert player.kinds() == [
        "PlacementCriteria",
        "KnowledgeSlots",
        "GameWorldTime",
        "CreateGhost",
        "EntitiesSent",
    ]
    assert [ghost.spawn_id for ghost in player.took(CreateGhost)] == [healer.serial]
    assert stage_of(player) is ZoneStage.SHOWN
    player.got.clear()
    await player.says(EntityResourcesLoaded())
    kinds = player.kinds()
    assert kinds[:4] == ["CreateGhost", "SetPovGhost", "SetControlGhost", "CharacterSheet"]
    assert kinds[4:] == ["SkillBook", "SpellBook", "Inventory", "Inventory", "TitleUpdate"]
    own = player.took(CreateGhost)[0]
    assert (own.index, own.spawn_id) == (1, player.mobile.serial)
    assert player.took(SetPovGhost)[0].spawn_id == player.mobile.serial
    assert player.took(SetControlGhost)[0].spawn_id == player.mobile.serial
    assert stage_of(player) is ZoneStage.OWN
    player.got.clear()
    await player.says(UiLoaded())
    assert player.kinds()[:3] == ["SpellBook", "Inventory", "UiLoaded"]
    assert stage_of(player) is ZoneStage.READY
    assert not player.session.loading
    await desk.wait(0.1)
    assert player.took(CreateGhost) == []
    believes(player)


async def test_each_state_is_passed_once() -> None:
    desk = Desk()
    desk.resident("healer", 24, 24)
    player = await desk.zoning("alric")
    for message in LOADING:
        await player.says(message, message, message)
    await desk.wait(5)
    assert len(player.took(CreateGhost)) == 2
    assert len(player.took(EntitiesSent)) == 1
    assert len(player.took(SetPovGhost)) == 1
    believes(player)


@pytest.mark.parametrize("order", [*permutations(range(3)), (1, 2), (0, 2), (2,)])
async def test_whatever_the_client_leaves_out_or_confuses_it_gets_in(order: tuple[int, ...]) -> None:
    """And it is never told of a ghost that it does not have: `decode_server` and `believes` see to that."""
    desk = Desk()
    desk.resident("healer", 24, 24)
    player = await desk.zoning("alric")
    for place in order:
        await player.says(LOADING[place])
    await desk.wait(0.2)
    assert stage_of(player) is ZoneStage.READY
    assert len(player.took(CreateGhost)) == 2
    believes(player)


async def test_a_client_that_says_nothing_is_shown_the_zone_after_three_seconds() -> None:
    desk = Desk()
    desk.resident("healer", 24, 24)
    player = await desk.zoning("alric")
    player.got.clear()
    await desk.wait(2.9)
    assert player.got == []
    await desk.wait(0.5)
    kinds = player.kinds()
    assert kinds.index("EntitiesSent") < kinds.index("SetPovGhost")
    assert stage_of(player) is ZoneStage.OWN
    player.got.clear()
    await player.says(ZoneResourcesDone(), EntityResourcesLoaded())
    assert player.got == []
    await player.says(UiLoaded())
    assert stage_of(player) is ZoneStage.READY


async def test_nothing_reaches_a_client_that_loads() -> None:
    desk = Desk()
    berta = await desk.enter("berta", (22, 20))
    player = await desk.zoning("alric")
    player.got.clear()
    for message in [None, *LOADING[:2]]:
        if message is not None:
            await player.says(message)
        player.got.clear()
        speech.say(berta.mobile, "Anybody here?")
        speech.gesture(berta.mobile, "bow")
        berta.mobile.hits = 3
        await berta.goes(berta.mobile.x + 1.5, 20.5)
        await desk.wait(0.5)
        assert [kind for kind in player.got if isinstance(kind, ABOUT_GHOSTS)] == []
    await player.says(UiLoaded())
    await desk.wait(0.1)
    believes(player)
    place = desk.view.figures.of(berta.mobile, player.session.version).position
    ghost = player.session.ghosts.of(berta.mobile.serial)
    assert ghost is not None
    assert ghost.position == place.now


async def test_words_for_it_alone_wait_for_the_end_of_loading() -> None:
    desk = Desk()
    player = await desk.zoning("alric")
    speech.notice(player.mobile, "Somebody left you a letter.")
    await desk.wait(0.1)
    assert player.took(DisplayText) == []
    await player.says(*LOADING)
    assert "Somebody left you a letter." in [line.text for line in player.took(DisplayText)]


async def test_whoever_leaves_while_a_client_loads_leaves_no_ghost() -> None:
    desk = Desk()
    healer = desk.resident("healer", 24, 24)
    player = await desk.zoning("alric")
    await player.says(ZoneResourcesDone())
    desk.world.leave(healer)
    crier = desk.resident("crier", 25, 24)
    await player.says(*LOADING)
    await desk.wait(0.2)
    believes(player)
    assert player.session.known.keys() == {crier.serial}
    assert len(player.took(DestroyGhost)) == 1


async def test_what_a_loading_client_says_of_the_world_means_nothing() -> None:
    desk = Desk()
    player = await desk.zoning("alric")
    await player.says(player.moves_to(40.5, 40.5), Target(1))
    await player.types("say hello")
    await desk.wait(0.2)
    assert player.tile == START
    assert player.took(TeleportNoReload) == []
    assert player.line.ending is None
    # But its words about its movement version on one another, so none may be left out.
    await player.says(*LOADING)
    await player.goes(20.5, 21.7)
    assert player.tile == (20, 21)


# Coming back


async def test_another_client_takes_the_character_over_where_it_stands() -> None:
    desk = Desk()
    first = await desk.enter("alric")
    await first.goes(22.5, 20.5)
    await desk.wait(1)
    mobile = first.mobile
    await first.types("target alric")
    assert mobile.target == mobile.serial
    second = await desk.enter("alric")
    assert first.line.ending is Ending.REPLACED
    assert second.mobile is mobile
    assert second.tile == (22, 20)
    assert mobile.target == second.session.target == 0
    # A fresh connection begins its movement from zeros.
    await second.goes(23.6, 21.5)
    await desk.wait(1)
    assert second.tile == (23, 21)
    await first.goes(10.5, 10.5)
    await desk.wait(1)
    assert second.tile == (23, 21)
    believes(second)


# Other zones


async def test_a_warp_within_the_zone_puts_the_client_there() -> None:
    desk = Desk()
    player = await desk.enter("alric", (29, 20))
    await player.goes(30.5, 20.5)
    assert player.tile == (5, 5)
    place = desk.view.places.of(player.mobile)
    assert place is not None
    assert (place.x - CORNER[0], place.z - CORNER[2]) == (5.5, 5.5)
    there = player.took(Teleport)
    assert [(move.x - CORNER[0], move.z - CORNER[2]) for move in there] == [(5.5, 5.5)]
    # What was on its way is of the old place and is not answered with another teleport.
    await player.goes(31.5, 20.5)
    assert player.took(TeleportNoReload) == []
    await player.goes(6.5, 5.5)
    await desk.wait(1)
    assert player.tile == (6, 5)
    assert player.took(TeleportNoReload) == []
    assert player.tile != WARP


async def test_a_warp_to_another_zone_sends_the_client_there_with_a_new_key() -> None:
    desk = Desk()
    player = await desk.enter("alric", (CAVE_MOUTH[0], CAVE_MOUTH[1] + 1))
    mobile = player.mobile
    await player.goes(CAVE_MOUTH[0] + 0.5, CAVE_MOUTH[1] + 0.5)
    change = player.took(ChangeZone)[0]
    assert (change.address, change.port, change.account_id) == ("127.0.0.1", 9001, 1)
    assert player.session.loading
    assert player.session.hang_up_means is Ending.RELAYED
    player.got.clear()
    desk.resident("healer", 6, 6)
    await player.says(ReadyToZone())
    await player.goes(CAVE_MOUTH[0] + 0.5, CAVE_MOUTH[1] + 3.5)
    await desk.wait(0.5)
    assert player.got == []
    again = desk.connect("world")
    await again.says(LoginByNum(change.account_id, change.access_code, VERSION))
    assert again.mobile is mobile
    assert again.took(ZoneInfo)[0].zone == "cave_zone"
    assert player.line.ending is Ending.RELAYED
    await again.says(*LOADING)
    await desk.wait(0.1)
    believes(again)


async def test_where_the_game_has_no_zone_nobody_stays() -> None:
    desk = Desk()
    player = await desk.enter("alric", (VOID_MOUTH[0], VOID_MOUTH[1] + 1))
    await player.goes(VOID_MOUTH[0] + 0.5, VOID_MOUTH[1] + 0.5)
    assert player.line.ending is Ending.KICKED


async def test_nobody_enters_where_the_game_has_no_zone() -> None:
    desk = Desk()
    login, reply = await desk.sent_on("alric")
    desk.world.warp(desk.brings(desk.owned("alric")[0].serial), desk.world.realms["void"], 5, 5)
    player = desk.connect("world")
    assert isinstance(reply, PlayReply)
    await player.says(LoginByNum(reply.account_id or 0, reply.access_code or 0, VERSION))
    assert [answer.code for answer in player.took(LoginReply)] == [LoginCode.MISSING_FEATURES]
    assert player.line.ending is Ending.REFUSED
    assert login.took(CampStarted) == []


async def test_a_denial_at_the_door_is_told() -> None:
    desk = Desk()
    _, reply = await desk.sent_on("alric")
    desk.deny = Denial.UNAVAILABLE
    player = desk.connect("world")
    await player.says(LoginByNum(reply.account_id or 0, reply.access_code or 0, VERSION))
    assert [answer.code for answer in player.took(LoginReply)] == [LoginCode.ALREADY_PLAYING]
    assert player.line.ending is Ending.REFUSED


async def test_the_clock_is_set_at_the_entry_and_at_each_full_hour() -> None:
    desk = Desk()
    desk.world.dawn = 45 * DAY_SECONDS + 23 * HOUR_SECONDS + 150.0
    player = await desk.zoning("alric")
    await player.says(ZoneResourcesDone(), EntityResourcesLoaded(), UiLoaded())
    assert player.took(GameWorldTime) == [GameWorldTime(year=3800, month=2, day=16, hour=23, minute=50)]
    await desk.wait(2 * HOUR_SECONDS)
    assert player.took(GameWorldTime) == [
        GameWorldTime(year=3800, month=2, day=17, hour=hour, minute=0) for hour in (0, 1)
    ]


async def test_whoever_takes_over_is_told_the_time_once() -> None:
    desk = Desk()
    await desk.enter("alric")
    player = await desk.enter("alric")
    await desk.wait(HOUR_SECONDS)
    assert len(player.took(GameWorldTime)) == 1
