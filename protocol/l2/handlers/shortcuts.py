"""Shortcuts and macros: the player's own, kept with the character.

The client draws a shortcut when the server confirms it, and takes one away by itself when its player does.
One whose item or macro is gone it keeps until it is sent all the others. Of macros it wants the whole list
after every change, one message for each.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.l2 import notes
from protocol.l2.handlers.table import ROWS
from protocol.l2.packets import (
    SHORTCUTS_PER_PAGE,
    ActionFailed,
    Macro,
    MacroCommand,
    RequestDeleteMacro,
    RequestMakeMacro,
    RequestShortCutDel,
    RequestShortCutReg,
    SendMacroList,
    ShortCutEntry,
    ShortCutInit,
    ShortCutRegister,
    ShortCutType,
    SystemMessage,
    SystemMessageId,
)
from protocol.l2.packets import text as text_of
from protocol.session import Phase
from world.speech import clean

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.l2.session import L2Session
    from world.mobile import Mobile

PAGES: Final = 10
SLOTS: Final = range(SHORTCUTS_PER_PAGE * PAGES)

KINDS: Final = frozenset(ShortCutType)

MOST_MACROS: Final = 24
"""What the client of this chronicle has room for."""
NO_ROOM: Final = f"You have {MOST_MACROS} macros; more cannot be kept."
"""The client's own text for that (797) names another number."""
FIRST_MACRO: Final = 1000
"""The number that L2J gives the first macro of a character."""
MOST_IN_MACRO: Final = 255
"""Characters of all lines of a macro together, beyond which the public servers refuse it."""
MOST_LINES: Final = 12
"""Lines of a macro: what the client's window has (L2J: RequestMakeMacro.java)."""
LONGEST_NAME: Final = 12
LONGEST_DESCRIPTION: Final = 32
LONGEST_ACRONYM: Final = 4
LONGEST_LINE: Final = 80
"""Characters: what the client's window takes, and no more is kept of what comes otherwise."""


@ROWS.on(RequestShortCutReg, during=Phase.IN_WORLD)
async def keep_shortcut(session: L2Session, packet: RequestShortCutReg) -> None:
    """RequestShortCutReg: put something on a place of the bar; of things, what one has."""
    mobile = session.mobile
    if mobile is None or packet.slot not in SLOTS or packet.type not in KINDS:
        return
    if packet.type == ShortCutType.ITEM and not _has(mobile, packet.id):
        return
    shortcut = ShortCutEntry(packet.type, packet.slot, packet.id, packet.level)
    session.notes.shortcuts[packet.slot] = shortcut
    await notes.keep(session, notes.SHORTCUTS)
    session.send(ShortCutRegister(shortcut))


@ROWS.on(RequestShortCutDel, during=Phase.IN_WORLD)
async def forget_shortcut(session: L2Session, packet: RequestShortCutDel) -> None:
    """RequestShortCutDel: take it away. The client has done so already."""
    if session.mobile is not None and session.notes.shortcuts.pop(packet.slot, None) is not None:
        await notes.keep(session, notes.SHORTCUTS)


@ROWS.on(RequestMakeMacro, during=Phase.IN_WORLD)
async def keep_macro(session: L2Session, packet: RequestMakeMacro) -> None:
    """RequestMakeMacro: a new one, or one that was changed. Of one that is not allowed it is said why, and
    the list, which did not change, is not sent again."""
    macros = session.notes.macros
    is_new = packet.macro_id not in macros
    if session.mobile is None:
        return
    refusal = _refusal(packet)
    if is_new and len(macros) >= MOST_MACROS:
        refusal = SystemMessage(SystemMessageId.TEXT, (text_of(NO_ROOM), text_of("")))
    if refusal is not None:
        session.send(refusal, ActionFailed())
        return
    macro = _macro(packet)
    if is_new:
        macro.macro_id = max([FIRST_MACRO - 1, *macros]) + 1
    macros[macro.macro_id] = macro
    await notes.keep(session, notes.MACROS)
    session.macro_revision += 1
    session.send(*macro_list(session))


@ROWS.on(RequestDeleteMacro, during=Phase.IN_WORLD)
async def forget_macro(session: L2Session, packet: RequestDeleteMacro) -> None:
    """RequestDeleteMacro: and the shortcuts to it."""
    kept = session.notes
    if session.mobile is None or kept.macros.pop(packet.macro_id, None) is None:
        return
    await notes.keep(session, notes.MACROS)
    to_it = [
        slot
        for slot, shortcut in kept.shortcuts.items()
        if (shortcut.type, shortcut.id) == (ShortCutType.MACRO, packet.macro_id)
    ]
    for slot in to_it:
        del kept.shortcuts[slot]
    if to_it:
        await notes.keep(session, notes.SHORTCUTS)
        session.send(ShortCutInit(tuple(kept.shortcuts.values())))
    session.macro_revision += 1
    session.send(*macro_list(session))


def _has(mobile: Mobile, serial: int) -> bool:
    """Whether somebody wears or carries that."""
    item = mobile.world.items.get(serial)
    return item is not None and item.root is mobile


def macro_list(session: L2Session) -> Sequence[SendMacroList]:
    """All macros, as the client wants them: a message for each, or one that says that there are none."""
    macros = session.notes.macros.values()
    revision = session.macro_revision
    if not macros:
        return [SendMacroList(revision, 0, ())]
    return [SendMacroList(revision, len(macros), (macro,)) for macro in macros]


def _refusal(packet: RequestMakeMacro) -> SystemMessage | None:
    """The client's own words for why a form is not allowed (L2J: RequestMakeMacro.java); None if it is."""
    if not clean(packet.name, LONGEST_NAME):
        return SystemMessage(SystemMessageId.MACRO_NAME_MISSING)
    letters = sum(len(line.command) for line in packet.commands)
    if len(packet.commands) > MOST_LINES or letters > MOST_IN_MACRO:
        return SystemMessage(SystemMessageId.MACRO_INVALID)
    return None


def _macro(packet: RequestMakeMacro) -> Macro:
    """The macro of a form that is allowed."""
    return Macro(
        packet.macro_id,
        clean(packet.name, LONGEST_NAME),
        clean(packet.description, LONGEST_DESCRIPTION),
        clean(packet.acronym, LONGEST_ACRONYM),
        packet.icon,
        tuple(
            MacroCommand(place, line.type, line.d1, line.d2, clean(line.command, LONGEST_LINE))
            for place, line in enumerate(packet.commands, 1)
        ),
    )
