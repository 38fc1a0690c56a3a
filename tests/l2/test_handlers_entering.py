"""The game's door: version, key, the numbers of the login door, and the way into the world."""

from __future__ import annotations

from itertools import permutations

import attrs
import pytest

from protocol.endings import Ending
from protocol.l2.figures import DAWN_HOUR, DAYS_A_DAY
from protocol.l2.handlers.login import NO_KEY
from protocol.l2.packets import (
    PING_VERSION,
    ActionFailed,
    AuthLogin,
    AuthLoginFail,
    AuthLoginFailReason,
    CharacterSelect,
    CharInfo,
    CharSelectInfo,
    ClientSetTime,
    CreatureSay,
    DeleteObject,
    EnterWorld,
    FriendList,
    ItemList,
    KeyPacket,
    Logout,
    Message,
    NpcInfo,
    ProtocolVersion,
    RequestManorList,
    RequestRestart,
    RequestSkillCoolTime,
    SendMacroList,
    ServerClose,
    ShortCutInit,
    SkillCoolTime,
    SunRise,
    SunSet,
    SystemMessage,
    SystemMessageId,
    UserInfo,
)
from protocol.l2.session import GAME_DOOR, SessionKeys
from protocol.services import Denial, NewCharacter
from protocol.session import Phase
from tests.kit.l2_desk import Desk, Player, place_of
from world import speech
from world.daytime import DAY_SECONDS, HOUR_SECONDS, daytime

BURST: tuple[Message, ...] = (RequestSkillCoolTime(), RequestManorList(), EnterWorld())


def auth(name: str, keys: SessionKeys) -> AuthLogin:
    """What a client shows at the game's door, in the order of its packet."""
    return AuthLogin(name, keys.play2, keys.play1, keys.login1, keys.login2, 1)


async def enters(desk: Desk, name: str) -> Player:
    """A client that has just entered, with all that it was sent since it chose its character."""
    player = await desk.selected(name)
    player.got.clear()
    await player.says(EnterWorld())
    return player


# Version and key


@pytest.mark.parametrize("version", [740, 746])
async def test_a_version_that_is_let_in_gets_a_key(version: int) -> None:
    player = Desk().connect(GAME_DOOR)
    await player.says(ProtocolVersion(version))
    answer = player.only(KeyPacket)
    assert (answer.result, answer.cipher, answer.server_id) == (1, 1, 1)
    assert answer.key == player.wire.key
    assert player.wire.plain_until == 1, "the key itself has to leave in plain"
    assert player.session.phase is Phase.LOGIN


async def test_the_key_packet_is_23_bytes_long_and_no_key_comes_twice() -> None:
    desk = Desk()
    keys = set()
    for _ in range(20):
        player = desk.connect(GAME_DOOR)
        await player.says(ProtocolVersion(746))
        answer = player.only(KeyPacket)
        assert len(player.session.dialect.encode(answer)) == 23
        keys.add(answer.key)
    assert len(keys) == 20


async def test_without_encryption_the_client_is_told_so() -> None:
    player = Desk(packet_encryption=False).connect(GAME_DOOR)
    await player.says(ProtocolVersion(746))
    assert player.only(KeyPacket).cipher == 0
    assert player.wire.key == b""


@pytest.mark.parametrize(
    ("version", "detail"),
    [
        (739, "protocol 739"),
        (747, "protocol 747"),
        (273, "protocol 273 (High Five)"),
        (0, "protocol 0"),
        (-1, "protocol -1"),
    ],
)
async def test_another_version_is_refused(version: int, detail: str) -> None:
    player = Desk().connect(GAME_DOOR)
    await player.says(ProtocolVersion(version))
    answer = player.only(KeyPacket)
    assert (answer.result, answer.key) == (0, NO_KEY)
    assert (player.line.ending, player.line.detail) == (Ending.REFUSED, detail)
    assert player.session.phase is Phase.GREETING


async def test_only_configured_versions_are_let_in() -> None:
    desk = Desk(protocols=[660])
    for version, result in ((746, 0), (660, 1)):
        player = desk.connect(GAME_DOOR)
        await player.says(ProtocolVersion(version))
        assert player.only(KeyPacket).result == result


async def test_who_only_asks_whether_anybody_is_there_is_let_go() -> None:
    player = Desk().connect(GAME_DOOR)
    await player.says(ProtocolVersion(PING_VERSION))
    assert player.got == []
    assert player.line.ending is Ending.CLIENT_LEFT


async def test_a_short_version_packet_is_enough() -> None:
    player = Desk().connect(GAME_DOOR)
    await player.sends(bytes.fromhex("00ea020000"))
    assert player.only(KeyPacket).result == 1


# The four numbers


async def test_the_numbers_of_the_login_door_open_this_one_once() -> None:
    desk = Desk()
    before, keys = await desk.sent_on("alric")
    player = await desk.greeted_game()
    await player.says(auth("alric", keys))
    assert player.took(CharSelectInfo)
    assert player.session.phase is Phase.MENU
    assert player.session.account is not None
    assert player.session.account.name == "alric"
    assert desk.claimed[-1] == player.session.id
    assert before.line.ending is Ending.RELAYED
    again = await desk.greeted_game()
    await again.says(auth("alric", keys))
    assert again.only(AuthLoginFail).reason == AuthLoginFailReason.ACCESS_FAILED_TRY_LATER
    assert again.line.ending is Ending.REFUSED


async def test_the_account_counts_without_regard_to_case() -> None:
    desk = Desk()
    _, keys = await desk.sent_on("alric")
    player = await desk.greeted_game()
    await player.says(auth("ALRIC", keys))
    assert player.session.phase is Phase.MENU
    assert player.session.account_name == "alric"


@pytest.mark.parametrize("wrong", ["play1", "play2", "login1", "login2", "name", "late", "swapped"])
async def test_numbers_that_do_not_fit_open_nothing(wrong: str) -> None:
    desk = Desk()
    _, keys = await desk.sent_on("alric")
    name = "alric"
    match wrong:
        case "name":
            name = "betty"
        case "late":
            desk.now += 61
        case "swapped":
            keys = attrs.evolve(keys, play1=keys.play2, play2=keys.play1)
        case _:
            keys = attrs.evolve(keys, **{wrong: getattr(keys, wrong) ^ 1})
    player = await desk.greeted_game()
    await player.says(auth(name, keys))
    assert player.took(AuthLoginFail)
    assert player.line.ending is Ending.REFUSED
    assert player.session.account is None
    assert player.session.phase is Phase.LOGIN


async def test_the_numbers_live_for_a_minute() -> None:
    desk = Desk()
    _, keys = await desk.sent_on("alric")
    desk.now += 59
    player = await desk.greeted_game()
    await player.says(auth("alric", keys))
    assert player.session.phase is Phase.MENU


async def test_without_a_licence_the_login_pair_proves_nothing() -> None:
    desk = Desk(show_licence=False)
    _, keys = await desk.sent_on("alric")
    player = await desk.greeted_game()
    await player.says(auth("alric", attrs.evolve(keys, login1=0, login2=0)))
    assert player.session.phase is Phase.MENU


async def test_nobody_gets_in_while_the_server_is_closed() -> None:
    desk = Desk()
    _, keys = await desk.sent_on("alric")
    desk.app.shut = "going down"
    player = await desk.greeted_game()
    await player.says(auth("alric", keys))
    assert player.took(AuthLoginFail)
    assert player.line.ending is Ending.REFUSED


async def test_the_newest_login_counts() -> None:
    desk = Desk()
    first = await desk.enter("alric")
    second = await desk.enter("alric")
    assert first.line.ending is Ending.REPLACED
    assert second.mobile.name == "Alric"


async def test_the_numbers_are_written_nowhere() -> None:
    desk = Desk()
    player = await desk.greeted_game()
    message = AuthLogin("alric", 0x12345678, 2, 3, 4)
    entry = player.table.entry(AuthLogin.role)
    assert entry is not None
    for shown in (entry.shown(message), entry.shown(player.session.dialect.encode(message))):
        assert "305419896" not in shown
        assert "78563412" not in shown


@pytest.mark.parametrize("message", [CharacterSelect(0), EnterWorld()])
async def test_nothing_else_is_heard_before_the_numbers(message: Message) -> None:
    player = await Desk().greeted_game()
    await player.says(message)
    assert player.line.ending is Ending.WRONG_PHASE


# Into the world


@pytest.mark.parametrize("burst", list(permutations(BURST)))
async def test_the_last_packets_before_the_world_come_in_any_order(burst: tuple[Message, ...]) -> None:
    player = await Desk().selected("alric")
    player.got.clear()
    await player.says(*burst)
    assert player.session.phase is Phase.IN_WORLD
    assert len(player.took(UserInfo)) == 1
    assert player.line.ending is None


async def test_the_way_in_is_short() -> None:
    player = await Desk().selected("alric")
    player.got.clear()
    await player.says(*BURST)
    encode = player.session.dialect.encode
    sizes = [len(encode(message)) + 2 for message in player.got if isinstance(message, Message)]
    assert len(sizes) == len(player.got) <= 35
    assert sum(sizes) <= 4096
    await player.desk.wait(2)
    assert len(player.took(UserInfo)) == 1, "what changed afterwards is told by itself"


async def test_one_is_shown_oneself_before_all_others() -> None:
    desk = Desk()
    await desk.enter("betty", (22, 20))
    desk.resident("healer", 24, 20)
    player = await enters(desk, "alric")
    kinds = player.kinds()
    assert kinds.count("UserInfo") == 1
    assert kinds.index("UserInfo") < min(kinds.index("CharInfo"), kinds.index("NpcInfo"))
    assert len(player.took(CharInfo)) == 1
    assert len(player.took(NpcInfo)) == 1
    own = player.only(UserInfo)
    assert (own.x, own.y, own.z) == place_of(*player.tile)
    assert own.object_id == player.mobile.serial


async def test_what_the_client_is_told() -> None:
    player = await enters(Desk(), "alric")
    for kind in (SendMacroList, ItemList, ShortCutInit, FriendList, SkillCoolTime, ClientSetTime):
        assert len(player.took(kind)) == 1, kind.__name__
    welcome, greeting = player.took(SystemMessage)
    assert welcome.message_id == SystemMessageId.WELCOME
    assert greeting.parameters[0].value == "Welcome to Causeway, Alric."
    assert player.took(ActionFailed)


async def test_others_see_who_enters() -> None:
    desk = Desk()
    betty = await desk.enter("betty", (22, 20))
    player = await enters(desk, "alric")
    assert [info.object_id for info in betty.took(CharInfo)] == [player.mobile.serial]


@pytest.mark.parametrize("body", [b"", bytes(104), bytes(3)])
async def test_what_enter_world_carries_does_not_matter(body: bytes) -> None:
    player = await Desk().selected("alric")
    await player.sends(b"\3" + body)
    assert player.session.phase is Phase.IN_WORLD


async def test_one_enters_once() -> None:
    player = await Desk().enter("alric")
    await player.says(EnterWorld())
    assert player.took(UserInfo) == []
    assert player.line.ending is None


async def test_who_stands_where_this_game_has_no_place_is_sent_away() -> None:
    desk = Desk()
    player = await desk.selected("alric")
    desk.world.warp(desk.brings(desk.owned("alric")[0].serial), desk.world.realms["void"], 5, 5)
    await player.says(EnterWorld())
    assert player.took(ServerClose)
    assert player.line.ending is Ending.REFUSED


async def test_a_character_that_cannot_be_entered_ends_the_client() -> None:
    desk = Desk()
    player = await desk.selected("alric")
    desk.deny = Denial.UNAVAILABLE
    await player.says(EnterWorld())
    assert player.took(ServerClose)
    assert player.line.ending is Ending.REFUSED


async def test_a_class_is_seen_by_those_who_knew_the_character_already() -> None:
    desk = Desk()
    betty = await desk.enter("betty", (22, 20))
    player = await desk.selected("alric")
    mobile = desk.brings(desk.owned("alric")[0].serial)  # played from another game
    desk.turn()
    assert [info.class_id for info in betty.took(CharInfo)] == [0]
    desk.keep(mobile.serial, "l2", "class", "18")
    await player.says(EnterWorld())
    assert [(info.race, info.class_id) for info in betty.took(CharInfo)] == [(1, 18)]
    assert player.took(UserInfo)[0].class_id == 18


async def test_a_class_is_seen_whatever_game_the_character_is_played_from() -> None:
    """Not by the object, which another login may make anew from what is stored."""
    desk = Desk()
    betty = await desk.enter("betty", (22, 20))
    player = await desk.in_menu("alric")
    mobile = desk.owned("alric")[0]
    desk.keep(mobile.serial, "l2", "class", "18")
    await player.says(CharacterSelect(0), EnterWorld(), RequestRestart(), Logout())
    player.hang_up()
    betty.got.clear()
    desk.brings(mobile.serial)
    desk.turn()
    assert [(info.object_id, info.class_id) for info in betty.took(CharInfo)] == [(mobile.serial, 18)]


async def test_a_class_is_known_from_the_list_on() -> None:
    desk = Desk()
    betty = await desk.enter("betty", (22, 20))
    mobile = desk.make_character("alric", NewCharacter("alric", False, 3, 1104, 1003))
    desk.keep(mobile.serial, "l2", "class", "53")
    await desk.in_menu("alric")
    desk.brings(mobile.serial)
    desk.turn()
    assert [(info.race, info.class_id) for info in betty.took(CharInfo)] == [(4, 53)]


# The time of day


async def test_the_client_is_told_the_time_every_hour() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await desk.wait(HOUR_SECONDS)
    told = player.only(ClientSetTime)
    now = daytime(desk.world)
    assert told.minutes // 60 == now.hour
    assert told.speed == DAYS_A_DAY == 20
    await desk.wait(DAY_SECONDS)
    assert len(player.took(ClientSetTime)) == 24
    assert len(player.took(SunRise)) == len(player.took(SunSet)) == 1


async def test_who_loads_is_told_the_time_when_it_has() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    before = daytime(desk.world).hour
    desk.world.warp(player.mobile, desk.world.realms["plain"], 5, 5)
    await desk.wait(0.1)
    assert player.session.loading
    player.got.clear()
    await desk.wait(HOUR_SECONDS * ((DAWN_HOUR - before) % 24 + 1))
    assert set(player.kinds()) <= {"NetPing"}, "nothing of it while it loads"
    await player.appears()
    now = daytime(desk.world)
    assert player.only(ClientSetTime).minutes == 60 * now.hour + now.minute
    assert len(player.took(SunRise)) == 1
    desk.world.warp(player.mobile, desk.world.realms["plain"], 20, 20)
    await desk.wait(0.1)
    await player.appears()
    assert len(player.took(ClientSetTime)) == 1
    assert not player.took(SunRise)
    assert not player.took(SunSet)


async def test_who_has_left_is_told_no_more() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    player.hang_up()
    await desk.wait(HOUR_SECONDS)
    assert player.got == []


async def test_news_reach_who_is_in() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    speech.to_all(desk.world, "Hear!", announce=True)
    desk.turn()
    assert [said.text for said in player.took(CreatureSay)] == ["Hear!"]
    assert player.took(DeleteObject) == []
