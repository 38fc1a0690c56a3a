"""The square of six games (`tests/scenes/test_square.py`) with an edge between clients and world.

Who only looks, speaks and stands there does it all on one square here, scene after scene: to bring twelve
clients in is most of what each of them costs. Whoever comes and goes does so on a square of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit import split
from tests.scenes import test_square as scenes
from tests.scenes.conftest import happened as happened
from tests.scenes.conftest import town as town
from tests.scenes.test_square import square as square

if TYPE_CHECKING:
    from trio.testing import MockClock

    from tests.kit.square import Square

ON_ONE_SQUARE = (
    scenes.test_all_see_each_other_by_name_and_where_they_are,
    scenes.test_words_for_one_and_words_for_all,
    scenes.test_who_whispers_to_nobody_is_told_so,
    scenes.test_all_see_gestures,
    scenes.test_all_see_who_sits_down_and_who_stands_up,
    scenes.test_all_see_each_others_steps,
    scenes.test_all_see_wounds,
    scenes.test_who_dies_and_rises_is_seen_to,
    scenes.test_who_is_put_elsewhere_is_gone_for_all_and_shown_what_is_there,
)
"""In this order: some of them ask for all that was heard, or seen, so far."""

test_all_hear_each_other = scenes.test_all_hear_each_other_and_know_who_speaks_and_how
test_things_go_from_hand_to_hand = scenes.test_things_go_from_hand_to_hand_over_the_ground
test_who_leaves_comes_again = scenes.test_who_leaves_is_gone_for_all_and_comes_again
test_who_loses_the_line_comes_back = scenes.test_who_loses_the_line_comes_back_to_where_it_was
test_the_newest_login_wins = scenes.test_the_newest_login_wins
test_one_character_from_one_game_after_the_other = (
    scenes.test_one_character_is_played_from_one_game_after_the_other
)


@pytest.fixture(autouse=True)
def _split(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(split.SWITCH, "1")


async def test_all_see_and_hear_one_another(square: Square, autojump_clock: MockClock) -> None:
    for scene in ON_ONE_SQUARE:
        await scene(square, autojump_clock)


def test_no_scene_is_forgotten() -> None:
    played = {*ON_ONE_SQUARE, *(it for name, it in globals().items() if name.startswith("test_"))}
    told = {it for name, it in vars(scenes).items() if name.startswith("test_")}
    assert told - played == {scenes.test_there_are_two_of_each_game}
