"""A merchant and a banker for Lineage II's clients."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import attrs

from tests.kit.in_memory import shipped_content
from tests.kit.l2_desk import small_content
from tests.kit.worlds import BAKER
from world.content import Resident
from world.offers import Offers, Shop, Ware

if TYPE_CHECKING:
    from protocol.l2.packets import NpcHtmlMessage
    from world.content import Content

SHOP = Shop(
    (
        Ware("bread", 4, stock=20, restock=60.0),
        Ware("dagger", 30),
        Ware("torch", 8),
        Ware("lantern", 12),
    ),
    {"bread": 2, "dagger": 15, "apple": 2},
)
"""The last two look alike to this game's client."""


@cache
def market_content() -> Content:
    """The small content, where there is a baker, too."""
    return with_baker(small_content())


def with_baker(content: Content) -> Content:
    """A content with one more kind of people."""
    baker = attrs.evolve(BAKER, offers=Offers(SHOP), look=content.mobiles["crier"].look)
    return attrs.evolve(content, mobiles={**content.mobiles, "baker": baker})


@cache
def shipped_with_counters() -> Content:
    """The shipped content, with a baker and a banker where newcomers begin."""
    content = with_baker(shipped_content())
    chart = content.charts[content.start_realm]
    x, y = chart.spawns[0]
    more = (Resident("baker", x + 1, y), Resident("banker", x - 1, y))
    chart = attrs.evolve(chart, residents=(*chart.residents, *more))
    return attrs.evolve(content, charts={**content.charts, content.start_realm: chart})


def links_of(page: NpcHtmlMessage) -> dict[str, str]:
    """The bypasses of a page by their label."""
    found = re.findall(r'<a action="bypass -h ([^"]*)">([^<]*)</a>', page.html)
    return {label: bypass for bypass, label in found}
