"""Every command there is, in one table, and those of staff about characters and players.

What each is about says where it is: `server.commands.players` what every player may ask and hand over,
`server.commands.verbs` the verbs of the world, `server.commands.social` and `server.commands.mail` those
about others, `server.commands.parties` those of parties, `server.commands.guilds` those of guilds,
`server.commands.orders` setting and making, `server.commands.creatures` letting creatures come,
`server.commands.sky` the time of day and the weather, `server.commands.boards` notes,
`server.commands.conduct` silence, jail and reports, `server.commands.accounts` accounts,
`server.commands.running` the server itself. How they are run says `server.commands.machinery`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.endings import Ending
from server.commands import (
    accounts,
    boards,
    conduct,
    creatures,
    dealing,
    guilds,
    mail,
    orders,
    parties,
    players,
    running,
    sky,
    social,
    trading,
    verbs,
)
from server.commands.accounts import ban_account
from server.commands.machinery import CommandError, CommandTable
from server.commands.named import actor as actor_of
from server.commands.named import number as number_of
from server.commands.named import place, player, session_of
from world.mobile import Access
from world.speech import notice, to_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.commands.machinery import Arguments, Context
    from world.mobile import Mobile
    from world.realm import Realm

TABLE: Final = CommandTable()
for _module in (
    *(accounts, boards, conduct, creatures, dealing, guilds, mail, orders, parties, players),
    *(running, sky, social, trading, verbs),
):
    TABLE.include(_module.TABLE)
_command = TABLE.command


@_command(
    "help [COMMAND...]", access=Access.PLAYER, audited=False, about="lists the commands, or one: help guild"
)
def help_(context: Context, args: Arguments) -> Sequence[str]:
    """List all commands, or one with those that begin with its name. Raises CommandError if there is
    none."""
    rows = [row for row in TABLE if row.access <= context.access]
    if "command" in args:
        name = " ".join(args["command"].lower().split())
        rows = [row for row in rows if row.name == name or row.name.startswith(f"{name} ")]
        rows = rows or [TABLE.find(name, context.access)]
    return [f"{row.usage}: {row.about}" for row in rows]


@_command("pleas", access=Access.COUNSELOR, audited=False, about="lists the newest calls for the staff")
def pleas(context: Context, args: Arguments) -> Sequence[str]:
    now = context.world.now
    found = [f"{(now - it.at) / 60:.0f} minutes ago, {it.who}: {it.text}" for it in context.world.pleas]
    return found or ["nobody has called for the staff"]


# About characters


@_command("go REALM [X] [Y]", access=Access.COUNSELOR, about="takes you away: go REALM, go X Y, go REALM X Y")
def go(context: Context, args: Arguments) -> Sequence[str]:
    """Move the character of whoever asks. Raises CommandError for an unknown realm."""
    actor = actor_of(context)
    world, before = context.world, place(actor)
    if "x" in args and "y" not in args:
        realm, x, y = actor.realm, args["realm"], args["x"]
    else:
        realm = world.realms.get(args["realm"])
        chart = world.content.charts.get(args["realm"])
        first = (*chart.spawns, (0, 0))[0] if chart is not None else (0, 0)
        x, y = args.get("x", str(first[0])), args.get("y", str(first[1]))
    if realm is None and world.leads_to(args["realm"]):
        if not world.travel(actor, args["realm"], number_of(x), number_of(y)):
            raise CommandError(f"nobody comes to {args['realm']} now")
        return [f"you were in {before}, are taken to {args['realm']}"]
    if realm is None:
        raise CommandError(f"there is no realm {args['realm']}; there are {', '.join(world.realms)}")
    _put(actor, realm, number_of(x), number_of(y))
    return [f"you were in {before}, are in {place(actor)}"]


@_command("goto CHARACTER", access=Access.COUNSELOR, about="takes you to a character")
def goto(context: Context, args: Arguments) -> Sequence[str]:
    actor, target = actor_of(context), player(context, args)
    before = place(actor)
    _put_beside(actor, target)
    return [f"you were in {before}, are with {target.name} in {place(target)}"]


@_command("bring CHARACTER", access=Access.GAME_MASTER, about="brings a character to you")
def bring(context: Context, args: Arguments) -> Sequence[str]:
    actor, target = actor_of(context), player(context, args)
    before = place(target)
    _put_beside(target, actor)
    return [f"{target.name} was in {before}, is in {place(target)}"]


@_command(
    "send CHARACTER REALM X Y",
    access=Access.GAME_MASTER,
    about="takes a character to a tile, also of a realm that another world has: send bob undercroft 10 20",
)
def send(context: Context, args: Arguments) -> Sequence[str]:
    """Move a player's character. Raises CommandError for an unknown realm, and if there is no way there."""
    world, target = context.world, player(context, args)
    before, name = place(target), args["realm"].lower()
    realm, x, y = world.realms.get(name), number_of(args["x"]), number_of(args["y"])
    if realm is not None:
        _put(target, realm, x, y)
        return [f"{target.name} was in {before}, is in {place(target)}"]
    if name not in world.content.charts:
        raise CommandError(f"there is no realm {name}; there are {', '.join(world.content.charts)}")
    if not world.travel(target, name, x, y):
        raise CommandError(f"{target.name} stays in {before}: nobody comes to {name} from there now")
    return [f"{target.name} was in {before}, is taken to {name} {x} {y}"]


@_command("hide", access=Access.COUNSELOR, about="makes you invisible")
def hide(context: Context, args: Arguments) -> Sequence[str]:
    return [_set_hidden(actor_of(context), True)]


@_command("unhide", access=Access.COUNSELOR, about="makes you visible")
def unhide(context: Context, args: Arguments) -> Sequence[str]:
    return [_set_hidden(actor_of(context), False)]


# About players


@_command("msg CHARACTER TEXT...", access=Access.COUNSELOR, about="tells one player something")
def msg(context: Context, args: Arguments) -> Sequence[str]:
    target = player(context, args)
    notice(target, f"{context.speaker}: {args['text']}")
    return [f"{target.name} was told"]


@_command("broadcast TEXT...", access=Access.GAME_MASTER, about="tells everybody something")
def broadcast(context: Context, args: Arguments) -> Sequence[str]:
    to_all(context.world, args["text"], announce=True)
    return ["everybody was told"]


@_command("kick CHARACTER [REASON...]", access=Access.GAME_MASTER, about="disconnects a player")
def kick(context: Context, args: Arguments) -> Sequence[str]:
    target = player(context, args)
    context.require_over(target.access, target.name)
    session = session_of(context, target)
    session.family.goodbye(session, f"You were disconnected by staff. {args.get('reason', '')}".strip())
    session.end(Ending.KICKED, f"by {context.who}")
    return [f"{target.name} was disconnected"]


@_command(
    "ban CHARACTER [DURATION] [REASON...]",
    access=Access.GAME_MASTER,
    about="bans the account of a character that is online: ban bob 3d rude",
)
async def ban(context: Context, args: Arguments) -> Sequence[str]:
    name = await context.host.in_world(None, lambda _: _account_name(context, args))
    return await ban_account(context, name, args)


# Their parts


def _account_name(context: Context, args: Arguments) -> str:
    session = session_of(context, player(context, args))
    if session.account is None:
        raise CommandError("that character has no account")
    return session.account.name


def _set_hidden(mobile: Mobile, hidden: bool) -> str:
    words = {False: "visible", True: "hidden"}
    before, mobile.hidden = mobile.hidden, hidden
    return f"you were {words[before]}, are {words[hidden]}"


def _put(mobile: Mobile, realm: Realm, x: int, y: int) -> None:
    if not realm.walkable(x, y):
        raise CommandError(f"nobody can stand in {realm.name} {x} {y}")
    mobile.world.warp(mobile, realm, x, y)


def _put_beside(mobile: Mobile, other: Mobile) -> None:
    if other.realm is None or mobile.realm is None:
        raise CommandError(f"{other.name} is nowhere")
    x, y = next(other.realm.free_near(other.x, other.y), (other.x, other.y))
    mobile.world.warp(mobile, other.realm, x, y, other.z)
