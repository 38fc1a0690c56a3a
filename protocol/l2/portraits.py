"""Portraits: messages that describe somebody of Lineage II, kept but for what changes with each step.

Whoever walks comes into somebody's sight with nearly every step, and these messages are long: a few numbers
are written into them then, and all else stays.
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Final

import attrs

from protocol.wire.body import Body

if TYPE_CHECKING:
    from protocol.l2.packets import CharInfo, NpcInfo, RelationChanged
    from protocol.l2.places import Place
    from protocol.l2.versions import L2Version

_PLACE: Final = Struct("<iii")
_HEADING: Final = Struct("<i")
_BARS: Final = Struct("<ii")
_CHARACTER_HEADING: Final = -20
"""Where it stands in CharInfo: four numbers follow it."""
_CHARACTER_BARS: Final = -53
"""Where the two stand in CharInfo: 45 bytes follow them."""
_NPC_PLACE: Final = 12
"""Where it stands in NpcInfo: three numbers precede it. The heading follows."""


@attrs.define(eq=False)
class Portrait:
    """Messages that describe somebody, whole but for its place and its stamina."""

    raw: bytes
    place_at: int
    """Where x, y and z stand in the first message."""
    heading_at: int
    bars_at: int = 0
    """Where the most stamina stands that it may have, which the client draws as CP, and what it has; 0:
    nowhere."""
    rest: tuple[Body, ...] = ()
    """Messages that follow and change with neither."""
    _now: object = None
    """Of what the messages were made that are kept."""
    _bodies: tuple[Body, ...] = ()

    @classmethod
    def character(cls, message: CharInfo, relation: RelationChanged, version: L2Version) -> Portrait:
        """Somebody who is drawn as a player."""
        raw, begin = _encoded(message, version)
        end = len(raw)
        rest = version.bodies(relation)
        return cls(raw, begin, end + _CHARACTER_HEADING, end + _CHARACTER_BARS, rest)

    @classmethod
    def npc(cls, message: NpcInfo, version: L2Version) -> Portrait:
        """A resident with a model of its own."""
        raw, begin = _encoded(message, version)
        at = begin + _NPC_PLACE
        return cls(raw, at, at + _PLACE.size)

    def at(self, place: Place, stamina: int, most: int) -> tuple[Body, ...]:
        """The messages for somebody who is there, with so much stamina of so much at most. Between two steps
        several come to see it, turn by turn."""
        now = place.x, place.y, place.z, place.heading, stamina, most
        if self._now != now:
            raw = bytearray(self.raw)
            _PLACE.pack_into(raw, self.place_at, place.x, place.y, place.z)
            _HEADING.pack_into(raw, self.heading_at, place.heading)
            if self.bars_at:
                _BARS.pack_into(raw, self.bars_at, max(0, most), max(0, stamina))
            self._now, self._bodies = now, (Body(bytes(raw)), *self.rest)
        return self._bodies


def _encoded(message: CharInfo | NpcInfo, version: L2Version) -> tuple[bytes, int]:
    """The bytes, and where the body begins in them."""
    raw, body = version.encode(message), bytearray()
    message.write(body)
    return raw, len(raw) - len(body)
