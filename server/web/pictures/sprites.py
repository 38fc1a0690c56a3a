"""Parts of a tile's picture: for each shape a function that draws it, and the relations among shapes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from server.web.pictures.brush import Brush
from server.web.pictures.buildings import BUILDINGS
from server.web.pictures.furniture import FURNITURE
from server.web.pictures.grounds import FLOORS, SOFT
from server.web.pictures.plants import PLANTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from server.web.pictures.brush import Drawing, Sprite, Stamp

COVERING: Final = frozenset({"fountain", "fountain_middle", "roof", "eaves"})
"""Nothing is seen of the ground below these."""

GOES_ON: Final[Mapping[str, frozenset[str]]] = {
    "fountain": frozenset({"fountain", "fountain_middle"}),
    "roof": frozenset({"roof", "eaves"}),
    "eaves": frozenset({"roof", "eaves"}),
    "door": frozenset({"roof", "eaves"}),
}
"""Shapes that are one with shapes of another name beside them."""

DRAWN: Final[Mapping[str, Drawing]] = {
    **{shape: soft.detail for shape, soft in SOFT.items()},
    **FLOORS,
    **PLANTS,
    **FURNITURE,
    **BUILDINGS,
}
"""How each shape is drawn: what a game may say of a tile (`protocol.page.Page.tile`), and `rock_face`."""


def _plain(brush: Brush) -> None:
    """A shape that nobody here knows: a block."""
    brush.cast_box(4, 5, 14.5, 14.5)
    brush.pane(2.5, 2.5, 13.5, 13.5, brush.colour)


def draw(stamp: Stamp) -> Sprite:
    """The sprite of a stamp. A shape that nobody here knows is a block."""
    brush = Brush(stamp)
    DRAWN.get(stamp.shape, _plain)(brush)
    return brush.sprite()
