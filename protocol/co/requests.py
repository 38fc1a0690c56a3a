"""Everything that clients of Conquer Online are known to ask for, and what comes of each: packets, and the
kinds of two of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.co.handlers import ACCOUNT, TABLE, things
from protocol.co.handlers.table import ACTIONS, FIRST, IDLE
from protocol.co.handlers.unread import ACTION_WISHES
from protocol.co.packets import Action, ActionType, ItemAction, ItemActionType
from protocol.requests import DONE, Request, of_table
from protocol.wishes import Idle, Unmet, Wish

if TYPE_CHECKING:
    import enum
    from collections.abc import Iterator

    from protocol.dispatch import Table
    from protocol.requests import Answer
    from protocol.session import Session

KNOWN_ACTIONS: Final = frozenset(
    {*range(74, 80), 81, 85, *range(93, 98), 99, 100, 102, 105, 106, 108, *range(109, 115), *range(116, 119)}
    | {120, 123, 130, 133, 137, 138, 140, 142, 163, 310}
)
"""The kinds of Action that public servers take."""

KNOWN_ITEM_ACTIONS: Final = frozenset({*range(1, 30), 33, *range(35, 39), 40, 41, 48, 49})
"""The kinds of ItemAction that public servers take."""


def requests() -> Iterator[Request]:
    """The rows of both doors' tables, then the kinds of Action and of ItemAction."""
    yield from of_table(cast("Table[Session]", ACCOUNT), "account {}".format)
    yield from of_table(cast("Table[Session]", TABLE), str)
    for kind in sorted({*KNOWN_ACTIONS, *ACTIONS, *FIRST, *IDLE}):
        yield Request(f"{Action.type}:{kind}", _name(ActionType, kind), _answer_to_action(kind))
    for kind in sorted(KNOWN_ITEM_ACTIONS):
        yield Request(f"{ItemAction.type}:{kind}", _name(ItemActionType, kind), things.answer_to(kind))


def _name(kinds: type[enum.IntEnum], kind: int) -> str:
    """Our name of a kind, "?" if we have none."""
    return kinds(kind).name if kind in set(kinds) else "?"


def _answer_to_action(kind: int) -> Answer:
    """The answer to an Action of that kind."""
    if kind in IDLE:
        return Idle(IDLE[kind])
    if kind in ACTION_WISHES:
        return Unmet(ACTION_WISHES[ActionType(kind)])
    return DONE if kind in {*ACTIONS, *FIRST} else Unmet(Wish.UNKNOWN)
