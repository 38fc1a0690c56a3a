"""Lineage II: notes in the window of the community's board (facts/l2-play.md, 9: S 6e c 1, S x8, S content in
the parts 101, 102, 103; facts/l2.md: C 57 d)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import attrs

from protocol.l2.packets import (
    Action,
    NpcHtmlMessage,
    RequestBypassToServer,
    RequestShowBoard,
    ShowBoard,
)
from protocol.wishes import Wish
from tests.kit.l2_desk import START, Desk, Player, small_content
from world import boards, bulletins, fixtures
from world.content import Fixture
from world.reach import Refusal

if TYPE_CHECKING:
    from world.item import Item

PLACE = START[0] + 1, START[1]


@attrs.frozen
class Before:
    """A player before a board."""

    player: Player
    board: Item
    text: list[str] = attrs.field(factory=list)
    """The parts of the page that was looked at last."""

    def links(self) -> dict[str, str]:
        """Bypasses by their labels, of the page that its window shows."""
        parts = [message.content.partition("\x08") for message in self.player.took(ShowBoard)]
        assert [part for part, _, _ in parts] == ["101", "102", "103"]
        self.text[:] = [text for _, _, text in parts]
        html = "".join(self.text)
        return {label: link for link, label in re.findall(r'<a action="bypass ([^"]*)">([^<]*)</a>', html)}

    async def follows(self, link: str) -> None:
        await self.player.desk.wait(1.1)
        self.player.got.clear()
        await self.player.says(RequestBypassToServer(link))
        await self.player.desk.wait(0.1)


async def before() -> Before:
    small = small_content()
    chart = attrs.evolve(small.charts["plain"], fixtures=(Fixture("notice_board", *PLACE),))
    desk = Desk(attrs.evolve(small, charts={**small.charts, "plain": chart}))
    fixtures.settle(desk.world)
    alric = await desk.enter("alric")
    board = boards.at(alric.mobile, *PLACE)
    await desk.wait(0.5)
    alric.got.clear()
    return Before(alric, board)


async def test_alt_b_shows_the_nearest_board_and_a_link_its_words() -> None:
    scene = await before()
    note = boards.pin(scene.player.mobile, scene.board, "Wanted", "Ten <hides>.\nGold.")
    await scene.player.says(RequestShowBoard())
    assert {one.home for one in scene.player.got if isinstance(one, ShowBoard)} == {
        f"bypass board_{scene.board.serial}"
    }
    links = scene.links()
    name = scene.player.mobile.name
    assert list(links) == ["Pin a note.", f"Wanted ({name})"]
    await scene.follows(links[f"Wanted ({name})"])
    links = scene.links()
    assert "Ten &lt;hides&gt;.<br>Gold." in scene.text[0]
    assert list(links) == ["Back to the board.", "Take it down."]
    await scene.follows(links["Take it down."])
    assert note.serial not in scene.player.desk.world.items
    assert list(scene.links()) == ["Pin a note."]
    assert "Nothing is pinned here." in scene.text[0]


async def test_a_click_on_a_board_shows_it_and_a_link_asks_for_a_new_note() -> None:
    scene = await before()
    await scene.player.says(Action(scene.board.serial, 0, 0, 0, 1))
    await scene.player.desk.wait(0.1)
    await scene.follows(scene.links()["Pin a note."])
    assert len(scene.player.took(NpcHtmlMessage)) == 1
    (dialog,) = scene.player.mobile.dialogs.values()
    assert dialog.name == bulletins.BOARD_DIALOG


async def test_what_was_not_offered_or_is_gone_is_refused() -> None:
    scene = await before()
    other = await scene.player.desk.enter("berta")
    note = boards.pin(other.mobile, scene.board, "Hers", "Mine.")
    await scene.player.says(RequestShowBoard())
    read = scene.links()[f"Hers ({other.mobile.name})"]
    await scene.follows(read.replace("read", "down"))
    assert scene.player.told() == [Wish.UNASKED.value], "nobody offered to take hers down"
    boards.unpin(other.mobile, scene.board, note)
    await scene.follows(read)
    assert scene.player.told() == [Refusal.NO_NOTE.value]
    await scene.follows(f"board_{scene.board.serial}")
    assert list(scene.links()) == ["Pin a note."], "the window stays open"


async def test_where_there_is_no_board_there_is_nothing_to_show() -> None:
    desk = Desk()
    alric = await desk.enter("alric")
    await desk.wait(0.5)
    alric.got.clear()
    await alric.says(RequestShowBoard())
    await desk.wait(0.1)
    assert alric.took(ShowBoard) == []
    assert alric.told() == [Refusal.NO_BOARD.value]


async def test_of_a_board_that_is_full_the_oldest_notes_have_no_room_on_its_page() -> None:
    scene = await before()
    for number in range(boards.MOST_NOTES):
        mobile = scene.player.mobile
        mobile.spoken = None
        note = boards.pin(mobile, scene.board, f"{number:02} {'x' * 29}", "&" * boards.LONGEST_TEXT)
        assert note.note is not None
        note.note = attrs.evolve(note.note, author=number + 1000)
    await scene.player.says(RequestShowBoard())
    labels = list(scene.links())
    assert labels[1].startswith(f"{boards.MOST_NOTES - 1:02} x")
    assert 20 < len(labels) < boards.MOST_NOTES + 1
