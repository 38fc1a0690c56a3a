"""Commands about the sky: the time of day and the weather. Everybody may ask, staff may set."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from protocol.tables import nearest
from server.commands.machinery import CommandError, CommandTable
from server.commands.named import actor
from world import daytime, weather
from world.mobile import Access
from world.realm import Weather

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.commands.machinery import Arguments, Context

TABLE: Final = CommandTable()
_command = TABLE.command

_CLOCK: Final = re.compile(r"([0-9]{1,2}):([0-5][0-9])", re.ASCII)
KINDS: Final = [kind.value for kind in Weather]


@_command(
    "time [TIME]",
    access=Access.PLAYER,
    asks=True,
    about="tells the time of day; staff set it, until the server ends: time 21:30",
)
def time(context: Context, args: Arguments) -> Sequence[str]:
    """Tell or set the time of day. Raises CommandError for one that there is not, and to players who would
    set it."""
    world = context.world
    if "time" not in args:
        return [daytime.in_words(world)]
    _staff_only(context, "set the time")
    match = _CLOCK.fullmatch(args["time"])
    if match is None or int(match[1]) > 23:
        raise CommandError(f"{args['time']} is no time of day: they go from 00:00 to 23:59")
    before = daytime.set_time(world, int(match[1]), int(match[2]))
    return [f"it was {before}, is {daytime.daytime(world)} until the server ends"]


@_command(
    "weather [REALM] [KIND]",
    access=Access.PLAYER,
    asks=True,
    about="tells how the weather is; staff set it, until the server ends: weather confluence rain",
)
def weather_(context: Context, args: Arguments) -> Sequence[str]:
    """Tell or set the weather. Raises CommandError for a realm or a kind that there is not, and to players
    who would set it."""
    realms = context.world.realms
    if "realm" not in args:
        if context.actor is None:
            return [f"{name}: {realm.weather.value}" for name, realm in realms.items()]
        here = actor(context).realm
        return [weather.in_words(here)] if here is not None else []
    _staff_only(context, "set the weather")
    realm = realms.get(args["realm"].lower())
    if realm is None:
        raise CommandError(f"there is no realm {args['realm']}; there are {', '.join(realms)}")
    kind = args.get("kind", "").lower()
    if kind not in KINDS:
        said = f"there is no weather {args['kind']}{nearest(kind, KINDS)}" if kind else "say which weather"
        raise CommandError(f"{said}; there are {', '.join(KINDS)}")
    before = weather.set_weather(context.world, realm, Weather(kind))
    return [f"the weather of {realm.name} was {before.value}, is {kind} until the server ends"]


def _staff_only(context: Context, what: str) -> None:
    if context.access < Access.GAME_MASTER:
        raise CommandError(f"only staff may {what}")
