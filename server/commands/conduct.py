"""Commands about conduct: silence and jail, which outlive a restart, and what players report."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING, Final

from server.commands.machinery import CommandError, CommandTable, seconds
from server.commands.named import number
from server.commands.verbs import verb_of
from world import conduct, helpdesk
from world.mobile import Access
from world.reach import Cannot

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from server.commands.machinery import Arguments, Context
    from world.directory import Known
    from world.mobile import Mobile
    from world.sentence import Sentence
    from world.world import World

TABLE: Final = CommandTable()
_command = TABLE.command
_verb = partial(verb_of, TABLE)

MOST_SECONDS: Final = 366 * 86_400.0
"""Nobody is silenced or in jail for longer: that would be a ban."""


@_verb("helpdesk", "asks what you need: how things are done, a report, the staff, friends, letters ...")
def helpdesk_(actor: Mobile, args: Arguments) -> Sequence[str]:
    helpdesk.at_help(actor)
    return []


@_verb("report NAME TEXT...", "reports somebody to the staff, with what was said around you last")
def report(actor: Mobile, args: Arguments) -> Sequence[str]:
    conduct.report(actor, args["name"], args["text"])
    return []


@_command(
    "reports [NUMBER]",
    access=Access.COUNSELOR,
    audited=False,
    about="lists what players reported and nobody has dealt with, or shows one with what was said there",
)
def reports(context: Context, args: Arguments) -> Sequence[str]:
    """List reports, or show one. Raises CommandError for a number that none has."""
    listed = conduct.reports(context.world)
    if "number" not in args:
        lines = [f"{one.number}: {_moment(one.at)}, {one.title}: {one.text}" for one in listed.values()]
        return lines or ["nobody has reported anything"]
    found = listed.get(number(args["number"]))
    if found is None:
        raise CommandError(f"there is no report {args['number']}")
    return [
        f"{_moment(found.at)}, in {found.place}, {found.title}: {found.text}",
        *(found.lines.split("\n") if found.lines else ["nothing was said there"]),
    ]


@_command(
    "resolve NUMBER", access=Access.COUNSELOR, about="takes a report off the list: it has been dealt with"
)
def resolve(context: Context, args: Arguments) -> Sequence[str]:
    """Take a report off the list. Raises CommandError for a number that none has."""
    try:
        found = conduct.resolve(context.world, number(args["number"]))
    except Cannot as cannot:
        raise CommandError(str(cannot)) from cannot
    return [f"report {found.number} of {found.title} was open, is dealt with"]


@_command("sentences", access=Access.COUNSELOR, audited=False, about="lists who is silenced or in jail")
def sentences(context: Context, args: Arguments) -> Sequence[str]:
    found = [
        f"{one.name}: {one.penalty} until {_moment(one.until)} by {one.by}{_because(one)}"
        for one in conduct.sentences(context.world)
    ]
    return found or ["nobody is silenced or in jail"]


@_command(
    "mute CHARACTER DURATION [REASON...]",
    access=Access.GAME_MASTER,
    about="silences the account of a character, who may be away: mute bob 12h spam",
)
async def mute(context: Context, args: Arguments) -> Sequence[str]:
    sentence = await _sentence(context, args, conduct.mute)
    return [f"{sentence.name} is silenced until {_moment(sentence.until)}{_because(sentence)}"]


@_command("unmute CHARACTER", access=Access.GAME_MASTER, about="lets a silenced account speak again")
async def unmute(context: Context, args: Arguments) -> Sequence[str]:
    sentence = await _lifted(context, args, conduct.unmute)
    return [f"{sentence.name} was silenced, may speak"]


@_command(
    "jail CHARACTER DURATION [REASON...]",
    access=Access.GAME_MASTER,
    about="puts a character into jail, who may be away: jail bob 30m theft",
)
async def jail(context: Context, args: Arguments) -> Sequence[str]:
    sentence = await _sentence(context, args, conduct.jail)
    return [f"{sentence.name} is in jail until {_moment(sentence.until)}{_because(sentence)}"]


@_command("unjail CHARACTER", access=Access.GAME_MASTER, about="lets a character out of jail")
async def unjail(context: Context, args: Arguments) -> Sequence[str]:
    sentence = await _lifted(context, args, conduct.unjail)
    return [f"{sentence.name} was in jail, is free"]


async def _sentence(
    context: Context,
    args: Arguments,
    give: Callable[[World, Known, float, str, str], Sentence],
) -> Sentence:
    known, span = await _known(context, args), seconds(args["duration"])
    if span is None or not 1 <= span <= MOST_SECONDS:
        raise CommandError(f"{args['duration']!r} is no duration such as 15m, 12h or 3d, at most a year")
    reason = args.get("reason", "")
    return await _in_world(context, lambda world: give(world, known, span, reason, context.who))


async def _lifted(context: Context, args: Arguments, lift: Callable[[World, Known], Sentence]) -> Sentence:
    known = await _known(context, args)
    return await _in_world(context, lambda world: lift(world, known))


async def _in_world(context: Context, call: Callable[[World], Sentence]) -> Sentence:
    try:
        return await context.host.in_world(None, call)
    except Cannot as cannot:
        raise CommandError(str(cannot)) from cannot


async def _known(context: Context, args: Arguments) -> Known:
    """The character of that name, if it is below whoever asks."""
    known = context.world.directory.find(args["character"])
    if known is None:
        raise CommandError(f"there is no character {args['character']}")
    row = await context.accounts.staff.numbered(known.account)
    if row is not None:
        context.require_over(row.access, known.name)
    return known


def _because(sentence: Sentence) -> str:
    return f": {sentence.reason}" if sentence.reason else ""


def _moment(at: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime(at))
