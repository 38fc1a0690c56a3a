"""Notes that are kept with a character for this game alone: its class, shortcuts, macros and friends.

Each is one note of JSON (`protocol.services.Characters.note`). What cannot be read, because it was written by
hand or by an older server, counts as not there.
"""

from __future__ import annotations

import json
import logging
import struct
from typing import TYPE_CHECKING, Final, TypeVar

from protocol.l2.looks import HUMAN_FIGHTER
from protocol.l2.packets import FriendEntry, Macro, MacroCommand, ShortCutEntry, ShortCutType
from protocol.l2.session import Notes

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping

    from protocol.l2.session import L2Session
    from protocol.wire.declare import Struct

log = logging.getLogger("net.l2")

T = TypeVar("T")
S = TypeVar("S", bound="Struct")

GAME: Final = "l2"
CLASS: Final = "class"
SHORTCUTS: Final = "shortcuts"
MACROS: Final = "macros"
FRIENDS: Final = "friends"
"""Names of the notes."""


ATTACK, PICK_UP, SIT = 2, 5, 0
"""Numbers of actions."""

FIRST_SHORTCUTS: Final = tuple(
    ShortCutEntry(ShortCutType.ACTION, slot, action)
    for slot, action in ((0, ATTACK), (3, PICK_UP), (10, SIT))
)
"""Of a character that has never had any: where the public servers put them."""


async def read_class(session: L2Session, serial: int) -> int:
    """The class of one of the account's characters. Raises Denied."""
    return _number(await _note(session, serial, CLASS), HUMAN_FIGHTER.class_id)


async def keep_class(session: L2Session, serial: int, class_id: int) -> None:
    """Remember the class of a character that has just been made. Raises Denied."""
    await session.services.characters.keep(session, serial, GAME, CLASS, str(class_id))


async def read(session: L2Session, serial: int) -> Notes:
    """All that is kept with one of the account's characters. Raises Denied."""
    shortcuts = await _note(session, serial, SHORTCUTS)
    return Notes(
        class_id=await read_class(session, serial),
        shortcuts=read_shortcuts(shortcuts) if shortcuts else {one.slot: one for one in FIRST_SHORTCUTS},
        macros=read_macros(await _note(session, serial, MACROS)),
        friends=read_friends(await _note(session, serial, FRIENDS)),
    )


def forget_lost(kept: Notes, owned: Container[int]) -> bool:
    """Take away the shortcuts to items that are not among the serials of what somebody has; whether there
    were any. Their note is written when a shortcut changes next: who enters is asked this again."""
    lost = [
        slot
        for slot, shortcut in kept.shortcuts.items()
        if shortcut.type == ShortCutType.ITEM and shortcut.id not in owned
    ]
    for slot in lost:
        del kept.shortcuts[slot]
    return bool(lost)


async def keep(session: L2Session, key: str) -> None:
    """Write one of the notes of the character that this client plays. Raises Denied."""
    if session.mobile is not None:
        await keep_for(session, session.mobile.serial, session.notes, key)


async def keep_for(session: L2Session, serial: int, kept: Notes, key: str) -> None:
    """The same of one that it plays or played a moment ago. Raises Denied."""
    await session.services.characters.keep(session, serial, GAME, key, _WRITERS[key](kept))


# As text


def _text(rows: object) -> str:
    # A letter that is not escaped takes at most four bytes, not twelve, and a note must not be too long.
    return json.dumps(rows, ensure_ascii=False)


def write_shortcuts(shortcuts: Iterable[ShortCutEntry]) -> str:
    """Slot, type, id and level of each."""
    return _text([[one.slot, one.type, one.id, one.level] for one in shortcuts])


def read_shortcuts(text: str | None) -> dict[int, ShortCutEntry]:
    """Read what `write_shortcuts` wrote, by slot."""
    return _read(text, _shortcut, lambda one: one.slot)


def write_macros(macros: Iterable[Macro]) -> str:
    """Id, name, description, acronym, icon and lines of each."""
    return _text(
        [
            [
                one.macro_id,
                one.name,
                one.description,
                one.acronym,
                one.icon,
                [[line.type, line.d1, line.d2, line.command] for line in one.commands],
            ]
            for one in macros
        ]
    )


def read_macros(text: str | None) -> dict[int, Macro]:
    """Read what `write_macros` wrote, by id."""
    return _read(text, _macro, lambda one: one.macro_id)


def write_friends(friends: Mapping[int, str]) -> str:
    """Serial and name of each."""
    return _text([[serial, name] for serial, name in friends.items()])


def read_friends(text: str | None) -> dict[int, str]:
    """Read what `write_friends` wrote: names by serial."""
    return dict(_read(text, _friend, lambda one: one[0]).values())


_WRITERS: Final[Mapping[str, Callable[[Notes], str]]] = {
    SHORTCUTS: lambda kept: write_shortcuts(kept.shortcuts.values()),
    MACROS: lambda kept: write_macros(kept.macros.values()),
    FRIENDS: lambda kept: write_friends(kept.friends),
}


async def _note(session: L2Session, serial: int, key: str) -> str | None:
    return await session.services.characters.note(session, serial, GAME, key)


def _number(text: str | None, otherwise: int) -> int:
    return int(text) if text is not None and text.isascii() and text.isdecimal() else otherwise


def _read(text: str | None, make: Callable[[object], T], key: Callable[[T], int]) -> dict[int, T]:
    if text is None:
        return {}
    try:
        rows: object = json.loads(text)
        if not isinstance(rows, list):
            raise ValueError("no list")
        found = [make(row) for row in rows]
    except (ValueError, OverflowError, RecursionError, struct.error) as error:
        log.warning("a note of a character cannot be read and counts as empty: %s", error)
        return {}
    return {key(one): one for one in found}


def _sendable(kept: S) -> S:
    """The same; raises what `_read` takes for a note that cannot be read if no message can carry it, which
    would keep its player out for ever."""
    kept.write(bytearray())
    return kept


def _shortcut(row: object) -> ShortCutEntry:
    match row:
        case [int(slot), int(kind), int(number), int(level)]:
            return _sendable(ShortCutEntry(kind, slot, number, level))
    raise ValueError(f"no shortcut: {row!r}")


def _macro(row: object) -> Macro:
    match row:
        case [int(number), str(name), str(description), str(acronym), int(icon), list(lines)]:
            commands = tuple(_command(place, line) for place, line in enumerate(lines, 1))
            return _sendable(Macro(number, name, description, acronym, icon, commands))
    raise ValueError(f"no macro: {row!r}")


def _command(place: int, row: object) -> MacroCommand:
    match row:
        case [int(kind), int(first), int(second), str(command)]:
            return MacroCommand(place, kind, first, second, command)
    raise ValueError(f"no line of a macro: {row!r}")


def _friend(row: object) -> tuple[int, str]:
    match row:
        case [int(serial), str(name)]:
            _sendable(FriendEntry(serial, name, 1, serial))
            return serial, name
    raise ValueError(f"no friend: {row!r}")
