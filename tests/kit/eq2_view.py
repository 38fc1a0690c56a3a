"""What the tests of the view of EverQuest II ask of a viewer."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from protocol.eq2.packets import Message
    from tests.kit.eq2_screen import Client

M = TypeVar("M")


def heard(client: Client) -> list[Message]:
    """What came since it was asked last."""
    got, client.screen.got = client.screen.got, []
    return got


def only(kind: type[M], messages: list[Message]) -> M:
    assert [type(message) for message in messages] == [kind]
    (message,) = messages
    assert isinstance(message, kind)
    return message
