"""From the character menu into the world, and from one place of it to another."""

from __future__ import annotations

import pytest
from eolib import (
    AvatarRemoveServerPacket,
    Direction,
    Emf,
    EoReader,
    FileType,
    InitReply,
    TalkServerServerPacket,
    WarpAgreeServerPacket,
    WelcomeAgreeClientPacket,
    WelcomeReplyServerPacket,
)

from protocol.denials import Denial
from protocol.endings import Ending
from protocol.session import Phase
from tests.kit.eo_desk import HEALER, Desk
from world import life
from world.events import YOU_DIED
from world.mobile import Posture


async def test_the_files_are_what_was_announced() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    client = player.client
    selected = client.selected
    assert selected is not None
    content = client.files[InitReply.FileEmf]
    assert len(content) == selected.map_file_size
    assert tuple(Emf.deserialize(EoReader(content)).rid) == tuple(selected.map_rid)
    for code, rid in (
        (InitReply.FileEif, selected.eif_rid),
        (InitReply.FileEnf, selected.enf_rid),
        (InitReply.FileEsf, selected.esf_rid),
        (InitReply.FileEcf, selected.ecf_rid),
    ):
        reader = EoReader(client.files[code][3:7])
        assert (reader.get_short(), reader.get_short()) == tuple(rid)


async def test_a_newcomer_sees_and_is_seen() -> None:
    desk = Desk()
    desk.resident("healer", *HEALER)
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 22), female=True)
    assert alric.session.phase is Phase.IN_WORLD
    welcome = alric.client.last(WelcomeReplyServerPacket).welcome_code_data
    assert isinstance(welcome, WelcomeReplyServerPacket.WelcomeCodeDataEnterGame)
    assert [(item.id, item.amount) for item in welcome.items] == [(1, 100)]
    assert alric.client.hp == 50
    for player in (alric, berta):
        player.believes()
        assert len(player.client.characters) == 2
        assert len(player.client.npcs) == 1
    assert alric.client.characters[berta.client.player_id].info is not None


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (FileType.Emf, WelcomeAgreeClientPacket.FileTypeDataEmf(file_id=6)),
        (FileType.Eif, WelcomeAgreeClientPacket.FileTypeDataEif(file_id=2)),
    ],
)
async def test_a_file_that_does_not_exist(
    kind: FileType, data: WelcomeAgreeClientPacket.FileTypeData
) -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    await player.sends(player.client.request_character())
    await player.sends(player.client.create_character("Alric"))
    await player.sends(player.client.select(player.client.menu[0].id))
    packet = WelcomeAgreeClientPacket(
        file_type=kind, session_id=player.client.session_id, file_type_data=data
    )
    await player.sends(player.client.bytes_of(packet))
    assert player.line.ending is Ending.BAD_PACKET


async def test_nobody_enters_as_another() -> None:
    desk = Desk()
    await desk.enter("alric")
    berta = await desk.logged_in("berta")
    foreign = desk.owned("alric")[0].serial
    await berta.sends(berta.client.select(foreign))
    assert berta.session.phase is Phase.MENU
    assert berta.client.selected is None


async def test_denied_at_the_door() -> None:
    desk = Desk()
    player = await desk.logged_in("alric")
    await player.sends(player.client.request_character())
    await player.sends(player.client.create_character("Alric"))
    await player.sends(player.client.select(player.client.menu[0].id))
    desk.deny = Denial.UNAVAILABLE
    await player.sends(player.client.enter())
    assert player.line.ending is Ending.REFUSED


async def test_a_character_elsewhere_is_warped_to_where_it_stands() -> None:
    desk = Desk()
    first = await desk.enter("alric")
    desk.world.warp(first.mobile, desk.world.realms["cave"], 7, 8)
    await desk.settle()

    again = await desk.enter("alric")
    assert again.client.map_id == 6
    assert InitReply.WarpMap in again.client.files
    assert (again.client.me.x, again.client.me.y) == (7, 8)
    assert not again.session.loading
    again.believes()


async def test_where_the_game_has_no_map_nobody_can_be() -> None:
    desk = Desk()
    player = await desk.enter("alric")
    desk.world.warp(player.mobile, desk.world.realms["void"], 7, 8)
    await desk.settle()
    assert player.line.ending is Ending.KICKED
    again = await desk.enter("alric")
    assert again.line.ending is Ending.REFUSED


async def test_taking_over_changes_the_number_before_everybodys_eyes() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 22))
    before = alric.client.player_id
    again = await desk.enter("alric")
    assert again.client.player_id != before
    assert again.mobile.serial in berta.session.known
    assert before not in berta.client.characters
    berta.believes()
    again.believes()


async def test_the_dead_are_told_so_when_they_enter() -> None:
    desk = Desk()
    first = await desk.enter("alric")
    life.kill(first.mobile)
    again = await desk.enter("alric")
    assert again.client.hp == 0
    assert again.client.last(TalkServerServerPacket).message == YOU_DIED


async def test_to_another_map_and_back() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    berta = await desk.enter("berta", (22, 22))
    desk.world.warp(alric.mobile, desk.world.realms["cave"], 30, 30)
    await desk.settle()
    assert alric.client.map_id == 6
    assert list(alric.client.characters) == [alric.client.player_id]
    assert berta.client.last(AvatarRemoveServerPacket).player_id == alric.client.player_id
    alric.believes()
    berta.believes()

    desk.world.warp(alric.mobile, desk.world.realms["plain"], 21, 21)
    await desk.settle()
    assert alric.client.map_id == 5
    alric.believes()
    berta.believes()
    await alric.sends(alric.client.walk(Direction.Down))
    alric.believes()
    berta.believes()


async def test_steps_from_before_a_warp_are_not_taken_after_it() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    desk.now = 10.0
    for _ in range(6):
        await alric.sends(alric.client.walk(Direction.Down))
    desk.world.warp(alric.mobile, desk.world.realms["cave"], 40, 40)
    for _ in range(40):
        await desk.wait(0.1)
    assert (alric.mobile.x, alric.mobile.y) == (40, 40)
    alric.believes()


async def test_a_local_warp_needs_no_map() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 40, 40)
    await desk.settle()
    assert InitReply.WarpMap not in alric.client.files
    assert alric.client.last(WarpAgreeServerPacket).warp_type_data is None
    alric.believes()


async def test_while_loading_nothing_is_shown_and_nothing_done() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    alric.client.mute = True
    desk.world.warp(alric.mobile, desk.world.realms["plain"], 40, 40)
    await desk.settle()
    assert alric.session.loading
    alric.client.received.clear()
    berta = await desk.enter("berta", (41, 41))
    await alric.sends(alric.client.walk(Direction.Down) + alric.client.say("hello") + alric.client.sit())
    assert (alric.mobile.x, alric.mobile.y, alric.mobile.posture) == (40, 40, Posture.STANDING)
    assert not alric.client.received

    # Warped on meanwhile: the answer to the first request is not enough.
    desk.world.warp(alric.mobile, desk.world.realms["cave"], 9, 9)
    await desk.settle()
    alric.client.mute = False
    await desk.settle()
    assert (alric.client.map_id, alric.client.me.x) == (6, 9)
    alric.believes()
    berta.believes()
