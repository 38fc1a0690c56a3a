"""R-27, R-65: kill -9 at random moments while people play, round after round over one database."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.kit.besieged import GAMES
from tests.kit.diary import Diary
from tests.kit.hunting import Bag, Hunt
from tests.kit.killing import Siege
from tests.kit.town import shipped_content

if TYPE_CHECKING:
    from collections.abc import Sequence

PLAYED = [f"{game} {deed}" for game in GAMES for deed in ("step", "take", "drop", "put_on")]
PLAYED += ["uo give", "eo give", "eq2 gesture", *(f"{game} hunt" for game in GAMES)]


def test_r27_a_diary_allows_what_was_not_promised_away() -> None:
    diary = Diary("anna", 1, (0, 0))
    for _ in range(3):
        diary.goes()
    assert diary.allows((2, 0))
    diary.note((3, 0))
    assert all(diary.allows((x, 0)) for x in range(4)), "any place on the way there may be the stored one"
    assert not diary.allows((5, 0))
    diary.promised(diary.mark())
    assert diary.allows((3, 0))
    assert not diary.allows((2, 0))


def test_r27_between_two_ends_of_a_step_lies_nothing() -> None:
    diary = Diary("anna", 1, (0, 0))
    diary.goes()
    assert diary.allows((0, 1))
    diary.note((1, 0))
    assert diary.allows((0, 0))
    assert diary.allows((1, 0))
    assert not diary.allows((0, 1))


@pytest.mark.parametrize(
    ("kills", "gained", "gold", "fault"),
    [
        (0, 0, 0, ""),
        (2, 300, 7, ""),
        (0, 150, 0, "0 killed, and 150 experience"),
        (2, 0, 7, "2 killed, and 0 experience"),
        (1, 150, 9, "1 killed, and 9 gold left by them"),
        (2, 300, 3, "2 killed, and 3 gold left by them"),
        (0, 0, -5, "0 killed, and -5 gold left by them"),
    ],
)
def test_r27_what_was_killed_left_and_learned_belongs_together(
    monkeypatch: pytest.MonkeyPatch, kills: int, gained: int, gold: int, fault: str
) -> None:
    hunt = Hunt(shipped_content())
    hunt.bag = Bag(5, 1000)
    monkeypatch.setattr(hunt, "look", lambda path: Bag(5 + kills, 1000 + gained))
    total, now = Counter(gold=100), Counter(gold=100 + gold, corpse=kills)
    assert hunt.verdict(Path(), total, now) == ([fault] if fault else [])
    assert total["corpse"] == kills


async def besiege(folder: Path, seed: int, rounds: int, played: Sequence[str] = PLAYED) -> None:
    siege = Siege(folder, seed)
    for number in range(rounds):
        wrong = await siege.round(number)
        assert wrong == [], f"seed {seed}, round {number}; its files: {siege.keep(folder)}"
    # They did play: else nothing could have gone wrong.
    for deed in ("enter", "arrive", "promise", "hand over", "hand over and log out", *played):
        assert siege.deeds[deed] > 0, siege.deeds
    assert siege.deeds["kill"] >= rounds, siege.deeds
    assert siege.deeds["moved"] > 10 * rounds, siege.deeds


async def test_r27_three_kills_leave_a_whole_world_each_time(tmp_path: Path) -> None:
    """Of ten and of two hundred, which `make soak` has."""
    await besiege(tmp_path, 1, 3, [f"{game} {deed}" for game in GAMES for deed in ("step", "take", "drop")])


@pytest.mark.soak
@pytest.mark.timeout(300)
async def test_r27_ten_kills_leave_a_whole_world_each_time(tmp_path: Path) -> None:
    await besiege(tmp_path, 1, 10)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 110))
async def test_r27_two_hundred_kills(tmp_path: Path, seed: int) -> None:
    await besiege(tmp_path, seed, 20)
