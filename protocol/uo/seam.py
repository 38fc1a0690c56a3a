"""Ultima Online put together: the one record that a server with a world works with."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

from protocol.family import Door, Family, Transport
from protocol.kept import Kept
from protocol.uo.carrying import CARRYING
from protocol.uo.codec import make_codec
from protocol.uo.figures import Figures
from protocol.uo.handlers import TABLE
from protocol.uo.handlers.talk import COMMAND_PREFIXES
from protocol.uo.looks import compile_looks
from protocol.uo.packets import SERVER_PACKETS
from protocol.uo.places import read_places
from protocol.uo.requests import requests
from protocol.uo.scenery import UoScenery
from protocol.uo.session import UoSession
from protocol.uo.view import UoView
from protocol.uo.words import system_message

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from world.content import Content


_SCENERY: Final = Kept[UoScenery](most=2)
"""Of the last contents. It takes a tenth of a second to make, and a third to find what differs."""

_NAMES: Final = {cls.opcode: cls.__name__ for cls in reversed(SERVER_PACKETS)}
"""Names of the server's packets; of several layouts the first counts."""


def family(content: Content) -> Family:
    """Ultima Online with the looks and realms of `content`. Raises LookError with all mistakes in them."""
    figures, scenery = _made_of(content)
    view = UoView(figures, scenery)
    return Family.of(
        "uo",
        {"game": Door.of(Transport.STREAM, make_codec, TABLE, UoSession)},
        view,
        _goodbye,
        problems=tuple(scenery.problems),
        requests=requests,
        name_of=lambda _, message: _NAMES[message[0]],
        order_sign=COMMAND_PREFIXES[0],
        carrying=CARRYING,
        renew=partial(renewed, view),
    )


def renewed(view: UoView, fresh: UoView) -> Callable[[Sequence[UoSession]], None]:
    """See Family."""
    scenery = fresh.scenery.following(view.scenery)

    def adopt(sessions: Sequence[UoSession]) -> None:
        view.figures, view.places = fresh.figures, fresh.places
        if view.scenery is not scenery:
            view.scenery = scenery
            for session in sessions:
                view.scenery.replace(session)

    return adopt


@lru_cache(maxsize=2)
def _made_of(content: Content) -> tuple[Figures, UoScenery]:
    """All that follows from the content alone and is only read: tests make hundreds of servers with one
    content, and the scenery is thousands of pieces. Raises LookError."""
    places = read_places(content.charts.values())
    figures = Figures(compile_looks(content), places)
    drawings = (part for chart in content.charts.values() for part in chart.drawing)
    return figures, _SCENERY.of((*drawings, *content.tiles.values()), partial(UoScenery.of, content, figures))


def _goodbye(session: UoSession, reason: str) -> None:
    """A line on the player's screen; a client that is not in the world has nowhere to show one."""
    if session.mobile is not None:
        session.send(system_message(reason))
