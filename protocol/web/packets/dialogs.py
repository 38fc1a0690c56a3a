"""Questions of the world, and the answers."""

from __future__ import annotations

from collections.abc import Sequence  # noqa: TC003 # cattrs reads the annotations

import attrs

from protocol.web.packets.base import SERIAL, Message, message, text, whole
from protocol.web.packets.people import Appearance  # noqa: TC001 # cattrs reads the annotations
from protocol.web.packets.talk import LONGEST_WORDS


@attrs.frozen
class Filled:
    """The answer to one input: the numbers of the options chosen, or what was typed."""

    key: str = text(64)
    chosen: Sequence[int] = ()
    text: str = text(LONGEST_WORDS, default="")


@message("answer")
class Answer(Message):
    """The button pressed in a dialog, and what was filled in; 0 closes it."""

    serial: int = whole(0, SERIAL)
    button: int = whole(0, 0x7FFF_FFFF)
    filled: Sequence[Filled] = ()


@attrs.frozen
class Choice:
    """A button of a dialog."""

    number: int
    label: str


@attrs.frozen
class Offer:
    """An option. Of a ware there is a picture, and its price in gold, which the label says too."""

    number: int
    label: str
    look: Appearance | None = None
    price: int = 0
    chosen: bool = False


@attrs.frozen
class Blank:
    """An input to be filled in: one option (`choice`), any of them (`several`), a `number` or a `line`."""

    key: str
    prompt: str
    kind: str
    options: Sequence[Offer] = ()
    least: int = 0
    """The lowest number, or the fewest letters."""
    most: int = 0
    start: str = ""


@message("ask")
class Ask(Message):
    """The world asks a question."""

    serial: int
    title: str
    text: str
    buttons: Sequence[Choice]
    asker: int = 0
    more: Sequence[str] = ()
    """Pages behind the text."""
    inputs: Sequence[Blank] = ()


@message("close")
class Close(Message):
    """It takes the question back."""

    serial: int
