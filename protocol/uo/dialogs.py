"""The world's dialogs as gumps.

Dialogs have one shape: title, text, and the answers below one another. The pictures are those of ServUO's
resurrection gump (Scripts/Gumps/ResurrectGump.cs): background 0xA28, arrow buttons 0xFA5 and 0xFA7; back
0xFAE and 0xFB0, radio buttons 0xD0 and 0xD1, check boxes 0xD2 and 0xD3 (Scripts/Gumps/Props).

What has more pages, or something to fill in, is laid out on several sheets that the client turns by itself.
An input has the number of its place in the dialog; an option's number lies above that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

import attrs

from protocol.uo import parties
from protocol.uo.packets import bodies
from protocol.uo.packets.dialogs import (
    CloseGump,
    Gump,
    GumpAnswer,
    GumpLine,
    PackedGump,
)
from world.dialog import Choice, Number

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping, Sequence

    from protocol.outgoing import Outgoing
    from protocol.uo.figures import Figures
    from protocol.uo.versions import UoVersion
    from world.content import ItemTemplate
    from world.dialog import Line
    from world.events import Asked, Closed
    from world.forms import Given
    from world.mobile import Dialog

    Art = Callable[[ItemTemplate], tuple[int, int]]

_BACKGROUND: Final = 0xA28
_FIELD: Final = 0xBB8
_ARROW, _ARROW_PRESSED = 0xFA5, 0xFA7
_BACK, _BACK_PRESSED = 0xFAE, 0xFB0
_RADIO, _RADIO_ON = 0xD0, 0xD1
_BOX, _BOX_ON = 0xD2, 0xD3
_WIDTH: Final = 400
_INNER: Final = 320
_TEXT_HEIGHT: Final = 120
_LINE: Final = 30
_WARE: Final = 44
"""Height of a line with a picture, as high as most of them are."""
_ROOM: Final = 300
"""Height of what is to be filled in on one sheet."""
_MARGIN: Final = 40

OF_INPUT: Final = 0x10000
"""Numbers of options for each input."""


class Draws(Protocol):
    """A view, as far as it is asked here."""

    figures: Figures


@attrs.define
class _Layout:
    """The commands of a gump, and the texts that they name by their place."""

    parts: list[str]
    lines: list[GumpLine] = attrs.field(factory=list)

    def text(self, words: str) -> int:
        self.lines.append(GumpLine(words))
        return len(self.lines) - 1

    def add(self, command: str) -> None:
        self.parts.append(f"{{ {command} }}")


@attrs.frozen
class _Row:
    """A line of a form: how high it is, and what draws it there."""

    height: int
    draw: Callable[[_Layout, int], None]


def gump_of(dialog: Dialog, version: UoVersion, art: Art) -> Gump | PackedGump:
    """0xDD, or 0xB0 for clients that do not know it. `art` tells picture and hue of a kind of item."""
    form = bool(dialog.more or dialog.inputs)
    layout = _form(dialog, art) if form else _plain(dialog)
    gump = PackedGump if version.packed_gumps else Gump
    return gump(dialog.serial, dialog.type_id, 100, 100, "".join(layout.parts), tuple(layout.lines))


def _plain(dialog: Dialog) -> _Layout:
    below = _MARGIN + _LINE + _TEXT_HEIGHT + 20
    layout = _begun(dialog.title, below + _LINE * len(dialog.buttons) + _MARGIN)
    _page_text(layout, dialog.text)
    _buttons(layout, dialog, below)
    return layout


def _form(dialog: Dialog, art: Art) -> _Layout:
    """All but the last page of text has a sheet of its own; what is to be filled in lies below the last one,
    on as many sheets as it needs, the last of which has the buttons."""
    sheets: list[tuple[str, Sequence[_Row]]] = [(page, ()) for page in dialog.pages[:-1]]
    rows = [row for place in range(len(dialog.inputs)) for row in _rows(dialog, place, art)]
    sheets += [(dialog.pages[-1], part) for part in _parted(rows)]
    tallest = max(sum(row.height for row in rows) for _, rows in sheets)
    top = _MARGIN + _LINE + _TEXT_HEIGHT + 20
    buttons = top + tallest
    height = buttons + _LINE * max(1, len(dialog.buttons)) + _MARGIN
    layout = _begun(dialog.title, height)
    for number, (text, part) in enumerate(sheets, 1):
        layout.add(f"page {number}")
        _page_text(layout, text)
        y = top
        for row in part:
            row.draw(layout, y)
            y += row.height
        if number > 1:
            layout.add(f"button {_WIDTH - _MARGIN - 70} {_MARGIN} {_BACK} {_BACK_PRESSED} 0 {number - 1} 0")
        if number < len(sheets):
            layout.add(f"button {_WIDTH - _MARGIN - 30} {_MARGIN} {_ARROW} {_ARROW_PRESSED} 0 {number + 1} 0")
        else:
            _buttons(layout, dialog, buttons)
    return layout


def _parted(rows: Sequence[_Row]) -> list[list[_Row]]:
    """Rows in parts that fit a sheet; one empty part, if there are none."""
    parts: list[list[_Row]] = [[]]
    for row in rows:
        if parts[-1] and sum(one.height for one in parts[-1]) + row.height > _ROOM:
            parts.append([])
        parts[-1].append(row)
    return parts


def _rows(dialog: Dialog, place: int, art: Art) -> list[_Row]:
    question = dialog.inputs[place]

    def prompt(layout: _Layout, y: int) -> None:
        layout.add(f"text {_MARGIN} {y} 0 {layout.text(question.prompt)}")

    given = dialog.draft.values.get(question.key)
    if not isinstance(question, Choice):
        words = str(given) if given is not None else _beginning(question)
        return [_Row(_LINE, prompt), _Row(_LINE, _entry(place, question, words))]
    rows = [_Row(_LINE, prompt)]
    marked = given if isinstance(given, tuple) else ()
    kind, off, on = ("checkbox", _BOX, _BOX_ON) if question.several else ("radio", _RADIO, _RADIO_ON)
    for option in question.options:
        number = OF_INPUT * (place + 1) + option.number

        def draw(
            layout: _Layout,
            y: int,
            words: str = option.words,
            thing: ItemTemplate | None = option.thing,
            end: str = f"{int(option.number in marked)} {number}",
        ) -> None:
            if not question.several:
                layout.add(f"group {place + 1}")
            layout.add(f"{kind} {_MARGIN} {y} {off} {on} {end}")
            left = _MARGIN + 30
            if thing is not None:
                picture, hue = art(thing)
                drawn = f"{left} {y} {picture}"
                layout.add(f"tilepichue {drawn} {hue}" if hue else f"tilepic {drawn}")
                left += _WARE
            layout.add(f"text {left} {y} 0 {layout.text(words)}")

        rows.append(_Row(_WARE if option.thing is not None else _LINE, draw))
    return rows


def _entry(place: int, question: Number | Line, words: str) -> Callable[[_Layout, int], None]:
    def draw(layout: _Layout, y: int) -> None:
        layout.add(f"resizepic {_MARGIN} {y} {_FIELD} {_INNER} 25")
        layout.add(f"textentry {_MARGIN + 5} {y + 3} {_INNER - 10} 20 0 {place} {layout.text(words)}")

    return draw


def _beginning(question: Number | Line) -> str:
    return str(question.start) if isinstance(question, Number) and question.start is not None else ""


def _begun(title: str, height: int) -> _Layout:
    layout = _Layout(["{ page 0 }", f"{{ resizepic 0 0 {_BACKGROUND} {_WIDTH} {height} }}"])
    layout.add(f"croppedtext {_MARGIN} {_MARGIN} {_INNER} 20 0 {layout.text(title)}")
    return layout


def _page_text(layout: _Layout, text: str) -> None:
    layout.add(
        f"htmlgump {_MARGIN} {_MARGIN + _LINE} {_INNER} {_TEXT_HEIGHT} {layout.text(text)} 1 1",
    )


def _buttons(layout: _Layout, dialog: Dialog, below: int) -> None:
    for place, button in enumerate(dialog.buttons):
        y = below + _LINE * place
        layout.add(f"button {_MARGIN} {y} {_ARROW} {_ARROW_PRESSED} 1 0 {button.number}")
        layout.add(f"text {_MARGIN + 40} {y} 0 {layout.text(button.label)}")


def filled_in(dialog: Dialog, packet: GumpAnswer) -> Mapping[str, Given]:
    """Values of the dialog's inputs, by their keys, as an answer gives them."""
    typed = {entry.number: entry.text for entry in packet.entries}
    given: dict[str, Given] = {}
    for place, question in enumerate(dialog.inputs):
        if isinstance(question, Choice):
            switches = [one % OF_INPUT for one in packet.switches if one // OF_INPUT == place + 1]
            given[question.key] = switches
        else:
            given[question.key] = typed.get(place, "")
    return given


def asked(view: Draws, event: Asked, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
    """0xDD or 0xB0: a gump with buttons; 0xBF 0x06 for who is asked into a party."""
    if parties.is_invite(event.dialog):
        return bodies(*parties.asked(event.dialog))
    return bodies(gump_of(event.dialog, version, view.figures.picture))


def closed(view: Draws, event: Closed, audience: Hashable, version: UoVersion) -> Sequence[Outgoing]:
    """0xBF 4 closes the gump; 0xBF 0x06 takes back what was asked for a party."""
    if parties.is_invite(event.dialog):
        return bodies(*parties.withdrawn(event.thing))
    return bodies(close(event.dialog))


def close(dialog: Dialog) -> CloseGump:
    """0xBF.04: take it off the screen."""
    return CloseGump(dialog.type_id, 0)
