"""A wish that cannot be met yet: its player reads why, and may do something else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from protocol.l2.handlers.arriving import acting
from protocol.l2.packets import ActionFailed
from protocol.wishes import Unmet, tell

if TYPE_CHECKING:
    from protocol.l2.session import L2Session


@attrs.frozen
class UnmetAction(Unmet):
    """As `Unmet`; the client, which takes no other click until it is answered, hears ActionFailed too."""

    def __call__(self, session: L2Session, packet: object) -> None:  # type: ignore[override] # this game's
        """See UnmetAction."""
        if acting(session) is not None:
            tell(session, self.wish)
            session.send(ActionFailed())
