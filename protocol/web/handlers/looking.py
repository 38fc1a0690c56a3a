"""Things that a client may know of, looking closely at them, and reading signs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.dispatch import Interval
from protocol.web.handlers.table import TABLE
from protocol.web.packets.people import Look, Read
from protocol.web.view import WebView
from world import presence, signs
from world.item import Item
from world.reach import Cannot, Refusal, can_see
from world.speech import notice

if TYPE_CHECKING:
    from protocol.web.session import WebSession
    from world.mobile import Mobile


def find(session: WebSession, mobile: Mobile, serial: int) -> Mobile | Item | None:
    """Somebody or something that this client was shown or told of: itself and what it has, whom and what it
    sees, what is in a container that it looked into. What others wear and carry is theirs."""
    world = mobile.world
    thing = world.mobiles.get(serial) or world.items.get(serial)
    if thing is None or not can_see(mobile, thing):
        return None
    if thing is mobile or serial in session.known:
        return thing
    if not isinstance(thing, Item):
        return None
    if thing.root is mobile:
        return thing
    is_seen = thing.root.serial in session.known
    return thing if is_seen and thing.parent is not None and thing.parent.serial in session.opened else None


def find_player(session: WebSession, mobile: Mobile, serial: int, name: str = "") -> Mobile:
    """Find whoever is meant: somebody in sight, or of that name if the serial is 0. Raises Cannot: UNSEEN for
    somebody out of sight, NOBODY for a name that nobody has who plays."""
    other = find(session, mobile, serial) if serial else presence.by_name(mobile, name)
    if isinstance(other, Item) or other is None:
        raise Cannot(Refusal.UNSEEN if serial else Refusal.NOBODY)
    return other


@TABLE.while_playing(Look, every=Interval(0.1, burst=3))
def look(session: WebSession, mobile: Mobile, message: Look) -> None:
    """look: what one sees who looks closely. Raises Cannot(UNSEEN) if it is out of sight."""
    thing = find(session, mobile, message.id)
    if thing is None:
        raise Cannot(Refusal.UNSEEN)
    session.send(WebView.of(session).figures.seen(thing))


@TABLE.while_playing(Read, every=Interval(0.2, burst=3))
def read(session: WebSession, mobile: Mobile, message: Read) -> None:
    """read: the sign of a tile, if it is near enough."""
    notice(mobile, signs.read(mobile, (message.x, message.y)))
