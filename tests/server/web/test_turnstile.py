"""Those who send much, or are many, wait for the world and not the other way round."""

from __future__ import annotations

import trio
import trio.testing

from server.web.turnstile import Turnstile


async def passes(turnstile: Turnstile, weights: list[int]) -> list[list[int]]:
    """Who gets through in each pass of the scheduler, of so many that come at once."""
    through: list[list[int]] = []
    inside = 0

    async def enter(number: int, weight: int) -> None:
        nonlocal inside
        await turnstile.enter(weight)
        through[-1].append(number)
        inside += 1

    async with trio.open_nursery() as nursery:
        nursery.start_soon(turnstile.run)
        await trio.testing.wait_all_tasks_blocked()
        through.append([])
        for number, weight in enumerate(weights):
            nursery.start_soon(enter, number, weight)
        while inside < len(weights):
            await trio.lowlevel.checkpoint()
            through.append([])
        nursery.cancel_scope.cancel()
    return through


async def test_of_many_a_few_get_through_in_each_pass_and_all_in_the_end() -> None:
    through = await passes(Turnstile(2), [1] * 50)
    assert max(map(len, through)) <= 4, "at most what was left over, and what is new"
    assert len(through) >= 20
    assert sorted(number for group in through for number in group) == list(range(50))


async def test_the_heavy_make_those_behind_them_wait() -> None:
    turnstile = Turnstile(10)
    through = trio.Event()

    async def enter() -> None:
        await turnstile.enter(1)
        through.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(turnstile.run)
        await turnstile.enter(1000)  # nothing is too heavy
        nursery.start_soon(enter)
        for _ in range(95):
            await trio.lowlevel.checkpoint()
        assert not through.is_set()
        with trio.fail_after(30):
            await through.wait()
        nursery.cancel_scope.cancel()


async def test_who_leaves_takes_no_turn_and_nobody_comes_before_who_waits() -> None:
    turnstile = Turnstile(1)
    await turnstile.enter(1)
    order: list[str] = []

    async def enter(name: str, scope: trio.CancelScope) -> None:
        with scope:
            await turnstile.enter(1)
            order.append(name)

    scopes = {name: trio.CancelScope() for name in "abc"}
    async with trio.open_nursery() as nursery:
        for name, scope in scopes.items():
            nursery.start_soon(enter, name, scope)
            await trio.testing.wait_all_tasks_blocked()
        scopes["a"].cancel()
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(turnstile.run)
        await trio.testing.wait_all_tasks_blocked()
        nursery.cancel_scope.cancel()
    assert order == ["b", "c"]
    assert not turnstile._waiting
