"""Of whom a player wants to hear nothing, and what reaches it all the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.kit.guilds import member, weavers
from tests.kit.worlds import person, plain_world
from tests.world.test_speech import heard, hearer
from world import duels, guilds, hands, holding, ignoring, party, speech, trade
from world.directory import Known
from world.events import Speech
from world.mobile import Access
from world.reach import Cannot, Refusal

if TYPE_CHECKING:
    from collections.abc import Callable

    from world.mobile import Mobile


def test_who_is_ignored_is_not_heard_nearby_nor_by_everybody_and_told_so_in_private() -> None:
    world = plain_world()
    alric, berta, carl = hearer(world, "Alric", 20), hearer(world, "Berta", 21), hearer(world, "Carl", 22)
    assert ignoring.ignore(berta, "alric").serial == alric.serial
    for how in (Speech.SAY, Speech.YELL, Speech.EMOTE):
        speech.say(alric, "hear", how)
    speech.to_all(world, "hear", speaker=alric)
    speech.say(carl, "hear")
    spoken = heard(world)
    assert [viewers for _, viewers in spoken[:3]] == [{alric.serial, carl.serial}] * 3
    assert spoken[3] == ("hear", {carl.serial})
    assert spoken[4][1] == {alric.serial, berta.serial, carl.serial}
    with pytest.raises(Cannot) as refused:
        speech.tell(alric, "Berta", "hear")
    assert refused.value.why is Refusal.IGNORED
    speech.tell(berta, "Alric", "it is only she who does not hear")
    speech.to_all(world, "everybody hears this", announce=True)
    assert berta.serial in heard(world)[-1][1]


def test_who_is_ignored_is_not_heard_in_company() -> None:
    world = plain_world()
    alric, berta, carl = (member(world, name, x) for name, x in (("Alric", 20), ("Berta", 21), ("Carl", 22)))
    weavers(alric, berta, carl)
    ignoring.ignore(berta, "alric")
    speech.to_company(alric, Speech.GUILD, "hear")
    assert heard(world)[-1] == ("hear", {alric.serial, carl.serial})
    speech.to_company(berta, Speech.GUILD, "it is only she who does not hear")
    assert heard(world)[-1][1] == {alric.serial, berta.serial, carl.serial}


@pytest.mark.parametrize("ask", [trade.ask, party.invite, party.apply, guilds.invite, duels.ask])
@pytest.mark.parametrize("windows", [frozenset(), frozenset({trade.UNASKED})])
def test_who_is_ignored_asks_nothing(ask: Callable[[Mobile, Mobile], None], windows: frozenset[str]) -> None:
    world = plain_world()
    alric, berta = member(world, "Alric", 20), hearer(world, "Berta", 21, 10)
    weavers(alric)
    berta.windows = windows
    ignoring.ignore(berta, "Alric")
    with pytest.raises(Cannot) as refused:
        ask(alric, berta)
    assert refused.value.why is Refusal.IGNORED
    assert not berta.dialogs
    assert berta.trade is None


def test_who_is_ignored_gives_nothing_and_keeps_it() -> None:
    world = plain_world()
    alric, berta = hearer(world, "Alric", 20), hearer(world, "Berta", 21, 10)
    world.warp(berta, world.realms["plain"], alric.x + 1, alric.y)
    packs = [holding.make(world, "backpack") for _ in range(2)]
    for mobile, bag in zip((alric, berta), packs, strict=True):
        world.register(bag)
        holding.wear(mobile, bag)
    pack = packs[0]
    for number in range(2):
        apple = holding.make(world, "apple")
        world.register(apple)
        holding.put(pack, apple)
        if number == 1:
            ignoring.ignore(berta, "alric")
            with pytest.raises(Cannot) as refused:
                hands.give(alric, apple, 1, berta)
            assert refused.value.why is Refusal.IGNORED
            assert apple.parent is pack
        else:
            hands.give(alric, apple, 1, berta)
            assert apple.root is berta


def test_staff_is_heard_by_all() -> None:
    world = plain_world()
    master, berta = hearer(world, "Master", 20), hearer(world, "Berta", 21)
    ignoring.ignore(berta, "Master")
    master.access = Access.COUNSELOR
    assert not ignoring.ignores(berta, master)
    assert not ignoring.ignores(berta.serial, master)
    speech.tell(master, "Berta", "hear")
    ignoring.heed(berta, "Master")
    with pytest.raises(Cannot) as refused:
        ignoring.ignore(berta, "Master")
    assert refused.value.why is Refusal.STAFF


def test_the_list_has_those_who_are_not_there_as_well_and_an_end() -> None:
    world = plain_world()
    berta = hearer(world, "Berta", 21)
    world.directory.note(Known(9000, "Old Sam", "Oldsam"))
    for name, why in (("Nobody", Refusal.NOBODY), ("Berta", Refusal.ONESELF)):
        with pytest.raises(Cannot) as refused:
            ignoring.ignore(berta, name)
        assert refused.value.why is why
    assert ignoring.roll(berta) == "You hear of everybody."
    assert ignoring.ignore(berta, "oldsam").name == "Old Sam"
    assert ignoring.roll(berta) == "You hear nothing of Old Sam."
    with pytest.raises(Cannot) as refused:
        ignoring.ignore(berta, "Old Sam")
    assert refused.value.why is Refusal.LISTED
    world.directory.forget(9000)
    assert ignoring.heed(berta, "old sam") == "Old Sam", "who is deleted can be taken off the list"
    assert not ignoring.ignored_by(berta)
    with pytest.raises(Cannot):
        ignoring.heed(berta, "old sam")
    letters = "abcdefghkmnoprstuwxyz"
    for number in range(ignoring.MOST):
        name = f"Zo{letters[number // 20]}{letters[number % 20]}"
        world.directory.note(Known(9001 + number, name))
        ignoring.ignore(berta, name)
    person(world, "Onemore")
    with pytest.raises(Cannot) as refused:
        ignoring.ignore(berta, "Onemore")
    assert refused.value.why is Refusal.MANY


def test_two_who_look_alike_are_one_in_the_directory_until_it_is_deleted() -> None:
    world = plain_world()
    world.directory.note(Known(1, "Illic", "Illic"), Known(1, "Other"))
    assert world.directory.find(" lllic") == world.directory.of(1) == Known(1, "Illic", "Illic")
    assert len(world.directory) == 1
    world.directory.forget(1)
    world.directory.forget(1)
    assert world.directory.find("Illic") is None
    assert not world.directory
