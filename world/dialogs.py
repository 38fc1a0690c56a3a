"""Dialogs: a question the world asks one player, answered in whatever way that player's client can show it.

A dialog has a *type id*, a stable 32-bit hash of its name that is the same on every start, and a *serial*
that is new for each dialog, hard to guess and good for one answer. (ServUO counts serials from 1; a client
could answer a dialog that it was never shown.) An answer counts only if serial, type id and button all fit an
open dialog of that very mobile.
"""

from __future__ import annotations

import logging
from hashlib import blake2s
from typing import TYPE_CHECKING, Final

import attrs

from world.moments import Asked, Closed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from world.mobile import Mobile

log = logging.getLogger("world")

MOST_OPEN: Final = 16
"""Open dialogs per mobile; the oldest is withdrawn beyond that."""


@attrs.frozen
class Button:
    """One possible answer. Number 0 is what closing the dialog means."""

    number: int
    label: str


@attrs.frozen
class Dialog:
    """An open question. `asker` is the mobile that asks, if one does."""

    serial: int
    name: str
    title: str
    text: str
    buttons: Sequence[Button]
    answered: Callable[[Mobile, int], None] = attrs.field(repr=False)
    asker: Mobile | None = None

    @property
    def type_id(self) -> int:
        """The stable id of this kind of dialog."""
        return type_id(self.name)


def type_id(name: str) -> int:
    """32 bits of BLAKE2s over the dialog's name; never 0."""
    return int.from_bytes(blake2s(name.encode(), digest_size=4).digest(), "big") or 1


def ask(
    mobile: Mobile,
    name: str,
    *,
    title: str,
    text: str,
    buttons: Sequence[Button],
    answered: Callable[[Mobile, int], None],
    asker: Mobile | None = None,
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
    dialog = Dialog(serial, name, title, text, tuple(buttons), answered, asker)
    mobile.dialogs[serial] = dialog
    if mobile.eyes is not None:
        world.moments.append(Asked(mobile, dialog, [mobile.eyes]))
    return dialog


def answer(mobile: Mobile, serial: int, kind: int, button: int) -> bool:
    """A player's answer; False, and nothing happens, unless it fits an open dialog. A dialog is answered
    once.

    A forged button leaves the dialog open: it was not the player who pressed it.
    """
    dialog = mobile.dialogs.get(serial)
    if dialog is None or dialog.type_id != kind:
        return False
    if button not in {b.number for b in dialog.buttons} | {0}:
        return False
    del mobile.dialogs[serial]
    try:
        dialog.answered(mobile, button)
    except Exception:
        log.exception("the answer to the dialog %s failed for %s", dialog.name, mobile.name)
    return True


def withdraw(mobile: Mobile, dialog: Dialog) -> None:
    """Take a question back."""
    if mobile.dialogs.pop(dialog.serial, None) is not None and mobile.eyes is not None:
        mobile.world.moments.append(Closed(mobile, dialog, [mobile.eyes]))
