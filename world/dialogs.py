"""Dialogs: questions the world asks one player, answered in whatever way that player's client can show them.

A dialog has a *type id*, a stable 32-bit hash of its name that is the same on every start, and a *serial*
that is new for each dialog, hard to guess and good for one answer. (ServUO counts serials from 1; a client
could answer a dialog that it was never shown.) An answer counts only if serial, type id and button all fit an
open dialog of that very mobile, and if the mobile is near the one that asks.

A client answers all at once (`answer`), or one step after the other (`choose`, `write`): each step closes the
dialog and opens it with another serial, so that a step is good for one answer, too.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

import attrs

from world.audience import one
from world.dialog import Button, Choice, Draft, Line, Number, Option, Reply, type_id
from world.events import Asked, Closed
from world.forms import filled_in, fitting, step_of, typed
from world.mobile import Dialog
from world.reach import Cannot, Refusal, check_talk
from world.wording import coins

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from world.dialog import Input
    from world.forms import Given
    from world.mobile import Mobile

__all__ = [
    "Button",
    "Choice",
    "Dialog",
    "Draft",
    "Line",
    "Number",
    "Option",
    "Reply",
    "answer",
    "ask",
    "choose",
    "forget_all",
    "remind",
    "reply_in_words",
    "type_id",
    "withdraw",
    "withdraw_all_of",
    "write",
]

log = logging.getLogger("world")

MOST_OPEN: Final = 16
"""Open dialogs per mobile; the oldest is withdrawn beyond that."""

NOTHING_ASKED: Final = "Nobody asks you anything."


def ask(
    mobile: Mobile,
    name: str,
    *,
    title: str,
    text: str,
    buttons: Sequence[Button],
    answered: Callable[[Mobile, Reply], object],
    asker: Mobile | None = None,
    anywhere: bool = False,
    more: Sequence[str] = (),
    inputs: Sequence[Input] = (),
    about: str = "",
) -> Dialog:
    """Open a dialog for a mobile's player. One of the same name that is still open is withdrawn first."""
    for old in list(mobile.dialogs.values()):
        if old.name == name:
            withdraw(mobile, old)
    while len(mobile.dialogs) >= MOST_OPEN:
        withdraw(mobile, next(iter(mobile.dialogs.values())))
    buttons, more = tuple(buttons), tuple(more)
    inputs = tuple(_priced(mobile, one) if isinstance(one, Choice) else one for one in inputs)
    dialog = Dialog(
        _serial(mobile), name, title, text, buttons, answered, asker, anywhere, more, inputs, about
    )
    _open(mobile, dialog)
    return dialog


def _priced(mobile: Mobile, question: Choice) -> Choice:
    """A question with the prices of its wares in words."""
    options = tuple(
        option if option.price is None else attrs.evolve(option, cost=coins(mobile.world, option.price))
        for option in question.options
    )
    return attrs.evolve(question, options=options)


def _serial(mobile: Mobile) -> int:
    serial = mobile.world.random.getrandbits(31) | 1
    while serial in mobile.dialogs:
        serial = mobile.world.random.getrandbits(31) | 1
    return serial


def _open(mobile: Mobile, dialog: Dialog) -> None:
    mobile.dialogs[dialog.serial] = dialog
    if dialog.asker is not None:
        dialog.asker.asking[mobile.serial, dialog.serial] = mobile
    if mobile.viewport is not None:
        mobile.world.events.append(Asked(mobile, dialog, one(mobile)))


def answer(
    mobile: Mobile, serial: int, kind: int, button: int, given: Mapping[str, Given] | None = None
) -> bool:
    """Take a player's answer, with the values it filled in, if any. Returns False, and nothing happens,
    unless it fits an open dialog. A dialog is answered once.

    A forged button leaves the dialog open: it was not the player who pressed it. So does an answer when the
    asker is not there to hear it. A dialog in which something is missing is asked anew. To close a dialog
    (button 0) the player need not be near. Raises Cannot(GONE, FAR, UNSEEN or UNFIT).
    """
    dialog = _of(mobile, serial, kind)
    if dialog is None or button not in {b.number for b in dialog.buttons} | {0}:
        return False
    reply = Reply(0)
    if button:
        _check_near(mobile, dialog)
        all_given = {**dialog.draft.values, **(given or {})}
        try:
            reply = Reply(button, filled_in(dialog, all_given))
        except Cannot:
            # It is asked anew. What fits need not be filled in again.
            _go_on(mobile, dialog, attrs.evolve(dialog.draft, values=fitting(dialog, all_given)))
            raise
    _close(mobile, dialog)
    try:
        dialog.answered(mobile, reply)
    except Exception:
        log.exception("the answer to the dialog %s failed for %s", dialog.name, mobile.name)
    return True


def choose(mobile: Mobile, serial: int, kind: int, number: int) -> bool:
    """Take the answer of that number to the current step of a dialog; 0 closes it. Returns False, and nothing
    happens, unless the answer was offered. Raises Cannot as `answer` does."""
    dialog = _of(mobile, serial, kind)
    if dialog is None:
        return False
    leads = next((way.leads for way in step_of(dialog).ways if way.number == number), None)
    if isinstance(leads, Draft):
        _check_near(mobile, dialog)
        _go_on(mobile, dialog, leads)
        return True
    if leads is None and number:
        return False
    return answer(mobile, serial, kind, leads or 0)


def write(mobile: Mobile, serial: int, kind: int, text: str) -> bool:
    """Take a player's typed words for the current step of a dialog. Returns False, and nothing happens,
    unless the step asks for words. Raises Cannot as `answer` does."""
    dialog = _of(mobile, serial, kind)
    if dialog is None or step_of(dialog).typed is None:
        return False
    _check_near(mobile, dialog)
    try:
        draft = typed(dialog, text)
    except Cannot:
        _go_on(mobile, dialog, dialog.draft)
        raise
    _go_on(mobile, dialog, draft)
    return True


def reply_in_words(mobile: Mobile, text: str) -> Dialog | None:
    """Answer the newest open question by a command: `text` is the number or the beginning of an answer, or
    the words to be typed; empty text closes the question. Returns the next question, if the dialog goes on.
    Raises Cannot(GONE) if nothing is asked, Cannot(UNFIT) if the text fits no answer, and what `answer`
    raises."""
    dialog = next(reversed(mobile.dialogs.values()), None)
    if dialog is None:
        raise Cannot(Refusal.GONE, NOTHING_ASKED)
    serial, kind, step = dialog.serial, dialog.type_id, step_of(dialog)
    if not text:
        answer(mobile, serial, kind, 0)
    elif step.typed is not None:
        write(mobile, serial, kind, text)
    else:
        word = text.casefold()
        number = next((way.number for way in step.ways if way.label.casefold().startswith(word)), None)
        if text.isascii() and text.isdecimal():
            number = int(text[:9])
        if number is None or not choose(mobile, serial, kind, number):
            raise Cannot(Refusal.UNFIT, "That is no answer to: " + step.text)
    return next((one for one in mobile.dialogs.values() if one.name == dialog.name), None)


def _of(mobile: Mobile, serial: int, kind: int) -> Dialog | None:
    dialog = mobile.dialogs.get(serial)
    return dialog if dialog is not None and dialog.type_id == kind else None


def _check_near(mobile: Mobile, dialog: Dialog) -> None:
    if dialog.asker is not None and not dialog.anywhere:
        check_talk(mobile, dialog.asker)


def _go_on(mobile: Mobile, dialog: Dialog, draft: Draft) -> None:
    withdraw(mobile, dialog)
    _open(mobile, attrs.evolve(dialog, serial=_serial(mobile), draft=draft))


def remind(mobile: Mobile, serial: int) -> None:
    """Show an open question once more, to a player whose client closed its window with an answer that did not
    count."""
    dialog = mobile.dialogs.get(serial)
    if dialog is not None and mobile.viewport is not None:
        mobile.world.events.append(Asked(mobile, dialog, one(mobile)))


def withdraw_all_of(asker: Mobile) -> None:
    """Withdraw all questions of a mobile that will hear no answers any more."""
    for (_, serial), mobile in list(asker.asking.items()):
        withdraw(mobile, mobile.dialogs[serial])


def withdraw(mobile: Mobile, dialog: Dialog) -> None:
    """Withdraw a question; its player's client closes the window."""
    if _close(mobile, dialog) and mobile.viewport is not None:
        mobile.world.events.append(Closed(mobile, dialog, one(mobile)))


def forget_all(mobile: Mobile) -> None:
    """Drop all questions to a player whose client is gone and cannot close its windows."""
    for dialog in list(mobile.dialogs.values()):
        _close(mobile, dialog)


def _close(mobile: Mobile, dialog: Dialog) -> bool:
    """Whether it was open."""
    if mobile.dialogs.pop(dialog.serial, None) is None:
        return False
    if dialog.asker is not None:
        dialog.asker.asking.pop((mobile.serial, dialog.serial), None)
    return True
