"""Chests as dialogs, for players whose game has no window for what is in one: take all of it, or some."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import hands, looting, speech
from world.containers import counted
from world.dialogs import Button, Choice, Option, Reply, ask
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from world.item import Item
    from world.mobile import Mobile

CHEST: Final = "chest"
"""What a view's `windows` names if its game shows what is in a container on the ground."""

CHEST_DIALOG: Final = "ChestDialog"

ALL, ONE = 1, 2
LEAVE: Final = Button(0, "Close it.")


def show(actor: Mobile, chest: Item) -> None:
    """Open a chest: what is in it, and what to take. Raises Cannot, as `looting.look_into`."""
    inside = looting.look_into(actor, chest)
    words = ", ".join(counted(item) for item in inside) if inside else "nothing"
    buttons = [Button(ALL, "Take all of it.")] if inside else []
    if len(inside) > 1:
        buttons.append(Button(ONE, "Take one thing."))

    def answered(taker: Mobile, reply: Reply) -> None:
        if reply.button == ALL:
            speech.or_tell(taker, lambda: _take_all(taker, chest))
        elif reply.button == ONE:
            speech.or_tell(taker, lambda: _ask_which(taker, chest))

    ask(
        actor,
        CHEST_DIALOG,
        title=chest.label,
        text=f"In it: {words}.",
        buttons=(*buttons, LEAVE),
        answered=answered,
    )


def _take_all(actor: Mobile, chest: Item) -> None:
    for refusal in looting.take_all(actor, chest):
        speech.notice(actor, str(refusal))


def _ask_which(actor: Mobile, chest: Item) -> None:
    inside = looting.look_into(actor, chest)
    if not inside:
        raise Cannot(Refusal.GONE, looting.EMPTY)
    options = [Option(number, counted(item), item.template) for number, item in enumerate(inside, 1)]

    def answered(taker: Mobile, reply: Reply) -> None:
        if reply.button:
            (number,) = reply.chosen("thing")
            speech.or_tell(taker, lambda: _take(taker, chest, inside[number - 1]))

    ask(
        actor,
        CHEST_DIALOG,
        title=chest.label,
        text="What do you take?",
        buttons=(Button(1, "Take it."), LEAVE),
        answered=answered,
        inputs=(Choice("thing", "Which?", options),),
    )


def _take(actor: Mobile, chest: Item, item: Item) -> None:
    """What the player saw: another may have it by now."""
    if item.parent is not chest:
        raise Cannot(Refusal.GONE)
    amount = hands.portable(actor, item)
    label = counted(item) if amount == item.amount else f"{amount} {item.plural}"
    hands.take(actor, item, amount)
    speech.notice(actor, f"You take {label}.")
    show(actor, chest)
