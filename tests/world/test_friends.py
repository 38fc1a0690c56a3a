"""Whom a player wants to find again."""

from __future__ import annotations

import pytest

from tests.kit.worlds import plain_world
from tests.world.test_speech import hearer
from world import friends, ignoring, invites
from world.directory import Known
from world.events import FriendListed, FriendStirred
from world.mobile import Access
from world.reach import Cannot, Refusal


def test_a_list_is_its_owners_alone_and_tells_who_comes_and_goes() -> None:
    world = plain_world()
    alric, berta, carl = hearer(world, "Alric", 20), hearer(world, "Berta", 21), hearer(world, "Carl", 22)
    friends.befriend(alric, "berta")
    assert friends.friends_of(alric) == {berta.serial: "Berta"}
    assert not friends.friends_of(berta)
    berta.online = False
    friends.stirred(berta)
    berta.online = True
    friends.stirred(berta)
    friends.stirred(carl)
    events = world.take_changes().events
    listed = [one for one in events if isinstance(one, FriendListed)]
    told = [one for one in events if isinstance(one, FriendStirred)]
    assert [(one.thing, one.name, one.online) for one in listed] == [(alric, "Berta", True)]
    assert [(one.thing, one.serial, one.online) for one in told] == [
        (alric, berta.serial, False),
        (alric, berta.serial, True),
    ]
    assert [one.words(own=True) for one in told] == [
        "Your friend Berta has left.",
        "Your friend Berta is here.",
    ]


def test_the_roll_names_who_is_here_and_who_is_away() -> None:
    world = plain_world()
    alric, berta, _ = hearer(world, "Alric", 20), hearer(world, "Berta", 21), hearer(world, "Carl", 22)
    assert friends.roll(alric) == [friends.NO_FRIENDS]
    friends.befriend(alric, "carl")
    friends.befriend(alric, "berta")
    assert friends.roll(alric) == ["Here: Berta, Carl."]
    berta.online = False
    assert friends.roll(alric) == ["Here: Carl.", "Away: Berta."]


def test_staff_that_hides_is_nowhere() -> None:
    world = plain_world()
    alric, master = hearer(world, "Alric", 20), hearer(world, "Master", 21)
    friends.befriend(alric, "Master")
    master.access, master.hidden = Access.GAME_MASTER, True
    world.take_changes()
    friends.stirred(master)
    assert not friends.is_here(world, master.serial)
    assert not [one for one in world.take_changes().events if isinstance(one, FriendStirred)]


def test_the_game_of_a_friend_is_known_while_it_is_here() -> None:
    world = plain_world()
    berta = hearer(world, "Berta", 21)
    berta.game = "uo"
    assert friends.game_of(world, berta.serial) == "uo"
    assert not friends.game_of(world, 9000)
    berta.access, berta.hidden = Access.GAME_MASTER, True
    assert not friends.game_of(world, berta.serial)
    berta.hidden, berta.online = False, False
    assert not friends.game_of(world, berta.serial)


def test_who_is_asked_and_agrees_is_on_both_lists() -> None:
    world = plain_world()
    alric, berta = hearer(world, "Alric", 20), hearer(world, "Berta", 21)
    friends.ask(alric, berta)
    assert not friends.friends_of(alric)
    with pytest.raises(Cannot) as caught:
        friends.ask(alric, berta)
    assert caught.value.why is Refusal.ASKED
    friends.ask(berta, alric)  # whoever asks back has agreed
    assert friends.friends_of(alric) == {berta.serial: "Berta"}
    assert friends.friends_of(berta) == {alric.serial: "Alric"}
    with pytest.raises(Cannot) as caught:
        friends.ask(berta, alric)
    assert caught.value.why is Refusal.LISTED


def test_who_has_somebody_on_its_list_already_agrees_all_the_same() -> None:
    world = plain_world()
    alric, berta = hearer(world, "Alric", 20), hearer(world, "Berta", 21)
    friends.befriend(berta, "Alric")
    friends.ask(alric, berta)
    invites.accept(berta, friends.FRIENDSHIP)
    assert friends.friends_of(alric) == {berta.serial: "Berta"}
    assert friends.friends_of(berta) == {alric.serial: "Alric"}


def test_who_cannot_be_asked() -> None:
    world = plain_world()
    alric, berta = hearer(world, "Alric", 20), hearer(world, "Berta", 21)
    ignoring.ignore(berta, "Alric")
    for other, why in ((alric, Refusal.ONESELF), (berta, Refusal.IGNORED)):
        with pytest.raises(Cannot) as caught:
            friends.ask(alric, other)
        assert caught.value.why is why
    ignoring.heed(berta, "Alric")
    for number in range(friends.MOST):
        friends.add(alric, Known(9000 + number, f"Friend{number}"))
    with pytest.raises(Cannot) as caught:
        friends.ask(alric, berta)
    assert caught.value.why is Refusal.MANY


def test_what_is_refused() -> None:
    world = plain_world()
    alric = hearer(world, "Alric", 20)
    world.directory.note(Known(9000, "Old Sam", "Oldsam"))
    friends.befriend(alric, "Old Sam")
    for name, why in (
        ("Nobody", Refusal.NOBODY),
        ("Alric", Refusal.ONESELF),
        ("oldsam", Refusal.LISTED),
    ):
        with pytest.raises(Cannot) as refused:
            friends.befriend(alric, name)
        assert refused.value.why is why
    world.directory.forget(9000)
    assert friends.unfriend(alric, "old sam") == "Old Sam", "who is deleted can be taken off the list"
    with pytest.raises(Cannot) as refused:
        friends.unfriend(alric, "old sam")
    assert refused.value.why is Refusal.NOBODY
    for number in range(friends.MOST):
        friends.add(alric, Known(9001 + number, f"Friend {number}"))
    with pytest.raises(Cannot) as refused:
        friends.add(alric, Known(9999, "One more"))
    assert refused.value.why is Refusal.MANY
