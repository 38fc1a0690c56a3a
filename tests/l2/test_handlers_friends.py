"""Friends: asking, answering, listing, forgetting, and what is kept."""

from __future__ import annotations

import pytest

from protocol.l2 import keepsakes
from protocol.l2.handlers.friends import MOST_FRIENDS
from protocol.l2.packets import (
    ActionFailed,
    CharacterSelect,
    EnterWorld,
    FriendAddRequest,
    FriendList,
    Message,
    RequestAnswerFriendInvite,
    RequestFriendDel,
    RequestFriendInvite,
    RequestFriendList,
    RequestRestart,
    SystemMessage,
)
from tests.kit.l2_desk import Desk, Player
from world import dialogs


def told(player: Player) -> list[str]:
    """Lines of the server's that it was told."""
    return [str(message.parameters[0].value) for message in player.took(SystemMessage) if message.parameters]


async def runs(player: Player) -> None:
    """Its jobs run, which an answer of somebody else gave it."""
    await player.says(ANYTHING)


ANYTHING: Message = RequestFriendList()


async def friends(desk: Desk) -> tuple[Player, Player]:
    """Alric and Betty, who agreed."""
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    await alric.says(RequestFriendInvite("betty"))
    await betty.says(RequestAnswerFriendInvite(1))
    await runs(alric)
    return alric, betty


async def test_both_are_friends_if_the_other_agrees() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    assert alric.session.keepsakes.friends == {betty.mobile.serial: "Betty"}
    assert betty.session.keepsakes.friends == {alric.mobile.serial: "Alric"}
    (entry,) = betty.only(FriendList).friends
    assert (entry.character_id, entry.name, entry.online) == (alric.mobile.serial, "Alric", 1)
    assert "Betty is your friend now." in told(alric)
    for player in (alric, betty):
        note = desk.notes[player.mobile.serial, keepsakes.GAME, keepsakes.FRIENDS]
        assert keepsakes.read_friends(note) == player.session.keepsakes.friends


async def test_nobody_is_a_friend_before_the_answer_or_after_a_no() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    await alric.says(RequestFriendInvite("Betty"))
    assert alric.took(ActionFailed)
    assert [dialog.name for dialog in betty.mobile.dialogs.values()] == [keepsakes.FRIENDSHIP]
    assert betty.only(FriendAddRequest).name == "Alric"
    assert alric.session.keepsakes.friends == {}
    await betty.says(RequestAnswerFriendInvite(0))
    assert alric.session.keepsakes.friends == betty.session.keepsakes.friends == {}
    desk.turn()
    assert "Betty does not want to be your friend." in told(alric)


async def test_a_yes_is_for_whose_question_was_there_first() -> None:
    """The answer does not say whom it is for, and the window shows the first name."""
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    carla = await desk.enter("carla", (21, 21))
    await alric.says(RequestFriendInvite("Betty"))
    await carla.says(RequestFriendInvite("Betty"))
    assert betty.only(FriendAddRequest).name == "Alric"
    await betty.says(RequestAnswerFriendInvite(1))
    assert list(betty.session.keepsakes.friends) == [alric.mobile.serial]
    assert carla.session.keepsakes.friends == {}
    desk.turn()
    assert "Somebody else is asking Betty already." in told(carla)


async def test_an_answer_counts_once_and_only_if_somebody_asked() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    betty.got.clear()
    await betty.says(RequestFriendDel("Alric"), RequestAnswerFriendInvite(1))
    assert betty.session.keepsakes.friends == {}
    await alric.says(RequestAnswerFriendInvite(1))
    assert len(alric.session.keepsakes.friends) == 1


async def test_somebody_of_another_game_answers_as_it_answers_anything() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    await alric.says(RequestFriendInvite("Betty"))
    (dialog,) = betty.mobile.dialogs.values()
    assert "Alric" in dialog.text
    assert dialogs.answer(betty.mobile, dialog.serial, dialog.type_id, 1)
    await runs(alric)
    assert alric.session.keepsakes.friends == {betty.mobile.serial: "Betty"}


async def test_who_asked_may_be_gone_by_then() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    await alric.says(RequestFriendInvite("Betty"), RequestRestart())
    await betty.says(RequestAnswerFriendInvite(1))
    assert betty.session.keepsakes.friends == {}
    assert betty.line.ending is alric.line.ending is None


async def test_an_answer_is_for_the_character_that_asked() -> None:
    desk = Desk()
    betty, alric = await desk.enter("betty", (22, 20)), await desk.in_menu("alric", characters=2)
    await alric.says(CharacterSelect(0), EnterWorld(), RequestFriendInvite("betty"))
    await alric.says(RequestRestart(), CharacterSelect(1), EnterWorld())
    assert alric.mobile.name == "Alricb"
    await betty.says(RequestAnswerFriendInvite(1))
    await runs(alric)
    assert alric.session.keepsakes.friends == {}


@pytest.mark.parametrize(
    ("name", "words"),
    [("Nobody", "There is no Nobody here."), ("alric", "You cannot be your own friend.")],
)
async def test_who_cannot_be_asked(name: str, words: str) -> None:
    alric = await Desk().enter("alric")
    await alric.says(RequestFriendInvite(name))
    assert words in told(alric)
    assert alric.took(ActionFailed)


async def test_a_friend_is_not_asked_again() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    await alric.says(RequestFriendInvite("betty"))
    assert "Betty is your friend already." in told(alric)
    assert not betty.mobile.dialogs


async def test_there_is_room_for_so_many() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    alric.session.keepsakes.friends.update({1000 + number: "Somebody" for number in range(MOST_FRIENDS)})
    await alric.says(RequestFriendInvite("betty"))
    assert not betty.mobile.dialogs
    assert any("more cannot be kept" in line for line in told(alric))


async def test_the_list_says_who_is_there() -> None:
    desk = Desk()
    alric, betty = await friends(desk)
    await betty.says(RequestRestart())
    alric.got.clear()
    await alric.says(RequestFriendList())
    assert told(alric) == ["Your friends: Betty (offline)"]
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
    assert "Betty is not your friend any more." in told(alric)
    assert desk.notes[alric.mobile.serial, keepsakes.GAME, keepsakes.FRIENDS] == "[]"
    assert betty.session.keepsakes.friends != {}
    await alric.says(RequestFriendDel("Betty"))
    assert "Betty is not among your friends." in told(alric)
