"""Actors: one small vocabulary for everybody who plays for a test, whatever the game.

    anna = make_actor("uo", town)
    await anna.enters("anna", "Anna")
    for handle in anna.lying():
        await anna.take(handle)

A harness that kills the server, races clients or runs for hours says what people do and asks what they
believe (`tests.kit.actor`); which packets that takes is in a module of each game beside. Nothing sleeps:
whoever waits is woken by what is received (`until`). Actors play wherever `connect` leads: in a server in
memory, or over real sockets.

A *handle* is the number by which a client knows a thing: Ultima Online's are the world's serials, Endless
Online's are its own small numbers, made distinct (`handle_of` translates, for a harness that can see the
world). A further game joins with one class beside, derived from `Actor`, and a line in `ACTORS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.kit.co_actor import CoActor
from tests.kit.eo_actor import EoActor
from tests.kit.eq2_actor import Eq2Actor
from tests.kit.l2_actor import L2Actor
from tests.kit.uo_actor import UoActor
from tests.kit.web_actor import WebActor

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.kit.actor import Actor
    from tests.kit.players import Host

ACTORS: Final[Mapping[str, type[Actor]]] = {
    "uo": UoActor,
    "eo": EoActor,
    "eq2": Eq2Actor,
    "co": CoActor,
    "l2": L2Actor,
    "web": WebActor,
}


def make_actor(game: str, town: Host, *, peer: str = "127.0.0.1") -> Actor:
    """Somebody at a client of that game."""
    return ACTORS[game](town, peer=peer)
