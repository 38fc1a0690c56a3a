"""Descriptions of things: what a client asks for, and pay for a quest as it is offered and given."""

from __future__ import annotations

import attrs

from protocol.eq2.packets.base import Message, Record, from_client, from_server, record

OF_ITEM = 0
"""Kind of a request for a thing, by its own number or that of its kind."""


@record
@attrs.define
class ItemDescription(Record):
    """A thing. `broker`: its number once more; `weight` up to 126."""

    unique: int
    broker: int
    name: str
    icon: int = 0
    weight: int = 0
    description: str = ""


@from_server
@attrs.define
class ExamineInfo(Message):
    """Describes a thing. `window` 1: in a window of its own."""

    thing: ItemDescription
    window: int = 1


@from_client
@attrs.define
class ExamineInfoRequest(Message):
    """The client wants to know more of something. `rest`: see the layout."""

    kind: int
    rest: bytes


@record
@attrs.define
class RewardItem(Record):
    """So many of a thing, as pay."""

    number: int
    count: int
    thing: ItemDescription


@record
@attrs.define
class RewardData(Record):
    """Pay for a quest: coins in copper, words, and things."""

    title: str = ""
    most_coins: int = 0
    least_coins: int = 0
    text: str = ""
    things: tuple[RewardItem, ...] = ()


@from_server
@attrs.define
class RewardPack(Message):
    """Shows what was got for a quest, in a window that is closed by the command `accept_reward`."""

    reward: RewardData


@from_server
@attrs.define
class OfferQuest(Message):
    """Offers a quest in a window of its own; its two answers come back as commands."""

    reward: RewardData
    title: str
    difficulty: int
    level: int
    accept: str
    decline: str
    text: str
