"""Commands that staff types in the game and that are about somebody in another world.

The problem: staff has one client in one world, and whom it means may be anywhere. The idea: what this world
does not find goes the way of commands from outside, an order to the world that has who is named
(`server.operate.switchboard`). With it go the account and the name of who typed it. The rights are those that
the account has there and then, in the database both share, so that no word of a world gives anybody a level;
and the audit there names who it was.

To go to somebody, and to bring somebody, is to find out where that is and to take the usual way over the
border (`World.travel`): one of the two worlds is asked for the place, or to send.

What players of no staff type stays in their world: what they do to others is done within sight. (Words go
everywhere by `world.elsewhere`.)
"""

from __future__ import annotations

import json
import logging
from functools import partial
from typing import TYPE_CHECKING, Final, cast

from server.commands.machinery import Answer, CommandError
from server.commands.named import actor as actor_of
from server.commands.named import anything, place
from server.operate.switchboard import ACCOUNT, EVERYWHERE
from server.store.errors import DatabaseError, storage_explained
from world.mobile import Access

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from server.commands.host import Host
    from server.commands.machinery import Arguments, Command, Commands, Context, Staff
    from server.operate.switchboard import Switchboard
    from world.world import World

log = logging.getLogger("admin")

ANYBODY_S: Final = frozenset({"where", "weather"})
"""Commands that players have, too, with which staff means others."""

OWN: Final = frozenset({"go", "trace"})
"""Commands about who gives them, or this process, whatever they name."""


class Typed:
    """Implements `server.commands.machinery.Beyond`."""

    def __init__(self, commands: Commands, switchboard: Switchboard, host: Host) -> None:
        self._commands = commands
        self._switchboard = switchboard
        self._host = host

    def concerns(self, context: Context, row: Command, args: Arguments) -> bool:
        """See Beyond."""
        if context.access == Access.PLAYER or row.name in OWN:
            return False
        if row.access == Access.PLAYER and row.name not in ANYBODY_S:
            return False
        if row.name in EVERYWHERE or row.name.startswith(ACCOUNT) or "account" in args:
            return True
        word = args.get("character") or args.get("name")
        if word is None:
            return "realm" in args and args["realm"].lower() not in context.world.realms
        try:
            anything(context, word)
        except CommandError:
            return True
        return False

    async def give(
        self,
        context: Context,
        by: Staff,
        row: Command,
        args: Arguments,
        here: Callable[[], Awaitable[Answer]],
    ) -> Answer:
        """See Beyond."""
        if row.name in EVERYWHERE:
            return await self._switchboard.everywhere(row.name, args, here, by)
        try:
            with storage_explained():
                keeper = await self._switchboard.named(row, args)
        except DatabaseError as error:
            return Answer(False, [f"it is not known which world this is for: {error}"])
        if keeper is None or keeper == self._switchboard.world:
            return await here()
        if row.name == "goto":
            return await self._goto(context, keeper, by, row, args)
        if row.name == "bring":
            return await self._bring(context, keeper, by, args)
        return await self._switchboard.give(keeper, row.name, args, by)

    async def _goto(self, context: Context, keeper: int, by: Staff, row: Command, args: Arguments) -> Answer:
        found = await self._switchboard.give(keeper, "info", {"name": args["character"]}, by)
        if not found.ok:
            return found
        try:
            told = json.loads(found.lines[0])
            name, realm, x, y = (told[key] for key in ("name", "realm", "x", "y"))
        except (ValueError, LookupError, TypeError):
            return found  # it has not answered in time
        answer = await self._host.in_world(None, partial(_travel, context, name, realm, x, y))
        if answer.ok:
            self._commands.note(context, row, args, answer.lines[0])
        return answer

    async def _bring(self, context: Context, keeper: int, by: Staff, args: Arguments) -> Answer:
        def spot(_: World) -> Answer | dict[str, str]:
            try:
                actor = actor_of(context)
            except CommandError as error:
                return Answer(False, [str(error)])
            realm = cast("str", actor.realm and actor.realm.name)
            return {"realm": realm, "x": str(actor.x), "y": str(actor.y)}

        found = await self._host.in_world(None, spot)
        if isinstance(found, Answer):
            return found
        return await self._switchboard.give(keeper, "send", {"character": args["character"], **found}, by)


def _travel(context: Context, name: str, realm: str | None, x: int, y: int, world: World) -> Answer:
    try:
        actor = actor_of(context)
    except CommandError as error:
        return Answer(False, [str(error)])
    before = place(actor)
    if realm is None or not world.leads_to(realm) or not world.travel(actor, realm, x, y):
        there = "nowhere" if realm is None else f"in {realm} {x} {y}"
        return Answer(False, [f"{name} is {there}, in another world: nobody comes there from here now"])
    return Answer(True, [f"you were in {before}, are taken to {name} in {realm} {x} {y}"])
