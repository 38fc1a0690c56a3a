"""Bytes of Conquer Online as the sheets write them down, and what came of some kinds of packets."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from protocol.co.versions import CoVersion

if TYPE_CHECKING:
    from protocol.co.packets import Message
    from tests.kit.co_desk import Player

VERSIONS: Final = pytest.mark.parametrize("version", list(CoVersion))


def u16(number: int) -> str:
    """Two bytes, as hex."""
    return number.to_bytes(2, "little").hex()


def u32(number: int) -> str:
    """Four bytes, as hex."""
    return number.to_bytes(4, "little").hex()


def name16(text: str) -> str:
    """A name in its sixteen bytes, as hex."""
    return text.encode().ljust(16, b"\0").hex()


def told(player: Player, *kinds: type[Message]) -> list[str]:
    """Packets of these kinds that came, as hex; all that came counts no more."""
    types = {kind.type.to_bytes(2, "little") for kind in kinds}
    found = [raw.hex() for raw in player.raw if raw[2:4] in types]
    player.raw.clear()
    player.got.clear()
    return found
