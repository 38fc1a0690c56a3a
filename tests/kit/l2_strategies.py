"""Hypothesis strategies for every message and structure of Lineage II, from their declarations."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final, TypeVar, cast

from hypothesis import strategies as st

from protocol.l2.packets import (
    CATALOGUE,
    CLIENT_MESSAGES,
    SERVER_MESSAGES,
    Action,
    AddTradeItem,
    AllyLeave,
    AnswerTradeRequest,
    CharacterCreate,
    FinishRotating,
    MoveBackwardToLocation,
    RequestActionUse,
    RequestAllyInfo,
    RequestAnswerFriendInvite,
    RequestAnswerJoinParty,
    RequestAnswerJoinPledge,
    RequestBlock,
    RequestBypassToServer,
    RequestChangePartyLeader,
    RequestCreatePledge,
    RequestDestroyItem,
    RequestDropItem,
    RequestFriendDel,
    RequestFriendInvite,
    RequestFriendList,
    RequestGmList,
    RequestJoinAlly,
    RequestJoinParty,
    RequestJoinPledge,
    RequestOustPartyMember,
    RequestOustPledgeMember,
    RequestPetition,
    RequestPetitionCancel,
    RequestPledgeMemberInfo,
    RequestPledgeMemberList,
    RequestPledgePower,
    RequestPledgePowerGradeList,
    RequestPledgeSetMemberPowerGrade,
    RequestSendFriendMsg,
    RequestSocialAction,
    RequestStartPledgeWar,
    RequestStopPledgeWar,
    RequestTargetCancel,
    RequestWithDrawalParty,
    RequestWithdrawalPledge,
    Say2,
    TradeDone,
    TradeRequest,
    UseItem,
    ValidatePosition,
)
from protocol.l2.packets.base import Float, One, Several
from protocol.l2.versions import L2Version, L2Versions
from protocol.wire.fields import Constant, Listed, Numbers, Optional
from tests.kit.strategies import values_of
from tests.kit.town import shipped_content

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from protocol.l2.packets import Message
    from protocol.wire.declare import Struct
    from protocol.wire.fields import Field

T = TypeVar("T")

MOST: Final = 4
"""Elements of a list: more of the same finds nothing new."""


@functools.cache
def newest() -> L2Version:
    """The newest version that is served."""
    return L2Versions.from_content(shipped_content(), CATALOGUE).newest


def record_of(cls: type[T]) -> st.SearchStrategy[T]:
    """Valid messages or structures of one class."""
    if cls not in _MADE:
        parts = {
            member.name: field_of(member.field)
            for member in cast("type[Struct]", cls).MEMBERS
            if not isinstance(member.field, Constant)
        }
        _MADE[cls] = st.builds(cast("Callable[[], T]", cls), **parts)
    return cast("st.SearchStrategy[T]", _MADE[cls])


_MADE: Final[dict[type, object]] = {}


def field_of(field: Field) -> st.SearchStrategy[object]:
    """What an attribute of that wire type may be."""
    match field:
        case Float():
            return st.floats(allow_nan=False)
        case Several(number=number, size=size):
            top = 1 << 8 * size - 1
            low, high = (-top, top - 1) if size == 4 else (0, 2 * top - 1)
            return st.lists(st.integers(low, high), min_size=number, max_size=number).map(tuple)
        case Listed(element=element, limit=limit):
            return st.lists(record_of(cast("type[object]", element)), max_size=min(MOST, limit)).map(tuple)
        case Numbers(size=size, limit=limit):
            high = (1 << 8 * size) - 1
            return st.lists(st.integers(0, high), max_size=min(MOST, limit)).map(tuple)
        case One(element=element):
            return record_of(cast("type[object]", element))
        case Optional(inner=inner):
            return field_of(inner)
        case _:
            return values_of(field)


def client_messages() -> st.SearchStrategy[Message]:
    """Any message that a client may send."""
    return st.sampled_from(CLIENT_MESSAGES).flatmap(record_of)


def server_messages() -> st.SearchStrategy[Message]:
    """Any message that a server may send."""
    return st.sampled_from(SERVER_MESSAGES).flatmap(record_of)


WORDS: Final = (
    *("", "hail", "news?", "balance please", ".where", ".help", ".give Anna 2 bread loaf", ".gifts off"),
    *("Anna", "nobody", "all", "yes", "no", "x" * 105, "x" * 600),
)
"""What is said or named; some of it means something."""


def played(start: tuple[int, int, int]) -> Mapping[str, st.SearchStrategy[Message]]:
    """Messages as somebody sends them who plays: clicks on the ground near a place and far off, on things
    that may be there, words that somebody listens to."""
    x, y, z = (st.integers(middle - 300, middle + 300) for middle in start)
    number = st.integers(1, 60) | st.integers(0x4000_0000, 0x4000_0100)
    words = st.sampled_from(WORDS)
    angle = st.integers(0, 65535)
    amount = st.integers(0, 5) | st.integers(-(1 << 31), (1 << 31) - 1)
    return {
        "clicks": st.builds(MoveBackwardToLocation, x, y, z, x, y, z, st.integers(0, 1)),
        "positions": st.builds(ValidatePosition, x, y, z, angle),
        "turns": st.builds(FinishRotating, angle),
        "targets": st.builds(Action, number, x, y, z, st.integers(0, 1)),
        "words": st.builds(Say2, words, st.integers(0, 20), words),
        "links": st.builds(RequestBypassToServer, words),
        "actions": st.builds(RequestActionUse, st.integers(0, 3), st.integers(0, 1), st.integers(0, 1)),
        "gestures": st.builds(RequestSocialAction, st.integers(0, 16)),
        "uses": st.builds(UseItem, number),
        "drops": st.builds(RequestDropItem, number, amount, x, y, z),
        "destructions": st.builds(RequestDestroyItem, number, amount),
        "trades": st.builds(TradeRequest, number),
        "answers to trades": st.builds(AnswerTradeRequest, st.integers(0, 1)),
        "offers": st.builds(AddTradeItem, st.just(1), number, amount),
        "agreements": st.builds(TradeDone, st.integers(0, 1)),
        "parties": st.builds(RequestJoinParty, words, st.integers(-1, 6)),
        "answers to parties": st.builds(RequestAnswerJoinParty, st.integers(0, 1)),
        "leaving of parties": st.builds(RequestOustPartyMember, words) | st.just(RequestWithDrawalParty()),
        "leaders": st.builds(RequestChangePartyLeader, words),
        "clans": st.builds(RequestCreatePledge, words) | st.builds(RequestJoinPledge, number),
        "answers to clans": st.builds(RequestAnswerJoinPledge, st.integers(0, 1)),
        "members": st.builds(RequestOustPledgeMember, words)
        | st.builds(RequestPledgeSetMemberPowerGrade, words, st.integers(-1, 10))
        | st.just(RequestWithdrawalPledge()),
        "windows of clans": st.sampled_from((RequestPledgeMemberList(), RequestPledgePowerGradeList()))
        | st.builds(RequestPledgeMemberInfo, st.just(0), words)
        | st.builds(RequestPledgePower, st.integers(-1, 10), st.integers(0, 3), st.integers(0, 255)),
        "wars": st.builds(RequestStartPledgeWar, words) | st.builds(RequestStopPledgeWar, words),
        "alliances": st.builds(RequestJoinAlly, number) | st.sampled_from((AllyLeave(), RequestAllyInfo())),
        "petitions": st.builds(RequestPetition, words, st.integers(0, 9)) | st.just(RequestPetitionCancel()),
        "blocks": st.builds(RequestBlock, st.integers(-1, 5), words),
        "invitations": st.builds(RequestFriendInvite, words),
        "answers": st.builds(RequestAnswerFriendInvite, st.integers(0, 1)),
        "farewells": st.builds(RequestFriendDel, words),
        "letters": st.builds(RequestSendFriendMsg, words, words),
        "questions": st.sampled_from((RequestFriendList(), RequestGmList(), RequestTargetCancel(1))),
        "characters": st.builds(
            CharacterCreate,
            words,
            *(st.integers(-1, high) for high in (5, 2, 60)),
            *(st.integers(0, 50) for _ in range(6)),
            *(st.integers(-1, 8) for _ in range(3)),
        ),
    }
