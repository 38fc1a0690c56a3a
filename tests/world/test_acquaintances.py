"""Lists of friends and of those who are ignored, as dialogs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.guilds import member, newest, press, town
from world import acquaintances, friends, ignoring
from world.events import Said
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from world.mobile import Mobile
    from world.world import World


def heard(world: World) -> list[str]:
    """Lines that were told since this was asked last."""
    return [event.text for event in world.take_changes().events if isinstance(event, Said)]


@pytest.mark.parametrize(
    ("show", "listed", "here"),
    [
        (acquaintances.show_friends, friends.friends_of, "Berta (here); Carl"),
        (acquaintances.show_ignored, ignoring.ignored_by, "Berta; Carl"),
    ],
)
def test_names_are_put_on_a_list_and_taken_off(
    show: Callable[[Mobile], None], listed: Callable[[Mobile], Mapping[int, str]], here: str
) -> None:
    world, _ = town()
    anna, berta, carl = (member(world, name, gold=0) for name in ("Anna", "Berta", "Carl"))
    carl.online = False
    show(anna)
    for name in ("Berta", "Carl"):
        form = press(anna, acquaintances.ADD)
        assert form is not None
        press(anna, 1, name=name)
    assert [*listed(anna)] == [berta.serial, carl.serial]
    shown = newest(anna)
    assert shown is not None
    assert shown.text == here
    # What cannot be done is told, and the list is there again.
    world.take_changes()
    press(anna, acquaintances.ADD)
    press(anna, 1, name="Nobody")
    assert heard(world) == [friends.NOBODY]
    shown = newest(anna)
    assert shown is not None
    assert shown.text == here
    press(anna, acquaintances.REMOVE)
    with pytest.raises(Cannot) as caught:
        press(anna, 1, name=[3])
    assert caught.value.why is Refusal.UNFIT
    press(anna, 1, name=[1])
    assert [*listed(anna)] == [carl.serial]
    press(anna, acquaintances.REMOVE)
    press(anna, 1, name=[1])
    assert not listed(anna)
    last = newest(anna)
    assert last is not None
    assert [button.number for button in last.buttons] == [acquaintances.ADD, 0]
    assert press(anna, 0) is None
