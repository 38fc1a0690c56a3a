"""docs/content.md is followed word for word, with a server that runs and a client of each game: the files and
the mistakes are read from the page, so that it cannot say what is not so."""

from __future__ import annotations

import io
import re
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
import trio

from server.content.families import DATA
from server.content.loading import ContentError, load
from server.content.mobiles import MobileReader
from server.content.tables import Tables
from server.operate.rehearsal import play
from tests.kit.editor import begin_editing
from tests.kit.in_memory import wild_shipped_content
from world import conversations, holding

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.editor import Editor
    from tests.kit.square import Guest
    from world.world import World

PAGE: Final = (Path(__file__).parents[2] / "docs" / "content.md").read_text(encoding="utf-8")
BLOCKS: Final = re.findall(r"^```(\w*)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
BERTA, WITH_DIALOG, WITH_SHOP, WITH_LOOKS = (text for kind, text in BLOCKS if kind == "toml")
"""The files of the page, in its order."""

TYPED: Final = [
    line[2:] for kind, text in BLOCKS if not kind for line in text.splitlines() if line[:2] == "$ "
]
(PRINTED,) = (text.splitlines() for kind, text in BLOCKS if not kind and text.startswith("people/"))
"""What `causeway check` answers to the mistake of the page."""

WRONG, RIGHT = "aple", "apple"
ROWS: Final = re.findall(
    r"^\| `([^`]+)`[^|]*\|[^|]*\|$", PAGE.split("## 4.")[1].split("## 5.")[0], re.MULTILINE
)
"""The table of mistakes, by what is said."""


def test_a_being_with_dialog_shop_and_spawn_is_forty_lines() -> None:
    assert len(WITH_SHOP.splitlines()) <= 40
    table = tomllib.loads(WITH_SHOP)
    assert {"place", "role", "dialog"} <= table.keys()
    assert "merchant" in table["role"]


async def stand_around(editor: Editor, x: int, y: int) -> None:
    """Everybody comes to a tile near that one, as near as one talks."""

    def put(world: World) -> None:
        realm = editor.square.realm
        tiles = [tile for tile in realm.free_near(x, y, 2) if tile != (x, y)]
        for guest, tile in zip(editor.square, tiles, strict=False):
            world.warp(guest.mobile, realm, *tile)

    await editor.square.town.app.loop.in_world(None, put)
    await trio.sleep(3)


async def buys(guest: Guest, price: int) -> None:
    """An apple, in the words of the page; it costs so much."""
    before = holding.gold(guest.mobile)
    await guest.does(guest.wishes.order("buy apple 1"), wait=2)
    assert before - holding.gold(guest.mobile) == price, f"{guest} did not pay {price}"


async def test_the_page_is_true(nursery: trio.Nursery, autojump_clock: MockClock, tmp_path: Path) -> None:
    editor = await begin_editing(nursery, tmp_path)
    square = editor.square
    file = editor.data / "people" / "berta.toml"
    assert "reload content" in " ".join(TYPED)

    file.write_text(BERTA, encoding="utf-8")
    assert (await editor.reloads())[:2] == ["True", "the content was read again"]
    berta = editor.being("berta")
    assert berta is not None
    place = tomllib.loads(BERTA)["place"][0]
    assert (berta.x, berta.y) == (place["x"], place["y"])
    await stand_around(editor, berta.x, berta.y)
    editor.all_see(berta)

    file.write_text(WITH_SHOP, encoding="utf-8")
    assert (await editor.reloads())[0] == "True"
    assert editor.being("berta") is berta, "whoever only does something else stays"
    table = tomllib.loads(WITH_SHOP)
    asked = table["dialog"]["start"]
    for guest in square:
        await guest.does(guest.wishes.talk_to(berta), wait=2)
        (dialog,) = guest.mobile.dialogs.values()
        assert (dialog.name, dialog.text) == (conversations.TALK, asked["text"].format(name=guest.name))
        label = asked["answers"][0]["text"]
        await guest.does(guest.wishes.fill_in((), (), label) or guest.wishes.press(label), wait=2)
        assert dialog.serial not in guest.mobile.dialogs, f"{guest} could not answer"
        await buys(guest, price := table["role"]["merchant"]["sells"][0]["price"])

    dearer = WITH_SHOP.replace(f'item = "apple", price = {price}', f'item = "apple", price = {price + 1}')
    assert dearer != WITH_SHOP
    file.write_text(dearer, encoding="utf-8")
    assert (await editor.reloads())[0] == "True"
    for guest in square:
        # Nobody pays another price than the one that was shown: they look once more.
        await buys(guest, 0)
        await guest.does(guest.wishes.order("buy"), wait=2)
        await buys(guest, price + 1)

    file.write_text(dearer.replace(f'item = "{RIGHT}"', f'item = "{WRONG}"', 1), encoding="utf-8")
    assert f'`item = "{WRONG}"`' in PAGE
    assert await editor.reloads() == ["False", "nothing was changed:", *PRINTED[:-1]]
    with pytest.raises(ContentError) as caught:
        load(editor.data)
    assert [*caught.value.problems, f"{len(caught.value.problems)} problem"] == PRINTED
    assert editor.being("berta") is berta
    editor.all_see(berta)
    for guest in square:
        await buys(guest, price + 1)

    file.write_text(WITH_SHOP, encoding="utf-8")
    assert (await editor.reloads())[0] == "True"
    for guest in square:
        await guest.does(guest.wishes.order("buy"), wait=2)
        await buys(guest, price)
    square.is_well()


def test_the_dialog_of_the_page_is_played(tmp_path: Path) -> None:
    (command,) = (line for line in TYPED if line.startswith("causeway dialog"))
    player = command.split("--as ")[1]
    file = tmp_path / "berta.toml"
    file.write_text(WITH_DIALOG, encoding="utf-8")
    out = io.StringIO()
    play(file, player, io.StringIO("1\n1\n0\n"), out, data_dir=DATA)
    assert "Bring me 2 bread loaves for my helpers, and I give you 6 gold coins." in out.getvalue()
    assert "Thank you!" in out.getvalue()


def problems(text: str, folder: Path) -> list[str]:
    (folder / "berta.toml").write_text(text, encoding="utf-8")
    content, tables = wild_shipped_content(), Tables(DATA, [])
    reader = MobileReader(tables, content.items, (folder / "berta.toml",))
    reader.mobiles()
    reader.check(reader.placed(content.charts), content.quests)
    return tables.problems


MISTAKES: Final = (
    ('name = "Berta"', 'name "Berta"'),
    ('to = "thanks"', 'to = "thank"'),
    ("[dialog.thanks]", '[dialog.secret]\ntext = "?"\nanswers = [{ text = "Bye." }]\n[dialog.thanks]'),
    ('{ text = "Later.", to = "start" }', '{ text = "Later.", to = "start", if = { level = 2 } }'),
    ("x = 51\ny = 57", "x = 3\ny = 4"),
    ('kind = "villager"', 'kind = "vilager"'),
)


@pytest.mark.parametrize("row", range(len(MISTAKES)))
def test_a_mistake_of_the_table_says_what_the_page_says(tmp_path: Path, row: int) -> None:
    assert len(ROWS) == len(MISTAKES)
    old, new = MISTAKES[row]
    assert old in WITH_DIALOG
    found = problems(WITH_DIALOG.replace(old, new, 1), tmp_path)
    assert any(ROWS[row] in line for line in found), found


def test_looks_of_ones_own_are_right(tmp_path: Path) -> None:
    assert problems(WITH_LOOKS, tmp_path) == []
