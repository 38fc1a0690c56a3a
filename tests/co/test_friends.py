"""Friends: the client's list of them, what it sends and what it is shown (facts/co.md, section 12: 1019 and
2033; conquer-online/wiki: msgfriend; COPS v6 and Redux: what is sent when)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.co.handlers.friends import AWAY
from protocol.co.packets import (
    Action,
    ActionType,
    Friend,
    FriendAction,
    FriendInfo,
    TaskDialog,
)
from protocol.co.versions import CoVersion
from protocol.wishes import Wish
from tests.kit.co_bytes import VERSIONS, name16, told, u32
from tests.kit.co_desk import Desk, Player, small_content, two
from world import friends, granting, guilds, ignoring
from world.directory import Known
from world.reach import Refusal
from world.sentence import Report
from world.wording import GOLD

if TYPE_CHECKING:
    from tests.kit.co_circle import Acquaintances


def friend(number: int, action: int, here: int, name: str) -> str:
    """MsgFriend, 36 bytes: who 4, action 8, here 9, ranks 12 and 16, name 20 (conquer-online/wiki, 5017)."""
    return f"2400fb03{u32(number)}{action:02x}{here:02x}0000{u32(0)}{u32(0)}{name16(name)}"


async def pair(version: CoVersion = CoVersion.V5017) -> tuple[Player, Player]:
    """Alric and Berta, who know each other; what came is forgotten."""
    people = await two(Desk(small_content(), version=version))
    for player in people:
        told(player)
    return people


async def does(player: Player, action: int, number: int) -> None:
    """MsgFriend, after a moment."""
    await player.desk.wait(1.1)
    player.got.clear()
    await player.says(Friend(number, action, 0))


async def befriended(version: CoVersion = CoVersion.V5017) -> tuple[Player, Player]:
    """Both are friends; what came is forgotten."""
    alric, berta = await pair(version)
    await does(alric, FriendAction.APPLY, berta.number)
    await does(berta, FriendAction.APPLY, alric.number)
    for player in (alric, berta):
        told(player)
    return alric, berta


def shown(player: Player) -> Acquaintances:
    """What it shows, without a fault."""
    assert player.screen.faults == []
    return player.screen.acquaintances


# Asked and accepted


@VERSIONS
@pytest.mark.parametrize("answer", [FriendAction.APPLY, FriendAction.ACCEPT], ids=lambda one: one.name)
async def test_one_asks_and_both_are_friends(version: CoVersion, answer: FriendAction) -> None:
    alric, berta = await pair(version)
    await does(alric, FriendAction.APPLY, berta.number)
    assert alric.lines() == ["You asked Berta to be your friend."]
    assert berta.lines() == ["Alric wants to be your friend."]
    assert told(berta, Friend, TaskDialog) == [friend(alric.number, 10, 1, "Alric")]
    assert shown(berta).asked_by == (alric.number, "Alric")
    assert told(alric, Friend) == []
    await does(berta, answer, alric.number)
    assert berta.lines() == ["Alric is a friend of yours now."]
    assert told(alric, Friend) == [friend(berta.number, 15, 1, "Berta")]
    assert told(berta, Friend) == [friend(alric.number, 15, 1, "Alric")]
    assert shown(alric).friends == {berta.number: ("Berta", True)}
    assert shown(berta).friends == {alric.number: ("Alric", True)}


async def test_who_asks_from_out_of_sight_is_named_and_can_be_answered() -> None:
    alric, berta = await pair()
    alric.mobile.hidden = True
    alric.desk.turn()
    friends.ask(alric.mobile, berta.mobile)
    alric.desk.turn()
    assert told(berta, Friend, TaskDialog) == [friend(alric.number, 10, 1, "Alric")]
    await does(berta, FriendAction.APPLY, alric.number)
    assert berta.mobile.serial in friends.friends_of(alric.mobile)


async def test_what_is_refused_is_told_in_words() -> None:
    alric, berta = await befriended()
    carl = await alric.desk.enter("carl", (18, 20))
    crier = alric.desk.resident("crier", 22, 22)
    await alric.desk.wait(0.3)
    for player, action, number, why in (
        (alric, FriendAction.APPLY, alric.number, Refusal.ONESELF.value),
        (alric, FriendAction.APPLY, alric.figures.ids.of(crier), Refusal.NO_PLAYER.value),
        (alric, FriendAction.APPLY, 0xFFFFFFFF, Refusal.UNSEEN.value),
        (alric, FriendAction.APPLY, berta.number, Refusal.LISTED.value),
        (alric, FriendAction.ACCEPT, carl.number, Refusal.NOT_ASKED.value),
        (alric, FriendAction.ACCEPT, 0, Refusal.NOT_ASKED.value),
        (alric, FriendAction.BREAK, carl.number, friends.NO_FRIEND),
        (alric, FriendAction.BREAK, 0, friends.NO_FRIEND),
        (alric, FriendAction.INFO, carl.number, friends.NO_FRIEND),
        (alric, FriendAction.ENEMY_ADD, carl.number, Wish.FOES.value),
        (alric, FriendAction.ENEMY_DELETE, carl.number, Wish.FOES.value),
        (alric, FriendAction.ONLINE, berta.number, Wish.UNKNOWN.value),
        (alric, 200, berta.number, Wish.UNKNOWN.value),
    ):
        await does(player, action, number)
        assert player.lines() == [why], action
    ignoring.ignore(carl.mobile, "Alric")
    await does(alric, FriendAction.APPLY, carl.number)
    assert alric.lines() == [Refusal.IGNORED.value]
    alric.session.known.clear()
    await does(alric, FriendAction.APPLY, carl.number)
    assert alric.lines() == [Refusal.UNSEEN.value]


# On the list


@VERSIONS
async def test_friends_are_seen_coming_and_going(version: CoVersion) -> None:
    alric, berta = await befriended(version)
    number = berta.number
    berta.hang_up()
    await alric.desk.wait(15)
    assert told(alric, Friend) == [friend(number, 13, 0, "Berta")]
    assert shown(alric).friends == {number: ("Berta", False)}
    await does(alric, FriendAction.INFO, number)
    assert told(alric, Friend) == [friend(number, 13, 0, "Berta")]
    await alric.desk.enter("berta", (22, 20))
    assert told(alric, Friend) == [friend(number, 12, 1, "Berta")]
    await does(alric, FriendAction.INFO, number)
    assert told(alric, Friend) == [friend(number, 12, 1, "Berta")]
    assert shown(alric).friends == {number: ("Berta", True)}


async def test_a_line_tells_who_comes_and_goes() -> None:
    alric, berta = await befriended()
    berta.hang_up()
    await alric.desk.wait(15)
    assert "Your friend Berta has left." in alric.lines()
    await alric.desk.enter("berta")
    assert "Your friend Berta is here." in alric.lines()


@VERSIONS
async def test_who_comes_back_is_shown_its_list_and_waits_for_its_own_words(version: CoVersion) -> None:
    alric, berta = await befriended(version)
    away = Known(9000, "Old Sam", "Oldsam")
    alric.desk.world.directory.note(away)
    friends.add(berta.mobile, away)
    berta.hang_up()
    await alric.desk.wait(15)
    back = await alric.desk.enter("berta", (22, 20))
    sam = 1_000_000 + away.serial
    assert shown(back).friends == {alric.number: ("Alric", True), sam: ("Oldsam", False)}, (
        "as it can be typed"
    )
    await back.desk.wait(1)
    told(back)
    await back.acts(ActionType.FRIENDS)
    assert [type(one) for one in back.got] == [Friend, Friend, Action]
    assert told(back, Friend) == [friend(alric.number, 15, 1, "Alric"), friend(sam, 15, 0, "Oldsam")]


async def test_who_comes_while_a_client_loads_is_on_its_list_then() -> None:
    alric, berta = await befriended()
    number = alric.number
    alric.hang_up()
    berta.hang_up()
    await alric.desk.wait(15)
    back = await alric.desk.at_the_door("berta")
    await back.acts(ActionType.ENTER_MAP)
    await alric.desk.enter("alric")
    await back.acts(ActionType.SURROUNDINGS)
    assert told(back, Friend) == [], "it has no list yet"
    await back.acts(ActionType.FRIENDS)
    assert shown(back).friends == {number: ("Alric", True)}


async def test_who_is_taken_off_stays_where_the_other_has_one() -> None:
    alric, berta = await befriended()
    await does(alric, FriendAction.BREAK, berta.number)
    assert told(alric, Friend) == [friend(berta.number, 14, 1, "Berta")]
    assert told(berta, Friend) == []
    assert shown(alric).friends == {}
    assert shown(berta).friends == {alric.number: ("Alric", True)}


async def test_who_is_listed_in_words_is_on_the_clients_list() -> None:
    alric, berta = await pair()
    await alric.talks("/friend Berta", 2000)
    assert shown(alric).friends == {berta.number: ("Berta", True)}
    assert shown(berta).friends == {}
    await alric.talks("/unfriend Berta", 2000)
    assert shown(alric).friends == {}


@VERSIONS
async def test_the_client_asks_for_more_of_a_friend(version: CoVersion) -> None:
    alric, berta = await befriended(version)
    berta.mobile.strength = 2_000
    granting.make(berta.mobile, GOLD, guilds.FEE)
    guild = guilds.found(berta.mobile, "Weavers", "WV")
    await alric.desk.wait(1.1)
    told(alric)
    await alric.acts(ActionType.FRIEND_INFO, data=berta.number)
    look = alric.figures.look(berta.mobile)
    size, tail = (36, "") if version is CoVersion.V5017 else (40, u32(0))
    # 2033: who 4, look 8, level 12, profession 13, points 14, guild 16, rank 19, mate 20; enemy 36 (Redux)
    assert told(alric, FriendInfo) == [
        f"{size:02x}00f107{u32(berta.number)}{u32(look)}010a0000{guild.number:02x}000064{name16('None')}{tail}"
    ]
    assert shown(alric).looked_at == [berta.number, look, 1, 10, 0, guild.number, 100]


async def test_there_is_no_more_of_who_is_away_or_no_friend() -> None:
    alric, berta = await befriended()
    number = berta.number
    berta.hang_up()
    await alric.desk.wait(15)
    for asked, why in ((number, AWAY.format("Berta")), (alric.number, friends.NO_FRIEND)):
        await alric.desk.wait(1.1)
        alric.got.clear()
        await alric.acts(ActionType.FRIEND_INFO, data=asked)
        assert alric.lines() == [why]


# Words


async def test_who_is_ignored_is_told_so_when_it_whispers() -> None:
    alric, berta = await befriended()
    ignoring.ignore(berta.mobile, "Alric")
    alric.desk.turn()
    told(berta)
    await alric.talks("hello", 2001, "Berta")
    assert alric.lines() == [Refusal.IGNORED.value]
    assert berta.lines() == []


async def test_the_help_tells_how_to_report_somebody() -> None:
    alric, _ = await pair()
    await alric.talks("/help report", 2000)
    assert any("report NAME TEXT" in line for line in alric.lines())
    await alric.talks("/report Berta she is rude", 2000)
    assert len(alric.desk.world.records.all(Report)) == 1
