"""The messages of the web client as Markdown, for `causeway packets web`, from the declarations that decode
them."""

from __future__ import annotations

import ast
import inspect
import json
from types import NoneType
from typing import TYPE_CHECKING, Final, cast, get_args, get_origin

import attrs

from protocol.web.packets import CLIENT_PACKETS, SERVER_PACKETS
from protocol.web.packets.counters import Order, Sale, Ware
from protocol.web.packets.dialogs import Choice
from protocol.web.packets.fighting import SkillLine
from protocol.web.packets.guilds import GuildEntry, GuildMember, GuildRank, GuildTie
from protocol.web.packets.login import CharacterLine
from protocol.web.packets.mail import Enclosed, Enclosure, Letter
from protocol.web.packets.parties import Member
from protocol.web.packets.people import Appearance
from protocol.web.packets.quests import Mark, Task
from protocol.web.packets.social import Friend, Ignored
from protocol.web.packets.things import Belonging
from protocol.web.packets.trading import Good, Side

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

OBJECTS: Final = (
    *(Appearance, CharacterLine, Belonging, Choice, SkillLine, Ware, Order, Sale, Task, Mark),
    *(Good, Side, Member, GuildRank, GuildMember, GuildTie, GuildEntry, Friend, Ignored),
    *(Enclosed, Enclosure, Letter),
)
"""Objects that messages have in them."""

WORDS: Final[Mapping[object, str]] = {
    int: "whole number",
    str: "text",
    bool: "true or false",
    float: "number",
    NoneType: "null",
}


def documents() -> Iterator[str]:
    """All messages, what clients say first, then the objects in them."""
    for classes, sender in ((CLIENT_PACKETS, "from the client"), (SERVER_PACKETS, "from the server")):
        yield from (_document(f"{cls.tag} ({sender})", cls) for cls in classes)
    yield from (_document(f"{cls.__name__} (object)", cls) for cls in OBJECTS)


def _document(title: str, cls: type[object]) -> str:
    """A heading, the docstring, a table of the fields."""
    lines = [f"### {title}", "", " ".join((cls.__doc__ or "").split()), ""]
    fields = attrs.fields(attrs.resolve_types(cast("type[attrs.AttrsInstance]", cls)))
    if fields:
        notes = _notes(cls)
        lines += ["| field | type | without it | notes |", "|---|---|---|---|"]
        for field in fields:
            default = "" if field.default is attrs.NOTHING else json.dumps(field.default)
            form = field.metadata.get("form") or _words(field.type)
            lines.append(f"| {field.name} | {form} | {default} | {notes.get(field.name, '')} |")
        lines.append("")
    return "\n".join(lines)


def _words(kind: object) -> str:
    inner = [_words(argument) for argument in get_args(kind)]
    match get_origin(kind), inner:
        case (None, _):
            return WORDS.get(kind) or str(getattr(kind, "__name__", kind))
        case (_, [one]):
            return f"list of {one}"
        case (origin, [_, value]) if hasattr(origin, "keys"):
            return f"object of {value} by name"
        case _:
            return " or ".join(inner)


def _notes(cls: type[object]) -> dict[str, str]:
    """By name of a field, what the declaration of a class says of it."""
    notes: dict[str, str] = {}
    for node in ast.parse(inspect.getsource(cls)).body:
        if isinstance(node, ast.ClassDef):
            for member, after in zip(node.body, node.body[1:], strict=False):
                match member, after:
                    case (
                        ast.AnnAssign(target=ast.Name(id=name)),
                        ast.Expr(value=ast.Constant(value=str() as text)),
                    ):
                        notes[name] = " ".join(text.split())
    return notes
