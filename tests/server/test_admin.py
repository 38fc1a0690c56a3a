"""The admin channel and the orders in the database."""

from __future__ import annotations

import contextlib
import hmac
import json
import socket
import stat
import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest
import trio
from sqlalchemy import insert, select
from trio.testing import MockClock, memory_stream_pair

from protocol.endings import Ending
from server import exits
from server.commands.machinery import Answer
from server.operate import admin
from server.operate.admin import FILE, LONGEST_LINE, AdminChannel, NotRunning, ask
from server.operate.orders import poll_orders
from server.store.tables import admin_order
from tests.kit.office import Office

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from server.operate.admin import Run


class Runner:
    """Answers every command with what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, Mapping[str, str] | None]] = []

    async def __call__(self, who: str, command: str, args: Mapping[str, str] | None) -> Answer:
        await trio.lowlevel.checkpoint()
        self.asked.append((who, command, args))
        return Answer(command != "fail", [f"{command} {args}", "done"])


NONCE = "0123456789abcdef"


def request(**values: object) -> bytes:
    return json.dumps(values).encode() + b"\n"


async def shake_hands(channel: AdminChannel, stream: trio.abc.Stream, token: str | None = None) -> None:
    """Exchange proofs, with another token if one is given. What comes back is read strictly."""
    await stream.send_all(request(nonce=NONCE))
    line = bytearray()
    while not line.endswith(b"\n"):
        line += await stream.receive_some(1)
    greeting = json.loads(line)
    assert greeting.keys() == {"nonce", "proof"}
    told = f"server {NONCE} {greeting['nonce']}".encode()
    assert greeting["proof"] == hmac.new(channel._token.encode(), told, "sha256").hexdigest()
    told = f"client {NONCE} {greeting['nonce']}".encode()
    shown = hmac.new((token or channel._token).encode(), told, "sha256").hexdigest()
    await stream.send_all(request(proof=shown))


# The channel


async def test_a_command_goes_over_the_real_channel(tmp_path: Path) -> None:
    runner = Runner()
    channel = AdminChannel(runner, tmp_path)
    with trio.fail_after(30):
        async with trio.open_nursery() as nursery:
            await nursery.start(channel.serve)
            file = tmp_path / FILE
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
            assert json.loads(file.read_text()).keys() == {"address", "token"}
            assert json.loads(file.read_text())["address"].startswith("127.0.0.1:")
            answer = await trio.to_thread.run_sync(ask, tmp_path, "account list", {})
            assert answer == Answer(True, ["account list {}", "done"])
            assert not (await trio.to_thread.run_sync(ask, tmp_path, "fail")).ok
            nursery.cancel_scope.cancel()
    assert not file.exists()
    assert runner.asked == [("admin channel", "account list", {}), ("admin channel", "fail", None)]


async def test_admin_json_of_the_next_server_is_left_alone(tmp_path: Path) -> None:
    async with trio.open_nursery() as nursery:
        await nursery.start(AdminChannel(Runner(), tmp_path).serve)
        (tmp_path / FILE).write_text("another server's")
        nursery.cancel_scope.cancel()
    assert (tmp_path / FILE).read_text() == "another server's"


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "{}",
        "[]",
        "not json",
        '{"address": "127.0.0.1:1", "token": "x"}',
        '{"address": 1, "token": 2}',
    ],
)
def test_without_a_server_nobody_answers(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / FILE).write_text(text)
    with pytest.raises(NotRunning):
        ask(tmp_path, "status", within=1)


async def test_a_stale_token_is_no_server(tmp_path: Path) -> None:
    async with trio.open_nursery() as nursery:
        await nursery.start(AdminChannel(Runner(), tmp_path).serve)
        known = json.loads((tmp_path / FILE).read_text())
        (tmp_path / FILE).write_text(json.dumps({**known, "token": "x" * 64}))
        with pytest.raises(NotRunning):
            await trio.to_thread.run_sync(partial(ask, tmp_path, "status", within=5))
        nursery.cancel_scope.cancel()


def test_r56_whoever_has_the_port_of_a_killed_server_learns_nothing(tmp_path: Path) -> None:
    """admin.json stays behind after kill -9, and another program may get the port it names."""
    heard = bytearray()
    with socket.create_server(("127.0.0.1", 0)) as impostor:
        host, port = impostor.getsockname()
        (tmp_path / FILE).write_text(json.dumps({"address": f"{host}:{port}", "token": "f" * 64}))

        def pretend() -> None:
            connection, _ = impostor.accept()
            with connection:
                heard.extend(connection.recv(4096))
                connection.sendall(request(nonce=NONCE, proof="0" * 64))
                while data := connection.recv(4096):
                    heard.extend(data)

        thread = threading.Thread(target=pretend)
        thread.start()
        with pytest.raises(NotRunning, match="does not know its token"):
            ask(tmp_path, "account passwd", {"name": "bobby", "password": "secret1"}, within=5)
        thread.join()
    assert heard.count(b"\n") == 1
    assert json.loads(heard).keys() == {"nonce"}


async def converse(channel: AdminChannel, *sent: bytes, greet: bool = True) -> list[str]:
    """What a connection answers, in lines, until it is closed."""
    ours, theirs = memory_stream_pair()
    received = bytearray()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(channel.answer, theirs)
        if greet:
            await shake_hands(channel, ours)
        with contextlib.suppress(trio.BrokenResourceError):  # it may have closed before it has read all
            for data in sent:
                await ours.send_all(data)
            await ours.send_eof()
        while answered := await ours.receive_some():
            received += answered
    return received.decode().splitlines()


@pytest.mark.parametrize(
    "token", ['"\\ud800"', '"\\u00e4\\u0000"', '""', '"' + "x" * 60_000 + '"', "1e999", "[{}]", "null"]
)
async def test_whatever_is_offered_for_a_token_is_only_wrong(
    tmp_path: Path, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture, token: str
) -> None:
    runner = Runner()
    lines = request(nonce=NONCE), b'{"proof": %s}\n' % token.encode(), request(command="one")
    (greeting,) = await converse(AdminChannel(runner, tmp_path), *lines, greet=False)
    assert "ok" not in greeting
    assert runner.asked == []
    assert [record.getMessage() for record in caplog.records] == [
        "the admin channel was offered a wrong token"
    ]


async def test_a_connection_that_fails_costs_only_itself(
    tmp_path: Path, autojump_clock: MockClock, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(who: str, command: str, args: Mapping[str, str] | None) -> Answer:
        raise RuntimeError("a bug")

    channel = AdminChannel(fail, tmp_path)
    for _ in range(admin.CONNECTIONS + 1):
        assert await converse(channel, request(command="one")) == []
    assert caplog.text.count("RuntimeError: a bug") == admin.CONNECTIONS + 1


async def test_several_commands_in_pieces_and_in_one(tmp_path: Path, autojump_clock: MockClock) -> None:
    runner = Runner()
    channel = AdminChannel(runner, tmp_path)
    whole = request(command="one") + request(command="two", args={"n": 1, "t": "x"})
    for pieces in ([whole], [whole[:7], whole[7:80], whole[80:]]):
        lines = await converse(channel, *pieces)
        assert [json.loads(line)["lines"][1] for line in lines] == ["done", "done"]
    assert runner.asked[1] == ("admin channel", "two", {"n": "1", "t": "x"})


@pytest.mark.parametrize("token", ["", "x" * 64, None, 5, "ä"])
async def test_a_wrong_token_closes_without_a_word(
    tmp_path: Path, autojump_clock: MockClock, token: object
) -> None:
    runner = Runner()
    channel = AdminChannel(runner, tmp_path)
    lines = request(nonce=NONCE), request(proof=token), request(command="status")
    assert len(await converse(channel, *lines, greet=False)) == 1
    assert runner.asked == []


@pytest.mark.parametrize(
    "values",
    [
        {},
        {"command": 5},
        {"command": "x", "args": []},
        {"command": "x", "args": {"a": None}},
        {"command": "x", "text": "y"},
    ],
)
async def test_a_bad_request_is_answered(
    tmp_path: Path, autojump_clock: MockClock, values: Mapping[str, object]
) -> None:
    channel = AdminChannel(Runner(), tmp_path)
    (line,) = await converse(channel, request(**values))
    assert json.loads(line)["ok"] is False


@pytest.mark.parametrize("line", [b"\n", b"hello\n", b"\xff\xfe\n", b"[" * 5000 + b"\n", b"[]\n"])
async def test_what_is_no_request_is_no_crash(tmp_path: Path, autojump_clock: MockClock, line: bytes) -> None:
    runner = Runner()
    for answer in await converse(AdminChannel(runner, tmp_path), line, greet=False):
        assert json.loads(answer)["ok"] is False
    assert runner.asked == []


async def test_an_endless_line_is_cut_off(tmp_path: Path, autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(AdminChannel(Runner(), tmp_path).answer, theirs)
        await ours.send_all(b"x" * (LONGEST_LINE + 5000))
        assert await ours.receive_some() == b""


async def test_silence_is_cut_off(tmp_path: Path, autojump_clock: MockClock) -> None:
    _ours, theirs = memory_stream_pair()
    start = trio.current_time()
    await AdminChannel(Runner(), tmp_path).answer(theirs)
    assert trio.current_time() - start == admin.TOKEN_SECONDS


async def test_silence_after_the_token_is_cut_off_later(tmp_path: Path, autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    channel = AdminChannel(Runner(), tmp_path)
    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(channel.answer, theirs)
        await shake_hands(channel, ours)
    assert trio.current_time() - start == admin.IDLE_SECONDS


async def test_a_first_line_in_drops_is_cut_off(tmp_path: Path, autojump_clock: MockClock) -> None:
    ours, theirs = memory_stream_pair()
    start = trio.current_time()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(AdminChannel(Runner(), tmp_path).answer, theirs)
        for _ in range(int(admin.TOKEN_SECONDS)):
            await ours.send_all(b"x")
            await trio.sleep(1)
        assert await ours.receive_some() == b""
    assert trio.current_time() - start == admin.TOKEN_SECONDS


async def test_strangers_take_no_place(tmp_path: Path, autojump_clock: MockClock) -> None:
    """Whoever has no token ends the oldest of its like, never one that has."""
    channel = AdminChannel(Runner(), tmp_path)
    async with trio.open_nursery() as nursery:
        silent = [memory_stream_pair() for _ in range(admin.STRANGERS + 20)]
        for _, theirs in silent:
            nursery.start_soon(channel.answer, theirs)
            await trio.testing.wait_all_tasks_blocked()
        start = trio.current_time()
        assert await silent[0][0].receive_some() == b""
        (line,) = await converse(channel, request(command="one"))
        assert json.loads(line)["ok"] is True
        assert trio.current_time() == start
        nursery.cancel_scope.cancel()


async def test_a_first_line_without_a_token_is_the_last(tmp_path: Path, autojump_clock: MockClock) -> None:
    runner = Runner()
    channel = AdminChannel(runner, tmp_path)
    for first in (b"nonsense\n", b'{"nonce": "short"}\n', b'{"nonce": 5}\n', b'{"token": "x"}\n'):
        (line,) = await converse(channel, first, request(command="one"), greet=False)
        assert json.loads(line)["ok"] is False
    assert runner.asked == []


async def test_so_many_connections_at_once(tmp_path: Path, autojump_clock: MockClock) -> None:
    channel = AdminChannel(Runner(), tmp_path)
    async with trio.open_nursery() as nursery:
        kept = [memory_stream_pair() for _ in range(admin.CONNECTIONS)]
        for ours, theirs in kept:
            nursery.start_soon(channel.answer, theirs)
            await shake_hands(channel, ours)
        await trio.testing.wait_all_tasks_blocked()
        assert await converse(channel, request(command="one")) == []
        nursery.cancel_scope.cancel()


# Orders


@pytest.fixture
async def office(nursery: trio.Nursery) -> Office:
    """A server that looks for orders, as every one does."""
    return await Office().open(nursery, orders=True)


@pytest.fixture
async def deaf(nursery: trio.Nursery) -> Office:
    """One that does not: the test has them carried out in its own way."""
    return await Office().open(nursery)


async def order(office: Office, text: str, age: float = 0.0) -> dict[str, object]:
    """Put a row into the table as a tool would; its result within a second."""
    with office.database.write() as connection:
        values = {"command": text, "created_at": office.wall_time() - age}
        number = connection.execute(
            insert(admin_order).values(values).returning(admin_order.c.id)
        ).scalar_one()
    await trio.sleep(1)
    with office.database.read() as connection:
        row = connection.execute(select(admin_order).where(admin_order.c.id == number)).one()
    assert row.done_at is not None
    result: dict[str, object] = json.loads(row.result)
    return result


async def poll(office: Office, run: Run) -> None:
    """Carry out the orders of a server in some other way than it would."""
    await poll_orders(office.storage, run, wall=office.wall_time, secret=office.commands.takes_password)


async def test_an_order_is_carried_out_within_a_second(office: Office, autojump_clock: MockClock) -> None:
    client, _ = await office.player("Alric")
    assert await order(office, "broadcast tea at five") == {"ok": True, "lines": ["everybody was told"]}
    assert b"tea at five" in client.heard
    text = json.dumps({"command": "account ban", "args": {"name": "alricacct", "reason": "rude"}})
    assert (await order(office, text))["ok"] is True
    assert client.ending is Ending.BANNED
    assert office.audited[-1][0] == "admin order"
    for bad in ("", "frobnicate", "{", "{}", '{"command": "kick"}', '{"command": "kick", "token": "x"}'):
        assert (await order(office, bad))["ok"] is False
    assert office.database.orders() == []


@pytest.mark.parametrize(
    "text",
    [
        "account create evil secret1",
        "Account  Passwd evil secret1",
        '{"command": "account create", "args": {"name": "evil", "password": "secret1"}}',
    ],
)
async def test_passwords_have_no_place_in_a_table(
    office: Office, autojump_clock: MockClock, text: str
) -> None:
    assert (await order(office, text))["ok"] is False
    assert await office.accounts.staff.all() == []


async def test_a_bad_row_is_answered_and_the_next_ones_are_carried_out(
    office: Office, autojump_clock: MockClock
) -> None:
    rows = [
        "(CAST(x'ff62' AS TEXT), 1)",
        "(x'ff00', 1)",
        "('shutdown', 'yesterday')",
        "('status', x'00')",
        "('broadcast tea', 1)",
    ]
    with office.database.write() as connection:
        for row in rows:
            connection.exec_driver_sql(f"INSERT INTO admin_order (command, created_at) VALUES {row}")
    await trio.sleep(1)
    with office.database.read() as connection:
        results = list(connection.exec_driver_sql("SELECT result FROM admin_order ORDER BY id").scalars())
    answers = [json.loads(result) for result in results]
    assert [answer["ok"] for answer in answers] == [False, False, False, False, True]
    assert not any("before the end" in answer["lines"][0] for answer in answers)
    assert office.stopped == []


async def test_an_order_that_fails_costs_no_other(
    deaf: Office, nursery: trio.Nursery, autojump_clock: MockClock
) -> None:
    async def fail(who: str, command: str, args: Mapping[str, str] | None) -> Answer:
        raise RuntimeError(f"a bug in {command}")

    nursery.start_soon(poll, deaf, fail)
    for text in ("one", "two"):
        assert await order(deaf, text) == {"ok": False, "lines": [f"failed: a bug in {text}"]}


async def test_an_order_to_stop_is_for_the_server_of_its_time(
    office: Office, autojump_clock: MockClock
) -> None:
    assert (await order(office, "shutdown", age=100))["ok"] is False
    assert office.stopped == []
    assert (await order(office, "restart"))["ok"] is True
    assert office.stopped == [exits.RESTART]


async def test_an_order_is_begun_at_most_once(deaf: Office, autojump_clock: MockClock) -> None:
    async def die(who: str, command: str, args: Mapping[str, str] | None) -> Answer:
        await trio.sleep_forever()
        raise AssertionError

    with trio.move_on_after(1):
        async with trio.open_nursery() as inner:
            inner.start_soon(poll, deaf, die)
            result = await order(deaf, "broadcast half")
            assert result["ok"] is False
            inner.cancel_scope.cancel()
    assert deaf.database.orders() == []


async def test_orders_survive_a_database_that_fails_for_a_while(
    office: Office, autojump_clock: MockClock
) -> None:
    office.disk.trouble = office.disk.reading_trouble = OSError("locked")
    await trio.sleep(5)
    office.disk.trouble = office.disk.reading_trouble = None
    assert (await order(office, "status"))["ok"] is True


async def test_the_order_that_ends_the_server_is_answered(office: Office, autojump_clock: MockClock) -> None:
    """While the answer is written, the task that carries out orders is cancelled."""
    office.disk.seconds = 0.1
    assert await order(office, "shutdown") == {"ok": True, "lines": ["the server stops now"]}
    assert office.exit_code == exits.GOOD
