"""The realms as the page draws them: what there is, where one can stand, and the pictures of the ground.

    GET /realms.json               {"realms": [{"name", "title", "mobiles"}], "start"}
    GET /realms/NAME.json          size, pictures, blocked tiles, signs, warps, seats, lights
    GET /realms/NAME/HASH/X-Y.png  a chunk of the picture, see `server.web.pictures`

A picture costs tenths of a second of work, anybody may ask for it, and the world must not notice. A chunk is
therefore drawn when it is asked for the first time, in a thread and one at a time, with pauses in which the
world gets Python's lock; beyond so many who wait everybody is asked to come again. What was drawn is kept in
memory (as much as `MOST_KEPT`) and in state_dir/pictures.

HASH is made of all that the pictures depend on, so browsers keep them for ever and nothing is ever out of
date: neither here nor there does anybody compare times. Pictures of what a realm was before are removed at
the start. To draw everything before the first visitor comes was not done: most of a large realm nobody ever
looks at.
"""

from __future__ import annotations

import base64
import json
import logging
import re
import shutil
import time
from collections import Counter, OrderedDict
from typing import TYPE_CHECKING, Final, TypeVar
from urllib.parse import quote

import attrs
import trio
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from server.web.pages import FOR_EVER, tagged
from server.web.pictures.brush import TILE
from server.web.pictures.painter import CHUNK, Painter

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from server.web.pictures.brush import Colour, Look
    from server.web.site import Site
    from world.content import Chart, Content, TileKind

log = logging.getLogger("net.web")

MOST_WAITING: Final = 64
"""Requests that may wait for the thread that draws; everybody else is asked to come again."""
MOST_KEPT: Final = 32 * 1024 * 1024
"""Bytes of chunks in memory."""
REST_SECONDS: Final = 0.001
"""The thread that draws pauses for so long between two pieces of work: the world need not wait for it."""

SHINING: Final = frozenset({"lamp", "candle"})
"""Shapes of tiles that are a light."""

_PNG: Final = (b"\x89PNG\r\n\x1a\n", b"IEND\xaeB`\x82")
"""How every such file begins and ends."""
_CHUNK: Final = re.compile(r"(0|[1-9][0-9]{0,4})-(0|[1-9][0-9]{0,4})\.png")
_HASH: Final = re.compile(r"[0-9a-f]{20}")


class Busy(Exception):
    """Too many wait for a picture already."""


T = TypeVar("T")

ChunkKey = tuple[str, int, int]
"""Hash of its realm, column and row."""


@attrs.frozen(eq=False)
class Plan:
    """One realm, ready to be sent."""

    painter: Painter
    fingerprint: str
    description: bytes
    """/realms/NAME.json"""


class Gallery:
    """The pictures of all realms. `tile` gives colour and shape of a kind of tile; `folder` is where they are
    kept on disk."""

    def __init__(self, content: Content, tile: Callable[[TileKind], tuple[str, str]], folder: Path) -> None:
        self.folder = folder
        self.drawn = 0
        """Chunks that were drawn, and not found."""
        self._content = content
        self._tile = tile
        self._plans: dict[str, Plan] = {}
        self._kept: OrderedDict[ChunkKey, bytes] = OrderedDict()
        """The latest used last."""
        self._size = 0
        self._thread = trio.CapacityLimiter(1)
        self._waiting = 0
        self._writes = True

    def renew(self, content: Content) -> None:
        """Draw that content from now on, if it is another: it was loaded anew. What is drawn of it meanwhile
        is of what was before, and has another hash."""
        if content is not self._content:
            self._content = content
            self._plans = {}

    async def plan(self, name: str) -> Plan | None:
        """A realm; None if there is none of that name. Raises Busy."""
        if name not in self._content.charts:
            return None
        if not self._plans:
            self._plans = await self._in_thread(self._make_plans)
        return self._plans[name]

    async def chunk(self, name: str, column: int, row: int) -> bytes | None:
        """A chunk as a PNG file; None if there is none. Raises Busy."""
        plan = await self.plan(name)
        if plan is None:
            return None
        columns, rows = plan.painter.chunks()
        if not (column < columns and row < rows):
            return None
        key = (plan.fingerprint, column, row)
        content = self._kept.get(key)
        if content is None:
            content = await self._in_thread(lambda: self._fetch(plan, key))
        self._keep(key, content)
        return content

    async def _in_thread(self, work: Callable[[], T]) -> T:
        if self._waiting >= MOST_WAITING:
            raise Busy
        self._waiting += 1
        try:
            return await trio.to_thread.run_sync(work, limiter=self._thread, abandon_on_cancel=True)
        finally:
            self._waiting -= 1

    def _keep(self, key: ChunkKey, content: bytes) -> None:
        """Used last. What was not used for longest goes when there is too much."""
        if key not in self._kept:
            self._size += len(content)
        self._kept[key] = content
        self._kept.move_to_end(key)
        while self._size > MOST_KEPT:
            _, oldest = self._kept.popitem(last=False)
            self._size -= len(oldest)

    # In the thread. There is only one at a time, and it changes nothing that the others read.

    def _make_plans(self) -> dict[str, Plan]:
        if self._plans:
            return self._plans
        plans = {}
        for name, chart in self._content.charts.items():
            painter = Painter(chart, self._look)
            fingerprint = painter.fingerprint
            plans[name] = Plan(
                painter, fingerprint, _describe(painter, fingerprint, _services(self._content, chart))
            )
        self._tidy({plan.fingerprint for plan in plans.values()})
        return plans

    def _look(self, kind: TileKind) -> Look:
        colour, shape = self._tile(kind)
        return _parts(colour), shape

    def _fetch(self, plan: Plan, key: ChunkKey) -> bytes:
        """A chunk, from wherever it is had with the least work."""
        kept = self._kept.get(key)
        if kept is not None:  # somebody else waited for the same
            return kept
        path = self.folder / plan.fingerprint / f"{key[1]}-{key[2]}.png"
        content = _read(path)
        if content is None:
            content = plan.painter.chunk(key[1], key[2], rest=lambda: time.sleep(REST_SECONDS))
            self.drawn += 1
            self._write(path, content)
        return content

    def _write(self, path: Path, content: bytes) -> None:
        if not self._writes:
            return
        temporary = path.with_suffix(".tmp")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_bytes(content)
            temporary.replace(path)
        except OSError as error:
            self._writes = False
            log.warning("pictures cannot be kept in %s: %s; they stay in memory", self.folder, error.strerror)

    def _tidy(self, current: set[str]) -> None:
        """Remove the pictures of what realms were before."""
        try:
            old = [path for path in self.folder.iterdir() if _HASH.fullmatch(path.name)]
        except OSError:
            return
        for path in old:
            if path.name not in current:
                shutil.rmtree(path, ignore_errors=True)


def routes(site: Site) -> list[BaseRoute]:
    """The three addresses above."""
    app = site.app
    gallery = Gallery(app.content, site.page.tile, app.settings.server.state_dir / "pictures")

    async def realms(_: Request) -> Response:
        there = app.turnout.latest().realms
        rows = [
            {"name": name, "title": chart.title, "mobiles": sum(there.get(name, ()))}
            for name, chart in app.content.charts.items()
        ]
        return _json({"realms": rows, "start": app.content.start_realm})

    async def realm(request: Request) -> Response:
        gallery.renew(app.content)
        try:
            plan = await gallery.plan(request.path_params["name"])
        except Busy:
            return _busy()
        if plan is None:
            return _nothing("There is no realm of that name.")
        return tagged(request, plan.description, "application/json")

    async def chunk(request: Request) -> Response:
        found = request.path_params
        numbers = _CHUNK.fullmatch(found["chunk"])
        try:
            plan = await gallery.plan(found["name"])
            if plan is None:
                return _nothing("There is no realm of that name.")
            if found["hash"] != plan.fingerprint:
                return _nothing("The realm looks different now: ask for it anew.")
            if numbers is None:
                return _nothing("There is no such picture.")
            column, row = int(numbers[1]), int(numbers[2])
            columns, rows = plan.painter.chunks()
            tag = f'"{plan.fingerprint}-{column}-{row}"'
            headers = {"cache-control": FOR_EVER, "etag": tag}
            if column < columns and row < rows and tag in request.headers.get("if-none-match", ""):
                return Response(status_code=304, headers=headers)
            content = await gallery.chunk(found["name"], column, row)
        except Busy:
            return _busy()
        if content is None:
            return _nothing(f"The picture has {columns} x {rows} parts.")
        return Response(content, media_type="image/png", headers=headers)

    return [
        Route("/realms.json", realms),
        Route("/realms/{name}.json", realm),
        Route("/realms/{name}/{hash}/{chunk}", chunk),
    ]


SERVICES: Final = ("merchant", "banker", "healer", "innkeeper", "trainer")
"""Roles of residents that the page shows on its small map; who has several is shown by the first."""


def _services(content: Content, chart: Chart) -> list[Mapping[str, object]]:
    """Who serves where in a realm."""
    found: list[Mapping[str, object]] = []
    for resident in chart.residents:
        template = content.mobiles[resident.template]
        role = next((role for role in SERVICES if role in template.roles), None)
        if role is not None:
            found.append({"x": resident.x, "y": resident.y, "role": role, "name": template.name})
    return found


def _describe(painter: Painter, fingerprint: str, services: Sequence[Mapping[str, object]]) -> bytes:
    """The data that the page receives about a realm."""
    chart = painter.chart
    return json.dumps(
        {
            "name": chart.name,
            "title": chart.title,
            "width": chart.width,
            "height": chart.height,
            "tile": TILE,
            "chunk": CHUNK,
            "picture": f"/realms/{quote(chart.name, safe='')}/{fingerprint}/",
            "colour": "#{:02x}{:02x}{:02x}".format(*_average(painter)),
            "blocked": base64.b64encode(_bits(chart.blocked)).decode(),
            "signs": [
                {"x": sign.x, "y": sign.y, "title": sign.title, "text": sign.text} for sign in chart.signs
            ],
            "warps": [{"x": x, "y": y, "realm": warp.realm} for (x, y), warp in sorted(chart.warps.items())],
            "services": services,
            "seats": [[x, y, heading] for (x, y), heading in sorted(chart.seats.items())],
            "lights": [
                {"x": piece.x, "y": piece.y}
                for piece in chart.scenery
                if painter.look(piece.kind)[1] in SHINING
            ],
        },
        separators=(",", ":"),
        ensure_ascii=False,
    ).encode()


def _average(painter: Painter) -> Colour:
    """Of the whole ground."""
    counts = Counter(kind.key for kind in painter.chart.ground)
    kinds = {kind.key: kind for kind in painter.chart.ground}
    sums = [0, 0, 0]
    for key, count in counts.items():
        for band, value in enumerate(painter.look(kinds[key])[0]):
            sums[band] += count * value
    red, green, blue = (value // len(painter.chart.ground) for value in sums)
    return red, green, blue


def _bits(flags: bytes) -> bytes:
    """One bit for each byte, the most significant first, filled up with zeros."""
    digits = flags.translate(_DIGITS) + b"0" * (-len(flags) % 8)
    return int(digits, 2).to_bytes(len(digits) // 8) if digits else b""


_DIGITS: Final = b"0" + b"1" * 255


def _parts(colour: str) -> Colour:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _read(path: Path) -> bytes | None:
    """A picture that was kept; None if there is none, or if it is damaged."""
    try:
        content = path.read_bytes()
    except OSError:
        return None
    return content if content.startswith(_PNG[0]) and content.endswith(_PNG[1]) else None


def _json(what: Mapping[str, object]) -> Response:
    return Response(json.dumps(what), media_type="application/json", headers={"cache-control": "no-store"})


def _nothing(text: str) -> Response:
    return PlainTextResponse(text + "\n", 404)


def _busy() -> Response:
    text = "Too many pictures are being drawn. Ask again in a moment.\n"
    return PlainTextResponse(text, 503, headers={"retry-after": "1"})
