"""Refusals and unmet wishes: what the client has a text of its own for, and what stays a line of words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pytest

from protocol.l2.packets import SystemMessage
from protocol.refusals import tell_refusal
from protocol.wishes import Wish, tell
from tests.kit.l2_scene import Scene
from tests.kit.l2_shown import OWN_TEXTS
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from tests.kit.l2_scene import Client

LINE: Final = 614
"""The text that takes any words."""

DROPPING: Final = 151
"""Sent by the handler that knows that something is dropped."""


@pytest.fixture
def scene() -> Scene:
    return Scene()


@pytest.fixture
def alric(scene: Scene) -> Client:
    client = scene.client("Alric", 20, 20)
    scene.turn()
    client.heard()
    client.screen.notices.clear()
    return client


def tell_of(client: Client, why: Refusal | Wish) -> None:
    if isinstance(why, Wish):
        tell(client.session, why)
    else:
        tell_refusal(client.mobile, Cannot(why))


@pytest.mark.parametrize("why", [*Refusal, *Wish], ids=str)
def test_each_is_told_once_and_means_what_it_says(scene: Scene, alric: Client, why: Refusal | Wish) -> None:
    tell_of(alric, why)
    scene.turn()
    assert [*filter(None, alric.screen.lines())] == [why.value]
    assert alric.screen.faults == []
    ((number, _),) = alric.screen.notices
    own = (text for text, meaning in OWN_TEXTS.items() if meaning is why and text != DROPPING)
    assert number == next(own, LINE)


@pytest.mark.parametrize("why", [Refusal.FULL, Refusal.USELESS])
def test_words_that_say_more_than_the_reason_are_kept(scene: Scene, alric: Client, why: Refusal) -> None:
    tell_refusal(alric.mobile, Cannot(why, "They have no room for that."))
    scene.turn()
    (notice,) = alric.heard()
    assert isinstance(notice, SystemMessage)
    assert notice.message_id == LINE
    assert notice.parameters[0].value == "They have no room for that."


def test_nobody_is_told_twice(scene: Scene, alric: Client) -> None:
    tell_refusal(alric.mobile, Cannot(Refusal.GAGGED, told=True))
    for _ in range(3):
        tell(alric.session, Wish.ANIMALS)
    scene.turn()
    assert [*filter(None, alric.screen.lines())] == [Wish.ANIMALS.value]
