"""The hasher of passwords and its queue."""

from __future__ import annotations

import threading
from functools import partial

import pytest
import trio
import trio.testing

from protocol.denials import Denial, Denied
from server.people.passwords import QUEUE, Argon2Passwords


async def test_r48_passwords_are_argon2id_hashes() -> None:
    passwords = Argon2Passwords()
    stored = await passwords.hash("secret1")
    assert stored.startswith("$argon2id$v=19$m=16384,t=1,p=1$")
    assert await passwords.verify(stored, "secret1")
    assert not await passwords.verify(stored, "secret2")
    assert not await passwords.verify(None, "nobody")
    assert not await passwords.verify("not a hash", "secret1")
    assert not await passwords.verify(stored, "\ud800")
    assert not passwords.outdated(stored)


async def test_r48_a_hash_made_by_another_program_is_read() -> None:
    """A vector of the reference implementation: P-H-C/phc-winner-argon2, src/test.c, argon2id, m=2^16."""
    vector = "$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc"
    passwords = Argon2Passwords()
    assert await passwords.verify(vector, "password")
    assert not await passwords.verify(vector, "passwort")
    assert passwords.outdated(vector)


async def test_other_work_of_a_login_waits_in_the_same_queue() -> None:
    """In another thread, one at a time, and refused when too many wait."""
    passwords = Argon2Passwords(memory_kib=8)
    threads: list[int] = []
    done: list[int] = []
    gate = threading.Event()

    def work(number: int) -> int:
        gate.wait(20)
        threads.append(threading.get_ident())
        return number

    async def ask(number: int) -> None:
        done.append(await passwords.offload(partial(work, number)))

    async with trio.open_nursery() as nursery:
        for number in range(QUEUE + 1):
            nursery.start_soon(ask, number)
        await trio.testing.wait_all_tasks_blocked()
        with pytest.raises(Denied) as denied:
            await passwords.offload(lambda: 0)
        assert denied.value.why is Denial.BUSY
        gate.set()
    assert sorted(done) == list(range(QUEUE + 1))
    assert threading.get_ident() not in threads


async def test_what_other_work_raises_is_raised() -> None:
    passwords = Argon2Passwords(memory_kib=8)
    with pytest.raises(ZeroDivisionError):
        await passwords.offload(lambda: 1 // 0)


async def test_more_than_the_queue_holds_are_told_to_come_back() -> None:
    passwords = Argon2Passwords(memory_kib=8)
    outcomes: list[str] = []

    async def check() -> None:
        try:
            await passwords.verify(None, "secret1")
        except Denied as denied:
            outcomes.append(denied.why.value)
        else:
            outcomes.append("checked")

    async with trio.open_nursery() as nursery:
        for _ in range(QUEUE + 11):
            nursery.start_soon(check)
    assert outcomes.count("busy") == 10
    assert outcomes.count("checked") == QUEUE + 1
