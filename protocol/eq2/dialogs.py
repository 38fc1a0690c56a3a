"""The world's dialogs as windows of this game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.eq2 import guilds, journals, parties
from protocol.eq2.packets import ChoiceWindow, DialogClose, DialogOpen
from protocol.eq2.words import LONGEST_TEXT, NARRATIVE, bodies, texts
from world.dialog import Line
from world.forms import LONGEST_NUMBER, in_words, step_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eq2.figures import Figures
    from protocol.eq2.versions import Eq2Version
    from protocol.outgoing import Outgoing
    from world.events import Asked, Closed

TYPED: Final = "answer_typed"
WAIVED: Final = "answer"
"""Commands of a window to type into: with the words, and for who closes it."""


def asked(event: Asked, version: Eq2Version, figures: Figures) -> Sequence[Outgoing]:
    """DialogOpen: the window of a conversation, or ChoiceWindow, into which one types; OfferQuest for a
    quest, ReceiveOffer for a party or a guild, unless that is switched off; and lines of text, answered by
    /answer."""
    dialog, step = event.dialog, step_of(event.dialog)
    lines = texts(version, NARRATIVE, *in_words(dialog, "/answer"))
    if parties.is_offer(dialog, figures):
        return *parties.offered(dialog, version), *lines
    if guilds.is_offer(dialog, figures):
        return *guilds.offered(dialog, version), *lines
    offers = figures.rendering.offer_window
    offer = journals.offered(dialog, event.thing, figures, version) if offers else None
    if offer is not None:
        return *offer, *lines
    if step.typed is not None:
        box = ChoiceWindow(
            text=f"{step.text} {step.wanted}"[:LONGEST_TEXT],
            accept="That is my answer.",
            accept_command=TYPED,
            cancel=dialog.closing.label[:LONGEST_TEXT],
            cancel_command=WAIVED,
            longest=step.typed.longest if isinstance(step.typed, Line) else LONGEST_NUMBER,
        )
        return (*bodies(version, box), *lines)
    speaker = dialog.asker.serial if dialog.asker is not None else event.thing.serial
    window = DialogOpen(
        conversation=dialog.serial,
        title=dialog.title[:LONGEST_TEXT],
        text=step.text[:LONGEST_TEXT],
        responses=tuple(way.label[:LONGEST_TEXT] for way in step.ways),
        spawn_id=speaker,
    )
    return (*bodies(version, window), *lines)


def closed(event: Closed, version: Eq2Version, figures: Figures) -> Sequence[Outgoing]:
    """DialogClose, or CloseGroupInviteWindow."""
    if parties.is_offer(event.dialog, figures) or guilds.is_offer(event.dialog, figures):
        return parties.withdrawn(version)
    return bodies(version, DialogClose(event.dialog.serial))
