"""Commands about the running server: how it is doing, what it writes down, and when it stops."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

import trio

from server import exits
from server.commands.accounts import found
from server.commands.machinery import CommandError, CommandTable, seconds
from server.commands.named import number as number_of
from server.commands.named import session_of
from server.net.tracing import MOST_MINUTES, TraceError
from server.people.credentials import fold
from world.mobile import Access
from world.speech import to_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from server.commands.machinery import Arguments, Context
    from server.store.records import AccountRow
    from world.world import World

TRACE_MINUTES: Final = 10
"""How long a trace takes if nobody says."""

VERBOSE: Final = "verbose"

TABLE: Final = CommandTable()
_command = TABLE.command


@_command(
    "status [DETAIL]",
    access=Access.COUNSELOR,
    audited=False,
    about="tells how the server is doing; from outside of the game, status verbose adds what it is at",
)
def status(context: Context, args: Arguments) -> Sequence[str]:
    """Describe the server. Raises CommandError for an unknown detail; what `verbose` adds is told by the
    admin channel (`server.operate.desk`)."""
    if args.get("detail", VERBOSE).lower() != VERBOSE:
        raise CommandError("status, or status verbose")
    host, world = context.host, context.world
    online = sum(1 for _ in world.online())
    first = f"{host.server_name}: tick {world.tick}, {len(host.sessions())} connected, {online} online"
    return [first, *host.statistics()]


@_command(
    "profile SWITCH",
    access=Access.ADMIN,
    audited=False,
    about="measures where the time goes: profile on, off or show",
)
def profile(context: Context, args: Arguments) -> Sequence[str]:
    """Switch the measurement of stages, or show it. Raises CommandError for an unknown word."""
    stages, word = context.host.stages, args["switch"].lower()
    if word not in ("on", "off", "show"):
        raise CommandError("profile on, profile off or profile show")
    if word == "show":
        return stages.report() or ["nothing was measured yet: profile on"]
    stages.switch(word == "on")
    return [f"the time of every stage is {'measured from now on' if word == 'on' else 'measured no longer'}"]


@_command(
    "trace [ACCOUNT] [MINUTES...]",
    access=Access.ADMIN,
    about="writes into a file what an account's clients send and are sent: trace bob 5, trace bob off; "
    "alone it lists who is traced",
)
async def trace(context: Context, args: Arguments) -> Sequence[str]:
    """Begin, end or list traces. Raises CommandError if the trace or the rank does not allow it."""
    tracing = context.tracing
    if "account" not in args:
        await trio.lowlevel.checkpoint()
        lines = [f"account {tracer.account} is traced into {tracer.path}" for tracer in tracing]
        return lines or ["nobody is traced"]
    row = await found(context, fold(args["account"]))
    if not await _is_own(context, row):
        context.require_over(row.access, row.name)
    word = args.get("minutes", str(TRACE_MINUTES)).removeprefix("--minutes").strip(" =").lower()
    try:
        if word == "off":
            tracer = tracing.stop(row.name)
            return [f"account {row.name} is traced no longer: the trace is {tracer.path}"]
        minutes = _minutes(word)
        tracer = tracing.start(row.name, minutes)
    except TraceError as error:
        raise CommandError(str(error)) from error
    return [f"account {row.name} is traced for {minutes} minutes into {tracer.path}"]


@_command("census", access=Access.GAME_MASTER, audited=False, about="counts all items there are, by kind")
async def census(context: Context, args: Arguments) -> Sequence[str]:
    await context.host.durable()
    stored = await context.host.stored_amounts()
    here = await context.host.in_world(None, _amounts)
    kinds = sorted({*stored, *here})
    lines = [
        f"{kind}: {stored.get(kind, 0)} in the database, {here.get(kind, 0)} in the world" for kind in kinds
    ]
    return [
        f"gold {stored.get('gold', 0)}",
        f"{len(kinds)} kinds; what is in the world is in the database too, a second later",
        *lines,
    ]


@_command("save", access=Access.GAME_MASTER, attests=True, about="waits until everything is on disk")
async def save(context: Context, args: Arguments) -> Sequence[str]:
    await context.host.durable()
    return ["everything is on disk"]


@_command(
    "realm REALM WORLD",
    access=Access.ADMIN,
    about="gives a realm to another world of the database, with everybody there: realm undercroft 2",
)
async def realm(context: Context, args: Arguments) -> Sequence[str]:
    world = number_of(args["world"])
    await context.host.give_realm(args["realm"].lower(), world)
    return [f"{args['realm'].lower()} is world {world}'s now; its config.toml counts when it starts"]


@_command(
    "drain WORLD",
    access=Access.ADMIN,
    about="gives all realms to another world of the database, with everybody there, and ends: drain 2",
)
async def drain(context: Context, args: Arguments) -> Sequence[str]:
    world, realms = number_of(args["world"]), list(context.host.world.realms)
    for name in realms:
        await context.host.give_realm(name, world)
    context.host.stop(exits.GOOD)
    return [f"{', '.join(realms)} are world {world}'s now; this one ends"]


@_command("reload", access=Access.ADMIN, about="reads the configuration again")
async def reload(context: Context, args: Arguments) -> Sequence[str]:
    return await context.host.reload()


@_command("reload content", access=Access.ADMIN, about="reads data/ again, and goes on with what it says now")
async def reload_content(context: Context, args: Arguments) -> Sequence[str]:
    return await context.host.reload_content()


@_command(
    "shutdown [DELAY] [REASON...]", access=Access.GAME_MASTER, about="stops the server, now or: shutdown 5m"
)
async def shutdown(context: Context, args: Arguments) -> Sequence[str]:
    return _stop(context, args, exits.GOOD, "stops")


@_command(
    "restart [DELAY] [REASON...]", access=Access.GAME_MASTER, about="stops the server and asks for a restart"
)
async def restart(context: Context, args: Arguments) -> Sequence[str]:
    return _stop(context, args, exits.RESTART, "restarts")


@_command("abort", access=Access.GAME_MASTER, about="calls off a shutdown or restart")
async def abort(context: Context, args: Arguments) -> Sequence[str]:
    """Call off a shutdown. Raises CommandError if none was under way."""
    if not context.countdown.abort():
        raise CommandError("nothing was under way")
    await context.host.in_world(None, _tell_called_off)
    return ["the server stays up"]


def _amounts(world: World) -> Mapping[str, int]:
    """How many there are of each kind of item in memory."""
    amounts: Counter[str] = Counter()
    for item in world.items.values():
        if item.stored:
            amounts[item.template.key] += item.amount
    return amounts


def _minutes(text: str) -> int:
    number = number_of(text)
    if not 1 <= number <= MOST_MINUTES:
        raise CommandError(f"from 1 to {MOST_MINUTES} minutes, not {text}")
    return number


async def _is_own(context: Context, row: AccountRow) -> bool:
    """Whether whoever gave the command plays that account."""
    actor = context.actor
    if actor is None:
        return False
    session = await context.host.in_world(None, lambda _: session_of(context, actor))
    return session.account is not None and session.account.name == row.name


def _stop(context: Context, args: Arguments, code: int, word: str) -> Sequence[str]:
    delay, reason = args.get("delay", "0s"), args.get("reason", "")
    span = seconds(delay)
    if span is None:
        raise CommandError(f"{delay} is no duration such as 30s or 5m")
    context.countdown.begin(context.host, span, code, reason)
    return [f"the server {word} {f'in {delay}' if span else 'now'}"]


def _tell_called_off(world: World) -> None:
    to_all(world, "The server stays up after all.", announce=True)
