"""What the tests of the view of Lineage II ask of a viewer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2.packets import SystemMessage
from world import holding

if TYPE_CHECKING:
    from tests.kit.l2_scene import Client, Scene
    from world.item import Item
    from world.mobile import Mobile


def kinds(client: Client) -> list[type]:
    return [type(message) for message in client.heard()]


def goal(client: Client, mobile: Mobile) -> tuple[object, ...] | None:
    """Where a client draws somebody going to."""
    return client.screen.everybody()[mobile.serial].goal


def lines(client: Client) -> list[str]:
    """The server's own words among what came."""
    return [
        str(message.parameters[0].value) for message in client.heard() if isinstance(message, SystemMessage)
    ]


def pack_of(scene: Scene, client: Client) -> Item:
    pack = holding.make(scene.world, "backpack", stored=False)
    holding.wear(client.mobile, pack)
    scene.world.register(pack)
    return pack
