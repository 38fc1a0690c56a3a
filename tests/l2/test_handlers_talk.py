"""Lineage II: words, gestures, orders."""

from __future__ import annotations

import pytest

from protocol.l2.handlers import talk
from protocol.l2.packets import (
    ActionFailed,
    ChatType,
    CreatureSay,
    RequestGmList,
    RequestPetition,
    RequestSocialAction,
    Say2,
    SendBypassBuildCmd,
    SocialAction,
    SystemMessage,
    SystemMessageId,
    text,
)
from tests.kit.l2_desk import Desk, Player
from world.mobile import Access


def heard(player: Player) -> list[tuple[str, int, str]]:
    """What it was told: the name it stands under, the kind of chat, the words."""
    return [(words.name, words.type, words.text) for words in player.took(CreatureSay)]


async def three(desk: Desk) -> tuple[Player, Player, Player]:
    """Two that stand together, and one who is far away."""
    players = (
        await desk.enter("alric"),
        await desk.enter("berta", (22, 22)),
        await desk.enter("cedric", (55, 55)),
    )
    for player in players:
        player.got.clear()
    return players


async def test_words_are_heard_by_those_around() -> None:
    desk = Desk()
    alric, berta, cedric = await three(desk)
    await alric.says_text("Good day!")
    assert heard(alric) == heard(berta) == [("Alric", ChatType.ALL, "Good day!")]
    assert heard(cedric) == []


async def test_a_shout_carries_farther_than_words() -> None:
    desk = Desk()
    alric, far = await desk.enter("alric", (10, 20)), await desk.enter("berta", (27, 20))
    await alric.says_text("Good day!")
    assert heard(far) == []
    await alric.says_text("Good day!", ChatType.SHOUT)
    assert heard(far) == [("Alric", ChatType.SHOUT, "Good day!")]


async def test_a_tell_finds_its_way_and_comes_back_to_who_said_it() -> None:
    desk = Desk()
    alric, berta, cedric = await three(desk)
    await alric.says_text("Psst", ChatType.TELL, "CEDRIC")
    assert heard(alric) == [("->Cedric", ChatType.TELL, "Psst")]
    assert heard(cedric) == [("Alric", ChatType.TELL, "Psst")]
    assert heard(berta) == []


async def test_a_tell_to_nobody_is_said_to_be_one() -> None:
    desk = Desk()
    alric, berta, cedric = await three(desk)
    for name in ("nobody", ""):
        alric.got.clear()
        await alric.says_text("Psst", ChatType.TELL, name)
        told = alric.only(SystemMessage)
        assert told.message_id == SystemMessageId.NOT_LOGGED_IN
        assert told.parameters == (text(name),)
        assert alric.got == []
    assert heard(berta) == heard(cedric) == []


async def test_trade_chat_is_the_global_chat_of_all_games() -> None:
    desk = Desk()
    alric, _, cedric = await three(desk)
    await alric.says_text("Selling apples", ChatType.TRADE)
    assert heard(alric) == [("Alric", ChatType.TRADE, "Selling apples")]
    assert [(name, words) for name, _, words in heard(cedric)] == [("Alric", "Selling apples")]


async def test_nobody_floods_the_global_chat() -> None:
    desk = Desk()
    alric, _, cedric = await three(desk)
    for number in range(10):
        await alric.says_text(f"Apple {number}", ChatType.TRADE)
        await desk.wait(0.1)
    assert [words for _, _, words in heard(cedric)] == ["Apple 0", "Apple 1", "Apple 2"]


async def test_announcements_are_for_staff() -> None:
    desk = Desk()
    alric, _, cedric = await three(desk)
    await alric.says_text("Hear ye", ChatType.ANNOUNCEMENT)
    assert heard(cedric) == []
    alric.mobile.access = Access.GAME_MASTER
    await alric.says_text("Hear ye", ChatType.ANNOUNCEMENT)
    assert [(kind, words) for _, kind, words in heard(cedric)] == [(ChatType.ANNOUNCEMENT, "Hear ye")]


async def test_one_may_ask_which_of_the_staff_are_there() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty", (22, 20))
    await alric.says(RequestGmList())
    assert alric.told() == ["None of the staff is here."]
    betty.mobile.access = Access.COUNSELOR
    await alric.says(RequestGmList())
    assert alric.told() == ["Of the staff: Betty."]
    betty.mobile.hidden = True
    await alric.says(RequestGmList())
    assert alric.told() == ["None of the staff is here."]


async def test_staff_talks_among_itself() -> None:
    desk = Desk()
    alric, berta, cedric = await three(desk)
    cedric.mobile.access = Access.COUNSELOR
    await alric.says_text("Psst", ChatType.GM)
    assert cedric.got == []
    alric.mobile.access = Access.COUNSELOR
    await alric.says_text("Psst", ChatType.GM)
    assert "Psst" in str(cedric.got)
    assert berta.got == []


@pytest.mark.parametrize("kind", [3, 4, 6, 7, 9, 11, 15, 16, 18, 19, 24, -1, 0x7FFFFFFF])
async def test_other_chats_reach_nobody(kind: int) -> None:
    desk = Desk()
    alric, berta, cedric = await three(desk)
    await alric.says_text("Anybody?", kind)
    assert berta.got == cedric.got == []


async def test_what_nobody_can_read_is_not_said() -> None:
    desk = Desk()
    alric, berta, _ = await three(desk)
    for words in ("", "   ", "\x01\x02", "\u202e"):
        await alric.says_text(words)
    assert heard(berta) == []
    await alric.says_text("a\u202eb\x07c" + "x" * 500)
    ((_, _, said),) = heard(berta)
    assert said.startswith("abcxxx")
    assert len(said) <= 128


@pytest.mark.parametrize("kind", [ChatType.ALL, ChatType.SHOUT, ChatType.TELL, ChatType.TRADE, 99])
async def test_an_order_is_for_the_server_alone_whatever_the_chat(kind: int) -> None:
    desk = Desk()
    alric, berta, cedric = await three(desk)
    await alric.says_text(".where", kind, "Cedric")
    assert desk.orders == ["where"]
    assert heard(alric) == heard(berta) == heard(cedric) == []


async def test_what_is_no_order() -> None:
    desk = Desk()
    alric, berta, _ = await three(desk)
    for words in ("...", ". where", ".5 is a half"):
        await alric.says_text(words)
    assert desk.orders == []
    assert [words for _, _, words in heard(berta)] == ["...", ". where", ".5 is a half"]


async def test_no_log_shows_an_order() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    for message, hidden in (
        (Say2(".password old new", 0, ""), True),
        (Say2("hello", 0, ""), False),
        (SendBypassBuildCmd("password old new"), True),
    ):
        frame = alric.session.dialect.encode(message)
        entry = alric.table.entry(alric.table.opcode_of_frame(frame))
        assert entry is not None
        assert entry.hides(frame) is hidden


async def test_the_games_own_way_to_give_orders() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await alric.says(SendBypassBuildCmd(" where "), SendBypassBuildCmd("  "))
    assert desk.orders == ["where"]


async def test_gestures_are_seen_in_every_game() -> None:
    desk = Desk()
    alric, berta, _ = await three(desk)
    for action, (name, words) in talk.GESTURES.items():
        await alric.says(RequestSocialAction(action))
        shown = [social.action for social in berta.took(SocialAction)]
        assert shown == [social.action for social in alric.took(SocialAction)]
        assert len(shown) == 1
        assert len(alric.took(ActionFailed)) == 1, "the next click counts"
        if words:
            assert shown == [action]
            assert name == ""
            assert heard(berta) == heard(alric) == []
        await desk.wait(0.2)


@pytest.mark.parametrize("action", [0, 1, 14, 15, 16, -1, 999])
async def test_what_no_player_can_choose_is_refused(action: int) -> None:
    desk = Desk()
    alric, berta, _ = await three(desk)
    await alric.says(RequestSocialAction(action))
    assert sorted(alric.kinds()) == ["ActionFailed", "SystemMessage"]
    assert berta.got == []


async def test_the_dead_make_no_gestures() -> None:
    desk = Desk()
    alric, berta, _ = await three(desk)
    alric.mobile.dead = True
    await desk.wait(0.1)
    alric.got.clear()
    berta.got.clear()
    await alric.says(RequestSocialAction(2))
    assert alric.took(ActionFailed)
    assert berta.took(SocialAction) == []


async def test_a_petition_calls_the_staff() -> None:
    desk = Desk()
    alric, betty = await desk.enter("alric"), await desk.enter("betty")
    betty.mobile.access = Access.COUNSELOR
    for message, words in (
        (RequestPetition("I am stuck.", 1), "I am stuck."),
        (Say2("Still stuck.", ChatType.PETITION_PLAYER), "Still stuck."),
    ):
        betty.got.clear()
        await alric.says(message)
        assert any(f"(help) Alric: {words}" in str(one) for one in betty.got)
    alric.got.clear()
    await alric.says(RequestPetition(" ", 1))
    assert "You have to say what it is about." in str(alric.got)
