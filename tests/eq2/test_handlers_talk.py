"""Slash commands, and talking, which is such."""

from __future__ import annotations

import pytest

from protocol.endings import Ending
from protocol.eq2.handlers import table
from protocol.eq2.packets import (
    Camp,
    CannedEmote,
    DisplayText,
    HearChat,
    RemoteCmd,
    Target,
    UpdateBank,
)
from protocol.wishes import Wish
from tests.kit.eq2_desk import Desk, Player
from tests.kit.worlds import rename
from world import speech


def lines(player: Player) -> list[str]:
    """What the player was told, in words."""
    return [line.text for line in player.took(DisplayText)]


def heard(player: Player) -> list[tuple[int, str, str]]:
    """Channel, speaker and words of what it heard."""
    return [(chat.channel, chat.sender, chat.text) for chat in player.took(HearChat)]


def test_every_word_means_something() -> None:
    assert table.without_meaning() == set()
    assert len(set(table.NAMES)) == len(table.NAMES)


def test_numbers_stay_what_they_are() -> None:
    first = (
        "say",
        "shout",
        "ooc",
        "tell",
        "emote",
        "who",
        "target",
        "camp",
        "quit",
        "use_ability",
        "inventory",
    )
    assert table.NAMES[:11] == first
    assert table.NAMES[11:21] == (
        *(
            "ready_for_takeoff",
            "sit",
            "stand",
            "take",
            "drop",
            "open",
            "wear",
            "remove",
            "answer",
            "causeway",
        ),
    )


@pytest.mark.parametrize("number", [len(table.NAMES), 0xFFFF])
async def test_a_number_without_a_word_is_answered(number: int) -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(RemoteCmd(number, "hello"))
    await desk.wait(0.3)
    assert lines(player) == [Wish.UNKNOWN.value]
    assert player.line.ending is None


@pytest.mark.parametrize("word", [*table.WISHES, "inventory", "autoattack"])
async def test_every_word_of_the_client_is_answered(word: str) -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(RemoteCmd(table.number_of(word), "0"))
    await desk.wait(0.3)
    (line,) = lines(player)
    assert line == table.WISHES[word].value if word in table.WISHES else line


@pytest.mark.parametrize("text", ["", " ", "x" * 5000, "1 2 3", "\0\x01\xff", "9" * 400, "bread 99999999999"])
async def test_no_word_is_hurt_by_what_is_typed_behind_it(text: str) -> None:
    desk = Desk()
    player = await desk.enter("alric")
    for word in table.NAMES:
        if word != "quit":
            await player.says(RemoteCmd(table.number_of(word), text))
    await desk.wait(0.1)
    assert player.line.ending is None
    await player.says(RemoteCmd(table.number_of("quit"), text))
    assert player.line.ending is Ending.CLIENT_LEFT


async def test_words_are_heard_by_those_around() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    near, far = await desk.enter("berta", (24, 20)), await desk.enter("carla", (37, 20))
    await player.types("say hello there")
    await player.types("shout help")
    await player.types("emote scratches a leg")
    expected = [(8, "Alric", "hello there"), (9, "Alric", "help"), (10, "Alric", "scratches a leg")]
    assert heard(player) == expected
    assert heard(near) == expected
    assert heard(far) == [(9, "Alric", "help")]


@pytest.mark.parametrize(
    ("word", "why"),
    [
        *[(word, "You are in no party.") for word in ("groupsay", "gsay", "g")],
        *[(word, "You are in no guild.") for word in ("guildsay", "gu")],
    ],
)
async def test_who_has_no_company_is_told_so(word: str, why: str) -> None:
    desk = Desk()
    player, near = await desk.enter("alric"), await desk.enter("berta", (22, 20))
    await player.types(f"{word} psst")
    assert lines(player) == [why]
    assert heard(near) == heard(player) == []


async def test_words_of_companies(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk()
    player, far = await desk.enter("alric"), await desk.enter("berta", (55, 55))
    monkeypatch.setattr(speech, "company", lambda mobile, kind: [player.mobile, far.mobile])
    await player.types("gsay psst")
    await player.types("gu psst")
    assert heard(far) == heard(player) == [(15, "Alric", "psst"), (18, "Alric", "psst")]


async def test_a_name_with_blanks_is_told_in_quotation_marks() -> None:
    desk = Desk()
    player, other = await desk.enter("alric"), await desk.enter("berta", (55, 55))
    rename(other.mobile, "John Smith")
    await player.types('tell "john smith" hello you')
    assert heard(other) == [(28, "Alric", "hello you")]


async def test_out_of_character_is_heard_everywhere() -> None:
    desk = Desk()
    player, far = await desk.enter("alric"), await desk.enter("berta", (55, 55))
    await player.types("ooc anybody?")
    assert heard(far) == [(32, "Alric", "anybody?")]
    assert heard(player) == [(32, "Alric", "anybody?")], "this game's clients show what they hear"


async def test_a_tell_is_for_one() -> None:
    desk = Desk()
    player, berta, carla = [await desk.enter(name) for name in ("alric", "berta", "carla")]
    await player.types("tell BERTA a secret")
    assert [(chat.sender, chat.recipient, chat.text) for chat in player.took(HearChat)] == [
        ("Alric", "Berta", "a secret")
    ]
    assert [(chat.channel, chat.sender, chat.recipient, chat.text) for chat in berta.took(HearChat)] == [
        (28, "Alric", "Berta", "a secret")
    ]
    assert heard(carla) == []
    await player.types("tell nobody hello")
    await player.types("tell berta")
    assert len(lines(player)) == 2


async def test_gestures_have_words_of_their_own() -> None:
    desk = Desk()
    player, other = await desk.enter("alric"), await desk.enter("berta", (22, 20))
    await player.types("bow")
    await player.types("emote salute")
    assert [emote.spawn_id for emote in other.took(CannedEmote)] == [player.mobile.serial] * 2


async def test_orders_go_to_the_server_and_into_no_log() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.types("causeway password secret1 secret2")
    assert desk.orders == ["password secret1 secret2"]
    await player.types("causeway")
    assert desk.orders == ["password secret1 secret2"]
    entry = desk.table.entry(RemoteCmd.role)
    assert entry is not None
    say = table.number_of("say")
    for message in (
        RemoteCmd(table.number_of("causeway"), "password secret1 secret2"),
        RemoteCmd(say, "/causeway password secret1 secret2"),
        RemoteCmd(say, "causeway password secret1 secret2"),
        RemoteCmd(9999, "password secret1 secret2"),
    ):
        assert "secret1" not in entry.shown(message)
        assert "secret1" not in entry.shown(b"\0" + player.session.version.encode(message))
    assert "hello" in entry.shown(RemoteCmd(say, "hello"))


async def test_who_is_hailed_serves() -> None:
    desk = Desk()
    banker = desk.resident("banker", 24, 24)
    player = await desk.enter("alric")
    await player.types("target " + banker.name)
    await player.types("hail")
    assert [window.spawn_id for window in player.took(UpdateBank)] == [banker.serial]
    await player.types("target")
    await player.types("hail")
    assert [words for _, _, words in heard(player)] == ["Hail."]


async def test_who_is_too_far_off_does_not_hear_a_hail() -> None:
    desk = Desk()
    healer = desk.resident("healer", 40, 20)
    said: list[str] = []
    desk.world.listeners[healer.serial] = lambda speaker, words: said.append(words)
    player = await desk.enter("alric")
    await player.types("target " + healer.name)
    assert player.session.target == healer.serial
    await player.types("hail")
    assert said == []


async def test_a_client_whose_character_was_taken_over_means_nothing() -> None:
    desk = Desk()
    first = await desk.enter("alric")
    second = await desk.enter("alric")
    await first.types("say I am still here")
    await first.says(Target(1), Camp())
    await desk.wait(1)
    assert heard(second) == []
    assert second.line.ending is None
