"""Staff that hides is nowhere, as far as players may know."""

from __future__ import annotations

import pytest

from tests.kit.worlds import plain_world
from tests.world.test_speech import hearer
from world import invites, presence, speech
from world.mobile import Access
from world.reach import Cannot, Refusal


def test_hidden_staff_is_found_by_staff_only() -> None:
    world = plain_world()
    alric, berta, carl = hearer(world, "Alric", 20), hearer(world, "Berta", 21), hearer(world, "Carl", 22)
    berta.access, carl.access, berta.hidden = Access.GAME_MASTER, Access.COUNSELOR, True
    assert presence.by_name(alric, "berta") is None
    assert presence.by_name(carl, "berta") is presence.by_name(berta, "berta") is berta
    for attempt in (lambda: speech.tell(alric, "berta", "hello"), lambda: invites.check_asks(alric, berta)):
        with pytest.raises(Cannot) as refused:
            attempt()
        assert refused.value.why is Refusal.NOBODY
    berta.hidden = False
    assert presence.by_name(alric, "berta") is berta


def test_who_hides_as_a_player_is_found_by_name() -> None:
    world = plain_world()
    alric, berta = hearer(world, "Alric", 20), hearer(world, "Berta", 21)
    berta.hidden = True
    assert presence.by_name(alric, "berta") is berta


def test_hidden_staff_that_wrote_to_a_player_is_answered_until_somebody_else_writes() -> None:
    world = plain_world()
    alric, berta, carl = hearer(world, "Alric", 20), hearer(world, "Berta", 21), hearer(world, "Carl", 22)
    berta.access, berta.hidden = Access.GAME_MASTER, True
    speech.tell(berta, "alric", "hello")
    assert speech.tell(alric, "berta", "who is there?") is berta
    speech.tell(carl, "alric", "and I")
    with pytest.raises(Cannot):
        speech.tell(alric, "berta", "still there?")
