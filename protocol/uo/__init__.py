"""Ultima Online, for clients from 5.0.9 to the newest of the 7.0.x line, encrypted or not.

`family` is all the server needs. Start reading at `packets/motion.py`, then `handlers/motion.py`, then
`view.py`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final, cast

from protocol.family import Door, Family, Transport
from protocol.game import Game
from protocol.tables import LookError
from protocol.uo.codec import make_codec
from protocol.uo.figures import Appearance
from protocol.uo.handlers import TABLE
from protocol.uo.looks import compile_looks
from protocol.uo.packets import SERVER_PACKETS
from protocol.uo.requests import requests
from protocol.uo.scenery import UoScenery
from protocol.uo.session import UoSession
from protocol.uo.view import UoView, system_message

if TYPE_CHECKING:
    from protocol.dispatch import Table
    from protocol.session import Session
    from world.content import Content


_NAMES: Final = {cls.opcode: cls.__name__ for cls in reversed(SERVER_PACKETS)}
"""What the server's packets are called; of several layouts the first counts."""

PLACE: Final = frozenset({"map", "x", "y"})
"""What the atlas has to say of a realm."""


def family(content: Content) -> Family:
    """Ultima Online with the looks and realms of `content`. Raises LookError with all mistakes in them."""
    charts = content.charts.items()
    nowhere = [name for name, chart in charts if not chart.place("uo").keys() >= PLACE]
    if nowhere:
        raise LookError([f"realms/{name}.toml: atlas.uo: needs map, x and y" for name in nowhere])
    appearance, scenery = _made_of(content)
    return Family(
        name="uo",
        doors={
            "game": Door(
                transport=Transport.STREAM,
                codec=make_codec,
                table=cast("Table[Session]", TABLE),
                session=UoSession,
            )
        },
        view=UoView(appearance, scenery),
        goodbye=_goodbye,
        problems=tuple(scenery.problems),
        requests=requests,
        name_of=lambda _, message: _NAMES[message[0]],
    )


@lru_cache(maxsize=2)
def _made_of(content: Content) -> tuple[Appearance, UoScenery]:
    """What follows from the content alone and is only read: tests make hundreds of servers with one content,
    and the scenery is thousands of pieces."""
    appearance = Appearance(compile_looks(content), iter(content.charts.values()))
    return appearance, UoScenery(content, appearance)


def _goodbye(session: Session, reason: str) -> None:
    """A line on the player's screen; a client that is not in the world has nowhere to show one."""
    if session.mobile is not None:
        session.send(system_message(reason))


GAME: Final = Game(name="uo", title="Ultima Online", family=family)
