"""The sky over a client, as it is when it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protocol.co.figures import Figures
    from protocol.co.session import CoSession


class Sky:
    """The weather: bound, because at night it is of the hour as well, and of where somebody is by then."""

    __slots__ = ("_figures",)
    droppable = False

    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def bind(self, session: CoSession) -> bytes:
        """The packet; nothing for who plays nobody."""
        mobile = session.mobile
        return b"" if mobile is None else self._figures.weather(mobile).encode(session.dialect)
