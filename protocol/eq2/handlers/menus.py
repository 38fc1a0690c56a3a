"""The game's own windows: conversations, and the menu of a click with the right button.

A conversation carries the serial of its dialog and counts its answers from 0. An answer closes the window;
what is asked next opens another one. The same question can be answered by /answer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.dispatch import Interval
from protocol.eq2.handlers.commands import run_word
from protocol.eq2.handlers.looking import aim_at, thing_of
from protocol.eq2.handlers.table import on, playing
from protocol.eq2.packets import (
    DialogClose,
    DialogDismiss,
    DialogSelect,
    EntityVerb,
    EntityVerbsReply,
    EntityVerbsRequest,
    EntityVerbsVerb,
    Sit,
    Stand,
)
from protocol.refusals import refused_in_words, tell_refusal
from protocol.session import Phase
from protocol.wishes import Wish, tell
from world import dialogs
from world.forms import step_of
from world.mobile import Mobile
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from protocol.eq2.session import Eq2Session
    from world.item import Item

OF_ONESELF: Final = ("sit", "stand", "inventory")
OF_PLAYERS: Final = ("hail", "inspect", "invite")
OF_RESIDENTS: Final = ("hail", "consider")
OF_CREATURES: Final = ("attack", "consider")
OF_THINGS: Final = ("take", "use")
OF_CONTAINERS: Final = ("open", "take")
"""Words of `handlers.commands`, in the order of the menu; the first is the nearest at hand."""


def words_for(mobile: Mobile, thing: Mobile | Item) -> Sequence[str]:
    """What can be done with something."""
    if thing is mobile:
        return OF_ONESELF
    if not isinstance(thing, Mobile):
        return OF_CONTAINERS if thing.template.container else OF_THINGS
    if thing.is_character:
        return OF_PLAYERS
    return OF_CREATURES if thing.template.creature else OF_RESIDENTS


@on(EntityVerbsRequest, during=Phase.IN_WORLD, every=Interval(0.2, burst=3))
def menu(session: Eq2Session, packet: EntityVerbsRequest) -> None:
    """EntityVerbsRequest: a click with the right button."""
    mobile, thing = playing(session), thing_of(session, packet.spawn_id)
    if mobile is None:
        return
    if thing is None:
        tell_refusal(mobile, Cannot(Refusal.UNSEEN))
    else:
        verbs = tuple(EntityVerb(word, word.title()) for word in words_for(mobile, thing))
        session.send(EntityVerbsReply(packet.spawn_id, verbs))


@on(EntityVerbsVerb, during=Phase.IN_WORLD)
def choose(session: Eq2Session, packet: EntityVerbsVerb) -> None:
    """EntityVerbsVerb: a line of the menu, as if one had aimed and typed it."""
    mobile, thing = playing(session), thing_of(session, packet.spawn_id)
    if mobile is None:
        return
    if thing is None:
        tell_refusal(mobile, Cannot(Refusal.UNSEEN))
    elif packet.command not in words_for(mobile, thing):
        tell(session, Wish.UNASKED)
    else:
        if thing is not mobile:
            aim_at(session, mobile, thing)
            session.queue(*session.view.target(session.target, session.version))
        run_word(session, mobile, packet.command)


@on(DialogSelect, during=Phase.IN_WORLD, every=Interval(0.1, burst=3))
def answer(session: Eq2Session, packet: DialogSelect) -> None:
    """DialogSelect: an answer in the window of a conversation."""
    mobile = playing(session)
    if mobile is None:
        return
    dialog = mobile.dialogs.get(packet.conversation)
    ways = step_of(dialog).ways if dialog is not None else ()
    if dialog is None or packet.response >= len(ways):
        tell(session, Wish.UNASKED)
        if dialog is None:
            session.send(DialogClose(packet.conversation))
        return
    with refused_in_words(mobile):
        dialogs.choose(mobile, dialog.serial, dialog.type_id, ways[packet.response].number)
        session.send(DialogClose(dialog.serial))


@on(DialogDismiss, during=Phase.IN_WORLD)
def dismiss(session: Eq2Session, packet: DialogDismiss) -> None:
    """DialogDismiss: the window of a conversation was closed, which is an answer, too."""
    mobile = playing(session)
    dialog = mobile.dialogs.get(packet.conversation) if mobile is not None else None
    if mobile is not None and dialog is not None:
        dialogs.answer(mobile, dialog.serial, dialog.type_id, 0)


@on(Sit, during=Phase.IN_WORLD, every=Interval(0.2, burst=3))
def sit(session: Eq2Session, packet: Sit) -> None:
    """Sit: on a seat before one, else on the ground."""
    mobile = playing(session)
    if mobile is not None:
        run_word(session, mobile, "sit")


@on(Stand, during=Phase.IN_WORLD, every=Interval(0.2, burst=3))
def stand(session: Eq2Session, packet: Stand) -> None:
    """Stand: up again."""
    mobile = playing(session)
    if mobile is not None:
        run_word(session, mobile, "stand")
