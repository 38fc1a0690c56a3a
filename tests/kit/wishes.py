"""Whose wishes are said in which way: the wishes (`tests.kit.wish`) of each game."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.kit.co_wishes import CoWishes
from tests.kit.eo_wishes import EoWishes
from tests.kit.eq2_wishes import Eq2Wishes
from tests.kit.l2_wishes import L2Wishes
from tests.kit.uo_wishes import UoWishes
from tests.kit.web_wishes import WebWishes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.kit.wish import Wishes

WISHES: Final[Mapping[str, type[Wishes]]] = {
    "uo": UoWishes,
    "eo": EoWishes,
    "eq2": Eq2Wishes,
    "co": CoWishes,
    "l2": L2Wishes,
    "web": WebWishes,
}
"""By game."""
