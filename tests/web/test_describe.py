"""The page of `causeway packets web`."""

from __future__ import annotations

import pytest

from protocol.web.packets import CLIENT_PACKETS, SERVER_PACKETS
from protocol.web.packets.describe import OBJECTS, documents


@pytest.fixture(scope="module")
def page() -> str:
    return "\n".join(documents())


def test_every_message_has_a_section(page: str) -> None:
    titles = [line.removeprefix("### ") for line in page.splitlines() if line.startswith("### ")]
    assert titles == [
        *(f"{cls.tag} (from the client)" for cls in CLIENT_PACKETS),
        *(f"{cls.tag} (from the server)" for cls in SERVER_PACKETS),
        *(f"{cls.__name__} (object)" for cls in OBJECTS),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "| account | text of at most 64 |  |  |",
        "| heading | 0 to 7 |  |  |",
        "| run | true or false | false |  |",
        "| amount | 0 to 2147483647 | 0 | 0: all of it. |",
        "| look | Appearance or null | null |  |",
        "| moves | list of list of whole number |  |  |",
        "| things | list of Belonging |  |  |",
        "| online | object of whole number by name |  |  |",
        "| version | whole number | 1 | Of this protocol. |",
        "Face another way.",
    ],
)
def test_what_a_field_is_is_told(page: str, line: str) -> None:
    assert line in page.splitlines()
