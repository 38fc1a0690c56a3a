"""The page itself, and the files it is made of.

`/` is templates/index.html, made anew for each who asks. Its variables:

    server     name of this world
    version    of the program
    map        whether everybody may watch the live map
    static     where the files are: "/static/0123456789abcdef"; "{{ static }}/page.js"
    connect    what /connect.json says

The files of static/ are read once. The hash of all of them is a part of their address, so that a browser may
keep them for ever: with any change of any file all have another address. It is a folder's name and not a
file's, so that modules find one another by relative names.
"""

from __future__ import annotations

from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Final

import attrs
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from server.version import version
from server.web.connect import connect_data, read_words

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.routing import BaseRoute

    from server.web.site import Site

HERE: Final = Path(__file__).resolve().parent
TEMPLATES: Final = HERE / "templates"
STATIC: Final = HERE / "static"

FOR_EVER: Final = "public, max-age=31536000, immutable"

TYPES: Final[Mapping[str, str]] = {
    ".css": "text/css; charset=utf-8",
    ".ico": "image/x-icon",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".txt": "text/plain; charset=utf-8",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
"""What the files of static/ are, by the end of their names; a file of another kind is not served."""


@attrs.frozen
class StaticFile:
    """One file, as it is sent."""

    content: bytes = attrs.field(repr=False)
    kind: str
    tag: str


class StaticFiles:
    """All files of a folder and of those in it."""

    def __init__(self, folder: Path = STATIC) -> None:
        self.files: dict[str, StaticFile] = {}
        whole = blake2b(digest_size=8)
        for path in sorted(folder.rglob("*")):
            name = path.relative_to(folder).as_posix()
            hidden = any(part.startswith(".") for part in name.split("/"))
            if hidden or path.suffix not in TYPES or not path.is_file():
                continue
            content = path.read_bytes()
            tag = blake2b(content, digest_size=12).hexdigest()
            self.files[name] = StaticFile(content, TYPES[path.suffix], f'"{tag}"')
            whole.update(f"{name}\0{tag}\0".encode())
        self.prefix = f"/static/{whole.hexdigest()}"
        """Where they are; the page names it."""

    def answer(self, request: Request, prefix: str, name: str) -> Response:
        """A file, or that there is none. A browser that has it already is told so."""
        file = self.files.get(name)
        if file is None or prefix != self.prefix:
            return PlainTextResponse("no such file", 404)
        headers = {"cache-control": FOR_EVER, "etag": file.tag}
        if _has(request, file.tag):
            return Response(status_code=304, headers=headers)
        return Response(file.content, media_type=file.kind, headers=headers)


def routes(site: Site) -> list[BaseRoute]:
    """The page and its files."""
    files = StaticFiles()
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined, auto_reload=False
    )
    program, clients = version(), read_words()

    async def page(request: Request) -> Response:
        text = environment.get_template("index.html").render(
            server=site.app.server_name,
            version=program,
            map=site.settings.map,
            static=files.prefix,
            connect=connect_data(site, request, clients),
        )
        return tagged(request, text.encode(), "text/html; charset=utf-8")

    async def static(request: Request) -> Response:
        found = request.path_params
        return files.answer(request, f"/static/{found['hash']}", found["name"])

    async def icon(request: Request) -> Response:
        return files.answer(request, files.prefix, "favicon.ico")

    return [
        Route("/", page),
        Route("/favicon.ico", icon),
        Route("/static/{hash}/{name:path}", static),
    ]


def tagged(request: Request, content: bytes, kind: str) -> Response:
    """Content that may be another next time; a browser that has it already is told so."""
    tag = f'"{blake2b(content, digest_size=12).hexdigest()}"'
    headers = {"cache-control": "no-cache", "etag": tag}
    if _has(request, tag):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)


def _has(request: Request, tag: str) -> bool:
    """Whether the browser says that it has exactly that. (A proxy that compresses makes a tag a weak one.)"""
    known = request.headers.get("if-none-match", "")
    return any(one.strip().removeprefix("W/") == tag for one in known.split(","))
