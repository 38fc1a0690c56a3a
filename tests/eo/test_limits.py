"""What grows with the crowd has bounds: lists that one packet cannot hold, and questions asked too often."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import pytest
from eolib import (
    BankOpenClientPacket,
    BookRequestClientPacket,
    ConnectionPlayerServerPacket,
    Direction,
    DoorOpenClientPacket,
    InitInitServerPacket,
    MessagePingClientPacket,
    NpcRangeRequestClientPacket,
    Packet,
    PaperdollRequestClientPacket,
    PlayerRangeRequestClientPacket,
    PlayersAcceptClientPacket,
    PlayersListClientPacket,
    PlayersNet242ServerPacket,
    PlayersPingServerPacket,
    PlayersPongServerPacket,
    PlayersRequestClientPacket,
    QuestUseClientPacket,
    RangeRequestClientPacket,
    RefreshReplyServerPacket,
    TalkReportClientPacket,
    TalkServerServerPacket,
    WalkPlayerClientPacket,
)

from protocol.eo import figures
from protocol.eo.handlers.leaving import PING_SECONDS
from protocol.eo.handlers.looking import MOST_ASKED
from protocol.eo.handlers.motion import RESYNC_SECONDS
from protocol.eo.handlers.table import TABLE
from protocol.eo.packets import encode, opcode_of_class
from protocol.eo.packets.base import SHORT_MAX
from protocol.session import NO_LINK
from tests.kit.eo_desk import START, WALL, Desk, Player
from world import afar, holding
from world.elsewhere import Person
from world.mobile import Access

if TYPE_CHECKING:
    from world.mobile import Mobile

CROWD = 300


def crowd(desk: Desk, template: str, number: int) -> list[Mobile]:
    """People around the place where characters start, none farther than 7 tiles, who are shown to everybody:
    the limits here are those of the game's packets."""
    desk.change("network", crowd=0)
    x, y = START
    return [desk.resident(template, x + n % 7 - 3, y + n // 7 % 7 - 2) for n in range(number)]


def count(player: Player, kind: type[Packet]) -> int:
    return sum(isinstance(packet, kind) for packet in player.client.received)


def bare(kind: type[Packet]) -> Packet:
    """A packet without fields, whose constructor eolib leaves untyped."""
    return kind()


# More in sight than one packet lists


async def test_a_crowd_is_drawn_whole_and_the_nearest_first() -> None:
    desk = Desk()
    people = crowd(desk, "stranger", CROWD)
    alric = await desk.enter("alric")
    assert len(alric.client.characters) == CROWD + 1
    alric.client.characters.clear()
    await alric.sends(alric.client.refresh())
    alric.believes()
    listed = alric.client.last(RefreshReplyServerPacket).nearby.characters
    assert len(listed) == 252
    assert listed[0].player_id == alric.client.player_id
    numbers = {character.player_id for character in listed}
    near: list[int] = []
    far: list[int] = []
    for mobile in people:
        steps = abs(mobile.x - START[0]) + abs(mobile.y - START[1])
        (near if desk.view.figures.player_id(mobile) in numbers else far).append(steps)
    assert max(near) <= min(far)


@pytest.mark.parametrize("kind", [RangeRequestClientPacket, PlayerRangeRequestClientPacket])
async def test_a_client_may_ask_for_a_crowd(kind: type[Packet]) -> None:
    desk = Desk()
    people = crowd(desk, "stranger", CROWD)
    alric = await desk.enter("alric")
    me, client = alric.client.me, alric.client
    client.characters.clear()
    client.characters[client.player_id] = me
    numbers = [desk.view.figures.player_id(mobile) for mobile in people]
    for start in range(0, CROWD, MOST_ASKED):
        part = numbers[start : start + MOST_ASKED]
        if kind is RangeRequestClientPacket:
            packet: Packet = RangeRequestClientPacket(player_ids=part, npc_indexes=[])
        else:
            packet = PlayerRangeRequestClientPacket(player_ids=part)
        await alric.sends(client.bytes_of(packet))
    alric.believes()


@pytest.mark.parametrize("kind", ["range", "players", "npcs"])
async def test_one_question_names_at_most_64(kind: str) -> None:
    desk = Desk()
    figures = desk.view.figures
    people, npcs = crowd(desk, "stranger", 100), crowd(desk, "healer", 100)
    alric = await desk.enter("alric")
    client = alric.client
    client.npcs.clear()
    client.characters = {client.player_id: client.me}
    numbers = [figures.player_id(mobile) for mobile in people]
    indexes = [figures.npc_index(mobile) for mobile in npcs]
    # What is named twice counts once.
    packet: Packet = RangeRequestClientPacket(player_ids=numbers[:1] * 50 + numbers, npc_indexes=indexes)
    if kind == "players":
        packet = PlayerRangeRequestClientPacket(player_ids=numbers[:1] * 50 + numbers)
    elif kind == "npcs":
        packet = NpcRangeRequestClientPacket(npc_indexes=indexes[:1] * 50 + indexes)
    await alric.sends(client.bytes_of(packet))
    assert len(client.characters) - 1 == (0 if kind == "npcs" else 64)
    assert len(client.npcs) == (0 if kind == "players" else 64)
    assert alric.line.ending is None


async def test_items_that_have_no_room_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "MOST_ITEMS", 5)
    desk = Desk()
    alric = await desk.enter("alric")
    for n in range(12):
        bread = holding.make(desk.world, "bread", stored=False)
        desk.world.enter(bread, desk.world.realms["plain"], START[0] + n % 4, START[1])
    await desk.settle()
    alric.client.items.clear()
    await alric.sends(alric.client.refresh())
    assert len(alric.client.last(RefreshReplyServerPacket).nearby.items) == 5
    alric.believes()


async def test_who_has_no_number_is_left_out_and_nobody_is_sent_away(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.CRITICAL, "world.view")  # the view cannot show them either
    desk = Desk()
    crowd(desk, "healer", 255)
    alric = await desk.enter("alric")
    await alric.sends(alric.client.refresh())
    assert alric.line.ending is None
    assert len(alric.client.last(RefreshReplyServerPacket).nearby.npcs) == 252


async def test_the_fullest_packet_fits() -> None:
    desk = Desk()
    people = crowd(desk, "stranger", 260)
    for mobile in people:
        mobile.name = "W" * 200
    npcs = crowd(desk, "healer", 252)
    items = [holding.make(desk.world, "bread", stored=False) for _ in range(figures.MOST_ITEMS + 1)]
    for item in items:
        desk.world.enter(item, desk.world.realms["plain"], *START)
    nearby, others = desk.view.figures.surroundings(people[0], [*people[1:], *npcs, *items])
    assert len(others) == 260 - 252 + 1
    assert 40_000 < len(encode(RefreshReplyServerPacket(nearby=nearby))) < SHORT_MAX


def test_what_no_frame_can_hold_is_refused_where_it_is_made() -> None:
    with pytest.raises(ValueError, match="Talk_Server of 70002 bytes"):
        encode(TalkServerServerPacket(message="x" * 70_000))


# More online than a list holds


@pytest.mark.parametrize("kind", [PlayersRequestClientPacket, PlayersListClientPacket])
async def test_the_online_list_names_those_that_fit_the_nearest_first(
    kind: type[Packet], monkeypatch: pytest.MonkeyPatch
) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    others = crowd(desk, "stranger", 1500)
    for n, mobile in enumerate(others):
        mobile.name = f"{n:04}".ljust(50, "x")
        if n < 700:
            desk.world.warp(mobile, desk.world.realms["cave"], 5, 5)
    monkeypatch.setattr(alric.session.services, "online", lambda: [*others, alric.mobile])
    await alric.sends(alric.client.bytes_of(bare(kind)))
    data = alric.client.last(InitInitServerPacket).reply_code_data
    if isinstance(data, InitInitServerPacket.ReplyCodeDataPlayersList):
        names = [player.name for player in data.players_list.players]
    else:
        assert isinstance(data, InitInitServerPacket.ReplyCodeDataPlayersListFriends)
        names = list(data.players_list.players)
    assert names[0] == "alric"
    assert 900 < len(names) < 1500
    assert {name[:4] for name in names} >= {f"{n:04}" for n in range(700, 1500)}
    assert alric.line.ending is None


# Who hides


@pytest.mark.parametrize("access", [Access.PLAYER, Access.COUNSELOR], ids=["player", "counselor"])
async def test_who_hides_is_online_for_staff_alone(access: int) -> None:
    desk = Desk()
    alric, berta = await desk.enter("alric"), await desk.enter("berta")
    alric.mobile.access, berta.mobile.hidden = access, True
    # They know of themselves, whoever they are.
    hers = ["alric", "berta"]
    assert await names(berta) == hers
    assert await names(alric) == (hers if access else ["alric"])
    await alric.sends(alric.client.bytes_of(PlayersAcceptClientPacket(name="berta")))
    found = PlayersPongServerPacket if access else PlayersPingServerPacket
    assert count(alric, found) == 1


@pytest.mark.parametrize("access", [Access.PLAYER, Access.COUNSELOR], ids=["player", "counselor"])
async def test_who_is_played_in_another_world_is_online_and_on_another_map(access: int) -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    alric.mobile.access = access
    zoe = Person(900, "Zoe of Afar", "Zoeofafar", level=3, title="the Far", tag="FAR")
    afar.meet(desk.world, 2, [zoe, Person(901, "Hider", "Hider", hidden=True)])
    assert await names(alric) == (["alric", "hider", "zoeofafar"] if access else ["alric", "zoeofafar"])
    lists = [packet for packet in alric.client.received if isinstance(packet, InitInitServerPacket)]
    shown = lists[-2].reply_code_data
    assert isinstance(shown, InitInitServerPacket.ReplyCodeDataPlayersList)
    (line,) = [one for one in shown.players_list.players if one.name == "zoeofafar"]
    assert (line.level, line.title, line.guild_tag) == (3, "the Far", "FAR")
    for name in ("zoeofafar", "hider", "nobody"):
        await alric.sends(alric.client.bytes_of(PlayersAcceptClientPacket(name=name)))
    assert count(alric, PlayersNet242ServerPacket) == (2 if access else 1)
    assert count(alric, PlayersPingServerPacket) == (1 if access else 2)


async def names(player: Player) -> list[str]:
    """Both lists of who is online, which are one."""
    await player.sends(player.client.bytes_of(bare(PlayersRequestClientPacket)))
    titles = player.client.last(InitInitServerPacket).reply_code_data
    assert isinstance(titles, InitInitServerPacket.ReplyCodeDataPlayersList)
    await player.sends(player.client.bytes_of(bare(PlayersListClientPacket)))
    friends = player.client.last(InitInitServerPacket).reply_code_data
    assert isinstance(friends, InitInitServerPacket.ReplyCodeDataPlayersListFriends)
    assert [line.name for line in titles.players_list.players] == list(friends.players_list.players)
    return sorted(friends.players_list.players)


# How often


def every(kind: type[Packet]) -> float:
    entry = TABLE.entry(opcode_of_class(kind))
    assert entry is not None
    return entry.every


@pytest.mark.parametrize(
    "kind",
    [
        PlayersRequestClientPacket,
        PlayersListClientPacket,
        PlayersAcceptClientPacket,
        PaperdollRequestClientPacket,
        BookRequestClientPacket,
        BankOpenClientPacket,
        QuestUseClientPacket,
    ],
)
def test_questions_for_which_a_client_waits_a_second(kind: type[Packet]) -> None:
    """The intervals of sorokya/reoserv."""
    assert every(kind) == 1.0


def test_what_must_not_be_lost_has_no_interval() -> None:
    assert every(DoorOpenClientPacket) == 0.5
    for kind in (WalkPlayerClientPacket, RangeRequestClientPacket, TalkReportClientPacket):
        assert every(kind) == 0.0
    assert every(MessagePingClientPacket) == 0.0


async def test_a_flood_of_wrong_steps_is_answered_once_now_and_once_later() -> None:
    desk = Desk()
    alric = await desk.enter("alric", (WALL[0], WALL[1] + 1))
    desk.now += 1
    steps, me = b"", alric.client.me
    for _ in range(60):
        steps += alric.client.walk(Direction.Up)
        me.y += 1  # not even the wall stops it
    await alric.sends(steps)
    assert count(alric, RefreshReplyServerPacket) == 1
    await desk.wait(RESYNC_SECONDS)
    assert count(alric, RefreshReplyServerPacket) == 2
    alric.believes()
    await desk.wait(5.0)
    assert count(alric, RefreshReplyServerPacket) == 2


async def test_a_late_answer_is_not_given_to_one_that_is_loading() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    desk.now += 1
    await alric.sends(alric.client.refresh() + alric.client.refresh())
    assert count(alric, RefreshReplyServerPacket) == 1
    alric.client.mute = True
    desk.world.warp(alric.mobile, desk.world.realms["cave"], 5, 5)
    await desk.settle()
    assert alric.session.loading
    await desk.wait(2.0)
    assert count(alric, RefreshReplyServerPacket) == 1
    alric.client.mute = False
    await desk.wait(1.0)
    alric.believes()
    await alric.sends(alric.client.refresh())
    assert count(alric, RefreshReplyServerPacket) == 2


# Times


async def test_nobody_is_pinged_whose_connection_is_gone() -> None:
    desk = Desk()
    before = len(desk.world.timers)
    alric, berta = await desk.enter("alric"), await desk.enter("berta")
    alric.session.link = NO_LINK
    await desk.wait(PING_SECONDS + 1)
    assert count(alric, ConnectionPlayerServerPacket) == 0
    assert count(berta, ConnectionPlayerServerPacket) == 1
    assert len(desk.world.timers) == before + 1


async def test_the_pace_is_the_views_and_not_left_by_the_handlers() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    assert desk.view.gait_ms == (480, 480)
    assert (alric.mobile.gait.walk_ms, alric.mobile.gait.run_ms) == desk.view.gait_ms
