"""The games that have bots. A further game joins with its file and a row here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from server.bots.co import Co5065Bot, CoBot
from server.bots.eo import EoBot
from server.bots.eq2 import Eq2Bot
from server.bots.l2 import L2Bot
from server.bots.uo import EncryptedUoBot, UoBot
from server.bots.web import WebBot

if TYPE_CHECKING:
    from collections.abc import Mapping

    from server.bots.bot import Bot

BOTS: Final[Mapping[str, type[Bot]]] = {
    "uo": UoBot,
    "eo": EoBot,
    "uo-encrypted": EncryptedUoBot,
    "eq2": Eq2Bot,
    "co": CoBot,
    "co_5065": Co5065Bot,
    "l2": L2Bot,
    "web": WebBot,
}
"""By the name one asks for them."""
