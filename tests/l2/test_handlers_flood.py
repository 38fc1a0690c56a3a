"""Flood protectors: which actions have one, with L2J's default intervals, and that whoever is too quick is
answered all the same. What waits in its place is shown in `tests/scenes/test_order.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from protocol.l2 import packets
from protocol.l2.handlers.table import CHARACTER_SELECT, PROTECTORS
from protocol.l2.packets import ActionFailed, ChatType, CreatureSay, RequestDestroyItem
from protocol.session import Phase, Session
from tests.kit.l2_desk import Desk, Player
from tests.kit.stage import Stage, settle
from tests.kit.toys import Heard, Nudge, Probe, Say, brook
from world import speech

if TYPE_CHECKING:
    from trio.testing import MockClock

    from protocol.l2.packets import Message
    from world.item import Item

DEFAULTS = {
    "UseItem": 0,
    "DropItem": 10,
    "ServerBypass": 5,
    "Transaction": 10,
    "CharacterSelect": 30,
    "PlayerAction": 1,
}
"""The lines of FloodProtector.ini that concern what is here, in ticks of 100 ms."""

LIMITED: dict[type[Message], float] = {
    packets.Action: 0.1,
    packets.AttackRequest: 0.1,
    packets.MoveBackwardToLocation: 0.1,
    packets.RequestActionUse: 0.1,
    packets.RequestSocialAction: 0.1,
    packets.RequestChangeWaitType: 0.1,
    packets.RequestChangeMoveType: 0.1,
    packets.UseItem: 0.0,
    packets.RequestDropItem: 1.0,
    packets.RequestDestroyItem: 1.0,
    packets.RequestBypassToServer: 0.5,
    packets.RequestLinkHtml: 0.5,
    packets.BypassUserCmd: 0.5,
    packets.CharacterSelect: 3.0,
    packets.CharacterRestore: 3.0,
}


def with_daggers(player: Player) -> tuple[Item, list[Item]]:
    """Its pack, and three daggers in it."""
    for _ in range(3):
        player.gives("dagger")
    pack = player.mobile.backpack
    assert pack is not None
    return pack, [item for item in pack.contents.values() if item.template.key == "dagger"][-3:]


def test_the_intervals_are_the_public_servers_own() -> None:
    assert {protector.name: protector.ticks for protector in PROTECTORS} == DEFAULTS


async def test_a_packet_that_is_handled_in_its_clients_own_task_waits_for_its_time(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    """As CharacterSelect is. What the client says after it waits as well, and nobody else does."""
    stage = Stage(nursery)
    game = brook()
    at: list[tuple[str, float]] = []

    @game.doors["game"].table.on(Probe, during=frozenset(Phase), every=CHARACTER_SELECT.seconds)
    async def probe(session: Session, packet: Probe) -> None:
        assert session.mobile is not None
        at.append((session.mobile.name, trio.current_time()))

    anna, bert = stage.client(game, "Anna"), stage.client(game, "Bert")
    await settle()
    began = trio.current_time()
    anna.say(Probe(), Probe(), Probe(), Say(b"held up"))
    bert.say(Probe(), Say(b"not held up"))
    await settle(0.5)
    assert sorted(name for name, _ in at) == ["Anna", "Bert"]
    assert [heard.text for heard in anna.of(Heard)] == [b"not held up"]
    await settle(10)
    assert [round(when - began, 2) for name, when in at if name == "Anna"] == [0, 3, 6], "none is lost"
    assert b"held up" in [heard.text for heard in bert.of(Heard)]


async def test_what_the_world_has_still_to_do_opens_no_way_around_that(
    nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    """RequestRestart and CharacterSelect in one go, again and again: the phase in which the second is allowed
    comes with the end of the first."""
    stage = Stage(nursery)
    game = brook()
    table = game.doors["game"].table
    at: list[float] = []

    @table.on(Nudge, during=Phase.IN_WORLD)
    def leave(session: Session, packet: Nudge) -> None:
        session.phase = Phase.MENU

    @table.on(Probe, during=Phase.MENU, every=CHARACTER_SELECT.seconds)
    async def choose(session: Session, packet: Probe) -> None:
        at.append(trio.current_time())
        session.phase = Phase.IN_WORLD

    anna = stage.client(game, "Anna")
    await settle()
    began = trio.current_time()
    anna.say(*(Nudge(), Probe()) * 3)
    await settle(10)
    assert [round(when - began) for when in at] == [0, 3, 6]


@pytest.mark.parametrize("kind", LIMITED, ids=lambda kind: kind.__name__)
async def test_what_one_does_with_a_click_may_be_done_so_often(kind: type[Message]) -> None:
    desk = Desk()
    table = desk.connect("game").table
    (entry,) = [entry for entry in table if entry.packet is kind]
    assert entry.every == pytest.approx(LIMITED[kind])


async def test_things_that_are_destroyed_in_one_go_are_all_destroyed() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    pack, daggers = with_daggers(alric)
    for dagger in daggers:
        await alric.says(RequestDestroyItem(dagger.serial, 1))
    desk.turn()
    assert len(alric.took(ActionFailed)) == 3, "the client is answered each time"
    assert not any(dagger.serial in pack.contents for dagger in daggers)
    assert alric.told() == []


@pytest.mark.parametrize(("kind", "most"), [(1, 8), (8, 3)])
async def test_shouts_and_the_traders_chat_have_the_worlds_limits(kind: int, most: int) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    for number in range(most + 2):
        await alric.says_text(f"Apples {number}", kind)
    desk.turn()
    assert len(alric.took(CreatureSay)) == most
    assert alric.told() == ["Not so fast: let the others speak, too."]
    await desk.wait(10)
    await alric.says_text("Pears", kind)
    desk.turn()
    assert [said.text for said in alric.took(CreatureSay)] == ["Pears"]


async def test_words_to_those_around_and_to_one_have_limits_of_their_own() -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 20))
    for number in range(5):
        await alric.says_text(f"one {number}")
        await alric.says_text(f"two {number}", ChatType.TELL, "Berta")
    desk.turn()
    assert len(berta.took(CreatureSay)) == 10


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (ChatType.PARTY, "no party"),
        (ChatType.CLAN, "no guild"),
        (ChatType.ALLIANCE, "no alliance"),
        (ChatType.HERO, "no hero"),
        (ChatType.GM, "none of the staff"),
        (ChatType.ANNOUNCEMENT, "none of the staff"),
        (ChatType.CRITICAL_ANNOUNCEMENT, "none of the staff"),
        (ChatType.PETITION_PLAYER, "they will read it"),
        (ChatType.PETITION_GM, "they will read it"),
        (ChatType.COMMAND_CHANNEL_ALL, "no party"),
        (ChatType.COMMAND_CHANNEL_LEADERS, "no party"),
    ],
)
async def test_who_is_heard_by_nobody_is_told_why(kind: ChatType, words: str) -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (22, 20))
    await alric.says_text("hello?", kind)
    desk.turn()
    (line,) = alric.told()
    assert words in line
    assert alric.took(CreatureSay) == berta.took(CreatureSay) == []


async def test_words_of_companies(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta", (55, 55))
    monkeypatch.setattr(speech, "company", lambda mobile, kind: [alric.mobile, berta.mobile])
    kinds = [ChatType.PARTY, ChatType.CLAN, ChatType.ALLIANCE]
    for kind in kinds:
        await alric.says_text("psst", kind)
    desk.turn()
    expected = [(kind, "Alric", "psst") for kind in kinds]
    for player in (alric, berta):
        said = player.took(CreatureSay)
        assert [(one.type, one.name, one.text) for one in said] == expected, "its client shows what it hears"
