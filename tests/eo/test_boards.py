"""Boards: their tiles in the map, the bytes of what a client says and is told, and refusals.

Bytes: eo-protocol, xml/net/client and xml/net/server, Board_*; that a client counts boards from 0 and the
server from 1 on: eoserv.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs
import pytest
from eolib import (
    BoardCreateClientPacket,
    BoardOpenClientPacket,
    BoardOpenServerPacket,
    BoardPlayerServerPacket,
    BoardRemoveClientPacket,
    BoardTakeClientPacket,
    EoReader,
)
from eolib.protocol.map import Emf, MapTileSpec

from protocol.eo.files import build
from protocol.eo.looks import compile_looks
from tests.eo.test_handlers_counters import payload, words
from tests.kit.eo_desk import START, Desk, Player, small_content
from world import boards, fixtures
from world.content import Fixture, ItemTemplate
from world.mobile import Access
from world.reach import Refusal

if TYPE_CHECKING:
    from eolib import Packet

    from world.content import Content
    from world.item import Item

PLACE = START[0] + 1, START[1]
FAR = START[0] + 7, START[1]


def content() -> Content:
    """A board at `PLACE`, and another one in sight, but too far away."""
    small = small_content()
    board = ItemTemplate(
        "board", "notice board", movable=False, board=True, look={"eo": {"id": 18, "graphic": 27}}
    )
    note = ItemTemplate("note", "note", movable=False, look={"eo": {"id": 19, "graphic": 27}})
    places = (Fixture("board", *PLACE), Fixture("board", *FAR))
    return attrs.evolve(
        small,
        items={**small.items, "board": board, "note": note},
        charts={**small.charts, "plain": attrs.evolve(small.charts["plain"], fixtures=places)},
    )


@attrs.frozen
class Before:
    """A player before a board."""

    player: Player
    board: Item

    async def says(self, packet: Packet) -> None:
        await self.player.sends(self.player.client.bytes_of(packet))

    def read(self) -> list[Packet]:
        """What came of boards since the last time."""
        kinds = (BoardOpenServerPacket, BoardPlayerServerPacket)
        found = [packet for packet in self.player.client.received if isinstance(packet, kinds)]
        self.player.client.received.clear()
        return list(found)


async def before() -> Before:
    desk = Desk(content())
    fixtures.settle(desk.world)
    desk.world.epoch = 1_800_000_000.0
    alric = await desk.enter("alric")
    board = boards.at(alric.mobile, *PLACE)
    alric.client.received.clear()
    return Before(alric, board)


def test_its_tile_says_which_board_it_is() -> None:
    found = content()
    looks = compile_looks(found)
    emf = Emf.deserialize(EoReader(build(found, looks).maps[5].data))
    specs = {(tile.x, row.y): tile.tile_spec for row in emf.tile_spec_rows for tile in row.tiles}
    assert (specs[PLACE], specs[FAR]) == (MapTileSpec.Board1, MapTileSpec.Board2)


async def test_a_note_is_pinned_read_and_taken_down() -> None:
    scene = await before()
    await scene.says(BoardOpenClientPacket(board_id=0))
    (shown,) = scene.read()
    assert payload(shown) == b"\x02\x01"
    create = BoardCreateClientPacket(board_id=1, post_subject="Wanted", post_body="Ten hides.\rGold.")
    assert payload(create) == b"\x02\xfe\xffWanted\xffTen hides.\rGold.\xff"
    await scene.says(create)
    (note,) = boards.notes(scene.board)
    assert note.note is not None
    assert (note.name, note.note.text) == ("Wanted", "Ten hides.\nGold.")
    (shown,) = scene.read()
    name = scene.player.mobile.name.encode()
    assert payload(shown) == b"\x02\x02\x02\xfe\xff" + name + b"\xffWanted\xff"
    await scene.says(BoardTakeClientPacket(board_id=1, post_id=1))
    (words_of_it,) = scene.read()
    assert payload(words_of_it) == b"\x02\xfeTen hides.\rGold."
    await scene.says(BoardRemoveClientPacket(board_id=1, post_id=1))
    assert not boards.notes(scene.board)
    (shown,) = scene.read()
    assert payload(shown) == b"\x02\x01"


@pytest.mark.parametrize(
    "wish",
    [
        BoardOpenClientPacket(board_id=2),
        BoardTakeClientPacket(board_id=1, post_id=1),
        BoardCreateClientPacket(board_id=1, post_subject="a", post_body="b"),
        BoardRemoveClientPacket(board_id=1, post_id=1),
    ],
    ids=lambda wish: type(wish).__name__,
)
async def test_where_no_board_is_open_there_is_none(wish: Packet) -> None:
    scene = await before()
    await scene.says(wish)
    assert words(scene.player) == [Refusal.NO_BOARD.value]


async def test_refusals_are_told_and_the_list_is_shown_anew() -> None:
    scene = await before()
    await scene.says(BoardOpenClientPacket(board_id=1))
    assert words(scene.player) == [Refusal.FAR.value]
    await scene.says(BoardOpenClientPacket(board_id=0))
    await scene.says(BoardCreateClientPacket(board_id=1, post_subject="", post_body="b"))
    assert "A note needs a subject and some words." in words(scene.player)
    await scene.says(BoardTakeClientPacket(board_id=1, post_id=1))
    assert words(scene.player) == [Refusal.NO_NOTE.value]


async def test_others_may_not_take_it_down_but_the_staff_may() -> None:
    scene = await before()
    await scene.says(BoardOpenClientPacket(board_id=0))
    await scene.says(BoardCreateClientPacket(board_id=1, post_subject="a", post_body="b"))
    (note,) = boards.notes(scene.board)
    assert note.note is not None
    note.note = attrs.evolve(note.note, author=999)
    scene.player.client.received.clear()
    await scene.says(BoardRemoveClientPacket(board_id=1, post_id=1))
    assert words(scene.player) == [Refusal.NOT_YOUR_NOTE.value]
    scene.player.mobile.access = Access.COUNSELOR
    await scene.says(BoardRemoveClientPacket(board_id=1, post_id=1))
    assert not boards.notes(scene.board)
