"""Who is played where: what a world tells of its players, and what is kept of those of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from server.cluster.bus import TTL_SECONDS
from server.cluster.messages import Roster, Who
from server.cluster.presence import MOST_WORLDS, Others, Own
from tests.kit.worlds import plain_world
from tests.world.test_speech import hearer
from world.elsewhere import Elsewhere, Person
from world.guild import Guild
from world.presence import person_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile


def _joins(mobile: Mobile) -> None:
    mobile.guild = Guild(name="Weavers", tag="WV")


CHANGES: dict[str, Callable[[Mobile], object]] = {
    "game": lambda mobile: setattr(mobile, "game", "l2"),
    "level": lambda mobile: setattr(mobile, "level", 9),
    "access": lambda mobile: setattr(mobile, "access", 2),
    "hidden": lambda mobile: setattr(mobile, "hidden", True),
    "realm": lambda mobile: mobile.world.warp(mobile, mobile.world.realms["cave"], 5, 5),
    "title": lambda mobile: setattr(mobile, "title", "the Bold"),
    "tag": _joins,
}


@pytest.mark.parametrize("field", CHANGES)
def test_whatever_is_told_of_a_player_is_told_when_it_changes(field: str) -> None:
    world = plain_world()
    alric, berta = hearer(world, "Alric", 20), hearer(world, "Berta", 21)
    own = Own("token")
    assert own.look(world)
    first = own.roster
    assert not own.look(world)
    CHANGES[field](alric)
    assert own.look(world)
    assert own.roster.mark != first.mark
    assert own.roster.people == [Who.of(person_of(alric)), Who.of(person_of(berta))]
    (changed,) = [name for name in Who.__struct_fields__ if getattr(own.roster.people[0], name)
                  != getattr(first.people[0], name)]  # fmt: skip
    assert changed == field
    berta.online = False
    assert own.look(world)
    assert [who.name for who in own.roster.people] == ["Alric"]


def test_who_is_as_before_in_a_roster_is_the_same_object() -> None:
    others = Others()
    assert others.read(2, Roster("a", [])) is None
    assert others.beat(2, "a", 10.0)
    zoe, yves = Who(7, "Zoe"), Who(8, "Yves")
    first = others.read(2, Roster("a", [zoe, yves]))
    assert not others.beat(2, "a", 11.0)
    assert others.beat(2, "b", 12.0)
    second = others.read(2, Roster("b", [Who(7, "Zoe"), Who(8, "Yves", level=2), Who(9, "New")]))
    assert first is not None
    assert second is not None
    assert second[0] is first[0]
    assert [person.level for person in second] == [0, 2, 0]
    assert others.expired(12.0 + TTL_SECONDS) == []
    assert others.expired(12.1 + TTL_SECONDS) == [2]
    assert others.worlds == {}


def test_no_more_worlds_are_listened_to_than_there_can_be() -> None:
    others = Others()
    for number in range(MOST_WORLDS + 10):
        others.beat(number, "x", 0.0)
    assert len(others.worlds) == MOST_WORLDS


def test_names_elsewhere_are_those_of_now() -> None:
    elsewhere, zoe = Elsewhere(), Person(7, "Zoe", "Zoey")
    assert elsewhere.settle(2, [zoe], 0.0) == [zoe]
    renamed = Person(7, "Anna", "Annay")
    assert elsewhere.settle(2, [renamed], 1.0) == []
    assert elsewhere.find("Zoe") is None
    assert elsewhere.find("annay") is renamed
    there = Person(7, "Anna", "Annay", level=5)
    elsewhere.settle(3, [there], 2.0)  # in both for a moment, as it goes over
    assert elsewhere.people[7] is there
    elsewhere.settle(3, [], 3.0)
    assert elsewhere.people[7] is elsewhere.find("anna") is renamed
    elsewhere.settle(2, [], 4.0)
    assert (elsewhere.people, elsewhere.find("anna"), elsewhere.world_of(7)) == ({}, None, None)
    assert elsewhere.missed(4.0) == []
    assert elsewhere.missed(8.0) == [renamed]
