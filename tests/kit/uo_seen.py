"""What an Ultima Online client shows of others, of things and of words; numbers that it knows."""

from __future__ import annotations

from typing import Final

import attrs

OFFSETS: Final = ((0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0), (-1, -1))

WORLD_PACKETS: Final = frozenset(
    bytes.fromhex("0B11171A1D20212223242527282D2E2F3C4E4F54556E72777889A1A2A3AAAFBCC8DCE2F3")
)
"""Mean nothing to a client that does not know who it is."""

GROUND: Final = 0xFFFFFFFF
"""Target of 0x08: the ground."""

ANYWHERE: Final = 0xFFFF
"""x and y of 0x08: any place within the container."""


FIRST_SCENERY: Final = 0x7E000000
"""What is sent as items and is none: nobody wears or carries it."""


@attrs.define
class Seen:
    """Somebody as the client sees it. `worn` is (serial, item id, hue) by layer."""

    serial: int
    body: int
    x: int
    y: int
    z: int
    heading: int
    hue: int
    flags: int
    notoriety: int
    worn: dict[int, tuple[int, int, int]] = attrs.field(factory=dict)
    hits: tuple[int, int] = (0, 0)
    """Now, most."""
    poisoned: bool = False
    """By the colour of its bar; clients before 7.0.0.0 see it by its flags."""


@attrs.frozen
class Lying:
    """An item on the ground as the client sees it."""

    serial: int
    item: int
    amount: int
    x: int
    y: int
    z: int
    hue: int


@attrs.define
class Held:
    """What the client shows in its hand, and where it took it from: one of `lay`, `put` and `wore`.

    `dropped`: it has asked to put it down and shows it nowhere until it hears where it is. `updated`: the
    server has said since that it lies on the ground.
    """

    serial: int
    amount: int
    lay: Lying | None = None
    put: tuple[int, int, int] | None = None
    wore: tuple[int, int, tuple[int, int, int]] | None = None
    """Mobile, layer, and what it knew of it."""
    dropped: bool = False
    updated: bool = False


@attrs.frozen
class Line:
    """Words the client shows. `kind` as in the packet: 0 said, 2 emote, 6 label ..."""

    serial: int
    kind: int
    hue: int
    name: str
    text: str


@attrs.frozen
class Window:
    """An open gump."""

    serial: int
    kind: int
    layout: str
    texts: tuple[str, ...]
