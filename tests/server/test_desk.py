"""The admin channel in a thread of its own: what it answers while the world's thread is kept.

The world's thread is the test's, and kept by the test itself, until whoever asks has an answer.
"""

from __future__ import annotations

import json
import logging
import re
import socket
import threading
from functools import partial
from typing import TYPE_CHECKING

import attrs
import pytest
import trio

from server.commands.machinery import Answer
from server.commands.staff import TABLE
from server.operate import desk
from server.operate.admin import FILE, LONGEST_LINE, NotRunning, ask
from server.operate.desk import Desk
from server.operate.place import Place
from server.turn.pulse import Pulse
from server.turn.stats import TurnStats
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from server.commands.machinery import Arguments, Command

PATIENCE = 20.0
"""Seconds after which a test gives up."""


LOOKS = ("who", "who")
"""Each keeps the world for a look at least, at which a command is found to be late that was given before."""


class Clerk:
    """Carries out commands by noting them."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.within: Callable[[], object] = list
        """Done within each."""

    async def run(self, who: str, command: str, args: Mapping[str, str] | None = None) -> Answer:
        """Note it. Raises ValueError for one that is too much."""
        await trio.lowlevel.checkpoint()
        self.done.append(command)
        self.within()
        if "oops" in command:
            raise ValueError("a bug")
        return Answer("nobody" not in command, [f"{command} is done"])

    def meant(self, command: str, args: Mapping[str, str] | None = None) -> tuple[Command, Arguments]:
        """See `Commands`."""
        return TABLE.parse(command, Access.OWNER)


@attrs.define
class Town:
    """A desk, and the world behind it."""

    state: Path
    clerk: Clerk = attrs.field(factory=Clerk)
    pulse: Pulse = attrs.field(factory=Pulse)

    async def open(self, nursery: trio.Nursery) -> Town:
        """Serve until the nursery is cancelled."""
        await nursery.start(Desk(self.clerk, Place(self.pulse), name="Town").serve, self.state)
        return self

    def in_a_turn(self, *commands: str) -> list[Answer]:
        """The answers to commands, each through a connection of its own, during a turn that ends after."""
        self.pulse.enter("views")
        answers = self.kept(*commands)
        self.pulse.rest(8, TurnStats(turns=8), {})
        return answers

    def kept(self, *commands: str) -> list[Answer]:
        """The same while the world's thread does something else."""
        answers: list[Answer] = []

        def tell() -> None:
            answers.extend(ask(self.state, command, within=PATIENCE) for command in commands)

        thread = threading.Thread(target=tell)
        thread.start()
        thread.join(PATIENCE)
        assert not thread.is_alive()
        return answers

    async def told(self, command: str) -> Answer:
        """The answer while the world goes on."""
        return await trio.to_thread.run_sync(partial(ask, self.state, command, within=PATIENCE))

    def connect(self) -> socket.socket:
        """Somebody who has not shown any token."""
        host, _, port = json.loads((self.state / FILE).read_text())["address"].rpartition(":")
        return socket.create_connection((host, int(port)), timeout=PATIENCE)


@pytest.fixture
async def town(nursery: trio.Nursery, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Town:
    monkeypatch.setattr(desk, "LOOK", 0.02)
    monkeypatch.setattr(desk, "LONG", 0.02)
    town = await Town(tmp_path).open(nursery)
    town.pulse.enter("inputs")
    town.pulse.rest(7, TurnStats(turns=7, worst_seconds=0.25, last_seconds=0.002, over_budget=1), {})
    town.pulse.report = town.pulse.report._replace(players=("Bert", "Anna"), connected=3)
    return town


async def test_status_and_who_are_answered_within_a_turn(town: Town) -> None:
    status, who = town.in_a_turn("status", "who")
    assert status.ok
    name, why, turns, age = status.lines
    assert name == "Town: tick 7, 3 connected, 2 online"
    assert why.startswith("overloaded: the world has been at one turn for 0.")
    assert " s: views, at " in why
    assert re.search(r"at threading\.py:\d+ in \w+ < tests/server/test_desk.py:\d+ in kept < ", why)
    assert turns == "7 turns, the worst took 250.0 ms, 1 were over budget; the last took 2.0 ms"
    assert age.startswith("so it was 0.")
    assert who.ok
    assert who.lines[:-1] == ["2 online", "Anna", "Bert"]
    assert who.lines[-1].startswith("overloaded: ")
    assert (await town.told("status")).lines == ["status is done"], "the world goes on"
    assert town.clerk.done == ["status"], "nobody waits any more for those before"


async def test_orders_wait_and_are_done_once_and_in_their_order(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    orders = [f"broadcast {number}" for number in range(8)] + ["kick nobody", "account passwd bob geheim"]
    answers = town.in_a_turn(*orders)
    assert town.clerk.done == []
    for answer in answers:
        assert answer.ok
        assert answer.lines[0].startswith("overloaded: the world has been at one turn for ")
    assert answers[0].lines[1] == (
        "broadcast waits, and will be done as soon as the world comes to it; do not give it again. "
        "The log will have the answer"
    )
    assert (await town.told("info bob")).lines == ["info bob is done"]
    assert town.clerk.done == [*orders, "info bob"]
    told = [record.getMessage() for record in caplog.records if record.name == "admin"]
    assert len(told) == len(orders)
    assert told[0].startswith("admin channel: broadcast, late by ")
    assert told[0].endswith(" s, was done: broadcast 0 is done")
    assert told[8].endswith(" s, was refused: kick nobody is done")
    assert told[9].startswith("admin channel: account passwd, late by ")


async def test_an_order_that_comes_first_is_done_before_one_that_is_in_time(town: Town) -> None:
    """It is begun, and late as its turn lasts; the next comes while it is not over."""
    first = trio.Event()

    async def slowly(who: str, command: str, args: Mapping[str, str] | None = None) -> Answer:
        if command == "broadcast 1":
            answer, *_ = town.in_a_turn("broadcast 2", *LOOKS)
            assert "waits" in answer.lines[1]
            await first.wait()
        town.clerk.done.append(command)
        return Answer(True, [])

    town.clerk.run = slowly  # type: ignore[method-assign]
    assert "is under way" in (await town.told("broadcast 1")).lines[1]
    await trio.testing.wait_all_tasks_blocked()
    assert town.clerk.done == []
    first.set()
    await town.told("who")
    assert town.clerk.done == ["broadcast 1", "broadcast 2", "who"]


@pytest.mark.parametrize("command", ["info bob", "save", "profile show", "time", "frobnicate"])
async def test_questions_and_what_attests_something_are_given_up(town: Town, command: str) -> None:
    (answer,) = town.in_a_turn(command)
    assert not answer.ok
    assert answer.lines[1].endswith("was not begun: ask again later")
    await town.told("who")
    assert town.clerk.done == ["who"]


async def test_something_else_than_a_turn_keeps_nobody_from_an_answer(town: Town) -> None:
    """No turn is under way: the desk is told of it by the world's thread, which takes nothing."""
    (answer,) = town.kept("status")
    assert answer.lines[1].startswith("overloaded: something else than a turn has kept the world for 0.")
    assert " in kept < tests/server/" in answer.lines[1]


async def test_what_keeps_the_world_itself_is_answered(town: Town) -> None:
    """A command that does not end, outside of a turn, has begun all the same."""
    answers: list[Answer] = []
    town.clerk.within = lambda: answers.extend(town.kept("status", *LOOKS))
    assert (await town.told("broadcast tea")).lines[1].startswith("broadcast is under way")
    assert answers[0].lines[1].startswith("overloaded: something else than a turn has kept the world")


async def test_what_takes_long_is_waited_for_while_the_world_goes_on(town: Town) -> None:
    async def slowly(who: str, command: str, args: Mapping[str, str] | None = None) -> Answer:
        for _ in range(2 * desk.PATIENCE):
            town.pulse.enter("inputs")
            town.pulse.rest(9, TurnStats(), {})
            await trio.sleep(desk.LOOK)
        return Answer(True, ["everything is on disk"])

    town.clerk.run = slowly  # type: ignore[method-assign]
    assert (await town.told("save")).lines == ["everything is on disk"]


async def test_what_is_under_way_in_a_long_turn_is_answered(town: Town) -> None:
    """The world has begun it, and does not come to its end."""
    answers: list[Answer] = []
    town.clerk.within = lambda: answers.extend(town.in_a_turn("status", *LOOKS))
    assert (await town.told("broadcast tea")).lines[1] == (
        "broadcast is under way; do not give it again. The log will have the answer"
    )
    assert answers[0].lines[1].startswith("overloaded: the world has been at one turn")
    town.clerk.within = list
    await town.told("who")
    assert town.clerk.done == ["broadcast tea", "who"]


async def test_orders_that_wait_are_bounded_and_status_is_answered_all_the_same(
    town: Town, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(desk, "MOST_WAITING", 3)
    answers = town.in_a_turn(*["broadcast tea"] * 5, "status")
    assert [answer.ok for answer in answers] == [True, True, True, False, False, True]
    assert answers[4].lines[1] == "broadcast was not begun: ask again later"
    assert answers[5].lines[-1].endswith("; 3 orders wait")
    await town.told("who")
    assert town.clerk.done == ["broadcast tea"] * 3 + ["who"]


async def test_verbose_tells_call_by_call_where_the_world_is(town: Town) -> None:
    (answer,) = town.in_a_turn("status verbose")
    at = answer.lines.index("the world's thread is in, the innermost first:")
    assert any("tests/server/test_desk.py" in line and "in in_a_turn" in line for line in answer.lines[at:])
    answer = await town.told("status verbose")
    assert answer.lines[:2] == ["status verbose is done", "the world's thread is in, the innermost first:"]


async def test_a_bug_costs_the_connection_and_nothing_else(
    town: Town, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(NotRunning):
        await town.told("broadcast oops")
    assert "ValueError: a bug" in caplog.text
    assert "waits" in town.in_a_turn("broadcast oops again")[0].lines[1]
    assert (await town.told("who")).ok
    assert "broadcast, late, failed" in caplog.text


async def test_strangers_cost_nobody_an_answer(town: Town, caplog: pytest.LogCaptureFixture) -> None:
    """Whatever they send while the world is kept: nothing, an endless line, no JSON, a wrong token."""
    sent = [b"", b"x" * 1_000_000, b"{\n", b"\xff\n", b"[" * LONGEST_LINE]
    wrong = b'{"nonce": "0123456789abcdef"}\n{"proof": "1"}\n{"command": "shutdown"}\n'
    strangers = [town.connect() for _ in range(50)]

    def pester() -> None:
        for number, stranger in enumerate(strangers):
            try:
                stranger.sendall([*sent, wrong][number % (len(sent) + 1)])
            except OSError:
                continue  # it was cut off in the middle of what it says

    thread = threading.Thread(target=pester)
    thread.start()
    (answer,) = town.in_a_turn("status")
    thread.join(PATIENCE)
    assert answer.ok
    for stranger in strangers:
        stranger.close()
    assert (await town.told("who")).ok
    assert town.clerk.done == ["who"]
    assert {record.getMessage() for record in caplog.records} == {
        "the admin channel was offered a wrong token"
    }


async def test_the_end_of_the_server_is_that_of_the_thread(tmp_path: Path) -> None:
    async with trio.open_nursery() as nursery:
        town = await Town(tmp_path).open(nursery)
        assert "admin" in {thread.name for thread in threading.enumerate()}
        silent = town.connect()
        nursery.cancel_scope.cancel()
    assert "admin" not in {thread.name for thread in threading.enumerate()}
    assert not (tmp_path / FILE).exists()
    host, port = silent.getpeername()
    assert silent.recv(1) == b""
    silent.close()
    with pytest.raises(ConnectionRefusedError):
        socket.create_connection((host, port), timeout=PATIENCE)


async def test_orders_that_the_end_overtakes_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(desk, "LONG", 0.02)
    async with trio.open_nursery() as nursery:
        town = await Town(tmp_path).open(nursery)
        assert "waits" in town.in_a_turn("broadcast tea")[0].lines[1]
        nursery.cancel_scope.cancel()
    assert town.clerk.done == []
    assert "admin channel: broadcast was late, and the server ended before it" in caplog.text


async def test_an_address_that_cannot_be_had_ends_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object, **__: object) -> None:
        raise OSError("no sockets left")

    monkeypatch.setattr(trio, "open_tcp_listeners", fail)
    with pytest.raises(ExceptionGroup) as raised:
        async with trio.open_nursery() as nursery:
            await Town(tmp_path).open(nursery)
    assert raised.group_contains(OSError, match="no sockets left", depth=None)
