"""What mobiles and items have in common: a serial, a place, and what changed about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from world.delta import constant, tracked

if TYPE_CHECKING:
    from collections.abc import Hashable

    from world.realm import Realm
    from world.timers import Timer
    from world.world import World

NAME_FLAG = 0x1
"""`MobileDelta.NAME`; items carry no name flag of their own and answer it with their properties."""


@attrs.define(eq=False)
class Thing:
    """One mobile or item. `x`, `y`, `z` are tiles of `realm`; `realm` is None while the thing is nowhere
    (contained, worn, or not in the world)."""

    serial: int
    world: World = attrs.field(repr=False)
    _name: str = ""
    realm: Realm | None = None
    x: int = 0
    y: int = 0
    z: int = 0
    stored: bool = False
    """Whether the store keeps this thing; those it does not are placed anew by every start."""
    delta: int = 0
    """Flags set since the viewers were last told; non-zero exactly while the thing is queued."""
    timers: set[Timer] | None = None
    rendered: dict[Hashable, object] | None = attrs.field(default=None, repr=False)
    """What views have worked out about it, but for its place; forgotten at every change."""

    name = tracked("_name", NAME_FLAG, str)
    hidden = constant(False)
    """Whether others do not see it; only mobiles hide."""

    def mark(self, flag: int) -> None:
        """Note a change that viewers and the store have to hear of."""
        self.rendered = None
        if not self.delta:
            self.world.changed.append(self)
        self.delta |= flag
        if self.stored:
            self.world.dirty[self.serial] = self

    def touch(self) -> None:
        """Note a change that only the store has to hear of (a move)."""
        if self.stored:
            self.world.dirty[self.serial] = self
