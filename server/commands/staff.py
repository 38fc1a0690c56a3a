"""Every command there is, in one table: see `server.commands.machinery` for how they are run."""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Final

import trio

from protocol.endings import Ending
from server import exits
from server.commands import orders, verbs
from server.commands.machinery import CommandError, CommandTable, seconds
from server.commands.named import actor as actor_of
from server.commands.named import number as number_of
from server.commands.named import place
from server.commands.rescue import WAIT_SECONDS
from server.net.tracing import MOST_MINUTES, TraceError
from server.people.accounts import FOREVER
from server.people.credentials import cannot_type, fold
from world import finding, hands, newcomers
from world.item import Item
from world.mobile import Access
from world.reach import Cannot
from world.speech import notice, to_all

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from protocol.session import Session
    from server.commands.machinery import Arguments, Context
    from server.store.records import AccountRow
    from world.mobile import Mobile
    from world.realm import Realm
    from world.world import World

MOST_NAMED: Final = 50
"""Names that a player who asks is told."""
DURABLE_SECONDS: Final = 5.0
"""How long the word that something changed hands waits for the disk."""
GIVE_SECONDS: Final = 1.0
"""How long a player waits between two gifts: each of them makes the disk write at once."""
TRACE_MINUTES: Final = 10
"""How long a trace takes if nobody says."""

TABLE: Final = CommandTable()
TABLE.include(orders.TABLE)
TABLE.include(verbs.TABLE)
_command = TABLE.command


# For everybody


@_command("help [COMMAND...]", access=Access.PLAYER, audited=False, about="lists the commands, or one")
def help_(context: Context, args: Arguments) -> Sequence[str]:
    if "command" in args:
        row = TABLE.find(args["command"], context.access)
        return [f"{row.usage}: {row.about}"]
    return [f"{row.usage}: {row.about}" for row in TABLE if row.access <= context.access]


@_command("who", access=Access.PLAYER, audited=False, about="lists who is online")
def who(context: Context, args: Arguments) -> Sequence[str]:
    mobiles = sorted(context.world.online(), key=lambda mobile: mobile.name)
    if context.access < Access.COUNSELOR:
        mobiles = [mobile for mobile in mobiles if not mobile.hidden or mobile is context.actor]
        names = ", ".join(mobile.name for mobile in mobiles[:MOST_NAMED])
        more = f" and {len(mobiles) - MOST_NAMED} more" if len(mobiles) > MOST_NAMED else ""
        return [f"{len(mobiles)} online: {names}{more}"]
    return [f"{len(mobiles)} online", *(_described(context, mobile) for mobile in mobiles)]


@_command("pleas", access=Access.COUNSELOR, audited=False, about="lists the newest calls for the staff")
def pleas(context: Context, args: Arguments) -> Sequence[str]:
    now = context.world.now
    found = [f"{(now - it.at) / 60:.0f} minutes ago, {it.who}: {it.text}" for it in context.world.pleas]
    return found or ["nobody has called for the staff"]


@_command("stuck", access=Access.PLAYER, audited=False, about="takes you to where everybody begins")
def stuck(context: Context, args: Arguments) -> Sequence[str]:
    if not context.rescues.begin(actor_of(context)):
        raise CommandError("help is on its way already")
    return [f"In {WAIT_SECONDS} seconds you will be where everybody begins, if you do not move or die."]


@_command(
    "give CHARACTER [AMOUNT] ITEM...",
    access=Access.PLAYER,
    every=GIVE_SECONDS,
    about="hands something out of your pack to somebody beside you: give bob 20 gold",
)
async def give(context: Context, args: Arguments) -> Sequence[str]:
    lines = await context.host.in_world(None, lambda _: _hand_over(context, args))
    with trio.move_on_after(DURABLE_SECONDS) as patience:
        await context.host.durable()
    return [*lines, *(["but it is not on disk yet"] if patience.cancelled_caught else [])]


@_command(
    "gifts SWITCH",
    access=Access.PLAYER,
    audited=False,
    about="takes what others hand you, or refuses it until you leave: gifts on or off",
)
def gifts(context: Context, args: Arguments) -> Sequence[str]:
    actor, word = actor_of(context), args["switch"].lower()
    if word not in ("on", "off"):
        raise CommandError("gifts on or gifts off")
    actor.takes_gifts = word == "on"
    return ["others may hand you things" if actor.takes_gifts else "nobody can hand you anything now"]


@_command(
    "map SWITCH",
    access=Access.PLAYER,
    audited=False,
    about="shows you on the public map of the web page, or keeps you off it for good: map on or off",
)
def map_(context: Context, args: Arguments) -> Sequence[str]:
    actor, word = actor_of(context), args["switch"].lower()
    if word not in ("on", "off"):
        raise CommandError("map on or map off")
    context.host.privacy.put(actor, on_map=word == "on")
    return ["the public map may show you" if word == "on" else "the public map neither shows nor names you"]


@_command(
    "where [CHARACTER]", access=Access.PLAYER, audited=False, about="tells where you are, or another is"
)
def where(context: Context, args: Arguments) -> Sequence[str]:
    if "character" in args and context.access < Access.COUNSELOR:
        raise CommandError("you may only ask where you are yourself")
    mobile = _character(context, args)
    return [f"{mobile.name} is in {place(mobile)}"]


# About characters


@_command("go REALM [X] [Y]", access=Access.COUNSELOR, about="takes you away: go REALM, go X Y, go REALM X Y")
def go(context: Context, args: Arguments) -> Sequence[str]:
    actor = actor_of(context)
    if "x" in args and "y" not in args:
        realm, x, y = actor.realm, args["realm"], args["x"]
    else:
        realm = context.world.realms.get(args["realm"])
        first = realm.chart.spawns[0] if realm is not None else (0, 0)
        x, y = args.get("x", str(first[0])), args.get("y", str(first[1]))
    if realm is None:
        raise CommandError(f"there is no realm {args['realm']}; there are {', '.join(context.world.realms)}")
    before = place(actor)
    _put(actor, realm, number_of(x), number_of(y))
    return [f"you were in {before}, are in {place(actor)}"]


@_command("goto CHARACTER", access=Access.COUNSELOR, about="takes you to a character")
def goto(context: Context, args: Arguments) -> Sequence[str]:
    actor, target = actor_of(context), _character(context, args)
    before = place(actor)
    _put_beside(actor, target)
    return [f"you were in {before}, are with {target.name} in {place(target)}"]


@_command("bring CHARACTER", access=Access.GAME_MASTER, about="brings a character to you")
def bring(context: Context, args: Arguments) -> Sequence[str]:
    actor, target = actor_of(context), _character(context, args)
    before = place(target)
    _put_beside(target, actor)
    return [f"{target.name} was in {before}, is in {place(target)}"]


@_command("hide", access=Access.COUNSELOR, about="makes you invisible")
def hide(context: Context, args: Arguments) -> Sequence[str]:
    return [_set_hidden(actor_of(context), True)]


@_command("unhide", access=Access.COUNSELOR, about="makes you visible")
def unhide(context: Context, args: Arguments) -> Sequence[str]:
    return [_set_hidden(actor_of(context), False)]


# About players


@_command("msg CHARACTER TEXT...", access=Access.COUNSELOR, about="tells one player something")
def msg(context: Context, args: Arguments) -> Sequence[str]:
    target = _character(context, args)
    notice(target, f"{context.actor.name if context.actor else 'Staff'}: {args['text']}")
    return [f"{target.name} was told"]


@_command("broadcast TEXT...", access=Access.GAME_MASTER, about="tells everybody something")
def broadcast(context: Context, args: Arguments) -> Sequence[str]:
    to_all(context.world, args["text"], announce=True)
    return ["everybody was told"]


@_command("kick CHARACTER [REASON...]", access=Access.GAME_MASTER, about="disconnects a player")
def kick(context: Context, args: Arguments) -> Sequence[str]:
    target = _character(context, args)
    context.require_over(target.access, target.name)
    session = _session(context, target)
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
    return await _ban(context, name, args)


@_command("unban ACCOUNT", access=Access.GAME_MASTER, about="lifts the ban of an account")
async def unban(context: Context, args: Arguments) -> Sequence[str]:
    return await _unban(context, args["account"])


# About accounts


@_command(
    "account create NAME PASSWORD [LEVEL]", access=Access.ADMIN, about="makes an account, or one of staff"
)
async def account_create(context: Context, args: Arguments) -> Sequence[str]:
    access = _level(context, args.get("level", "player"))
    row = await context.accounts.create(args["name"], args["password"], access)
    return [
        f"account {row.name} was made ({Access.NAMES[access]})",
        *_about_typing(row.name, args["password"]),
    ]


@_command("account passwd NAME PASSWORD", access=Access.ADMIN, about="changes the password of an account")
async def account_passwd(context: Context, args: Arguments) -> Sequence[str]:
    row = await _account(context, args["name"])
    await context.accounts.set_password(row, args["password"])
    return [f"the password of account {row.name} was changed", *_about_typing(row.name, args["password"])]


@_command("account ban NAME [DURATION] [REASON...]", access=Access.ADMIN, about="bans an account")
async def account_ban(context: Context, args: Arguments) -> Sequence[str]:
    return await _ban(context, args["name"], args)


@_command("account unban NAME", access=Access.ADMIN, about="lifts the ban of an account")
async def account_unban(context: Context, args: Arguments) -> Sequence[str]:
    return await _unban(context, args["name"])


@_command("account level NAME [LEVEL]", access=Access.ADMIN, about="tells or sets the level of an account")
async def account_level(context: Context, args: Arguments) -> Sequence[str]:
    if "level" not in args:
        row = await _found(context, args["name"])
        return [f"account {row.name} is {Access.NAMES[row.access]}"]
    row = await _account(context, args["name"])
    access = _level(context, args["level"])
    await context.accounts.set_access(row, access)
    return [f"account {row.name} was {Access.NAMES[row.access]}, is {Access.NAMES[access]}"]


@_command(
    "account remove NAME",
    access=Access.ADMIN,
    about="deletes an account with its characters and all they have",
)
async def account_remove(context: Context, args: Arguments) -> Sequence[str]:
    row = await _account(context, args["name"])
    count = await context.accounts.remove(row)
    return [f"account {row.name} was removed, with {count} character{'' if count == 1 else 's'}"]


@_command("account list", access=Access.ADMIN, audited=False, about="lists all accounts")
async def account_list(context: Context, args: Arguments) -> Sequence[str]:
    lines = []
    for row in await context.accounts.all():
        seen = "never seen" if row.last_login is None else f"last seen {_moment(row.last_login)}"
        banned = row.banned_until is not None and row.banned_until > context.wall()
        lines.append(f"{row.name}: {Access.NAMES[row.access]}, {seen}{', banned' if banned else ''}")
    return lines


# About the server


@_command("status", access=Access.COUNSELOR, audited=False, about="tells how the server is doing")
def status(context: Context, args: Arguments) -> Sequence[str]:
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
    tracing = context.tracing
    if "account" not in args:
        await trio.lowlevel.checkpoint()
        lines = [f"account {tracer.account} is traced into {tracer.path}" for tracer in tracing]
        return lines or ["nobody is traced"]
    row = await _found(context, fold(args["account"]))
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


@_command("save", access=Access.GAME_MASTER, about="waits until everything is on disk")
async def save(context: Context, args: Arguments) -> Sequence[str]:
    await context.host.durable()
    return ["everything is on disk"]


@_command("reload", access=Access.ADMIN, about="reads the configuration again")
async def reload(context: Context, args: Arguments) -> Sequence[str]:
    return await context.host.reload()


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
    if not context.countdown.abort():
        raise CommandError("nothing was under way")
    await context.host.in_world(None, _tell_called_off)
    return ["the server stays up"]


# Their parts


def _hand_over(context: Context, args: Arguments) -> Sequence[str]:
    """Out of the giver's pack into the other's, or nothing at all."""
    actor, other = actor_of(context), _character(context, args)
    found = finding.all_called(
        args["item"], (item for item in newcomers.all_items(actor) if isinstance(item.parent, Item))
    )
    if not found:
        raise CommandError(f"you have no {args['item']} in your pack")
    if other is actor:
        raise CommandError("you have that already")
    item = max(found, key=lambda item: item.amount)
    amount = number_of(args["amount"]) if "amount" in args else item.amount
    try:
        hands.give(actor, item, amount, other)
    except Cannot as refused:
        raise CommandError(str(refused)) from refused
    return [f"{other.name} has {amount} {item.label} of yours"]


def _amounts(world: World) -> Mapping[str, int]:
    """How many there are of each kind of item in memory."""
    amounts: Counter[str] = Counter()
    for item in world.items.values():
        if item.stored:
            amounts[item.template.key] += item.amount
    return amounts


def _set_hidden(mobile: Mobile, hidden: bool) -> str:
    words = {False: "visible", True: "hidden"}
    before, mobile.hidden = mobile.hidden, hidden
    return f"you were {words[before]}, are {words[hidden]}"


def _character(context: Context, args: Arguments) -> Mobile:
    """The character that is named, or whoever gave the command."""
    if "character" not in args:
        return actor_of(context)
    found = context.world.online_by_name(args["character"])
    if found is None:
        raise CommandError(f"{args['character']} is not online")
    return found


def _session(context: Context, mobile: Mobile) -> Session:
    for session in context.host.sessions():
        if session.mobile is mobile:
            return session
    raise CommandError(f"{mobile.name} is not online")


def _described(context: Context, mobile: Mobile) -> str:
    session = _session(context, mobile)
    account = session.account.name if session.account is not None else "?"
    address = f", {session.peer}" if context.access >= Access.ADMIN else ""
    return f"{mobile.name}: {place(mobile)}, {session.family.name}, account {account}{address}"


def _put(mobile: Mobile, realm: Realm, x: int, y: int) -> None:
    if not realm.walkable(x, y):
        raise CommandError(f"nobody can stand in {realm.name} {x} {y}")
    mobile.world.warp(mobile, realm, x, y)


def _put_beside(mobile: Mobile, other: Mobile) -> None:
    if other.realm is None or mobile.realm is None:
        raise CommandError(f"{other.name} is nowhere")
    x, y = next(other.realm.free_near(other.x, other.y), (other.x, other.y))
    mobile.world.warp(mobile, other.realm, x, y, other.z)


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
    session = await context.host.in_world(None, lambda _: _session(context, actor))
    return session.account is not None and session.account.name == row.name


def _account_name(context: Context, args: Arguments) -> str:
    session = _session(context, _character(context, args))
    if session.account is None:
        raise CommandError("that character has no account")
    return session.account.name


async def _found(context: Context, name: str) -> AccountRow:
    row = await context.accounts.find(name)
    if row is None:
        raise CommandError(f"there is no account {name}")
    return row


async def _account(context: Context, name: str) -> AccountRow:
    """The account, if whoever gave the command may change it."""
    row = await _found(context, name)
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


async def _ban(context: Context, name: str, args: Arguments) -> Sequence[str]:
    row = await _account(context, name)
    word, reason = args.get("duration"), args.get("reason", "")
    span = None if word is None else seconds(word)
    if span is None and word is not None:
        raise CommandError(f"{word!r} is no duration such as 12h, 3d or 2w")
    until = FOREVER if span is None else context.wall() + span
    await context.accounts.ban(row, until, reason)
    ends = "for ever" if span is None else f"until {_moment(until)}"
    return [f"account {row.name} is banned {ends}{': ' + reason if reason else ''}"]


async def _unban(context: Context, name: str) -> Sequence[str]:
    row = await _account(context, name)
    if row.banned_until is None:
        raise CommandError(f"account {row.name} is not banned")
    before = "for ever" if row.banned_until >= FOREVER else f"until {_moment(row.banned_until)}"
    await context.accounts.ban(row, None, "")
    return [f"account {row.name} was banned {before}, is banned no longer"]


def _stop(context: Context, args: Arguments, code: int, word: str) -> Sequence[str]:
    delay, reason = args.get("delay", "0s"), args.get("reason", "")
    span = seconds(delay)
    if span is None:
        raise CommandError(f"{delay} is no duration such as 30s or 5m")
    context.countdown.begin(context.host, span, code, reason)
    return [f"the server {word} {f'in {delay}' if span else 'now'}"]


def _tell_called_off(world: World) -> None:
    to_all(world, "The server stays up after all.", announce=True)


def _moment(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at))
