"""Chests: the one on a tile, the nearest one, and what is in one as dialogs, for players whose game has no
window for that: take all of it, or some, or put something in.

    come up to a chest  ->  take all, take one  ->  which, how many  ->  `world.looting`
                        ->  put something in    ->  which, how many  ->  `world.stowing`

A refusal is told.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import hands, looting, speech, stowing
from world.containers import counted
from world.dialogs import Button, Choice, Number, Option, Reply, ask
from world.heading import apart
from world.item import Item
from world.reach import FARTHEST_SIGHT, Cannot, Refusal, can_see
from world.wording import amount_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from world.dialog import Input
    from world.mobile import Mobile

CHEST: Final = "chest"
"""What a view's `windows` names if its game shows what is in a container on the ground."""

CHEST_DIALOG: Final = "ChestDialog"

PUT_IN: Final = "You put {} into {}."
NO_CHEST: Final = "There is no chest there."
NO_CHEST_NEAR: Final = "There is no chest near you."
NOTHING_TO_PUT: Final = "You carry nothing that could go in."

ALL, ONE, PUT = 1, 2, 3
LEAVE: Final = Button(0, "Close it.")


def at(actor: Mobile, x: int, y: int) -> Item:
    """The chest on a tile of the actor's realm. Raises Cannot(GONE)."""
    for chest in _around(actor, x, y, 0):
        if (chest.x, chest.y) == (x, y):
            return chest
    raise Cannot(Refusal.GONE, NO_CHEST)


def near(actor: Mobile) -> Item:
    """The nearest chest that the actor sees. Raises Cannot(GONE)."""
    found = [one for one in _around(actor, actor.x, actor.y, FARTHEST_SIGHT) if can_see(actor, one)]
    chest = min(found, key=lambda one: (apart(actor, one), one.serial), default=None)
    if chest is None:
        raise Cannot(Refusal.GONE, NO_CHEST_NEAR)
    return chest


def show(actor: Mobile, chest: Item) -> None:
    """Open a chest: what is in it, and what to take or put in. Raises Cannot, as `looting.look_into`."""
    inside = looting.look_into(actor, chest)
    words = ", ".join(counted(item) for item in inside) if inside else "nothing"
    buttons = [Button(ALL, "Take all of it.")] if inside else []
    if len(inside) > 1:
        buttons.append(Button(ONE, "Take one thing."))
    buttons.append(Button(PUT, "Put something in."))
    deeds = {ALL: _take_all, ONE: _ask_which, PUT: _ask_what}

    def answered(taker: Mobile, reply: Reply) -> None:
        if reply.button:
            speech.or_tell(taker, lambda: deeds[reply.button](taker, chest))

    ask(
        actor,
        CHEST_DIALOG,
        title=chest.label,
        text=f"In it: {words}.",
        buttons=(*buttons, LEAVE),
        answered=answered,
    )


def put(actor: Mobile, chest: Item, item: Item, amount: int) -> None:
    """Put something into a chest, and say so. Raises Cannot, as `stowing.put`."""
    label = amount_of(actor.world, item.template.key, amount) if amount < item.amount else counted(item)
    stowing.put(actor, chest, item, amount)
    speech.notice(actor, PUT_IN.format(label, chest.label))


def _around(actor: Mobile, x: int, y: int, tiles: int) -> Iterator[Item]:
    around = () if actor.realm is None else actor.realm.space.around(x, y, tiles)
    return (one for one in around if isinstance(one, Item) and one.template.chest is not None)


def _take_all(actor: Mobile, chest: Item) -> None:
    for refusal in looting.take_all(actor, chest):
        speech.notice(actor, str(refusal))


def _ask_which(actor: Mobile, chest: Item) -> None:
    inside = looting.look_into(actor, chest)
    if not inside:
        raise Cannot(Refusal.GONE, looting.EMPTY)
    _choose(actor, chest, inside, ("What do you take?", "Take it."), _take)


def _ask_what(actor: Mobile, chest: Item) -> None:
    looting.look_into(actor, chest)
    pack = actor.backpack
    own = [] if pack is None else [item for item in pack.contents.values() if item.template.movable]
    if not own:
        raise Cannot(Refusal.EMPTY, NOTHING_TO_PUT)
    _choose(actor, chest, own, ("What do you put in?", "Put it in."), _put)


def _choose(
    actor: Mobile,
    chest: Item,
    things: Sequence[Item],
    words: tuple[str, str],
    then: Callable[[Mobile, Item, Item, int], None],
) -> None:
    """Ask for one of some things, and how many of it. What the player saw counts: another may have it by
    now."""
    prompt, label = words
    options = [Option(number, counted(item), item.template) for number, item in enumerate(things, 1)]
    most = max(item.amount for item in things)
    inputs: list[Input] = [Choice("thing", "Which?", options)]
    if most > 1:
        inputs.append(Number("amount", "How many?", 1, most, most))

    def answered(taker: Mobile, reply: Reply) -> None:
        if reply.button:
            item = things[reply.chosen("thing")[0] - 1]
            amount = min(reply.number("amount"), item.amount) if most > 1 else item.amount
            speech.or_tell(taker, lambda: then(taker, chest, item, amount))

    ask(
        actor,
        CHEST_DIALOG,
        title=chest.label,
        text=prompt,
        buttons=(Button(1, label), LEAVE),
        answered=answered,
        inputs=inputs,
    )


def _take(actor: Mobile, chest: Item, item: Item, amount: int) -> None:
    if item.parent is not chest:
        raise Cannot(Refusal.GONE)
    amount = min(amount, hands.portable(actor, item))
    label = counted(item) if amount == item.amount else f"{amount} {item.plural}"
    hands.take(actor, item, amount)
    speech.notice(actor, looting.TAKEN.format(label))
    show(actor, chest)


def _put(actor: Mobile, chest: Item, item: Item, amount: int) -> None:
    put(actor, chest, item, amount)
    show(actor, chest)
