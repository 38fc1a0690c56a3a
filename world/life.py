"""Death and life again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from world import hands
from world.dialogs import Button, ask
from world.moments import Died, Revived

if TYPE_CHECKING:
    from world.dialogs import Dialog
    from world.mobile import Mobile

RESURRECTED_HITS: Final = 10
"""Hits of somebody just resurrected: ServUO, Server/Mobile.cs Resurrect."""

RESURRECT: Final = "ResurrectGump"
"""Name of the resurrection dialog; its type id is a hash of this. ServUO's class of the same dialog."""

CONTINUE: Final = 1
CANCEL: Final = 0


def kill(mobile: Mobile) -> bool:
    """Make a ghost of somebody; False if it was one. Residents are not killed: nothing would bring them
    back.

    Steps that wait for their time still count, here and in `resurrect`: a client that shows them already
    (Endless Online) would not hear of their end.
    """
    if mobile.dead or not mobile.is_character:
        return False
    hands.bounce(mobile)
    mobile.hits = 0
    mobile.dead = True
    mobile.war = False
    mobile.world.moments.append(Died(mobile, mobile.world.watching(mobile)))
    return True


def resurrect(mobile: Mobile) -> bool:
    """A ghost lives again with 10 hits; False if it was not dead."""
    if not mobile.dead:
        return False
    mobile.dead = False
    mobile.hits = min(RESURRECTED_HITS, mobile.hits_max)
    mobile.world.moments.append(Revived(mobile, mobile.world.watching(mobile)))
    return True


def offer_resurrection(ghost: Mobile, healer: Mobile | None) -> Dialog:
    """Ask a ghost whether it wants to live."""
    return ask(
        ghost,
        RESURRECT,
        title="Resurrection",
        text="It is possible for you to be resurrected here by this healer. Do you wish to try?",
        buttons=(Button(CONTINUE, "CONTINUE"), Button(CANCEL, "CANCEL")),
        answered=_answered,
        asker=healer,
    )


def _answered(ghost: Mobile, button: int) -> None:
    if button == CONTINUE:
        resurrect(ghost)
