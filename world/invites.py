"""Invites: what one player asks of another and wants an answer to, into a party or a guild, to trade, to a
duel.

An invite is a dialog that can be answered from anywhere, and nothing besides: whether one is open, who asks
and whom, is what `world.dialogs` knows. So a button of the dialog, a word that was typed and the answer of a
native window are one and the same, and who leaves or dies takes along what it asked. Two who ask the same of
one another have answered.

What is asked for has to be checked again by whoever grants it: time has passed since.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import dialogs, presence
from world.dialogs import Button, Reply
from world.ignoring import check_heeded
from world.reach import Cannot, Refusal
from world.speech import Limit, check_pace, notice, or_tell

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.elsewhere import Person
    from world.mobile import Dialog, Mobile

ANSWER_SECONDS: Final = 30.0
"""Seconds for an answer."""

LIMIT: Final = Limit("invites", 5, 30.0)
"""Invites of all kinds that one player may send."""

YES: Final = 1
"""The button that accepts."""

NO_ANSWER: Final = "{} does not answer."
DECLINED: Final = "{} does not want to."
ASKER_GONE: Final = "{} is not there any more."


def ask(
    actor: Mobile,
    other: Mobile,
    kind: str,
    *,
    title: str,
    text: str,
    told: str,
    accepted: Callable[[], None],
    refused: Callable[[], None] | None = None,
    yes: str = "Yes",
    no: str = "No",
    about: str = "",
) -> Dialog | None:
    """Ask another player something; `kind` is the name of the dialog, which no other has. The actor reads
    `told`; or, if the other was asking it the same, this is the answer to that, and None is returned. `about`
    goes into the dialog: which of several things of a kind is asked.

    `accepted` is called when the other accepts while the actor is still played; what it raises as Cannot, the
    other reads. `refused` is called when it declines or lets the time pass, after the actor was told. Raises
    Cannot: as `check_asks`; ASKED, ENGAGED; ASKING if the actor asks too often.
    """
    check_asks(actor, other)
    if meets(actor, other, kind):
        return None
    before = pending(other, kind)
    if before is not None:
        raise Cannot(Refusal.ASKED if before.asker is actor else Refusal.ENGAGED)
    check_pace(actor, LIMIT, Refusal.ASKING)

    def answered(mobile: Mobile, reply: Reply) -> None:
        timer.cancel()
        if reply.button == YES and actor.online:
            or_tell(mobile, accepted)
        elif reply.button == YES:
            notice(mobile, ASKER_GONE.format(actor.name))
        else:
            _decline(actor, DECLINED.format(mobile.name), refused)

    dialog = dialogs.ask(
        other,
        kind,
        title=title,
        text=text,
        buttons=(Button(YES, yes), Button(0, no)),
        answered=answered,
        asker=actor,
        anywhere=True,
        about=about,
    )
    timer = actor.world.timers.after(ANSWER_SECONDS, _lapse, actor, other, dialog, refused, owner=actor)
    notice(actor, told)
    return dialog


def check_asks(actor: Mobile, other: Mobile) -> None:
    """Check that one may ask another anything at all. Raises Cannot: ONESELF; NO_PLAYER for residents;
    NOBODY for a character that nobody plays now, as far as the actor may know; IGNORED by one that wants to
    hear nothing of the actor."""
    if other is actor:
        raise Cannot(Refusal.ONESELF)
    if not other.is_character:
        raise Cannot(Refusal.NO_PLAYER)
    if not presence.finds(actor, other):
        raise Cannot(Refusal.NOBODY)
    check_heeded(other, actor)


def meets(actor: Mobile, other: Mobile, kind: str) -> bool:
    """Take what somebody asks of another as a yes to the same question of that one's. Returns False if the
    other does not ask."""
    back = pending(actor, kind, other)
    if back is not None:
        _press(actor, back, YES)
    return back is not None


def pending(mobile: Mobile, kind: str, asker: Mobile | None = None) -> Dialog | None:
    """The invite of that kind that waits for a mobile's answer; only that of `asker`, if one is named."""
    for dialog in mobile.dialogs.values():
        if dialog.name == kind and asker in (None, dialog.asker):
            return dialog
    return None


def accept(mobile: Mobile, kind: str, asker: Mobile | None = None) -> None:
    """Accept the invite of that kind, in words: a window that shows it is closed. (Whose client has closed it
    with an answer, gives that to `dialogs.answer`.) Raises Cannot(NOT_ASKED) if none is open."""
    _press(mobile, _open(mobile, kind, asker), YES)


def refuse(mobile: Mobile, kind: str, asker: Mobile | None = None) -> None:
    """Decline the invite of that kind, in words. Raises Cannot(NOT_ASKED) if none is open."""
    _press(mobile, _open(mobile, kind, asker), 0)


def _open(mobile: Mobile, kind: str, asker: Mobile | None) -> Dialog:
    dialog = pending(mobile, kind, asker)
    if dialog is None:
        raise Cannot(Refusal.NOT_ASKED)
    return dialog


def _press(mobile: Mobile, dialog: Dialog, button: int) -> None:
    """Answer an invite that the mobile's client may still show."""
    dialogs.withdraw(mobile, dialog)
    dialog.answered(mobile, Reply(button))


def _lapse(actor: Mobile, other: Mobile, dialog: Dialog, refused: Callable[[], None] | None) -> None:
    """End an invite that nobody answered in time, or that was dropped when the other left or died."""
    dialogs.withdraw(other, dialog)
    _decline(actor, NO_ANSWER.format(other.name), refused)


def _decline(actor: Mobile, words: str, refused: Callable[[], None] | None) -> None:
    notice(actor, words)
    if refused is not None:
        refused()


def ask_there(actor: Mobile, person: Person, told: str, *, loot: str, joins: bool = False) -> None:
    """Ask one who plays in another world into one's party, or (`joins`) to be let into that one's. The actor
    is `told` that it asks, and later what comes of it, if it is not a yes. Raises Cannot: ASKING; NOBODY if
    there is no way there now."""
    check_pace(actor, LIMIT, Refusal.ASKING)

    def answered(why: str, words: str) -> None:
        if why and actor.viewport is not None:
            notice(actor, words or Refusal.__members__.get(why, Refusal.NOBODY).value)

    ways = actor.world.elsewhere.ways
    if not ways.invite(presence.person_of(actor), person, loot, answered, joins=joins):
        raise Cannot(Refusal.NOBODY)
    notice(actor, told)
