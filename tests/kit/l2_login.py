"""Blocks of the login door of Lineage II, and clients that have logged in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.l2.packets import LoginOk

if TYPE_CHECKING:
    from tests.kit.l2_desk import Desk, Player


def block(name: bytes, password: bytes, at: int = 0x6C) -> bytes:
    """What a client enciphers, with the password at one of the places where clients have it."""
    made = bytearray(128)
    made[0x5E : 0x5E + len(name)] = name
    made[at : at + len(password)] = password
    return bytes(made)


async def in_menu(desk: Desk, name: str = "alric") -> tuple[Player, LoginOk]:
    """A client that shows the licence."""
    player = await desk.logged_in(name)
    return player, player.only(LoginOk)
