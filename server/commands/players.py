"""Commands about oneself and others, for every player: who is here, where, and what one hands over."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import trio

from server.commands.machinery import CommandError, CommandTable
from server.commands.named import actor as actor_of
from server.commands.named import number as number_of
from server.commands.named import place, player, session_of
from world import finding, hands, newcomers, presence, rescue, sketch
from world.item import Item
from world.mobile import Access
from world.reach import Cannot

if TYPE_CHECKING:
    from collections.abc import Sequence

    from server.commands.machinery import Arguments, Context
    from world.mobile import Mobile

MOST_NAMED: Final = 50
"""Names that a player who asks receives."""
DURABLE_SECONDS: Final = 5.0
"""How long the word that something changed hands waits for the disk."""
GIVE_SECONDS: Final = 1.0
"""How long a player waits between two gifts: each of them makes the disk write at once."""

TABLE: Final = CommandTable()
_command = TABLE.command


@_command("who", access=Access.PLAYER, audited=False, about="lists who is online")
def who(context: Context, args: Arguments) -> Sequence[str]:
    mobiles = sorted(context.world.online(), key=lambda mobile: mobile.name)
    if context.actor is not None and context.access < Access.COUNSELOR:
        there = [mobile.name for mobile in mobiles if not mobile.hidden or mobile is context.actor]
        all_names = sorted([*there, *(person.name for person in presence.listed_afar(context.actor))])
        names = ", ".join(all_names[:MOST_NAMED])
        more = f" and {len(all_names) - MOST_NAMED} more" if len(all_names) > MOST_NAMED else ""
        return [f"{len(all_names)} online: {names}{more}"]
    elsewhere = sorted(context.world.elsewhere.people.values(), key=lambda person: person.name)
    return [
        f"{len(mobiles) + len(elsewhere)} online",
        *(_described(context, mobile) for mobile in mobiles),
        *(f"{person.name} ({person.game}) in another world, {person.realm}" for person in elsewhere),
    ]


@_command("stuck", access=Access.PLAYER, audited=False, about="takes you to where everybody begins")
def stuck(context: Context, args: Arguments) -> Sequence[str]:
    """Begin the way back to the start. Raises CommandError if it has begun already."""
    if not rescue.begin(actor_of(context)):
        raise CommandError(rescue.UNDER_WAY)
    return [rescue.TOLD]


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
    """Allow or refuse gifts. Raises CommandError if the word is neither on nor off."""
    actor, word = actor_of(context), args["switch"].lower()
    if word not in ("on", "off"):
        raise CommandError("gifts on or gifts off")
    actor.takes_gifts = word == "on"
    return ["others may hand you things" if actor.takes_gifts else "nobody can hand you anything now"]


@_command(
    "map [SWITCH]",
    access=Access.PLAYER,
    audited=False,
    about="draws what is around you in letters; map on or off: the public map of the web page may show you, "
    "or never does",
)
def map_(context: Context, args: Arguments) -> Sequence[str]:
    """Draw the surroundings; or put the character on the public map, or keep it off. Raises CommandError for
    any other word."""
    actor, word = actor_of(context), args.get("switch", "").lower()
    if not word:
        return _surroundings(context, actor)
    if word not in ("on", "off"):
        raise CommandError("map, map on or map off")
    context.host.privacy.put(actor, on_map=word == "on")
    return ["the public map may show you" if word == "on" else "the public map neither shows nor names you"]


@_command(
    "where [CHARACTER]", access=Access.PLAYER, audited=False, about="tells where you are, or another is"
)
def where(context: Context, args: Arguments) -> Sequence[str]:
    """Describe the place of a character. Raises CommandError for players who ask about somebody else."""
    if "character" in args and context.access < Access.COUNSELOR:
        raise CommandError("you may only ask where you are yourself")
    mobile = player(context, args)
    return [f"{mobile.name} is in {place(mobile)}"]


def _surroundings(context: Context, actor: Mobile) -> Sequence[str]:
    """The sketch last, so that it is whole in a window that shows no more lines than it has."""
    rows = sketch.sketch(actor)
    page = context.host.page_address(session_of(context, actor))
    return [
        *([f"All of it is drawn on the live map: {page}"] if page else []),
        f"North is up, a letter is a tile: {sketch.legend(rows)}",
        *rows,
    ]


def _hand_over(context: Context, args: Arguments) -> Sequence[str]:
    """Out of the giver's pack into the other's, or nothing at all."""
    actor, other = actor_of(context), player(context, args)
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


def _described(context: Context, mobile: Mobile) -> str:
    session = session_of(context, mobile)
    account = session.account.name if session.account is not None else "?"
    address = f", {session.peer}" if context.access >= Access.ADMIN else ""
    return f"{mobile.name}: {place(mobile)}, {session.family.name}, account {account}{address}"
