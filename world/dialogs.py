"""Dialogs: a question the world asks one player, answered in whatever way that player's client can show it.

A dialog has a *type id*, a stable 32-bit hash of its name that is the same on every start, and a *serial*
that is new for each dialog, hard to guess and good for one answer. (ServUO counts serials from 1; a client
could answer a dialog that it was never shown.) An answer counts only if serial, type id and button all fit an
open dialog of that very mobile, and near whoever asks.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from world.audience import one
from world.dialog import Button, Dialog, type_id
from world.moments import Asked, Closed
from world.reach import check_talk

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from world.mobile import Mobile

__all__ = [
    "Button",
    "Dialog",
    "answer",
    "ask",
    "remind",
    "type_id",
    "withdraw",
    "withdraw_all_of",
]

log = logging.getLogger("world")

MOST_OPEN: Final = 16
"""Open dialogs per mobile; the oldest is withdrawn beyond that."""


def ask(
    mobile: Mobile,
    name: str,
    *,
    title: str,
    text: str,
    buttons: Sequence[Button],
    answered: Callable[[Mobile, int], None],
    asker: Mobile | None = None,
    anywhere: bool = False,
) -> Dialog:
    """Open a dialog for a mobile's player. One of the same name that is still open is withdrawn first."""
    for old in list(mobile.dialogs.values()):
        if old.name == name:
            withdraw(mobile, old)
    while len(mobile.dialogs) >= MOST_OPEN:
        withdraw(mobile, next(iter(mobile.dialogs.values())))
    world = mobile.world
    serial = world.random.getrandbits(31) | 1
    while serial in mobile.dialogs:
        serial = world.random.getrandbits(31) | 1
    dialog = Dialog(serial, name, title, text, tuple(buttons), answered, asker, anywhere)
    mobile.dialogs[serial] = dialog
    if mobile.eyes is not None:
        world.moments.append(Asked(mobile, dialog, one(mobile)))
    return dialog


def answer(mobile: Mobile, serial: int, kind: int, button: int) -> bool:
    """A player's answer; False, and nothing happens, unless it fits an open dialog. A dialog is answered
    once.

    A forged button leaves the dialog open: it was not the player who pressed it. So does an answer to who is
    not there to hear it; to close a dialog nobody has to be near. Raises Cannot(GONE, FAR or UNSEEN).
    """
    dialog = mobile.dialogs.get(serial)
    if dialog is None or dialog.type_id != kind:
        return False
    if button not in {b.number for b in dialog.buttons} | {0}:
        return False
    if button and dialog.asker is not None and not dialog.anywhere:
        check_talk(mobile, dialog.asker)
    del mobile.dialogs[serial]
    try:
        dialog.answered(mobile, button)
    except Exception:
        log.exception("the answer to the dialog %s failed for %s", dialog.name, mobile.name)
    return True


def remind(mobile: Mobile, serial: int) -> None:
    """Show an open question once more, to a player whose client closed its window with an answer that did not
    count."""
    dialog = mobile.dialogs.get(serial)
    if dialog is not None and mobile.eyes is not None:
        mobile.world.moments.append(Asked(mobile, dialog, one(mobile)))


def withdraw_all_of(asker: Mobile) -> None:
    """Take back everything that somebody asks, because it will hear no answer."""
    for mobile in asker.world.mobiles.values():
        for dialog in [dialog for dialog in mobile.dialogs.values() if dialog.asker is asker]:
            withdraw(mobile, dialog)


def withdraw(mobile: Mobile, dialog: Dialog) -> None:
    """Take a question back."""
    if mobile.dialogs.pop(dialog.serial, None) is not None and mobile.eyes is not None:
        mobile.world.moments.append(Closed(mobile, dialog, one(mobile)))
