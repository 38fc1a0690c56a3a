"""Who is that, what does it wear; and what actions a client may ask for at all."""

from __future__ import annotations

import logging
import struct
from typing import Final

import pytest

from protocol.co.handlers.table import ACTIONS, FIRST, IDLE, MOST_STRANGE, TABLE, action
from protocol.co.handlers.unread import ACTION_WISHES, UNREAD, WISHES
from protocol.co.packets import (
    CLIENT_MESSAGES,
    Action,
    ActionType,
    DataArray,
    GemEmbed,
    Interact,
    ItemAction,
    ItemActionType,
    ItemInfo,
    ItemInfoMode,
    Message,
    NpcInfo,
    PkMode,
    Team,
    Walk,
)
from protocol.co.packets import Player as Figure
from protocol.co.versions import CoVersion
from protocol.wishes import Wish
from tests.kit.co_desk import Desk, Player
from world import holding, life
from world.reach import Refusal

LOADING = {kind for kind, registered in ACTIONS.items() if registered.loading}


async def two(desk: Desk) -> tuple[Player, Player]:
    players = await desk.enter("alric"), await desk.enter("berta", (22, 20))
    for player in players:
        player.got.clear()
    return players


# Who is that


@pytest.mark.parametrize("way", ["data", "id"])
async def test_somebody_unknown_is_described_whichever_number_is_whose(way: str) -> None:
    desk = Desk()
    alric, berta = await two(desk)
    if way == "data":
        await alric.acts(ActionType.QUERY_PLAYER, data=berta.number)
    else:
        await alric.says(Action.of(ActionType.QUERY_PLAYER, berta.number, data=alric.number))
    told = alric.only(Figure)
    assert (told.id, told.names) == (berta.number, ("Berta",))
    assert berta.got == []


async def test_an_npc_is_described_as_one() -> None:
    desk = Desk()
    crier = desk.resident("crier", 22, 22)
    alric = await desk.enter("alric")
    await alric.acts(ActionType.QUERY_PLAYER, data=alric.figures.ids.of(crier))
    assert alric.only(NpcInfo).names == ("Barnaby",)


async def test_who_is_not_seen_is_not_described() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    far = await desk.enter("clara", (55, 55))
    hidden = await desk.enter("dora", (23, 20))
    hidden.mobile.hidden = True
    desk.turn()
    alric.got.clear()
    for number in (far.number, hidden.number, alric.number, 0, 1, 400_001, 0xFFFF_FFFF, berta.mobile.serial):
        await alric.acts(ActionType.QUERY_PLAYER, data=number)
        await desk.wait(0.2)
        await alric.says(Action.of(ActionType.QUERY_PLAYER, number, data=alric.number))
        await desk.wait(0.2)
        await alric.acts(ActionType.LOOK_AT, data=number)
        await desk.wait(0.3)
    alric.took(ItemInfo)  # one may look at oneself
    assert alric.lines() == [Refusal.UNSEEN.value] * 7
    assert alric.got == []


async def test_whoever_hides_in_this_turn_or_was_not_shown_yet_is_not_described() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    crier = desk.resident("crier", 22, 22)
    ids = alric.figures.ids
    berta.mobile.hidden = True
    before = alric.session.outbox
    for number in (ids.of(crier), berta.number):
        for kind in (ActionType.QUERY_PLAYER, ActionType.LOOK_AT):
            packet = Action.of(kind, alric.number, data=number)
            ACTIONS[kind].handler(alric.session, alric.mobile, packet)
    assert alric.session.outbox == before == []


@pytest.mark.parametrize("version", list(CoVersion))
async def test_what_somebody_wears(version: CoVersion) -> None:
    alric, berta = await two(Desk(version=version))
    await alric.acts(ActionType.LOOK_AT, data=berta.number)
    told = alric.took(ItemInfo)
    worn = alric.figures.worn(berta.mobile)
    assert worn
    assert [(item.item_type, item.position) for item in told] == [
        (item.item_type, item.position) for item in worn
    ]
    assert {(item.id, item.mode) for item in told} == {(berta.number, ItemInfoMode.OTHER_PLAYER)}
    assert {item.durability for item in told} == {1}
    assert alric.screen.faults == []
    assert berta.got == []


async def test_creatures_and_residents_wear_nothing_that_is_anybodys_business() -> None:
    desk = Desk()
    crier, sheep = desk.resident("crier", 22, 22), desk.resident("sheep", 23, 22)
    for thing in (crier, sheep):
        holding.wear(thing, holding.make(desk.world, "shirt", stored=False))
    alric = await desk.enter("alric")
    for thing in (crier, sheep):
        await alric.acts(ActionType.LOOK_AT, data=alric.figures.ids.of(thing))
        await desk.wait(1)
    assert alric.lines() == [Wish.INSPECTING.value] * 2
    assert alric.got == []


@pytest.mark.parametrize("mode", [*PkMode, 7])
async def test_the_button_of_the_pk_mode_follows(mode: int) -> None:
    alric, berta = await two(Desk())
    await alric.acts(ActionType.PK_MODE, data=mode)
    (echo,) = alric.actions(ActionType.PK_MODE)
    assert echo.data == mode
    assert berta.got == []


# Actions as such


@pytest.mark.parametrize("kind", list(ACTIONS))
async def test_nobody_acts_for_somebody_else(kind: ActionType) -> None:
    desk = Desk()
    alric, berta = await two(desk)
    before = alric.tile, berta.tile, berta.mobile.heading, berta.mobile.posture
    for number in (berta.number, 0, alric.mobile.serial, 0xFFFF_FFFF):
        await alric.says(Action(1, number, 250, 0, 0, 3, kind))
    await desk.wait(1.0)
    told = {Wish.FORGED.value} if kind not in IDLE else set()
    if kind == ActionType.TEAM_MEMBER_POSITION:  # a question, and not about oneself
        told = {Refusal.NO_PARTY.value}
    assert set(alric.lines()) == told
    assert alric.got == berta.got == []
    assert before == (alric.tile, berta.tile, berta.mobile.heading, berta.mobile.posture)


@pytest.mark.parametrize("number", [0, 73, 112, 299, 999, 0xFFFF])
async def test_what_is_unknown_is_answered_in_words_to_its_sender(number: int) -> None:
    alric, berta = await two(Desk())
    await alric.says(Action(1, alric.number, 2, 3, 4, 5, number))
    assert alric.lines() == [Wish.UNKNOWN.value]
    assert berta.got == []
    assert alric.line.ending is None


@pytest.mark.parametrize("kind", IDLE)
async def test_what_clients_send_by_themselves_is_no_wish(
    kind: int, caplog: pytest.LogCaptureFixture
) -> None:
    alric, berta = await two(Desk())
    with caplog.at_level(logging.INFO, logger="net.co"):
        await alric.says(Action(1, alric.number, 2, 3, 4, 5, kind))
    assert alric.got == berta.got == []
    assert "there is no action" not in caplog.text


@pytest.mark.parametrize("body", [b"", bytes(8), b"\xff" * 40])
async def test_packets_that_nothing_reads_are_answered_too(body: bytes) -> None:
    desk = Desk()
    alric, berta = await two(desk)
    for type_id, (_, wish) in UNREAD.items():
        await alric.sends(struct.pack("<HH", 4 + len(body), type_id) + body)
        assert alric.lines() == [wish.value]
        await desk.wait(1.1)  # the same wish is not answered again within a second
    assert alric.line.ending is None
    assert berta.lines() == []


@pytest.mark.parametrize("packet", [GemEmbed(1, 2, 3, 1, 0), DataArray(0, (1, 2, 3))])
async def test_nothing_is_made_yet(packet: Message) -> None:
    alric, berta = await two(Desk())
    await alric.says(packet)
    assert alric.lines() == [Wish.CRAFTING.value]
    assert berta.got == []


async def test_items_that_are_not_all_there_cost_their_sender_only() -> None:
    alric, berta = await two(Desk())
    await alric.sends(struct.pack("<HHBBHI", 12, DataArray.type, 0, 2, 0, 7))
    assert alric.line.ending is not None
    assert berta.line.ending is None
    assert berta.lines() == []


TAKEN: Final = {
    "COPS v6 (4330), Msg.cs": "1001 1004 1005 1009 1010 1012 1015 1019 1022 1023 1024 1027 1052 1056 1101 "
    "1102 1107 1111 1112 2031 2032 2036",
    "COPS v7 (5065), msg.cpp": "1001 1004 1005 1009 1010 1012 1024 1052 2031 2032",
    "coemu (5017), packets": "1001 1004 1005 1009 1010 1052 2031 2032",
    "Redux (5065), GameServer.cs": "1001 1004 1005 1009 1010 1015 1019 1022 1023 1024 1027 1052 1056 1101 "
    "1102 1107 1112 2031 2032 2036 2044 2050 2064",
    "a fork of comet, Server.cs, as far as 5065 has it": "1001 1004 1005 1009 1010 1015 1019 1022 1023 1024 "
    "1027 1052 1056 1101 1102 1107 1111 1112 2030 2031 2032 2036 2044 2046 2048 2050 2064 2065 2066 2067",
}
"""What public servers of these versions take from clients in the game."""


@pytest.mark.parametrize("server", TAKEN)
def test_every_packet_that_another_server_takes_has_a_row(server: str) -> None:
    assert [number for number in TAKEN[server].split() if TABLE.entry(int(number)) is None] == []


async def test_what_is_unknown_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    alric, _ = await two(Desk())
    with caplog.at_level(logging.INFO, logger="net.co"):
        for number in (999, 999, 1, 999, 1, ActionType.COMMAND):
            await alric.says(Action(1, alric.number, 2, 3, 4, 5, number))
    lines = [record.message for record in caplog.records if "there is no action" in record.message]
    assert len(lines) == 3


async def test_nobody_fills_the_log_with_what_is_unknown(caplog: pytest.LogCaptureFixture) -> None:
    alric, _ = await two(Desk())
    with caplog.at_level(logging.INFO, logger="net.co"):
        for number in range(1000, 1000 + 2 * MOST_STRANGE):
            await alric.says(Action(1, alric.number, 2, 3, 4, 5, number))
    lines = [record.message for record in caplog.records if "there is no action" in record.message]
    assert len(lines) == len(alric.session.strange_actions) == MOST_STRANGE


@pytest.mark.parametrize("kind", [kind for kind in ACTIONS if kind not in LOADING])
async def test_who_loads_does_nothing_in_the_world(kind: ActionType) -> None:
    alric, berta = await two(Desk())
    alric.session.loading = True
    await alric.acts(kind, data=1, direction=3)
    assert alric.got == berta.got == []


async def test_who_plays_nobody_any_more_does_nothing() -> None:
    desk = Desk()
    alric, _ = await two(desk)
    desk.app.characters.leave(alric.session)
    for kind in ACTIONS:
        await alric.acts(ActionType(kind))
    await alric.says(Walk(alric.number, 3))
    assert alric.got == []


async def test_an_action_that_waits_dies_with_its_client() -> None:
    desk = Desk()
    alric, berta = await two(desk)
    for direction in (1, 2, 3):
        await alric.acts(ActionType.TURN, direction=direction)
    berta.got.clear()
    alric.hang_up()
    await desk.wait(1.0)
    assert berta.actions(ActionType.TURN) == []


def test_one_handler_for_each_action() -> None:
    with pytest.raises(ValueError, match="has a handler already"):
        action(ActionType.JUMP)(lambda session, mobile, packet: None)
    assert {*FIRST} == {ActionType.ENTER_MAP}


@pytest.mark.parametrize("size", range(4, 23))
async def test_short_actions_are_read_as_far_as_they_go(size: int) -> None:
    """What is missing is 0, so that such a packet has no action."""
    alric, _ = await two(Desk())
    frame = Action.of(ActionType.JUMP, alric.number).encode(alric.desk.version)[:size]
    await alric.sends(size.to_bytes(2, "little") + frame[2:])
    assert alric.line.ending is None
    assert alric.lines() == [Wish.UNKNOWN.value]


async def test_long_actions_are_read_as_far_as_they_are_known() -> None:
    alric, berta = await two(Desk())
    frame = Action.of(ActionType.QUERY_PLAYER, alric.number, data=berta.number).encode(alric.desk.version)
    await alric.sends(b"\x1c\0" + frame[2:] + bytes(4))
    assert alric.took(Figure)


# What there is not yet


async def test_who_is_dead_is_taken_to_the_healer() -> None:
    desk = Desk()
    alric, _ = await two(desk)
    await alric.acts(ActionType.REVIVE)
    assert alric.lines() == [Refusal.ALIVE.value]
    life.kill(alric.mobile)
    await desk.wait(1.0)
    await alric.acts(ActionType.REVIVE)
    assert alric.lines() == [Refusal.NO_HEALER.value]
    healer = desk.resident("healer", 50, 50)
    await alric.acts(ActionType.REVIVE)
    assert alric.mobile.dead
    assert max(abs(alric.mobile.x - healer.x), abs(alric.mobile.y - healer.y)) == 1
    await desk.wait(1.0)
    await alric.acts(ActionType.REVIVE)
    assert Refusal.AT_HEALER.value in alric.lines()


@pytest.mark.parametrize("kind", list(WISHES), ids=lambda kind: kind.__name__)
async def test_what_there_is_not_yet_is_said(kind: type[Message]) -> None:
    alric, berta = await two(Desk())
    frame = kind.type.to_bytes(2, "little")
    await alric.sends(b"\x40\0" + frame + bytes(60))
    assert alric.lines() == [WISHES[kind].value]
    assert berta.got == []
    alric.session.loading = True
    await alric.sends(b"\x40\0" + frame + bytes(60))
    assert alric.got == []


@pytest.mark.parametrize("kind", list(ACTION_WISHES), ids=lambda kind: kind.name)
async def test_what_there_is_not_yet_as_an_action_is_said_once_a_second(kind: ActionType) -> None:
    alric, berta = await two(Desk())
    for _ in range(3):
        await alric.acts(kind)
    assert alric.lines() == [ACTION_WISHES[kind].value]
    await alric.desk.wait(1.1)
    await alric.acts(kind)
    assert alric.lines() == [ACTION_WISHES[kind].value]
    assert berta.got == []


@pytest.mark.parametrize("kind", list(ItemActionType), ids=lambda kind: kind.name)
async def test_every_button_about_an_item_is_answered(kind: ItemActionType) -> None:
    alric, _ = await two(Desk())
    alric.got.clear()
    await alric.says(ItemAction(0, 0, kind, 0))
    assert alric.got


async def test_teams_and_fights_reach_nobody_else() -> None:
    alric, berta = await two(Desk())
    await alric.says(Team(2, berta.number), Interact(0, alric.number, berta.number, 1, 2, 2, 9999))
    assert len(alric.lines()) == 2
    assert berta.got == []
    assert berta.mobile.hits == berta.mobile.hits_max


@pytest.mark.parametrize("message", CLIENT_MESSAGES, ids=lambda message: message.__name__)
@pytest.mark.parametrize("filling", [b"\0", b"\xff", b"\x01"])
async def test_whatever_the_fields_hold_the_server_lives(message: type[Message], filling: bytes) -> None:
    """Only who sends it may end, and not by a mistake of ours."""
    desk = Desk()
    alric, berta = await two(desk)
    for size in (4, 12, 28, 64, 300):
        await alric.sends(
            size.to_bytes(2, "little") + message.type.to_bytes(2, "little") + filling * (size - 4)
        )
        await desk.wait(0.2)
        assert berta.line.ending is None
        assert berta.screen.faults == []
