"""Conquer Online: patches 5017 and 5065.

`family` is all the server needs. Clients log in at the account server and are sent on to the game, whose
ciphers are those of the listener's patch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, cast

from protocol.co.codec import CoAccountCodec, game_codec
from protocol.co.figures import Figures
from protocol.co.handlers import ACCOUNT, GAME, things
from protocol.co.handlers.actions import ACTIONS, FIRST, IDLE
from protocol.co.handlers.login import greet
from protocol.co.handlers.table import type_of_frame
from protocol.co.handlers.tolerated import ACTION_WISHES
from protocol.co.looks import compile_looks
from protocol.co.packets import SERVER_MESSAGES, ActionType, Channel, ItemActionType, said
from protocol.co.places import read_places
from protocol.co.session import ACCOUNT_DOOR, GAME_DOOR, CoSession
from protocol.co.view import CoView
from protocol.family import Door, Family, Table, Transport
from protocol.requests import DONE, Request, of_table
from protocol.session import Phase
from protocol.tables import LookError
from protocol.wishes import Idle, Unmet, Wish

if TYPE_CHECKING:
    from collections.abc import Iterator

    from protocol.requests import Answer
    from protocol.session import Session
    from world.content import Content

NAMES: Final = {message.type: message.__name__ for message in SERVER_MESSAGES}
"""What a server's packets are called, by type."""


KNOWN_ACTIONS: Final = frozenset(
    {*range(74, 80), 81, 85, *range(93, 98), 99, 100, 102, 105, 106, 108, *range(109, 115), *range(116, 119)}
    | {120, 123, 130, 133, 137, 138, 140, 142, 163, 310}
)
"""The kinds of Action that public servers take."""

KNOWN_ITEM_ACTIONS: Final = frozenset({*range(1, 30), 33, *range(35, 39), 40, 41, 48, 49})
"""The kinds of ItemAction that public servers take."""


def family(content: Content) -> Family:
    """The game for one world's content. Raises LookError for mistakes in its tables."""
    looks = compile_looks(content)
    mistakes: list[str] = []
    places = read_places(content.charts.values(), mistakes)
    if mistakes:
        raise LookError(mistakes)
    return Family(
        name="co",
        doors={
            ACCOUNT_DOOR: Door(Transport.STREAM, CoAccountCodec, cast("Table[Session]", ACCOUNT), CoSession),
            GAME_DOOR: Door(
                Transport.STREAM,
                game_codec,
                cast("Table[Session]", GAME),
                CoSession,
                opened=greet,
                typed=False,
            ),
        },
        view=CoView(Figures(looks, places)),
        goodbye=goodbye,
        problems=tuple(
            f"realms/{name}.toml: atlas: no co, so that players of Conquer Online cannot go there"
            for name in content.charts
            if not places.has(name)
        ),
        requests=_requests,
        name_of=lambda _, message: NAMES.get(type_of_frame(message), "?"),
    )


def _requests() -> Iterator[Request]:
    """What may be said at both doors."""
    yield from of_table(cast("Table[Session]", ACCOUNT), "account {}".format)
    yield from of_table(cast("Table[Session]", GAME), str)
    for kind in sorted({*KNOWN_ACTIONS, *ACTIONS, *FIRST, *IDLE}):
        known = kind in set(ActionType)
        yield Request(f"1010:{kind}", ActionType(kind).name if known else "?", _answer_to_action(kind))
    for kind in sorted(KNOWN_ITEM_ACTIONS):
        known = kind in set(ItemActionType)
        yield Request(f"1009:{kind}", ItemActionType(kind).name if known else "?", things.answer_to(kind))


def _answer_to_action(kind: int) -> Answer:
    """What comes of an Action."""
    if kind in IDLE:
        return Idle(IDLE[kind])
    if kind in ACTION_WISHES:
        return Unmet(ACTION_WISHES[ActionType(kind)])
    return DONE if kind in {*ACTIONS, *FIRST} else Unmet(Wish.UNKNOWN)


def goodbye(session: Session, reason: str) -> None:
    """Say why this client is sent away, where it has a window for words."""
    client = cast("CoSession", session)
    if client.phase is Phase.IN_WORLD:
        client.send(said(reason, Channel.SYSTEM))
    elif client.door == GAME_DOOR and client.phase in (Phase.MENU, Phase.ENTERING):
        client.send(said(reason, Channel.LOGIN))
