"""Logins at the doors of a whole server, and what becomes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from typing import TypeVar

    from protocol.session import Session
    from server.store.records import AccountRow
    from tests.kit.players import EoPlayer, UoPlayer
    from tests.kit.town import Town

    T = TypeVar("T")

FAR = "203.0.113.9"
HOME = "192.0.2.1"
EVERYBODY = ("0.0.0.0/0",)
"""As `limits.exempt`: the number of connections is not what stops them here."""


async def an_account(town: Town, name: str = "anna", access: int = 0) -> AccountRow:
    return await town.app.accounts.staff.create(name, "secret1", access)


def playing(town: Town) -> list[Session]:
    return [session for session in town.app.sessions() if session.mobile is not None]


async def is_kept_out(player: UoPlayer | EoPlayer) -> None:
    """Its way into the world ends somewhere."""
    with pytest.raises((AssertionError, IndexError, OSError)):
        await player.enters("anna", "Anna")
