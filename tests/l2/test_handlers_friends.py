"""Friends: asking, answering, listing, forgetting, and what is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from protocol.l2 import notes
from protocol.l2.handlers.friends import MOST_FRIENDS
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
from world import dialogs

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable


def lines(player: Player) -> list[tuple[int, str]]:
    """The client's own texts that it was told to show, and whose name stands in them."""
    shown = [one for one in player.took(SystemMessage) if one.message_id != SystemMessageId.TEXT]
    return [(one.message_id, "".join(str(word.value) for word in one.parameters)) for one in shown]


class JobsThatWait(list["Callable[[], Awaitable[None]]"]):
    """Jobs of the server that do not get their turn yet."""

    waiting = True

    def __bool__(self) -> bool:
        return not self.waiting and len(self) > 0


async def friends(desk: Desk) -> tuple[Player, Player]:
    """Alric and Betty, who agreed."""
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    await alric.says(RequestFriendInvite("betty"))
    await betty.says(RequestAnswerFriendInvite(1))
    return alric, betty


async def test_both_are_friends_if_the_other_agrees() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    assert alric.session.notes.friends == {betty.mobile.serial: "Betty"}
    assert betty.session.notes.friends == {alric.mobile.serial: "Alric"}
    (entry,) = betty.only(FriendList).friends
    assert (entry.character_id, entry.name, entry.online) == (alric.mobile.serial, "Alric", 1)
    assert (132, "Betty") in lines(alric), "she is in the list"
    for player in (alric, betty):
        note = await desk.note(player.mobile.serial, notes.GAME, notes.FRIENDS)
        assert notes.read_friends(note) == player.session.notes.friends


async def test_nobody_is_a_friend_before_the_answer_or_after_a_no() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    await alric.says(RequestFriendInvite("Betty"))
    assert alric.took(ActionFailed)
    assert [dialog.name for dialog in betty.mobile.dialogs.values()] == [notes.FRIENDSHIP]
    assert betty.only(FriendAddRequest).name == "Alric"
    assert alric.session.notes.friends == {}
    await betty.says(RequestAnswerFriendInvite(0))
    assert alric.session.notes.friends == betty.session.notes.friends == {}
    desk.turn()
    assert "Betty does not want to be your friend." in alric.told()


async def test_a_yes_is_for_whose_question_was_there_first() -> None:
    """The answer does not say whom it is for, and the window shows the first name."""
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    carla = await desk.enter("carla", (21, 21))
    await alric.says(RequestFriendInvite("Betty"))
    await carla.says(RequestFriendInvite("Betty"))
    assert betty.only(FriendAddRequest).name == "Alric"
    await betty.says(RequestAnswerFriendInvite(1))
    assert list(betty.session.notes.friends) == [alric.mobile.serial]
    assert carla.session.notes.friends == {}
    desk.turn()
    assert "Somebody else is asking Betty already." in carla.told()


async def test_an_answer_counts_once_and_only_if_somebody_asked() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    betty.got.clear()
    await betty.says(RequestFriendDel("Alric"), RequestAnswerFriendInvite(1))
    assert betty.session.notes.friends == {}
    await alric.says(RequestAnswerFriendInvite(1))
    assert len(alric.session.notes.friends) == 1


async def test_somebody_of_another_game_answers_as_it_answers_anything() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    await alric.says(RequestFriendInvite("Betty"))
    (dialog,) = betty.mobile.dialogs.values()
    assert "Alric" in dialog.text
    assert dialogs.answer(betty.mobile, dialog.serial, dialog.type_id, 1)
    assert alric.session.notes.friends == {betty.mobile.serial: "Betty"}


async def test_who_asked_may_be_gone_by_then() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    await alric.says(RequestFriendInvite("Betty"), RequestRestart())
    await betty.says(RequestAnswerFriendInvite(1))
    assert betty.session.notes.friends == {}
    assert betty.line.ending is alric.line.ending is None


async def test_an_answer_is_for_the_character_that_asked() -> None:
    desk = Desk()
    betty, alric = await desk.enter("betty", (22, 20)), await desk.in_menu("alric", characters=2)
    await alric.says(CharacterSelect(0), EnterWorld(), RequestFriendInvite("betty"))
    await alric.says(RequestRestart(), CharacterSelect(1), EnterWorld())
    assert alric.mobile.name == "Alricb"
    await betty.says(RequestAnswerFriendInvite(1))
    assert alric.session.notes.friends == {}


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
    alric.session.notes.friends.update({1000 + number: "Somebody" for number in range(MOST_FRIENDS)})
    await alric.says(RequestFriendInvite("betty"))
    assert not betty.mobile.dialogs
    assert any("more cannot be kept" in line for line in alric.told())


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
    assert await desk.note(alric.mobile.serial, notes.GAME, notes.FRIENDS) == "[]"
    assert betty.session.notes.friends != {}
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
    await betty.says(CharacterSelect(0), EnterWorld())
    alric.got.clear()
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
    await desk.wait(2.1)
    assert lines(alric) == [(503, "Betty")]
    assert alric.only(FriendList).friends[0].online == 1
    await alric.says(RequestFriendList())
    assert (488, "Betty") in lines(alric)
    other.online = False
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


async def test_nobody_looks_for_friends_of_whom_there_are_none() -> None:
    desk = Desk()
    carla = await desk.enter("carla")
    assert carla.session.watch is None
    alric, betty = await friends(desk)
    watches = [player.session.watch for player in (alric, betty)]
    assert [watch is not None and watch.active for watch in watches] == [True, True]
    await alric.says(RequestFriendDel("Betty"))
    assert alric.session.watch is None
    assert [watch is not None and watch.active for watch in watches] == [False, True]


async def test_who_has_left_is_told_nothing() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    await alric.says(RequestRestart())
    alric.got.clear()
    await betty.says(RequestRestart())
    await desk.wait(3)
    assert alric.got == []


# What is kept


async def test_a_friendship_is_kept_though_a_client_goes_in_the_same_turn() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    asker, asked = alric.mobile.serial, betty.mobile.serial
    await alric.says(RequestFriendInvite("betty"))
    desk.jobs = held = JobsThatWait(desk.jobs)
    await betty.says(RequestAnswerFriendInvite(1))
    for player in (alric, betty):
        player.hang_up()
        player.line.jobs.clear()  # what belongs to the connection is over with it
    assert len(held) == 2
    held.waiting = False
    await desk.run_jobs()
    for mine, other in ((asker, asked), (asked, asker)):
        assert list(notes.read_friends(await desk.note(mine, notes.GAME, notes.FRIENDS))) == [other]


async def test_what_was_changed_last_is_what_is_kept_in_whatever_order_it_is_written() -> None:
    desk = Desk()
    alric, _ = await friends(desk)
    desk.jobs = held = JobsThatWait(desk.jobs)
    await alric.says(RequestFriendDel("betty"))
    alric.session.notes.friends[7] = "Carla"
    await alric.says(RequestFriendDel("carla"))
    held.waiting = False
    held.reverse()
    await desk.run_jobs()
    assert await desk.note(alric.mobile.serial, notes.GAME, notes.FRIENDS) == "[]"


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
