"""R-27, R-65: kill -9 at random moments while people play, round after round over one database."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.kit.besieged import GAMES, Person
from tests.kit.diary import Diary
from tests.kit.hunting import Bag, Hunt
from tests.kit.killing import Siege
from tests.kit.market import TOLD, Estate, Market, estate, write_estate
from tests.kit.town import shipped_content

if TYPE_CHECKING:
    from collections.abc import Sequence

PLAYED = [f"{game} {deed}" for game in GAMES for deed in ("step", "take", "drop", "put_on")]
PLAYED += [f"{game} {deed}" for game in GAMES for deed in TOLD]
PLAYED += ["uo give", "eo give", "eq2 gesture", *(f"{game} hunt" for game in GAMES)]

PATIENCE = 3
"""Times as many rounds as asked for, at most."""


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
    hunt.bag = Bag(Counter(giant_rat=5), 1000)
    monkeypatch.setattr(hunt, "look", lambda path: Bag(Counter(giant_rat=5 + kills), 1000 + gained))
    total, now = Counter(gold=100), Counter(gold=100 + gold, corpse=kills)
    assert hunt.verdict(Path(), total, now) == ([fault] if fault else [])
    assert total["corpse"] == kills


@pytest.mark.parametrize(
    ("bag", "left", "faults"),
    [
        (Bag(Counter(giant_rat=5, sheep=1), 1010), {}, []),
        (Bag(Counter(giant_rat=5, deer=1), 1010), {"meat": 2}, []),
        (Bag(Counter(giant_rat=5, deer=1), 1010), {}, ["1 killed, and 0 meat left by them"]),
        (Bag(Counter(giant_rat=5), 1000, people=1), {}, []),
        (Bag(Counter(giant_rat=4), 1000), {}, ["-1 more corpses of giant_rat"]),
    ],
    ids=["sheep", "deer", "deer without meat", "player", "lost"],
)
def test_r27_whatever_else_is_killed_counts_as_well(
    monkeypatch: pytest.MonkeyPatch, bag: Bag, left: dict[str, int], faults: list[str]
) -> None:
    hunt = Hunt(shipped_content())
    hunt.bag = Bag(Counter(giant_rat=5), 1000)
    monkeypatch.setattr(hunt, "look", lambda path: bag)
    total: Counter[str] = Counter()
    wrong = hunt.verdict(Path(), total, Counter(left))
    assert [line for line in faults if line in wrong] == faults
    assert bool(wrong) == bool(faults)
    assert total["corpse"] == bag.kills + bag.people - 5


RICH = estate({"gold": 100, "hide": 4}, {"gold": 50})
BOUGHT = estate({"gold": 92, "hide": 4, "bread": 2}, {"gold": 50})


@pytest.mark.parametrize(
    ("told", "found", "faults"),
    [
        ([BOUGHT], BOUGHT, []),
        ([], BOUGHT, ["was promised"]),
        ([BOUGHT], RICH, ["was promised"]),
        ([], estate({"gold": 100, "hide": 4, "bread": 2}, {"gold": 50}), ["was promised", "worth 170 gold"]),
        ([], estate({"gold": 92, "hide": 4}, {"gold": 50}), ["was promised", "worth 154 gold"]),
        ([], estate({"gold": 90, "hide": 4}, {"gold": 50}), ["was promised", "worth 152 gold"]),
        ([], estate({"gold": 100, "hide": 4}, {"gold": 60}), ["was promised", "worth 172 gold"]),
    ],
    ids=["kept", "untold", "forgotten", "unpaid", "paid for nothing", "lost on the way", "deposited twice"],
)
def test_r27_what_was_bought_and_banked_belongs_together(
    tmp_path: Path, told: list[Estate], found: Estate, faults: list[str]
) -> None:
    """A disk on which part of a deal is missing, and one that has forgotten what was told."""
    path, market = tmp_path / "disk.db", Market(shipped_content())
    market.people = [Person("uo", "anna", "Anna", 1, Diary("anna", 1, (0, 0)))]
    write_estate(path, RICH)
    market.begin(path)
    for has in told:
        market.diaries[1].note(has)
        market.diaries[1].promised(market.diaries[1].mark())
    write_estate(path, found)
    total = RICH.all
    wrong = market.verdict(path, total)
    assert len(wrong) == len(faults)
    assert all(fault in line for fault, line in zip(faults, wrong, strict=True)), wrong
    assert total == found.all + Counter(bank_box=1)


def lacking(deeds: Counter[str], rounds: int, played: Sequence[str]) -> list[str]:
    """What people have not done, or too seldom for so many rounds: else nothing could have gone wrong."""
    least = dict.fromkeys(("enter", "arrive", "promise", "hand over", "hand over and log out", *played), 1)
    least |= {"kill": rounds, "moved": 10 * rounds + 1, "deal": 5 * rounds + 1}
    deals = sum(deeds[f"{game} {deed}"] for game in GAMES for deed in TOLD)
    return [deed for deed, often in least.items() if (deals if deed == "deal" else deeds[deed]) < often]


async def besiege(folder: Path, seed: int, rounds: int, played: Sequence[str] = PLAYED) -> None:
    """So many rounds, and more until enough was done: on a busy machine people do little in each."""
    siege = Siege(folder, seed)
    for number in range(PATIENCE * rounds):
        wrong = await siege.round(number)
        assert wrong == [], f"seed {seed}, round {number}; its files: {siege.keep(folder)}"
        if number + 1 >= rounds and not lacking(siege.deeds, rounds, played):
            break
    assert lacking(siege.deeds, rounds, played) == [], siege.deeds


async def test_r27_three_kills_leave_a_whole_world_each_time(tmp_path: Path) -> None:
    """Of ten and of two hundred, which `make soak` has."""
    await besiege(tmp_path, 1, 3, [f"{game} {deed}" for game in GAMES for deed in ("step", "take", "drop")])


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_r27_ten_kills_leave_a_whole_world_each_time(tmp_path: Path) -> None:
    await besiege(tmp_path, 1, 10)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 110))
async def test_r27_two_hundred_kills(tmp_path: Path, seed: int) -> None:
    await besiege(tmp_path, seed, 20)
