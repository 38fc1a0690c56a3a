"""Commands about creatures: letting some come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from protocol.tables import nearest
from server.commands.machinery import CommandError, CommandTable
from server.commands.named import actor, number
from world import spawners
from world.mobile import Access
from world.reach import Cannot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.commands.machinery import Arguments, Context
    from world.realm import Realm

TABLE: Final = CommandTable()
_command = TABLE.command


@_command(
    "spawn KIND [COUNT] [REALM] [X] [Y]",
    access=Access.GAME_MASTER,
    about="lets creatures come, beside you or to a tile: spawn wolf, spawn wolf 3 confluence 20 12",
)
def spawn(context: Context, args: Arguments) -> Sequence[str]:
    """Let creatures come; one serial a line. Raises CommandError for an unknown kind or realm, a blocked
    tile, and if the world's rules refuse it."""
    kind = _kind(context, args["kind"])
    count = number(args["count"]) if "count" in args else 1
    realm, x, y, beside = _tile(context, args)
    try:
        found = spawners.spawn(context.world, realm, kind, count, x, y, beside=beside)
    except Cannot as refused:
        raise CommandError(str(refused)) from refused
    return [str(mobile.serial) for mobile in found]


def _kind(context: Context, word: str) -> str:
    """The key of a kind of creature, by that or by what it is called, with or without its article."""
    kinds = {key: it for key, it in context.world.content.mobiles.items() if it.fights is not None}
    wanted = word.lower()
    if wanted in kinds:
        return wanted
    for key, template in kinds.items():
        if wanted in (template.name.lower(), template.name.lower().partition(" ")[2]):
            return key
    raise CommandError(f"there is no creature {word}{nearest(wanted, list(kinds))}")


def _tile(context: Context, args: Arguments) -> tuple[Realm, int, int, bool]:
    """Where they are to come, and whether beside whoever stands there and not on the tile itself. Raises
    CommandError if that is not said, or no such place is there."""
    if "realm" not in args:
        here = actor(context)
        if here.realm is not None:
            return here.realm, here.x, here.y, True
        raise CommandError("you are nowhere")
    realm = context.world.realms.get(args["realm"].lower())
    if realm is None:
        known = list(context.world.realms)
        raise CommandError(f"there is no realm {args['realm']}; there are {', '.join(known)}")
    if "y" not in args:
        raise CommandError("a realm, and the tile in it: spawn KIND COUNT REALM X Y")
    return realm, number(args["x"]), number(args["y"]), False
