"""Commands about accounts, in the game and from outside; those of the `causeway account` command work on a
stopped server too."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from server.commands.machinery import CommandError, CommandTable, seconds
from server.people.administration import FOREVER
from server.people.credentials import cannot_type
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.commands.machinery import Arguments, Context
    from server.store.records import AccountRow

TABLE: Final = CommandTable()
_command = TABLE.command


@_command(
    "account create NAME PASSWORD [LEVEL]", access=Access.ADMIN, about="makes an account, or one of staff"
)
async def account_create(context: Context, args: Arguments) -> Sequence[str]:
    access = _level(context, args.get("level", "player"))
    row = await context.accounts.staff.create(args["name"], args["password"], access)
    return [
        f"account {row.name} was made ({Access.NAMES[access]})",
        *_about_typing(row.name, args["password"]),
    ]


@_command("account passwd NAME PASSWORD", access=Access.ADMIN, about="changes the password of an account")
async def account_passwd(context: Context, args: Arguments) -> Sequence[str]:
    row = await _account(context, args["name"])
    await context.accounts.staff.set_password(row, args["password"])
    return [f"the password of account {row.name} was changed", *_about_typing(row.name, args["password"])]


@_command("account ban NAME [DURATION] [REASON...]", access=Access.ADMIN, about="bans an account")
async def account_ban(context: Context, args: Arguments) -> Sequence[str]:
    return await ban_account(context, args["name"], args)


@_command("account unban NAME", access=Access.ADMIN, about="lifts the ban of an account")
async def account_unban(context: Context, args: Arguments) -> Sequence[str]:
    return await lift_ban(context, args["name"])


@_command("account level NAME [LEVEL]", access=Access.ADMIN, about="tells or sets the level of an account")
async def account_level(context: Context, args: Arguments) -> Sequence[str]:
    if "level" not in args:
        row = await found(context, args["name"])
        return [f"account {row.name} is {Access.NAMES[row.access]}"]
    row = await _account(context, args["name"])
    access = _level(context, args["level"])
    await context.accounts.staff.set_access(row, access)
    return [f"account {row.name} was {Access.NAMES[row.access]}, is {Access.NAMES[access]}"]


@_command(
    "account remove NAME",
    access=Access.ADMIN,
    about="deletes an account with its characters and all they have",
)
async def account_remove(context: Context, args: Arguments) -> Sequence[str]:
    row = await _account(context, args["name"])
    count = await context.accounts.staff.remove(row)
    return [f"account {row.name} was removed, with {count} character{'' if count == 1 else 's'}"]


@_command("account list", access=Access.ADMIN, audited=False, about="lists all accounts")
async def account_list(context: Context, args: Arguments) -> Sequence[str]:
    lines = []
    for row in await context.accounts.staff.all():
        seen = "never seen" if row.last_login is None else f"last seen {_moment(row.last_login)}"
        banned = row.banned_until is not None and row.banned_until > context.wall()
        lines.append(f"{row.name}: {Access.NAMES[row.access]}, {seen}{', banned' if banned else ''}")
    return lines


@_command("unban ACCOUNT", access=Access.GAME_MASTER, about="lifts the ban of an account")
async def unban(context: Context, args: Arguments) -> Sequence[str]:
    return await lift_ban(context, args["account"])


async def found(context: Context, name: str) -> AccountRow:
    """The account of that name. Raises CommandError."""
    row = await context.accounts.find(name)
    if row is None:
        raise CommandError(f"there is no account {name}")
    return row


async def _account(context: Context, name: str) -> AccountRow:
    """The account, if whoever gave the command may change it."""
    row = await found(context, name)
    context.require_over(row.access, row.name)
    return row


def _level(context: Context, text: str) -> int:
    """A level by name or number that the giver may give."""
    word = text.lower()
    if word in Access.NAMES:
        access = Access.NAMES.index(word)
    elif word.isascii() and word.isdigit() and int(word[:3]) < len(Access.NAMES):
        access = int(word[:3])
    else:
        raise CommandError(f"{text} is none of the levels {', '.join(Access.NAMES)}")
    context.require_over(access, Access.NAMES[access])
    return access


def _about_typing(name: str, password: str) -> Sequence[str]:
    games = cannot_type(name, password)
    return [f"but it cannot be typed in: {', '.join(games)}"] if games else []


async def ban_account(context: Context, name: str, args: Arguments) -> Sequence[str]:
    """Ban an account as the arguments say. Raises CommandError."""
    row = await _account(context, name)
    word, reason = args.get("duration"), args.get("reason", "")
    span = None if word is None else seconds(word)
    if span is None and word is not None:
        raise CommandError(f"{word!r} is no duration such as 12h, 3d or 2w")
    until = FOREVER if span is None else context.wall() + span
    await context.accounts.staff.ban(row, until, reason)
    ends = "for ever" if span is None else f"until {_moment(until)}"
    return [f"account {row.name} is banned {ends}{': ' + reason if reason else ''}"]


async def lift_ban(context: Context, name: str) -> Sequence[str]:
    """Lift the ban of an account. Raises CommandError."""
    row = await _account(context, name)
    if row.banned_until is None:
        raise CommandError(f"account {row.name} is not banned")
    before = "for ever" if row.banned_until >= FOREVER else f"until {_moment(row.banned_until)}"
    await context.accounts.staff.ban(row, None, "")
    return [f"account {row.name} was banned {before}, is banned no longer"]


def _moment(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at))
