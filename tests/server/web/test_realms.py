"""What the page is told of realms, and how their pictures come to it: drawn once, kept, bounded."""

from __future__ import annotations

import base64
import io
import json
import logging
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Final, cast

import attrs
import pytest
import trio
from PIL import Image
from starlette.applications import Starlette

from protocol.web.looks import compile_looks
from server.web import realms
from server.web.pictures.painter import Painter
from server.web.realms import Busy, Gallery
from server.web.turnout import Counted
from tests.kit.town import shipped_content
from tests.kit.visitor import Answer, Visitor
from world.content import Chart, Content, Scenery, Sign, Warp
from world.heading import SOUTH

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from server.web.front import Front
    from server.web.site import Site
    from world.world import World

SHIPPED: Final = shipped_content()
TILE: Final = compile_looks(SHIPPED).tile
WIDTH, HEIGHT = 40, 7


def content(ground: str = "grass") -> Content:
    """The shipped tiles in one small realm, with a name that has to be quoted in an address."""
    tiles = SHIPPED.tiles
    blocked = bytearray(WIDTH * HEIGHT)
    blocked[0] = blocked[9] = blocked[WIDTH * HEIGHT - 1] = 1
    chart = Chart(
        "old town",
        "The Old Town",
        WIDTH,
        HEIGHT,
        [tiles[ground]] * (WIDTH * HEIGHT),
        [Scenery(tiles["lamp_post"], 9, 0)],
        bytes(blocked),
        [(3, 3)],
        warps={(5, 6): Warp("old town", 1, 1)},
        signs=[Sign(2, 3, "Inn", "Beds & <b>beer</b>")],
        seats={(2, 1): SOUTH},
    )
    return attrs.evolve(SHIPPED, charts={"old town": chart}, start_realm="old town")


HERE = object()


def somebody(*, realm: object = HERE, hidden: bool = False, access: int = 0) -> SimpleNamespace:
    return SimpleNamespace(
        realm=realm, hidden=hidden, access=access, account=1, online=True, game="uo", name="Anna"
    )


def visitor(folder: Path, found: Content, mobiles: Mapping[int, SimpleNamespace] | None = None) -> Visitor:
    """A browser before these routes alone. Threads need the real clock, which a whole town has not."""
    some = [somebody(), somebody(hidden=True, access=3), somebody(realm=None)]
    world = SimpleNamespace(
        mobiles=dict(enumerate(some)) if mobiles is None else mobiles, realms={"old town": HERE}
    )
    app = SimpleNamespace(
        content=found,
        settings=SimpleNamespace(server=SimpleNamespace(state_dir=folder)),
        turnout=Counted(cast("World", world), lambda mobile: True, turns=lambda now: 0.0, closed=lambda: ""),
    )
    routes = realms.routes(cast("Site", SimpleNamespace(app=app, page=SimpleNamespace(tile=TILE))))
    return Visitor(cast("Front", SimpleNamespace(asgi=Starlette(routes=routes))))


async def picture(browser: Visitor) -> str:
    return str((await browser.get("/realms/old%20town.json")).json()["picture"])


def files(folder: Path, pattern: str = "*") -> list[Path]:
    return sorted(folder.rglob(pattern))


def is_picture(answer: Answer) -> bool:
    image = Image.open(io.BytesIO(answer.body))
    return answer.status == 200 and answer.headers["content-type"] == "image/png" and image.size == (512, 512)


async def test_the_list_has_all_realms_and_who_is_seen_there(tmp_path: Path) -> None:
    answer = await visitor(tmp_path, content()).get("/realms.json")
    assert answer.json() == {
        "realms": [{"name": "old town", "title": "The Old Town", "mobiles": 1}],
        "start": "old town",
    }


async def test_the_world_is_not_counted_for_each_who_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 5.0
    monkeypatch.setattr(trio, "current_time", lambda: now)
    mobiles = {0: somebody()}
    browser = visitor(tmp_path, content(), mobiles)
    assert _count(await browser.get("/realms.json")) == 1
    mobiles[1] = mobiles[0]
    now = 5.9
    assert _count(await browser.get("/realms.json")) == 1
    now = 6.0
    assert _count(await browser.get("/realms.json")) == 2


def _count(answer: Answer) -> int:
    (realm,) = json.loads(answer.body)["realms"]
    return int(realm["mobiles"])


async def test_a_realm_says_where_one_can_stand_and_what_is_there(tmp_path: Path) -> None:
    browser = visitor(tmp_path, content())
    answer = await browser.get("/realms/old%20town.json")
    told = answer.json()
    bits = base64.b64decode(str(told.pop("blocked")))
    assert bits == b"\x80\x40" + bytes(WIDTH * HEIGHT // 8 - 3) + b"\x01"
    prefix, _, rest = str(told.pop("picture")).partition("/realms/old%20town/")
    assert prefix == ""
    assert len(rest) == 21
    assert rest.endswith("/")
    assert told == {
        "name": "old town",
        "title": "The Old Town",
        "width": WIDTH,
        "height": HEIGHT,
        "tile": 16,
        "chunk": 32,
        "colour": compile_looks(SHIPPED).tile(SHIPPED.tiles["grass"])[0],
        "signs": [{"x": 2, "y": 3, "title": "Inn", "text": "Beds & <b>beer</b>"}],
        "warps": [{"x": 5, "y": 6, "realm": "old town"}],
        "services": [],
        "seats": [[2, 1, 4]],
        "lights": [{"x": 9, "y": 0}],
    }
    again = await browser.get("/realms/old%20town.json", {"if-none-match": answer.headers["etag"]})
    assert (again.status, again.body) == (304, b"")


@pytest.mark.parametrize("flags", [b"", b"\1", b"\0\1" * 9, bytes(16)])
def test_bits_are_in_order_and_filled_up(flags: bytes) -> None:
    bits = realms._bits(flags)
    assert len(bits) == -(-len(flags) // 8)
    assert [bits[n >> 3] >> (7 - (n & 7)) & 1 for n in range(len(flags))] == list(flags)


async def test_pictures_are_kept_for_ever_by_who_has_them(tmp_path: Path) -> None:
    browser = visitor(tmp_path, content())
    folder = await picture(browser)
    answer = await browser.get(f"{folder}1-0.png")
    assert is_picture(answer)
    assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
    head = await browser.head(f"{folder}1-0.png")
    assert (head.status, head.body) == (200, b"")
    assert head.headers["content-length"] == str(len(answer.body))
    known = await browser.get(f"{folder}1-0.png", {"if-none-match": answer.headers["etag"]})
    assert (known.status, known.body) == (304, b"")
    assert (await browser.post(f"{folder}1-0.png", {})).status == 405


@pytest.mark.parametrize(
    "name",
    [
        "2-0.png",
        "0-1.png",
        "00-0.png",
        "-1-0.png",
        "0-0",
        "0-0.jpg",
        "99999-0.png",
        "123456-0.png",
        "٣-0.png",
    ],
)
async def test_only_chunks_that_there_are_are_given(tmp_path: Path, name: str) -> None:
    browser = visitor(tmp_path, content())
    folder = await picture(browser)
    answer = await browser.get(f"{folder}{name}", {"if-none-match": f'"{folder.split("/")[3]}-2-0"'})
    assert answer.status == 404
    assert answer.text.strip()


async def test_other_realms_and_other_hashes_are_not_found(tmp_path: Path) -> None:
    browser = visitor(tmp_path, content())
    folder = await picture(browser)
    for path in (
        "/realms/atlantis.json",
        folder.replace("old%20town", "atlantis") + "0-0.png",
        "/realms/old%20town/" + "0" * 20 + "/0-0.png",
        "/realms/old%20town/../0-0.png",
    ):
        answer = await browser.get(path)
        assert answer.status == 404
        assert answer.text.strip()
    assert files(tmp_path, "*.png") == []


async def test_a_chunk_is_drawn_once_for_all_who_wait_and_after_a_restart_not_at_all(tmp_path: Path) -> None:
    gallery = Gallery(content(), TILE, tmp_path / "pictures")
    found: list[bytes | None] = []

    async def ask() -> None:
        found.append(await gallery.chunk("old town", 0, 0))

    async with trio.open_nursery() as nursery:
        for _ in range(5):
            nursery.start_soon(ask)
    assert len(found) == 5
    assert len(set(found)) == 1
    assert gallery.drawn == 1
    later = Gallery(content(), TILE, tmp_path / "pictures")
    assert await later.chunk("old town", 0, 0) == found[0]
    assert later.drawn == 0
    assert await later.chunk("old town", 2, 0) is None
    assert await later.chunk("atlantis", 0, 0) is None


async def test_a_damaged_file_is_drawn_again(tmp_path: Path) -> None:
    whole = await Gallery(content(), TILE, tmp_path).chunk("old town", 1, 0)
    assert whole is not None
    (file,) = files(tmp_path, "*.png")
    for damage in (b"", whole[:-1], b"no picture"):
        file.write_bytes(damage)
        gallery = Gallery(content(), TILE, tmp_path)
        assert await gallery.chunk("old town", 1, 0) == whole
        assert gallery.drawn == 1
        assert file.read_bytes() == whole
    assert files(tmp_path, "*.tmp") == []


async def test_pictures_of_what_a_realm_was_are_removed_and_nothing_else(tmp_path: Path) -> None:
    await Gallery(content(), TILE, tmp_path).chunk("old town", 0, 0)
    old = files(tmp_path)[0]
    (tmp_path / "notes.txt").write_text("mine")
    (tmp_path / "other").mkdir()
    await Gallery(content("sand"), TILE, tmp_path).chunk("old town", 0, 0)
    names = {path.name for path in files(tmp_path)}
    assert old.name not in names
    assert len(names) == 4
    assert {"notes.txt", "other", "0-0.png"} < names


async def test_without_a_folder_they_stay_in_memory_and_the_log_has_one_line(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("no folder")
    gallery = Gallery(content(), TILE, tmp_path / "file")
    with caplog.at_level(logging.WARNING):
        for column in (0, 1, 0, 1):
            assert await gallery.chunk("old town", column, 0) is not None
    assert gallery.drawn == 2
    assert len(caplog.records) == 1
    assert "cannot be kept" in caplog.text


async def test_memory_is_bounded_and_what_was_not_used_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def draw(_: Painter, column: int, row: int, **__: object) -> bytes:
        return bytes([column]) * 1000

    monkeypatch.setattr(Painter, "chunk", draw)
    monkeypatch.setattr(Painter, "chunks", lambda _: (100, 1))
    monkeypatch.setattr(realms, "MOST_KEPT", 3500)
    (tmp_path / "file").write_text("no folder")
    gallery = Gallery(content(), TILE, tmp_path / "file")
    for column in (0, 1, 2, 0, 3, 0, 2):
        await gallery.chunk("old town", column, 0)
    assert gallery.drawn == 4
    await gallery.chunk("old town", 1, 0)
    assert gallery.drawn == 5


async def test_no_more_than_so_many_may_wait_and_one_is_drawn_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    browser = visitor(tmp_path, content())
    folder = await picture(browser)
    began, go_on = threading.Event(), threading.Event()
    drawing = [0, 0]

    def draw(_: Painter, column: int, __: int, **___: object) -> bytes:
        drawing[0] += 1
        drawing[1] = max(drawing)
        began.set()
        go_on.wait(10)
        drawing[0] -= 1
        return b"%d" % column

    monkeypatch.setattr(Painter, "chunk", draw)
    monkeypatch.setattr(realms, "MOST_WAITING", 2)
    answers: dict[int, Answer] = {}

    async def ask(column: int) -> None:
        answers[column] = await browser.get(f"{folder}{column}-0.png")

    async with trio.open_nursery() as nursery:
        nursery.start_soon(ask, 0)
        nursery.start_soon(ask, 1)
        await trio.to_thread.run_sync(began.wait, 10)
        refused = await browser.get(f"{folder}1-0.png")
        go_on.set()
    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    assert {column: answer.body for column, answer in answers.items()} == {0: b"0", 1: b"1"}
    assert drawing[1] == 1
    assert (await browser.get(f"{folder}1-0.png")).status == 200


async def test_who_leaves_does_not_wait_and_what_was_begun_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gallery = Gallery(content(), TILE, tmp_path)
    assert await gallery.plan("old town") is not None
    began, go_on = threading.Event(), threading.Event()
    paint = Painter.chunk

    def slowly(self: Painter, column: int, row: int, **options: object) -> bytes:
        began.set()
        go_on.wait(10)
        return paint(self, column, row)

    monkeypatch.setattr(Painter, "chunk", slowly)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(gallery.chunk, "old town", 0, 0)
        await trio.to_thread.run_sync(began.wait, 10)
        nursery.cancel_scope.cancel()
    go_on.set()
    assert await gallery.chunk("old town", 0, 0) is not None
    assert gallery.drawn == 1


async def test_while_a_chunk_is_drawn_the_world_goes_on(tmp_path: Path) -> None:
    gallery = Gallery(content(), TILE, tmp_path)
    turns = 0

    async def turn() -> None:
        nonlocal turns
        while True:
            turns += 1
            await trio.lowlevel.checkpoint()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(turn)
        await gallery.plan("old town")
        before = turns
        await gallery.chunk("old town", 0, 0)
        nursery.cancel_scope.cancel()
    assert turns - before > 5


async def test_too_many_are_refused_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(realms, "MOST_WAITING", 0)
    gallery = Gallery(content(), TILE, tmp_path)
    with pytest.raises(Busy):
        await gallery.plan("old town")
    assert (await visitor(tmp_path, content()).get("/realms/old%20town.json")).status == 503
