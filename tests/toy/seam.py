"""The toy put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from protocol.family import Door, Family, Transport

from .codec import ToyCodec
from .handlers import TABLE
from .packets import Say
from .view import ToyView

if TYPE_CHECKING:
    from protocol.session import Session
    from world.content import Content


def family(content: Content) -> Family:
    """The game for one world's content."""
    return Family("toy", {"game": Door(Transport.STREAM, ToyCodec, TABLE)}, ToyView(), goodbye)


def goodbye(session: Session, reason: str) -> None:
    """Say why it ends."""
    session.send(Say(reason.encode()))
