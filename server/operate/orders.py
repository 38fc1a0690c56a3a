"""Orders: commands that tools leave as rows of the table `admin_order` (docs/admin.md).

They are for those who have the database already. They are polled, since SQLite tells nobody what changed.

Where several worlds share the database each has its own: those that say so (`@2 kick bob`), and the first
living one those that say nothing. Whoever finds that an order is about somebody whom another world
has addresses it to that one, so that no world ever waits for another while it carries out its own.

An order may be one that staff has typed in the game of another world (`by`). It is carried out with the
rights that the account has when it is read, whatever it had when it was written.
"""

from __future__ import annotations

import json
import logging
import re
from functools import partial
from typing import TYPE_CHECKING, Final, Protocol

import attrs
import trio

from server.commands.machinery import Answer, Staff
from server.operate.admin import BadRequest, command_of, json_object, reply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from server.operate.admin import Run
    from server.people.account_store import Store
    from server.store.records import OrderRow

log = logging.getLogger("admin")

POLL_SECONDS: Final = 0.5

BEGUN: Final = reply(Answer(False, ["begun, and the server stopped before the end"]))
"""The result of an order from its beginning to its end."""


@attrs.frozen
class Wanted:
    """An order, as it is read."""

    world: int | None
    """The world that it is for, if it says so."""
    command: str
    args: Mapping[str, str] | None
    by: Staff | None
    """Of the staff in another world's game; None: of whoever may write into the database."""


class Worlds(Protocol):
    """The worlds among which orders are divided: `server.operate.switchboard.Switchboard`."""

    @property
    def world(self) -> int:
        """The id of this one."""

    async def is_first(self) -> bool:
        """Whether this world has the orders that are addressed to nobody."""

    async def keeper(
        self, command: str, args: Mapping[str, str] | None, *, addressed: bool = False
    ) -> int | None:
        """The other world that a command is about; None: it may be carried out here. `addressed`: whether the
        order says that it is for this world."""


async def poll_orders(
    store: Store,
    run: Run,
    *,
    wall: Callable[[], float],
    secret: Callable[[str], bool],
    worlds: Worlds | None = None,
    for_staff: Callable[[Staff, str, Mapping[str, str] | None], Awaitable[Answer]] | None = None,
    interval: float = POLL_SECONDS,
) -> None:
    """Carry out the rows of `admin_order` as they come. An order is begun at most once, whatever happens to
    the server. `worlds` are those that there are beside this one, if there may be any; `for_staff` carries
    out what was typed in them.

    `secret` says whether a command takes a password: those are refused, a row would keep it for ever.
    """
    since = wall()
    failing = False
    while True:
        try:
            for number in await store.read(lambda database: database.orders()):
                if worlds is not None and not await _is_ours(store, number, worlds):
                    continue
                begin = partial(_begin, store, number, wall())
                if not await begin():
                    continue
                answer = await _answered(store, number, _Ways(run, for_staff), secret, since)
                # The order may have been the one that ends this server.
                with trio.move_on_after(1, shield=True):
                    await finish(store, number, wall(), answer)
            failing = False
        except Exception as error:
            log.log(logging.DEBUG if failing else logging.ERROR, "admin orders wait: %s", error)
            failing = True
        await trio.sleep(interval)


async def _begin(store: Store, number: int, at: float) -> bool:
    return await store.write(lambda database: database.begin_order(number, at, BEGUN))


async def finish(store: Store, number: int, at: float, answer: Answer) -> None:
    """Write down what came of an order."""
    await store.write(lambda database: database.finish_order(number, at, reply(answer)))


def addressed(world: int, command: str, args: Mapping[str, str] | None, by: Staff | None = None) -> str:
    """The text of an order for one world; 0: for the first there is."""
    wanted: dict[str, object] = {"command": command}
    if args is not None:
        wanted["args"] = dict(args)
    if by is not None:
        wanted["by"] = [by.account, by.name]
    text = command if args is None and by is None else json.dumps(wanted)
    return f"@{world} {text}" if world else text


@attrs.frozen
class _Ways:
    """In which orders are carried out."""

    run: Run
    for_staff: Callable[[Staff, str, Mapping[str, str] | None], Awaitable[Answer]] | None

    async def carry_out(self, wanted: Wanted) -> Answer:
        if wanted.by is None:
            return await self.run("admin order", wanted.command, wanted.args)
        if self.for_staff is None:
            return Answer(False, ["there is no staff here"])
        return await self.for_staff(wanted.by, wanted.command, wanted.args)


async def _is_ours(store: Store, number: int, worlds: Worlds) -> bool:
    """Whether an order is this world's. One that is about somebody in another world is addressed to that."""
    try:
        order = await store.read(lambda database: database.order(number))
        wanted = _read(order)
    except (BadRequest, ValueError, TypeError):
        return await worlds.is_first()
    if wanted.world != worlds.world and not (wanted.world is None and await worlds.is_first()):
        return False
    keeper = await worlds.keeper(wanted.command, wanted.args, addressed=wanted.world is not None)
    if keeper is None:
        return True
    text = addressed(keeper, wanted.command, wanted.args, wanted.by)
    await store.write(lambda database: database.readdress_order(number, text))
    return False


async def _answered(
    store: Store, number: int, ways: _Ways, secret: Callable[[str], bool], since: float
) -> Answer:
    """Carry out one order. Whatever is wrong with it is its answer, and no business of the next one."""
    try:
        order = await store.read(lambda database: database.order(number))
        return await _carry_out(order, ways, secret, since)
    except Exception as error:
        log.error("admin order %d failed", number, exc_info=error)
        return Answer(False, [f"failed: {str(error).partition(chr(10))[0]}"])


async def _carry_out(order: OrderRow, ways: _Ways, secret: Callable[[str], bool], since: float) -> Answer:
    if not isinstance(order.created_at, int | float):
        return Answer(False, ["`created_at` is not a number"])
    try:
        wanted = _read(order)
    except BadRequest as error:
        return Answer(False, [str(error)])
    if secret(wanted.command):
        return Answer(
            False, ["a password has no place in a table: use the admin channel, and delete this row"]
        )
    if wanted.command.split()[:1] in (["shutdown"], ["restart"]) and order.created_at < since:
        return Answer(False, ["this was meant for the server that ran before"])
    return await ways.carry_out(wanted)


def _read(order: OrderRow) -> Wanted:
    """Raises BadRequest."""
    if not isinstance(order.command, str):
        raise BadRequest("`command` is not text")
    addressed = _ADDRESS.match(order.command)
    text = order.command[addressed.end() :] if addressed else order.command
    request = json_object(text) if text[:1] == "{" else {"command": text}
    by = _staff(request.pop("by")) if "by" in request else None
    return Wanted(int(addressed[1]) if addressed else None, *command_of(request), by)


def _staff(value: object) -> Staff:
    match value:
        case [int(account), str(name)]:
            return Staff(account, name)
        case _:
            raise BadRequest("`by` is the number of an account and a name")


_ADDRESS: Final = re.compile("@([0-9]{1,9}) ")
