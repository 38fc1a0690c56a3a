"""What mobiles and items have in common: a serial, a place, and what changed about them."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

import attrs

from world.delta import constant, tracked
from world.stored import stored

if TYPE_CHECKING:
    from collections.abc import Hashable

    from world.realm import Realm
    from world.surroundings import Surroundings
    from world.timers import Timer

NAME_FLAG = 0x1
"""`MobileDelta.NAME`, and of items `ItemDelta.UPDATE`: a name is all that is shown of some."""


@attrs.define(eq=False)
class Thing:
    """One mobile or item. `x`, `y`, `z` are tiles of `realm`; `realm` is None while the thing is nowhere
    (contained, worn, or not in the world)."""

    LOOKS: ClassVar[int] = -1
    """The flags that change how it looks, in any game; by default all."""

    serial: int = attrs.field(metadata=stored(fixed=True))
    world: Surroundings = attrs.field(repr=False)
    _name: str = attrs.field(default="", metadata=stored(fixed=True, length=32))
    realm: Realm | None = attrs.field(default=None, metadata=stored("realm.chart.name", str, nullable=True))
    x: int = attrs.field(default=0, metadata=stored())
    y: int = attrs.field(default=0, metadata=stored())
    z: int = attrs.field(default=0, metadata=stored())
    stored: bool = False
    """Whether the store keeps this thing; those it does not are placed anew by every start."""
    delta: int = 0
    """Flags set since the viewers were last told; non-zero exactly while the thing is queued."""
    timers: set[Timer] | None = None
    rendered: dict[Hashable, object] | None = attrs.field(default=None, repr=False)
    """Behind `kept`, which views ask for; forgotten at every change of `LOOKS`."""

    name = tracked("_name", NAME_FLAG, str)
    hidden = constant(False)
    """Whether others do not see it; only mobiles hide."""

    @property
    def label(self) -> str:
        """What a player reads that it is called."""
        return self._name

    def kept(self) -> dict[Hashable, object]:
        """What views have worked out about it, by keys of their own; empty again after every change. It says
        nothing of where the thing is."""
        kept = self.rendered
        if kept is None:
            kept = self.rendered = {}
        return kept

    def mark(self, flag: int) -> None:
        """Note a change that viewers and the store have to hear of."""
        if flag & self.LOOKS:
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
