"""The page and its files, and what every answer says to browsers."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest
import trio
import trio.testing
from starlette.routing import Route

from server.settings.config import parse
from server.web.front import Front
from server.web.headers import REQUEST_SECONDS, SECURITY
from server.web.pages import STATIC, TYPES, StaticFiles
from tests.kit.town import Town
from tests.kit.visitor import Visitor, front_of

if TYPE_CHECKING:
    from pathlib import Path

    from starlette.requests import Request
    from starlette.responses import Response

CONFIG = '[server]\nname = "<b>Fens & Co</b>"\n[listen.web]\n'


async def visitor_of(nursery: trio.Nursery, config: str = CONFIG) -> Visitor:
    town = Town(nursery, parse(config), games=("web",))
    await town.open()
    return Visitor(front_of(town))


def check_policy(headers: object) -> None:
    assert isinstance(headers, dict)
    assert SECURITY.items() <= headers.items()
    assert "cache-control" in headers


async def test_the_page_names_its_server_and_every_file_it_needs(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    visitor = await visitor_of(nursery)
    page = await visitor.get("/")
    assert page.status == 200
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert page.headers["cache-control"] == "no-cache"
    assert "&lt;b&gt;Fens &amp; Co&lt;/b&gt;" in page.text, "it is escaped"
    assert "<b>Fens" not in page.text
    assert "style=" not in page.text, "the policy forbids it"
    assert re.findall(r"<script(?![^>]* src=)", page.text) == [], "nor that"
    assert re.findall(r"""(?:src|href)=["'](?:https?:)?//""", page.text) == [], "no other host is asked"
    files = re.findall(r'"(/static/[^"]+)"', page.text)
    assert any(file.endswith(".js") for file in files)
    for file in files:
        assert (await visitor.get(file)).status == 200, file
    nursery.cancel_scope.cancel()


async def test_files_are_kept_for_ever_and_found_by_relative_names(
    nursery: trio.Nursery, autojump_clock: trio.testing.MockClock
) -> None:
    visitor = await visitor_of(nursery)
    prefix = StaticFiles().prefix
    for name, file in StaticFiles().files.items():
        answer = await visitor.get(f"{prefix}/{name}")
        assert answer.body == (STATIC / name).read_bytes()
        assert answer.headers["content-type"] == TYPES[f".{name.rpartition('.')[2]}"]
        assert answer.headers["cache-control"] == "public, max-age=31536000, immutable"
        check_policy(answer.headers)
        head = await visitor.head(f"{prefix}/{name}")
        assert (head.status, head.headers["content-length"]) == (200, str(len(file.content)))
        for tag in (answer.headers["etag"], f'"x", W/{answer.headers["etag"]}'):
            again = await visitor.get(f"{prefix}/{name}", {"if-none-match": tag})
            assert (again.status, again.body) == (304, b"")
        for module in re.findall(r'from "\./([^"]+)"', file.content.decode(errors="replace")):
            assert module in StaticFiles().files, f"{name} imports it"
    page = await visitor.get("/")
    assert prefix in page.text
    assert (await visitor.get("/", {"if-none-match": page.headers["etag"]})).status == 304
    nursery.cancel_scope.cancel()


ELSEWHERE = """
/static/../pages.py  /static/{hash}/../pages.py  /static/{hash}/%2e%2e/pages.py  /static/x/page.js
/static/{hash}//etc/passwd  /static/{hash}/  /nothing  //nothing/  /play/  /session/  /account/x
"""


async def test_there_is_nothing_else(nursery: trio.Nursery, autojump_clock: trio.testing.MockClock) -> None:
    visitor = await visitor_of(nursery)
    for path in ELSEWHERE.format(hash=StaticFiles().prefix.rpartition("/")[2]).split():
        answer = await visitor.get(path)
        assert answer.status == 404, path
        check_policy(answer.headers)
    nursery.cancel_scope.cancel()


def test_any_change_of_any_file_moves_them_all(tmp_path: Path) -> None:
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "a.js").write_text("1")
    (tmp_path / "b.css").write_text("2")
    (tmp_path / ".hidden.js").write_text("3")
    (tmp_path / "notes.md").write_text("4")
    first = StaticFiles(tmp_path)
    assert first.files.keys() == {"parts/a.js", "b.css"}
    assert StaticFiles(tmp_path).prefix == first.prefix
    (tmp_path / "parts" / "a.js").write_text("5")
    changed = StaticFiles(tmp_path)
    assert changed.prefix != first.prefix
    assert changed.files["b.css"].tag == first.files["b.css"].tag


async def test_a_request_that_never_ends_is_ended(
    nursery: trio.Nursery,
    autojump_clock: trio.testing.MockClock,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level("INFO", "net.web")

    async def never(_: Request) -> Response:
        await trio.sleep_forever()
        raise AssertionError

    monkeypatch.setattr(Front, "_routes", lambda _: [Route("/never", never)])
    visitor = await visitor_of(nursery)
    began = trio.current_time()
    with pytest.raises(trio.BrokenResourceError):
        await visitor.get("/never?secret=1")
    assert trio.current_time() - began == REQUEST_SECONDS
    assert "127.0.0.1 took too long over '/never'" in caplog.text
    assert "secret" not in caplog.text
    nursery.cancel_scope.cancel()
