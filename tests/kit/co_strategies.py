"""Hypothesis strategies for every packet and structure of Conquer Online, from their declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar, cast

from hypothesis import strategies as st

from protocol.co.packets import (
    ACCOUNT_MESSAGES,
    CLIENT_MESSAGES,
    SERVER_MESSAGES,
    Action,
    ActionType,
    Channel,
    DialogAction,
    Emotion,
    Friend,
    FriendAction,
    Guild,
    GuildAction,
    GuildMember,
    ItemAction,
    ItemActionType,
    ItemPosition,
    MapItemAction,
    NameKind,
    NameMessage,
    Npc,
    NpcEvent,
    PickUp,
    Register,
    Talk,
    TaskDialog,
    Team,
    TeamAction,
    Trade,
    TradeAction,
    Walk,
    pack_xy,
)
from protocol.co.packets.base import ENCODING, StringPack
from protocol.co.versions import NEWEST, CoVersion
from protocol.wire.fields import Constant, FixedText, Listed
from tests.kit.strategies import values_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from protocol.co.packets import Message
    from protocol.wire.declare import Member, Struct
    from protocol.wire.fields import Field

T = TypeVar("T")

MOST: Final = 4
"""Elements of a list: more of the same finds nothing new."""

LETTERS: Final = bytes(range(1, 256)).decode(ENCODING, "ignore")
"""All that a text may be made of."""


def record_of(cls: type[T], version: CoVersion = NEWEST) -> st.SearchStrategy[T]:
    """Valid packets of one class. What the version lacks has its default."""
    if (cls, version) not in _MADE:
        _MADE[cls, version] = _built(cls, cast("type[Message]", cls).layouts[version].members)
    return cast("st.SearchStrategy[T]", _MADE[cls, version])


def structure_of(cls: type[T]) -> st.SearchStrategy[T]:
    """Valid elements of a list."""
    return _built(cls, cast("type[Struct]", cls).MEMBERS)


_MADE: Final[dict[tuple[type, CoVersion], object]] = {}


def _built(cls: type[T], members: Sequence[Member]) -> st.SearchStrategy[T]:
    parts = {one.name: field_of(one.field) for one in members if not isinstance(one.field, Constant)}
    return cast("st.SearchStrategy[T]", st.builds(cast("Callable[[], T]", cls), **parts))


def field_of(field: Field) -> st.SearchStrategy[object]:
    """What an attribute of that wire type may be."""
    match field:
        case StringPack(limit=limit):
            return st.lists(st.text(LETTERS, max_size=40), max_size=min(MOST, limit)).map(tuple)
        case FixedText():
            return st.text(LETTERS, max_size=len(field.encode("x" * field.size)))
        case Listed(element=element, limit=limit):
            return st.lists(structure_of(cast("type[object]", element)), max_size=min(MOST, limit)).map(tuple)
        case _:
            return values_of(field)


def client_messages() -> st.SearchStrategy[Message]:
    """Any packet that a client may send, at either door."""
    return st.sampled_from(CLIENT_MESSAGES).flatmap(record_of)


def account_messages() -> st.SearchStrategy[Message]:
    """Any packet that a client may send to the account server."""
    return st.sampled_from(ACCOUNT_MESSAGES).flatmap(record_of)


def server_messages(version: CoVersion) -> st.SearchStrategy[Message]:
    """Any packet that a server may send."""
    return st.sampled_from(SERVER_MESSAGES).flatmap(lambda cls: record_of(cls, version))


REQUESTS: Final = (
    *(ActionType.ENTER_MAP, ActionType.SURROUNDINGS, ActionType.ITEMS, ActionType.FRIENDS),
    *(ActionType.WEAPON_SKILLS, ActionType.MAGIC, ActionType.GUILD, ActionType.PK_MODE),
    ActionType.LOGIN_COMPLETE,
)
USES: Final = (
    *(ItemActionType.DROP, ItemActionType.USE, ItemActionType.UNEQUIP, ItemActionType.DROP_MONEY),
    *(ItemActionType.BUY, ItemActionType.SELL, ItemActionType.PING),
    *(ItemActionType.QUERY_MONEY, ItemActionType.DEPOSIT, ItemActionType.WITHDRAW),
)
"""What a client asks for, and what it does with things, as far as somebody handles it."""

WORDS: Final = (
    *("", "hail", "news?", "balance please", "/where", "/help", "/give Anna 2 bread loaf", "/gifts off"),
    *("/guild", "/guild found WV Weavers", "/friend Anna"),
    *("Anna", "nobody", "ALLUSERS", "SYSTEM", "yes", "no", "x" * 15, "x" * 255),
)
"""What is said or named; some of it means something."""


def played(start: tuple[int, int], hero: int) -> Mapping[str, st.SearchStrategy[Message]]:
    """Packets as somebody sends them who plays: steps, jumps near a place and far off, things and residents
    that may be there, words that somebody listens to. `hero` is the own number."""
    x, y = (st.integers(max(0, middle - 25), middle + 25) for middle in start)
    place = st.builds(pack_xy, x, y)
    own = st.just(hero) | st.integers(0, 0xFFFFFFFF)
    other = st.integers(0, 60) | st.integers(400_000, 400_040) | st.integers(1_000_000, 1_000_040)
    amount = st.integers(0, 5) | st.integers(0, 0xFFFFFFFF)
    time = st.integers(0, 0xFFFFFFFF)
    way = st.integers(0, 255)
    data = other | place | st.sampled_from(Emotion) | amount

    def acted(*actions: ActionType, data: st.SearchStrategy[int] = data) -> st.SearchStrategy[Message]:
        return st.builds(Action, time, own, data, x, y, way, st.sampled_from(actions or tuple(ActionType)))

    return {
        **_said_and_made(other, place, amount),
        **_of_circles(other, amount),
        "teams": st.builds(Team, st.sampled_from(TeamAction) | st.integers(0, 20), other | amount),
        "trades": st.builds(Trade, other | amount, st.sampled_from(TradeAction) | st.integers(0, 20)),
        "steps": st.builds(Walk, own, way, st.integers(0, 3)),
        "jumps": acted(ActionType.JUMP, data=place),
        "turns": acted(ActionType.TURN),
        "gestures": acted(ActionType.EMOTION, data=st.sampled_from(Emotion) | amount),
        "actions": acted(),
        "requests": acted(*REQUESTS),
        "questions": acted(ActionType.QUERY_PLAYER, ActionType.LOOK_AT, data=other),
        "uses": st.builds(ItemAction, other, amount, st.sampled_from(USES), time, amount),
        "unknown actions": st.builds(Action, time, own, data, x, y, way, st.integers(0, 0xFFFF)),
        "clicks": st.builds(Npc, other, amount, st.sampled_from(NpcEvent), st.integers(0, 30)),
        "pick ups": st.builds(
            PickUp, other, amount, x, y, st.sampled_from(MapItemAction), st.sampled_from(MapItemAction)
        ),
    }


def _of_circles(
    other: st.SearchStrategy[int], amount: st.SearchStrategy[int]
) -> Mapping[str, st.SearchStrategy[Message]]:
    """Guilds and friends."""
    words = st.sampled_from(WORDS)
    who = other | amount
    return {
        "friends": st.builds(Friend, who, st.sampled_from(FriendAction) | st.integers(0, 255), st.just(0)),
        "guilds": st.builds(Guild, st.sampled_from(GuildAction) | st.integers(0, 40), who),
        "members": st.builds(GuildMember, amount, st.just(0), words.map(lambda text: text[:15])),
        "names": st.builds(
            NameMessage,
            who,
            st.sampled_from(NameKind) | st.integers(0, 255),
            st.lists(words, max_size=2).map(tuple),
        ),
    }


def _said_and_made(
    other: st.SearchStrategy[int], place: st.SearchStrategy[int], amount: st.SearchStrategy[int]
) -> Mapping[str, st.SearchStrategy[Message]]:
    """Words, answers, things that are dealt with, and characters."""
    words = st.sampled_from(WORDS)
    time = st.integers(0, 0xFFFFFFFF)
    return {
        "words": st.builds(
            Talk,
            time,
            st.sampled_from(Channel) | st.integers(0, 0xFFFF),
            st.integers(0, 15),
            time,
            time,
            time,
            st.lists(words, max_size=5).map(tuple) | st.tuples(words, words, st.just(""), words),
        ),
        "answers": st.builds(
            TaskDialog,
            amount,
            st.integers(0, 0xFFFF),
            st.integers(0, 5) | st.integers(0, 255),
            st.sampled_from(DialogAction),
            st.lists(words, max_size=2).map(tuple),
        ),
        "items": st.builds(
            ItemAction,
            other,
            st.sampled_from(ItemPosition) | place | amount,
            st.sampled_from(ItemActionType),
            time,
            amount,
        ),
        "characters": st.builds(
            Register,
            words,
            words,
            words,
            st.sampled_from((1003, 1004, 2001, 2002, 0, 0xFFFF)),
            st.sampled_from((10, 20, 40, 100, 0, 0xFFFF)),
            amount,
        ),
    }
