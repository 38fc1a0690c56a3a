"""Loading: a client that was put elsewhere says when it has loaded what is there, and does nothing before.

One that never says so is taken at its deeds: who acts long afterwards has loaded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2.handlers.daytime import catch_up
from protocol.l2.handlers.table import on
from protocol.l2.packets import ActionFailed, Appearing
from protocol.session import Phase
from world import motion
from world.targets import target

if TYPE_CHECKING:
    from protocol.l2.session import L2Session
    from world.mobile import Mobile


@on(Appearing, during=Phase.IN_WORLD)
def appear(session: L2Session, packet: Appearing) -> None:
    """Appearing: the client has loaded the place where its character was put."""
    mobile = session.mobile
    if mobile is not None and session.loading:
        _loaded(session, mobile)
        session.send(ActionFailed())  # for a click that it took along


def acting(session: L2Session) -> Mobile | None:
    """The mobile this client may act with now, as `table.playing`, for what its player does. Who loads is
    told that it is refused: the client takes no other click until it is."""
    mobile = session.mobile
    if mobile is not None and session.loading:
        if mobile.world.now < session.ready_at:
            session.send(ActionFailed())
            return None
        _loaded(session, mobile)
    return mobile


def _loaded(session: L2Session, mobile: Mobile) -> None:
    """Tell it about itself; what is around follows when the turn ends."""
    motion.halt(mobile)
    session.target = 0
    target(mobile, None)
    session.loading = False
    session.blind = True
    session.queue(*session.view.own(mobile, session.dialect))
    session.queue(*session.view.belongings(mobile, session.dialect))
    catch_up(session)
