"""The way home for a character that comes in here and stands in a realm of another world.

The problem: at which world of several a client comes in says its address, and where its character stands
only its row. The idea: it comes in here like a newcomer, where those appear, and as soon as its client shows
the world it goes over the border to where it stood, as anybody does. If the way is closed it stays, and its
player reads so.

Not done: to bring the client to that world before it enters. Each game's menu would have had to be carried
there with all that it knows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.session import Phase

if TYPE_CHECKING:
    from protocol.session import Session
    from world.mobile import Mobile
    from world.snapshot import CharacterRow

LOOK_SECONDS: Final = 0.5
"""From one look whether its client shows the world to the next."""

LOOKS: Final = 240
"""A client may load for long."""


def bring(session: Session, mobile: Mobile, row: CharacterRow) -> None:
    """Have a character go to where its row says, when its client is ready for that."""
    realm, x, y = row.realm, cast("int", row.x), cast("int", row.y)
    if realm is None:
        return

    def look() -> None:
        if session.mobile is not mobile:
            timer.cancel()
        elif session.phase is Phase.IN_WORLD and not session.loading and not session.blind:
            timer.cancel()
            mobile.world.travel(mobile, realm, x, y)

    timer = mobile.world.timers.every(LOOK_SECONDS, look, times=LOOKS, owner=mobile)
