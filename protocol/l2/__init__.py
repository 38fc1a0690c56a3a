"""Lineage II: the client of Interlude (protocol 746, login protocol c621).

`GAME` is all that is known of it elsewhere; `seam.py` puts everything together. Clients log in at one door
(`handlers.login`) and are sent on to the other, where opcodes are those of a profile (data/l2/<protocol>).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.background import Service
from protocol.game import Game
from protocol.l2 import bridge_settings
from protocol.l2.listener import L2Listener

if TYPE_CHECKING:
    from collections.abc import Iterator

    from protocol.background import Background, Backstage
    from protocol.family import Family
    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    from protocol.l2.seam import family as make

    return make(content)


def make_bridge(stage: Backstage) -> Background:
    """Make the service that joins its login server and its worlds."""
    from protocol.l2.bridge.service import Bridge

    return Bridge(stage)


def documents(content: Content) -> Iterator[str]:
    """Describe its packets, in sections of Markdown."""
    from protocol.l2.packets import CATALOGUE
    from protocol.l2.packets.describe import documents as describe
    from protocol.l2.versions import L2Versions

    yield "# Packets of Lineage II"
    yield from describe(L2Versions.from_content(content, CATALOGUE).newest)


GAME: Final = Game(
    name="l2",
    title="Lineage II",
    listener=L2Listener,
    family=family,
    background=Service(bridge_settings.contradictions, bridge_settings.sockets, make_bridge),
    login_door="login",
    documents=documents,
)
