"""The dialog in which players of games without a button for it spend their points on attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import learning
from world.dialogs import Button, ask
from world.reach import Cannot, Refusal
from world.speech import notice

if TYPE_CHECKING:
    from world.dialog import Reply
    from world.mobile import Dialog, Mobile

POINTS: Final = "PointsDialog"
"""Name of the dialog; its type id is a hash of this."""


def offer(mobile: Mobile) -> Dialog:
    """Ask a player on which attribute to spend a point, again and again until none is left. Raises
    Cannot(AMOUNT) if there is none."""
    left = mobile.learner.points if mobile.learner is not None else 0
    if not left:
        raise Cannot(Refusal.AMOUNT, "You have no points to spend.")
    return ask(
        mobile,
        POINTS,
        title="Points",
        text=f"You may raise an attribute {'once' if left == 1 else f'{left} times'}.",
        buttons=(
            *(
                Button(number, f"{name.capitalize()} ({getattr(mobile, name)})")
                for number, name in enumerate(learning.SPENDABLE, 1)
            ),
            Button(0, "Not now"),
        ),
        answered=_answered,
        anywhere=True,
    )


def _answered(mobile: Mobile, reply: Reply) -> None:
    if not 1 <= reply.button <= len(learning.SPENDABLE):
        return
    name = learning.SPENDABLE[reply.button - 1]
    try:
        learning.spend(mobile, name)
    except Cannot as cannot:
        notice(mobile, str(cannot))
        return
    notice(mobile, f"Your {name} is now {getattr(mobile, name)}.")
    if mobile.learner is not None and mobile.learner.points:
        offer(mobile)
