"""Fights as Lineage II's messages: blows, stances, levels, and the client's own texts about them.

A blow is one message with the damage inside, which the client draws and lets be felt when half of the time is
over. Nothing floats over a head: who strikes and who is struck read the numbers as lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.burial import Burial
from protocol.l2.bound import OfKnown, ToPlayerOf
from protocol.l2.figures import NAMING
from protocol.l2.packets import (
    Attack,
    AutoAttackStart,
    Blow,
    DeleteObject,
    Message,
    Social,
    SocialAction,
    SystemMessage,
    SystemMessageId,
    number,
    text,
)
from protocol.l2.words import own as own_words
from protocol.l2.words import told
from world.rules.combat import Outcome

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from protocol.l2.places import Place
    from protocol.l2.session import L2Session
    from protocol.l2.versions import L2Version
    from protocol.outgoing import Outgoing
    from protocol.session import Session
    from world.events import Advanced, Gained, Mended, Struck
    from world.mobile import Mobile

FLAGS: Final[Mapping[Outcome, int]] = {
    Outcome.HIT: 0,
    Outcome.CRITICAL: Blow.CRITICAL,
    Outcome.BLOCKED: Blow.SHIELD,
    Outcome.MISSED: Blow.MISS,
}

BODY_SECONDS: Final = 7.0
"""How long the body of a creature lies there (L2JMobius/L2Jmobius_Interlude: corpseTime)."""

MOST_POINTS: Final = 0x7FFF_FFFF


class Fallen(Burial):
    """Somebody is dead and gone, but its body lies there for a while; it is no target any more."""

    __slots__ = ("_serial",)

    def __init__(self, serial: int) -> None:
        super().__init__(DeleteObject(serial), BODY_SECONDS)
        self._serial = serial

    def bind(self, session: Session) -> bytes:
        """None: the message that takes it away follows later. The client lets go of it then; the server does
        at once."""
        client = cast("L2Session", session)
        if client.target == self._serial:
            client.target = 0
        return super().bind(session)


def struck(
    event: Struck, place: Place | None, ready: Iterable[Mobile], version: L2Version, *, own: bool
) -> Sequence[Outgoing]:
    """A blow, struck from there; `own` for who strikes. `ready`: who stands ready from it on."""
    if place is None:
        return ()
    attacker, target = event.thing, event.target
    attack = Attack(
        object_id=attacker.serial,
        target_id=target.serial,
        damage=_points(event.damage),
        flags=FLAGS[event.outcome],
        x=place.x,
        y=place.y,
        z=place.z,
    )
    stances = (OfKnown(one.serial, version.encode(AutoAttackStart(one.serial))) for one in ready)
    swing: tuple[Outgoing, ...] = *version.bodies(attack), *stances
    if own:
        return *swing, *_given(event, version)
    if not target.is_character:
        return swing
    return *swing, *(ToPlayerOf(target, version.encode(line)) for line in _taken(event))


def _given(event: Struck, version: L2Version) -> Sequence[Outgoing]:
    """What who strikes reads of it."""
    if event.outcome is Outcome.MISSED:
        return version.bodies(SystemMessage(SystemMessageId.YOU_MISSED))
    if event.outcome is Outcome.BLOCKED:
        return own_words(event, version)  # the client has a text for who holds the shield only
    critical = (SystemMessage(SystemMessageId.CRITICAL_HIT),) if event.outcome is Outcome.CRITICAL else ()
    hit = SystemMessage(SystemMessageId.YOU_HIT, (number(_points(event.damage)),))
    return version.bodies(*critical, hit)


def _taken(event: Struck) -> Sequence[Message]:
    """What who is struck reads of it."""
    name = text(NAMING.of(event.thing))
    if event.outcome is Outcome.MISSED:
        return (SystemMessage(SystemMessageId.YOU_AVOIDED, (name,)),)
    if event.outcome is Outcome.BLOCKED:
        return (SystemMessage(SystemMessageId.SHIELD_DEFENSE),)
    return (SystemMessage(SystemMessageId.HIT_YOU, (name, number(_points(event.damage)))),)


def _points(points: int) -> int:
    return max(0, min(points, MOST_POINTS))


def gained(event: Gained, version: L2Version) -> Sequence[Outgoing]:
    """Experience, in the world's own points."""
    if event.experience < 0:
        lost = (number(_points(-event.experience)),)
        return version.bodies(SystemMessage(SystemMessageId.EXPERIENCE_DECREASED, lost))
    earned = number(_points(event.experience)), number(0)
    return version.bodies(SystemMessage(SystemMessageId.EARNED, earned))


def mended(event: Mended, version: L2Version) -> Sequence[Outgoing]:
    """Hits that a remedy gave, for who has them."""
    hits = _points(event.hits)
    return version.bodies(SystemMessage(SystemMessageId.HP_RESTORED, (number(hits),)))


def advanced(event: Advanced, version: L2Version, *, own: bool) -> Sequence[Outgoing]:
    """A new level: its picture, and to its own client a text."""
    picture = SocialAction(event.thing.serial, Social.LEVEL_UP)
    if not own:
        return version.bodies(picture)
    grown = SystemMessage(SystemMessageId.LEVEL_INCREASED)
    line = event.words(own=True)
    return *version.bodies(picture, grown), *(told(version, line) if line is not None else ())
