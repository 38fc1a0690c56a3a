"""Stances: who stands ready for a fight, with its weapon drawn.

Both who strikes and who is struck do so from the first blow until some time after the last, whatever becomes
of the fight meanwhile (L2JMobius/L2Jmobius_Interlude: AttackStanceTaskManager.java); the dead do not. The
world knows nothing of that: it is kept here, from the blows that are rendered. A blow is rendered once for
each group of viewers, so that who begins with it is the same for all of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from weakref import WeakKeyDictionary, ref

import attrs

from protocol.l2.packets import AutoAttackStop
from world.timers import Priority

if TYPE_CHECKING:
    from collections.abc import Callable

    from protocol.l2.packets import Message
    from world.events import Struck
    from world.mobile import Mobile

SECONDS: Final = 15.0
"""From the last blow to the end of the stance."""


@attrs.define(eq=False)
class _Stance:
    began: ref[Struck]
    """The blow with which it began."""
    until: float


def _tell_nobody(mobile: Mobile, message: Message) -> None:
    """Without a view there are no clients."""


class Stances:
    """The stances of all whose blows were rendered."""

    def __init__(self) -> None:
        self.tell: Callable[[Mobile, Message], None] = _tell_nobody
        """Sends a message about somebody to all who are shown it, and to its own client."""
        self._stances: WeakKeyDictionary[Mobile, _Stance] = WeakKeyDictionary()

    def ready(self, mobile: Mobile) -> bool:
        """Whether somebody stands ready now."""
        stance = self._stances.get(mobile)
        return stance is not None and mobile.world.now < stance.until and not mobile.dead

    def strike(self, event: Struck) -> list[Mobile]:
        """Note a blow. Returns who stands ready from it on, of both."""
        return [mobile for mobile in (event.thing, event.target) if self._began(mobile, event)]

    def _began(self, mobile: Mobile, event: Struck) -> bool:
        stance = self._stances.get(mobile)
        if mobile.dead or mobile.realm is None:
            return False
        if stance is not None and mobile.world.now < stance.until:
            stance.until = mobile.world.now + SECONDS
            return stance.began() is event
        self._stances[mobile] = _Stance(ref(event), mobile.world.now + SECONDS)
        self._look_in(SECONDS, mobile)
        return True

    def end(self, mobile: Mobile) -> None:
        """Forget it without a word: the dead stand no more."""
        self._stances.pop(mobile, None)

    def _look_in(self, seconds: float, mobile: Mobile) -> None:
        stance, timers = self._stances[mobile], mobile.world.timers
        timers.after(seconds, self._look, mobile, stance, priority=Priority.S1, owner=mobile)

    def _look(self, mobile: Mobile, stance: _Stance) -> None:
        """It ends if there was no blow meanwhile."""
        if self._stances.get(mobile) is not stance:
            return
        left = stance.until - mobile.world.now
        if left > 0:
            self._look_in(left, mobile)
        else:
            self.end(mobile)
            self.tell(mobile, AutoAttackStop(mobile.serial))
