"""Friends: asking, answering, listing, forgetting, and what is kept."""

from __future__ import annotations

import pytest

from protocol.l2 import notes
from protocol.l2.packets import (
    ActionFailed,
    CharacterSelect,
    ChatType,
    CreatureSay,
    EnterWorld,
    FriendAddRequest,
    FriendList,
    FriendRecvMsg,
    RequestAnswerFriendInvite,
    RequestFriendDel,
    RequestFriendInvite,
    RequestFriendList,
    RequestRestart,
    RequestSendFriendMsg,
    SystemMessage,
    SystemMessageId,
)
from tests.kit.l2_desk import Desk, Player
from world import dialogs, ignoring, speech
from world.directory import Known
from world.friends import FRIENDSHIP, MOST, add, friends_of, stirred
from world.reach import Cannot, Refusal


def lines(player: Player) -> list[tuple[int, str]]:
    """The client's own texts that it was told to show, and whose name stands in them."""
    shown = [one for one in player.took(SystemMessage) if one.message_id != SystemMessageId.TEXT]
    return [(one.message_id, "".join(str(word.value) for word in one.parameters)) for one in shown]


def names(player: Player) -> dict[int, str]:
    """Who is on its character's list."""
    return dict(friends_of(player.mobile))


async def friends(desk: Desk) -> tuple[Player, Player]:
    """Alric and Betty, who agreed."""
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    await alric.says(RequestFriendInvite("betty"))
    await betty.says(RequestAnswerFriendInvite(1))
    return alric, betty


async def test_both_are_friends_if_the_other_agrees() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    assert names(alric) == {betty.mobile.serial: "Betty"}
    assert names(betty) == {alric.mobile.serial: "Alric"}
    desk.turn()
    (entry,) = betty.only(FriendList).friends
    assert (entry.character_id, entry.name, entry.online) == (alric.mobile.serial, "Alric", 1)
    assert (132, "Betty") in lines(alric), "she is in the list"


async def test_nobody_is_a_friend_before_the_answer_or_after_a_no() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    await alric.says(RequestFriendInvite("Betty"))
    assert alric.took(ActionFailed)
    assert [dialog.name for dialog in betty.mobile.dialogs.values()] == [FRIENDSHIP]
    assert betty.only(FriendAddRequest).name == "Alric"
    assert names(alric) == {}
    await betty.says(RequestAnswerFriendInvite(0))
    assert names(alric) == names(betty) == {}
    desk.turn()
    assert "Betty does not want to." in alric.told()


async def test_a_yes_is_for_whose_question_was_there_first() -> None:
    """The answer does not say whom it is for, and the window shows the first name."""
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    carla = await desk.enter("carla", (21, 21))
    await alric.says(RequestFriendInvite("Betty"))
    await carla.says(RequestFriendInvite("Betty"))
    assert betty.only(FriendAddRequest).name == "Alric"
    await betty.says(RequestAnswerFriendInvite(1))
    assert list(names(betty)) == [alric.mobile.serial]
    assert names(carla) == {}
    desk.turn()
    assert str(Cannot(Refusal.ENGAGED)) in carla.told()


async def test_an_answer_counts_once_and_only_if_somebody_asked() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    betty.got.clear()
    await betty.says(RequestFriendDel("Alric"), RequestAnswerFriendInvite(1))
    assert names(betty) == {}
    await alric.says(RequestAnswerFriendInvite(1))
    assert len(names(alric)) == 1


async def test_somebody_of_another_game_answers_as_it_answers_anything() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    await alric.says(RequestFriendInvite("Betty"))
    (dialog,) = betty.mobile.dialogs.values()
    assert "Alric" in dialog.text
    assert dialogs.answer(betty.mobile, dialog.serial, dialog.type_id, 1)
    assert names(alric) == {betty.mobile.serial: "Betty"}


async def test_who_asked_may_be_gone_by_then() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    await alric.says(RequestFriendInvite("Betty"), RequestRestart())
    await betty.says(RequestAnswerFriendInvite(1))
    assert names(betty) == {}
    assert betty.line.ending is alric.line.ending is None


async def test_an_answer_is_for_the_character_that_asked() -> None:
    desk = Desk()
    betty, alric = await desk.enter("betty", (22, 20)), await desk.in_menu("alric", characters=2)
    await alric.says(CharacterSelect(0), EnterWorld(), RequestFriendInvite("betty"))
    await alric.says(RequestRestart(), CharacterSelect(1), EnterWorld())
    assert alric.mobile.name == "Alricb"
    await betty.says(RequestAnswerFriendInvite(1))
    assert names(alric) == {}


@pytest.mark.parametrize(
    ("name", "line"),
    [("Nobody", (3, "Nobody")), ("alric", (165, ""))],
)
async def test_who_cannot_be_asked(name: str, line: tuple[int, str]) -> None:
    alric = await Desk().enter("alric")
    await alric.says(RequestFriendInvite(name))
    assert lines(alric) == [line], "not logged in; oneself cannot be added"
    assert alric.took(ActionFailed)


async def test_a_friend_is_not_asked_again() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    await desk.wait(3)
    await alric.says(RequestFriendInvite("betty"))
    assert (167, "Betty") in lines(alric), "she is in the list already"
    assert not betty.mobile.dialogs


async def test_there_is_room_for_so_many() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    for number in range(MOST):
        add(alric.mobile, Known(1000 + number, "Somebody"))
    alric.got.clear()
    await alric.says(RequestFriendInvite("betty"))
    assert not betty.mobile.dialogs
    assert str(Cannot(Refusal.MANY)) in alric.told()


async def test_the_list_says_who_is_there() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    await betty.says(RequestRestart())
    alric.got.clear()
    await alric.says(RequestFriendList())
    assert lines(alric) == [(487, ""), (489, "Betty"), (490, "")]
    betty.got.clear()
    await betty.says(RequestFriendList())
    assert betty.got == []  # it is in the menu


async def test_friends_are_there_at_the_next_login() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    await alric.says(RequestRestart(), CharacterSelect(0))
    alric.got.clear()
    await alric.says(EnterWorld())
    (entry,) = alric.only(FriendList).friends
    assert (entry.name, entry.online, entry.object_id) == ("Betty", 1, betty.mobile.serial)


async def test_forgetting_somebody() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    alric.got.clear()
    await alric.says(RequestFriendDel("bETTY"))
    assert alric.only(FriendList).friends == ()
    assert lines(alric) == [(133, "Betty")], "she was removed"
    assert names(betty) != {}
    await alric.says(RequestFriendDel("Betty"))
    assert lines(alric) == [(171, "Betty")], "she is not in the list"


# Coming and going


async def test_who_has_friends_hears_of_it_when_they_come_and_go() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    await desk.wait(3)
    alric.got.clear()
    await betty.says(RequestRestart())
    await desk.wait(2.1)
    assert lines(alric) == [(489, "Betty")]
    (entry,) = alric.only(FriendList).friends
    assert (entry.character_id, entry.online, entry.object_id) == (betty.session.last_played, 0, 0)
    alric.got.clear()
    await betty.says(CharacterSelect(0), EnterWorld())
    await desk.wait(2.1)
    assert lines(alric) == [(503, "Betty")]
    (entry,) = alric.only(FriendList).friends
    assert (entry.online, entry.object_id) == (1, betty.mobile.serial)
    await desk.wait(5)
    assert alric.took(FriendList) == []


async def test_it_does_not_matter_from_which_game_a_friend_comes() -> None:
    """The world alone says who is there."""
    desk = Desk()
    alric, betty = await friends(desk)
    other = betty.mobile
    await betty.says(RequestRestart())
    await desk.wait(2.1)
    alric.got.clear()
    desk.world.enter(other, desk.world.realms["plain"], 50, 50)
    other.online = True
    stirred(other)
    await desk.wait(2.1)
    assert lines(alric) == [(503, "Betty")]
    assert alric.only(FriendList).friends[0].online == 1
    await alric.says(RequestFriendList())
    assert (488, "Betty") in lines(alric)
    other.online = False
    stirred(other)
    await desk.wait(2.1)
    assert lines(alric) == [(489, "Betty")]


async def test_who_loads_hears_of_its_friends_afterwards() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 21, 22)
    await desk.wait(0.1)
    assert alric.session.loading
    await betty.says(RequestRestart())
    alric.got.clear()
    await desk.wait(3)
    assert alric.got == []
    await alric.appears()
    await desk.wait(2.1)
    assert (489, "Betty") in lines(alric)


async def test_who_has_left_is_told_nothing() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    await alric.says(RequestRestart())
    alric.got.clear()
    await betty.says(RequestRestart())
    await desk.wait(3)
    assert alric.got == []


# What was kept


async def test_a_list_that_this_game_kept_itself_is_the_worlds_from_the_next_login_on() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    serial = alric.mobile.serial
    await alric.says(RequestRestart())
    old = notes.write_friends({betty.mobile.serial: "Betty", 9000: "Gone"})
    await alric.session.services.characters.keep(alric.session, serial, notes.GAME, notes.FRIENDS, old)
    await alric.says(CharacterSelect(0))
    alric.got.clear()
    await alric.says(EnterWorld())
    assert names(alric) == {betty.mobile.serial: "Betty"}
    (entry,) = alric.only(FriendList).friends
    assert entry.name == "Betty"
    await desk.run_jobs()
    assert await desk.note(serial, notes.GAME, notes.FRIENDS) == "[]"


# Words


async def test_words_for_a_friend_come_in_a_window_of_their_own() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    await alric.says(RequestSendFriendMsg("hello\nyou", "betty"))
    assert betty.only(FriendRecvMsg) == FriendRecvMsg("Betty", "Alric", "helloyou")
    assert alric.took(FriendRecvMsg) == []
    raw = betty.session.dialect.encode(FriendRecvMsg("Bo", "Al", "hi"))
    assert raw == b"\xfd" + bytes(4) + "Bo\0Al\0hi\0".encode("utf-16-le")


@pytest.mark.parametrize("name", ["Carla", "Nobody", ""])
async def test_words_for_somebody_else_are_not_delivered(name: str) -> None:
    desk = Desk()
    alric, _ = await friends(desk)
    carla = await desk.enter("carla", (21, 21))
    alric.got.clear()
    await alric.says(RequestSendFriendMsg("hello", name))
    assert lines(alric) == [(145, "")]
    assert carla.got == []


async def test_who_is_no_friend_any_more_is_not_there_for_words() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    await betty.says(RequestFriendDel("Alric"))
    alric.got.clear()
    await alric.says(RequestSendFriendMsg("hello", "Betty"))
    assert lines(alric) == [(145, "")]
    assert betty.took(FriendRecvMsg) == []


async def test_a_friend_who_loads_hears_it_when_it_is_there() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    desk.world.warp(betty.mobile, desk.world.realms["plain"], 21, 22)
    await desk.wait(0.1)
    betty.got.clear()
    await alric.says(RequestSendFriendMsg("hello", "Betty"))
    assert betty.took(FriendRecvMsg) == []
    await betty.appears()
    (said,) = betty.took(CreatureSay)
    assert (said.type, said.name, said.text) == (ChatType.TELL, "Alric", "hello")


async def test_a_friend_who_is_played_from_another_game_is_told_as_that_game_tells() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    # Whoever plays Betty's character now does so from a client that is none of this game's.
    desk.family.view.players._sessions.pop(betty.session.id)  # type: ignore[attr-defined]
    await alric.says(RequestSendFriendMsg("hello", "Betty"))
    assert betty.took(FriendRecvMsg) == []
    assert betty.only(CreatureSay).type == ChatType.TELL


async def test_who_is_silenced_or_ignored_has_no_words_for_a_friend_either() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    ignoring.ignore(betty.mobile, "Alric")
    await alric.says(RequestSendFriendMsg("hello", "Betty"))
    assert str(Cannot(Refusal.IGNORED)) in alric.told()
    ignoring.heed(betty.mobile, "Alric")
    desk.world.gags[alric.mobile.account] = desk.world.now + 60
    await alric.says(RequestSendFriendMsg("hello", "Betty"))
    assert betty.took(FriendRecvMsg) == []
    with pytest.raises(Cannot):
        speech.confided(alric.mobile, betty.mobile, "hello")
