"""Slash commands, aiming, and the ways out."""

from __future__ import annotations

import pytest

from protocol.endings import Ending
from protocol.eq2.handlers import commands
from protocol.eq2.handlers.leaving import CAMP_SECONDS
from protocol.eq2.packets import (
    NO_TARGET,
    NOBODY,
    Camp,
    CampAborted,
    CampStarted,
    CannedEmote,
    DisplayText,
    HearChat,
    RemoteCmd,
    Target,
    UpdateGhost,
    UpdateTarget,
)
from protocol.wishes import Wish
from tests.kit.eq2_desk import DOOR, SEAT, Desk, Player
from world import dialogs, holding, speech
from world.dialogs import Button
from world.item import Item
from world.mobile import Access, Mobile, Posture


def lines(player: Player) -> list[str]:
    """What the player was told, in words."""
    return [line.text for line in player.took(DisplayText)]


def heard(player: Player) -> list[tuple[int, str, str]]:
    """Channel, speaker and words of what it heard."""
    return [(chat.channel, chat.sender, chat.text) for chat in player.took(HearChat)]


def lying(desk: Desk, key: str, x: int, y: int, *, amount: int = 1) -> Item:
    """Something on the ground."""
    item = holding.make(desk.world, key, amount=amount, stored=False)
    desk.world.enter(item, desk.world.realms["plain"], x, y)
    return item


# The list


def test_every_word_means_something() -> None:
    assert commands.without_meaning() == set()
    assert len(set(commands.NAMES)) == len(commands.NAMES)


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
    assert commands.NAMES[:11] == first
    assert commands.NAMES[11:21] == (
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


@pytest.mark.parametrize("number", [len(commands.NAMES), 0xFFFF])
async def test_a_number_without_a_word_is_answered(number: int) -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(RemoteCmd(number, "hello"))
    await desk.wait(0.3)
    assert lines(player) == [Wish.UNKNOWN.value]
    assert player.line.ending is None


@pytest.mark.parametrize("word", [*commands.WISHES, "inventory", "autoattack"])
async def test_every_word_of_the_client_is_answered(word: str) -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(RemoteCmd(commands.number_of(word), "0"))
    await desk.wait(0.3)
    (line,) = lines(player)
    assert line == commands.WISHES[word].value if word in commands.WISHES else line


@pytest.mark.parametrize("text", ["", " ", "x" * 5000, "1 2 3", "\0\x01\xff", "9" * 400, "bread 99999999999"])
async def test_no_word_is_hurt_by_what_is_typed_behind_it(text: str) -> None:
    desk = Desk()
    player = await desk.enter("alric")
    for word in commands.NAMES:
        if word != "quit":
            await player.says(RemoteCmd(commands.number_of(word), text))
    await desk.wait(0.1)
    assert player.line.ending is None
    await player.says(RemoteCmd(commands.number_of("quit"), text))
    assert player.line.ending is Ending.CLIENT_LEFT


# Talk


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
    other.mobile.name = "John Smith"
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
    say = commands.number_of("say")
    for message in (
        RemoteCmd(commands.number_of("causeway"), "password secret1 secret2"),
        RemoteCmd(say, "/causeway password secret1 secret2"),
        RemoteCmd(say, "causeway password secret1 secret2"),
        RemoteCmd(9999, "password secret1 secret2"),
    ):
        assert "secret1" not in entry.shown(message)
        assert "secret1" not in entry.shown(b"\0" + player.session.version.encode(message))
    assert "hello" in entry.shown(RemoteCmd(say, "hello"))


# Who and what is there


async def test_who_lists_players_of_all_games_but_not_those_who_hide() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await desk.enter("berta", (50, 50))
    hidden = await desk.enter("carla")
    hidden.mobile.hidden = True
    await player.types("who")
    told = lines(player)
    assert told[0] == "2 players online:"
    assert "Alric" in told[1]
    assert "Berta" in told[1]
    assert "Carla" not in told[1]
    player.mobile.access = Access.COUNSELOR
    await desk.wait(1)
    await player.types("who car")
    assert "Carla" in "".join(lines(player))


async def test_who_is_answered_once_a_second() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    for _ in range(5):
        await player.types("who")
    assert sum("online" in line for line in lines(player)) == 1
    await desk.wait(1)
    await player.types("who")
    assert sum("online" in line for line in lines(player)) == 1


async def test_a_click_aims_and_others_see_it() -> None:
    desk = Desk()
    healer = desk.resident("healer", 24, 24)
    player, other = await desk.enter("alric"), await desk.enter("berta", (22, 20))
    other.got.clear()
    ghost = player.session.ghosts.of(healer.serial)
    assert ghost is not None
    await player.says(Target(ghost.index))
    assert player.session.target == healer.serial
    assert [target.spawn_id for target in player.took(UpdateTarget)] == [healer.serial]
    assert len(other.took(UpdateGhost)) == 1
    await player.says(Target(NO_TARGET))
    assert player.session.target == 0


async def test_nobody_aims_at_what_is_not_there() -> None:
    desk = Desk()
    healer = desk.resident("healer", 24, 24)
    player = await desk.enter("alric")
    await player.says(Target(4711))
    assert player.session.target == 0
    assert [target.spawn_id for target in player.took(UpdateTarget)] == [NOBODY]
    ghost = player.session.ghosts.of(healer.serial)
    assert ghost is not None
    healer.hidden = True
    await player.says(Target(ghost.index))
    assert player.session.target == 0


async def test_a_name_aims_too() -> None:
    desk = Desk()
    healer = desk.resident("healer", 24, 24)
    player = await desk.enter("alric")
    await player.types(f"target {healer.name[:3].lower()}")
    assert player.session.target == healer.serial
    await player.types("target alric")
    assert player.session.target == player.mobile.serial
    await player.types("target nobody")
    assert player.session.target == player.mobile.serial
    assert len(lines(player)) == 1
    await player.types("target")
    assert player.session.target == 0


async def test_who_is_hailed_listens() -> None:
    desk = Desk()
    banker = desk.resident("banker", 24, 24)
    said: list[tuple[Mobile, str]] = []
    desk.world.listeners[banker.serial] = lambda speaker, words: said.append((speaker, words))
    player = await desk.enter("alric")
    await player.types("target " + banker.name)
    await player.types("hail")
    assert said == [(player.mobile, "balance")]
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


# Things


async def test_what_lies_within_reach_is_taken_by_name_or_aim() -> None:
    desk = Desk()
    near, far = lying(desk, "dagger", 21, 21), lying(desk, "dagger", 25, 20)
    player = await desk.enter("alric")
    await player.types("take dagger")
    assert near.root is player.mobile
    await player.types("take dagger")
    assert far.realm is not None
    ghost = player.session.ghosts.of(far.serial)
    assert ghost is not None
    await player.says(Target(ghost.index))
    await player.types("take")
    assert far.realm is not None
    assert "too far" in lines(player)[-1]
    await player.goes(23.5, 21.5)
    await desk.wait(2)
    await player.types("take")
    assert far.root is player.mobile


async def test_nobody_takes_what_others_have_or_what_is_fixed() -> None:
    desk = Desk()
    player, other = await desk.enter("alric"), await desk.enter("berta", (21, 20))
    await player.says(Target(player.session.ghosts.of(other.mobile.serial).index))  # type: ignore[union-attr]
    await player.types("take")
    await player.types("take dagger")
    assert all(item.root is other.mobile for item in other.mobile.worn.values())
    assert len(lines(player)) == 2


async def test_the_dead_take_nothing() -> None:
    desk = Desk()
    bread = lying(desk, "bread", 21, 21)
    player = await desk.enter("alric")
    player.mobile.dead = True
    await player.types("take bread")
    assert bread.realm is not None
    assert "dead" in lines(player)[-1]


async def test_what_is_dropped_lies_at_ones_feet() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    player.gives("bread", 5)
    await player.types("drop bread 3")
    there = [thing for thing in desk.world.realms["plain"].space.around(20, 20, 0) if isinstance(thing, Item)]
    assert [(item.template.key, item.amount) for item in there] == [("bread", 3)]
    for line in ("drop bread 0", "drop bread 70000", "drop nothing", "drop"):
        await player.types(line)
    assert len(lines(player)) == 5


async def test_amounts_are_conserved() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    player.gives("bread", 5)

    def bread() -> int:
        return sum(item.amount for item in desk.world.items.values() if item.template.key == "bread")

    before = bread()
    for line in ("drop bread 2", "take bread", "drop bread 99", "take bread", "wear bread", "remove bread"):
        await player.types(line)
        assert bread() == before


async def test_clothes_come_off_and_on() -> None:
    desk = Desk()
    player, other = await desk.enter("alric"), await desk.enter("berta", (22, 20))
    item = next(item for item in player.mobile.worn.values() if not item.template.container)
    label, layer = item.label, item.layer
    other.got.clear()
    await player.types(f"remove {label}")
    assert layer not in player.mobile.worn
    assert len(other.took(UpdateGhost)) == 1
    await player.types(f"wear {label}")
    assert player.mobile.worn[layer] is item
    await player.types("remove backpack")
    assert player.mobile.backpack is not None
    await player.types("wear gold")
    await player.types("wear nothing")
    assert len(lines(player)) == 3


async def test_a_container_within_reach_tells_what_is_inside() -> None:
    desk = Desk()
    bag = lying(desk, "backpack", 21, 20)
    for key in ("bread", "dagger"):
        item = holding.make(desk.world, key, stored=False)
        holding.put(bag, item)
        desk.world.register(item)
    player = await desk.enter("alric")
    await player.says(Target(player.session.ghosts.of(bag.serial).index))  # type: ignore[union-attr]
    await player.types("open")
    told = lines(player)[-1]
    assert "dagger" in told
    assert "bread" in told
    await player.goes(17.5, 20.5)
    await desk.wait(2)
    await player.types("open")
    assert "too far" in lines(player)[-1]


async def test_a_door_beside_one_opens() -> None:
    desk = Desk()
    player = await desk.enter("alric", (DOOR[0], DOOR[1] - 1))
    await player.types("open")
    assert desk.world.realms["plain"].is_open(*DOOR, desk.world.now)
    other = await desk.enter("berta", (10, 10))
    await other.types("open")
    assert lines(other) == ["There is no door that you can reach."]


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


async def test_questions_are_answered_by_number_or_word() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    answers: list[int] = []

    def ask() -> None:
        dialogs.ask(
            player.mobile,
            "test",
            title="Well?",
            text="Shall it be?",
            buttons=(Button(1, "Yes"), Button(2, "No")),
            answered=lambda mobile, reply: answers.append(reply.button),
        )

    await player.types("answer 1")
    assert len(lines(player)) == 1
    for line in ("answer 2", "answer y", "answer"):
        ask()
        await player.types(line)
    assert answers == [2, 1, 0]
    ask()
    await player.types("answer 7")
    await player.types("answer maybe")
    assert answers == [2, 1, 0]
    assert len(player.mobile.dialogs) == 1


# The ways out


@pytest.mark.parametrize("desktop", [0, 1])
async def test_who_camps_leaves_after_a_while(desktop: int) -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(Camp(quit=0, desktop=desktop))
    assert player.took(CampStarted) == [CampStarted(CAMP_SECONDS, desktop)]
    await desk.wait(CAMP_SECONDS - 0.5)
    assert player.line.ending is None
    told = [f"You leave the world in {left} seconds." for left in (15, 10, 5)]
    assert [line.text for line in player.took(DisplayText)][-3:] == told
    await player.says(Camp(quit=0, desktop=desktop))
    assert player.took(CampStarted) == []
    await desk.wait(1)
    assert player.line.ending is Ending.CLIENT_LEFT


async def test_who_changes_its_mind_stays() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    await player.says(Camp())
    await desk.wait(10)
    await player.says(CampAborted())
    assert len(player.took(CampAborted)) == 1
    await player.says(CampAborted())
    assert player.took(CampAborted) == []
    player.took(DisplayText)
    await desk.wait(30)
    assert player.took(DisplayText) == []
    assert player.line.ending is None
    await player.types("camp")
    await desk.wait(CAMP_SECONDS + 1)
    assert player.line.ending is Ending.CLIENT_LEFT


async def test_who_quits_is_let_go_at_once() -> None:
    desk = Desk()
    for way in ("message", "word"):
        player = await desk.enter("alric")
        if way == "message":
            await player.says(Camp(quit=1, desktop=1))
        else:
            await player.types("quit")
        assert player.took(CampStarted) == [CampStarted(0, 1)]
        assert player.line.ending is Ending.CLIENT_LEFT


async def test_who_loads_may_leave() -> None:
    desk = Desk()
    player = await desk.zoning("alric")
    await player.says(Camp())
    assert player.line.ending is Ending.CLIENT_LEFT


async def test_a_camp_ends_with_the_client_that_began_it() -> None:
    desk = Desk()
    first = await desk.enter("alric")
    await first.says(Camp())
    second = await desk.enter("alric")
    await desk.wait(30)
    assert first.line.ending is Ending.REPLACED
    assert second.line.ending is None


async def test_a_client_whose_character_was_taken_over_means_nothing() -> None:
    desk = Desk()
    first = await desk.enter("alric")
    second = await desk.enter("alric")
    await first.types("say I am still here")
    await first.says(Target(1), Camp())
    await desk.wait(1)
    assert heard(second) == []
    assert second.line.ending is None
