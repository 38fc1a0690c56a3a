"""Who asks while somebody else is answered is answered with all who do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import trio

from server.store.together import MOST_AT_ONCE, Together

if TYPE_CHECKING:
    from collections.abc import Sequence

    from trio.testing import MockClock


class Answers:
    """Doubles numbers, a second for each question; what is over 9000 is too much for it."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []
        self.away = False
        self.together = Together(self.ask)

    async def ask(self, numbers: Sequence[int]) -> list[int | Exception]:
        self.asked.append(list(numbers))
        await trio.sleep(1)
        if self.away:
            raise OSError("away")
        return [2 * one if one < 9000 else ValueError(str(one)) for one in numbers]

    async def all(self, numbers: Sequence[int]) -> dict[int, object]:
        """What each is answered, or raised."""
        found: dict[int, object] = {}

        async def one(number: int) -> None:
            try:
                found[number] = await self.together.answer(number)
            except (OSError, ValueError) as error:
                found[number] = error

        async with trio.open_nursery() as nursery:
            for number in numbers:
                nursery.start_soon(one, number)
                await trio.lowlevel.checkpoint()
        return found


async def test_who_comes_while_one_is_answered_is_answered_with_the_others(autojump_clock: MockClock) -> None:
    answers = Answers()
    assert await answers.all(range(5)) == {number: 2 * number for number in range(5)}
    first, second = answers.asked
    assert len(first) < 5
    assert sorted(first + second) == [0, 1, 2, 3, 4]
    assert trio.current_time() == pytest.approx(2)
    assert await answers.together.answer(7) == 14


async def test_an_error_is_its_own_asker_s(autojump_clock: MockClock) -> None:
    found = await Answers().all([1, 9001, 2, 9002])
    errors = {number: str(found.pop(number)) for number in (9001, 9002)}
    assert errors == {9001: "9001", 9002: "9002"}
    assert found == {1: 2, 2: 4}


async def test_what_fails_for_all_fails_for_each(autojump_clock: MockClock) -> None:
    answers = Answers()
    answers.away = True
    found = await answers.all(range(3))
    assert [type(one) for one in found.values()] == [OSError] * 3
    answers.away = False
    assert await answers.together.answer(4) == 8


async def test_many_are_several_questions(autojump_clock: MockClock) -> None:
    answers = Answers()
    numbers = range(3 * MOST_AT_ONCE)
    assert await answers.all(numbers) == {number: 2 * number for number in numbers}
    asked = [len(one) for one in answers.asked]
    assert len(asked) <= 4
    assert max(asked) == MOST_AT_ONCE


async def test_who_gives_up_costs_the_others_nothing(autojump_clock: MockClock) -> None:
    answers = Answers()

    async def impatient(number: int) -> None:
        with trio.move_on_after(0.5):
            await answers.together.answer(number)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(impatient, 100)
        nursery.start_soon(impatient, 101)
        await trio.lowlevel.checkpoint()
        assert await answers.all([1, 2, 3]) == {1: 2, 2: 4, 3: 6}
    assert answers.asked[-1] != answers.asked[0]
    assert not {100, 101} & {*answers.asked[-1]}, "nobody waits for that any more"
    assert not answers.together._waiting
