"""The world's dialogs as gumps.

One shape for all: title, text, and the answers below one another. The pictures are those of ServUO's
resurrection gump (Scripts/Gumps/ResurrectGump.cs): background 0xA28, arrow buttons 0xFA5 and 0xFA7.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.uo.packets.gumps import CloseGump, Gump, GumpLine, PackedGump

if TYPE_CHECKING:
    from protocol.uo.dialect import UoDialect
    from world.dialog import Dialog

_BACKGROUND: Final = 0xA28
_ARROW, _ARROW_PRESSED = 0xFA5, 0xFA7
_WIDTH: Final = 400
_TEXT_HEIGHT: Final = 120
_LINE: Final = 30
_MARGIN: Final = 40


def gump_of(dialog: Dialog, dialect: UoDialect) -> Gump | PackedGump:
    """0xDD, or 0xB0 for clients that do not know it."""
    top = _MARGIN + _LINE
    below = top + _TEXT_HEIGHT + 20
    height = below + _LINE * len(dialog.buttons) + _MARGIN
    inner = _WIDTH - 2 * _MARGIN
    parts = [
        "{ page 0 }",
        f"{{ resizepic 0 0 {_BACKGROUND} {_WIDTH} {height} }}",
        f"{{ croppedtext {_MARGIN} {_MARGIN} {inner} 20 0 0 }}",
        f"{{ htmlgump {_MARGIN} {top} {inner} {_TEXT_HEIGHT} 1 1 1 }}",
    ]
    lines = [GumpLine(dialog.title), GumpLine(dialog.text)]
    for place, button in enumerate(dialog.buttons):
        y = below + _LINE * place
        parts.append(f"{{ button {_MARGIN} {y} {_ARROW} {_ARROW_PRESSED} 1 0 {button.number} }}")
        parts.append(f"{{ text {_MARGIN + 40} {y} 0 {len(lines)} }}")
        lines.append(GumpLine(button.label))
    gump = PackedGump if dialect.packed_gumps else Gump
    return gump(dialog.serial, dialog.type_id, 100, 100, "".join(parts), tuple(lines))


def close(dialog: Dialog) -> CloseGump:
    """0xBF.04: take it off the screen."""
    return CloseGump(dialog.type_id, 0)
